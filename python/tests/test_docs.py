"""Documentation: every example runs, every public name is documented. The Python of the guide is run by `cargo xtask guide`."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpydoc.validate import validate

import ergodict
from ergodict import _ergodict

#: What numpydoc finds that we mind of anything public: no docstring, no summary, parameters that do not exist or are in another order; and
#: of classes and functions besides: parameters missing, without a type or a word; no word on what is returned or yielded.
EVERYWHERE = {"GL08", "SS01", "PR02", "PR03"}
WHOLE = EVERYWHERE | {"PR01", "PR04", "PR07", "RT01", "RT03", "YD01"}

#: Classes that functions and methods return and users do not construct: their constructors are private.
GIVEN = {"Comparison", "Denoised", "Difference", "Evaluation", "HomomorphismSampler", "Reconstruction"}


def modules() -> list[ModuleType]:
    """The package's own modules, without the extension."""
    found = [module.name for module in pkgutil.walk_packages(ergodict.__path__, "ergodict.") if module.name != "ergodict._ergodict"]
    return [ergodict, *map(importlib.import_module, found)]


def examples() -> list[doctest.DocTest]:
    """Every docstring with examples."""
    found: dict[str, doctest.DocTest] = {}
    for module in modules():
        for test in doctest.DocTestFinder(exclude_empty=True).find(module):
            fetches = test.name.endswith("fetch_network")
            if test.examples and (hasattr(_ergodict, "fetch_network") or not fetches):
                found[test.name] = test
    return list(found.values())


def public() -> Iterator[tuple[str, Any, bool]]:
    """Every public name, the object it names, and whether it is a member of a class: classes, functions, what our classes define."""
    homes = [ergodict, *(module for module in modules()[1:] if not module.__name__.split(".")[1].startswith("_"))]
    seen = set()
    for home in homes:
        for name in getattr(home, "__all__", []):
            value = getattr(home, name)
            if id(value) in seen or not callable(value):
                continue
            seen.add(id(value))
            yield f"{home.__name__}.{name}", value, False
            if inspect.isclass(value):
                for member, what in vars(value).items():
                    if not member.startswith("_") and (callable(what) or isinstance(what, (property, staticmethod, classmethod))):
                        yield f"{home.__name__}.{name}.{member}", what, True


@pytest.fixture
def printed_consistently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In a folder of its own; arrays printed the same everywhere, pictures shown nowhere."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    with np.printoptions(precision=4, suppress=True, linewidth=100, threshold=50, edgeitems=3, floatmode="maxprec"):
        yield
    pyplot.close("all")


@pytest.mark.usefixtures("printed_consistently")
@pytest.mark.parametrize("example", examples(), ids=lambda test: test.name)
def test_examples_run(example: doctest.DocTest) -> None:
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(example, out=said.append, clear_globs=False)
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize(("name", "member"), [(name, member) for name, _, member in public()])
def test_public_names_are_documented(name: str, member: bool) -> None:
    minded = EVERYWHERE if member or name.split(".")[-1] in GIVEN else WHOLE
    errors = [f"{code}: {words}" for code, words in validate(name)["errors"] if code in minded]
    assert not errors, f"{name}: " + "; ".join(errors)


def test_classes_and_functions_show_an_example() -> None:
    bare = [name for name, value, member in public() if not member and ">>>" not in (inspect.getdoc(value) or "")]
    assert not bare, f"no example: {', '.join(bare)}"


def test_all_is_complete() -> None:
    names = {name for name, value in vars(ergodict).items() if not name.startswith("_") and not inspect.ismodule(value)}
    listed = set(ergodict.__all__)
    assert names <= listed, f"not in __all__: {sorted(names - listed)}"
    assert len(listed) == len(ergodict.__all__), "a name is twice in __all__"
    for name in listed:
        assert hasattr(ergodict, name), f"{name} is in __all__ only"
