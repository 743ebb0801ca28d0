"""Checks of what callers give: one behaviour for each kind of number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ergodict import ImagePatches, Ising, OnlineNMF, _check

X = np.random.default_rng(0).random((20, 4))


def test_counts_may_be_whole_floats_and_sizes_of_what_is_learned_may_not() -> None:
    assert Ising(6, every=1e2, random_state=0).every == 100
    assert ImagePatches(np.ones((9, 9)), 3, n=1e1).n == 10
    assert OnlineNMF(2, random_state=0).fit_stream([X, X, X], steps=2.0).n_steps_ == 2
    for name in ("n_components", "batch_size", "max_iter", "dict_sweeps"):
        with pytest.raises(TypeError, match=r"is 2\.0, but it must be an integer"):
            OnlineNMF(**{"n_components": 2, "random_state": 0, name: 2.0}).fit(X)


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
