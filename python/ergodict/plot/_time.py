"""Networks in time: dominance, change and dictionaries, window by window."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from .. import _check
from ._figure import COLORS, INK, axes, bare, frame, pyplot


def _windows(model: Any) -> npt.NDArray[Any]:
    try:
        return np.asarray(model.windows_)
    except AttributeError:
        words = f"this {type(model).__name__} has no windows_: fit it on a network at several times first"
        raise ValueError(words) from None


def _moments(model: Any) -> tuple[npt.NDArray[Any], str]:
    """Where windows are drawn, at the middle of each, and what the axis is called."""
    windows = _windows(model)
    if not np.all(np.isfinite(windows["start"])):
        return np.arange(1, len(windows) + 1), "window"
    middle = (windows["start"] + windows["end"]) / 2
    if model._over_time().times == "numbers":
        return middle, "time"
    return np.round(middle * 1e3).astype(np.int64).astype("datetime64[ms]"), ""


def _tidy(ax: Any, moments: npt.NDArray[Any], label: str) -> None:
    ax.set_xlabel(label)
    if moments.dtype.kind == "M":
        import matplotlib.dates

        locator = matplotlib.dates.AutoDateLocator(minticks=3, maxticks=8)
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(locator))
    elif label == "window":
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def change(model: Any, ax: Any = None) -> Any:
    """Draw the change score of each window: how much worse the dictionary before explained it than the one that learned from it.

    Parameters
    ----------
    model : NetworkDictionary
        Fitted on a network at several times.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Where it was drawn. Bars are of two standard errors; shaded are scores that permuted times explain; windows that changed are marked.

    Examples
    --------
    >>> from ergodict import NetworkDictionary, plot
    >>> model = NetworkDictionary(4, k=5, steps=10, random_state=0).fit(["@karate", "@karate", "@kite"], snapshots=True)
    >>> plot.change(model).get_ylabel()
    'change score'
    """
    windows = _windows(model)
    moments, label = _moments(model)
    ax = axes(ax, (6, 2.8))
    scored = np.isfinite(windows["change"])
    x, y, error = moments[scored], windows["change"][scored], windows["change_error"][scored]
    ax.axhline(0, color="0.6", linewidth=0.8, zorder=1)
    ax.plot(x, y, color=COLORS[0], linewidth=1.2, zorder=2)
    ax.errorbar(x, y, yerr=2 * error, fmt="o", markersize=4, color=COLORS[0], elinewidth=1.2, zorder=3)
    low, critical = windows["null_low"][scored], windows["critical"][scored]
    high = np.where(critical < 1e300, critical, windows["null_high"][scored])
    if np.any(np.isfinite(high)):
        ax.fill_between(x, np.minimum(low, high), high, step="mid", color="0.5", alpha=0.2, linewidth=0, zorder=0)
    changed = windows["changed"][scored]
    ax.plot(x[changed], y[changed], "o", markersize=10, markerfacecolor="none", color=COLORS[1], markeredgewidth=1.8, zorder=4)
    for at in np.flatnonzero(changed)[:3]:
        # Towards the middle, so that it stays within the axes.
        left = 2 * at < len(y)
        name = str(windows["name"][scored][at]).split(" to ")[0].split("T")[0]
        ax.annotate(
            f"{name}: {y[at]:.2f}", (x[at], y[at]), xytext=(10 if left else -10, 0), textcoords="offset points",
            ha="left" if left else "right", va="center", fontsize=8, annotation_clip=False,
        )
    ax.set_ylabel("change score")
    ax.margins(y=0.15)
    _tidy(ax, moments, label)
    frame(ax)
    return ax


def dominance_over_time(model: Any, atoms: int = 7, ax: Any = None) -> Any:
    """Draw how strongly each window uses each atom, as bands of a width that sums to 1.

    Parameters
    ----------
    model : NetworkDictionary
        Fitted on a network at several times.
    atoms : int, default=7
        Atoms with a separate band: those with the largest share in any window. The others share the topmost, in gray.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> from ergodict import NetworkDictionary, plot
    >>> model = NetworkDictionary(4, k=5, steps=10, random_state=0).fit(["@karate", "@kite"], snapshots=True)
    >>> plot.dominance_over_time(model, atoms=2).get_legend_handles_labels()[1][-1]
    'the other 2'
    """
    count = _check.count(atoms, "atoms")
    moments, label = _moments(model)
    shares = np.asarray(model.dominances_)
    seen = np.all(np.isfinite(shares), axis=1)
    if not np.any(seen):
        raise ValueError("no window was learned from to its end: there is no dominance to draw")
    moments, shares = moments[seen], shares[seen]
    order = np.argsort(-shares.max(axis=0), kind="stable")
    own = order[: min(count, len(COLORS) - 1, len(order))]
    # In the order of when each is strongest, so that bands that follow each other in time are neighbors.
    own = own[np.argsort(shares[:, own].argmax(axis=0), kind="stable")]
    rest = np.setdiff1d(np.arange(shares.shape[1]), own)
    bands = [shares[:, atom] for atom in own]
    labels = [f"atom {atom}" for atom in own]
    colors = list(COLORS[: len(own)])
    if len(rest):
        bands.append(shares[:, rest].sum(axis=1))
        labels.append(f"the other {len(rest)}" if len(rest) > 1 else f"atom {rest[0]}")
        colors.append("0.8")
    ax = axes(ax, (6, 3))
    if len(moments) == 1:
        # One window is a bar.
        moments = np.array([moments[0], moments[0] + (moments[0] - moments[0]) + _unit(moments)])
        bands = [np.repeat(band, 2) for band in bands]
    ax.stackplot(moments, np.array(bands), labels=labels, colors=colors, linewidth=0.4, edgecolor="white")
    ax.set(ylim=(0, 1), xlim=(moments[0], moments[-1]), ylabel="dominance")
    handles, names = ax.get_legend_handles_labels()
    ax.legend(handles[::-1], names[::-1], frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    _tidy(ax, moments, label)
    frame(ax)
    return ax


def _unit(moments: npt.NDArray[Any]) -> Any:
    return np.timedelta64(1, "D") if moments.dtype.kind == "M" else 1


def dictionary_over_time(model: Any, atoms: int = 6, windows: int = 6, ax: Any = None) -> Any:
    """Draw the atoms as they were after some windows, a row for each.

    Parameters
    ----------
    model : NetworkDictionary
        Fitted on a network at several times.
    atoms : int, default=6
        Atoms, a column for each: those with the largest share in any window.
    windows : int, default=6
        Windows, from the first to the last in equal steps.
    ax : array of Axes, optional
        Where to draw: as many rows and columns.

    Returns
    -------
    array of Axes, of shape (windows, atoms)
        Where it was drawn.

    Examples
    --------
    >>> from ergodict import NetworkDictionary, plot
    >>> model = NetworkDictionary(4, k=5, steps=10, random_state=0).fit(["@karate", "@kite"], snapshots=True)
    >>> plot.dictionary_over_time(model, atoms=3).shape
    (2, 3)
    """
    rows = _windows(model)
    kept, dictionaries = np.asarray(model.dictionary_windows_), np.asarray(model.dictionaries_)
    if not len(kept):
        raise ValueError("no window was learned from to its end: there is no dictionary to draw")
    shares = np.asarray(model.dominances_)
    largest = np.nanmax(np.where(np.isfinite(shares), shares, 0.0), axis=0)
    columns = np.argsort(-largest, kind="stable")[: _check.count(atoms, "atoms")]
    count = min(_check.count(windows, "windows"), len(kept))
    chosen = np.unique(np.round(np.linspace(0, len(kept) - 1, count)).astype(int))
    shape = (len(chosen), len(columns))
    cells = _cells(ax, shape)
    for row, at in enumerate(chosen):
        for column, atom in enumerate(columns):
            cell, picture = cells[row, column], dictionaries[at, atom]
            cell.imshow(picture, cmap=INK, vmin=0, vmax=max(float(picture.max()), 1e-12), interpolation="nearest")
            bare(cell)
            share = shares[kept[at], atom]
            cell.set_title(f"{share:.2f}" if np.isfinite(share) else "", fontsize=7, pad=2)
        name = str(rows["name"][kept[at]])
        cells[row, 0].set_ylabel(name.replace(" to ", "\nto "), rotation=0, ha="right", va="center", fontsize=8)
    return cells


def _cells(ax: Any, shape: tuple[int, int]) -> npt.NDArray[Any]:
    if ax is None:
        size = (1.3 + 0.95 * shape[1], 0.3 + 1.05 * shape[0])
        _, made = pyplot().subplots(*shape, figsize=size, layout="constrained", squeeze=False)
        found: npt.NDArray[Any] = made
        return found
    given = np.asarray(ax, dtype=object)
    if given.shape != shape:
        wanted: Optional[str] = "×".join(map(str, shape))
        raise ValueError(f"ax is of shape {given.shape}, but {wanted} axes are needed")
    return given
