"""Tables of which a newcomer may expect something else: pandas, polars and files are read by the same rules, with the same notes."""

from __future__ import annotations

import io
import pathlib
import warnings
from typing import Any

import networkx
import numpy as np
import pandas
import polars
import pytest

from ergodict import Network, TimedEdges


def _all(text: str, tmp_path: pathlib.Path) -> list[Any]:
    """The file, and the tables that pandas and polars make of it."""
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    return [path, pandas.read_csv(io.StringIO(text)), polars.read_csv(io.StringIO(text))]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("time,i,j\n1,10,11\n2,10,11\n3,11,12\n4,10,11\n", "2 rows repeat edges, each of which counts once"),
        ("message_id,sender_id,receiver_id,n\n1,10,11,2\n2,11,12,3\n3,12,10,1\n", "column `n` is ignored"),
        ("h,r,t\n1,0,2\n2,1,3\n3,0,1\n", "column `r` is ignored"),
        ("student,contact,minutes\n1,2,1\n2,3,2\n3,1,3\n", "column `minutes` is ignored"),
    ],
)
def test_notes_are_those_of_files(text: str, note: str, tmp_path: pathlib.Path) -> None:
    for data in _all(text, tmp_path):
        with pytest.warns(UserWarning, match=note):
            Network(data)


def test_points_next_to_whole_numbers_may_separate_thousands(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("source,target,weight\na,b,1.016\nb,c,950\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="the points in column 3 are read as decimal points"):
        Network(path)


@pytest.mark.parametrize(
    "text",
    [
        "head,relation,tail\n1,0,2\n2,1,3\n3,0,1\n",
        "subject,predicate,object\n1,0,2\n2,1,3\n3,0,1\n",
        "timestamp,sender_id,receiver_id\n7,1,2\n8,2,3\n9,3,1\n",
    ],
)
def test_ends_are_those_of_files(text: str, tmp_path: pathlib.Path) -> None:
    for data in _all(text, tmp_path):
        network = Network(data)
        assert network.nodes == [1, 2, 3] and network.n_edges == 3


def test_repeated_contacts_are_counted_by_weights_of_one() -> None:
    table = pandas.DataFrame({"time": [1, 2, 3], "i": [10, 10, 11], "j": [11, 11, 12]})
    assert Network(table.assign(weight=1)).weight(10, 11) == 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Network(table, weighted=False)


def test_words_below_a_title_are_noted(tmp_path: pathlib.Path) -> None:
    _, *tables = _all("Class 7b,contacts\nFrom whom,To whom\na,b\nb,c\nc,a\n", tmp_path)
    for data in tables:
        with pytest.warns(UserWarning, match="the first row below the header, `From whom`, `To whom`, is read as an edge"):
            Network(data)
    # In the file the first line, too, may be an edge.
    with pytest.warns(UserWarning, match="Class 7b"):
        assert Network(tmp_path / "x.csv").n_edges == 5


def test_names_below_a_title_are_refused(tmp_path: pathlib.Path) -> None:
    for data in _all("Class 7b,contacts\nA,B\n1,2\n2,3\n", tmp_path):
        with pytest.raises(ValueError, match="names of columns"):
            Network(data)


def test_an_edge_index_is_read_or_refused(tmp_path: pathlib.Path) -> None:
    index = np.array([[0, 1, 2, 3], [1, 2, 3, 0]])
    assert Network(index).n_edges == 4
    path = tmp_path / "x.txt"
    np.savetxt(path, index, fmt="%d")
    for data in (path, pandas.DataFrame(index)):
        with pytest.raises(ValueError, match="transpose it"):
            Network(data)
    assert Network(pandas.DataFrame(index.T)) == Network(index)


def test_matrices_with_missing_entries_are_refused(tmp_path: pathlib.Path) -> None:
    text = ",a,b,c,d\na,,1,2,\nb,1,,1,\nc,2,1,,1\nd,,,1,\n"
    table = pandas.read_csv(io.StringIO(text), index_col=0)
    plain = pandas.DataFrame(table.to_numpy())
    for data in (*_all(text, tmp_path), table, plain):
        with pytest.raises(ValueError, match="0 where there is no edge"):
            Network(data)
    assert Network(table.fillna(0)).n_edges == 4


def test_typographic_marks_are_no_part_of_names(tmp_path: pathlib.Path) -> None:
    path, *tables = _all("source,target\n“Anna”,„Bo“\n„Bo“,Cleo\n", tmp_path)
    assert Network(path).nodes == ["Anna", "Bo", "Cleo"]
    for table in tables:
        with pytest.warns(UserWarning, match="typographic quotation marks"):
            Network(table)


def test_columns_that_are_not_there_are_named() -> None:
    table = pandas.DataFrame([[5, 1, 2], [6, 2, 3]])
    with pytest.raises(ValueError, match=r"the table has no column 3 for target: there are 0, 1, 2"):
        Network(table, source=2, target=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the table has the column 2 for two things"):
        Network(table, source=2, target=2)  # type: ignore[arg-type]
    assert Network(table, source=1, target=2).nodes == [1, 2, 3]  # type: ignore[arg-type]


def test_labels_of_networkx_are_noted(tmp_path: pathlib.Path) -> None:
    graph = networkx.Graph([(0, 1), (1, 2)])
    networkx.set_node_attributes(graph, {0: "ann", 1: "bob", 2: "cleo"}, "label")
    path = tmp_path / "x.graphml"
    networkx.write_graphml(graph, path)
    read = networkx.read_graphml(path)
    with pytest.warns(UserWarning, match="each has its own 'label'"):
        assert Network(read).nodes == ["0", "1", "2"]
    assert Network(read, ids=False) == Network(path)
    assert Network.from_networkx(read, ids=True).nodes == ["0", "1", "2"]
    networkx.set_node_attributes(graph, {0: "0", 1: "1", 2: "2"}, "label")
    assert Network(graph).nodes == [0, 1, 2]


def test_no_strength_is_below_zero() -> None:
    network = Network([("a", "b", 2.5)], directed=True)
    assert not np.any(np.signbit(network.strength()))


def test_named_levels_of_an_index_are_columns_as_in_files(tmp_path: pathlib.Path) -> None:
    table = pandas.DataFrame({"source": [1, 2, 3], "target": [2, 3, 1], "group": [7, 7, 8]})
    indexed = table.set_index("source")
    path = tmp_path / "x.csv"
    indexed.to_csv(path)
    for data in (indexed, path, table):
        with pytest.warns(UserWarning, match="column `group` is ignored"):
            network = Network(data)
        assert network.nodes == [1, 2, 3] and network.n_edges == 3
    counts = Network(pandas.concat([table, table]).groupby(["source", "target"]).size().to_frame("weight"))
    assert counts.n_edges == 3 and counts.to_scipy().sum() == 12
    times = pandas.DatetimeIndex(["2020-01-01", "2020-01-02", "2020-01-03"], name="time")
    contacts = pandas.DataFrame({"i": [1, 1, 2], "j": [2, 2, 3]}, index=times)
    with pytest.warns(UserWarning, match="1 row repeats an edge"):
        Network(contacts)
    assert repr(TimedEdges(contacts)) == "TimedEdges(3 rows, 3 nodes, 2020-01-01 to 2020-01-03)"


@pytest.mark.parametrize("name", ["Time (s)", "timestamp:long", "t", "Date"])
def test_columns_of_times_are_those_of_files(name: str, tmp_path: pathlib.Path) -> None:
    table = pandas.DataFrame({"source": [1, 2], "target": [2, 3], name: [5, 6]})
    path = tmp_path / "x.csv"
    table.to_csv(path, index=False)
    assert repr(TimedEdges(table)) == repr(TimedEdges(path)) == "TimedEdges(2 rows, 3 nodes, 5 to 6)"
