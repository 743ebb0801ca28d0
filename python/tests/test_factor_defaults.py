"""What a fit does by default: stops, chooses a penalty, has the same result at any scale; and what scikit-learn's users expect of it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from ergodict import OnlineDictionary, OnlineNMF

RANDOM = np.random.default_rng(0)
#: Sparse sums of six parts.
PARTS = RANDOM.random((6, 20)) * (RANDOM.random((6, 20)) < 0.3)
X = (RANDOM.exponential(1.0, (400, 6)) * (RANDOM.random((400, 6)) < 0.4)) @ PARTS + 0.01 * RANDOM.random((400, 20))
SIGNED = X - X.mean(axis=0)
BOTH = pytest.mark.parametrize(("kind", "data"), [(OnlineNMF, X), (OnlineDictionary, SIGNED)])


@BOTH
@pytest.mark.parametrize("exponent", [-100, -70, -3, 10, 70, 100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_data_times_a_power_of_two_have_the_same_atoms(kind: type, data: np.ndarray, exponent: int, dtype: type) -> None:
    data = data.astype(dtype)
    scale = dtype(2.0**exponent)
    plain, scaled = (kind(5, random_state=0, max_iter=3).fit(x) for x in (data, data * scale))
    np.testing.assert_array_equal(scaled.components_, plain.components_)
    np.testing.assert_array_equal(scaled.transform(data * scale), plain.transform(data) * scale)
    assert scaled.alpha_ == plain.alpha_ * float(scale)
    assert scaled.reconstruction_err_ == pytest.approx(plain.reconstruction_err_ * float(scale), rel=1e-12)
    np.testing.assert_allclose(scaled.history_["gap"], plain.history_["gap"], rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-30, 1e-21, 1e21, 1e30])
def test_any_scale_of_single_precision_is_learned_from(scale: float) -> None:
    data = X.astype(np.float32)
    plain, scaled = (OnlineNMF(5, random_state=0, max_iter=3).fit(x) for x in (data, (data * scale).astype(np.float32)))
    np.testing.assert_allclose(scaled.components_, plain.components_, atol=5e-3)


def test_squares_that_vanish_are_an_error() -> None:
    with pytest.raises(ValueError, match="vanish: rescale the data"):
        OnlineNMF(3, random_state=0).fit(X * 1e-200)


def test_the_penalty_follows_the_data() -> None:
    assert OnlineNMF(5, random_state=0).fit(X).alpha_ == 0.0
    model = OnlineDictionary(5, random_state=0, shuffle=False, max_iter=1).fit(SIGNED)
    assert model.alpha_ == pytest.approx(0.1 * np.linalg.norm(SIGNED[:64], axis=1).mean())
    assert OnlineNMF(5, alpha=0.25, random_state=0).fit(X).alpha_ == 0.25
    with pytest.raises(ValueError, match="or auto"):
        OnlineNMF(5, alpha="much").fit(X)


def test_texts_have_topics_by_default() -> None:
    words = RANDOM.random((4, 50)) * np.kron(np.eye(4), np.ones((1, 13)))[:, :50]
    texts = RANDOM.poisson(5 * RANDOM.dirichlet(np.full(4, 0.1), 300) @ words).astype(float)
    texts /= np.maximum(np.linalg.norm(texts, axis=1, keepdims=True), 1e-12)
    model = OnlineNMF(4, random_state=0).fit(sparse.csr_array(0.01 * texts))
    atoms = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    found = (atoms @ (words / np.linalg.norm(words, axis=1, keepdims=True)).T).max(axis=0)
    assert found.min() > 0.9
    assert (model.transform(texts).max(axis=1) > 0)[texts.any(axis=1)].all()


def test_a_fit_stops_when_it_gains_little() -> None:
    stopped = OnlineNMF(6, random_state=0).fit(X)
    assert 1 < stopped.n_iter_ < 200
    # Seven minibatches an epoch: stretches are of whole epochs.
    assert stopped.n_steps_ == 7 * stopped.n_iter_
    assert stopped.n_iter_ % -(-256 // 7) == 0
    assert OnlineNMF(6, random_state=0, tol=0.0, max_iter=90).fit(X).n_iter_ == 90
    longer = OnlineNMF(6, random_state=0, tol=1e-5).fit(X)
    assert longer.n_iter_ > stopped.n_iter_
    with pytest.raises(ValueError, match="tol is 1.5"):
        OnlineNMF(6, tol=1.5).fit(X)


def test_the_error_of_the_reconstruction() -> None:
    model = OnlineNMF(6, random_state=0).fit(X)
    final = np.linalg.norm(X - model.inverse_transform(model.transform(X)))
    assert final == pytest.approx(model.reconstruction_err_, rel=0.05)
    with pytest.raises(AttributeError, match="no epoch"):
        _ = OnlineNMF(6, random_state=0).partial_fit(X).reconstruction_err_


@BOTH
def test_codes_under_another_penalty(kind: type, data: np.ndarray) -> None:
    model = kind(5, alpha=0.1, random_state=0).fit(data)
    before = model.transform(data)
    other = kind(5, alpha=0.7, dict_init=model.components_, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="every code is zero"):
        other.partial_fit(0.0 * data)
    np.testing.assert_allclose(model.transform(data, alpha=0.7), other.transform(data), atol=1e-6)
    assert np.count_nonzero(model.transform(data, alpha=0.7)) < np.count_nonzero(before)
    np.testing.assert_array_equal(model.transform(data), before)
    with pytest.raises(ValueError, match="alpha is -1"):
        model.transform(data, alpha=-1.0)


@BOTH
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weights_of_samples_are_copies(kind: type, data: np.ndarray, form: object) -> None:
    counts = np.arange(400) % 4
    make = {"n_components": 5, "alpha": 0.1, "random_state": 0, "dict_init": np.eye(5, 20) + 0.1}
    one, other = kind(**make), kind(**make)
    for part in (slice(0, 100), slice(100, 400)):
        one.partial_fit(form(data[part]), sample_weight=counts[part])  # type: ignore[operator]
        other.partial_fit(np.repeat(data[part], counts[part], axis=0))
    np.testing.assert_allclose(one.components_, other.components_, atol=1e-7)
    make |= {"batch_size": 1000, "max_iter": 2, "shuffle": False}
    for alpha in (0.1, "auto"):
        make["alpha"] = alpha
        one, other = kind(**make).fit(form(data), sample_weight=counts), kind(**make).fit(np.repeat(data, counts, axis=0))  # type: ignore[operator]
        np.testing.assert_allclose(one.components_, other.components_, atol=1e-7)
        assert one.reconstruction_err_ == pytest.approx(other.reconstruction_err_, rel=1e-6)
        assert one.alpha_ == pytest.approx(other.alpha_, rel=1e-12)


def test_weights_that_are_none() -> None:
    model = OnlineNMF(3, random_state=0)
    for weights, words in [(np.zeros(400), "at least one"), (-np.ones(400), "[Nn]egative"), (np.ones(3), "sample_weight")]:
        with pytest.raises(ValueError, match=words):
            model.fit(X, sample_weight=weights)
    np.testing.assert_array_equal(
        OnlineNMF(3, random_state=0).fit(X, sample_weight=np.ones(400)).n_steps_, OnlineNMF(3, random_state=0).fit(X).n_steps_
    )


def test_zeros_decide_no_penalty() -> None:
    for kind in (OnlineNMF, OnlineDictionary):
        with pytest.warns(ConvergenceWarning, match="every code is zero"):
            assert kind(2, random_state=0, max_iter=1).fit(np.zeros((40, 5))).alpha_ == 0.0


def test_a_generator_is_pointed_to_streams() -> None:
    for learn in (OnlineNMF(3).fit, OnlineNMF(3).partial_fit):
        with pytest.raises(TypeError, match="X is a generator.*use fit_stream"):
            learn(x for x in [X])
