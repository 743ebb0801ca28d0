"""Files of networkx and others, read and written; tables by the rules of files."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Callable

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.io
import scipy.sparse as sp

from ergodict import Network

WRITERS: dict[str, Callable[[nx.Graph, Path], object]] = {
    "graphml": lambda graph, path: nx.write_graphml_xml(graph, path),
    "gexf": lambda graph, path: nx.write_gexf(graph, path),
    "gml": lambda graph, path: nx.write_gml(graph, path),
    "net": lambda graph, path: nx.write_pajek(graph, path),
    "dot": lambda graph, path: nx.nx_pydot.write_dot(_quoted(graph), path),
    "links.json": lambda graph, path: path.write_text(json.dumps(nx.node_link_data(graph, edges="links"))),
    "edges.json": lambda graph, path: path.write_text(json.dumps(nx.node_link_data(graph, edges="edges"))),
    "cyjs": lambda graph, path: path.write_text(json.dumps(nx.cytoscape_data(graph))),
}


def generated(seed: int) -> nx.Graph:
    """A small graph: directed or not, perhaps with weights, parallel edges, loops and names that need quoting."""
    chance = random.Random(seed)
    kind = chance.choice([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
    graph = kind()
    words = ["ann", "b c", "d&e", "f<g>", 'h"i', "j'k", "Ünï", "日本", "x,y", "z;w", "#q", "[r]"]
    names: list[Any] = list(range(chance.randint(2, 9))) if chance.random() < 0.5 else words[: chance.randint(2, 12)]
    graph.add_nodes_from(names)
    weighted = chance.random() < 0.5
    for _ in range(chance.randint(1, 20)):
        u, v = chance.choice(names), chance.choice(names)
        graph.add_edge(u, v, **({"weight": chance.choice([0.5, 1.25, 2.0, 3.0])} if weighted else {}))
    return graph


def _quoted(graph: nx.Graph) -> nx.Graph:
    """The graph with ids as pydot takes them: it leaves all but plain words to the caller."""
    return nx.relabel_nodes(graph, {name: '"' + str(name).replace('"', '\\"') + '"' for name in graph if not str(name).isalnum()})


def edges(network: Network) -> dict[tuple[str, ...], float]:
    """The edges by the text of their ends."""
    u, v, weights = network._core.edges()
    names = [str(name) for name in network.nodes]
    key = (lambda a, b: (a, b)) if network.is_directed else (lambda a, b: tuple(sorted((a, b))))
    return {key(names[a], names[b]): w for a, b, w in zip(u.tolist(), v.tolist(), weights.tolist())}


@pytest.mark.parametrize("suffix", WRITERS)
def test_files_of_networkx_are_the_graphs_they_were(suffix: str, tmp_path: Path) -> None:
    read = 0
    for seed in range(60):
        graph = generated(seed)
        path = tmp_path / f"{seed}.{suffix}"
        if suffix == "net" and any(not str(name).isalnum() for name in graph):
            # Pajek has no way to write a quotation mark, and networkx writes names with commas bare.
            graph = nx.relabel_nodes(graph, {name: f"n{at}" for at, name in enumerate(graph)})
        WRITERS[suffix](graph, path)
        found, expected = Network(str(path), loops=True), Network(graph, loops=True)
        assert found.is_directed == expected.is_directed, (suffix, seed)
        assert {str(name) for name in found.nodes} == {str(name) for name in expected.nodes}, (suffix, seed)
        if suffix == "net":
            # Pajek's edges always have weights, so that parallel ones add up.
            assert edges(found).keys() == edges(expected).keys(), (suffix, seed)
        else:
            assert edges(found) == edges(expected), (suffix, seed)
        read += 1
    assert read == 60


@pytest.mark.parametrize("suffix", ["graphml", "json"])
def test_networkx_reads_what_is_written(suffix: str, tmp_path: Path) -> None:
    for seed in range(60):
        network = Network(generated(seed), loops=True)
        path = tmp_path / f"{seed}.{suffix}"
        network.write(str(path))
        if suffix == "graphml":
            graph = nx.read_graphml(path)
        else:
            graph = nx.node_link_graph(json.loads(path.read_text()), edges="edges")
        assert graph.is_directed() == network.is_directed
        found = Network(graph, loops=True)
        assert edges(found) == edges(network), seed
        assert Network(str(path), loops=True) == network, seed


@pytest.mark.parametrize("compressed", [False, True])
def test_matrices_of_matlab(compressed: bool, tmp_path: Path) -> None:
    for seed in range(20):
        chance = np.random.default_rng(seed)
        n = int(chance.integers(2, 30))
        dense = chance.integers(0, 3, (n, n)) * (chance.random((n, n)) < 0.3)
        dense = dense + dense.T if seed % 2 else dense
        dense[0, 1] = 1
        matrix = sp.csc_matrix(dense.astype(float)) if seed % 3 else dense
        path = tmp_path / f"{seed}.mat"
        info = np.zeros((n, n + 1))
        scipy.io.savemat(path, {"A": matrix, "local_info": info}, do_compression=compressed)
        assert Network(str(path)) == Network(np.asarray(dense, dtype=float)), seed


#: Tables as programs and people write them, with nodes, edges, and whether these have directions and weights.
TABLES: dict[str, tuple[str, int, int, bool, bool]] = {
    "header that is on no list": ("person,friend\nann,bob\nbob,cleo\ncleo,ann\ncleo,dan\n", 4, 4, False, False),
    "leading id": ("id,person,friend\n0,ann,bob\n1,bob,cleo\n", 3, 2, False, False),
    "Gephi, undirected": ("Source,Target,Type,Id,Weight\n1,2,Undirected,0,2\n2,3,Undirected,1,3\n", 3, 2, False, True),
    "Gephi, directed": ("Source,Target,Type,Id,Weight\n1,2,Directed,0,2\n2,1,Directed,1,3\n", 2, 2, True, True),
    "Gephi, label and timeset": ("Source,Target,Type,Id,Label,timeset,Weight\n1,2,Undirected,0,,,2\n2,3,Undirected,1,,,3\n", 3, 2, False, True),
    "Cytoscape": ("source,interaction,target,weight\na,pp,b,1.5\nb,pp,c,2\n", 3, 2, False, True),
    "igraph": ("from,to,strength\na,b,2\nb,c,3\n", 3, 2, False, True),
    "igraph, row names of R": ('"","from","to","weight"\n"1","a","b",2\n"2","b","c",3\n', 3, 2, False, True),
    "Neo4j": (":START_ID,:END_ID,:TYPE\na,b,KNOWS\nb,c,KNOWS\n", 3, 2, False, False),
    "Neo4j, types": (":START_ID(P),since:int,:END_ID(P),:TYPE,weight:double\na,2001,b,KNOWS,2.5\nb,2002,c,KNOWS,1\n", 3, 2, False, True),
    "SNAP": ("FromNodeId,ToNodeId\n1,2\n2,3\n", 3, 2, False, False),
    "column directed": ("source,target,directed\na,b,true\nb,a,true\n", 2, 2, True, False),
    "adjacency matrix with names": (",a,b,c\na,0,1,1\nb,1,0,0\nc,1,0,0\n", 3, 2, False, False),
}


#: Files that only files can be: with comments, attributes or line ends of several systems.
FILES: dict[str, tuple[str, int, int, bool, bool]] = {
    "SNAP, undirected": ("# Undirected graph: ../../data/output/a.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n7\t8\n8\t9\n", 3, 2, False, False),
    "SNAP, directed": ("# Directed graph: a.txt\n# FromNodeId\tToNodeId\n7\t8\n8\t7\n", 2, 2, True, False),
    # Above networks of co-authors, too, whose edges are there in both directions.
    "SNAP, pairs": ("# Directed graph (each unordered pair of nodes is saved once): a.txt\n7\t8\n8\t7\n", 2, 1, False, False),
    "Konect, directed": ("% asym unweighted\n% 3 3 3\n1 2\n2 1\n2 3\n", 3, 3, True, False),
    "Konect, undirected, weights": ("% sym positive\n1 2 3\n2 3 1\n", 3, 2, False, True),
    "Konect, weights and times": ("% asym posweighted\n1\t2 3 1082040961\n2\t3 1 1082155839\n", 3, 2, True, True),
    "networkx, attributes": ("a b {'weight': 2.0}\nb c {'weight': 1.5}\n", 3, 2, False, True),
    "line ends of three systems": ("source,target\r\na,b\rb,c\nc,d\r\n", 4, 3, False, False),
    "byte order mark, semicolons": ("\ufeffSource;Target;Weight\na;b;2\nb;c;3\n", 3, 2, False, True),
    "adjacency matrix without names": ("0 1 0 1\n1 0 1 0\n0 1 0 0\n1 0 0 0\n", 4, 3, False, False),
}


@pytest.mark.parametrize("dialect", FILES)
def test_files_of_every_dialect_are_the_same_from_both_sides(cli: Callable[..., Any], dialect: str, tmp_path: Path) -> None:
    text, *expected = FILES[dialect]
    path = tmp_path / "edges.txt"
    path.write_bytes(text.encode())
    network = Network(path)
    assert [network.n_nodes, network.n_edges, network.is_directed, network.is_weighted] == expected
    told = json.loads(cli("network", "info", path, "--json", "-q").stdout)
    found = told["summary"]
    assert [found["nodes"], found["edges"], found["directed"], found["weighted"]] == expected
    assert told["decisions"] == network.decisions


def test_bipartite_files_of_konect_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.bip"
    path.write_text("% bip unweighted\n1 1\n1 2\n2 2\n")
    with pytest.raises(ValueError, match="out.bip:1: is a bipartite network of KONECT"):
        Network(path)


@pytest.mark.parametrize("dialect", TABLES)
def test_tables_are_the_same_from_files_and_from_memory(cli: Callable[..., Any], dialect: str, tmp_path: Path) -> None:
    text, *expected = TABLES[dialect]
    path = tmp_path / "table.csv"
    for ends in ("\n", "\r\n", "\r"):
        path.write_bytes(text.replace("\n", ends).encode())
        network = Network(str(path))
        assert [network.n_nodes, network.n_edges, network.is_directed, network.is_weighted] == expected, repr(ends)
        found = json.loads(cli("network", "info", path, "--json", "-q").stdout)["summary"]
        assert [found["nodes"], found["edges"], found["directed"], found["weighted"]] == expected, repr(ends)
    path.write_text(text)
    for table in (pd.read_csv(path), pl.read_csv(path)):
        if "adjacency" not in dialect:
            assert Network(table) == network


def test_ambiguous_tables_are_refused_with_their_columns(tmp_path: Path) -> None:
    table = pd.DataFrame({"nr": [0, 1], "one": ["a", "b"], "two": ["b", "c"]})
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    for data in (table, str(path)):
        with pytest.raises(ValueError, match="several columns that could be ends of edges, `nr`, `one`, `two`"):
            Network(data)
        assert Network(data, source="one", target="TWO").n_edges == 2
        with pytest.raises(ValueError, match="no column called `three`"):
            Network(data, source="one", target="three")
    mixed = pd.DataFrame({"source": [1, 2], "target": [2, 3], "Type": ["Directed", "Undirected"]})
    for directed in (None, True):
        with pytest.raises(ValueError, match="1 directed and 1 undirected edges"):
            Network(mixed, directed=directed)
    assert not Network(mixed, directed=False).is_directed
    # What is asked for comes before values that say nothing, wherever they stand.
    for kind in ("Directed", "Undirected"):
        for last in ("x", None):
            late = pd.DataFrame({"source": range(200), "target": range(1, 201), "Type": [kind] * 199 + [last]})
            for data in (late, pl.from_pandas(late)):
                with pytest.raises(ValueError, match="missing values" if last is None else "has `x` in the column `Type`"):
                    Network(data)
                assert Network(data, directed=True).is_directed and not Network(data, directed=False).is_directed
    assert Network.read(str(path), source="2", target="3", header="yes").n_nodes == 3


def test_columns_that_may_be_weights_are_named() -> None:
    table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "closeness": [0.5, 0.25]})
    with pytest.warns(UserWarning, match="closeness"):
        network = Network(table)
    assert not network.is_weighted
    assert Network(table, weight="closeness").is_weighted
