"""Messages of the library in the words of Python: keyword arguments, no flags."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import ergodict

PACKAGE = Path(ergodict.__file__).parent


def test_hints_are_keyword_arguments(tmp_path: Path) -> None:
    bad, head, wide = tmp_path / "bad.txt", tmp_path / "head.csv", tmp_path / "wide.txt"
    bad.write_text("a b x\n")
    head.write_text("u,v,foo\n1,2,3\n")
    wide.write_text("1 2 3 4 5\n")
    with pytest.raises(ValueError, match=r"if the first two are the ends \(weighted=False\)$"):
        ergodict.Network(bad)
    assert ergodict.Network(bad, weighted=False).n_edges == 1
    with pytest.raises(ValueError, match=r'among `u`, `v`, `foo`: name it \(time="foo"\)$'):
        ergodict.read_timestamps(head)
    assert len(ergodict.read_timestamps(head, time="foo")) == 1
    with pytest.raises(ValueError, match=r"the column of the time \(time=5\)$"):
        ergodict.read_timestamps(wide)
    assert len(ergodict.read_timestamps(wide, time=5)) == 1


def test_strings_name_no_flags() -> None:
    found = []
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text())
        nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
        documentation = {node.body[0].value for node in nodes if node.body and isinstance(node.body[0], ast.Expr)}
        # Whoever builds the package may need a flag of cargo.
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documentation:
                text = node.value.replace("--features fetch", "")
                if re.search(r"--[a-z]", text):
                    found.append(f"{file.name}:{node.lineno}: {text}")
    assert not found, found
