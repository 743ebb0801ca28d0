"""Curves: ROC, and numbers along chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from .. import _check, _ergodict
from ._figure import COLORS, axes, frame, grid, pyplot


def roc(curves: Any, ax: Any = None) -> Any:
    """Draw ROC curves, with the area under each.

    Parameters
    ----------
    curves : result, pair (fpr, tpr), or mapping of names to them
        Results of ``evaluate``, or false and true positive rates.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> from ergodict import plot
    >>> ax = plot.roc({"ours": ([0, 0, 1], [0, 1, 1]), "theirs": ([0, 1], [0, 1])})
    >>> ax.get_legend_handles_labels()[1]
    ['ours, AUC 1.000', 'theirs, AUC 0.500']
    """
    named = curves if isinstance(curves, Mapping) and not {"fpr", "tpr"} <= set(curves) else {"": curves}
    ax = axes(ax, (4, 4))
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle=":", zorder=1)
    for i, (name, curve) in enumerate(named.items()):
        false, true, area = _curve(curve)
        label = f"{name}, AUC {area:.3f}" if name != "" else f"AUC {area:.3f}"
        style = ["-", "--", "-.", (0, (1, 1))][i // len(COLORS) % 4]
        ax.plot(false, true, color=COLORS[i % len(COLORS)], linestyle=style, linewidth=2, label=label)
    ax.set(
        xlabel="false positive rate",
        ylabel="true positive rate",
        xlim=(-0.01, 1.01),
        ylim=(-0.01, 1.01),
        aspect="equal",
    )
    ax.legend(frameon=False, loc="lower right")
    frame(ax)
    return ax


def _curve(curve: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float]:
    """False and true positive rates, and the area under them."""
    area = getattr(curve, "auc", None)
    if isinstance(curve, Mapping):
        area, curve = curve.get("auc"), (curve["fpr"], curve["tpr"])
    elif hasattr(curve, "fpr") and hasattr(curve, "tpr"):
        curve = (curve.fpr, curve.tpr)
    elif hasattr(curve, "roc"):
        curve = curve.roc() if callable(curve.roc) else curve.roc
    try:
        false, true = (np.asarray(part, dtype=np.float64) for part in tuple(curve)[:2])
    except (TypeError, ValueError):
        raise TypeError(
            "a ROC curve is a result of evaluate, or a pair of false and true positive rates"
        ) from None
    if false.ndim != 1 or false.shape != true.shape or not len(false):
        raise ValueError(
            f"the rates have the shapes {false.shape} and {true.shape}, but they must be as many"
        )
    trapezia = float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2))
    return false, true, trapezia if area is None else float(area)


def trace(series: Any, ax: Any = None, every: int = 1) -> Any:
    """Draw a number along a chain.

    Parameters
    ----------
    series : array of shape (n,), array of shape (chains, n), or mapping of names to arrays
        The series, as returned by ``Ising.record``.
    ax : Axes or array of them, optional
        Where to draw; one for each name, or one for all.
    every : int, default=1
        Updates from one number to the next.

    Returns
    -------
    Axes or array of Axes
        Where it was drawn: several for a mapping of several names, unless one was given.

    Examples
    --------
    >>> from ergodict import Ising, plot
    >>> series = Ising(size=10, every=100, random_state=0).record(50)
    >>> [ax.get_ylabel() for ax in plot.trace(series)]
    ['energy', 'magnetization']
    """
    named: dict[str, npt.NDArray[np.float64]] = _named(series)
    if isinstance(ax, (Sequence, np.ndarray)):
        cells = grid(len(named), ax)
    elif ax is None and len(named) > 1:
        size = (6, 1.2 + 1.5 * len(named))
        cells = pyplot().subplots(len(named), 1, figsize=size, sharex=True, layout="constrained")[1]
    else:
        cells = np.array([axes(ax, (6, 2.6))] * len(named), dtype=object)
    shared = len(set(map(id, cells))) == 1 and len(named) > 1
    drawn = 0
    for cell, (name, values) in zip(cells, named.items()):
        for chain in values:
            color = COLORS[drawn % len(COLORS)] if shared or len(values) > 1 else COLORS[0]
            label = name if shared else None
            cell.plot(np.arange(1, len(chain) + 1) * every, chain, color=color, linewidth=0.9, label=label)
            drawn += 1
        cell.set_ylabel("" if shared else name)
        frame(cell)
    cells[-1].set_xlabel("updates" if every > 1 else "state")
    if shared:
        cells[0].legend(frameon=False)
    return cells if len(named) > 1 and not shared else cells[0]


def autocorrelation(series: Any, lags: Optional[int] = None, ax: Any = None) -> Any:
    """Draw the autocorrelation of a number along a chain, with its integrated time.

    Within the pale band it is not distinguishable from 0: 95 %, by Bartlett's formula for a series without memory from that lag on.

    Parameters
    ----------
    series : array of shape (n,) or (chains, n), or mapping of names to arrays
        The numbers.
    lags : int, optional
        The largest lag; by default five times the integrated time, and at least 10.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> from ergodict import Ising, plot
    >>> energy = Ising(size=10, every=20, random_state=0).record(500)["energy"]
    >>> float(plot.autocorrelation(energy, lags=5).lines[0].get_ydata()[0])
    1.0
    """
    named = _named(series)
    most = None if lags is None else _check.count(lags, "lags")
    ax = axes(ax, (5, 3))
    for i, (name, values) in enumerate(named.items()):
        chains = list(values)
        time = _ergodict.series_mixing(chains)["autocorrelation_time"]
        own = int(max(10, np.ceil(5 * time))) if np.isfinite(time) else 10
        found, errors = _ergodict.series_autocorrelation(chains, own if most is None else most)
        if not len(found):
            raise ValueError(
                "the series has no autocorrelation: it is constant, shorter than four numbers, or has NaN"
            )
        label = f"{name}: τ = {time:.1f}" if name else f"τ = {time:.1f}"
        band = 1.96 * errors[1:]
        ax.fill_between(np.arange(1, len(found)), -band, band, color=COLORS[i % len(COLORS)], alpha=0.15, linewidth=0)
        # Marks that touch each other only make the line thick.
        mark = "o" if len(found) <= 60 else ""
        ax.plot(
            np.arange(len(found)),
            found,
            color=COLORS[i % len(COLORS)],
            marker=mark,
            markersize=3,
            linewidth=1.2,
            label=label,
        )
    ax.set(xlabel="lag", ylabel="autocorrelation")
    ax.legend(frameon=False)
    ax.axhline(0, color="0.6", linewidth=0.8, zorder=1)
    frame(ax)
    return ax


def _named(series: Union[Mapping[str, npt.ArrayLike], npt.ArrayLike]) -> dict[str, npt.NDArray[np.float64]]:
    """Series by name, each with its chains as rows."""
    given = series if isinstance(series, Mapping) else {"": series}
    named = {}
    for name, values in given.items():
        chains = np.atleast_2d(np.asarray(values, dtype=np.float64))
        if chains.ndim != 2 or not chains.size:
            raise ValueError(
                f"the series has the shape {np.shape(values)}, but it must be (n,) or (chains, n)"
            )
        named[str(name)] = np.ascontiguousarray(chains)
    if not named:
        raise ValueError("there is no series to draw")
    return named
