"""Convergence diagnostics of any chain: Monte-Carlo errors, effective sample sizes, R̂."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _ergodict
from ._check import number


def mixing(
    series: Union[npt.ArrayLike, Sequence[npt.ArrayLike]], quantiles: Sequence[float] = ()
) -> dict[str, Any]:
    """Convergence diagnostics of a number along one or several chains.

    The definitions are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), and the numbers those of ArviZ: chains are cut in halves,
    autocorrelations taken around the mean of all of them and summed by Geyer's initial monotone sequence, effective sample sizes capped at
    ``N log10(N)``. A single chain, for which ArviZ has no R̂, has the one of its halves.

    Parameters
    ----------
    series : array-like of shape (n,) or (chains, n), sequence of arrays of shape (n_i,), or xarray.DataArray with dimensions chain and draw
        The number at each state of each chain, after the burn-in; longer chains are cut to the shortest.
    quantiles : sequence of float, default=()
        Quantiles, such as ``(0.05, 0.5, 0.95)``, to be returned with their Monte-Carlo standard errors.

    Returns
    -------
    dict
        ``mean`` and ``sd`` with their Monte-Carlo standard errors, ``error`` and ``sd_error``; ``autocorrelation_time``, states per independent draw;
        ``effective_sample_size`` of the mean, ``ess_bulk`` and ``ess_tail``; ``r_hat``, rank-normalized, the larger one of values and distances
        from the median; ``converged``: R̂ at most 1.01 and both ESS at least 100 per chain, None where R̂ is not known; ``quantiles``,
        a dict from each quantile asked for to its value and error. All but the mean are NaN with fewer than four numbers per chain, and where
        one is not finite. Chains that never move have an error of 0 and no R̂.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import mixing
    >>> random = np.random.default_rng(0)
    >>> noise = random.normal(size=(2, 20_000))
    >>> lazy = np.repeat(noise, 5, axis=1)  # every draw stays for five states
    >>> round(mixing(noise)["autocorrelation_time"]), round(mixing(lazy)["autocorrelation_time"])
    (1, 5)
    >>> mixing([noise[0], noise[1] * 10])["converged"]  # the same mean, another scale
    False
    """
    if isinstance(series, (list, tuple)) and len(series) and np.ndim(series[0]) == 1:
        chains = [np.asarray(chain, dtype=np.float64) for chain in series]
    else:
        if {"chain", "draw"} <= set(getattr(series, "dims", ())):
            series = series.transpose("chain", "draw")  # type: ignore[union-attr]
        array = np.asarray(series, dtype=np.float64)
        chains = [array] if array.ndim == 1 else list(array) if array.ndim else []
    if not chains or any(chain.ndim != 1 or not chain.size for chain in chains):
        raise ValueError("the series must be numbers of shape (n,) or (chains, n), or a list of arrays of shape (n,), none of them empty")
    chains = [np.ascontiguousarray(chain) for chain in chains]
    found: dict[str, Any] = _ergodict.series_mixing(chains)
    if len(quantiles):
        shares = [number(p, "a quantile") for p in quantiles]
        if not all(0 < p < 1 for p in shares):
            raise ValueError(f"quantiles are {list(quantiles)}, but they must be between 0 and 1")
        found["quantiles"] = {p: _ergodict.series_quantile(chains, p) for p in shares}
    return found
