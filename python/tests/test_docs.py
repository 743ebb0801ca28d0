"""Documentation: every example runs, every public name is documented, the chapter's code works as printed."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpydoc.validate import validate

import ergodict

CHAPTERS = [Path(__file__).parents[2] / "docs" / name for name in ("python.md", "distributed.md")]
README = Path(__file__).parents[2] / "README.md"

#: What numpydoc finds that we mind of anything public: no docstring, no summary, parameters that do not exist or are in another order; and
#: of classes and functions besides: parameters missing, without a type or a word; no word on what is returned or yielded.
EVERYWHERE = {"GL08", "SS01", "PR02", "PR03"}
WHOLE = EVERYWHERE | {"PR01", "PR04", "PR07", "RT01", "RT03", "YD01"}

#: Classes that functions and methods give, and nobody makes by hand: what their constructors take is their own business.
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
            if test.examples:
                found[test.name] = test
    return list(found.values())


def public() -> Iterator[tuple[str, Any, bool]]:
    """Every public name, the object it stands for, and whether it is a member of a class: classes, functions, what our classes define."""
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
def printed_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In a folder of its own; arrays printed the same everywhere, pictures shown nowhere."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    with np.printoptions(precision=4, suppress=True, linewidth=100, threshold=50, edgeitems=3, floatmode="maxprec"):
        yield
    pyplot.close("all")


@pytest.mark.usefixtures("printed_alike")
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


def blocks(text: str) -> Iterator[tuple[str, int, str]]:
    """The fenced blocks of Markdown that are to be run: language, line and text."""
    for match in re.finditer(r"^```(python|console)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield match[1], text.count("\n", 0, match.start()) + 2, match[2]


@pytest.mark.usefixtures("printed_alike")
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_the_chapter_runs_as_printed(chapter: Path) -> None:
    """Its blocks in order, in one folder: Python in one namespace; of sessions in a shell the lines that begin with `$ `."""
    found = list(blocks(chapter.read_text(encoding="utf-8")))
    assert any(language == "python" for language, _, _ in found), f"{chapter} shows no Python"
    program = os.environ.get("ERGODICT_CLI")
    names: dict[str, Any] = {"__name__": "chapter"}
    for language, line, text in found:
        if language == "python":
            # Padded, so that a traceback names the line of the chapter.
            exec(compile("\n" * (line - 1) + text, str(chapter), "exec"), names)
            continue
        if not program:
            pytest.skip("ERGODICT_CLI is not set: the chapter's commands are SKIPPED from here on")
        commands = "\n".join(words[2:] for words in text.splitlines() if words.startswith("$ "))
        path = f"{Path(program).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        done = subprocess.run(
            ["bash", "-euc", commands], capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False
        )
        assert done.returncode == 0, f"{chapter.name}:{line}: {done.stderr}"


@pytest.mark.usefixtures("printed_alike")
def test_the_python_of_the_readme_runs() -> None:
    """Its commands are run by a step of `cargo xtask test`."""
    found = [(line, text) for language, line, text in blocks(README.read_text(encoding="utf-8")) if language == "python"]
    assert found, "README.md shows no Python"
    for line, text in found:
        names: dict[str, Any] = {"__name__": "readme"}
        exec(compile("\n" * (line - 1) + text, str(README), "exec"), names)
