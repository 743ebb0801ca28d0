"""The estimators behave as scikit-learn's do, and learn what they should."""

from __future__ import annotations

import copy
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.decomposition import MiniBatchDictionaryLearning
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.estimator_checks import check_estimator

from ergodict import OnlineDictionary, OnlineNMF, denoise_image, mixing, reconstruct_image, reconstruct_spins
from ergodict._settings import SETTINGS
from ergodict.sets import Near, Projection, Union

BOTH = pytest.mark.parametrize("kind", [OnlineNMF, OnlineDictionary])
X = np.random.default_rng(0).random((200, 8))
#: One pass over the samples in their order, as a stream has them.
ONCE: dict[str, Any] = {"max_iter": 1, "shuffle": False}


@BOTH
def test_scikit_learn_is_content(kind: type) -> None:
    with warnings.catch_warnings():
        # Some of its data is negative, or has so little of a feature that no code uses it: both are warned of.
        warnings.simplefilter("ignore")
        # The first atoms are samples that are drawn, of which a copy is another: as with MiniBatchKMeans, weights are copies but for that.
        drawn = {f"check_sample_weight_equivalence_on_{form}_data": "first atoms" for form in ("dense", "sparse")}
        results = check_estimator(kind(), on_fail=None, expected_failed_checks=drawn if kind is OnlineDictionary else {})
    wrong = [(r["check_name"], r["exception"]) for r in results if r["status"] not in ("passed", "skipped", "xfail")]
    assert not wrong
    # It can be checked only where an environment variable asks for arrays of other libraries.
    assert [r["check_name"] for r in results if r["status"] == "skipped"] in ([], ["check_array_api_input"])


def test_the_defaults_are_the_librarys() -> None:
    defaults, given = {setting.key: setting.default for setting in SETTINGS["factor"].values()}, OnlineNMF().get_params()
    p = defaults
    ours = {
        "alpha": p["lambda"], "kappa1": p["kappa1"], "kappa2": p["kappa2"], "schedule": p["schedule"],
        "dictionary": p["dictionary"], "code": p["code"], "normalize": p["normalize"], "unused": p["unused"],
        "solver": p["solver"], "code_tol": p["tolerance"], "tol": p["tol"], "dict_init": p["init"], "dict_tol": p["dictionary-tolerance"],
        "dict_sweeps": p["dictionary-sweeps"], "batch_size": defaults["batch"], "max_iter": defaults["epochs"],
        "shuffle": defaults["shuffle"], "holdout": defaults["holdout"], "missing": defaults["missing"],
        "max_no_improvement": defaults["max-no-improvement"],
    }  # fmt: skip
    assert {name: given[name] for name in ours} == ours
    free = OnlineDictionary().get_params()
    assert {name for name in free if free[name] != given[name]} == {"dictionary", "code"}


@BOTH
def test_minibatches_one_by_one_are_a_fit(kind: type) -> None:
    for options in ({}, {"schedule": "linear"}, {"dict_init": "data"}, {"schedule": lambda t: t**-0.9}):
        whole = kind(3, batch_size=30, random_state=4, **ONCE, **options).fit(X)
        parts = kind(3, random_state=4, **options)
        stream = kind(3, random_state=4, **options).fit_stream(X[i : i + 30] for i in range(0, 200, 30))
        for i in range(0, 200, 30):
            assert parts.partial_fit(X[i : i + 30]) is parts
        for other in (parts, stream):
            np.testing.assert_array_equal(other.components_, whole.components_)
            assert (other.n_steps_, other.surrogate_) == (7, whole.surrogate_)
            np.testing.assert_array_equal(other.history_["loss"], whole.history_["loss"])


def test_threads_change_nothing() -> None:
    x = np.random.default_rng(1).random((1500, 20))
    one, two = (OnlineNMF(6, batch_size=700, random_state=0, n_jobs=jobs).fit(x) for jobs in (None, 2))
    np.testing.assert_array_equal(one.components_, two.components_)
    np.testing.assert_array_equal(one.transform(x), two.transform(x))
    np.testing.assert_array_equal(one.partial_fit(x).components_, two.partial_fit(x).components_)
    with pytest.raises(ValueError, match="n_jobs is 0"):
        OnlineNMF(6, n_jobs=0).fit(x)


def test_weights_can_be_a_name_a_list_or_a_function() -> None:
    def fit(schedule: Any) -> np.ndarray:
        return OnlineNMF(3, batch_size=20, schedule=schedule, random_state=0, **ONCE).fit(X).components_

    np.testing.assert_array_equal(fit(lambda t: 1 / t), fit("balanced"))
    np.testing.assert_array_equal(fit([1 / t for t in range(1, 11)]), fit("balanced"))
    np.testing.assert_array_equal(fit(np.array([1.0, 0.5])), fit([1.0] + 9 * [0.5]))
    assert not np.array_equal(fit("power:0.6"), fit("balanced"))
    for bad, error, words in [
        ("banana", ValueError, "the schedule is \"banana\", but it must be auto, balanced"),
        ([], ValueError, "must hold at least one"),
        ([0.5, 2.0], ValueError, r"a weight of the schedule is 2, but it must be in \(0, 1\]"),
        (lambda t: 0.0, ValueError, "the weight of step 1 is 0.0"),
        (3, TypeError, "a name, a list of weights or a function"),
    ]:
        with pytest.raises(error, match=words):
            fit(bad)


def test_sets_hold_the_atoms() -> None:
    model = OnlineDictionary(3, dictionary="l1-ball:0.7", random_state=0).fit(X)
    assert np.abs(model.components_).sum(axis=1).max() <= 0.7 + 1e-12
    # A projection of one's own is the set that it projects on.
    def ball(atom: np.ndarray) -> np.ndarray:
        atom = np.maximum(atom, 0.0)
        return atom / max(1.0, np.linalg.norm(atom))

    options = {"code": "nonneg", "random_state": 0, "dict_tol": 1e-9, "dict_sweeps": 50}
    ours = OnlineDictionary(3, dictionary="nonneg-ball", **options).fit(X)
    for whole, function in [(False, ball), (True, lambda w: np.array([ball(atom) for atom in w]))]:
        other = OnlineDictionary(3, dictionary=Projection(function, whole=whole), **options).fit(X)
        np.testing.assert_allclose(other.components_, ours.components_, atol=1e-5)
    # A union keeps to the piece nearer to the data.
    low, high = np.full((3, 8), 0.05), np.full((3, 8), 0.9)
    union = Union([Near(low, 0.1, nonnegative=True), Near(high, 0.1, nonnegative=True)])
    model = OnlineNMF(3, dictionary=union, dict_init=high, random_state=0).fit(X)
    assert model.piece_ == 1 and np.linalg.norm(model.components_ - high) <= 0.1 + 1e-9


def test_what_a_projection_raises_is_raised() -> None:
    def fails(atom: np.ndarray) -> np.ndarray:
        raise LookupError("no such atom")

    for function, error, words in [
        (fails, LookupError, "no such atom"),
        (lambda atom: atom[:2], ValueError, "returned 2 numbers, but 8 are needed"),
        (lambda atom: atom * np.nan, ValueError, "NaN"),
        (lambda atom: "x", ValueError, "could not convert"),
    ]:
        with pytest.raises(error, match=words):
            OnlineDictionary(3, dictionary=Projection(function)).fit(X)
    model = OnlineDictionary(3, dictionary=Projection(lambda atom: atom), random_state=0).fit(X)

    def curious(atom: np.ndarray) -> np.ndarray:
        model.components_
        return atom

    calls = {"f": lambda atom: atom}
    model = OnlineDictionary(3, dictionary=Projection(lambda atom: calls["f"](atom)), random_state=0).fit(X)
    calls["f"] = curious
    with pytest.raises(RuntimeError, match="a projection cannot use the estimator that calls it"):
        model.partial_fit(X)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_components": 0}, ValueError, "the number of atoms is 0, but a dictionary has at least one"),
        ({"n_components": -3}, ValueError, "the number of atoms is -3, but"),
        ({"n_components": 2**40}, ValueError, "more than 1048576 are not supported"),
        ({"n_components": 2**70}, ValueError, "more than 1048576 are not supported"),
        ({"n_components": 1 << 20}, MemoryError, "lower n_components"),
        ({"n_components": 2.0}, TypeError, "must be an integer"),
        ({"n_components": True}, TypeError, "must be an integer"),
        ({"alpha": -1}, ValueError, "alpha is -1.0, but it must be a number that is not negative"),
        ({"alpha": float("nan")}, ValueError, "alpha is nan"),
        ({"alpha": "1"}, ValueError, "alpha is '1', but it must be a number that is not negative, or auto"),
        ({"kappa1": float("inf")}, ValueError, "kappa1 is inf"),
        ({"code_tol": 0.0}, ValueError, "the coding tolerance is 0.0, but it must be a positive number"),
        ({"dict_sweeps": 0}, ValueError, "the number of dictionary sweeps is 0, but at least one is needed"),
        ({"batch_size": 0}, ValueError, "the batch size is 0, but a minibatch has at least one sample"),
        ({"max_iter": 0}, ValueError, "the number of epochs is 0, but at least one is needed"),
        ({"holdout": 1.0}, ValueError, "the share held out is 1.0, but it must be at least 0 and below 1"),
        ({"holdout": 0.999999}, ValueError, "besides those held out is 0, but at least one is needed"),
        ({"dictionary": "cube"}, ValueError, 'the dictionary set is "cube", but it must be one of nonneg-ball'),
        ({"dictionary": 3}, TypeError, "the dictionary set is 3, but it must be a name"),
        ({"dictionary": Union([])}, ValueError, "the union of dictionary sets is empty"),
        ({"dictionary": Union([Union(["ball"])])}, TypeError, "a union cannot hold a union"),
        ({"dictionary": Near(np.zeros((2, 2)), 1.0)}, ValueError, "center of a dictionary set is 2×2, but 3×8"),
        ({"dictionary": Near(np.zeros((3, 8)), -1.0)}, ValueError, "radius of a dictionary set is -1"),
        ({"dictionary": "box", "unused": "reseed", "code": "bag"}, ValueError, 'the code set is "bag"'),
        ({"dict_init": "zeros"}, ValueError, "dict_init is 'zeros', but it must be auto, random, data or an array"),
        ({"dict_init": np.zeros((2, 8))}, ValueError, "dict_init is 2×8, but 3×8 is needed"),
        ({"dict_init": np.full((3, 8), np.nan)}, ValueError, "is NaN"),
        ({"normalize": "l2"}, ValueError, "normalize is 'l2', but it must be sum or per-column"),
        ({"shuffle": "yes"}, TypeError, "shuffle is 'yes', but it must be True or False"),
        ({"callback": 3}, TypeError, "callback is 3"),
        ({"random_state": -1}, ValueError, "random_state is -1"),
        ({"random_state": "x"}, TypeError, "random_state is 'x'"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused_with_what_would_be_right(options: Any, error: Any, words: str) -> None:
    model = OnlineNMF(**{"n_components": 3, **options})
    with pytest.raises(error, match=words):
        model.fit(X)
    with pytest.raises(NotFittedError):
        model.transform(X)


def test_parameters_are_read_at_the_beginning() -> None:
    model = OnlineNMF(3, random_state=0).partial_fit(X)
    same = copy.deepcopy(model)
    model.set_params(alpha=100.0, n_components=7, schedule="constant:0.5")
    np.testing.assert_array_equal(model.partial_fit(X).components_, same.partial_fit(X).components_)
    with pytest.warns(UserWarning, match="every code is zero, nothing was learned: the samples are zero, or alpha is too large"):
        assert model.fit(X).components_.shape == (7, 8)


def test_negative_data_is_warned_of_once() -> None:
    words = "the data has negative entries, which nonnegative atoms and codes cannot make"
    with pytest.warns(UserWarning, match=words):
        OnlineNMF(2, random_state=0).fit(X - 0.5)
    model = OnlineNMF(2, random_state=0).partial_fit(X)
    with pytest.warns(UserWarning, match=words):
        model.partial_fit(X[:3] - 0.5)
    # No more; warnings are errors here.
    model.partial_fit(X[:3] - 0.5)
    OnlineDictionary(2, random_state=0).fit(X - 0.5)


def test_streams_are_any_iterables_of_arrays() -> None:
    rows = OnlineNMF(3, random_state=0).fit_stream(iter(X), steps=50)
    assert rows.n_steps_ == 50
    np.testing.assert_array_equal(rows.components_, OnlineNMF(3, random_state=0, batch_size=1, **ONCE).fit(X[:50]).components_)
    source = iter(X)
    OnlineNMF(3, random_state=0).fit_stream(source, steps=7)
    # Not one item more than asked for is taken.
    np.testing.assert_array_equal(next(source), X[7])
    bits = (X > 0.5).astype(np.int8)
    small = OnlineNMF(3, random_state=0).fit_stream([bits[:50], bits[50:]])
    np.testing.assert_array_equal(
        small.components_, OnlineNMF(3, random_state=0).fit_stream([bits[:50] * 1.0, bits[50:] * 1.0]).components_
    )
    on = small.fit_stream([X], go_on=True)
    assert on.n_steps_ == 3 and on.fit_stream([X]).n_steps_ == 1
    for bad, error in [([], ValueError), (3, TypeError), ("text", TypeError), ([X, X[:, :3]], ValueError), ([[["a"]]], ValueError)]:
        with pytest.raises(error):
            OnlineNMF(3, random_state=0).fit_stream(bad)
    with pytest.raises(ValueError, match="the number of steps is 0"):
        OnlineNMF(3).fit_stream([X], steps=0)


def test_names_of_features_are_kept() -> None:
    names = [f"gene {i}" for i in range(8)]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        model = OnlineNMF(3, random_state=0).fit(frame)
        assert list(model.feature_names_in_) == names
        np.testing.assert_array_equal(model.components_, OnlineNMF(3, random_state=0).fit(X).components_)
        assert list(model.get_feature_names_out()) == ["onlinenmf0", "onlinenmf1", "onlinenmf2"]
        with pytest.warns(UserWarning, match="valid feature names"):
            model.partial_fit(X)
    codes = OnlineNMF(3, random_state=0).set_output(transform="pandas").fit_transform(pd.DataFrame(X, columns=names))
    assert list(codes.columns) == ["onlinenmf0", "onlinenmf1", "onlinenmf2"]


def test_estimators_work_in_pipelines_and_searches() -> None:
    search = GridSearchCV(OnlineNMF(random_state=0, alpha=0.01), {"n_components": [1, 6]}, cv=3).fit(X)
    assert search.best_params_ == {"n_components": 6}
    codes = make_pipeline(MaxAbsScaler(), OnlineNMF(4, random_state=0)).fit_transform(X)
    assert codes.shape == (200, 4)


def test_score_is_minus_the_mean_loss() -> None:
    model = OnlineDictionary(4, alpha=0.3, kappa2=0.2, random_state=0).fit(X)
    codes = model.transform(X)
    rest = X - model.inverse_transform(codes)
    loss = (rest**2).sum(1) + 2 * 0.3 * np.abs(codes).sum(1) + 0.1 * (codes**2).sum(1)
    assert model.score(X) == pytest.approx(-loss.mean(), rel=1e-9)


def test_copies_share_nothing() -> None:
    model = OnlineNMF(3, random_state=0).fit(X)
    before = model.components_
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        other.partial_fit(X)
        assert not np.array_equal(other.components_, before)
    np.testing.assert_array_equal(model.components_, before)
    assert not hasattr(clone(model), "components_")
    for name in ("components_", "n_steps_", "surrogate_", "seed_", "dominance_", "history_", "piece_", "held_out_loss_"):
        assert hasattr(model, name) and not hasattr(OnlineNMF(), name)


def test_a_shallow_copy_shares_the_users_parameters() -> None:
    class Clip:
        def __call__(self, atom: np.ndarray) -> np.ndarray:
            return np.clip(atom, 0.0, 0.5)

        def __deepcopy__(self, memo: Any) -> Any:
            raise AssertionError("copied")

    start, chosen = np.full((2, X.shape[1]), 0.1), Projection(Clip())
    model = OnlineNMF(2, dict_init=start, dictionary=chosen, random_state=0, batch_size=256, max_iter=1).fit(X)
    other = copy.copy(model)
    assert other.dict_init is start and other.dictionary is chosen
    np.testing.assert_array_equal(other.components_, model.components_)
    other.partial_fit(X)
    assert (other.n_steps_, model.n_steps_) == (2, 1)


@pytest.mark.parametrize("size", [5, 300])
@pytest.mark.parametrize(
    ("jobs", "error"), [(0, ValueError), ("2", TypeError), (2.0, TypeError), (True, TypeError), ([1], TypeError)]
)
def test_n_jobs_is_refused_by_every_method_at_any_size(jobs: Any, error: type, size: int) -> None:
    x = np.random.default_rng(0).random((size, 9))
    fitted = OnlineNMF(2, random_state=0, batch_size=256, max_iter=1).fit(x).set_params(n_jobs=jobs)
    new = OnlineNMF(2, random_state=0, n_jobs=jobs)
    words = re.escape(f"n_jobs is {jobs!r}, but it must be a positive number of threads, -1 for all processors, or None")
    for call in (
        lambda: new.fit(x),
        lambda: new.partial_fit(x),
        lambda: new.fit_stream([x]),
        lambda: fitted.partial_fit(x),
        lambda: fitted.transform(x),
        lambda: fitted.score(x),
        lambda: fitted.fit_stream([x], go_on=True),
        lambda: reconstruct_image(x[:2], np.ones((4, 4)), n_jobs=jobs),
        lambda: denoise_image(np.ones((9, 9)), sigma=0.1, n_jobs=jobs),
        lambda: reconstruct_spins(x[:2], np.ones((4, 4)), n_jobs=jobs),
    ):
        with pytest.raises(error, match=words):
            call()
    assert fitted.n_steps_ == -(-size // 256)


def test_a_warning_of_negative_data_points_at_the_caller() -> None:
    for call in (
        lambda: OnlineNMF(2, random_state=0).fit(X - 0.5),
        lambda: OnlineNMF(2, random_state=0).partial_fit(X - 0.5),
        lambda: OnlineNMF(2, random_state=0).partial_fit(X[:5]).partial_fit(X[:5] - 0.5),
        lambda: OnlineNMF(2, random_state=0).fit_stream([X - 0.5]),
        lambda: OnlineNMF(2, random_state=0).fit_stream([X[:5], X[:5] - 0.5]),
    ):
        with pytest.warns(UserWarning, match="negative entries") as seen:
            call()
        assert [one.filename for one in seen] == [__file__]


def test_seeds_are_recorded() -> None:
    model = OnlineNMF(3).fit(X)
    np.testing.assert_array_equal(OnlineNMF(3, random_state=model.seed_).fit(X).components_, model.components_)
    assert OnlineNMF(3, random_state=2**64 - 1).fit(X).seed_ == 2**64 - 1
    one, two = (OnlineNMF(3, random_state=np.random.default_rng(5)).fit(X).seed_ for _ in range(2))
    assert one == two


def test_callbacks_see_each_step_and_can_end_the_fit() -> None:
    seen: list[Any] = []
    model = OnlineNMF(3, batch_size=20, random_state=0, schedule="balanced", **ONCE)
    # The estimator can be looked at while it learns, but it is fitted only afterwards.
    model.set_params(callback=seen.append).fit(X)
    assert [facts["step"] for facts in seen] == list(range(1, 11)) and seen[3]["weight"] == 0.25

    def enough(facts: dict[str, Any]) -> None:
        if facts["step"] == 4:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        model.set_params(callback=enough).fit(X)
    assert model.n_steps_ == 4
    np.testing.assert_array_equal(
        model.components_, OnlineNMF(3, batch_size=20, random_state=0, schedule="balanced", **ONCE).fit(X[:80]).components_
    )


def test_other_threads_run_during_a_fit() -> None:
    x = np.random.default_rng(0).random((4000, 60))
    counts, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counts[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before = counts[0]
    OnlineNMF(30, max_iter=3, random_state=0).fit(x)
    during = counts[0] - before
    done.set()
    thread.join()
    # With the lock held it would count a few times at most, before and after.
    assert during > 100


CHILD = """
import time, numpy as np
from ergodict import OnlineNMF
x = np.random.default_rng(0).random((3000, 30))
def seen(facts):
    # Slow enough that not many steps have to be taken again below.
    time.sleep(0.002)
    if facts["step"] == 20:
        print("step", flush=True)
same = {"batch_size": 50, "shuffle": False, "tol": 0.0, "schedule": "linear", "random_state": 0}
model = OnlineNMF(5, max_iter=10**6, callback=seen, **same)
try:
    STATEMENT
    print("not interrupted")
except KeyboardInterrupt:
    steps = model.n_steps_
    assert steps >= 20 and np.isfinite(model.components_).all() and len(model.history_["loss"]) > 0
    batches = [x[i:i + 50] for i in range(0, 3000, 50)]
    other = OnlineNMF(5, schedule="linear", random_state=0)
    for t in range(steps):
        other.partial_fit(batches[t % 60])
    assert np.array_equal(other.components_, model.components_)
    assert np.array_equal(other.partial_fit(x).components_, model.partial_fit(x).components_)
    assert model.n_steps_ == steps + 1
    print("went on")
"""


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    "statement",
    ["model.fit(x)", "model.fit_stream(x[i % 60 * 50:i % 60 * 50 + 50] for i in range(10**9))"],
    ids=["fit", "stream"],
)
def test_an_interruption_keeps_the_state(statement: str) -> None:
    code = CHILD.replace("STATEMENT", statement)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "step\n"
    child.send_signal(signal.SIGINT)
    out, errors = child.communicate(timeout=60)
    assert (out, child.returncode) == ("went on\n", 0), errors


def test_the_objective_is_as_good_as_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    atoms = np.maximum(rng.normal(size=(6, 25)), 0.0)
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    codes = rng.exponential(size=(1500, 6)) * (rng.random((1500, 6)) < 0.4)
    data = codes @ atoms + 0.01 * rng.random((1500, 25))
    train, test = data[:1000], data[1000:]
    start = rng.random((6, 25))
    batch, epochs, alpha = 50, 4, 0.1

    def forgetting(t: int) -> float:
        # scikit-learn keeps a share beta of its sums, which are means over minibatches; as weights of a mean they are these.
        total = 0.0
        for step in range(1, t + 1):
            theta = step * batch if step < batch else batch**2 + step - batch
            beta = (theta + 1 - batch) / (theta + 1)
            total = beta * total + 1.0
        return 1.0 / total

    ours = OnlineNMF(
        6, alpha=alpha, batch_size=batch, max_iter=epochs, dict_init=start, random_state=0, schedule=forgetting
    ).fit(train)
    theirs = MiniBatchDictionaryLearning(
        6, alpha=alpha, batch_size=batch, max_iter=epochs, dict_init=start / np.linalg.norm(start, axis=1, keepdims=True),
        shuffle=False, positive_dict=True, positive_code=True, fit_algorithm="cd", transform_algorithm="lasso_cd",
        random_state=0, tol=0.0, max_no_improvement=None,
    ).fit(train)  # fmt: skip
    # Both dictionaries, judged by one coder on samples that neither has seen.

    def objective(dictionary: np.ndarray) -> float:
        from sklearn.decomposition import sparse_encode

        h = sparse_encode(test, dictionary, algorithm="lasso_cd", alpha=alpha, positive=True, max_iter=5000)
        return float(((test - h @ dictionary) ** 2).sum(1).mean() + 2 * alpha * h.sum(1).mean())

    found, expected = objective(ours.components_), objective(theirs.components_)
    assert -ours.score(test) == pytest.approx(found, rel=1e-3)
    # Within two percent of each other, and far below where they started.
    assert found == pytest.approx(expected, rel=0.02)
    assert found < 0.9 * objective(start / np.linalg.norm(start, axis=1, keepdims=True))


def test_without_max_no_improvement_every_epoch_is_seen() -> None:
    x = np.random.default_rng(0).random((60, 5))
    counts = [OnlineNMF(2, max_iter=40, batch_size=20, max_no_improvement=n, random_state=0).fit(x).n_iter_ for n in (1, None)]
    assert counts[0] < counts[1] == 40
    with pytest.raises(TypeError, match="max_no_improvement"):
        OnlineNMF(2, max_no_improvement="2").fit(x)


def test_progress_is_printed_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    OnlineNMF(3, batch_size=20, random_state=0).fit(X).transform(X)
    assert capsys.readouterr().err == ""
    OnlineNMF(3, batch_size=20, random_state=0, verbose=True, max_iter=1).fit(X)
    told = capsys.readouterr().err
    assert "learning" in told and "10/10" in told and "loss" in told
    OnlineNMF(3, random_state=0, verbose=True).fit_stream(iter(X), steps=70)
    assert "70/70" in capsys.readouterr().err


def test_a_matrix_is_no_stream() -> None:
    for matrix in (np.ones((5, 4)), csr_matrix(np.ones((5, 4))), pd.DataFrame(np.ones((5, 4)))):
        with pytest.raises(ValueError, match=r"use fit\(X\), or fit_stream\(\[X\]\)"):
            OnlineNMF(2).fit_stream(matrix)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pursuit_gives_the_codes_of_scikit_learn(dtype: type) -> None:
    from sklearn.linear_model import orthogonal_mp_gram

    random = np.random.default_rng(0)
    for d, r, n in ((20, 30, 50), (12, 5, 40), (40, 100, 300)):
        atoms = random.normal(size=(r, d))
        atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
        X = random.normal(size=(n, d)).astype(dtype)
        model = OnlineDictionary(r, dict_init=atoms.astype(dtype), max_iter=1, random_state=0).fit(X)
        W = model.components_.astype(np.float64)
        # Ours takes atoms of any norm; scikit-learn wants norm one.
        norms = np.linalg.norm(W, axis=1)
        unit, samples = W / norms[:, None], X.astype(np.float64)
        gram, product = unit @ unit.T, unit @ samples.T
        for limits, theirs in (
            ({"n_nonzero_coefs": 4}, {"n_nonzero_coefs": 4}),
            ({"tol": d / 4}, {"tol": d / 4, "norms_squared": (samples**2).sum(axis=1)}),
            ({}, {"n_nonzero_coefs": max(1, d // 10)}),
        ):
            if "tol" in limits and r < d:
                continue
            found = model.transform(X, algorithm="omp", **limits)
            expected = orthogonal_mp_gram(gram, product, **theirs).T / norms
            assert found.dtype == dtype
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 if dtype == np.float64 else 2e-3)


def test_pursuit_of_nonnegative_factors_is_nonnegative_and_sparse_input_the_same() -> None:
    from scipy import sparse

    X = np.random.default_rng(1).random((80, 12))
    model = OnlineNMF(9, alpha=0.05, random_state=0).fit(X)
    codes = model.transform(X, algorithm="omp", n_nonzero_coefs=3)
    assert (codes >= 0).all() and ((codes != 0).sum(axis=1) <= 3).all() and codes.any()
    np.testing.assert_allclose(model.transform(sparse.csr_array(X), algorithm="omp", n_nonzero_coefs=3), codes, atol=1e-12)
    near = model.transform(X, algorithm="omp", tol=0.5)
    left = ((X - near @ model.components_) ** 2).sum(axis=1)
    best = ((X - model.transform(X, algorithm="omp", n_nonzero_coefs=9) @ model.components_) ** 2).sum(axis=1)
    assert (left <= np.maximum(0.5, best) + 1e-9).all()


def test_learning_by_pursuit() -> None:
    X = np.random.default_rng(2).normal(size=(200, 10))
    model = OnlineDictionary(15, code="omp:2", random_state=0).fit(X)
    assert ((model.transform(X) != 0).sum(axis=1) <= 2).all()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"algorithm": "lars"}, "algorithm is 'lars', but it must be omp"),
        ({"n_nonzero_coefs": 3}, 'limits of algorithm="omp"'),
        ({"algorithm": "omp", "n_nonzero_coefs": 0}, "n_nonzero_coefs"),
        ({"algorithm": "omp", "tol": -1.0}, "^tol is -1.0.*not negative"),
        ({"algorithm": "omp", "tol": float("nan")}, "^tol is nan.*not negative"),
    ],
)
def test_limits_of_pursuit_are_checked(limits: dict, words: str) -> None:
    model = OnlineDictionary(2, random_state=0).fit(np.eye(4))
    with pytest.raises(ValueError, match=words):
        model.transform(np.eye(4), **limits)


def test_masked_entries_are_missing_or_refused() -> None:
    X = np.random.default_rng(0).random((40, 6))
    masked = np.ma.masked_array(X.copy(), mask=np.zeros(X.shape, dtype=bool))
    masked[3:20, 2] = np.ma.masked
    masked.data[3:20, 2] = 1e6
    with pytest.raises(ValueError, match="masked"):
        OnlineNMF(2, random_state=0).fit(masked)
    gaps = X.copy()
    gaps[3:20, 2] = np.nan
    fits = [OnlineNMF(2, missing=True, random_state=0).fit(data).components_ for data in (masked, gaps)]
    np.testing.assert_array_equal(*fits)
    with pytest.raises(ValueError, match="masked"):
        mixing(np.ma.masked_greater(X.T, 0.9))
