"""Mixing of series that anybody made: known autocorrelation times, chains that stay apart, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from ergodict import mixing


def autoregressive(rho: float, chains: int, n: int, seed: int) -> np.ndarray:
    """Chains z_t = ρ z_{t−1} + ε_t in their stationary law, of autocorrelation time (1 + ρ)/(1 − ρ)."""
    random = np.random.default_rng(seed)
    z = np.empty((chains, n))
    z[:, 0] = random.normal(size=chains) / np.sqrt(1 - rho**2)
    for t in range(1, n):
        z[:, t] = rho * z[:, t - 1] + random.normal(size=chains)
    return z


def test_the_time_of_an_autoregressive_chain_is_found() -> None:
    # The estimate of τ scatters by about τ √(2 (2M + 1)/n) with a window M of some five times τ: 7 % here, of which four are allowed.
    found = mixing(autoregressive(0.8, 4, 20_000, 0))
    assert abs(found["autocorrelation_time"] - 9) < 4 * 0.07 * 9
    assert abs(found["mean"]) < 5 * found["error"]
    assert found["effective_sample_size"] == pytest.approx(80_000 / found["autocorrelation_time"])
    assert found["r_hat"] < 1.01


def test_one_chain_and_several_and_unequal_ones_are_taken() -> None:
    z = autoregressive(0.5, 2, 1000, 1)
    assert mixing(z[0]) == mixing(z[:1]) == mixing([z[0]]) == mixing(z[0].tolist())
    # The longer is cut to the shorter.
    assert mixing([z[0], z[1][:800]]) == mixing(z[:, :800])
    # Other types, and orders in memory, are as good.
    assert mixing(np.asfortranarray(z)) == mixing(z) == mixing([tuple(row) for row in z])
    assert mixing(z > 0)["mean"] == pytest.approx((z > 0).mean())


def test_chains_that_stay_apart_are_told() -> None:
    z = autoregressive(0.5, 2, 1000, 2) + [[0], [100]]
    found = mixing(z)
    assert found["r_hat"] > 1.5 and found["effective_sample_size"] < 10 and found["converged"] is False


@pytest.mark.parametrize("series", [[], [[]], np.zeros((2, 3, 4)), 3.0, ["a"], [[1.0, 2.0], [[1.0]]]])
def test_what_is_no_series_is_refused(series: object) -> None:
    with pytest.raises(ValueError):
        mixing(series)
