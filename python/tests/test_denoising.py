"""Denoising: the same scores as the command line, by every method, and what is refused."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

import ergodict
from ergodict import Network, NetworkDictionary, denoise, denoising


def rows_of(path: Any) -> list[tuple[str, str, float]]:
    return [(u, v, float(score)) for u, v, score, *_ in (line.split("\t") for line in path.read_text().splitlines()[1:])]


@pytest.mark.parametrize("method", denoising.methods())
def test_scores_are_those_of_the_command_line(method: str, cli: Any, tmp_path: Any) -> None:
    table = tmp_path / "scores.tsv"
    done = cli("network", "denoise", "@karate", "--method", method, "--seed", 4, "-o", table, "--json", "-q")
    found = denoise("@karate", method=method, random_state=4, n_jobs=2)
    rows = rows_of(table)
    assert found.scores.tolist() == [row[2] for row in rows]
    assert [(str(u), str(v)) for u, v in found.pairs] == [row[:2] for row in rows]
    told = json.loads(done.stdout)
    assert found.notes_ == told["notes"] and found.heads_ == told["heads"] and found.noise == told["noise"] == "added"


def test_candidates_and_the_most_likely_are_those_of_the_command_line(cli: Any, tmp_path: Any) -> None:
    table = tmp_path / "missing.tsv"
    flags = ["--method", "adamic-adar", "--pairs", "non-edges", "--top", 12]
    cli("network", "denoise", "@lesmis", "--unweighted", *flags, "-o", table, "-q")
    found = denoise(Network("@lesmis", weighted=False), "adamic-adar", "non-edges", top=12)
    assert [(u, v, s) for (u, v), s in zip(found.pairs, found.scores.tolist())] == rows_of(table)
    assert found.noise == "removed" and len(found) == 12
    truth = tmp_path / "truth.tsv"
    cli("network", "corrupt", "@lesmis", "--remove", 0.3, "--seed", 1, "-o", tmp_path / "observed.txt", "--truth", truth, "-q")
    lines = [line.split("\t") for line in truth.read_text().splitlines()]
    pairs = [(line[0], line[1]) for line in lines[1:]]
    cli("network", "denoise", tmp_path / "observed.txt", "--pairs", truth, "--method", "rw3", "-o", table, "-q")
    some = denoise(tmp_path / "observed.txt", "rw3", pairs)
    assert some.scores.tolist() == [row[2] for row in rows_of(table)]
    assert [tuple(pair) for pair in some.pairs] == pairs
    by_table = denoise(tmp_path / "observed.txt", "rw3", {"u": [u for u, _ in pairs], "v": [v for _, v in pairs]})
    assert np.array_equal(by_table.scores, some.scores)


def test_ids_of_any_kind_and_results_that_travel() -> None:
    karate = Network("@karate")
    u, v, _ = karate.to_edges(ids=False)
    network = Network([((int(a),), (int(b),)) for a, b in zip(u, v)])
    found = denoise(network, "resource-allocation", pairs=[((0,), (33,)), ((0,), (1,))])
    assert found.pairs.tolist() == [[(0,), (33,)], [(0,), (1,)]]
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.scores, found.scores) and repr(again) == repr(found)
    assert list(found.to_pandas()["score"]) == found.scores.tolist()
    assert found.importance == {}
    head = denoise("@karate", random_state=0)
    assert head.importance and head.suspects(3).shape == (3, 2)
    assert list(head.importance.values()) == sorted(head.importance.values(), reverse=True)
    order = np.argsort(head.scores, kind="stable")[:3]
    assert head.suspects(3).tolist() == head.pairs[order].tolist()


def test_a_dictionary_denoises_other_networks() -> None:
    model = NetworkDictionary(6, k=6, steps=20, random_state=0).fit("@karate")
    found = model.denoise("@karate", samples=20_000)
    assert len(found) == 78 and found.noise == "added" and "% of the pairs" in found.notes_[-1]
    rebuilt = model.reconstruct("@karate", 20_000, mode="off-motif", shrinkage=0.4, pairs=found.pairs)
    assert np.array_equal(rebuilt.weights, found.scores)


def test_weights_and_directions_are_left_out_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="^ignored by denoising: weights$"):
        weighted = denoise("@lesmis", "jaccard")
    assert np.array_equal(weighted.scores, denoise(Network("@lesmis", weighted=False), "jaccard").scores)
    with pytest.warns(UserWarning, match=r"^ignored by denoising: directions \(1 pair of opposite arcs becomes one edge\)$"):
        directed = denoise(Network([(0, 1), (1, 0), (1, 2), (2, 0)], directed=True), "jaccard")
    assert directed.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]


def test_what_cannot_be_is_refused_in_words() -> None:
    for parameters, words in (
        ({"method": "best"}, "the method is best, but it must be one of ensemble, motif-codes"),
        ({"noise": "odd"}, "noise is 'odd', but it must be added, removed or both"),
        ({"noise": "removed"}, "looks for missing edges, but all pairs to score are observed ones"),
        ({"pairs": "edges"}, "pairs is edges, but it must be non-edges"),
        ({"pairs": [(1, 1)]}, "pair 0 has a node with itself, which is no pair to score"),
        ({"pairs": [(1, 77)]}, "77 is a node which the network does not have"),
        ({"pairs": []}, "has no pair to score"),
        ({"top": 0}, "top is 0, but at least one pair is to be given"),
    ):
        with pytest.raises(ValueError) as raised:
            denoise("@karate", **{"method": "jaccard", **parameters})
        assert words in str(raised.value)
    with pytest.raises(ValueError, match="has no pair to score"):
        denoise(Network.from_edges([], nodes=[1, 2, 3]), "jaccard")
    with pytest.raises(TypeError):
        denoise("@karate", method=3)


@pytest.mark.usefixtures("interruptible")
def test_it_can_be_interrupted() -> None:
    program = textwrap.dedent(
        """
        import os, signal, threading, ergodict
        network = ergodict.Network.generate("ba", n=100_000, joins=10, random_state=0)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            # One call that takes more than a minute in a debug build, and so must be stopped inside.
            ergodict.denoise(network, "motif-codes")
        except KeyboardInterrupt:
            print("interrupted", len(ergodict.denoise("@karate", "jaccard")))
        """
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False, timeout=40)
    assert done.stdout.strip() == "interrupted 78", done.stdout + done.stderr


def test_a_dictionary_denoises_arcs_as_they_are() -> None:
    # Arcs run down from larger numbers too, so that sorted pairs would be others.
    rng = np.random.default_rng(0)
    pairs = {(int(u), int(v)) for u, v in rng.integers(0, 12, (50, 2)) if u != v}
    network = Network(sorted(pairs), directed=True)
    model = NetworkDictionary(4, k=4, steps=10, random_state=0, component="all").fit(network)
    found = model.denoise(network, samples=5000)
    assert {tuple(pair) for pair in found.pairs.tolist()} == pairs and len(found) == len(pairs) and found.noise == "added"
    rebuilt = model.reconstruct(network, 5000, mode="off-motif", shrinkage=0.1)
    dense = rebuilt.to_scipy().toarray()
    places = network.index_pairs(found.pairs)
    assert np.array_equal(dense[places[:, 0], places[:, 1]], found.scores)
    other = model.denoise(network, "non-edges", samples=5000)
    n = network.n_nodes
    missing = {(u, v) for u in network.nodes for v in network.nodes if u != v} - pairs
    assert {tuple(pair) for pair in other.pairs.tolist()} == missing and len(other) == n * (n - 1) - len(pairs)
    assert other.noise == "removed"
    back = next((u, v) for u, v in sorted(pairs) if (v, u) not in pairs)
    assert model.denoise(network, [back[::-1]], samples=500).noise == "removed"
    truth = {pair: int(pair[0] < pair[1]) for pair in pairs}
    assert ergodict.evaluate(found, truth).n_missing == 0


def test_missing_edges_have_reasons_and_probabilities_follow_the_share() -> None:
    people = Network("@lesmis", weighted=False)
    found = denoise(people, pairs="non-edges", top=20, random_state=0)
    table = found.to_pandas()
    assert list(table.columns)[-1] == "reasons"
    assert table["reasons"].str.len().min() > 0
    assert found.reasons is not None and len(found.reasons) == 20
    more = denoise(people, pairs="non-edges", top=20, share=0.2, random_state=0)
    assert (more.scores == found.scores).all()
    assert (more.probabilities >= found.probabilities).all() and more.probabilities.sum() > found.probabilities.sum()


def test_the_question_decides_the_scores() -> None:
    people = Network("@karate", weighted=False)
    pairs = denoise(people, pairs="non-edges", top=30, random_state=0).pairs
    scores = {
        negatives: denoise(people, pairs=pairs, negatives=negatives, random_state=0).scores
        for negatives in ("all", "uniform", "mixed", "degree")
    }
    default = denoise(people, pairs=pairs, random_state=0).scores
    assert (default == scores["mixed"]).all()
    assert not (scores["uniform"] == scores["degree"]).all()
    for wrong in ("some", 3):
        with pytest.raises((TypeError, ValueError), match="negatives"):
            denoise(people, pairs=pairs, negatives=wrong)
    for share in (0, 1, -0.1, float("nan")):
        with pytest.raises(ValueError, match="share"):
            denoise(people, pairs=pairs, share=share)


def test_the_noise_that_is_assumed_is_that_of_the_pairs() -> None:
    for pairs, noise in [([(1, 2), (1, 3)], "added"), ([(1, 34), (10, 11)], "removed"), ([(1, 2), (1, 34)], "both")]:
        assert denoise("@karate", method="adamic-adar", pairs=pairs).noise == noise
