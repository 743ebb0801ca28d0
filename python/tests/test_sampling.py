"""Samplers of homomorphisms: the command line's homomorphisms, the law, and what cannot be."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import select
import signal
import subprocess
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from scipy import stats

from ergodict import Network, sample

Cli = Callable[..., "subprocess.CompletedProcess[str]"]

CASES = [
    {"k": 5},
    {"k": 4, "sampler": "pivot", "chains": 3, "burn_in": 7, "every": 2},
    {"k": 6, "sampler": "pivot-approx", "chains": 2},
    {"k": 3, "motif": "cycle"},
    {"k": 4, "motif": "cycle", "sampler": "glauber", "chains": 4},
    {"k": 3, "sampler": "rejection"},
    {"k": 4, "motif": "star", "injective": True},
    {"k": 3, "motif": "complete"},
    {},
]


def flags(options: dict[str, object]) -> list[object]:
    """Options as the command line has them."""
    given: list[object] = []
    for key, value in options.items():
        name = "-k" if key == "k" else "--" + key.replace("_", "-")
        given += [name] if value is True else [name, value]
    return given


@pytest.mark.parametrize("network", ["@karate", "@lesmis"])
@pytest.mark.parametrize("at", range(len(CASES)))
def test_homomorphisms_are_those_of_the_command_line(cli: Cli, tmp_path: Path, network: str, at: int) -> None:
    options = CASES[at]
    out, patches = tmp_path / "x.npy", tmp_path / "p.npy"
    given = [*flags(options), "--count", 301, "--seed", 11, "-q", "-o", out, "--patches", patches]
    cli("network", "sample", network, *given)
    sampler = sample(network, random_state=11, **options)
    numbers = sampler.draw(301)
    expected = np.load(out)
    named = isinstance(sampler.network.nodes[0], str)
    assert np.array_equal(numbers if named else sampler.network.ids(numbers), expected)
    again = sample(network, random_state=11, **options, n_jobs=2)
    cut = again.patches(301, bits=not again.network.is_weighted)
    assert cut.dtype == np.load(patches).dtype and np.array_equal(cut, np.load(patches))


@pytest.mark.parametrize("at", [0, 1, 3, 4])
def test_diagnostics_are_those_of_the_command_line(cli: Cli, at: int) -> None:
    options = CASES[at]
    names = "density,macc" if options.get("motif") == "cycle" else "density,macc,conditional-density"
    given = [*flags(options), "--count", 999, "--seed", 5, "-q", "--json", "--observables", names]
    told = json.loads(cli("network", "sample", "@lesmis", *given).stdout)
    ours = sample("@lesmis", random_state=5, **options).diagnose(999, names.split(","))
    for one in told["observables"]:
        # JSON has no NaN, which R̂ of constant values is.
        found = ours["observables"][one.pop("observable")]
        assert {key: None if value != value else value for key, value in found.items()} == one
    assert ours["density"] == told["density"] and ours["acceptance"] == told["acceptance"]
    assert np.array_equal(ours["macc"], np.array(told["macc"]))
    if "conditional" in names:
        told["conditional_density"].pop("observable")
        assert ours["conditional_density"] == told["conditional_density"]


def test_a_graph_of_networkx_gives_what_its_edge_list_gives(cli: Cli, tmp_path: Path) -> None:
    graph = nx.gnm_random_graph(40, 70, seed=3)
    graph = nx.relabel_nodes(graph, {v: 7 * v - 50 for v in graph})
    nx.write_edgelist(graph, tmp_path / "net.txt")
    for options in ({"k": 5}, {"k": 4, "sampler": "glauber", "chains": 2}, {"k": 5, "sampler": "pivot"}):
        given = [*flags(options), "--count", 200, "--seed", 2, "-q", "-o", tmp_path / "x.npy"]
        cli("network", "sample", tmp_path / "net.txt", *given)
        for network in (graph, Network.from_networkx(graph)):
            drawn = sample(network, random_state=2, **options).draw(200, ids=True)
            assert np.array_equal(drawn, np.load(tmp_path / "x.npy"))


@pytest.mark.parametrize("at", range(len(CASES)))
def test_pieces_are_the_whole(at: int) -> None:
    options = CASES[at]
    whole = sample("@karate", random_state=4, **options)
    chains = int(str(options.get("chains", 1)))
    expected = whole.draw(150).reshape(150, -1)
    bounds = np.cumsum([0] + [150 // chains + (c < 150 % chains) for c in range(chains)])
    turns = np.array([expected[bounds[t % chains] + t // chains] for t in range(150)])
    singles = sample("@karate", random_state=4, **options)
    assert np.array_equal(np.array([next(singles) for _ in range(150)]), turns)
    pieces = sample("@karate", random_state=4, **options)
    drawn = [pieces.draw(n) for n in (0, 1, 70, 3, 76)]
    assert pieces.n_drawn == 150 and sorted(np.concatenate(drawn).tolist()) == sorted(expected.tolist())
    assert pieces.acceptance_ == whole.acceptance_ == singles.acceptance_
    assert np.array_equal(pieces.draw(64), whole.draw(64))


@pytest.mark.parametrize("at", range(len(CASES)))
def test_pickles_and_states_go_on(at: int) -> None:
    sampler = sample("@lesmis", random_state=9, **CASES[at])
    sampler.draw(77)
    state, copied = json.loads(json.dumps(sampler.state)), pickle.loads(pickle.dumps(sampler))
    ahead = sampler.draw(100)
    assert np.array_equal(copied.draw(100), ahead) and copied.n_drawn == 177
    sampler.seek(state)
    assert sampler.n_drawn == 77 and np.array_equal(sampler.draw(100), ahead)
    with pytest.raises(ValueError, match="damaged"):
        sampler.seek([])
    with pytest.raises(ValueError, match="damaged"):
        sampler.seek([{"kept": -1}] * len(state))
    with pytest.raises(ValueError, match="the state is"):
        sampler.seek([{**one, "state": [10**6] * sampler.k} for one in state])
    vast = {"accepted": 2**64 - 1, "proposed": 2**64 - 1}
    with pytest.raises(ValueError, match="its counts are of no chain"):
        sampler.seek([{**one, "acceptance": vast} for one in state])
    with pytest.raises(TypeError, match="the state must be one"):
        sampler.seek({1, 2})  # type: ignore[arg-type]
    assert sampler.n_drawn == 177


@pytest.mark.parametrize("sampler", ["exact", "pivot", "glauber", "rejection"])
def test_the_law_is_exact(sampler: str) -> None:
    # A weighted triangle with a tail: π(x) ∝ A(x0,x1) A(x1,x2), in the order of ids that are no numbers.
    weights = {("a", "b"): 1.0, ("b", "c"): 2.0, ("c", "a"): 0.5, ("c", (4,)): 3.0}
    network = Network([(u, v, w) for (u, v), w in weights.items()])
    matrix = network.to_scipy().toarray()
    every = 1 if sampler in ("exact", "rejection") else 25
    drawn = sample(network, k=3, sampler=sampler, every=every, random_state=1).draw(20_000)
    law = {x: matrix[x[0], x[1]] * matrix[x[1], x[2]] for x in itertools.product(range(4), repeat=3)}
    law = {x: weight for x, weight in law.items() if weight > 0}
    counts = Counter(map(tuple, drawn.tolist()))
    assert set(counts) <= set(law)
    expected = np.array([law[x] for x in law]) / sum(law.values()) * len(drawn)
    assert stats.chisquare([counts[x] for x in law], expected).pvalue > 1e-3


def test_numbers_are_those_of_the_whole_network() -> None:
    # The largest component has the last nodes.
    network = Network([(0, 1), (2, 3), (3, 4), (4, 2)], nodes=[7])
    drawn = sample(network, k=3, random_state=0)
    assert set(drawn.draw(100).ravel()) == {2, 3, 4}
    assert "the largest of 3 components is sampled: 3 of 6 nodes" in drawn.notes[0]
    everywhere = sample(network, k=3, component="all", random_state=0)
    assert set(everywhere.draw(500).ravel()) == {0, 1, 2, 3, 4}
    named = Network([("x", (0,)), ((0,), 2.5)])
    assert all(a in named.neighbors(b) for x in sample(named, k=2, ids=True).draw(20) for a, b in [x])
    assert next(sample(named, k=2, ids=True)).dtype == object


def test_blocks_and_minibatches() -> None:
    sampler = sample("@karate", k=3, random_state=0)
    assert [len(block) for block in sampler.blocks(4, n=10)] == [4, 4, 2]
    assert [x.shape for x in sampler.minibatches(5, n=3)] == [(5, 9)] * 3
    first = sample("@karate", k=3, random_state=0)
    matrix = first.network.to_scipy().toarray()
    x, p = first.draw(50), sample("@karate", k=3, random_state=0).patches(50)
    assert np.array_equal(p, np.array([matrix[np.ix_(row, row)].ravel() for row in x]))
    assert next(sampler.minibatches()).shape == (100, 9)
    assert sample("@karate", random_state=0).k == 10
    assert sample("@karate", k=3).seed_ != sample("@karate", k=3).seed_


def test_motifs_by_edges_and_files(tmp_path: Path) -> None:
    path = tmp_path / "motif.txt"
    path.write_text("0 1\n1 2\n1 3\n")
    by_file = sample("@karate", motif=path, random_state=3)
    by_edges = sample("@karate", motif=[(0, 1), (1, 2), (1, 3)], random_state=3)
    assert by_file.k == by_edges.k == 4 and by_edges.motif_edges == [(0, 1), (1, 2), (1, 3)]
    assert np.array_equal(by_file.draw(50), by_edges.draw(50))
    by_array = sample("@karate", motif=np.array([[0, 1], [1, 2], [1, 3]]), random_state=3)
    assert by_array.motif_edges == by_edges.motif_edges
    with pytest.raises(ValueError, match="k is 5, but the motif .* has 4 nodes: leave k out"):
        sample("@karate", k=5, motif=path)


K = "@karate"
TWO = [(0, 1), (2, 3)]
WRONG = [
    (lambda: sample(K, k=0), ValueError, "0"),
    (lambda: sample(K, k=-3), ValueError, "k is -3, but it must be at least 2"),
    (lambda: sample(K, k=10**9), ValueError, "4096"),
    (lambda: sample(K, k=2.5), TypeError, "k is 2.5, but it must be an integer"),
    (lambda: sample(K, k=2, motif="cycle"), ValueError, "2"),
    (lambda: sample(K, motif="ring"), ValueError, "it must be one of path, star, cycle, complete, or"),
    (lambda: sample(K, motif=[(0, 0)]), ValueError, "it must join two different nodes"),
    (lambda: sample(K, motif=[(0, 1), (2, 3)]), ValueError, "connected"),
    (lambda: sample(K, motif=[(0, -1)]), ValueError, "nodes are called 0 to k - 1"),
    (lambda: sample(K, motif=[]), ValueError, "motif has no edge"),
    (lambda: sample(K, motif=7), TypeError, "motif is 7"),
    (lambda: sample(K, k=3, sampler="gibbs"), ValueError, "it must be walk, exact, pivot, pivot-approx, glauber"),
    (lambda: sample(K, k=3, motif="cycle", sampler="pivot"), ValueError, "tree"),
    (lambda: sample(K, k=3, every=0), ValueError, "every is 0, but it must be at least 1"),
    (lambda: sample(K, k=3, chains=0), ValueError, "chains is 0, but it must be between 1 and 65536"),
    (lambda: sample(K, k=3, chains=10**6), ValueError, "between 1 and 65536"),
    (lambda: sample(K, k=4096, chains=65536), MemoryError, "65536 chains would take about"),
    (lambda: sample(K, k=3, burn_in=2**50), ValueError, "more would take days"),
    (lambda: sample(K, k=3, component="some"), ValueError, "it must be largest or all"),
    (lambda: sample(K, k=3, random_state=-1), ValueError, "random_state is -1"),
    (lambda: sample(K, k=3, n_jobs=2.0), TypeError, "n_jobs is 2.0, but it must be a positive number of threads"),
    (lambda: sample(K, k=3, n_jobs=0), ValueError, "n_jobs is 0"),
    (lambda: sample(Network([], nodes=[]), k=3), ValueError, "node"),
    (lambda: sample(Network([], nodes=[1, 2]), k=3), ValueError, "homomorphism|edge"),
    (lambda: sample([(0, 1), (1, 2)], k=3, motif="cycle"), ValueError, "the network has none"),
    (lambda: sample([(0, 1), (1, 2)], k=4, injective=True), ValueError, "different"),
    (lambda: sample(TWO, k=3, sampler="pivot", component="all"), ValueError, "2 of 4 nodes are reached"),
    (lambda: sample(K, k=3).draw(-1), ValueError, "n is -1, but it must be at least 0"),
    (lambda: sample(K, k=3).draw(2**62), MemoryError, "ask for fewer"),
    (lambda: sample(K, k=3).patches(2**61), MemoryError, "ask for fewer"),
    (lambda: sample("@lesmis", k=3).patches(2, bits=True), ValueError, "no bits"),
    (lambda: next(sample(K, k=3).blocks(0)), ValueError, "size is 0"),
    (lambda: sample(K, k=3).diagnose(10, ["energy"]), ValueError, "observables has energy"),
    (lambda: sample(K, k=3).diagnose(0), ValueError, "n is 0"),
    (lambda: sample(K, k=3, sampler="pivot-approx").diagnose(10, "macc"), ValueError, "does not draw uniformly"),
    (lambda: sample(K, k=3).diagnose(10, ["conditional-density"], conditional="star"), ValueError, "edge"),
]


@pytest.mark.parametrize("at", range(len(WRONG)))
def test_what_cannot_be_is_said(at: int) -> None:
    make, kind, words = WRONG[at]
    with pytest.raises(kind, match=words):
        make()


def test_words_are_those_of_the_command_line(tmp_path: Path) -> None:
    program = os.environ.get("ERGODICT_CLI")
    if not program:
        pytest.skip("ERGODICT_CLI is not set")
    (tmp_path / "net.txt").write_text("0 1\n1 2\n")
    cycle, all_different = {"k": 3, "motif": "cycle"}, {"k": 4, "injective": True}
    for options in ({"k": 0}, cycle, all_different, {"k": 3, "sampler": "gibbs"}):
        command = [program, "network", "sample", tmp_path / "net.txt", *flags(options), "-q"]
        said = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        with pytest.raises(ValueError) as raised:
            sample(tmp_path / "net.txt", **options)
        # The command line calls the sampler by its flag.
        ours = str(raised.value).replace("the sampler is", "--sampler is")
        assert said.returncode == 2 and ours in said.stderr


@pytest.mark.usefixtures("interruptible")
def test_interrupted_draws_leave_the_chains_where_they_were() -> None:
    options = {"k": 5, "sampler": "glauber", "every": 1000, "chains": 2, "random_state": 1}
    sampler, other = sample("@karate", **options), sample("@karate", **options)
    sampler.draw(10)
    other.draw(10)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sampler.draw(1_000_000)
    timer.join()
    assert sampler.n_drawn == 10 and np.array_equal(sampler.draw(50), other.draw(50))


def test_progress_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    sample("@karate", k=5, random_state=1, verbose=True).draw(5000)
    assert "drawing" in capsys.readouterr().err


def test_children_of_fork_draw_too() -> None:
    sampler = sample("@karate", k=5, chains=2, n_jobs=2, random_state=1)
    expected = sample("@karate", k=5, chains=2, random_state=1).draw(2000)
    sampler.draw(0)
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Threads of the libraries around may be running; ours are made again.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        # Whatever happens, the child must not go on with the tests.
        try:
            same = np.array_equal(sampler.draw(2000), expected)
            os.write(writing, b"y" if same else b"n")
        finally:
            os._exit(0)
    try:
        os.close(writing)
        # A child that waits for a lock for ever would have the tests wait with it.
        assert select.select([reading], [], [], 60)[0], "the child says nothing"
        assert os.read(reading, 1) == b"y"
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
