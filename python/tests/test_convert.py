"""Every conversion of networks there and back."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import rustworkx as rx
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from ergodict import Network

settings.register_profile("ours", deadline=None, max_examples=40)
settings.load_profile("ours")

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=4)
MIXED = st.one_of(
    st.integers(-5, 5),
    WORDS,
    st.floats(0.1, 0.9),
    st.tuples(st.integers(0, 2), WORDS),
    st.frozensets(st.integers(0, 3)),
)
IDS = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8, unique=True),
    st.lists(st.integers(0, 9), min_size=1, max_size=8, unique=True),
    st.lists(WORDS, min_size=1, max_size=8, unique=True),
    st.lists(st.integers(0, 30).map(str), min_size=1, max_size=8, unique=True),
    st.lists(MIXED, min_size=1, max_size=8, unique=True),
)


@st.composite
def graphs(draw: st.DrawFn) -> nx.Graph:
    """Small graphs, perhaps directed, weighted, with nodes that have no edges."""
    graph = nx.DiGraph() if draw(st.booleans()) else nx.Graph()
    nodes = draw(IDS)
    graph.add_nodes_from(nodes)
    weighted = draw(st.booleans())
    ends = st.tuples(st.sampled_from(nodes), st.sampled_from(nodes))
    for u, v in draw(st.lists(ends, max_size=12)):
        if u != v:
            graph.add_edge(u, v, **({"weight": draw(st.floats(0.25, 8))} if weighted else {}))
    return graph


def same(one: nx.Graph, two: nx.Graph) -> bool:
    """Whether nodes, edges and weights are the same; those that are 1 need not be said."""

    def edges(graph: nx.Graph) -> dict[object, float]:
        key = (lambda u, v: (u, v)) if graph.is_directed() else (lambda u, v: frozenset((u, v)))
        return {key(u, v): w for u, v, w in graph.edges(data="weight", default=1.0)}

    return one.is_directed() == two.is_directed() and set(one) == set(two) and edges(one) == edges(two)


@given(graphs())
def test_networkx_there_and_back(graph: nx.Graph) -> None:
    network = Network(graph)
    assert same(network.to_networkx(), graph)
    assert network == Network.from_networkx(network.to_networkx())
    assert (network.n_nodes, network.n_edges) == (len(graph), graph.number_of_edges())
    assert all(network.degree(v) == len(graph.adj[v]) for v in graph)
    assert all(set(network.neighbors(v)) == set(graph.adj[v]) for v in graph)


@given(graphs())
def test_igraph_and_rustworkx_there_and_back(graph: nx.Graph) -> None:
    network = Network(graph)
    for other in (Network(network.to_igraph()), Network(network.to_rustworkx())):
        assert other == network
        assert other.nodes == network.nodes


@given(graphs())
def test_scipy_and_numpy_there_and_back(graph: nx.Graph) -> None:
    network = Network(graph)
    matrix = network.to_scipy()
    expected = nx.to_numpy_array(graph, nodelist=network.nodes)
    assert np.array_equal(matrix.toarray(), expected)
    for kind in (sp.csr_array, sp.coo_matrix, sp.csc_array, sp.lil_matrix, sp.dok_array, np.array):
        given = matrix.toarray() if kind is np.array else kind(matrix)
        other = Network(given, directed=network.is_directed)
        assert np.array_equal(other.to_scipy().toarray(), expected)


@given(graphs())
def test_tables_there_and_back(graph: nx.Graph) -> None:
    network = Network(graph)
    options = {"nodes": network.nodes, "directed": network.is_directed}
    u, v, w = network.to_edges()
    assert Network.from_edges(u, v, weight=w, **options) == network
    pairs = list(zip(u.tolist(), v.tolist())) if w is None else list(zip(u.tolist(), v.tolist(), w.tolist()))
    assert Network(pairs, **options) == network
    assert Network(network.to_pandas(), **options) == network
    assert Network(network.to_polars(), **options) == network


@given(graphs())
def test_pickles_and_parts_keep_ids(graph: nx.Graph) -> None:
    network = Network(graph)
    again = pickle.loads(pickle.dumps(network))
    assert again == network and again.nodes == network.nodes and again._core.same(network._core)
    largest = network.largest_component()
    parts = [set(part) for part in nx.connected_components(graph.to_undirected())]
    assert sorted(map(len, network.components())) == sorted(map(len, parts))
    assert set(largest.nodes) in parts and len(largest) == max(map(len, parts))
    assert same(largest.to_networkx(), graph.subgraph(largest.nodes))
    # A part of a part.
    some = largest.nodes[: max(1, len(largest) // 2)]
    assert same(largest.subnetwork(some).to_networkx(), graph.subgraph(some))
    assert network.index(network.nodes).tolist() == list(range(len(network)))
    assert network.ids(np.arange(len(network))).tolist() == network.nodes


def test_order_is_that_of_the_command_line() -> None:
    assert Network([(10, 9), (9, -1)]).nodes == [-1, 9, 10]
    assert Network([("10", "9"), ("9", "-1")]).nodes == ["-1", "9", "10"]
    assert Network([("10", "9"), ("9", "a")]).nodes == ["10", "9", "a"]
    assert Network([("é", "z"), ("Z", "a")]).nodes == ["Z", "a", "z", "é"]
    # Anything else is in the order of the data.
    assert Network([(2, "b"), ("a", 1)]).nodes == [2, "b", "a", 1]
    assert Network([(True, 0.5)]).nodes == [True, 0.5]


def test_multigraphs_are_united() -> None:
    graph = nx.MultiGraph()
    graph.add_edge(0, 1, weight=2.0)
    graph.add_edge(1, 0, weight=0.5)
    assert Network(graph).weight(0, 1) == 2.5
    assert Network(nx.MultiGraph([(0, 1), (1, 0), (1, 2)])) == Network([(0, 1), (1, 2)])
    two = rx.PyGraph()
    two.add_nodes_from([0, 1])
    two.add_edges_from([(0, 1, 1.0), (1, 0, 1.0)])
    assert Network(two).weight(0, 1) == 2.0


def test_weights_by_name_and_by_function() -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", strength=3, weight=2)
    graph.add_edge("b", "c", weight=5)
    assert Network(graph, weight="strength").to_edges()[2].tolist() == [3.0, 1.0]
    assert Network(graph).to_edges()[2].tolist() == [2.0, 5.0]
    assert not Network(graph, weighted=False).is_weighted
    with pytest.raises(ValueError, match="no edge of the graph has the attribute 'power'"):
        Network(graph, weight="power")
    ours = rx.PyDiGraph()
    ours.add_nodes_from(["x", "y"])
    ours.add_edge(0, 1, {"weight": 4, "power": 7})
    assert Network(ours).weight("x", "y") == 4 and Network(ours, weight="power").weight("x", "y") == 7
    assert Network(ours, weight=lambda payload: payload["power"] + 1).weight("x", "y") == 8
    theirs = igraph.Graph(edges=[(0, 1)], directed=True)
    theirs.es["weight"] = [None]
    with pytest.raises(TypeError, match="a weight is None, but it must be a number"):
        Network(theirs)


def test_lists_as_networkx_has_them_and_iterators() -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=2.5, color="red")
    graph.add_edge("b", "c", weight=1.5)
    assert Network(graph.edges(data=True)) == Network(graph) == Network(graph.edges(data="weight"))
    assert Network(graph.edges) == Network(iter(list(graph.edges))) == Network(set(graph.edges))
    assert Network(nx.path_graph(3).edges(data=True)) == Network(nx.path_graph(3))
    assert Network(pl.DataFrame({"a": [0, 1], "b": [1, 2]}).lazy()) == Network(nx.path_graph(3))


def test_removed_nodes_of_rustworkx_and_repeated_names() -> None:
    graph = rx.PyGraph()
    graph.add_nodes_from(["a", "b", "c", "d"])
    graph.add_edges_from_no_data([(0, 3), (2, 3)])
    graph.remove_node(1)
    assert Network(graph) == Network([("a", "d"), ("c", "d")])
    graph[0] = "c"
    # Payloads that do not distinguish nodes are replaced by indices.
    assert Network(graph).nodes == [0, 2, 3]


def test_tables_by_columns() -> None:
    columns = {"year": [1, 2], "source": ["x", "y"], "target": ["y", "z"], "weight": [1.0, 2.0], "n": [3, 4]}
    for table in (pd.DataFrame(columns), pl.DataFrame(columns)):
        assert Network(table) == Network([("x", "y", 1.0), ("y", "z", 2.0)])
        assert Network(table, weight="n").to_edges()[2].tolist() == [3.0, 4.0]
        assert Network(table, source="year", target="n", weighted=False).nodes == [1, 2, 3, 4]
        with pytest.raises(ValueError, match="the table has no column called `height`"):
            Network(table, weight="height")
        # What is not given is found by its name.
        assert Network(table, source="n").nodes == Network(table, source="n", target="target").nodes
    with pytest.raises(ValueError, match="missing values"):
        Network(pd.DataFrame({"a": ["x", None], "b": ["y", "z"]}))
    with pytest.raises(ValueError, match="missing values"):
        Network(pl.DataFrame({"a": [1, None], "b": [3, 4]}))
    with pytest.raises(ValueError, match="1 columns"):
        Network(pd.DataFrame({"a": [1]}))


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "<i8", ">i8", "f4", "f8"])
def test_edge_arrays_of_any_type_and_layout(dtype: str) -> None:
    edges = np.array([[5, 7], [7, 9], [9, 5], [9, 11]])
    expected = Network(edges.tolist())
    array = edges.astype(dtype)
    assert Network(array) == expected
    assert Network(np.asfortranarray(array)) == expected
    assert Network(np.repeat(array, 2, axis=0)[::2]) == expected
    array.setflags(write=False)
    assert Network(array) == expected


def test_square_arrays_are_matrices_unless_they_could_be_edges() -> None:
    assert Network(np.array([[0, 2.0], [0, 0]])).is_directed
    assert Network(np.array([[0, 1], [1, 0]])) == Network([(0, 1)])
    assert Network(np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]])) == Network([(0, 1, 2), (1, 2, 1)])
    assert Network(np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.1], [0.2, 0.1, 1.0]])).n_edges == 3
    two, three = np.array([[0, 1], [1, 2]]), np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])
    timed = np.array([[1, 2, 1, 100], [2, 3, 1, 200], [3, 4, 1, 300], [4, 1, 1, 400]])
    for array in (two, three, timed):
        n = len(array)
        words = f'array: has {n} rows of {n} numbers, .* matrix of {n} nodes or {n} edges: say which .format="adjacency" or "edges".'
        with pytest.raises(ValueError, match=words):
            Network(array)
        assert Network(array, format="adjacency").n_nodes == n
    assert Network(two, format="adjacency", loops=True) == Network([(0, 1, 1), (1, 1, 2)], loops=True)
    assert Network(two, format="edges") == Network.from_edges(two) == Network([(0, 1), (1, 2)])
    assert Network(three, format="edges") == Network.from_edges(three) == Network([(0, 1, 2), (1, 2, 3), (2, 3, 4)])
    with pytest.raises(ValueError, match="it must be .m, 2. or .m, 3."):
        Network(timed, format="edges")
    with pytest.raises(ValueError, match="format is 'rows', but it must be auto, edges or adjacency"):
        Network(two, format="rows")


MATRIX = [[0, 1, 0], [1, 0, 2], [0, 2, 0]]


def _adjacency_tables() -> dict[str, Any]:
    named = pd.DataFrame(MATRIX, index=list("cab"), columns=list("cab"))
    rows = {"c": MATRIX[0], "a": MATRIX[1], "b": MATRIX[2]}
    return {
        "names twice": named,
        "named index": named.rename_axis("node"),
        "another order": named[["a", "b", "c"]],
        "floats": named.astype(float),
        "names in a column": pd.DataFrame({"Unnamed: 0": list("cab"), **rows}),
        "polars": pl.DataFrame({"node": list("cab"), **rows}),
    }


@pytest.mark.parametrize("name", list(_adjacency_tables()))
def test_tables_with_the_same_names_twice_are_adjacency_matrices(name: str) -> None:
    expected = Network([("a", "c", 1.0), ("a", "b", 2.0)])
    network = Network(_adjacency_tables()[name])
    assert network == expected and network.nodes == ["a", "b", "c"]


def test_square_tables_are_refused_where_they_could_be_edges() -> None:
    # As read_csv reads them with the names of rows, of which it makes numbers, but not of those of columns.
    table = pd.DataFrame(MATRIX, index=[7, 8, 9], columns=["7", "8", "9"])
    assert Network(table) == Network([("7", "8", 1.0), ("8", "9", 2.0)])
    assert Network(pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "b"])) == Network([("a", "b")])
    # Without names it could be three edges.
    for unnamed in (pd.DataFrame(MATRIX), pl.DataFrame(MATRIX, orient="row", schema=["p", "q", "r"])):
        with pytest.raises(ValueError, match='table: has 3 rows of 3 numbers, .*say which .format="adjacency" or "edges".'):
            Network(unnamed)
        assert Network(unnamed, format="adjacency").n_edges == 2
    with pytest.warns(UserWarning, match="2 edges of weight 0 left out"):
        assert Network(pd.DataFrame(MATRIX), format="edges") == Network([(0, 1, 0), (1, 0, 2), (0, 2, 0)], nodes=[0, 1])
    timed = pd.DataFrame([[1, 2, 1, 100], [2, 3, 1, 200], [3, 4, 1, 300], [4, 1, 1, 400]])
    with pytest.raises(ValueError, match="4 edges: say that it is a matrix, or give the columns of the ends as source and target"):
        Network(timed)
    assert Network(timed, source=0, target=1, weighted=False) == Network([(1, 2), (2, 3), (3, 4), (4, 1)])  # type: ignore[arg-type]
    assert Network(timed, format="adjacency").n_nodes == 4
    # Four nodes, symmetric: no list looks so.
    assert Network(pd.DataFrame(np.ones((4, 4)) - np.eye(4))).n_edges == 6
    missing = pd.DataFrame([[np.nan, 1.0], [1.0, np.nan]], index=["a", "b"], columns=["a", "b"])
    with pytest.raises(ValueError, match="missing"):
        Network(missing)
    with pytest.raises(ValueError, match="adjacency matrix is square"):
        Network(pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6]}), format="adjacency")


def test_what_is_empty_is_refused_as_an_empty_file_is(tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("source,target\n", encoding="utf-8")
    columns: dict[str, list[int]] = {"source": [], "target": []}
    graphs = igraph.Graph(), rx.PyGraph()
    for data in (empty, pd.DataFrame(), pd.DataFrame(columns), pl.DataFrame(columns), nx.Graph(), [], np.zeros((0, 2), dtype=int), *graphs):
        with pytest.raises(ValueError, match="holds no (node and no )?edge"):
            Network(data)
    with pytest.raises(ValueError, match="at least one node"):
        Network(np.zeros((0, 0)))
    assert Network([], nodes=[1, 2]).n_nodes == 2 and Network(nx.empty_graph(3)).n_nodes == 3


def test_weights_that_are_text_are_numbers_or_are_refused_by_name() -> None:
    # As graphs are that networkx reads from DOT by pydot.
    graph = nx.Graph()
    graph.add_edge("a", "b", weight="1.5")
    graph.add_edge("b", "c", weight='"2"')
    graph.add_edge("c", "d")
    assert Network(graph) == Network([("a", "b", 1.5), ("b", "c", 2.0), ("c", "d", 1.0)])
    graph.add_edge("c", "d", weight="strong")
    with pytest.raises(TypeError, match="the attribute 'weight' of an edge is 'strong', but a weight must be a number"):
        Network(graph)


WRONG = [
    (lambda: Network([(0, 1, -1.0)]), ValueError, "has the weight -1: weights of a network must be"),
    (lambda: Network([(0, 1, np.nan)]), ValueError, "a weight is NaN, but it must be a finite number"),
    (lambda: Network([(0, 1, np.inf)]), ValueError, "a weight is inf"),
    (lambda: Network([(0, 1, "x")]), TypeError, "a weight is"),
    (lambda: Network([(0, 1, 10**400)]), ValueError, "beyond the range of numbers"),
    (lambda: Network(nx.path_graph(2), weight=3), TypeError, "weight must be the name of an edge attribute"),
    (lambda: Network("@karate", directed="yes"), TypeError, "bool"),
    (lambda: Network([(0, 1), (1, 2, 0.5)]), ValueError, "1 of 2 edges have a weight"),
    (lambda: Network([(0, 1, 2, 3)]), TypeError, "edge 0 is"),
    (lambda: Network(["ab"]), TypeError, "edge 0 is 'ab'"),
    (lambda: Network([([], 1)]), TypeError, "hashable"),
    (lambda: Network(5), TypeError, "int is no network"),
    (lambda: Network(None), TypeError, "NoneType is no network"),
    (lambda: Network(b"ab"), TypeError, "bytes is no network"),
    (lambda: Network(np.zeros((3, 4))), ValueError, "shape"),
    (lambda: Network(np.zeros(4)), ValueError, "shape"),
    (lambda: Network(sp.csr_array([[0, np.nan], [1, 0]])), ValueError, "has NaN at"),
    (lambda: Network(sp.csr_array([[0, -2.0], [1, 0]])), ValueError, "has the weight -2"),
    (lambda: Network(sp.csr_array(np.ones((2, 3)))), ValueError, "the matrix of a network is square"),
    (lambda: Network(sp.csr_array(np.ones((2, 2), dtype=complex))), TypeError, "dtype complex128"),
    (lambda: Network(sp.coo_array((2**33, 2**33))), ValueError, "fewer than 2³²"),
    (lambda: Network(sp.coo_array((2**31, 2**31))), ValueError, "isolated nodes"),
    (lambda: Network([(0, 1)], weighted=True), ValueError, "has no weights, which are wanted"),
    (lambda: Network(np.array([[0.5, np.nan]])), ValueError, "an id is NaN"),
    (lambda: Network.from_edges([0, 1], [1]), ValueError, "columns of one length"),
    (lambda: Network.from_edges([0, 1], [1, 2], weight=[1.0]), ValueError, "there are 2 edges"),
    (lambda: Network([(0, 1)], weight="weight"), TypeError, "weight is a name"),
]


@pytest.mark.parametrize("at", range(len(WRONG)))
def test_what_is_wrong_is_said(at: int) -> None:
    make, kind, words = WRONG[at]
    with pytest.raises(kind, match=words.replace("(", r"\(")):
        make()


def test_edges_are_decided_on_as_in_files() -> None:
    listed = Network([(0, 1, 2.0), (1, 0, 1.5), (1, 1, 5.0), (2, 0, 0.0)])
    assert listed.weight(0, 1) == 3.5 and listed.n_loops == 0 and listed.n_nodes == 3
    assert "1 loop dropped" in str(listed.decisions) and "1 zero weight left out" in str(listed.decisions)
    both = Network([(0, 1, 2.0), (1, 0, 2.0)])
    assert both.weight(0, 1) == 2.0 and "both directions" in str(both.decisions)
    assert Network([(0, 1), (1, 1)], loops=True).n_loops == 1
    assert Network([(0, 1), (1, 0)], directed=True).n_edges == 2
    assert Network(nx.path_graph(3), directed=True).n_edges == 4
    assert Network(nx.DiGraph([(0, 1), (1, 2)]), directed=False) == Network(nx.path_graph(3))


def test_ids_of_several_kinds_in_columns_stay_what_they_are() -> None:
    network = Network.from_edges([1, "a"], ["b", 2])
    assert set(network.nodes) == {1, "a", "b", 2} and network.weight(1, "b") == 1
    assert set(Network.from_edges(("x", 2.5), ("y", "x")).nodes) == {"x", 2.5, "y"}
    assert set(Network.from_edges([b"x", "x"], ["y", "y"]).nodes) == {b"x", "x", "y"}


@pytest.mark.parametrize(
    ("data", "more", "name"),
    [
        ("@karate", {"weight": "weight"}, "weight"),
        ("@karate", {"nodes": [1]}, "nodes"),
        (nx.path_graph(3), {"nodes": [7]}, "nodes"),
        (nx.path_graph(3), {"source": "u", "target": "v"}, "source"),
        (igraph.Graph.Ring(3), {"nodes": [7]}, "nodes"),
        (rx.generators.path_graph(3), {"nodes": [7]}, "nodes"),
        (sp.csr_array(np.eye(3)), {"weight": "weight"}, "weight"),
        (sp.csr_array(np.eye(3)), {"nodes": [7]}, "nodes"),
        (np.ones((4, 4)), {"weight": [1.0]}, "weight"),
        (np.ones((4, 4)), {"nodes": [7]}, "nodes"),
        ([(0, 1)], {"target": "v"}, "target"),
        (Network([(0, 1)]), {"weight": "weight"}, "weight"),
        (Network([(0, 1)]), {"nodes": [7]}, "nodes"),
        (Network([(0, 1)]), {"source": "u"}, "source"),
    ],
)
def test_arguments_that_do_not_apply_are_refused(data: object, more: dict[str, object], name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is given, but it has no meaning for"):
        Network(data, **more)


def test_a_network_loses_its_loops_on_request() -> None:
    network = Network([(0, 0, 2.0), (0, 1, 3.0), ("x", "x", 1.0)], loops=True)
    assert network.n_loops == 2 and Network(network).n_loops == 2 and Network(network, loops=True).n_loops == 2
    bare = Network(network, loops=False)
    assert bare.n_loops == 0 and bare.nodes == network.nodes and bare.weight(0, 1) == 3.0
    assert not Network(network, loops=False, weighted=False).is_weighted
    arcs = Network([(0, 0), (0, 1)], loops=True, directed=True)
    assert Network(arcs, loops=False).is_directed and Network(arcs, loops=False).n_edges == 1
    assert Network([(0, 0), (0, 1)]).n_loops == 0


def test_arrays_that_are_not_aligned_are_networks_too() -> None:
    def unaligned(values: object) -> np.ndarray:
        array = np.asarray(values)
        raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
        found = raw[1:].view(array.dtype).reshape(array.shape)
        found[...] = array
        assert not found.flags.aligned
        return found

    weights = [1.5, 2.5]
    expected = Network.from_edges([5, 6], [6, 7], weight=weights)
    assert Network.from_edges(unaligned([5, 6]), unaligned([6, 7]), weight=unaligned(weights)) == expected
    coo = sp.coo_array((np.array(weights), (np.array([0, 1]), np.array([1, 2]))), shape=(3, 3))
    odd = coo.copy()
    odd.data = unaligned(weights)
    assert Network(odd) == Network(coo)
    dense = coo.toarray()
    assert Network(unaligned(dense)) == Network(coo)


def test_ids_are_made_an_array_of_once() -> None:
    network = Network([("a", "b"), ("b", "c")])
    network.ids([0])
    kept = network._own_array
    found = network.ids([1, 2])
    found[0] = "changed"
    assert network._own_array is kept and network.ids([1, 2]).tolist() == ["b", "c"]
    assert pickle.loads(pickle.dumps(network)).ids([2]).tolist() == ["c"]


def test_a_square_table_with_the_same_names_on_both_sides_is_a_matrix() -> None:
    for graph in (nx.les_miserables_graph(), nx.karate_club_graph(), nx.gn_graph(9, seed=1)):
        assert Network(nx.to_pandas_adjacency(graph)) == Network(graph)
    # Other tables are edges, whatever their shape.
    with pytest.warns(UserWarning, match="`c`"):
        assert Network(pd.DataFrame({"a": [1, 2, 3], "b": [2, 3, 4], "c": [5, 5, 5]})).n_edges == 3


def test_edges_in_two_rows_are_read_or_refused() -> None:
    ring = np.array([[0, 1, 2, 3], [1, 2, 3, 0]])
    for data in (ring, ring.tolist()):
        network = Network(data)
        assert (network.n_nodes, network.n_edges) == (4, 4)
    assert Network(ring, weight=[1, 2, 3, 4]).is_weighted
    for data in (ring[:, :3], ring[:, :3].tolist()):
        with pytest.raises(ValueError, match="two edges with weights .* or the ends of three edges"):
            Network(data)
        assert Network(data, format="edges").n_edges == 2
    # Weights that are no integers, and edges as networkx lists them, are what they look like.
    assert Network(np.array([[0, 1, 0.5], [1, 2, 0.25]])).is_weighted
    assert Network([(0, 1, 2), (1, 2, 3)]).n_edges == 2


def test_lists_of_rows_are_matrices_where_that_is_certain() -> None:
    path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    assert (Network(path).n_nodes, Network(path).n_edges) == (4, 3)
    with pytest.raises(ValueError, match="could be the adjacency matrix of 3 nodes or 3 edges"):
        Network([row[:3] for row in path[:3]])
    assert Network([row[:3] for row in path[:3]], format="adjacency").n_edges == 2
    assert Network([[0, 1], [1, 2]]).n_edges == 2
    assert Network([["a", "b"], ["b", "c"]]).n_edges == 2


class Tensor:
    """An array of another library, which hands out entries that are equal to nothing but themselves."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array

    def __iter__(self) -> Any:
        return iter([[object(), object()] for _ in self.array])


def test_arrays_of_other_libraries_are_arrays() -> None:
    assert Network(Tensor([[0, 1], [1, 2], [2, 0]])).nodes == [0, 1, 2]


def test_what_is_no_network_is_refused() -> None:
    bits = np.array([[1, 0], [0, 1], [1, 1], [0, 1], [1, 0]])
    for data, words in [
        (bits, "incidence matrix"),
        (pd.DataFrame({"tea": [3, 1, 0], "coffee": [0, 2, 5]}, index=["ann", "bob", "cleo"]), "names of rows and numbers"),
        (pd.DataFrame({"source": [1, 2], "target": ["2", "3"]}), "integers as text"),
        (pd.DataFrame([["a", "b"]], columns=["x", "x"]), "same name"),
        (np.ma.masked_array(np.eye(4), np.eye(4) > 0), "masked entries"),
        ([("a", float("nan")), ("b", "c")], "an id is nan"),
        ([("a", ""), ("b", "c")], "an id is ''"),
    ]:
        with pytest.raises(ValueError, match=words):
            Network(data)
    assert Network(bits, format="edges").n_nodes == 2
    # Other indices than row numbers are no matter where names say what columns are.
    assert Network(pd.DataFrame({"source": [1, 2], "target": [2, 3]}, index=["x", "y"])).n_edges == 2


def test_tables_may_hold_anything_besides_their_ends() -> None:
    ends = {"source": ["a", "b"], "target": ["b", "c"]}
    for extra in (pd.array(["x", pd.NA], dtype="string"), [np.zeros(2), np.ones(3)], pd.to_datetime(["2020-01-01", None]), [None, 1.5]):
        with pytest.warns(Warning, match="column `more` is ignored"):
            assert Network(pd.DataFrame({**ends, "more": extra})).n_edges == 2
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    assert Network(pd.DataFrame({"u": [1, 2], "v": [2, 3]}, index=days)).n_edges == 2
    large = [[2**53, 2**53 + 1, 1, 2], [1, 2, 3, 2**53 + 3]]
    assert Network(large).n_nodes == 6


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_tables_of_other_things_are_refused(library: Any) -> None:
    people = ["Ann", "Bob", "Cat", "Dan", "Eve"]
    for columns, words in [
        ({"name": people, "e1": [1, 0, 1, 0, 1], "e2": [0, 1, 1, 0, 0], "e3": [1, 1, 0, 1, 0]}, "incidence table"),
        ({"userId": [1, 1, 2], "movieId": [1, 3, 1], "rating": [4.0, 3.5, 1.0]}, "two kinds of nodes"),
        ({"Id": [1, 2, 3], "Name": people[:3], "Age": [34, 27, 51]}, "`Id`, `Name`, `Age`"),
        ({"1": [2, 3], "2": [3, 4]}, "look like its first edge"),
        ({"Ann": ["Bob", "Cat"], "Bob": ["Cat", "Dan"]}, "look like its first edge"),
    ]:
        with pytest.raises(ValueError, match=words):
            Network(library.DataFrame(columns))
    assert Network(library.DataFrame({"1": [2, 3], "2": [3, 4]}), source="1", target="2").n_edges == 2
    assert Network(library.DataFrame({"user": ["a", "b"], "item": ["x", "x"]})).n_edges == 2


def test_dictionaries_are_networks_of_neighbors_or_of_weights() -> None:
    graph = nx.path_graph(["a", "b", "c"])
    network = Network(nx.to_dict_of_lists(graph))
    assert sorted(map(sorted, network.to_networkx().edges)) == [["a", "b"], ["b", "c"]]
    assert Network({1: [], 2: [3]}).n_nodes == 3
    weighted = Network({("a", "b"): 2.5, ("b", "c"): 1.0})
    assert sorted(weighted.to_networkx().edges(data="weight")) == [("a", "b", 2.5), ("b", "c", 1.0)]
    with pytest.raises(TypeError, match="node_link_graph"):
        Network(nx.node_link_data(graph, edges="links"))
    with pytest.raises(TypeError, match="DataFrame"):
        Network([{"source": 1, "target": 2}])
