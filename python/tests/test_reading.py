"""Files are read with the flags of the command line, and defaults are the same on both sides."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ergodict
from ergodict import Network, NetworkDictionary, TimedEdges


def test_networks_take_header_and_format_of_a_file(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    rows, square = tmp_path / "rows.csv", tmp_path / "square.csv"
    rows.write_text("1,2\n2,3\n3,1\n3,4\n", encoding="utf-8")
    square.write_text("0 1 1\n1 0 1\n1 1 0\n", encoding="utf-8")
    for path, keywords in ((rows, {"header": "yes"}), (rows, {"header": "no"}), (square, {"format": "adjacency"}), (rows, {"format": "edges"})):
        network = Network(path, **keywords)
        flags = [word for name, value in keywords.items() for word in (f"--{name}", value)]
        printed = json.loads(cli("network", "info", path, *flags, "--json", "-q").stdout)
        assert (network.n_nodes, network.n_edges) == (printed["summary"]["nodes"], printed["summary"]["edges"]), keywords
        assert network == Network.read(path, **keywords) == Network.from_file(path, **keywords)
    assert Network(rows, header="yes").n_edges == 3 and Network(rows, header="no").n_edges == 4
    with pytest.raises(ValueError, match='header is "maybe", but it must be "auto", "yes" or "no"'):
        Network(rows, header="maybe")
    for data in ([(1, 2)], np.eye(3), Network([(1, 2)]), "@karate"):
        # Arrays and lists have a format, too.
        for keywords in ({"header": "yes"}, {"format": "edges"})[: 1 if isinstance(data, (list, np.ndarray)) else 2]:
            with pytest.raises(ValueError, match="has no meaning"):
                Network(data, **keywords)


def test_rows_with_times_take_the_columns_of_a_file(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "calls.csv"
    lines = [f"{day},{3 + day % 5},{day % 7},{day % 3},{1 + day % 2}" for day in range(40)]
    path.write_text("\n".join(["when,minutes,caller,called,times", *lines]) + "\n", encoding="utf-8")
    keywords: dict[str, Any] = {"time": "when", "source": "caller", "target": "called", "weight": "times"}
    rows = TimedEdges.read(path, **keywords)
    assert len(rows) == 40 and rows.n_nodes == 7
    by_number = TimedEdges(path, time=1, source=3, target=4, weight=5, header="yes")
    assert all(one.network == other.network for one, other in zip(rows.windows(windows=3), by_number.windows(windows=3)))
    assert len(ergodict.read_timestamps(path, "when", source="caller", target="minutes")) == 40
    model = NetworkDictionary(2, k=2, steps=3, null_permutations=0, random_state=0).fit(rows.windows(windows=2))
    cli(
        "network", "learn", path, "--timestamps=when", "--source", "caller", "--target", "called", "--weight", "times", "--windows", 2, "-k", 2,
        "-r", 2, "--steps", 3, "--null-permutations", 0, "-o", tmp_path / "m",
    )
    assert np.array_equal(NetworkDictionary.load(tmp_path / "m").components_, model.components_)
    with pytest.raises(ValueError, match="has no column called `nobody`"):
        TimedEdges.read(path, time="when", source="nobody")
    with pytest.raises(ValueError, match="header is given, but it has no meaning"):
        TimedEdges([(1, 2, 3)], header="yes")


def test_defaults_are_those_of_the_command_line(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    cli("network", "learn", "@karate", "-o", tmp_path / "m.safetensors")
    model = NetworkDictionary(random_state=0).fit("@karate")
    theirs = NetworkDictionary.load(tmp_path / "m.safetensors")
    assert np.array_equal(model.components_, theirs.components_)
    assert model.n_samples_seen_ == theirs.n_samples_seen_ and model.explained_ == theirs.explained_
    printed = cli("network", "reconstruct", "@karate", "--model", tmp_path / "m.safetensors", "-o", tmp_path / "r.tsv", "--json", "-q").stdout
    told, rebuilt = json.loads(printed), model.reconstruct("@karate")
    assert (rebuilt.samples, rebuilt.auc, rebuilt.jaccard) == (told["samples"], told["auc"], told["jaccard"])
    cli("network", "denoise", "@karate", "-o", tmp_path / "s.tsv")
    scores = np.loadtxt(tmp_path / "s.tsv", skiprows=1, usecols=2)
    assert np.array_equal(ergodict.denoise("@karate", random_state=0).scores, scores)
