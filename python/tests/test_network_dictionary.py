"""Network dictionaries: the same bytes as the command line, runs that go on, files both ways, and what is refused."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import ergodict
from ergodict import Network, NetworkDictionary
from ergodict.sets import Near, Projection

SMALL = {"n_components": 4, "k": 5, "steps": 12, "batch_size": 20, "random_state": 3}
FLAGS = ["-r", 4, "-k", 5, "--steps", 12, "--batch", 20, "--seed", 3, "-q"]


def small(**more: Any) -> NetworkDictionary:
    return NetworkDictionary(**{**SMALL, **more})


def contents(path: Any) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The header and the tensors of a model file, byte by byte."""
    raw = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8 : 8 + size])
    told = json.loads(head.pop("__metadata__")["ergodict"])
    assert len(told.pop("digest")) == 64
    data = raw[8 + size :]
    return told, {name: data[slice(*one["data_offsets"])] for name, one in head.items()}


CASES = {
    "plain": (["@karate"], {}, []),
    "pivot": (["@karate"], {"sampler": "pivot"}, ["--sampler", "pivot"]),
    "pivot-approx": (["@karate"], {"sampler": "pivot-approx", "chains": 2}, ["--sampler", "pivot-approx", "--chains", 2]),
    "glauber": (["@lesmis"], {"sampler": "glauber", "chains": 2, "burn_in": 9, "every": 3},
                ["--sampler", "glauber", "--chains", 2, "--burn-in", 9, "--every", 3]),
    "rejection": (["@kite"], {"sampler": "rejection", "k": 3}, ["--sampler", "rejection", "-k", 3]),
    "cycle": (["@karate"], {"motif": "cycle"}, ["--motif", "cycle"]),
    "injective": (["@lesmis"], {"injective": True, "sampler": "exact"}, ["--injective", "--sampler", "exact"]),
    "float32": (["@karate"], {"dtype": "float32"}, ["--f32"]),
    "scheme": (["@karate"], {"alpha": 0.1, "schedule": "power:0.7", "kappa1": 0.5, "dict_init": "data", "unused": "reseed"},
               ["--lambda", 0.2, "--schedule", "power:0.7", "--kappa1", 0.5, "--init", "data", "--unused", "reseed"]),
    "several": (["@karate", "@kite", "@florentine"], {"n_examples": 1}, ["--examples", 1]),
    "static": (["@kite"], {"static": True, "steps": 100, "batch_size": 100, "k": 4}, ["--static", "-k", 4]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_model_is_that_of_the_command_line(case: str, cli: Any, tmp_path: Any) -> None:
    nets, parameters, flags = CASES[case]
    given = list(map(str, FLAGS)) if case != "static" else ["-r", "4", "--seed", "3", "-q"]
    if "-k" in flags and "-k" in given:
        at = given.index("-k")
        del given[at : at + 2]
    theirs, ours = tmp_path / "theirs.safetensors", tmp_path / "ours.safetensors"
    cli("network", "learn", *nets, *given, *flags, "-o", theirs)
    model = small(**parameters).fit(nets if len(nets) > 1 else nets[0])
    model.save(ours)
    (told, tensors), (our_told, our_tensors) = contents(theirs), contents(ours)
    assert our_tensors == tensors
    assert our_told == told
    again = NetworkDictionary.load(theirs)
    assert np.array_equal(again.components_, model.components_) and again.components_.dtype == model.components_.dtype
    assert np.array_equal(again.dominance_, model.dominance_) and again.history_.keys() == model.history_.keys()
    assert again.motif_ == model.motif_ and again.n_steps_ == model.n_steps_ and again.networks_ == model.networks_


def test_snapshots_are_those_of_the_command_line(cli: Any, tmp_path: Any) -> None:
    paths = []
    for seed, name in enumerate(("monday.txt", "tuesday.txt")):
        rng = np.random.default_rng(seed)
        edges = {tuple(sorted(pair)) for pair in rng.integers(0, 30, size=(90, 2)).tolist() if pair[0] != pair[1]}
        paths.append(tmp_path / name)
        paths[-1].write_text("".join(f"{u} {v}\n" for u, v in sorted(edges)))
    theirs, ours = tmp_path / "theirs.safetensors", tmp_path / "ours.safetensors"
    cli("network", "learn", *paths, "--snapshots", "--sampler", "pivot", "--chains", 3, *FLAGS, "-o", theirs)
    model = small(sampler="pivot", chains=3).fit(paths, snapshots=True)
    model.save(ours)
    assert contents(ours) == contents(theirs)
    chain = model.chain_
    assert chain["continued"] + chain["restarted"] == 3
    # A network that becomes another is learned from like a snapshot.
    followed = small(sampler="pivot", chains=3).fit(paths[0]).partial_fit(paths[1], steps=12)
    assert np.array_equal(followed.components_, model.components_)
    # Ids of any kind mean the same nodes in all snapshots.
    other = [[((u,), (v,)) for u, v in Network(path).index_pairs(np.column_stack(Network(path).to_edges()[:2])).tolist()] for path in paths]
    assert small(sampler="pivot").fit([Network(edges) for edges in other], snapshots=True).n_steps_ == 24


def test_the_command_line_takes_our_models(cli: Any, tmp_path: Any) -> None:
    ours = tmp_path / "ours.safetensors"
    model = small().fit("@karate")
    model.save(ours)
    cli("network", "learn", "@karate", "--config", ours, "-o", tmp_path / "again.safetensors", "-q")
    assert contents(tmp_path / "again.safetensors") == contents(ours)
    cli("report", ours, "-o", tmp_path / "page.html", "-q")
    assert "<svg" in (tmp_path / "page.html").read_text()
    # From a graph without a file, too.
    model = small(motif=[(0, 1), (0, 2), (0, 3), (0, 4)]).fit([(str(u), str(v)) for u, v in Network("@karate").index_pairs(
        np.column_stack(Network("@karate").to_edges()[:2])).tolist()])
    model.save(ours)
    cli("network", "reconstruct", "@karate", "--model", ours, "--samples", 1000, "-o", tmp_path / "rebuilt.tsv", "-q")
    cli("report", ours, "-o", tmp_path / "page.html", "-q")


@pytest.mark.parametrize(
    ("parameters", "flags"),
    [
        ({}, []),
        ({"mode": "off-motif", "shrinkage": 2.5, "alpha": 0.05}, ["--mode", "off-motif", "--alpha", 2.5, "--lambda", 0.1]),
        ({"mode": "off-chain"}, ["--mode", "off-motif"]),
        ({"reversal": True, "sampler": "exact", "chains": 2, "every": 2}, ["--reversal", "--sampler", "exact", "--chains", 2, "--every", 2]),
    ],
)
def test_reconstructions_are_those_of_the_command_line(parameters: Any, flags: Any, cli: Any, tmp_path: Any) -> None:
    saved, table = tmp_path / "model.safetensors", tmp_path / "rebuilt.tsv"
    model = small().fit("@karate")
    model.save(saved)
    done = cli("network", "reconstruct", "@lesmis", "--unweighted", "--model", saved, "--samples", 3000, "--seed", 5, *flags, "-o", table, "--json", "-q")
    lesmis = Network("@lesmis", weighted=False)
    rebuilt = model.reconstruct(lesmis, samples=3000, random_state=5, **parameters)
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    assert [f"{u}\t{v}" for u, v in rebuilt.pairs] == [f"{row[0]}\t{row[1]}" for row in rows]
    assert rebuilt.weights.tolist() == [float(row[2]) for row in rows]
    assert rebuilt.counts.tolist() == [int(row[3]) for row in rows]
    told = json.loads(done.stdout)
    for name in ("jaccard", "weighted_jaccard", "auc", "edge_coverage", "pair_coverage"):
        assert getattr(rebuilt, name) == told[name], name
    assert rebuilt.accuracy(0.5) == rebuilt.accuracy_
    assert pickle.loads(pickle.dumps(rebuilt)).accuracy(0.1) == rebuilt.accuracy(0.1)
    threads = model.set_params(n_jobs=2).reconstruct(lesmis, samples=3000, random_state=5, **parameters)
    assert np.array_equal(threads.sums, rebuilt.sums)


def test_some_pairs_are_reconstructed_in_their_order(cli: Any, tmp_path: Any) -> None:
    saved, table, asked = tmp_path / "model.safetensors", tmp_path / "some.tsv", tmp_path / "pairs.tsv"
    model = small().fit("@karate")
    model.save(saved)
    pairs = [(34, 1), (4, 5), (1, 34), (7, 30)]
    asked.write_text("".join(f"{u}\t{v}\n" for u, v in pairs))
    cli("network", "reconstruct", "@karate", "--model", saved, "--samples", 2000, "--seed", 3, "--pairs", asked, "-o", table, "-q")
    rebuilt = model.reconstruct("@karate", samples=2000, pairs=pairs)
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    assert rebuilt.pairs.tolist() == [list(pair) for pair in pairs] == [[int(row[0]), int(row[1])] for row in rows]
    assert rebuilt.weights.tolist() == [float(row[2]) for row in rows]
    assert rebuilt.accuracy(0.5) == rebuilt.accuracy_


@pytest.mark.filterwarnings("ignore:the largest of")
def test_reconstructed_networks_are_networks() -> None:
    network = Network([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("x", "y")])
    rebuilt = small(k=3).fit(network).reconstruct(network, samples=500)
    assert set(map(tuple, rebuilt.pairs)) <= {(u, v) for u in "abcd" for v in "abcd" if u < v}
    made = rebuilt.to_network(0.5)
    assert made.nodes == network.nodes and made.is_weighted
    dense = rebuilt.to_scipy().toarray()
    assert np.array_equal(dense, dense.T) and dense[0, 1] == rebuilt.weights[0]
    assert list(rebuilt.to_pandas()["weight"]) == rebuilt.weights.tolist()
    assert made.n_edges == int((rebuilt.weights > 0.5).sum())
    assert any("the largest of 2 components is sampled: 4 of 6 nodes, 4 of 5 edges" in note for note in rebuilt.notes_)
    other = small(k=3).fit(network).reconstruct(network, samples=500, sampler="exact")
    assert any("learned from patches of the walk sampler, and the network is reconstructed from those of exact" in note for note in other.notes_)


def test_models_of_networks_open_with_the_others(tmp_path: Any) -> None:
    model = small().fit("@karate")
    model.save(tmp_path / "m.safetensors")
    again = ergodict.load(tmp_path / "m.safetensors")
    assert isinstance(again, NetworkDictionary) and np.array_equal(again.atoms_, model.atoms_)
    assert ergodict.load(tmp_path / "m.safetensors", dictionary="ball").get_params()["dictionary"] == "ball"


def test_codes_of_random_patches_and_pictures() -> None:
    model = small().fit("@karate")
    codes = model.transform("@kite", n=30, random_state=1)
    assert codes.shape == (30, 4) and np.array_equal(codes, model.transform("@kite", n=30, random_state=1))
    patches = ergodict.sample("@kite", k=5, sampler="walk", random_state=1).patches(30)
    assert np.array_equal(model.codes(patches), codes)
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    assert model.plot(n=2) is not None
    pyplot.close("all")
    assert "<" in model._repr_html_() and "<table" in model.reconstruct("@kite", samples=100)._repr_html_()


def test_comparisons_are_those_of_the_command_line(cli: Any) -> None:
    flags = ["-r", 3, "-k", 4, "--steps", 8, "--batch", 30, "--samples", 1500, "--seed", 2]
    for measure in ("error", "weighted-jaccard"):
        more = ["--measure", measure, "--mode", "off-motif"]
        printed = json.loads(cli("network", "compare", "@karate", "@kite", "@davis", *flags, *more, "--json", "-q").stdout)
        what: dict[str, Any] = {"samples": 1500, "measure": measure, "mode": "off-motif"}
        found = ergodict.compare(
            ["@karate", "@kite", "@davis"], n_components=3, k=4, steps=8, batch_size=30, random_state=2, **what
        )
        assert found.matrix.tolist() == printed["matrix"] and found.names == printed["networks"]
        assert found.distances.tolist() == printed["distances"]
        assert found.standard_errors.tolist() == printed["standard_errors"]
        assert found.rewired_distances.tolist() == [copy["distance"] for copy in printed["rewired"]]
        coverage = None if found.edge_coverage is None else found.edge_coverage.tolist()
        assert coverage == printed["edge_coverage"] and (coverage is None) == (measure == "error")
        assert [list(merge) for merge in found.merges] == [[one[key] for key in ("a", "b", "height")] for one in printed["merges"]]
        assert found.conclusive == printed["conclusive"] and [list(pair) for pair in found.closest] == printed["closest"]
        assert found.to_pandas().loc["@kite", "@davis"] == found.matrix[1, 2]
        assert found.to_pandas("distances").loc["@kite", "@davis"] == found.distances[1, 2]
        other = NetworkDictionary(3, k=4, steps=8, batch_size=30, schedule="linear", alpha=0.0, random_state=2, n_jobs=2)
        assert np.array_equal(other.compare(["@karate", "@kite", "@davis"], **what).matrix, found.matrix)


def test_comparisons_have_defaults_and_names(cli: Any) -> None:
    printed = json.loads(cli("network", "compare", "@karate", "@davis", "--seed", 3, "--json", "-q").stdout)
    found = ergodict.compare({"club": "@karate", "women": "@davis"}, random_state=3)
    assert found.names == ["club", "women"] and found.matrix.tolist() == printed["matrix"]
    assert found.finding.startswith("club and women differ: distance ") and found.conclusive and found.tree is None
    small: dict[str, Any] = {"n_components": 2, "k": 4, "steps": 5, "samples": 1000, "random_state": 3}
    named = ergodict.compare(["@karate", "@davis"], names=["a", "b"], **small)
    assert named.names == ["a", "b"] and "a and b" in repr(named)
    assert np.array_equal(named.matrix, ergodict.compare({"a": "@karate", "b": "@davis"}, **small).matrix)
    for wrong, message in (
        ({"names": ["a"]}, "names has 1 names, but there are 2 networks"),
        ({"seeds": 1}, "at least two dictionaries"),
        ({"measure": "likeness"}, "measure"),
    ):
        with pytest.raises(ValueError, match=message):
            ergodict.compare(["@karate", "@davis"], **wrong)


def test_a_comparison_has_a_checkpoint(tmp_path: pathlib.Path) -> None:
    state = tmp_path / "state"
    what: dict[str, Any] = {"n_components": 2, "k": 4, "steps": 5, "samples": 1000, "random_state": 0}
    whole = ergodict.compare(["@karate", "@kite"], **what)
    for resume in (False, True):
        found = ergodict.compare(["@karate", "@kite"], **what, checkpoint=state, resume=resume)
        assert np.array_equal(found.matrix, whole.matrix)
        assert list(tmp_path.iterdir()) == []
    state.write_bytes(b"something else")
    with pytest.raises(ValueError, match="there is a checkpoint already"):
        ergodict.compare(["@karate", "@kite"], **what, checkpoint=state)
    with pytest.raises(ValueError, match="is not a checkpoint"):
        ergodict.compare(["@karate", "@kite"], **what, checkpoint=state, resume=True)
    assert state.read_bytes() == b"something else"
    with pytest.raises(ValueError, match="resume needs a checkpoint"):
        ergodict.compare(["@karate", "@kite"], **what, resume=True)


def test_a_comparison_is_resumed_from_its_state(tmp_path: pathlib.Path) -> None:
    state = tmp_path / "state"
    what: dict[str, Any] = {"n_components": 2, "k": 4, "steps": 5, "samples": 1000, "random_state": 0}
    networks = ["@karate", [(u, v) for u in range(9) for v in range(u)]]
    # A complete graph has no pair without an edge: all cells are measured, and stay in the checkpoint.
    with pytest.raises(ValueError, match="has no auc"):
        ergodict.compare(networks, **what, measure="auc", checkpoint=state)
    assert state.exists()
    with pytest.raises(ValueError, match="steps was 5 there and is 6 here"):
        ergodict.compare(networks, **{**what, "steps": 6}, measure="auc", checkpoint=state, resume=True)
    with pytest.raises(ValueError, match='measure was "auc" there and is "error" here'):
        ergodict.compare(networks, **what, checkpoint=state, resume=True)
    with pytest.raises(ValueError, match="has no auc"):
        ergodict.compare(networks, **what, measure="auc", checkpoint=state, resume=True)


def test_partial_fit_goes_on_as_if_it_had_not_stopped() -> None:
    whole = small(sampler="glauber", chains=2).fit("@karate")
    parts = small(sampler="glauber", chains=2, steps=5).fit("@karate")
    parts.partial_fit(steps=3)
    assert parts.n_steps_ == 8
    again = pickle.loads(pickle.dumps(parts))
    for model in (parts, again, copy.deepcopy(parts)):
        model.partial_fit("@karate", steps=4)
        assert np.array_equal(model.components_, whole.components_) and model.n_steps_ == 12
        assert model.chain_ == whole.chain_ and model.history_["loss"].tolist() == whole.history_["loss"].tolist()
    fresh = small(sampler="glauber", chains=2).partial_fit("@karate")
    assert np.array_equal(fresh.components_, whole.components_)


def test_any_number_of_threads_gives_the_same() -> None:
    one, two = (small(chains=3, n_jobs=jobs, batch_size=300).fit(["@karate", "@kite"]) for jobs in (1, 2))
    assert np.array_equal(one.components_, two.components_) and one.examples() == two.examples()


def test_it_is_an_estimator(tmp_path: Any) -> None:
    model = small(sampler="pivot").fit("@karate")
    other = clone(model)
    assert other.get_params() == model.get_params() and not hasattr(other, "components_")
    assert repr(other).startswith("NetworkDictionary(") and "sampler='pivot'" in repr(other)
    thawed = pickle.loads(pickle.dumps(model))
    assert np.array_equal(thawed.atoms_, model.atoms_) and thawed.networks_ == model.networks_
    thawed.save(tmp_path / "a.safetensors")
    model.save(tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()
    assert np.array_equal(model.fit("@karate").components_, thawed.components_)
    assert model.atoms_.shape == (4, 5, 5) and model.motif_ == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert np.isclose(model.dominance_.sum(), 1) and model.order_[0] == np.argmax(model.dominance_)
    assert 0 < model.chain_["acceptance"] <= 1 and model.chain_["mixing"][0]["observable"] == "edges off the motif"
    rng = NetworkDictionary(3, k=4, steps=2, random_state=np.random.default_rng(1)).fit("@kite")
    assert np.array_equal(small(n_components=3, k=4, steps=2, batch_size=100, random_state=rng.seed_).fit("@kite").components_, rng.components_)


def test_codes_and_examples() -> None:
    ids = {node: (f"n{node}",) for node in range(34)}
    edges = Network("@karate").to_edges()
    network = Network([(ids[int(u) - int(min(edges[0]))], ids[int(v) - int(min(edges[0]))]) for u, v in zip(edges[0], edges[1])])
    model = small().fit(network)
    assert model.codes(model.atoms_).shape == (4, 4) and (model.codes(model.components_) >= 0).all()
    assert model.codes(np.zeros((0, 25))).shape == (0, 4)
    found = model.examples(n=2)
    assert all(len(one) <= 2 for one in found) and all(node in network for one in found[0] for node in one["nodes"])
    example = found[0][0]
    assert all(network.weight(example["nodes"][a], example["nodes"][b]) == 1 for a, b in example["entries"])
    assert [one[:2] for one in model.examples()] == found and model.examples(n=4) == model.examples()
    assert {node for one in model.examples("@davis", n=1) for each in one for node in each["nodes"]} <= set(Network("@davis").nodes)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_fit_is_usable_and_goes_on() -> None:
    program = textwrap.dedent(
        """
        import os, signal, threading, numpy as np
        from ergodict import NetworkDictionary
        model = NetworkDictionary(6, k=12, steps=1500, random_state=1)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            model.fit("@lesmis")
            print("not interrupted")
        except KeyboardInterrupt:
            steps = model.n_steps_
            assert 0 < steps < 1500, steps
            assert model.atoms_.shape == (6, 12, 12)
            model.partial_fit(steps=1)
            assert model.n_steps_ == steps + 1
            short = NetworkDictionary(6, k=12, steps=steps + 1, random_state=1).fit("@lesmis")
            assert np.array_equal(short.components_, model.components_)
            print("went on")
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ, check=False)
    assert done.stdout.strip() == "went on", done.stdout + done.stderr


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"k": 1}, "k is 1, but a patch of one node has no pair to learn from"),
        ({"k": 0}, "nodes"),
        ({"n_components": 0}, "the number of atoms is 0, but a dictionary has at least one"),
        ({"n_components": -3}, "the number of atoms is -3, but a dictionary has at least one"),
        ({"n_components": 10**12}, "the number of atoms is 1000000000000, but more than 1048576 are not supported"),
        ({"n_components": 10**6, "k": 2000}, "are available: lower k, n_components or batch_size"),
        ({"steps": 0}, "steps is 0, but at least one is needed"),
        ({"batch_size": 0}, "batch_size is 0, but a minibatch needs at least one patch"),
        ({"chains": 30}, "batch_size is 20, but each of 30 chains needs at least one patch of it"),
        ({"chains": 0}, "chains is 0, but it must be between 1 and 65536"),
        ({"every": 0}, "every is 0, but it must be at least 1"),
        ({"sampler": "gibbs"}, "the sampler is gibbs, but it must be walk, exact, pivot, pivot-approx, glauber or rejection"),
        ({"sampler": "pivot", "motif": "cycle"}, "@karate: "),
        ({"motif": "ring"}, "motif is ring, but it must be one of path, star, cycle, complete"),
        ({"motif": [(0, 7)], "k": 3}, "motif"),
        ({"schedule": "sometimes"}, "sometimes"),
        ({"dictionary": "egg"}, "egg"),
        ({"alpha": -1.0}, "alpha is -1.0, but it must be a number that is not negative"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"dict_init": np.ones((2, 2))}, "dict_init is 2×2, but 4×25 is needed"),
        ({"dtype": "int8"}, "dtype is int8, but it must be float32 or float64"),
        ({"random_state": -1}, "random_state is -1"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"component": "first"}, "component is 'first', but it must be largest or all"),
        ({"static": True, "dtype": "float32"}, "static calculates in 64 bits"),
    ],
)
def test_bad_parameters_are_refused_in_words(parameters: Any, words: str) -> None:
    with pytest.raises((ValueError, MemoryError)) as raised:
        small(**parameters).fit("@karate")
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bad_data_are_refused_in_words(tmp_path: Any, cli: Any) -> None:
    model = small()
    with pytest.raises(NotFittedError):
        model.reconstruct("@karate")
    with pytest.raises(NotFittedError):
        model.partial_fit()
    for bad in ([], Network.from_edges([], nodes=[1, 2]), Network.from_edges([], nodes=[])):
        with pytest.raises(ValueError):
            model.fit(bad)
    with pytest.raises(TypeError):
        model.fit(3)
    with pytest.raises(ValueError, match="snapshots needs at least two networks, but one is given"):
        model.fit("@karate", snapshots=True)
    with pytest.raises(TypeError, match="k is 2.5, but it must be an integer"):
        small(k=2.5).fit("@karate")
    model.fit("@karate")
    with pytest.raises(ValueError, match="99 is a node which the network does not have"):
        model.reconstruct("@karate", samples=10, pairs=[(1, 99)])
    for parameters, words in (
        ({"samples": 0}, "samples is 0, but at least one sample is needed"),
        ({"mode": "odd"}, "mode is 'odd', but it must be plain or off-motif"),
        ({"shrinkage": -1}, "shrinkage is -1.0, but it must be a number that is not negative"),
        ({"threshold": float("inf")}, "threshold is inf, but it must be a finite number"),
        ({"memory": 0}, "memory is 0, but at least one mebibyte is needed"),
    ):
        with pytest.raises(ValueError, match=words):
            model.reconstruct("@karate", **{"samples": 10, **parameters})
    with pytest.raises(ValueError, match="is 2×3, but 25 columns are needed"):
        model.codes(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="at least two networks"):
        model.compare(["@karate"])
    (tmp_path / "text.safetensors").write_text("no model")
    with pytest.raises(ValueError, match="not a model file of ergodict"):
        NetworkDictionary.load(tmp_path / "text.safetensors")
    with pytest.raises(FileNotFoundError):
        NetworkDictionary.load(tmp_path / "nowhere.safetensors")
    np.save(tmp_path / "x.npy", np.random.default_rng(0).random((20, 4)))
    cli("factor", tmp_path / "x.npy", "-r", 2, "-o", tmp_path / "factor.safetensors", "-q")
    with pytest.raises(ValueError, match="is a model of factor, not of networks: make one with `ergodict network learn`"):
        NetworkDictionary.load(tmp_path / "factor.safetensors")


def test_a_loaded_model_goes_on_with_new_chains(tmp_path: Any) -> None:
    model = small().fit("@karate")
    model.save(tmp_path / "m.safetensors")
    again = NetworkDictionary.load(tmp_path / "m.safetensors")
    with pytest.raises(NotFittedError):
        again.partial_fit()
    assert again.partial_fit("@karate", steps=2).n_steps_ == 14
    with pytest.raises(ValueError, match="the dictionary of the model is 25×4, but 9×4 is needed"):
        NetworkDictionary.load(tmp_path / "m.safetensors").set_params(k=3).partial_fit("@karate")
    with pytest.raises(ValueError, match="learned at once and cannot be continued"):
        small(static=True, k=3).fit("@kite").partial_fit()


def test_python_graphs_give_what_their_files_give(tmp_path: Any) -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.karate_club_graph()
    networkx.write_edgelist(graph, tmp_path / "karate.txt", data=False)
    of_file = small().fit(tmp_path / "karate.txt")
    of_graph = small().fit(Network(graph, weighted=False))
    assert np.array_equal(of_file.components_, of_graph.components_)


def test_schedules_are_names_lists_and_functions(tmp_path: Any) -> None:
    def atoms(schedule: Any, **more: Any) -> Any:
        return small(schedule=schedule, **more).fit("@karate").components_

    balanced = atoms("balanced")
    assert np.array_equal(atoms([1 / t for t in range(1, 13)]), balanced)
    assert np.array_equal(atoms(lambda t: 1 / t), balanced)
    assert np.array_equal(atoms(np.array([1.0, 0.5])), atoms([1.0] + 11 * [0.5]))
    assert not np.array_equal(atoms([1.0, 0.5]), balanced)
    with pytest.raises(ValueError, match="the weight of step 3 is 0.0"):
        atoms(lambda t: float(t < 3))
    # Steps that were not planned at first have weights of the function, too.
    longer = small(schedule=lambda t: 1 / t, steps=7).fit("@karate").partial_fit(steps=5)
    plain = small(schedule="balanced", steps=7).fit("@karate").partial_fit(steps=5)
    assert longer.n_steps_ == 12 and np.array_equal(longer.components_, plain.components_)
    snapshots = [small(schedule=one).fit(["@karate", "@kite"], snapshots=True).components_ for one in ("balanced", lambda t: 1 / t)]
    assert np.array_equal(*snapshots)
    with pytest.warns(UserWarning, match="the schedule is a function, which a file cannot hold"):
        longer.save(tmp_path / "m.safetensors")
    assert NetworkDictionary.load(tmp_path / "m.safetensors").schedule.startswith("given:1,0.5,")


def test_sets_of_every_kind_hold_the_atoms(tmp_path: Any) -> None:
    center = np.full((4, 25), 0.1)
    model = small(dictionary=Near(center, 0.2, nonnegative=True)).fit("@karate")
    assert np.linalg.norm(model.components_ - center) <= 0.2 + 1e-9
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.partial_fit(steps=3).components_, model.partial_fit(steps=3).components_)
    model.save(tmp_path / "m.safetensors")
    with pytest.raises(ValueError, match="give it again: dictionary="):
        NetworkDictionary.load(tmp_path / "m.safetensors")
    for open_it in (NetworkDictionary.load, ergodict.load):
        loaded = open_it(tmp_path / "m.safetensors", dictionary=Near(center, 0.2, nonnegative=True))
        assert np.array_equal(loaded.components_, model.components_)
        assert np.array_equal(pickle.loads(pickle.dumps(loaded)).components_, model.components_)
    assert loaded.partial_fit("@karate", steps=2).n_steps_ == model.n_steps_ + 2
    assert model.reconstruct("@karate", samples=500).edge_coverage > 0.5
    # A projection of one's own is the set that it projects on; what it raises is raised, and the step undone.
    scheme = {"dict_tol": 1e-9, "dict_sweeps": 50}
    own = small(dictionary=Projection(_onto_ball), **scheme).fit("@karate")
    np.testing.assert_allclose(own.components_, small(dictionary="nonneg-ball", **scheme).fit("@karate").components_, atol=1e-5)
    calls = iter(range(60))

    def fails(atom: np.ndarray) -> np.ndarray:
        if next(calls, None) is None:
            raise LookupError("no such atom")
        return _onto_ball(atom)

    broken = small(dictionary=Projection(fails))
    with pytest.raises(LookupError, match="no such atom"):
        broken.fit("@karate")
    assert 0 < broken.n_steps_ < 12 and (np.linalg.norm(broken.components_, axis=1) <= 1 + 1e-9).all()


def _onto_ball(atom: np.ndarray) -> np.ndarray:
    atom = np.maximum(atom, 0.0)
    return atom / max(1.0, np.linalg.norm(atom))


def test_chains_report_effective_minibatches() -> None:
    # Minibatches of one patch each have the memory of the chain; of a hundred they have hardly any.
    chain = NetworkDictionary(3, k=4, steps=400, batch_size=1, sampler="pivot", random_state=0).fit("@karate").chain_
    assert chain["minibatches"] == 400 and 0 < chain["effective_minibatches"] <= 400
    assert chain["effective_minibatches"] == pytest.approx(400 / max(1, chain["mixing"][0]["autocorrelation_time"]))
    wide = NetworkDictionary(3, k=4, steps=40, sampler="pivot", random_state=0).fit("@karate").chain_
    assert wide["effective_minibatches"] == 40
    assert "minibatches" not in NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate").chain_
