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


#: Entries below this part of the largest of an atom are no edges of its graph, as in reports.
THRESHOLD = 0.1
#: Most nodes whose numbers are drawn.
NUMBERED = 12


def atoms(
    model: Any,
    shape: Optional[tuple[int, ...]] = None,
    order: Optional[npt.ArrayLike] = None,
    n: Optional[int] = None,
    ax: Any = None,
    kind: str = "matrix",
    threshold: float = THRESHOLD,
) -> npt.NDArray[Any]:
    """Draw atoms in a grid, the most dominant first.

    Atoms of networks have their number, dominance and shape above them. As matrices they share a scale, which a bar shows; as graphs, each has
    its nodes in the order of the motif, from the one with the ring on, the edges of the motif in blue and others in orange, as wide as the
    entries are large. Other atoms are pictures, each on its own scale, with their dominance above them.

    Parameters
    ----------
    model : estimator or array
        A fitted estimator, or atoms of shape (r, d), (r, rows, cols) or (r, rows, cols, 3).
    shape : tuple of int, optional
        Rows and columns of an atom (and 3 for color); squares by default.
    order : array of int, optional
        Indices of the atoms to draw; by dominance by default, if known.
    n : int, optional
        Number of atoms to draw, first ones first.
    ax : Axes or array of them, optional
        Where to draw; a grid is put into a single one. Bar and legend are only of figures that are made here.
    kind : {"matrix", "graph"}, default="matrix"
        How the atoms of networks are drawn.
    threshold : float, default=0.1
        Entries below this part of the largest of an atom are left out of its graph.

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
    as_graph = _check.choice(kind, "kind", ("matrix", "graph")) == "graph"
    least = _check.finite(threshold, "threshold")
    if not 0 <= least <= 1:
        raise ValueError(f"threshold is {least}, but it must be between 0 and 1")
    all_atoms = atoms_of(model)
    pictures = shaped(all_atoms, shape)
    chosen = order_of(model, len(pictures), order)[: None if n is None else _check.count(n, "n")]
    if as_graph and (pictures.ndim != 3 or pictures.shape[1] != pictures.shape[2]):
        raise ValueError(f"atoms of the shape {pictures.shape[1:]} are no matrices between nodes: leave kind out")
    of_network = getattr(model, "motif_", None) is not None
    strip = pictures.shape[1] == 1 and pictures.shape[2] > 1
    cells = grid(
        len(chosen), ax, cell=1.7 if of_network else 1.2, aspect=0.4 if strip else pictures.shape[1] / pictures.shape[2],
        above=0.45 if of_network else 0.25,
    )
    low, high = float(pictures.min()), float(pictures.max())
    drawn = pictures[chosen]
    most = float(drawn.max()) if of_network and low >= 0 and len(drawn) else None
    own = motif_edges(getattr(model, "motif_", None), pictures.shape[1])
    for cell, index in zip(cells, chosen):
        if as_graph:
            _graph(cell, pictures[index], own, least, getattr(model, "motif_name_", None))
        else:
            _picture(cell, pictures[index], low, high, most)
            if of_network and cell is cells[0]:
                # The nodes of the motif, as shapes number them.
                ends = [0, pictures.shape[1] - 1]
                cell.set_xticks(ends, [str(end + 1) for end in ends], fontsize=7)
                cell.set_yticks(ends, [str(end + 1) for end in ends], fontsize=7)
                cell.tick_params(length=2, pad=1)
            if strip:
                cell.set_aspect("auto")
        title = _title(model, int(index), len(pictures), of_network)
        if title:
            cell.set_title(title, fontsize=8, pad=3)
    if ax is None and len(cells) and of_network:
        # Titles of several lines are somewhat higher than the layout takes them for.
        cells[0].figure.get_layout_engine().set(h_pad=0.1)
        if as_graph:
            _legend(cells[0].figure, pictures.shape[1])
        elif most is not None:
            bar = cells[0].figure.colorbar(cells[0].images[0], ax=list(cells), shrink=0.8, aspect=30, pad=0.02)
            bar.set_label("entry of the atom", fontsize=8)
            bar.ax.tick_params(labelsize=8)
            bar.outline.set_visible(False)
    return cells


def _title(model: Any, index: int, count: int, of_network: bool) -> str:
    """What stands above an atom: its dominance, of networks also its number and its shape."""
    scores = getattr(model, "dominance_", None)
    known = scores is not None and len(scores) == count
    if not of_network:
        return f"{float(scores[index]):.3f}" if known and scores is not None else ""
    lines = [f"atom {index}" + (f", {float(scores[index]):.3f}" if known and scores is not None else "")]
    shapes = getattr(model, "shapes_", None)
    if shapes is not None and len(shapes) == count:
        # "clique at one end" and "(nodes 3–10)" are a line each.
        words, bracket, nodes = str(shapes[index]).partition(" (")
        lines += [words, f"({nodes}"] if bracket else [words]
    return "\n".join(lines)


def _legend(figure: Any, k: int) -> None:
    """What colors and widths of graphs mean, below them."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=COLORS[0], linewidth=2, label="edge of the motif"),
        Line2D([], [], color=COLORS[1], linewidth=2, label="other edge"),
        *(Line2D([], [], color="black", linewidth=_width(part, k), alpha=_alpha(part), label=f"{part:g}") for part in (1, 0.5, 0.2)),
    ]
    names = [str(line.get_label()) for line in lines[:4]] + ["0.2 of the largest entry"]
    figure.legend(lines, names, loc="outside lower center", ncols=5, fontsize=8, frameon=False, handlelength=1.4, columnspacing=1.2)


def _width(part: Any, k: int) -> Any:
    """The width of an edge of this part of the largest entry: of many nodes, thinner ones can be distinguished."""
    return (0.3 + 2.2 * part) * min(1.0, 8.0 / k)


def _alpha(part: Any) -> Any:
    """How strong its color is."""
    return 0.15 + 0.85 * part


def _picture(ax: Any, values: npt.NDArray[np.float64], low: float, high: float, most: Optional[float]) -> None:
    """An atom as a picture; each has its own scale, as the report has it, unless `most` is the end of one for all."""
    bare(ax)
    if values.ndim == 3:
        span = max(high - min(low, 0.0), 1e-300)
        ax.imshow(np.clip((values - min(low, 0.0)) / span, 0, 1), interpolation="nearest")
    elif low < 0:
        end = float(np.abs(values).max()) or 1.0
        ax.imshow(values, cmap=SIGNED, vmin=-end, vmax=end, interpolation="nearest")
    else:
        ax.imshow(values, cmap=INK, vmin=0, vmax=(float(values.max()) if most is None else most) or 1.0, interpolation="nearest")


def _places(k: int, motif: Optional[str]) -> npt.NDArray[np.float64]:
    """Where nodes stand, in the order of the motif: on an arc that is open between its ends, on a ring, or around the middle of a star."""
    rim = k - 1 if motif == "star" else k
    # From the lower left clockwise; the ends of a path are a quarter of the circle apart.
    closed = motif in ("cycle", "complete", "star")
    span = 2 * np.pi * (1 - 1 / max(rim, 1)) if closed else 3 / 2 * np.pi
    first = np.pi / 2 if closed else np.pi / 2 + span / 2
    angles = first - span * np.arange(rim) / max(rim - 1, 1)
    places = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.vstack([np.zeros((1, 2)), places]) if motif == "star" else places


def _graph(ax: Any, matrix: npt.NDArray[np.float64], own: list[tuple[int, int]], threshold: float, motif: Optional[str]) -> None:
    """An atom as a graph whose nodes stand in the order of the motif."""
    from matplotlib.collections import LineCollection

    k = len(matrix)
    places = _places(k, motif)
    weights = np.clip(np.maximum(matrix, matrix.T), 0, None)
    rows, cols = np.triu_indices(k, 1)
    strong = weights[rows, cols] / (float(weights[rows, cols].max(initial=0.0)) or 1.0)
    pairs = {(min(u, v), max(u, v)) for u, v in own}
    is_own = np.array([(u, v) in pairs for u, v in zip(rows.tolist(), cols.tolist())], dtype=bool)
    # Weak edges would make a ball of wool of every atom.
    shown = (strong >= threshold) & (strong > 0)
    # The colors that reports have: what the motif brings along in blue, what the network adds in orange.
    for mine, color in ((False, COLORS[1]), (True, COLORS[0])):
        part = np.flatnonzero(shown & (is_own == mine))
        if not part.size:
            continue
        # The strongest on top.
        part = part[np.argsort(strong[part], kind="stable")]
        lines = np.stack([places[rows[part]], places[cols[part]]], axis=1)
        ax.add_collection(
            LineCollection(list(lines), linewidths=_width(strong[part], k), colors=color, alpha=_alpha(strong[part]), capstyle="round")
        )
    numbered = k <= NUMBERED
    size = 60.0 if numbered else max(8.0, 300.0 / k)
    edges = ["black" if node == 0 else "white" for node in range(k)]
    ax.scatter(*places.T, s=size, color=COLORS[0], edgecolors=edges, linewidths=[1.2 if node == 0 else 0.5 for node in range(k)], zorder=3)
    if numbered:
        for node, (x, y) in enumerate(places):
            ax.text(x, y - 0.01, str(node + 1), fontsize=5.5, color="white", ha="center", va="center", zorder=4)
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
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
