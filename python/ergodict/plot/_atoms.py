"""Pictures of what was learned: atoms, their dominance, the history of learning."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from .. import _check
from ._figure import (
    COLORS,
    INK,
    SIGNED,
    atoms_of,
    axes,
    bare,
    fitted,
    frame,
    grid,
    motif_edges,
    order_of,
    shaped,
)


def atoms(
    model: Any,
    shape: Optional[tuple[int, ...]] = None,
    order: Optional[npt.ArrayLike] = None,
    n: Optional[int] = None,
    ax: Any = None,
    as_graph: bool = False,
) -> npt.NDArray[Any]:
    """Draw atoms in a grid, the most dominant first.

    Parameters
    ----------
    model : estimator or array
        A fitted estimator, or atoms of shape (r, d), (r, rows, cols) or (r, rows, cols, 3).
    shape : tuple of int, optional
        Rows and columns of an atom (and 3 for color); squares by default.
    order : array of int, optional
        Which atoms, in which order; by dominance by default, or as they are where that is not known.
    n : int, optional
        Draw only the first so many.
    ax : Axes or array of them, optional
        Where to draw; a grid is put into a single one.
    as_graph : bool, default=False
        Draw the atoms of networks as small graphs: the edges of the motif itself in another color, all as strong as the entries.

    Returns
    -------
    array of Axes
        One for each atom.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import plot
    >>> len(plot.atoms(np.eye(4)))
    4
    """
    all_atoms = atoms_of(model)
    pictures = shaped(all_atoms, shape)
    chosen = order_of(model, len(pictures), order)[: None if n is None else _check.count(n, "n")]
    scores = getattr(model, "dominance_", None)
    if as_graph and (pictures.ndim != 3 or pictures.shape[1] != pictures.shape[2]):
        raise ValueError(
            f"atoms of the shape {pictures.shape[1:]} are no matrices between nodes: leave as_graph out"
        )
    strip = pictures.shape[1] == 1 and pictures.shape[2] > 1
    cells = grid(len(chosen), ax, aspect=0.4 if strip else pictures.shape[1] / pictures.shape[2])
    low, high = float(pictures.min()), float(pictures.max())
    for cell, index in zip(cells, chosen):
        if as_graph:
            _graph(cell, pictures[index], motif_edges(getattr(model, "motif_", None), pictures.shape[1]))
        else:
            _picture(cell, pictures[index], low, high)
            if strip:
                cell.set_aspect("auto")
        if scores is not None and len(scores) == len(pictures):
            cell.set_title(f"{float(scores[index]):.3f}", fontsize=8, pad=3)
    return cells


def _picture(ax: Any, values: npt.NDArray[np.float64], low: float, high: float) -> None:
    """An atom as a picture; each has its own scale, as the report has it."""
    bare(ax)
    if values.ndim == 3:
        span = max(high - min(low, 0.0), 1e-300)
        ax.imshow(np.clip((values - min(low, 0.0)) / span, 0, 1), interpolation="nearest")
    elif low < 0:
        most = float(np.abs(values).max()) or 1.0
        ax.imshow(values, cmap=SIGNED, vmin=-most, vmax=most, interpolation="nearest")
    else:
        ax.imshow(values, cmap=INK, vmin=0, vmax=float(values.max()) or 1.0, interpolation="nearest")


def _graph(ax: Any, matrix: npt.NDArray[np.float64], own: list[tuple[int, int]]) -> None:
    """An atom as a graph on a circle, from the top on clockwise."""
    from matplotlib.collections import LineCollection

    k = len(matrix)
    angles = np.pi / 2 - 2 * np.pi * np.arange(k) / max(k, 1)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    weights = np.clip(np.maximum(matrix, matrix.T), 0, None)
    rows, cols = np.triu_indices(k, 1)
    strong = weights[rows, cols] / (float(weights.max()) or 1.0)
    motif = {(min(u, v), max(u, v)) for u, v in own}
    is_own = np.array([(u, v) in motif for u, v in zip(rows.tolist(), cols.tolist())], dtype=bool)
    # Weak edges would make a ball of wool of every atom.
    shown = strong > 0.05
    # The colors that reports have: what the motif brings along in blue, what the network adds in orange.
    for mine, color in ((False, COLORS[1]), (True, COLORS[0])):
        part = shown & (is_own == mine)
        if not part.any():
            continue
        lines = np.stack([places[rows[part]], places[cols[part]]], axis=1)
        ax.add_collection(
            LineCollection(
                list(lines),
                linewidths=0.3 + 2.2 * strong[part],
                colors=color,
                alpha=0.15 + 0.85 * strong[part],
            )
        )
    ax.scatter(*places.T, s=max(1.5, 40.0 / max(k, 1)), color="black", zorder=3)
    ax.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
    bare(ax)
    ax.spines[:].set_visible(False)


def history(model: Any, ax: Any = None) -> Any:
    """Draw the loss of the minibatches and the surrogate along the steps of learning, both per sample.

    Parameters
    ----------
    model : estimator or mapping
        A fitted estimator, or its ``history_``.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> from ergodict import plot
    >>> ax = plot.history({"t": [1, 2, 3], "loss": [3.0, 2.0, 1.5], "surrogate": [2.5, 2.0, 1.7]})
    >>> len(ax.lines)
    2
    """
    points = fitted(model, "history_") if hasattr(model, "get_params") else model
    names = points.dtype.names if isinstance(points, np.ndarray) else list(points)
    names = names or []
    step = next((name for name in ("t", "step", "steps") if name in names), None)
    if step is None or "loss" not in names:
        raise ValueError("there is no history to draw: expected t, loss and surrogate")
    ax = axes(ax, (5, 3))
    for name, color, width in (("loss", COLORS[5], 1.0), ("surrogate", COLORS[1], 2.0)):
        if name in names:
            ax.plot(points[step], points[name], color=color, linewidth=width, label=name)
    ax.set(xlabel="step", ylabel="loss per sample")
    ax.legend(frameon=False)
    frame(ax)
    return ax


def dominance(model: Any, ax: Any = None) -> Any:
    """Draw how much of the data each atom has taken part in, largest first.

    Parameters
    ----------
    model : estimator or array
        A fitted estimator, or its ``dominance_``.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> from ergodict import plot
    >>> [float(bar.get_height()) for bar in plot.dominance([0.2, 0.5, 0.3]).patches]
    [0.5, 0.3, 0.2]
    """
    scores = np.asarray(
        fitted(model, "dominance_") if hasattr(model, "get_params") else model, dtype=np.float64
    )
    if scores.ndim != 1 or not len(scores):
        raise ValueError(f"the dominance has the shape {scores.shape}, but it must be a number for each atom")
    order = np.argsort(-scores, kind="stable")
    ax = axes(ax, (max(4.0, min(10.0, 0.22 * len(scores))), 3))
    ax.bar(np.arange(len(scores)), scores[order], color=COLORS[0], width=0.8)
    # A number for each bar as long as they do not run into each other.
    step = -(-len(scores) // 30)
    ax.set_xticks(np.arange(len(scores))[::step], [str(i) for i in order[::step]], fontsize=8)
    ax.set(xlabel="atom", ylabel="dominance", xlim=(-0.7, len(scores) - 0.3))
    frame(ax)
    return ax
