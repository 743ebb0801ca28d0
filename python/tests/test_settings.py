"""Signatures and docstrings have the settings of the library, with its defaults."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import ergodict
from ergodict._settings import SETTINGS

#: Given otherwise in Python: networks are read by `Network`, cut into windows by `TimedEdges.windows`.
ELSEWHERE = {
    "directed", "undirected", "unweighted", "loops", "timestamps", "window", "stride", "windows", "cumulative", "snapshots", "memory",
    "format", "header", "ids", "source", "target", "weight", "verify",
}
FUNCTIONS: list[tuple[str, Any, set[str]]] = [
    ("factor", ergodict.OnlineNMF, {"dtype"}),  # that of the data
    ("network learn", ergodict.NetworkDictionary, set()),
    # Its motif is that of the atoms, as are weights; `distributed.reconstruct` writes partitions.
    ("network reconstruct", ergodict.NetworkDictionary.reconstruct, {"k", "motif", "partitions", "weighted", "weights"}),
    # The others are those of the estimator.
    ("network compare", ergodict.compare, set(SETTINGS["network learn"])),
]


@pytest.mark.parametrize("command, function, without", FUNCTIONS)
def test_signatures_have_every_setting_with_its_default(command: str, function: Any, without: set[str]) -> None:
    signature = inspect.signature(function).parameters
    settings = SETTINGS[command]
    missing = {name for name in settings if name not in signature} - ELSEWHERE - without
    assert not missing
    for name, setting in settings.items():
        if name in signature:
            assert signature[name].default == setting.default, name


@pytest.mark.parametrize("command, function, without", FUNCTIONS)
def test_docstrings_state_the_defaults(command: str, function: Any, without: set[str]) -> None:
    documented = re.findall(r"^ *(\w+) : .*?default[= ](.+)$", inspect.getdoc(function) or "", re.M)
    assert documented
    signature = inspect.signature(function).parameters
    for name, default in documented:
        if name in SETTINGS[command]:
            assert eval(default) == signature[name].default, name  # noqa: S307
