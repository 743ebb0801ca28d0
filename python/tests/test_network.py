"""Networks: summaries, files, random ones, and agreement with the command line."""

from __future__ import annotations

import copy
import gzip
import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Optional

import networkx as nx
import numpy as np
import pytest

import ergodict
from ergodict import Network, as_network

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def test_facts() -> None:
    karate = Network("@karate")
    assert (karate.n_nodes, karate.n_edges, len(karate), bool(karate)) == (34, 78, 34, True)
    assert not karate.is_directed and not karate.is_weighted
    assert repr(karate) == "Network(34 nodes, 78 edges, undirected, unweighted)"
    assert karate.nodes == list(karate) and karate.nodes[0] in karate
    assert 99 not in karate and "x" not in karate
    assert karate.degree().sum() == 156
    assert karate.summary()["triangles"] == 45
    assert as_network(karate) is karate
    assert copy.copy(karate) is karate and copy.deepcopy([karate])[0] == karate
    arcs = Network([("a", "b", 2.0), ("c", "b", 0.5)], directed=True)
    assert arcs.degree("b") == 0 and arcs.degree("b", incoming=True) == 2
    assert arcs.strength("b", incoming=True) == 2.5 and arcs.neighbors("b", incoming=True) == ["a", "c"]
    assert arcs.weight("a", "b") == 2.0 and arcs.weight("b", "a") == 0.0


def test_embedded_networks_are_listed() -> None:
    listed = ergodict.networks()
    assert {name: (facts["nodes"], facts["edges"]) for name, facts in listed.items()} == {
        name: (Network(name).n_nodes, Network(name).n_edges) for name in listed
    }
    with pytest.raises(ValueError, match="there are davis, florentine, karate, kite, lesmis"):
        Network("@nobody")
    with pytest.raises(ValueError, match="@karate is undirected, unweighted"):
        Network("@karate", directed=True)
    assert not Network("@lesmis", weighted=False).is_weighted


def test_numbers_and_ids() -> None:
    network = Network([(10, 30), (30, 20)])
    assert network.index(30) == 2 and isinstance(network.index(30), int)
    assert network.index([10, 20]).tolist() == [0, 1]
    assert network.index(np.array([[10, 20], [30, 30]])).tolist() == [[0, 1], [2, 2]]
    assert network.index_pairs([(10, 30)]).tolist() == [[0, 2]]
    assert network.index_pairs(np.array([[10, 30]])).tolist() == [[0, 2]]
    assert network.index_pairs([]).shape == (0, 2)
    assert network.ids([[2], [0]]).tolist() == [[30], [10]]
    places = Network([((0, 1), (0, 2)), ((0, 2), "x")])
    assert places.index((0, 2)) == 1 and places.index(((0, 1), "x")).tolist() == [0, 2]
    for unknown in (11, [10, 11], np.array([11])):
        with pytest.raises(ValueError, match="11 is a node which the network does not have"):
            network.index(unknown)
    for unknown in (lambda: network.degree(0), lambda: network.neighbors(0), lambda: network.weight(10, 0)):
        with pytest.raises(ValueError, match="0 is a node which the network does not have"):
            unknown()
    with pytest.raises(ValueError, match="'y' is a node which the network does not have"):
        places.index_pairs([("x", "y")])
    with pytest.raises(ValueError, match="there is no node of number 3"):
        network.ids([3])
    with pytest.raises(TypeError, match="hashable"):
        network.neighbors([])


def test_equality_is_of_labeled_graphs() -> None:
    assert Network([("a", 1), (1, 2.5)]) == Network([(1, 2.5), (1, "a")])
    assert Network([("a", "b")]) != Network([("a", "c")])
    assert Network([(0, 1)]) != Network([(0, 1, 2.0)])
    assert Network([(0, 1)]) != Network([(0, 1)], directed=True)
    assert Network([(0, 1)]) != Network([(0, 1)], nodes=[2])
    assert Network([("0", "1")]) != Network([(0, 1)])
    assert Network([], nodes=[]) == Network([(0, 1)]).subnetwork([]) and Network([], nodes=[]) != 3


@pytest.mark.parametrize("end", ["txt", "txt.gz", "zst", "csv", "mtx", "npz", "egr"])
def test_files_there_and_back(tmp_path: Path, end: str) -> None:
    path = tmp_path / f"net.{end}"
    network = Network("@lesmis")
    if end not in ("mtx", "npz"):
        network.write(path)
        assert Network(path) == network and Network(str(path), weighted=False) == network.unweighted()
        assert Network.read(path, verify=True) == network
        return
    with pytest.warns(UserWarning, match="nodes Anzelma to Zephine are called"):
        network.write(path)
    assert np.array_equal(Network(path).to_scipy().toarray(), network.to_scipy().toarray())


def test_files_of_other_ids_and_lonely_nodes(tmp_path: Path) -> None:
    path = tmp_path / "net.txt"
    with pytest.warns(UserWarning, match="1 nodes without edges are not in an edge list"):
        Network([(0, 1)], nodes=[5]).write(path)
    with pytest.warns(UserWarning, match="they are written as their text"):
        Network([((0, 1), 2.5), (2.5, "x")]).write(path)
    assert set(Network(path).nodes) == {"(0, 1)", "2.5", "x"}
    with pytest.raises(ValueError, match="some ids have the same text"):
        Network([(1, "1")]).write(path)
    with pytest.raises(FileNotFoundError, match="file not found; expected an edge list"):
        Network(tmp_path / "nothing.txt")
    with pytest.raises(ValueError, match="does not exist"):
        Network("@karate").write(tmp_path / "no" / "folder.txt")
    (tmp_path / "bad.txt").write_text("a b\nc\n")
    with pytest.raises(ValueError, match="bad.txt:2"):
        Network(tmp_path / "bad.txt")
    with pytest.raises(ValueError, match="cannot be mapped"):
        Network("@karate").write(tmp_path / "net.egr.gz")


def test_reading_has_the_options_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "net.txt.gz"
    with gzip.open(path, "wt") as file:
        file.write("1 2 0.5\n2 1 0.25\n2 2 1\n")
    assert Network(path).weight(1, 2) == 0.75
    assert Network(path, directed=True).weight(2, 1) == 0.25
    assert Network(path, loops=True).n_loops == 1
    assert not Network(path, weighted=False).is_weighted
    (tmp_path / "plain.txt").write_text("1 2\n")
    with pytest.raises(ValueError, match="has no weights, which are wanted"):
        Network(tmp_path / "plain.txt", weighted=True)
    again = Network(Network(path), directed=True)
    assert again.n_edges == 2 and Network(again, directed=False) == Network(path)
    with pytest.raises(ValueError, match="has no weights, which are wanted"):
        Network(Network("@karate"), weighted=True)


def test_parts() -> None:
    network = Network([(0, 1), (2, 3), (3, 4), (5, 6)], nodes=[9])
    assert network.components() == [[2, 3, 4], [0, 1], [5, 6], [9]]
    assert network.largest_component().nodes == [2, 3, 4]
    assert network.subnetwork([4, 3, 0, 4]).nodes == [0, 3, 4]
    assert Network([], nodes=[]).components() == [] and Network([], nodes=[]).largest_component().n_nodes == 0
    assert network.summary()["isolated"] == 1


MODELS = [
    ("er", {"n": 50, "edges": 80}, ["--nodes", 50, "--edges", 80]),
    ("er", {"n": 40, "probability": 0.1, "directed": True}, ["-n", 40, "-p", 0.1, "--directed"]),
    ("ba", {"n": 60, "joins": 3}, ["--nodes", 60, "--joins", 3]),
    ("ws", {"n": 50, "neighbors": 4, "rewired": 0.2}, ["--nodes", 50, "--neighbors", 4, "--rewired", 0.2]),
    (
        "sbm",
        {"sizes": [20, 30], "within": 0.3, "between": 0.02},
        ["--sizes", "20,30", "--within", 0.3, "--between", 0.02],
    ),
    (
        "sbm",
        {"sizes": [9, 9], "matrix": [[0.3, 0.1], [0.1, 0.5]]},
        ["--sizes", "9,9", "--matrix", "0.3,0.1;0.1,0.5"],
    ),
    ("configuration", {"degrees": [3, 3, 2, 2, 2]}, ["--degrees", "3,3,2,2,2"]),
    ("configuration", {"like": "@karate", "erased": True}, ["--like", "@karate", "--erased"]),
    ("rmat", {"scale": 6, "edge_factor": 4}, ["--scale", 6, "--edge-factor", 4]),
]


@pytest.mark.parametrize("at", range(len(MODELS)))
def test_random_networks_are_those_of_the_command_line(cli: Cli, tmp_path: Path, at: int) -> None:
    model, parameters, flags = MODELS[at]
    cli("network", "generate", model, *flags, "--seed", 7, "-o", tmp_path / "net.egr", "-q")
    ours = Network.generate(model, random_state=7, **parameters)
    assert ours == Network(tmp_path / "net.egr")
    assert ours != Network.generate(model, random_state=8, **parameters)
    # The same bytes.
    ours.write(tmp_path / "ours.egr")
    assert (tmp_path / "ours.egr").read_bytes() == (tmp_path / "net.egr").read_bytes()


@pytest.mark.parametrize(
    ("model", "parameters", "kind", "words"),
    [
        ("er", {"n": 5}, ValueError, "how many edges is not said"),
        ("er", {"n": 5, "edges": 2, "probability": 0.5}, ValueError, "one of them"),
        ("er", {"n": -5, "edges": 2}, ValueError, "n is -5"),
        ("er", {"n": 5, "probability": 2.0}, ValueError, "probability"),
        ("er", {"edges": 2}, ValueError, "er needs n"),
        ("er", {"n": "x", "edges": 2}, TypeError, "n is x"),
        ("er", {"n": 5, "edges": 2, "size": 1}, TypeError, "er has no parameter size"),
        ("ba", {"n": 2**62, "joins": 1}, (MemoryError, ValueError), "nodes"),
        ("rmat", {"scale": 60}, (MemoryError, ValueError), "scale|nodes"),
        ("rmat", {"scale": 3, "quadrants": [1.0]}, ValueError, "it must have four"),
        ("sbm", {"sizes": [3]}, ValueError, "the probabilities are not said"),
        ("configuration", {}, ValueError, "the degrees are not said"),
        ("tree", {}, ValueError, "model is tree, but it must be er, ba, ws, sbm, configuration or rmat"),
    ],
)
def test_models_that_cannot_be(
    model: str, parameters: dict[str, object], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        Network.generate(model, **parameters)


@pytest.mark.parametrize("proposals", [None, 3])
def test_rewired_networks_are_those_of_the_command_line(
    cli: Cli, tmp_path: Path, proposals: Optional[int]
) -> None:
    flags = [] if proposals is None else ["--proposals", proposals]
    cli("network", "generate", "rewired", "@lesmis", *flags, "--seed", 7, "-o", tmp_path / "net.egr", "-q")
    given = {} if proposals is None else {"proposals": proposals}
    lesmis = Network("@lesmis")
    ours = lesmis.rewired(random_state=7, **given)
    ours.write(tmp_path / "ours.egr")
    assert (tmp_path / "ours.egr").read_bytes() == (tmp_path / "net.egr").read_bytes()
    assert ours != lesmis.rewired(random_state=8, **given)
    assert ours.nodes == lesmis.nodes and (ours.degree() == lesmis.degree()).all()
    assert sorted(ours.to_edges()[2]) == sorted(lesmis.to_edges()[2])


def test_rewired_networks_keep_ids_directions_and_loops() -> None:
    edges = [((0, 1), "x"), ("x", None), (None, (0, 1)), ("x", "x"), ("y", "x")]
    network = Network(edges, directed=True, loops=True)
    null = network.rewired(0)
    assert null.is_directed and null.nodes == network.nodes
    for incoming in (False, True):
        assert (null.degree(incoming=incoming) == network.degree(incoming=incoming)).all()
    assert ("x", "x") in list(zip(*null.to_edges()[:2]))
    assert Network([], nodes=[]).rewired(0).n_nodes == 0
    for proposals, kind in [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("x", TypeError)]:
        with pytest.raises(kind, match="proposals"):
            network.rewired(0, proposals=proposals)


@pytest.mark.parametrize("change", [{"add": 0.5}, {"add": 0.3, "add_model": "ba"}, {"remove": 0.4}])
def test_corruption_is_that_of_the_command_line(cli: Cli, tmp_path: Path, change: dict[str, object]) -> None:
    flags = [text for key, value in change.items() for text in ("--" + key.replace("_", "-"), value)]
    out, table = tmp_path / "observed.egr", tmp_path / "truth.tsv"
    cli("network", "corrupt", "@lesmis", *flags, "--seed", 3, "-o", out, "--truth", table, "-q")
    observed, truth = Network("@lesmis").corrupt(random_state=3, **change)
    assert observed == Network(out)
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    ours = zip(truth["u"], truth["v"], map(str, truth["label"]), truth["kind"])
    assert [[cell.strip('"') for cell in row] for row in rows] == [list(row) for row in ours]


def test_corruption_keeps_any_ids_and_says_what_is_wrong() -> None:
    graph = nx.relabel_nodes(nx.karate_club_graph(), lambda v: ("node", v))
    graph.add_node(frozenset())
    observed, truth = Network(graph).corrupt(add=0.2, random_state=1)
    assert set(observed.nodes) == set(graph) - {frozenset()}
    true = {frozenset(edge) for edge in graph.edges}
    found = [frozenset(pair) in true for pair in zip(truth["u"], truth["v"])]
    assert found == truth["label"].astype(bool).tolist() and 0 < sum(found) < len(found)
    with pytest.raises(ValueError, match="give either add or remove"):
        Network("@karate").corrupt()
    with pytest.raises(ValueError, match="add_model is xx"):
        Network("@karate").corrupt(add=0.5, add_model="xx")
    for share in (-1.0, float("nan"), 1e30):
        with pytest.raises((ValueError, MemoryError)):
            Network("@karate").corrupt(add=share)
    with pytest.raises(ValueError):
        Network([], nodes=[]).corrupt(remove=0.5)


def test_summary_is_that_of_the_command_line(cli: Cli) -> None:
    told = json.loads(cli("network", "info", "@lesmis", "--json", "-q").stdout)
    assert Network("@lesmis").summary() == told["summary"]


def test_other_threads_run_while_a_network_is_made() -> None:
    edges = np.random.default_rng(0).integers(0, 300_000, (1_000_000, 2))
    count, stop = 0, threading.Event()

    def counting() -> None:
        nonlocal count
        while not stop.is_set():
            count += 1

    thread = threading.Thread(target=counting)
    thread.start()
    network = Network(edges)
    stop.set()
    thread.join()
    assert network.n_edges > 900_000 and count > 100
