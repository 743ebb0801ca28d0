"""Chains in Python: the trajectories and minibatches of the command line, the laws they have, and what they refuse."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import ConvergenceWarning

from ergodict import RBM, XY, CellularPotts, Ising, Network, OnlineDictionary, OnlineNMF, Potts, Trajectory, chains, mixing, reconstruct_spins
from ergodict._chain import Chain

# Each system with the flags that ask the command line for it.
SYSTEMS: list[tuple[type[Chain], dict[str, Any], list[object]]] = [
    *((system, {"size": 12}, ["--model", system._model, "--size", 12]) for system in (getattr(chains, name) for name in chains.__all__)),
    (Ising, {"size": (12, 17)}, ["--size", "12x17"]),
    (Ising, {"size": 12, "update": "checkerboard"}, ["--size", 12, "--update", "checkerboard"]),
    (
        Ising,
        {"size": 9, "boundary": "free", "temperature": 1.7, "coupling": -0.5, "field": 0.3},
        ["--size", 9, "--boundary", "free", "--temperature", 1.7, "--coupling", -0.5, "--field", 0.3],
    ),
    (Ising, {"size": 12, "update": "wolff"}, ["--size", 12, "--update", "wolff"]),
    (Ising, {"size": 12, "update": "swendsen-wang", "field": 0.1}, ["--size", 12, "--update", "swendsen-wang", "--field", 0.1]),
    (Potts, {"size": 12, "update": "wolff"}, ["--model", "potts", "--size", 12, "--update", "wolff"]),
    (
        Potts,
        {"size": (9, 12), "states": 5, "boundary": "free", "update": "checkerboard", "field": 0.2},
        ["--model", "potts", "--size", "9x12", "--states", 5, "--boundary", "free", "--update", "checkerboard", "--field", 0.2],
    ),
    (Ising, {"size": 10, "start": "ordered"}, ["--size", 10, "--start", "ordered"]),
    (XY, {"size": (7, 9), "update": "wolff", "coupling": -0.5}, ["--model", "xy", "--size", "7x9", "--update", "wolff", "--coupling", -0.5]),
    (
        XY,
        {"size": 9, "update": "swendsen-wang", "boundary": "free", "start": "ordered"},
        ["--model", "xy", "--size", 9, "--update", "swendsen-wang", "--boundary", "free", "--start", "ordered"],
    ),
    (
        Potts,
        {"size": 11, "states": 4, "temperature": 0.8, "field": 0.2},
        ["--model", "potts", "--size", 11, "--states", 4, "--temperature", 0.8, "--field", 0.2],
    ),
    (
        CellularPotts,
        {"size": 20, "cells": 5, "adhesion": [16, 12, 14, 11, 10], "volume": 30, "perimeter_strength": 0.1},
        [
            "--model",
            "cellular-potts",
            "--size",
            20,
            "--cells",
            5,
            "--adhesion",
            "16,12,14,11,10",
            "--volume",
            30,
            "--perimeter-strength",
            0.1,
        ],
    ),
    (
        CellularPotts,
        {"size": 20, "cells": 3, "proposal": "any"},
        ["--model", "cellular-potts", "--size", 20, "--cells", 3, "--proposal", "any"],
    ),
    (
        RBM,
        {"size": 6, "hidden": 9, "weight_scale": 0.7},
        ["--model", "rbm", "--size", 6, "--hidden", 9, "--weight-scale", 0.7],
    ),
]
NAMES = [f"{kind.__name__}-{i}" for i, (kind, *_) in enumerate(SYSTEMS)]


def simulated(cli: Any, path: Path, *flags: object) -> tuple[np.ndarray, dict[str, Any]]:
    done = cli("spins", "simulate", *flags, "-o", path, "--json", "--quiet")
    return np.load(path), json.loads(done.stdout)


@pytest.mark.parametrize(("kind", "arguments", "flags"), SYSTEMS, ids=NAMES)
def test_trajectories_are_those_of_the_command_line(
    cli: Any, tmp_path: Path, kind: Any, arguments: Any, flags: Any
) -> None:
    expected, told = simulated(
        cli, tmp_path / "t.npy", *flags, "--every", 700, "--burn-in", 300, "--updates", 9000, "--seed", 5
    )
    chain = kind(**arguments, every=700, burn_in=300, random_state=5)
    found = chain.frames(len(expected))
    assert found.dtype == expected.dtype == (np.float64 if kind is XY else np.int8) and len(expected) >= 9
    np.testing.assert_array_equal(found, expected)
    assert told.get("acceptance") == chain.acceptance_
    series = kind(**arguments, every=700, burn_in=300, random_state=5).record(len(expected))
    for observable in told["observables"]:
        assert np.mean(series[observable["observable"]]) == pytest.approx(observable["mean"], rel=1e-12)


def test_several_chains_of_a_seed_are_those_of_the_command_line(cli: Any, tmp_path: Path) -> None:
    cli(
        "spins",
        "simulate",
        "--size",
        8,
        "--every",
        100,
        "--updates",
        500,
        "--seed",
        3,
        "--chains",
        3,
        "-o",
        tmp_path / "t.npy",
    )
    for chain in range(3):
        found = Ising(8, every=100, chain=chain, random_state=3).frames(5)
        np.testing.assert_array_equal(found, np.load(tmp_path / f"t-chain{chain}.npy"))


def test_graphs_are_those_of_the_command_line(cli: Any, tmp_path: Path) -> None:
    edges = np.array([[0, 1, 1.0], [1, 2, -0.5], [2, 3, 0.7], [3, 0, 1.3], [1, 4, -1.0]])
    path = tmp_path / "edges.txt"
    path.write_text("".join(f"{u:.0f} {v:.0f} {j}\n" for u, v, j in edges))
    flags = ["--graph", path, "--every", 50, "--updates", 1000, "--seed", 2, "--field", 0.1]
    expected, _ = simulated(cli, tmp_path / "t.npy", *flags)
    for graph in (edges, str(path), path, edges.tolist()):
        found = Ising(graph=graph, field=0.1, every=50, random_state=2).frames(20)
        np.testing.assert_array_equal(found, expected)
    path.write_text("".join(f"{u:.0f} {v:.0f}\n" for u, v, _ in edges))
    expected, _ = simulated(cli, tmp_path / "t.npy", *flags, "--coupling", 0.6)
    for graph in (edges[:, :2], Network.read(path), Network(edges[:, :2].astype(int))):
        found = Ising(graph=graph, field=0.1, coupling=0.6, every=50, random_state=2).frames(20)
        np.testing.assert_array_equal(found, expected)


def test_weights_and_fields_from_files_and_arrays_are_the_same(cli: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    w, b, c = rng.normal(size=(12, 5)), rng.normal(size=12), rng.normal(size=5)
    np.savez(tmp_path / "w.npz", W=w, b=b, c=c)
    expected, _ = simulated(
        cli,
        tmp_path / "t.npy",
        "--model",
        "rbm",
        "--size",
        "3x4",
        "--weights",
        tmp_path / "w.npz",
        "--every",
        24,
        "--updates",
        480,
        "--seed",
        1,
    )
    for machine in (
        RBM(w, b, c, size=(3, 4), every=24, random_state=1),
        RBM(tmp_path / "w.npz", size=(3, 4), every=24, random_state=1),
    ):
        np.testing.assert_array_equal(machine.frames(len(expected)), expected)
    field = rng.normal(size=(6, 7))
    np.save(tmp_path / "h.npy", field)
    flags = ["--size", "6x7", "--field", tmp_path / "h.npy", "--every", 42, "--updates", 420, "--seed", 1]
    expected, _ = simulated(cli, tmp_path / "t.npy", *flags)
    np.testing.assert_array_equal(Ising((6, 7), field=field, every=42, random_state=1).frames(10), expected)


@pytest.mark.parametrize(
    ("kind", "arguments", "flags", "spins"),
    [
        (Ising, {"size": 24}, ["--size", 24], None),
        (Ising, {"size": 24, "update": "checkerboard"}, ["--size", 24, "--update", "checkerboard"], "signed"),
        (Potts, {"size": 16, "states": 3}, ["--model", "potts", "--size", 16], None),
        (
            CellularPotts,
            {"size": 24, "cells": 6},
            ["--model", "cellular-potts", "--size", 24, "--cells", 6],
            None,
        ),
        (RBM, {"size": 10}, ["--model", "rbm", "--size", 10], None),
        (XY, {"size": 10}, ["--model", "xy", "--size", 10], "vector"),
    ],
)
def test_minibatches_are_those_the_command_line_learns_from(
    cli: Any, tmp_path: Path, kind: Any, arguments: Any, flags: Any, spins: Any
) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    more = [] if spins is None else ["--spins", spins, "--code", "nonneg", "--dictionary", "nonneg-ball"]
    # B of the first step is H Xᵀ and A is H Hᵀ; with one atom of ones, no penalty and one step they are known from X alone.
    out, ones = tmp_path / "m.safetensors", tmp_path / "w.npy"
    chain = kind(**arguments, every=2000, burn_in=500, random_state=11)
    x = next(chain.minibatches(patch=(3, 4), n=50, spins=spins))
    w = np.ones((x.shape[1], 1)) / np.sqrt(x.shape[1])
    np.save(ones, w)
    cli(
        "spins",
        "learn",
        *flags,
        "--every",
        2000,
        "--burn-in",
        500,
        "--updates",
        2000,
        "--patch",
        "3x4",
        "--patches",
        50,
        "-r",
        1,
        "--lambda",
        0,
        "--init",
        ones,
        "--seed",
        11,
        *more,
        "-o",
        out,
    )
    found = safetensors.load_file(out)
    h = np.maximum(w.T @ x.T, 0)
    np.testing.assert_allclose(found["A"], h @ h.T, rtol=1e-9)
    np.testing.assert_allclose(found["B"], h @ x, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_dictionary_learned_is_that_of_the_command_line(cli: Any, tmp_path: Path, dtype: Any) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    chain = Ising(24, temperature=2.0, every=500, burn_in=300, random_state=3)
    model = OnlineNMF(n_components=6, alpha=0.5, schedule="balanced", code_tol=1e-6, dict_tol=1e-3, random_state=3)
    model.fit_stream(chain.minibatches(patch=5, n=40, steps=10, dtype=dtype))
    flags = [
        "--size",
        24,
        "--temperature",
        2,
        "--every",
        500,
        "--burn-in",
        300,
        "--updates",
        5000,
        "--seed",
        3,
    ]
    more = ["--f32"] if dtype == np.float32 else []
    out = tmp_path / "m.safetensors"
    cli("spins", "learn", *flags, "-r", 6, "--patch", 5, "--patches", 40, *more, "-o", out)
    found = safetensors.load_file(out)["W"].T
    assert model.components_.dtype == found.dtype == dtype
    np.testing.assert_array_equal(model.components_, found)


def test_reconstruction_is_that_of_the_command_line(cli: Any, tmp_path: Path) -> None:
    model, frames, out = (tmp_path / name for name in ("m.safetensors", "t.npy", "r.npy"))
    for flags, kind in (
        (["--size", 18], Ising),
        (["--model", "potts", "--size", 12], Potts),
        (["--model", "xy", "--size", 12], XY),
        (["--model", "cellular-potts", "--size", 18, "--cells", 4], CellularPotts),
    ):
        cli(
            "spins",
            "learn",
            *flags,
            "-r",
            6,
            "--patch",
            4,
            "--patches",
            60,
            "--every",
            500,
            "--updates",
            5000,
            "-o",
            model,
        )
        cli("spins", "simulate", *flags, "--every", 500, "--updates", 2000, "--seed", 9, "-o", frames)
        done = cli("spins", "reconstruct", model, frames, "--stride", 2, "--lambda", 0.1, "-o", out, "--json")
        rebuilt, info = reconstruct_spins(model, np.load(frames)[-1], stride=2, alpha=0.05, return_info=True)
        np.testing.assert_array_equal(rebuilt.reshape(np.load(out).shape), np.load(out))
        right = json.loads(done.stdout)["sites_right"]
        assert np.isnan(info["sites_right"]) if kind is XY else info["sites_right"] == right
        assert rebuilt.shape[:2] == np.load(frames)[-1].shape and issubclass(kind, Chain)


def test_the_law_of_a_tiny_model_is_the_one_of_boltzmann() -> None:
    # All 2⁶ configurations of a 2×3 lattice with free edges; states far enough apart to count as independent.
    temperature, field = 1.6, 0.25
    configurations = np.array(list(itertools.product([-1, 1], repeat=6))).reshape(-1, 2, 3)
    bonds = (configurations[:, 1:] * configurations[:, :-1]).sum((1, 2)) + (
        configurations[:, :, 1:] * configurations[:, :, :-1]
    ).sum((1, 2))
    law = np.exp((bonds + field * configurations.sum((1, 2))) / temperature)
    law /= law.sum()
    for update in ("random", "checkerboard", "wolff", "swendsen-wang"):
        chain = Ising(
            (2, 3),
            temperature=temperature,
            field=field,
            boundary="free",
            update=update,
            every=120,
            random_state=4,
        )
        seen = (chain.frames(12_000).reshape(-1, 6) > 0) @ (1 << np.arange(5, -1, -1))
        counts = np.bincount(seen, minlength=64)
        # Rare configurations are put together, so that five are expected in each.
        order = np.argsort(law)
        few = np.cumsum(law[order]) * len(seen) < 5
        rare = order[few]
        keep = order[~few]
        found = np.append(counts[keep], counts[rare].sum())
        expected = np.append(law[keep], law[rare].sum()) * len(seen)
        valid = expected > 0
        assert stats.chisquare(found[valid], expected[valid]).pvalue > 1e-3


@pytest.mark.parametrize(("kind", "arguments", "flags"), SYSTEMS, ids=NAMES)
def test_pickles_and_copies_go_on_to_the_same_bytes(kind: Any, arguments: Any, flags: Any) -> None:
    chain = kind(**arguments, every=500, burn_in=100, random_state=1)
    chain.patches(4, 10)
    next(chain)
    again, copied = pickle.loads(pickle.dumps(chain)), copy.deepcopy(chain)
    for other in (again, copied):
        assert (
            repr(other) == repr(chain)
            and other.updates == chain.updates
            and other.acceptance_ == chain.acceptance_
        )
    expected, cut = chain.frames(3), chain.patches(4, 10)
    for other in (again, copied):
        np.testing.assert_array_equal(other.frames(3), expected)
        np.testing.assert_array_equal(other.patches(4, 10), cut)


def test_chains_do_not_change_with_the_callers_arrays() -> None:
    rng = np.random.default_rng(0)
    field, edges, start = rng.normal(size=(6, 6)), np.array([[0.0, 1.0, 0.5]]), np.ones((6, 6), dtype=np.int8)
    weights, visible, hidden = rng.normal(size=(9, 4)), rng.normal(size=9), rng.normal(size=4)
    for make, arrays in (
        (lambda: Ising(6, field=field, start=start, every=36, random_state=0), [field, start]),
        (lambda: Ising(graph=edges, every=2, random_state=0), [edges]),
        (lambda: RBM(weights, visible, hidden, every=9, random_state=0), [weights, visible, hidden]),
    ):
        kept = [array.copy() for array in arrays]
        want = make().frames(20)
        chain = make()
        for array in arrays:
            array[...] = 0
        # A pickle restores the chain from what it keeps.
        for one in (pickle.loads(pickle.dumps(chain)), chain):
            np.testing.assert_array_equal(one.frames(20), want)
        for array, before in zip(arrays, kept):
            array[...] = before
        assert not any(np.shares_memory(array, own) for array in arrays for own in vars(chain).values() if isinstance(own, np.ndarray))


def test_whole_floats_are_counts_for_record_as_for_frames() -> None:
    ising = Ising(6, every=36, random_state=0)
    assert ising.record(1e1)["energy"].shape == (10,) and ising.frames(1e1).shape == (10, 6, 6)
    for count in (1.5, "3", None, True):
        with pytest.raises(TypeError, match="n is .*, but it must be an integer"):
            ising.record(count)


def test_frames_and_records_report_progress(capsys: pytest.CaptureFixture[str]) -> None:
    ising = Ising(6, every=36, random_state=0)
    ising.frames(5, verbose=True)
    assert "simulating" in capsys.readouterr().err
    ising.record(5, verbose=True)
    assert "measuring" in capsys.readouterr().err
    ising.record(5)
    assert capsys.readouterr().err == ""


def test_states_are_copies_and_can_be_set() -> None:
    chain = Ising(6, every=10, random_state=0)
    first = next(chain)
    kept = first.copy()
    next(chain)
    np.testing.assert_array_equal(first, kept)
    first[:] = 1
    chain.state = first
    assert (
        chain.measure("magnetization") == 1.0
        and chain.measure("energy") == -2.0
        and chain.measure("cluster") == 1.0
    )
    first[:] = -1
    assert chain.measure("magnetization") == 1.0
    for bad, words in (
        (np.zeros((6, 6)), "−1 or 1"),
        (np.ones((5, 6)), "5×6 sites, but the system has 6×6"),
        (np.full((6, 6), 0.5), "values"),
    ):
        with pytest.raises(ValueError, match=words):
            chain.state = bad
    with pytest.raises(TypeError, match="dtype"):
        chain.state = np.full((6, 6), "x")
    with pytest.raises(ValueError):
        chain.state = np.full((6, 6), 257)
    chain.advance(17)
    np.testing.assert_array_equal(Ising(6, start=chain.state, random_state=0).state, chain.state)


def test_an_interrupted_chain_is_where_it_was_and_goes_on() -> None:
    import signal

    class Stopped(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    chain = Ising(64, every=10**12, random_state=6)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Stopped):
            next(chain)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert 0 < chain.updates < 10**12
    other = Ising(64, random_state=6)
    other.advance(chain.updates)
    np.testing.assert_array_equal(chain.state, other.state)
    # On the way to a state it goes on to the very same one.
    chain.every = 2 * chain.updates
    other.advance(other.updates)
    np.testing.assert_array_equal(next(chain), other.state)


def test_long_arguments_are_only_named() -> None:
    edges = [[i, i + 1] for i in range(100)]
    assert "<list of 100>" in repr(Ising(graph=edges, random_state=0))
    assert "of shape (3, 4)" in repr(Ising((3, 4), field=np.zeros((3, 4)), random_state=0))


def test_random_states_are_recorded_and_float32_is_the_same_numbers() -> None:
    chain = Ising(8, every=50)
    np.testing.assert_array_equal(chain.frames(2), Ising(8, every=50, random_state=chain.seed_).frames(2))
    rng = np.random.default_rng(0)
    assert Ising(8, random_state=rng).seed_ != Ising(8, random_state=rng).seed_
    wide, narrow = (
        Ising(9, random_state=0).patches(3, 20, dtype=dtype) for dtype in (np.float64, np.float32)
    )
    assert wide.dtype == np.float64 and narrow.dtype == np.float32
    np.testing.assert_array_equal(wide, narrow)


def test_checking_arguments_takes_no_random_numbers() -> None:
    first, second = (Ising(9, every=50, random_state=0) for _ in range(2))
    first.minibatches(patch=3, n=5)
    np.testing.assert_array_equal(
        next(first.minibatches(patch=3, n=5)), next(second.minibatches(patch=3, n=5))
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Ising(0), "size is 0, but a side must be from 1"),
        (lambda: Ising(-1), "size is -1"),
        (lambda: Ising((3, 4, 5)), "size has 3 sides"),
        (lambda: Ising(10**6), "2³¹ sites"),
        (lambda: Ising(8, temperature=0), "the temperature is 0, but it must be a positive number"),
        (
            lambda: Ising(8, temperature=float("nan")),
            "the temperature is NaN, but it must be a positive number",
        ),
        (
            lambda: Potts(8, temperature=float("inf")),
            "the temperature is inf, but it must be a positive number",
        ),
        (lambda: Ising(8, update="metropolis"), "update is 'metropolis', but it must be random"),
        (lambda: Potts(8, update="wolff", coupling=-1.0), "clusters of a Potts model need one that is not negative"),
        (lambda: CellularPotts.scan([1.0], size=8), "scans are of the Ising model, the Potts model and the XY model"),
        (lambda: Ising.scan([], size=8), "temperatures is empty"),
        (lambda: Ising.scan([2.0], size=4, burn_in=2**62), "the burn-in is 4611686018427387904, but it must be at most"),
        (lambda: Ising(8, boundary="open"), "boundary is 'open', but it must be periodic or free"),
        (lambda: Ising(8, every=0), "every is 0, but it must be at least 1"),
        (lambda: Ising(8, burn_in=-1), "burn_in is -1"),
        (lambda: Ising(8, coupling=float("nan")), "the coupling is NaN"),
        (lambda: Ising(8, field=np.ones(7)), "field"),
        (lambda: Ising(graph=[[0, 0]]), "it must join two different nodes"),
        (lambda: Ising(graph=[[0, 1], [1, 0]]), "it must be given only once"),
        (lambda: Ising(graph=np.zeros((0, 2))), "the number of nodes is 0"),
        (lambda: Ising(graph=[[0, 1]], update="checkerboard"), "checkerboard is for lattices"),
        (lambda: Ising(graph=[[0, 1]], random_state=0).patches(1, 1), "patches are cut from a lattice"),
        (lambda: Potts(8, states=1), "states"),
        (lambda: Potts(9, update="checkerboard"), "checkerboard sweeps need even sides on a torus"),
        (lambda: Potts(8, field=[1.0]), "a field of the Potts model is the same everywhere"),
        (lambda: CellularPotts(8, cells=0), "cells is 0, but it must be between 1 and 127"),
        (
            lambda: CellularPotts(8, cells=2, adhesion=[1, 2, 3]),
            r"3 numbers\), but one type of cells needs 2",
        ),
        (lambda: CellularPotts(8, cells=2, start="ordered"), "never leaves"),
        (lambda: RBM(hidden=0), "a machine needs at least one hidden unit"),
        (lambda: RBM(np.ones((4, 2)), hidden=3), "leave hidden and weight_scale out"),
        (lambda: RBM(np.ones((4, 2)), np.ones(3)), "one for each of 4 visible units"),
        (lambda: RBM(np.full((4, 2), np.nan)), "the weights is NaN"),
        (lambda: Ising(8).measure("entropy"), "it must be one of energy, magnetization, cluster"),
        (lambda: RBM(size=3).measure("cluster"), "this system is on no lattice"),
        (lambda: Ising(8).patches(9), "the patch is 9×9, but at most 8×8"),
        (lambda: Ising(8).patches(0), "a side must be from 1"),
        (lambda: Ising(8).patches(3, 0), "n is 0, but it must be at least 1"),
        (lambda: Ising(8).patches(3, spins="one-hot"), "two-valued spins are zero-one or signed"),
        (lambda: Ising(8).minibatches(patch=9), "the patch is 9×9"),
        (lambda: Ising(8).patches(3, dtype=int), "float32 or float64"),
        (lambda: reconstruct_spins(np.eye(9), np.zeros((5, 5)) + 0.5), "no spins"),
        (lambda: reconstruct_spins(np.eye(9), np.ones((2, 2))), "the patch is 3×3, but at most 2×2"),
        (lambda: reconstruct_spins(np.eye(9), np.ones((5, 5)), stride=4), "the stride is 4"),
        (lambda: reconstruct_spins(np.eye(7), np.ones((5, 5))), "no squares"),
    ],
)
def test_what_cannot_be_is_refused_in_words(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Ising("8"),
        lambda: Ising(2.5),
        lambda: Ising(True),
        lambda: Ising(8, temperature="hot"),
        lambda: Ising(8, temperature=None),
        lambda: Ising(8, random_state="x"),
        lambda: Ising(8, field=["a"]),
        lambda: Ising(8).measure(3),
        lambda: Ising(8).frames("x"),
        lambda: Ising(graph=3),
        lambda: RBM(np.array([["a"]])),
        lambda: Ising(8).patches(3, spins=4),
    ],
)
def test_other_kinds_of_objects_are_type_errors(make: Any) -> None:
    with pytest.raises(TypeError):
        make()


def test_what_does_not_fit_into_memory_is_an_error_and_no_crash() -> None:
    with pytest.raises((MemoryError, ValueError)):
        Ising(30, random_state=0).patches(20, 10**12)
    with pytest.raises((MemoryError, ValueError)):
        Ising(30, random_state=0).frames(10**15)


def test_a_machine_of_scikit_learn_is_sampled_by_its_own_law() -> None:
    from sklearn.neural_network import BernoulliRBM

    random = np.random.default_rng(0)
    data = (random.random((300, 4)) < [0.2, 0.5, 0.7, 0.9]).astype(float)
    data[:, 1] = data[:, 0]
    fitted = BernoulliRBM(n_components=3, learning_rate=0.2, n_iter=30, random_state=0).fit(data)
    # A step updates all seven units.
    rbm = RBM.from_sklearn(fitted, size=(1, 4), every=10 * 7, burn_in=700, random_state=0)
    states = np.array([[(i >> b) & 1 for b in range(4)] for i in range(16)], dtype=float)
    logs = -fitted._free_energy(states)
    law = np.exp(logs - logs.max())
    law /= law.sum()
    draws = 4000
    frames = rbm.frames(draws).reshape(draws, 4)
    # Each state as an indicator: its share against its probability, in errors that know how the chain remembers.
    share = mixing(np.array([[(frames == state).all(axis=1) for state in states]]).transpose(0, 2, 1))
    for state in range(16):
        # Where a state is too rare to have been seen, at most a few are expected.
        error = max(share["mcse_mean"][state], np.sqrt(law[state] / draws))
        assert abs(share["mean"][state] - law[state]) < 5 * error, state
    rbm.state = states[5].reshape(1, 4)
    assert 4 * rbm.measure("energy") == pytest.approx(fitted._free_energy(states[5:6])[0])
    with pytest.raises(TypeError, match="a BernoulliRBM that is fitted"):
        RBM.from_sklearn(BernoulliRBM())


class Tensor:
    """What is taken of a tensor of PyTorch, which refuses `numpy` as long as it requires gradients."""

    def __init__(self, values: np.ndarray, *, grad: bool = True) -> None:
        self.values, self.grad = values, grad

    def detach(self) -> "Tensor":
        return Tensor(self.values, grad=False)

    def cpu(self) -> "Tensor":
        return self

    def numpy(self) -> np.ndarray:
        assert not self.grad
        return self.values


def test_weights_of_pytorch_are_those_of_the_transposed_matrix() -> None:
    random = np.random.default_rng(5)
    weight, b, c = (random.normal(size=shape).astype(np.float32) for shape in ((3, 4), 4, 3))
    own = RBM(weight.T.astype(np.float64), b.astype(np.float64), c.astype(np.float64), size=(1, 4), every=7, random_state=1)
    theirs = RBM.from_pytorch(Tensor(weight), Tensor(b), Tensor(c), size=(1, 4), every=7, random_state=1)
    assert np.array_equal(own.frames(50), theirs.frames(50))
    assert np.array_equal(RBM.from_pytorch(weight, random_state=0).weights, weight.T)
    with pytest.raises(ValueError, match=r"visible_bias has the shape \(3,\), but a weight of shape \(hidden, visible\) = \(3, 4\) needs \(4,\)"):
        RBM.from_pytorch(weight, c, b)


@pytest.mark.parametrize("size", [-3, 0, (4, -1)])
def test_sides_that_are_not_positive_are_refused(size: object) -> None:
    with pytest.raises(ValueError, match=r"size is (-3|0|-1), but a side must be from 1"):
        Ising(size)


def test_scans_claim_nothing_exact_of_other_systems(tmp_path: Path) -> None:
    page = tmp_path / "scan.html"
    found = Ising.scan([2.0], ["energy"], size=4, sweeps=40, field=np.ones((4, 4)), random_state=0, report=page)
    assert np.isnan(found["exact_energy"]).all() and found["critical_temperature"] is None
    assert "Kaufman" not in page.read_text(encoding="utf-8")
    assert Ising.scan([2.0], ["energy"], size=4, sweeps=40, field=0.5, random_state=0)["critical_temperature"] is None
    assert not Ising.scan([2.0], ["energy"], size=4, sweeps=3, random_state=0)["converged"]
    with pytest.raises(TypeError, match="scan got 'start'"):
        Ising.scan([2.0], size=4, start="ordered")


def test_scans_estimate_exact_energies_and_exchange_configurations(tmp_path: Path) -> None:
    found = Ising.scan([2.6, 2.0], size=12, sweeps=1500, random_state=3, report=tmp_path / "scan.html")
    assert found["temperature"].tolist() == [2.0, 2.6]
    error = found["error"]
    for name, exact in (("energy", found["exact_energy"]), ("specific-heat", found["exact_specific_heat"])):
        assert np.all(np.abs(found["mean"][name] - exact) < 4.5 * error[name]), name
    assert found["critical_temperature"] == pytest.approx(2 / np.log(1 + np.sqrt(2)))
    assert np.isnan(found["exchange_rate"]).all()
    assert "Temperature scan" in (tmp_path / "scan.html").read_text(encoding="utf-8")
    assert "correlation-length" in found["mean"] and found["converged"]
    with pytest.warns(ConvergenceWarning, match="at T = 2; increase sweeps"):
        assert not Ising.scan([2.0], size=8, sweeps=30, random_state=0)["converged"]
    with pytest.raises(MemoryError, match="choose a smaller lattice, or fewer chains, temperatures or sweeps"):
        Ising.scan([2.0], size=4, sweeps=2**43, burn_in=0)
    tempered = Potts.scan([0.9, 1.0], ["energy"], size=8, sweeps=300, tempering=True, update="random", random_state=0)
    assert 0 < tempered["exchange_rate"][0] <= 1
    again = Potts.scan([0.9, 1.0], ["energy"], size=8, sweeps=300, tempering=True, update="random", random_state=0, n_jobs=2)
    assert np.array_equal(again["mean"]["energy"], tempered["mean"]["energy"])


@pytest.mark.parametrize(
    ("model", "frames"),
    [
        ("xy", lambda rng: rng.uniform(-np.pi, np.pi, (12, 9, 10))),
        ("xy", lambda rng: np.zeros((12, 9, 10), dtype=np.float32)),
        (None, lambda rng: rng.normal(size=(12, 9, 10))),
        (None, lambda rng: rng.normal(size=(12, 9, 10)).astype(np.float32)),
        (None, lambda rng: rng.choice(np.array([-1, 1], dtype=np.int8), (12, 9, 10))),
        ("potts", lambda rng: rng.integers(0, 3, (12, 9, 10))),
        ("cellular-potts", lambda rng: rng.integers(0, 3, (12, 9, 10))),
        (None, lambda rng: rng.integers(0, 2, (12, 9, 10)).astype(float)),
    ],
)
def test_a_trajectory_teaches_what_it_teaches_the_command_line(cli: Any, tmp_path: Path, model: Any, frames: Any) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    path, out = tmp_path / "t.npy", tmp_path / "m.safetensors"
    np.save(path, frames(np.random.default_rng(4)))
    flags = ["--boundary", "free", "--every", 2, "--burn-in", 1, "--patch", "3x4", "--patches", 30, "-r", 4, "--seed", 6]
    cli("spins", "learn", "--trajectory", path, *([] if model is None else ["--model", model]), *flags, "-o", out)
    expected = safetensors.load_file(out)["W"].T
    values = np.load(path)
    signed = model == "xy" or bool(np.any(values != np.floor(values)))
    sets = {"dictionary": "ball", "code": "free", "dict_init": "random"} if signed else {}
    for given in (path, np.load(path)):
        trajectory = Trajectory(given, model=model, boundary="free", every=2, burn_in=1, random_state=6)
        estimator = OnlineNMF(4, alpha=0.5, schedule="balanced", code_tol=1e-6, dict_tol=1e-3, random_state=6, **sets)
        estimator.fit_stream(trajectory.minibatches(patch=(3, 4), n=30))
        np.testing.assert_array_equal(estimator.components_, expected)
    estimator.save(tmp_path / "own.safetensors")
    last = np.load(path)[-1]
    np.testing.assert_array_equal(
        reconstruct_spins(tmp_path / "own.safetensors", last), reconstruct_spins(out, last)
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_named_with_their_place(cli: Any, tmp_path: Path, bad: float) -> None:
    frames = np.random.default_rng(0).normal(size=(5, 6, 7))
    frames[3, 2, 4] = bad
    np.save(tmp_path / "t.npy", frames)
    place = r"frame 3, row 2, column 4 \(all counted from 0\): expected finite numbers"
    with pytest.raises(ValueError, match=place):
        Trajectory(frames)
    with pytest.raises(AssertionError, match="frame 3, row 2, column 4"):
        cli("spins", "learn", "--trajectory", tmp_path / "t.npy", "-r", 2, "--patch", 3, "-o", tmp_path / "m")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Trajectory(np.zeros(5)), "shape \\(frames, rows, cols\\)"),
        (lambda: Trajectory(np.zeros((0, 4, 4))), "shape \\(frames, rows, cols\\)"),
        (lambda: Trajectory(np.full((2, 4, 4), 5), model="ising"), "which are no values of ising"),
        (lambda: Trajectory(np.ones((2, 4, 4)), every=3), "no frame is left"),
        (lambda: Trajectory(np.ones((2, 4, 4)), model="heisenberg"), "model"),
        (lambda: Trajectory(np.ones((2, 4, 4)), states=3), "states is for model potts"),
        (lambda: Trajectory(np.full((2, 4, 4), 0.5), model="ising"), "spins are whole numbers"),
        (lambda: Trajectory(np.full((2, 4, 4), 0.5)).minibatches(patch=2, spins="one-hot"), "other real numbers real"),
        (lambda: Trajectory(np.full((2, 4, 4), 0.5)).minibatches(patch=5), "the patch is 5"),
        (lambda: XY(4, start=np.full((4, 4), np.nan)), "site 0"),
        (lambda: XY(4).patches(2, spins="zero-one"), "angles are vector"),
        (lambda: Trajectory(np.arange(32, dtype=np.int8).reshape(2, 4, 4) % 6, model="xy"), r"whole numbers from 0 to 5.*multiply numbered directions by 2 \* numpy.pi / q"),
        (lambda: Trajectory(np.arange(32, dtype=np.uint8).reshape(2, 4, 4), model="xy"), "radians"),
        (lambda: XY(4, start=np.arange(16).reshape(4, 4)), "radians"),
        (lambda: XY(4).measure("cluster"), "these are angles"),
        (lambda: Ising(4).measure("vortices"), "vortices are those of xy"),
        (lambda: XY(4, boundary="free").measure("current-squared"), "on a periodic lattice"),
    ],
)
def test_what_trajectories_and_angles_refuse(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_an_xy_chain_is_copied_and_its_scan_has_a_helicity_modulus() -> None:
    xy = XY(6, temperature=0.5, every=72, random_state=2)
    next(xy)
    other, third = pickle.loads(pickle.dumps(xy)), copy.deepcopy(xy)
    first = next(xy)
    np.testing.assert_array_equal(first, next(other))
    np.testing.assert_array_equal(first, next(third))
    scan = XY.scan([0.4, 2.0], size=8, sweeps=800, random_state=0)
    stiff, loose = scan["mean"]["helicity-modulus"]
    # Spin waves: 1 - T/4 to first order; nothing is stiff when it is hot.
    assert stiff == pytest.approx(1 - 0.4 / 4, abs=0.03) and abs(loose) < 0.1
    assert scan["mean"]["vortices"][0] < 0.01 < scan["mean"]["vortices"][1]
    assert scan["critical_temperature"] == pytest.approx(0.8929)


def test_persistent_chains_are_the_chains_one_by_one() -> None:
    weights = np.random.default_rng(3).normal(size=(30, 17))
    arguments: dict[str, Any] = {"size": (5, 6), "every": 47, "random_state": 8}
    chains = RBM(weights, **arguments).persistent(5)
    chains.advance(0)
    chains.advance(4)
    for number in range(5):
        alone = RBM(weights, **arguments, chain=number)
        alone.advance(4 * 47)
        np.testing.assert_array_equal(chains.states[number], alone.state)
    chains.states = np.ones((5, 5, 6))
    assert chains.states.all()
    for bad, words in ((np.ones((4, 5, 6)), "shape"), (np.full((5, 5, 6), 2), "not 0 or 1")):
        with pytest.raises(ValueError, match=words):
            chains.states = bad
    with pytest.raises(ValueError, match="n_chains"):
        RBM(weights, **arguments).persistent(0)


def test_few_independent_minibatches_along_a_chain_are_warned_of(tmp_path: Path) -> None:
    slow = Ising(32, temperature=1.5, every=1024, random_state=0)
    with pytest.warns(ConvergenceWarning, match="60 minibatches are worth [0-9]+ independent ones?, 30 are advised"):
        OnlineNMF(4, random_state=0).fit_stream(slow.minibatches(patch=6, n=50), steps=60)
    stream = Ising(16, temperature=5.0, update="checkerboard", every=1024, random_state=0).minibatches(patch=4, n=20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OnlineNMF(4, random_state=0).fit_stream(stream, steps=60)
    assert 30 < stream.effective_minibatches <= 60
    walk = np.cumsum(np.random.default_rng(0).normal(size=(60, 1, 1)), axis=0) + np.zeros((60, 12, 12))
    with pytest.warns(ConvergenceWarning, match="independent ones?, 30 are advised; use a longer trajectory"):
        OnlineNMF(3, dictionary="ball", code="free", random_state=0).fit_stream(Trajectory(walk, random_state=0).minibatches(patch=4, n=20))


def test_a_trajectory_that_never_changes_is_warned_of_and_a_conserved_density_is_not() -> None:
    frames = np.where(np.arange(64).reshape(8, 8) % 3 == 0, 1, -1)[np.newaxis].repeat(40, 0)
    with pytest.warns(ConvergenceWarning, match="no observable changed in 40 minibatches"):
        OnlineNMF(2, random_state=0).fit_stream(Trajectory(frames).minibatches(patch=3, n=9))
    shuffled = np.random.default_rng(0).permuted(frames.reshape(40, 64), axis=1).reshape(frames.shape)
    stream = Trajectory(shuffled).minibatches(patch=3, n=9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OnlineNMF(2, random_state=0).fit_stream(stream)
    assert stream.effective_minibatches is not None


def test_slow_changes_of_the_label_ahead_count() -> None:
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((400, 8, 8)) < 0.1, 2, (np.arange(400) // 100 % 2)[:, None, None])
    stream = Trajectory(labels, model="potts").minibatches(patch=3, n=5)
    assert sum(1 for _ in stream) == 400 and stream.effective_minibatches is not None and stream.effective_minibatches < 30


@pytest.mark.parametrize("make", [lambda: Ising(8), lambda: Potts(8), lambda: XY(8), lambda: CellularPotts(16), lambda: Trajectory(np.ones((3, 8, 8)))])
def test_configurations_are_not_learned_from_row_by_row(make: Any) -> None:
    with pytest.raises(TypeError, match=r"use \.minibatches\(patch=…\)"):
        OnlineDictionary(4).fit_stream(make(), steps=3)


def test_spins_of_three_values_are_no_two(tmp_path: Path) -> None:
    """-1 and 0 of a spin-1 model would both be 0 in patches of two values."""
    frames = np.random.default_rng(0).integers(-1, 2, (20, 8, 8)).astype(np.int8)
    np.save(tmp_path / "capel.npy", frames)
    late = np.where(np.arange(20)[:, None, None] < 15, np.where(frames == 0, 1, frames), frames)
    for given in (frames, frames.astype(float), tmp_path / "capel.npy", late):
        with pytest.raises(ValueError, match="-1, 0 and 1 together.*add 1 for labels.*model=\"real\""):
            Trajectory(given)
    with pytest.raises(ValueError, match="model=\"real\""):
        Trajectory(frames + 1).minibatches(patch=4, n=5, spins="real")
    real = next(Trajectory(frames, model="real", random_state=0).minibatches(patch=4, n=500))
    assert set(np.unique(real)) == {-1.0, 0.0, 1.0}
    assert next(Trajectory(frames + 1, random_state=0).minibatches(patch=4, n=5)).shape == (5, 48)
