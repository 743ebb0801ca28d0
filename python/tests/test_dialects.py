"""Tables as programs write them: a pandas table, an array and the file are the same network, or are refused for the same reason."""

from __future__ import annotations

import io
import pathlib
from typing import Optional

import igraph
import numpy as np
import pandas
import pytest

from ergodict import Network

_TIMES = "20 1 2\n20 2 3\n40 3 1\n40 1 2\n40 2 3\n60 3 1\n60 1 3\n80 2 1\n"
_SCHOOLS = "student,school\n1,1\n2,1\n3,2\n"
_SIZES = "4 5\n1 2\n1 3\n1 4\n2 3\n3 4\n"


def _table(text: str, header: Optional[int] = 0) -> pandas.DataFrame:
    return pandas.read_csv(io.StringIO(text), sep="[ ,]", engine="python", header=header)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (_SCHOOLS, "may be two kinds of nodes"),
        ("a:,b\nb:,c\nc:,a\n", "a name and a colon"),
        ("source=a,target=b\nsource=b,target=c\n", "with `=`"),
        ("0 1 2\n1 2 3\n2 3 4\n3 4 0\n4 0 1\n", "could be ends of edges"),
    ],
)
def test_tables_with_names_are_refused_as_files(text: str, reason: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError):
        Network(path)
    with pytest.raises(ValueError, match=reason):
        Network(_table(text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (_TIMES, "looks like a time"),
        ("0 1 2\n1 2 3\n2 3 4\n3 4 0\n4 0 1\n", "two neighbors"),
        ("a -> b\nb -> c\n", "between both ends"),
        ("source,target\na,b\nb,c\n", "names of columns"),
        ("2020-01-01,1,2\n2020-01-02,2,3\n", "begins with a date"),
        ("# remark\na b\nb c\n", "begins with `#`"),
    ],
)
def test_tables_without_names_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Network(_table(text, None))


def test_columns_can_be_given() -> None:
    table = _table(_TIMES, None)
    with pytest.warns(UserWarning, match="5 rows repeat edges"):
        assert Network(table, source="2", target="3").nodes == [1, 2, 3]
    assert Network(table, format="edges").nodes == [1, 2, 3, 20, 40, 60, 80]
    with pytest.raises(ValueError, match=r"looks like a time.*array\[:, \[1, 2\]\].*format='edges'"):
        Network(np.vstack([table.to_numpy(), [80, 1, 3]]))
    given = Network(_table(_SCHOOLS), source="student", target="school")
    assert given.nodes == [1, 2, 3]


def test_only_files_have_sizes_in_the_first_row(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(_SIZES, encoding="utf-8")
    table = _table(_SIZES, None)
    networks = [Network(path), Network(table), Network(table.to_numpy())]
    assert [network.n_edges for network in networks] == [5, 6, 6]
    assert networks[1] == networks[2]


@pytest.mark.parametrize("name", ["#", "*"])
def test_names_of_columns_are_no_syntax(name: str) -> None:
    assert Network(pandas.DataFrame({name: ["a", "b"], "to": ["b", "c"]})).nodes == ["a", "b", "c"]


def test_odd_weights_are_warned_of(tmp_path: pathlib.Path) -> None:
    text = "1 2 1999\n2 3 2001\n3 4 2005\n3 5 2005\n"
    path = tmp_path / "x.txt"
    path.write_text(text, encoding="utf-8")
    for data in (path, _table(text, None), _table(text, None).to_numpy()):
        with pytest.warns(UserWarning, match="column 3 looks like years"):
            assert Network(data).is_weighted
    assert not Network(path, weighted=False).is_weighted


def test_ids_that_files_read_otherwise_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in blanks only"):
        Network(pandas.DataFrame({"source": ["a ", "b"], "target": ["b", "a"]}))
    with pytest.raises(ValueError, match="row 1 of the table has the names of its columns"):
        Network(_table("source,target\na,b\nsource,target\nb,c\n"))
    with pytest.raises(ValueError, match="as below a title"):
        Network(pandas.DataFrame({"sep=": ["source", "a", "b"], "Unnamed: 1": ["target", "b", "c"]}))
    assert Network(pandas.DataFrame([[1, 2, 0.5], [2, 3, 0.7]])).n_edges == 2, "two edges with weights, and no matrix with names"
    with pytest.raises(ValueError, match="two kinds of nodes"):
        Network(pandas.DataFrame({"Unnamed: 0": ["a", "b"], "x": [3, 2], "y": [1, 2]}))


def test_nodes_are_called_by_labels(tmp_path: pathlib.Path) -> None:
    graph = igraph.Graph([(0, 1), (1, 2)])
    graph.vs["name"] = ["ann", "bob", "cleo"]
    path = tmp_path / "x.graphml"
    graph.write_graphml(str(path))
    assert Network(path) == Network(graph)
    assert Network(path).nodes == ["ann", "bob", "cleo"]
    assert Network(path, ids=True).nodes == Network.read(path, ids=True).nodes == ["n0", "n1", "n2"]
    labeled = igraph.Graph([(0, 1)])
    labeled.vs["label"] = ["x", "y"]
    assert Network(labeled).nodes == ["x", "y"]
    with pytest.raises(ValueError, match="has no meaning"):
        Network(graph, ids=True)


def test_a_title_above_the_names_is_refused() -> None:
    for text in ["Contacts in class 7b,,\nA,B,Minutes\nAnna,David,16\n", "Contacts 2024,\nA,B\nAnna,David\n"]:
        with pytest.raises(ValueError, match="as below a title"):
            Network(pandas.read_csv(io.StringIO(text)))


def test_times_before_the_ends_are_no_weights(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "contacts.txt"
    file.write_text(_TIMES)
    with pytest.warns(UserWarning, match="5 rows repeat edges"):
        network = Network(file, source="2", target="3")
    assert network.nodes == [1, 2, 3] and not network.is_weighted


def test_crosstabs_are_refused_by_their_labels() -> None:
    visits = pandas.DataFrame({"user": ["a", "b", "c", "a"], "item": [3, 5, 8, 9]})
    with pytest.raises(ValueError, match="`3`.*`9`"):
        Network(pandas.crosstab(visits["user"], visits["item"]))
