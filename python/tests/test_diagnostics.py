"""Mixing of series that anybody made: known autocorrelation times, chains that stay apart, the numbers and the objects of ArviZ, what is refused."""

from __future__ import annotations

import builtins
import warnings
from typing import Any

import numpy as np
import pytest

import ergodict
from ergodict import Ising, mixing
from ergodict.diagnostics import to_inference_data

with warnings.catch_warnings():
    # It announces its next version, and plots with what is not there.
    warnings.simplefilter("ignore")
    arviz = pytest.importorskip("arviz")
    import xarray


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
    assert abs(found["mean"]) < 5 * found["mcse_mean"]
    assert found["ess_mean"] == pytest.approx(80_000 / found["autocorrelation_time"])
    assert found["r_hat"] < 1.01


def test_one_chain_and_several_are_taken() -> None:
    z = autoregressive(0.5, 2, 1000, 1)
    assert mixing(z[0]) == mixing(z[:1]) == mixing([z[0]]) == mixing(z[0].tolist())
    # Other types, and orders in memory, are as good.
    assert mixing(np.asfortranarray(z)) == mixing(z) == mixing([tuple(row) for row in z])
    assert mixing(z > 0)["mean"] == pytest.approx((z > 0).mean())


def test_unequal_chains_are_refused_and_transposed_ones_warned_of() -> None:
    z = autoregressive(0.5, 2, 1000, 1)
    with pytest.raises(ValueError, match=r"the shapes \(1000,\), \(800,\)"):
        mixing([z[0], z[1][:800]])
    with pytest.warns(UserWarning, match="1000 chains of 2 draws"):
        mixing(z.T)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mixing(z)["r_hat"] < 1.1


def test_chains_that_stay_apart_are_reported() -> None:
    z = autoregressive(0.5, 2, 1000, 2) + [[0], [100]]
    found = mixing(z)
    assert found["r_hat"] > 1.5 and found["ess_mean"] < 10 and found["converged"] is False


@pytest.mark.parametrize("series", [[], [[]], 3.0, ["a"], [[1.0, 2.0], [[1.0]]], {}, {"x": []}])
def test_what_is_no_series_is_refused(series: object) -> None:
    with pytest.raises(ValueError):
        mixing(series)


def stuck(seed: int) -> np.ndarray:
    z = autoregressive(0.3, 3, 200, seed)
    z[1] = z[1, 0]
    return z


def with_value(value: float) -> np.ndarray:
    z = autoregressive(0.3, 2, 100, 3)
    z[1, 7] = value
    return z


BATTERY = {
    **{f"autoregressive {rho}": autoregressive(rho, 4, 500, 4) for rho in (-0.95, -0.9, -0.5, 0.0, 0.5, 0.9, 0.99)},
    "heavy tails": np.random.default_rng(5).standard_cauchy(size=(3, 400)),
    "another scale": autoregressive(0.3, 2, 400, 6) * [[1], [10]],
    "apart": autoregressive(0.3, 2, 400, 7) + [[0], [3]],
    "one stuck": stuck(8),
    "two values": (autoregressive(0.5, 2, 300, 9) > 0).astype(float),
    "one chain": autoregressive(0.5, 1, 300, 10),
    "constant": np.full((2, 50), 0.25),
    "frozen apart": np.repeat([[0.5], [-0.5]], 50, axis=1),
    "NaN": with_value(np.nan),
    "three draws": autoregressive(0.3, 2, 3, 11),
    "four draws": autoregressive(0.3, 2, 4, 12),
    "five draws": autoregressive(0.3, 2, 5, 13),
    "one draw": autoregressive(0.3, 2, 1, 14),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BATTERY)
def test_numbers_are_those_of_arviz(name: str) -> None:
    z = BATTERY[name]
    found = mixing(z, quantiles=[0.25])
    expected = {
        "mean": z.mean(), "sd": z.std(ddof=1), "mcse_mean": arviz.mcse(z, method="mean"), "mcse_sd": arviz.mcse(z, method="sd"),
        "ess_mean": arviz.ess(z, method="mean"), "ess_bulk": arviz.ess(z, method="bulk"), "ess_tail": arviz.ess(z, method="tail"),
        "r_hat": arviz.rhat(z),
    }
    if len(z) == 1:
        # It has none of a single chain, we have that of the halves.
        assert np.isnan(expected.pop("r_hat")) and np.isfinite(found["r_hat"])
    if name == "constant":
        # The error of a spread of nothing, 0/0 there.
        assert np.isnan(expected.pop("mcse_sd")) and found["mcse_sd"] == 0
    for key, value in expected.items():
        assert found[key] == pytest.approx(float(value), rel=1e-10, abs=1e-14, nan_ok=True), key
    assert found["quantiles"][0.25][1] == pytest.approx(float(arviz.mcse(z, method="quantile", prob=0.25)), rel=1e-10, nan_ok=True)


def test_small_numbers_are_worth_what_they_are_in_larger_units() -> None:
    z = autoregressive(0.9, 2, 1000, 15)
    small, large = mixing(z * 2.0**-70), mixing(z)
    assert small["ess_mean"] == large["ess_mean"] < 200 and small["mcse_mean"] == large["mcse_mean"] * 2.0**-70


def test_arrays_at_each_state_have_diagnostics_of_their_shape() -> None:
    random = np.random.default_rng(16)
    z = random.normal(size=(2, 100, 3, 2))
    found = mixing(z, quantiles=[0.5])
    assert found["ess_bulk"].shape == (3, 2)
    one = mixing(z[:, :, 2, 1], quantiles=[0.5])
    assert found["r_hat"][2, 1] == one["r_hat"] and found["converged"][2, 1] is one["converged"]
    assert found["quantiles"][0.5][1][2, 1] == one["quantiles"][0.5][1]
    table = found.to_pandas()
    assert table.index[-1] == "x[2, 1]" and table.loc["x[2, 1]", "ess_tail"] == one["ess_tail"]


@pytest.mark.filterwarnings("ignore")
def test_objects_of_xarray_and_arviz_are_taken_and_the_table_is_that_of_arviz() -> None:
    random = np.random.default_rng(17)
    draws = {"mu": random.normal(size=(4, 250)), "theta": random.normal(size=(4, 250, 2))}
    array = xarray.DataArray(draws["theta"], dims=("chain", "draw", "school"), coords={"school": ["Choate", "Eton"]})
    data = arviz.from_dict(posterior=draws, coords={"school": ["Choate", "Eton"]}, dims={"theta": ["school"]})
    tree = xarray.DataTree.from_dict({"posterior": data.posterior, "observed_data": xarray.Dataset({"y": ("i", [1.0])})})
    plain = mixing(draws)
    assert np.array_equal(mixing(array)["ess_bulk"], plain["theta"]["ess_bulk"])
    assert np.array_equal(mixing(array.transpose("school", "draw", "chain"))["r_hat"], plain["theta"]["r_hat"])
    expected = arviz.summary(data, round_to="none")
    for given in (data, tree, data.posterior, tree["posterior"]):
        found = mixing(given)
        assert list(found) == ["mu", "theta"] and found["mu"] == plain["mu"]
        table = found.to_pandas()
        assert table.index.tolist() == expected.index.tolist() == ["mu", "theta[Choate]", "theta[Eton]"]
        np.testing.assert_allclose(table.to_numpy(), expected[table.columns].to_numpy(), rtol=1e-10)
    with pytest.raises(ValueError, match="prior, but no posterior"):
        mixing(arviz.from_dict(prior=draws))


@pytest.mark.filterwarnings("ignore")
def test_chains_and_samplers_are_exported_to_arviz() -> None:
    def ising() -> Ising:
        return Ising(size=8, temperature=3.0, every=64, random_state=0)

    data = ising().to_inference_data(100, ["energy"])
    series = ising().record(100, ["energy"])["energy"]
    assert np.array_equal(data.posterior["energy"].to_numpy(), [series])
    assert mixing(data)["energy"] == mixing(series)

    def sampler() -> Any:
        return ergodict.sample("@karate", k=3, sampler="pivot", chains=3, random_state=1)

    found = mixing(sampler().to_inference_data(300))
    expected = sampler().diagnose(300)["observables"]
    assert sorted(found) == sorted(expected)
    for name, one in expected.items():
        assert found[name]["mcse_mean"] == one["error"] and found[name]["r_hat"] == one["r_hat"], name


def test_without_arviz_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "arviz":
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install ergodict\[arviz\]"):
        to_inference_data({"x": [1.0, 2.0]})
