"""Model files say what happened: which methods learned, how far they came, and what the file does not hold."""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import ergodict
from ergodict import OnlineNMF

X = np.random.default_rng(0).random((200, 12))


def run_of(path: Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        return json.loads(json.loads(file.read(size))["__metadata__"]["ergodict"])["run"]


def raising(error: BaseException, at: int) -> Any:
    def callback(facts: dict[str, Any]) -> None:
        if facts["step"] == at:
            raise error

    return callback


@pytest.mark.parametrize("error", [ValueError("of mine"), RuntimeError("of mine"), KeyboardInterrupt("of mine")])
def test_a_callback_that_raises_any_error_leaves_what_was_learned(error: BaseException) -> None:
    plain = {"batch_size": 20, "max_iter": 1, "shuffle": False, "schedule": "balanced", "random_state": 0}
    model = OnlineNMF(3, **plain, callback=raising(error, 4))
    with pytest.raises(type(error), match="of mine"):
        model.fit(X)
    assert model.n_steps_ == 4
    want = OnlineNMF(3, **plain).fit(X[:80]).components_
    np.testing.assert_array_equal(model.components_, want)
    with pytest.raises(type(error), match="of mine"):
        model.fit_stream((X[i : i + 20] for i in range(0, 200, 20)))
    np.testing.assert_array_equal(model.components_, want)


def test_errors_before_the_first_step_leave_nothing() -> None:
    model = OnlineNMF(3, shuffle=False, random_state=0).fit(X)
    broken = X.copy()
    broken[3, 4] = np.nan
    with pytest.raises(ValueError, match="row 3, column 4"):
        model.fit(broken)
    assert not hasattr(model, "components_")


def test_small_minibatches_are_recorded_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    # The first goes the long way, the others the short one.
    model = OnlineNMF(3, random_state=0).fit(X)
    model.save(path)
    assert "python" not in run_of(path)
    model.partial_fit(X[:5]).partial_fit(X[:5])
    model.save(path)
    assert run_of(path)["python"] == "fit, partial_fit"
    again = ergodict.load(path).fit_stream([X[:5], X[:5]], go_on=True)
    again.save(path)
    assert run_of(path)["python"] == "fit, partial_fit, fit_stream"
    OnlineNMF(3, random_state=0).partial_fit(X[:5]).partial_fit(X[:5]).save(path)
    assert run_of(path)["python"] == "partial_fit"


@pytest.mark.parametrize(("epochs", "at", "completed"), [(1, 4, 0), (3, 14, 1)])
def test_an_interrupted_fit_is_no_complete_run(tmp_path: Path, epochs: int, at: int, completed: int) -> None:
    path = tmp_path / "m.safetensors"
    stop = raising(KeyboardInterrupt(), at)
    model = OnlineNMF(3, batch_size=20, max_iter=epochs, random_state=0, callback=stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert model.n_iter_ == completed
    model.save(path)
    assert run_of(path)["python"] == "interrupted fit" and run_of(path)["completed_epochs"] == completed
    again = ergodict.load(path)
    assert again.n_iter_ == completed and again.max_iter == epochs
    # Opened and written, it is what it was.
    again.save(path)
    assert ergodict.load(path).n_iter_ == completed


def test_an_array_to_start_from_is_asked_for_again(tmp_path: Path, cli: Any) -> None:
    path, data, first = (tmp_path / name for name in ("m.safetensors", "x.npy", "first.npy"))
    start = np.random.default_rng(1).random((3, 12)) / 4
    np.save(data, X)
    np.save(first, start.T)
    model = OnlineNMF(3, dict_init=start, random_state=0).fit(X)
    model.save(path)
    assert "init" not in run_of(path)["config"]
    again = ergodict.load(path)
    with pytest.raises(ValueError, match="dict_init was an array, which the model file does not hold"):
        clone(again).fit(X)
    np.testing.assert_array_equal(clone(again).set_params(dict_init=start).fit(X).components_, model.components_)
    # It goes on as it is, and is written again.
    again.partial_fit(X[:5]).save(path)
    assert "init" not in run_of(path)["config"]
    command = [os.environ["ERGODICT_CLI"], "factor", data, "--config", path, "-o", tmp_path / "n.safetensors"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "its first dictionary was a matrix" in done.stderr and "--init" in done.stderr
    cli(*command[1:], "--init", first)
    np.testing.assert_allclose(ergodict.load(tmp_path / "n.safetensors").components_, model.components_, atol=1e-12)


def test_a_function_as_schedule_is_warned_of_where_it_is_lost(tmp_path: Path) -> None:
    model = OnlineNMF(3, batch_size=50, schedule=lambda t: t**-0.7, random_state=0).fit(X)
    with pytest.warns(UserWarning, match="the schedule is a function, which a file cannot hold"):
        model.save(tmp_path / "m.safetensors")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.save(tmp_path / "m.safetensors")
        OnlineNMF(3, schedule="power:0.7", random_state=0).fit(X).save(tmp_path / "m.safetensors")


def test_a_function_as_schedule_does_not_become_the_weight_one(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    for learn in (
        lambda model: model.fit(X),
        lambda model: model.partial_fit(X[:50]).partial_fit(X[50:100]),
        lambda model: model.fit_stream([X[:50], X[50:100], X[:7]]),
        lambda model: model.fit(X).partial_fit(X[:50]),
    ):
        model = learn(OnlineNMF(3, batch_size=50, max_iter=1, schedule=lambda t: t**-0.7, random_state=0))
        with pytest.warns(UserWarning, match="the schedule is a function"):
            model.save(path)
        again = ergodict.load(path)
        assert again._core.step(X[:50])["weight"] == pytest.approx(model.n_steps_**-0.7)
        # What goes on here goes on with the function.
        model.partial_fit(X[:50])
        assert model._core.step(X[:50], model.schedule(model.n_steps_ + 1))["weight"] == pytest.approx(model.n_steps_**-0.7)
