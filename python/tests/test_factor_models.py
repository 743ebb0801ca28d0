"""The same seed gives the same bytes in Python and on the command line, and files open on both sides."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

import ergodict
from ergodict import OnlineDictionary, OnlineNMF, _ergodict
from ergodict.distributed._source import digest_of
from ergodict.models import set_of
from ergodict.sets import Near, Projection, Union

Cli = Callable[..., subprocess.CompletedProcess[str]]
X = np.random.default_rng(0).random((700, 12))


def header(path: Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        told = json.loads(json.loads(file.read(size))["__metadata__"]["ergodict"])
    assert len(told.pop("digest")) == 64  # of all that is in the file, also of what differs on purpose
    return told


def holes(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x[np.random.default_rng(1).random(x.shape) < 0.1] = np.nan
    return x


CASES: dict[str, tuple[type, dict[str, Any], list[str], np.ndarray]] = {
    "plain": (OnlineNMF, {}, [], X),
    "shuffled": (OnlineNMF, {"shuffle": True, "max_iter": 3}, ["--shuffle", "--epochs", "3"], X),
    "held out": (OnlineNMF, {"holdout": 0.2, "batch_size": 50}, ["--holdout", "0.2", "--batch", "50"], X),
    "both": (OnlineNMF, {"holdout": 0.3, "shuffle": True}, ["--holdout", "0.3", "--shuffle"], X),
    "narrow": (OnlineNMF, {"max_iter": 2}, ["--f32", "--epochs", "2"], X.astype(np.float32)),
    "missing": (OnlineNMF, {"missing": True}, ["--missing"], holes(X)),
    "missing, from data": (OnlineNMF, {"missing": True, "dict_init": "data"}, ["--missing", "--init", "data"], holes(X)),
    "power": (OnlineNMF, {"schedule": "power:0.8", "batch_size": 64}, ["--schedule", "power:0.8", "--batch", "64"], X),
    "from data": (OnlineNMF, {"dict_init": "data"}, ["--init", "data"], X),
    "signs": (OnlineDictionary, {"alpha": 0.05}, ["--lambda", "0.1", "--dictionary", "ball", "--code", "free"], X - 0.5),
    "simplex": (
        OnlineDictionary,
        {"dictionary": "simplex:2", "code": "box:3", "kappa1": 0.1, "kappa2": 0.2},
        ["--dictionary", "simplex:2", "--code", "box:3", "--kappa1", "0.1", "--kappa2", "0.2"],
        X,
    ),
    "the rest": (
        OnlineNMF,
        {"normalize": "per-column", "unused": "reseed", "solver": "projected-gradient", "code_tol": 1e-4, "dict_tol": 1e-2,
         "dict_sweeps": 3},
        ["--normalize", "per-column", "--unused", "reseed", "--solver", "projected-gradient", "--tolerance", "1e-4",
         "--dictionary-tolerance", "1e-2", "--dictionary-sweeps", "3"],
        X,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_file_is_that_of_the_command_line(name: str, tmp_path: Path, cli: Cli) -> None:
    kind, options, flags, x = CASES[name]
    np.save(tmp_path / "x.npy", x)
    ours, theirs = tmp_path / "ours.safetensors", tmp_path / "theirs.safetensors"
    model = kind(4, random_state=11, **options).fit(x)
    model.save(ours)
    cli("factor", tmp_path / "x.npy", "-r", 4, "--seed", 11, "-o", theirs, *flags)
    one, other = load_file(ours), load_file(theirs)
    for tensor in "WAB":
        assert one[tensor].dtype == other[tensor].dtype
        np.testing.assert_array_equal(one[tensor], other[tensor])
    np.testing.assert_array_equal(model.components_, other["W"].T)
    said, saying = header(ours), header(theirs)
    assert said.pop("inputs") == [] and len(saying.pop("inputs")) == 1
    # Digests cover the inputs.
    assert said == saying
    if "holdout" in options:
        assert model.held_out_loss_ == saying["run"]["results"]["held_out_loss_per_sample"]


@pytest.mark.parametrize("kind", [OnlineNMF, OnlineDictionary])
def test_the_explained_share_is_what_codes_and_multiples_of_the_mean_leave(kind: type) -> None:
    model = kind(4, random_state=2).fit(X)

    def explained(fitted: np.ndarray) -> float:
        return float(1 - ((X - fitted) ** 2).sum() / (X**2).sum())

    # The only atom, of norm 1, with the penalty of the others.
    mean = X.mean(axis=0) / np.linalg.norm(X.mean(axis=0))
    codes = X @ mean
    multiples = np.outer(np.sign(codes) * np.maximum(np.abs(codes) - model.alpha_, 0.0), mean)
    expected = {"atoms": explained(model.transform(X) @ model.components_), "mean_sample": explained(multiples)}
    assert model.explained_ == pytest.approx(expected, rel=1e-6)
    assert pickle.loads(pickle.dumps(model)).explained_ == model.explained_
    # Samples that are held out do not count.
    held_out = kind(4, random_state=2, holdout=0.5).fit(X).explained_
    assert held_out["mean_sample"] != model.explained_["mean_sample"]


def test_files_open_on_the_other_side(tmp_path: Path, cli: Cli) -> None:
    np.save(tmp_path / "x.npy", X)
    ours, theirs, again = (tmp_path / f"{name}.safetensors" for name in ("ours", "theirs", "again"))
    model = OnlineNMF(4, max_iter=1, batch_size=256, random_state=3).fit(X)
    model.save(ours)
    # The command line takes the configuration, the dictionary and the whole file.
    cli("factor", tmp_path / "x.npy", "-o", again, "--config", ours)
    np.testing.assert_array_equal(load_file(again)["W"], load_file(ours)["W"])
    cli("transform", ours, tmp_path / "x.npy", "-o", tmp_path / "h.npy")
    np.testing.assert_array_equal(model.transform(X), np.load(tmp_path / "h.npy"))
    cli("report", ours, "-o", tmp_path / "page.html")
    # Python takes its file and goes on as if nothing had happened.
    cli("factor", tmp_path / "x.npy", "-r", 4, "-o", theirs, "--seed", 3, "--epochs", 1, "--batch", 256)
    other = ergodict.load(theirs)
    # What was left to the data is in the file as it was decided.
    decided = {"alpha": model.alpha_, "schedule": other.schedule, "dict_init": "random"}
    assert type(other) is OnlineNMF and other.get_params() == {**model.get_params(), **decided}
    assert (other.n_steps_, other.seed_, other.n_iter_, other.surrogate_) == (3, 3, 1, model.surrogate_)
    np.testing.assert_array_equal(other.partial_fit(X[:40]).components_, model.partial_fit(X[:40]).components_)
    assert other.history_["loss"].tolist() == model.history_["loss"].tolist()


def test_a_file_that_was_only_opened_is_written_as_it_was(tmp_path: Path, cli: Cli) -> None:
    cli("network", "learn", "@karate", "-k", 4, "-r", 3, "--steps", 20, "-o", tmp_path / "a.safetensors", "--seed", 1)
    model = OnlineNMF.load(tmp_path / "a.safetensors")
    assert model.components_.shape == (3, 16)
    model.save(tmp_path / "b.safetensors")
    assert header(tmp_path / "a.safetensors") == header(tmp_path / "b.safetensors")


def test_sets_that_have_no_name_are_given_again(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    union = Union([Near(np.full((2, 12), 0.1), 0.5), Near(np.full((2, 12), 0.9), 0.5)])
    model = OnlineDictionary(2, dictionary=union, random_state=0).fit(X)
    model.save(path)
    with pytest.raises(ValueError, match="dictionary=…"):
        ergodict.load(path)
    again = ergodict.load(path, dictionary=union)
    np.testing.assert_array_equal(again.components_, model.components_)
    np.testing.assert_array_equal(again.partial_fit(X).components_, model.partial_fit(X).components_)
    with pytest.raises(ValueError, match="center"):
        ergodict.load(path, dictionary=Near(np.zeros((3, 12)), 1.0))


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    for name, content in [("empty", b""), ("text", b"hello, this is no model"), ("lies", b"\xff" * 64)]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="not a model file of ergodict"):
            ergodict.load(tmp_path / name)
        with pytest.raises(ValueError, match="not a model file of ergodict"):
            ergodict.load(tmp_path / name, dictionary="ball")
    with pytest.raises(FileNotFoundError):
        ergodict.load(tmp_path / "nowhere")
    with pytest.raises(OSError):
        OnlineNMF(2, random_state=0).fit(X).save(tmp_path / "no" / "folder.safetensors")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pickles_go_on_to_the_same_bytes(dtype: type) -> None:
    x = X.astype(dtype)
    model = OnlineNMF(3, random_state=5, holdout=0.1).fit(x)
    again = pickle.loads(pickle.dumps(model))
    assert again.held_out_loss_ == model.held_out_loss_ and again.n_iter_ == model.n_iter_
    for part in np.array_split(x, 5):
        np.testing.assert_array_equal(model.partial_fit(part).components_, again.partial_fit(part).components_)
    assert again.history_["surrogate"].tolist() == model.history_["surrogate"].tolist()


def clip(atom: np.ndarray) -> np.ndarray:
    return np.clip(atom, 0.0, 0.25)


def test_pickles_hold_projections() -> None:
    model = OnlineDictionary(3, dictionary=Projection(clip), code="nonneg", random_state=5).fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.partial_fit(X).components_, again.partial_fit(X).components_)
    assert again.components_.max() <= 0.25


@pytest.mark.parametrize(
    "use",
    [
        lambda number: set_of(number, "ball"),
        lambda number: digest_of(number),
        lambda number: ergodict.load(number),
        lambda number: ergodict.NetworkDictionary.load(number, "ball"),
        lambda number: OnlineNMF.load(number, "ball"),
        lambda number: OnlineNMF(2, random_state=0).fit(X).save(number),
        lambda number: ergodict.Network.read(number),
        lambda number: ergodict.Network("@karate").write(number),
        lambda number: ergodict.read_timestamps(number),
        lambda number: _ergodict.read_image(number, False),
        lambda number: ergodict.fetch_network("karate", number),
        lambda number: ergodict.distributed.Partitioned(number),
        lambda number: ergodict.distributed.learn(number, 2),
    ],
)
def test_a_number_is_no_path(use: Callable[[int], Any]) -> None:
    # `open` would take it for a descriptor, and close what may be a file of the extension, which ends the interpreter.
    descriptor = os.open(os.devnull, os.O_RDWR)
    try:
        with pytest.raises(TypeError):
            use(descriptor)
        os.fstat(descriptor)
    finally:
        os.close(descriptor)
