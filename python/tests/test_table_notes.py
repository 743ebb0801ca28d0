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
        ("time,i,j\n1,10,11\n2,10,11\n3,11,12\n4,10,11\n", "2 rows repeat edges in either direction, each of which counts once"),
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
    with pytest.warns(UserWarning, match=r"whose weights are added up \(`TimedEdges` with time=\"time\" keeps times apart\)$"):
        assert Network(table.assign(weight=1)).weight(10, 11) == 2.0
    with pytest.warns(UserWarning, match=r"counts them; so does `TimedEdges` with time=\"time\" weighted=True\)$"):
        Network(table)
    # Without names the column is known by its values.
    contacts = pandas.DataFrame([[1503435956.5, 1, 2], [1503435957.25, 1, 2]])
    with pytest.warns(UserWarning, match=r"1 row repeats an edge .*; so does `TimedEdges` with time=0 weighted=True\)$"):
        assert Network(contacts, source=1, target=2).n_edges == 1  # type: ignore[arg-type]
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


def _read(reader: Any, data: Any) -> Any:
    """The edges that are read, whether they have directions, and their order where they are given some; or why the table is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            networks = reader(data), reader(data, directed=True)
        except ValueError as error:
            # What files and tables are called, and the settings that files have besides, differ.
            return "refused: " + str(error).partition(" has ")[2].removesuffix(" (directed=False)")
    if isinstance(networks[0], TimedEdges):
        parts = [[one.network for one in network.windows(windows=2)] for network in networks]
        return networks[0].times.tolist(), networks[0].is_directed, [[_edges(part) for part in some if part.n_edges] for some in parts]
    return networks[0].is_directed, *map(_edges, networks)


def _edges(network: Network) -> list[Any]:
    """Edges with ids as they are, in their direction where there is one."""
    ends = [(repr(u), repr(v), w) for u, v, w in network.to_networkx().edges(data="weight")]
    return sorted(ends if network.is_directed else [(*sorted(edge[:2]), edge[2]) for edge in ends])


_WORDS = ["a,b", "b,c", "c,a"]
_NUMBERS = ["1,2", "2,3", "3,1"]
_READ = [
    ("source,target", _WORDS), ("Source,Target", _NUMBERS), ("from,to", _WORDS), ("src,dst", _NUMBERS), ("sender,receiver", _WORDS),
    ("caller,callee", _NUMBERS), ("u,v", _WORDS), ("i,j", _NUMBERS), ("person_1,person_2", _WORDS), ("person,friend", _WORDS), ("node1,node2", _NUMBERS),
    (":START_ID(Person),:END_ID(Person)", _WORDS), ("FromNodeId,ToNodeId", _NUMBERS), ("who,whom", _WORDS), ("foo,bar", _WORDS),
    ("source,target,weight", [row + ",2.5" for row in _WORDS]), ("target,source,Weight", [row + ",2" for row in _NUMBERS]),
    ("u,v,w", [row + ",3" for row in _WORDS]), ("i,j,J", [row + ",1.5" for row in _NUMBERS]), ("u,v,count", [row + ",7" for row in _NUMBERS]),
    ("source,target,minutes", [row + ",12.5" for row in _WORDS]), ("id,source,target", [f"{at},{row}" for at, row in enumerate(_WORDS)]),
    ("id,person,friend", [f"{at},{row}" for at, row in enumerate(_NUMBERS)]), ("edge_id,from,to", [f"e{at},{row}" for at, row in enumerate(_WORDS)]),
    ("source,target,Type", [row + ",Directed" for row in _WORDS]), ("source,target,type", [row + ",friend" for row in _WORDS]),
    ("source,target,directed", [row + ",true" for row in _NUMBERS]), ("source,target,Type,Weight", [row + ",Undirected,2" for row in _WORDS]),
    ("time,i,j", [f"{at},{row}" for at, row in enumerate(_NUMBERS)]), ("i,time,j", ["1,10,2", "2,11,3", "3,12,1"]), ("time,v,w", ["5,1,2", "6,2,3", "7,3,1"]),
    ("head,relation,tail", ["a,likes,b", "b,knows,c", "c,likes,a"]), ("h,r,t", ["1,0,2", "2,1,3", "3,0,1"]),
    ("source,target,from,to", ["a,b,c,d", "b,c,d,e"]), ("source,target,2019", [row + ",5" for row in _WORDS]), ("source,target,2019,2020", [row + ",5,6" for row in _NUMBERS]),
    ("event,person,friend", ["party,a,b", "party,b,c", "work,c,a"]), ("origin,destination,trips", [row + ",30" for row in _NUMBERS]),
    ("employee_id,manager_id,employee_name", ["1,2,ann", "2,3,bob", "3,4,cy"]), ("user,item", ["u1,i1", "u2,i1", "u2,i2"]),
    ("exporter,importer,value", [row + ",3" for row in _WORDS]), ("predator,prey", _WORDS), ("zip_a,zip_z", ["01234,01235", "01235,01236"]),
    ("node1,node2,from,to", [row + ",1999,2001" for row in _NUMBERS]), ("source_id,target_id,from,to", [row + ",1999,2001" for row in _NUMBERS]),
    ("origin,dest,air_time", ["JFK,LAX,320", "LAX,SFO,70"]), ("source,neighbor,distance_km", [row + ",2.5" for row in _WORDS]),
    ("country,destination,tonnes", [row + ",12" for row in _WORDS]), ("leader,follower,n_likes", [row + ",3" for row in _WORDS]),
    ("node1,node2,score,source", [row + ",0.5,STRING" for row in _WORDS]), ("id1,id2,source", [row + ",7" for row in _NUMBERS]),
    ("protein1,protein2,source", [row + ",STRING" for row in _WORDS]), (",0,1,2", ["0,5,7,2.5", "1,7,9,1"]), (",0,1,2", ["0,5,7,2", "1,7,9,1"]),
]
#: Refused for another reason in a file, whose first line may be an edge, or where nothing separates fields.
_OTHERWISE = ("e1,e2,e3", "name")
#: The columns of both ends that are not the first two.
_ENDS = {
    "target,source,Weight": (1, 0), "id,source,target": (1, 2), "id,person,friend": (1, 2), "edge_id,from,to": (1, 2), "time,i,j": (1, 2), "i,time,j": (0, 2),
    "time,v,w": (1, 2), "head,relation,tail": (0, 2), "h,r,t": (0, 2), "event,person,friend": (1, 2), "leader,follower,n_likes": (1, 0), ",0,1,2": (1, 2),
}
_REFUSED = [
    ("sender,messages", ["1,5", "2,7", "3,5"]), ("sender,total", ["a,3.5", "b,4.5", "c,1.5"]), ("user,followers,following", ["ann,10,20", "bob,20,10", "cy,5,7"]),
    ("source,x", ["a,1.5", "b,2.5", "c,3.5"]), ("name,age", ["ann,31", "bob,42", "cy,7"]), ("name,age,city", ["ann,31,Ulm", "bob,42,Bonn", "cy,7,Ulm"]),
    ("user,item", ["1,1", "2,1", "2,3"]), ("e1,e2,e3", ["a,b,c", "b,c,d", "d,e,a"]),
    ("x,y", ["0.5,1.5", "2.5,3.5", "1.25,0.5"]), ("m1,m2", ["0,1", "1,0", "1,1", "0,0"]), ("source_id,target_name", ["1,ann", "2,bob", "3,cy"]),
    ("id,x,y", ["a,1.5,2.5", "b,0.5,2.5", "c,3.5,1.5"]), ("name", ["ann", "bob", "cy"]), ("u,v,from,to", [row + ",1999,2001" for row in _NUMBERS]),
    ("i,j,from,to", [row + ",1999,2001" for row in _NUMBERS]), ("person_a,person_b,from,to", [row + ",1999,2001" for row in _WORDS]),
    ("from,to,from_name,to_name", [row + ",x,y" for row in _NUMBERS]),
]


@pytest.mark.parametrize(("names", "rows", "refused"), [*((*one, False) for one in _READ), *((*one, True) for one in _REFUSED)])
def test_files_and_tables_of_every_library_agree(names: str, rows: list[str], refused: bool, tmp_path: pathlib.Path) -> None:
    text = "\n".join([names, *rows]) + "\n"
    path, *tables = _all(text, tmp_path)
    if "zip" in names:
        # Postal codes are words where their zeros are to stay.
        tables = [pandas.read_csv(io.StringIO(text), dtype=str)]
    of_file = _read(Network, path)
    assert ("refused" in of_file) == refused, of_file
    of_tables = [_read(Network, table) for table in tables]
    if names in _OTHERWISE:
        assert all("refused" in of_table for of_table in of_tables)
    else:
        assert of_tables == [of_file] * len(tables)
    if not refused:
        one, other = _ENDS.get(names, (0, 1))
        ends = [(fields[one], fields[other]) for fields in (row.split(",") for row in rows)]
        words = "zip" in names or not all(id.isdecimal() for pair in ends for id in pair)
        assert [edge[:2] for edge in of_file[2]] == sorted(tuple(repr(id if words else int(id)) for id in pair) for pair in ends)


@pytest.mark.parametrize(
    ("names", "rows", "refused"),
    [
        ("source,target,time", ["a,b,1", "b,c,2", "c,a,3"], False),
        ("time,source,target", ["1,a,b", "2,b,c", "3,c,a"], False),
        ("time,v,w", ["1,5,6", "2,6,7", "3,7,5"], False),
        ("i,time,j", ["5,1,6", "6,2,7", "7,3,5"], False),
        ("when,sender,receiver,weight", ["1,a,b,2", "2,b,c,0.5", "3,c,a,1"], False),
        ("source,target,Type,time", ["a,b,Directed,1", "b,c,Directed,2", "c,a,Directed,3"], False),
        ("source,target,directed,date", ["a,b,false,2020-01-01", "b,c,false,2020-01-02", "c,a,false,2020-01-03"], False),
        ("source,target,op,time", ["a,b,+,1", "b,c,+,2", "a,b,-,3"], False),
        ("source,target,time,2019", ["a,b,1,7", "b,c,2,7", "c,a,3,7"], False),
        ("source,target,2019,2020", ["a,b,1,7", "b,c,2,7", "c,a,3,7"], True),
        ("source,target,x", ["a,b,1", "b,c,2", "c,a,3"], True),
        ("sender,messages,time", ["a,4,1", "b,5,2", "c,7,3"], True),
        ("person,friend,group,time", ["a,b,g,1", "b,c,g,2", "c,a,h,3"], False),
        ("source,target,Type,time", ["a,b,Directed,1", "b,c,Undirected,2", "c,a,Directed,3"], True),
    ],
)
def test_times_of_files_and_tables_agree(names: str, rows: list[str], refused: bool, tmp_path: pathlib.Path) -> None:
    path, *tables = _all("\n".join([names, *rows]) + "\n", tmp_path)
    of_file = _read(TimedEdges, path)
    assert ("refused" in of_file) == refused, of_file
    assert [_read(TimedEdges, table) for table in tables] == [of_file] * len(tables)


def test_columns_called_by_numbers_are_those() -> None:
    """`2` is the column of that name and not the second one, and the other way round where columns have no names."""
    table = pandas.DataFrame({"2": ["a", "b"], "1": ["b", "c"], "t": [1.0, 2.0], "3": ["x", "y"]})
    rows = TimedEdges(table, source="3", target="2", time="t")
    assert sorted(str(node) for one in rows.windows(windows=1) for node in one.network.nodes) == ["a", "b", "x", "y"]
    assert sorted(map(str, Network(table, source="3", target="2").nodes)) == ["a", "b", "x", "y"]
    bare = pandas.DataFrame([["a", "b", 1.0], ["b", "c", 2.0]])
    assert TimedEdges(bare).times.tolist() == [1.0, 2.0]
    first = pandas.DataFrame([[1.0, "a", "b"], [2.0, "b", "c"]])
    assert TimedEdges(first, time=0).times.tolist() == [1.0, 2.0]


def test_columns_of_the_same_name_are_refused() -> None:
    table = pandas.DataFrame([["a", "b", 1.0], ["b", "c", 2.0]], columns=["source", "source", "time"])
    for reader in (Network, TimedEdges):
        with pytest.raises(ValueError, match="two columns of the same name"):
            reader(table)


def test_columns_that_are_given_need_no_names_beside_them() -> None:
    table = pandas.DataFrame([["a", "b"], ["b", "c"]], columns=["who", "Unnamed: 1"])
    with pytest.raises(ValueError, match="below a title"):
        Network(table)
    assert Network(table, source="who", target="Unnamed: 1").n_edges == 2


def test_two_kinds_of_nodes_stay_a_doubt_where_columns_are_given(tmp_path: pathlib.Path) -> None:
    # More rows than are compared, so that a number may be in both columns further down.
    text = "user,item,stars\n" + "".join(f"{at},{at + 1000},3\n" for at in range(200))
    path, *tables = _all(text, tmp_path)
    for data in (path, *tables):
        with pytest.warns(UserWarning, match="a number in both of the columns"):
            Network(data, source="user", target="item")


def test_lists_without_names_have_ids_written_in_one_way(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("1 2.0\n2 3.0\n3 1.0\n")
    with pytest.raises(ValueError, match="written in one way"):
        Network(path)


def test_names_in_a_comment_that_are_ambiguous_are_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("#sender receiver recipient\na b c\nb c a\n")
    with pytest.raises(ValueError, match="several columns that could be ends"):
        Network(path)


def test_columns_stay_the_same_next_to_names_of_rows() -> None:
    rows = [["x", "a", "b", 1], ["y", "b", "c", 2]]
    for index in (["r1", "r2"], pandas.to_datetime(["2020-01-01", "2020-01-02"]), None):
        table = pandas.DataFrame(rows, index=index)
        for source, target in ((1, 2), ("2", "3")):
            assert Network(table, source=source, target=target).nodes == ["a", "b", "c"]  # type: ignore[arg-type]
        assert Network(table.set_axis(["p", "q", "r", "n"], axis=1), source="2", target="3").nodes == ["a", "b", "c"]
        weighted = Network(table, source=1, target=2, weight=3)  # type: ignore[arg-type]
        assert weighted.weight("b", "c") == 2.0


def test_signs_of_tables_without_names_remove_edges(tmp_path: pathlib.Path) -> None:
    rows = [["a", "b", "+", 1], ["c", "d", "+", 1], ["a", "b", "-", 2]]
    path = tmp_path / "x.txt"
    path.write_text("\n".join(" ".join(map(str, row)) for row in rows) + "\n")
    for data in (path, rows, pandas.DataFrame(rows)):
        for weighted in (None, False):
            last = TimedEdges(data, weighted=weighted).windows(windows=2)[-1].network
            assert _edges(last) == [("'c'", "'d'", None)]


def test_times_of_tables_without_names_are_given_by_number() -> None:
    table = pandas.DataFrame([[5.0, "a", "b"], [6.0, "b", "c"]])
    for time in (0, "1"):
        assert TimedEdges(table, time=time).times.tolist() == [5.0, 6.0]
    for name in ("time", "4", "0", 3):
        with pytest.raises(ValueError, match=rf"the table has no column {name!r} for time: there are 0, 1, 2$"):
            TimedEdges(table, time=name)
    named = pandas.DataFrame({"a": ["x"], "b": ["y"], "when": [1.0]})
    with pytest.raises(ValueError, match="has no column called `time`: there are `a`, `b`, `when`"):
        TimedEdges(named, time="time")


def test_from_can_be_a_time_where_both_ends_are_given(tmp_path: pathlib.Path) -> None:
    for data in _all("ann,bob,from,to\n1,2,10,11\n2,3,20,21\n", tmp_path):
        assert TimedEdges(data, source="ann", target="bob", time="from").times.tolist() == [10.0, 20.0]
        with pytest.raises(ValueError, match="an end of the edges"):
            TimedEdges(data, time="from")


@pytest.mark.parametrize(("shared", "refused"), [(60, True), (127, True), (128, False)])
def test_as_many_rows_are_looked_at_of_files_and_tables(shared: int, refused: bool, tmp_path: pathlib.Path) -> None:
    text = "sailor_id,ship_id,time\n" + "".join(f"{900 - at},{900 if at == shared else at % 30 + 1},{at}\n" for at in range(300))
    for data in _all(text, tmp_path):
        for reader in (Network, TimedEdges):
            if refused:
                with pytest.raises(ValueError, match="may be two kinds of nodes"):
                    reader(data)
            else:
                with pytest.warns(UserWarning, match="a number in both of the columns"):
                    reader(data)


def test_decimals_of_numbers_separate_no_thousands() -> None:
    table = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.016, 950.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for data in (table, polars.from_pandas(table), table.set_axis([0, 1, 2], axis=1), np.array([[1, 2, 1.016], [2, 3, 950]])):
            assert Network(data).n_edges == 2


@pytest.mark.parametrize("weight", [np.array([1.0, 2.0]), [1.0, 2.0], pandas.Series([1.0, 2.0]), polars.Series([1.0, 2.0]), len])
def test_weights_of_tables_are_a_column(weight: Any) -> None:
    rows = {"source": ["a", "b"], "target": ["b", "c"]}
    for table in (pandas.DataFrame(rows), polars.DataFrame(rows), pandas.DataFrame([["a", "b"], ["b", "c"]])):
        with pytest.raises(TypeError, match="weight must be the name of a column"):
            Network(table, weight=weight)


@pytest.mark.parametrize("rows", [[[5, 7, 2.5], [7, 9, 1.0]], [[5, 7, 2], [7, 9, 3]], [["a", "b"], ["b", "c"]]])
def test_tables_without_names_are_the_same_in_files(rows: list[Any], tmp_path: pathlib.Path) -> None:
    table = pandas.DataFrame(rows)
    path = tmp_path / "x.csv"
    table.to_csv(path)
    expected = Network(table)
    for data in (path, pandas.read_csv(path), polars.read_csv(path)):
        assert Network(data) == expected
        assert Network(data, source="1", target="0") == Network(table, source=1, target=0)  # type: ignore[arg-type]
    square = pandas.DataFrame([[5, 7, 2], [7, 9, 1], [9, 5, 3]])
    square.to_csv(path)
    for data in (path, pandas.read_csv(path), polars.read_csv(path), square.sample(frac=1, random_state=1)):
        with pytest.raises(ValueError, match="adjacency matrix of 3 nodes or 3 edges"):
            Network(data)
    matrix = networkx.to_pandas_adjacency(networkx.path_graph(5))
    matrix.to_csv(path)
    for data in (matrix, path, pandas.read_csv(path), polars.read_csv(path)):
        assert Network(data).n_edges == 4


def test_edges_of_weight_zero_are_warned_of() -> None:
    table = pandas.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "a"], "weight": [1.5, 0.0, 2.0]})
    with pytest.warns(UserWarning, match="table: 1 edge of weight 0 left out"):
        assert Network(table).n_edges == 2
    assert Network(table, weighted=False).n_edges == 3
    graph = networkx.from_pandas_edgelist(table, edge_attr="weight")
    with pytest.warns(UserWarning, match="graph: 1 edge of weight 0 left out"):
        assert Network(graph).n_edges == 2
