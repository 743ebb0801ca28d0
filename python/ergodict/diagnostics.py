"""How well a chain mixes, whoever made it: errors of means, autocorrelation times, R̂."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

import numpy as np
import numpy.typing as npt

from . import _ergodict


def mixing(series: Union[npt.ArrayLike, Sequence[npt.ArrayLike]]) -> dict[str, float]:
    """Tell what the mean of a number along one or several chains is worth.

    Autocovariances are taken around the mean of all chains and summed by Geyer's initial monotone sequence, so that chains which stay apart count for
    about one independent draw each, however long they are. R̂ cuts each chain in halves and sets the spread of their means against that within them.

    Parameters
    ----------
    series : array-like of shape (n,) or (chains, n), or sequence of arrays of shape (n_i,)
        The number at each state of each chain, after the burn-in; longer chains are cut to the shortest.

    Returns
    -------
    dict
        ``mean``; ``error``, the Monte-Carlo standard error of it; ``autocorrelation_time``, how many states are worth one independent draw;
        ``effective_sample_size``, how many independent draws all of them are worth; ``r_hat``, near 1 when all chains agree. All but the mean are NaN
        with fewer than four numbers a chain. Chains that never move have an error of 0 and say nothing of mixing.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import mixing
    >>> random = np.random.default_rng(0)
    >>> noise = random.normal(size=(2, 20_000))
    >>> lazy = np.repeat(noise, 5, axis=1)  # every draw stays for five states
    >>> round(mixing(noise)["autocorrelation_time"]), round(mixing(lazy)["autocorrelation_time"])
    (1, 5)
    >>> mixing([noise[0], noise[1] + 10])["r_hat"] > 2  # two chains that never meet
    True
    """
    if isinstance(series, (list, tuple)) and len(series) and np.ndim(series[0]) == 1:
        chains = [np.asarray(chain, dtype=np.float64) for chain in series]
    else:
        array = np.asarray(series, dtype=np.float64)
        chains = [array] if array.ndim == 1 else list(array) if array.ndim else []
    if not chains or any(chain.ndim != 1 or not chain.size for chain in chains):
        raise ValueError("the series must be numbers of shape (n,) or (chains, n), or a list of arrays of shape (n,), none of them empty")
    mean, error, time, size, r_hat = _ergodict.series_mixing([np.ascontiguousarray(chain) for chain in chains])
    return {
        "mean": mean,
        "error": error,
        "autocorrelation_time": time,
        "effective_sample_size": size,
        "r_hat": r_hat,
    }
