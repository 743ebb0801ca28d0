"""Network dictionaries that are loaded, stopped, taken further and given odd data: what they do then."""

from __future__ import annotations

import os
import pickle
import subprocess
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from test_network_dictionary import contents, small

import ergodict
from ergodict import Network, NetworkDictionary


@pytest.mark.filterwarnings("ignore:the largest of")
def test_a_loaded_model_reconstructs_as_the_command_line_does(cli: Any, tmp_path: Any) -> None:
    saved, table = tmp_path / "model.safetensors", tmp_path / "rebuilt.tsv"
    network = Network([(0, 1), (1, 2), (2, 0), (2, 3), (5, 6), (6, 7)])
    network.write(tmp_path / "net.txt")
    for parameters in ({}, {"chains": 2, "component": "all", "lazy": True}):
        model = small(k=3, **parameters).fit(network)
        model.save(saved)
        cli("network", "reconstruct", tmp_path / "net.txt", "--model", saved, "--samples", 2000, "--seed", 5, "-o", table, "-q")
        rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
        again = NetworkDictionary.load(saved)
        for one in (model, again):
            rebuilt = one.reconstruct(network, samples=2000, random_state=5)
            assert rebuilt.counts.tolist() == [int(row[3]) for row in rows]
            assert rebuilt.weights.tolist() == [float(row[2]) for row in rows]
        assert again.chains == parameters.get("chains")
    # A dictionary of one chain is compared on as many chains before it is saved and after.
    one, many = (small(chains=chains, sampler="exact") for chains in (1, None))
    one.fit("@karate").save(saved)
    same = [each.compare(["@karate", "@kite"], samples=500).matrix for each in (NetworkDictionary.load(saved), many, one)]
    assert np.array_equal(same[0], same[1]) and not np.array_equal(same[1], same[2])


def test_a_motif_of_edges_is_not_taken_for_a_chain_by_the_command_line(cli: Any, tmp_path: Any) -> None:
    saved, again = tmp_path / "edges.safetensors", tmp_path / "again.safetensors"
    small(motif=[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]).fit("@karate").save(saved)
    program = os.environ["ERGODICT_CLI"]
    command = [program, "network", "learn", "@karate", "--config", str(saved), "-o", str(again), "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "--motif is the edges 0-1 1-2 2-0 2-3 3-4 without a file, but it must be one of path, star" in done.stderr
    # Edges that are those of a shape are called so.
    small(motif=[(0, 1), (0, 2), (0, 3), (0, 4)]).fit("@karate").save(saved)
    cli("network", "learn", "@karate", "--config", saved, "-o", again, "-q")
    assert contents(again)[1] == contents(saved)[1]


def test_a_fit_stopped_before_its_first_step_leaves_no_older_atoms(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small().fit("@karate")

    def stopped(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("ergodict.network_dictionary.progress", stopped)
        model.set_params(k=6).fit("@kite")
    assert not hasattr(model, "components_") and not hasattr(model, "n_steps_")
    with pytest.raises(NotFittedError):
        model.reconstruct("@karate")
    # What is refused leaves all as it is, and what was stopped goes on.
    assert np.array_equal(model.partial_fit().components_, small(k=6).fit("@kite").components_)
    with pytest.raises(ValueError):
        model.set_params(k=1).fit("@kite")
    assert model.atoms_.shape == (4, 6, 6)


def test_pairs_asked_for_twice_are_one_in_the_reconstruction() -> None:
    model = small().fit("@karate")
    once = model.reconstruct("@karate", samples=2000, pairs=[(1, 2), (3, 4)])
    twice = model.reconstruct("@karate", samples=2000, pairs=[(1, 2), (3, 4), (2, 1), (1, 2)])
    assert len(twice) == 4 and twice.weights[0] == twice.weights[2] > 0
    assert np.array_equal(twice.to_scipy().toarray(), once.to_scipy().toarray())
    assert twice.to_network(0.0) == once.to_network(0.0)
    # Arcs there and back are two.
    network = Network([(0, 1), (1, 0), (1, 2), (2, 0)], directed=True)
    both = small(k=3).fit(network).reconstruct(network, samples=500, pairs=[(0, 1), (1, 0), (0, 1)])
    assert both.to_scipy().toarray()[[0, 1], [1, 0]].tolist() == both.weights[:2].tolist()


def test_the_network_that_chains_are_in_is_no_new_snapshot(cli: Any, tmp_path: Any) -> None:
    karate = Network("@karate")
    u, v, _ = karate.to_edges()
    less = Network(list(zip(u[1:].tolist(), v[1:].tolist())))
    model = small(steps=5, sampler="pivot").fit(karate).partial_fit(less, steps=2)
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(less, steps=3)
        assert one.n_steps_ == 10 and len(one.networks_) == 2
    assert np.array_equal(model.components_, again.components_)
    # 5 and 5 is what the command line can do, too; 5 and 6 it cannot, and says so.
    saved, repeated = tmp_path / "m.safetensors", tmp_path / "r.safetensors"
    karate.write(tmp_path / "a.txt")
    less.write(tmp_path / "b.txt")
    model.save(saved)
    assert contents(saved)[0]["run"]["config"]["steps"] == 5
    cli("network", "learn", tmp_path / "a.txt", tmp_path / "b.txt", "--config", saved, "-o", repeated, "-q")
    assert contents(repeated)[1] == contents(saved)[1]
    model.partial_fit(steps=1).save(saved)
    assert contents(saved)[0]["run"]["config"]["steps"] == [5, 6]
    command = [os.environ["ERGODICT_CLI"], "network", "learn", tmp_path / "a.txt", tmp_path / "b.txt", "--config", saved, "-o", repeated, "-q"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode != 0 and len(done.stderr.strip().splitlines()) == 1 and "steps" in done.stderr, done.stderr
    assert NetworkDictionary.load(saved).steps == 6


def test_a_loaded_model_learns_from_other_homomorphisms(tmp_path: Any) -> None:
    saved = tmp_path / "m.safetensors"

    def seen(model: NetworkDictionary) -> Any:
        return model.chain_["mixing"][0]["mean"]

    first = small(batch_size=200, steps=1).fit("@karate")
    means = [seen(first)]
    for steps in (2, 3):
        first.save(saved)
        first = NetworkDictionary.load(saved).partial_fit("@karate", steps=1)
        assert first.n_steps_ == steps and first.seed_ == 3
        means.append(seen(first))
    assert len(set(means)) == 3, means
    thawed = pickle.loads(pickle.dumps(first))
    assert np.array_equal(thawed.partial_fit(steps=2).components_, first.partial_fit(steps=2).components_)


def test_codes_without_a_seed_are_not_of_the_patches_learned_from() -> None:
    model = small().fit("@karate")
    trained = model.codes(ergodict.sample(ergodict.Network("@karate").unweighted(), k=5, sampler="walk", random_state=3).patches(40))
    assert not np.array_equal(model.transform("@karate", n=40), trained)
    assert np.array_equal(model.transform("@karate", n=40), model.transform("@karate", n=40))
    assert np.array_equal(model.transform("@karate", n=40, random_state=3), trained)


def test_lists_of_pairs_in_a_list_are_several_networks() -> None:
    model = small(k=2).fit([[(0, 1), (1, 2)], [(3, 4), (4, 5)]])
    assert [one["nodes"] for one in model.networks_] == [3, 3]
    assert len(small(k=2).fit([[[0, 1], [1, 2], [2, 0]], [[3, 4], [4, 5], [5, 3]]]).networks_) == 2
    # Tuples of tuples are edges between ids that are pairs, as networkx lists those of grids.
    assert [one["nodes"] for one in small(k=2).fit([((0, 0), (0, 1)), ((0, 1), (1, 1))]).networks_] == [3]
    assert [one["nodes"] for one in small(k=2).fit([[0, 1], [1, 2]]).networks_] == [3]


def unaligned(values: Any) -> Any:
    """The same numbers, one byte off."""
    array = np.asarray(values)
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
    found = raw[1:].view(array.dtype).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


def test_arrays_that_are_not_aligned_are_read_all_the_same() -> None:
    model = small().fit("@karate")
    assert np.array_equal(model.codes(unaligned(model.components_)), model.codes(model.components_))
    assert np.array_equal(model.codes(unaligned(model.atoms_)), model.codes(model.components_))
    init = np.random.default_rng(0).random((4, 25))
    assert np.array_equal(small(dict_init=unaligned(init)).fit("@karate").components_, small(dict_init=init).fit("@karate").components_)
    # What goes to the extension itself is refused in words.
    for call in (
        lambda: model._fitted().codes(unaligned(model.components_)),
        lambda: ergodict._ergodict.evaluate_scores(unaligned([0.1, 0.2]), np.array([True, False]), 0.9),
        lambda: ergodict._ergodict.most_suspect(unaligned([0.1, 0.2]), True),
        lambda: Network("@karate")._core.part(unaligned(np.arange(3, dtype=np.uint32))),
    ):
        with pytest.raises(ValueError, match="the array is not aligned"):
            call()


def test_parts_that_are_left_out_are_said_aloud() -> None:
    parts = Network([(0, 1), (1, 2), (2, 3), (7, 8)])
    with pytest.warns(UserWarning, match="the largest of 2 components is sampled: 4 of 6 nodes"):
        model = NetworkDictionary(n_components=2, k=3, steps=2, random_state=0).fit(parts)
    with pytest.warns(UserWarning, match="the largest of 2 components"):
        model.reconstruct(parts, samples=50, random_state=0)


def test_atoms_that_nothing_uses_are_said_aloud() -> None:
    with pytest.warns(UserWarning, match="every code is zero, nothing was learned: the samples are zero, or alpha is too large"):
        NetworkDictionary(n_components=2, k=3, steps=2, alpha=1e9, random_state=0).fit("@karate")
