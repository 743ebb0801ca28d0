"""Convergence diagnostics of any chain: Monte-Carlo errors, effective sample sizes, R̂."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _ergodict
from ._check import number
from ._warn import warn

#: The columns of a table, in the order of `arviz.summary`.
_COLUMNS = ("mean", "sd", "mcse_mean", "mcse_sd", "ess_bulk", "ess_tail", "r_hat")


class Diagnostics(dict[str, Any]):
    """Convergence diagnostics by the names that ArviZ has for them, or those of several variables by their names; see :func:`mixing`."""

    #: Labels of the places of an array-valued variable, row by row; one empty label for a number.
    _labels: list[str]

    def to_pandas(self) -> Any:
        """The diagnostics as a table like that of ``arviz.summary``: a row for each number, and its mean, sd, errors, ESS and R̂.

        Examples
        --------
        >>> import numpy as np
        >>> from ergodict import mixing
        >>> draws = {"x": np.random.default_rng(0).normal(size=(4, 500, 2))}
        >>> mixing(draws).to_pandas().index.tolist()
        ['x[0]', 'x[1]']
        """
        from ._repr import imported_pandas

        rows: dict[str, list[float]] = {}
        for name, found in (self.items() if _is_named(self) else [("x", self)]):
            columns = [np.ravel(found[column]) for column in _COLUMNS]
            for label, *values in zip(found._labels, *columns):
                rows[f"{name}{label}"] = [float(value) for value in values]
        return imported_pandas().DataFrame.from_dict(rows, orient="index", columns=list(_COLUMNS))


def mixing(series: Any, quantiles: Sequence[float] = ()) -> Diagnostics:
    """Convergence diagnostics of a number, or of several, along one or several chains.

    The definitions are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), and the numbers those of ArviZ: chains are cut in halves,
    autocorrelations taken around the mean of all of them and summed by Geyer's initial monotone sequence, effective sample sizes capped at
    ``N log10(N)``. A single chain, for which ArviZ has no R̂, has the one of its halves.

    Parameters
    ----------
    series : array-like of shape (n,), (chains, n) or (chains, n, ...), xarray.DataArray, or several variables
        The number, or the array, at each state of each chain, after the burn-in; all chains have the same length. A DataArray has
        the dimensions chain and draw, and any others. Several variables are a mapping from names to any of these (what :meth:`Ising.record` returns),
        an ``xarray.Dataset``, an ``arviz.InferenceData`` or an ``xarray.DataTree``, of which the group posterior is taken.
    quantiles : sequence of float, default=()
        Quantiles, such as ``(0.05, 0.5, 0.95)``, to be returned with their Monte-Carlo standard errors.

    Returns
    -------
    Diagnostics
        A dict of ``mean`` and ``sd`` with their Monte-Carlo standard errors, ``mcse_mean`` and ``mcse_sd``; the effective sample sizes ``ess_mean``,
        ``ess_bulk`` and ``ess_tail``; ``r_hat``, rank-normalized, the larger one of values and distances from the median;
        ``autocorrelation_time``, states per independent draw; ``converged``: R̂ at most 1.01 and both ESS at least 100 per chain, None where R̂ is
        not known; ``quantiles``, a dict from each quantile asked for to its value and error. Each is a number, or an array of the shape that
        remains without chains and draws. Of several variables, such a dict for each, by name. Its method ``to_pandas`` makes a table like that of
        ``arviz.summary``. With fewer than four numbers per chain all but mean and sd are NaN, and all where a number is NaN. Chains that never move have
        an error of 0 and no R̂.

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
    shares = [number(p, "a quantile") for p in quantiles]
    if not all(0 < p < 1 for p in shares):
        raise ValueError(f"quantiles are {list(quantiles)}, but they must be between 0 and 1")
    variables = _variables(series)
    if variables is None:
        return _diagnose(series, shares)
    if not variables:
        raise ValueError("the series has no variable with the dimensions chain and draw")
    return Diagnostics({name: _diagnose(values, shares) for name, values in variables.items()})


def to_inference_data(series: Mapping[str, npt.ArrayLike]) -> Any:
    """Series along chains in ArviZ's form, for its plots and files.

    Parameters
    ----------
    series : mapping from str to array-like of shape (n,), (chains, n) or (chains, n, ...)
        A number, or an array, at each state of each chain.

    Returns
    -------
    arviz.InferenceData
        With the series as the group posterior; an ``xarray.DataTree`` from version 1 of ArviZ on.

    Examples
    --------
    >>> from ergodict import Ising
    >>> from ergodict.diagnostics import to_inference_data
    >>> chains = [Ising(size=16, temperature=3.0, every=256, chain=c, random_state=0).record(100) for c in range(2)]
    >>> data = to_inference_data({name: [chain[name] for chain in chains] for name in chains[0]})
    >>> data.posterior["energy"].shape
    (2, 100)
    """
    try:
        import arviz
    except ImportError as error:
        raise ImportError("to_inference_data needs arviz: pip install ergodict[arviz]") from error
    posterior = {name: _by_chain(values) for name, values in series.items()}
    if int(arviz.__version__.partition(".")[0]) > 0:
        return arviz.from_dict({"posterior": posterior})
    return arviz.from_dict(posterior=posterior)


def _is_named(found: Diagnostics) -> bool:
    """Whether these are diagnostics of several variables."""
    return bool(found) and all(isinstance(one, Diagnostics) for one in found.values())


def _variables(series: Any) -> Any:
    """Variables by name, none where it is a single one."""
    if type(series).__module__.partition(".")[0] in ("arviz", "xarray", "arviz_base") and not hasattr(series, "dtype"):
        # InferenceData and DataTree have groups, a Dataset is one.
        group = getattr(series, "posterior", None)
        if group is None and hasattr(series, "children") and "posterior" in series.children:
            group = series["posterior"]
        if group is None and callable(getattr(series, "groups", None)):
            raise ValueError(f"the series has the groups {', '.join(series.groups())}, but no posterior: hand over one of them")
        group = series if group is None else group
        group = getattr(group, "dataset", group)
        return {str(name): values for name, values in group.data_vars.items() if {"chain", "draw"} <= set(values.dims)}
    return dict(series) if isinstance(series, Mapping) else None


def _by_chain(series: Any) -> Any:
    """An array of shape (chains, n, ...)."""
    if any(np.any(np.ma.getmaskarray(part)) for part in (series if isinstance(series, (list, tuple)) else [series]) if isinstance(part, np.ma.MaskedArray)):
        raise ValueError("the series has masked values: leave those draws out of every chain, or fill them")
    if isinstance(series, (list, tuple)) and len(series) and np.ndim(series[0]) == 1:
        chains = [np.asarray(chain, dtype=np.float64) for chain in series]
        if len({chain.shape for chain in chains}) > 1:
            lengths = ", ".join(str(chain.shape) for chain in chains)
            raise ValueError(f"the chains have the shapes {lengths}, but they must have the same: cut them to the shortest")
        return np.stack(chains)
    if {"chain", "draw"} <= set(getattr(series, "dims", ())):
        series = series.transpose("chain", "draw", ...)
    array = np.asarray(series, dtype=np.float64)
    return array[None, :] if array.ndim == 1 else array


def _diagnose(series: Any, shares: Sequence[float]) -> Diagnostics:
    """The diagnostics of one variable."""
    array = _by_chain(series)
    if array.ndim < 2 or not array.size:
        raise ValueError(
            "the series must be numbers of shape (n,), (chains, n) or (chains, n, ...), none of them empty"
        )
    shape = array.shape[2:]
    if array.shape[0] > array.shape[1] and not hasattr(series, "dims"):
        warn(f"the series has {array.shape[0]} chains of {array.shape[1]} draws: an array of shape (draws, chains) must be transposed")
    each = [_diagnose_number(array[(slice(None), slice(None), *place)], shares) for place in np.ndindex(shape)]
    if not shape:
        found = Diagnostics(each[0])
    else:
        # Whether a number has converged may be unknown: an array of objects.
        found = Diagnostics({
            key: np.array([one[key] for one in each], dtype=object if key == "converged" else np.float64).reshape(shape)
            for key in each[0] if key != "quantiles"
        })
        if shares:
            pairs = {p: np.array([one["quantiles"][p] for one in each]) for p in shares}
            found["quantiles"] = {p: (both[:, 0].reshape(shape), both[:, 1].reshape(shape)) for p, both in pairs.items()}
    found._labels = list(_labels(series, shape))
    return found


def _diagnose_number(chains: npt.NDArray[np.float64], shares: Sequence[float]) -> dict[str, Any]:
    each = [np.ascontiguousarray(chain) for chain in chains]
    found: dict[str, Any] = _ergodict.series_mixing(each)
    if shares:
        found["quantiles"] = {p: _ergodict.series_quantile(each, p) for p in shares}
    return found


def _labels(series: Any, shape: tuple[int, ...]) -> Iterator[str]:
    """Labels of the entries, as ``arviz.summary`` has them: coordinates where there are some, else indices."""
    dims = [dim for dim in getattr(series, "dims", ()) if dim not in ("chain", "draw")]
    coords = getattr(series, "coords", {})
    names = [list(np.asarray(coords[dim])) if dim in coords else None for dim in dims] or [None] * len(shape)
    for place in np.ndindex(shape):
        words = [str(at if known is None else known[at]) for at, known in zip(place, names)]
        yield f"[{', '.join(words)}]" if words else ""
