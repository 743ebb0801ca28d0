"""Checks of what callers give: one behavior for each kind of number."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from ergodict import ImagePatches, Ising, Network, NetworkDictionary, OnlineDictionary, OnlineNMF, _check, denoise, sample

X = np.random.default_rng(0).random((20, 4))


def test_counts_may_be_whole_floats_and_sizes_of_what_is_learned_may_not() -> None:
    assert Ising(6, every=1e2, random_state=0).every == 100
    assert ImagePatches(np.ones((9, 9)), 3, n=1e1).n == 10
    assert OnlineNMF(2, random_state=0).fit_stream([X, X, X], steps=2.0).n_steps_ == 2
    assert OnlineNMF(2, batch_size=5.0, max_iter=2.0, dict_sweeps=1e1, random_state=0).fit(X).n_steps_ == 8
    with pytest.raises(TypeError, match=r"is 2\.0, but it must be an integer"):
        OnlineNMF(2.0, random_state=0).fit(X)
    with pytest.raises(TypeError, match=r"k is 4\.0, but it must be an integer"):
        NetworkDictionary(2, k=4.0).fit("@kite")


@pytest.mark.parametrize("value", [True, np.True_, "3", None, 1.5, float("nan"), float("inf"), [3], np.array([3, 4])])
def test_what_is_no_integer_is_none_anywhere(value: Any) -> None:
    for check in (lambda: _check.count(value, "n"), lambda: _check.whole(value, "n", 1, "one is needed")):
        with pytest.raises(TypeError, match="n is .*, but it must be an integer"):
            check()


def test_integers_of_every_kind_are_taken() -> None:
    for three in (3, np.int8(3), np.uint64(3)):
        assert _check.count(three, "n") == _check.whole(three, "n", 1, "") == _check.jobs(three) == 3
    assert _check.jobs(None) is None and _check.jobs(-1) == -1
    assert _check.whole(10**30, "n", 1, "") == 2**63 - 1 and _check.jobs(10**30) > 0
    with pytest.raises(ValueError, match="n is 0, but a dictionary has at least one"):
        _check.whole(0, "n", 1, "a dictionary has at least one")


def test_the_same_wrong_value_is_the_same_error_everywhere() -> None:
    wrong: list[tuple[str, Any, Any]] = [
        ("normalize", 3, TypeError), ("normalize", "l2", ValueError), ("solver", None, TypeError), ("alpha", "1", ValueError), ("alpha", [1], TypeError),
        ("alpha", -1, ValueError),
        ("code_tol", 0.0, ValueError), ("dict_sweeps", 2.5, TypeError), ("schedule", 3, TypeError), ("schedule", [], ValueError), ("dictionary", 3, TypeError),
        ("code", 3, TypeError), ("dict_init", "zeros", ValueError), ("n_components", 2.0, TypeError), ("batch_size", 0, ValueError),
    ]  # fmt: skip
    for name, value, error in wrong:
        messages = []
        for fit in (lambda p: OnlineNMF(**{"n_components": 2, **p}).fit(X), lambda p: NetworkDictionary(**{"n_components": 2, "k": 4, **p}).fit("@kite")):
            with pytest.raises(error) as raised:
                fit({name: value})
            assert type(raised.value) is error, name
            messages.append(str(raised.value))
        assert messages[0] == messages[1] or name == "batch_size", messages


def test_counts_of_networks_may_be_whole_floats() -> None:
    model = NetworkDictionary(2, k=4, steps=1e1, batch_size=2e1, burn_in=5.0, every=1.0, random_state=0).fit("@kite")
    assert model.n_steps_ == 10 and model.n_samples_seen_ == 200
    assert model.reconstruct("@kite", samples=1e3).edge_coverage == model.reconstruct("@kite", samples=1000).edge_coverage
    assert len(model.denoise("@kite", samples=1e3)) == 18
    assert sample("@kite", k=3, every=2.0, random_state=0).draw(4.0).shape == (4, 3)
    assert len(denoise("@kite", method="l3", top=5.0)) == 5
    assert Network.generate("er", n=1e2, edges=2e2, random_state=0) == Network.generate("er", n=100, edges=200, random_state=0)


@pytest.mark.parametrize("estimator", [OnlineNMF(2), OnlineDictionary(2), NetworkDictionary(2)])
def test_nothing_is_there_before_fit(estimator: Any) -> None:
    names = ["components_", "n_steps_", "surrogate_", "seed_", "dominance_", "history_"]
    if isinstance(estimator, NetworkDictionary):
        names += ["atoms_", "order_", "n_samples_seen_", "motif_", "sampler_", "chain_", "networks_", "windows_", "dominances_", "dictionaries_"]
    else:
        names += ["n_iter_", "piece_", "held_out_loss_"]
    for name in names:
        assert not hasattr(estimator, name), name
        with pytest.raises(NotFittedError, match=f"This {type(estimator).__name__} instance is not fitted yet"):
            getattr(estimator, name)


def test_histories_have_one_form() -> None:
    keys = ["step", "samples", "loss", "surrogate", "gap_step", "gap", "change"]
    fitted = [OnlineNMF(2, random_state=0).fit(X), NetworkDictionary(2, k=4, steps=5, random_state=0).fit("@kite")]
    fitted.append(NetworkDictionary(2, k=3, static=True, random_state=0).fit("@kite"))
    for model in fitted:
        found = model.history_
        assert list(found) == keys
        assert [found[key].dtype.kind for key in keys] == ["i", "i", "f", "f", "i", "f", "f"]
        assert len(found["step"]) > 0 and len(found["gap"]) == len(found["gap_step"]) == len(found["change"])


def test_the_variants_share_all_but_two_defaults() -> None:
    one, other = OnlineDictionary().get_params(), OnlineNMF().get_params()
    assert {name for name in one if one[name] != other[name]} == {"dictionary", "code"}
    assert (other["dictionary"], other["code"], one["dictionary"], one["code"]) == ("nonneg-ball", "nonneg", "ball", "free")
    for kind in (OnlineDictionary, OnlineNMF):
        signature, text = inspect.signature(kind), kind.__doc__ or ""
        assert f'default="{signature.parameters["dictionary"].default}"' in text and f'code : str, default="{signature.parameters["code"].default}"' in text
        assert all(f"\n{name} : " in text for name in signature.parameters)
