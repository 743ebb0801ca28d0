"""What the pictures share: colors, grids of axes, and what is drawn of an estimator."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

#: The colors of Okabe and Ito, distinguishable by color-blind readers and in print.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
#: Ink on paper, for what is not negative; two hues for what has both signs; growing light for amounts.
INK, SIGNED, AMOUNT = "Grays", "PuOr", "cividis"
#: Most labels that have a color each; more are distinguished by shades.
MOST_COLORS = len(COLORS)


def pyplot() -> Any:
    """The module `matplotlib.pyplot`."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install ergodict[plot]") from error
    return plt


def axes(ax: Any, figsize: Optional[tuple[float, float]] = None) -> Any:
    """The axes given, or new ones."""
    if ax is not None:
        return ax
    return pyplot().subplots(figsize=figsize, layout="constrained")[1]


def grid(
    count: int, ax: Any, columns: Optional[int] = None, cell: float = 1.2, aspect: float = 1.0, above: float = 0.25
) -> npt.NDArray[Any]:
    """Axes in rows: new ones, those given, or parts of the one given. Cells are `aspect` times as high as wide, with room above for a
    title."""
    if isinstance(ax, (Sequence, np.ndarray)):
        flat = np.asarray(ax, dtype=object).ravel()
        if len(flat) < count:
            raise ValueError(f"ax has {len(flat)} axes, but {count} are needed")
        for unused in flat[count:]:
            unused.set_axis_off()
        return flat[:count]
    # About as wide as high or somewhat wider, with as few empty places as it goes.
    widths = range(max(1, math.isqrt(count)), math.ceil(math.sqrt(count * 1.6)) + 1)
    wide = columns if columns else max(1, min(widths, key=lambda width: (-count % width, -width), default=1))
    high = max(1, math.ceil(count / wide))
    if ax is None:
        size = (max(2.0, wide * cell), max(1.4, high * (cell * aspect + above)))
        _, made = pyplot().subplots(high, wide, figsize=size, layout="constrained", squeeze=False)
        for unused in made.ravel()[count:]:
            unused.set_axis_off()
        cells: npt.NDArray[Any] = made.ravel()[:count]
        return cells
    ax.set_axis_off()
    parts = np.empty(count, dtype=object)
    for i in range(count):
        row, col = divmod(i, wide)
        # A tenth of a cell is left between neighbors, and room for a title above.
        parts[i] = ax.inset_axes([(col + 0.05) / wide, 1 - (row + 0.95) / high, 0.9 / wide, 0.75 / high])
    return parts


def bare(ax: Any) -> None:
    """No ticks."""
    ax.set_xticks([])
    ax.set_yticks([])


def frame(ax: Any) -> None:
    """Two sides of a frame are enough."""
    ax.spines[["top", "right"]].set_visible(False)


def fitted(model: Any, name: str) -> Any:
    """An attribute that a fitted estimator has."""
    if not hasattr(model, name):
        raise ValueError(f"this {type(model).__name__} has no {name}: fit it first")
    return getattr(model, name)


def atoms_of(model: Any) -> npt.NDArray[np.float64]:
    """The atoms of an estimator, or those in an array: (r, d), or (r, rows, cols) or (r, rows, cols, 3)."""
    if hasattr(model, "get_params") or hasattr(model, "components_"):
        model = model.atoms_ if hasattr(model, "atoms_") else fitted(model, "components_")
    array = np.asarray(model)
    if array.dtype.kind not in "buif":
        raise TypeError(f"the atoms have the dtype {array.dtype}, but they must be real numbers")
    if array.ndim < 2 or array.ndim > 4 or not array.size:
        raise ValueError(
            f"the atoms have the shape {array.shape}, but they must be (r, d) or (r, rows, cols)"
        )
    return array.astype(np.float64)


def shaped(atoms: npt.NDArray[np.float64], shape: Optional[tuple[int, ...]]) -> npt.NDArray[np.float64]:
    """Atoms as pictures: in the given shape, or squares, gray or in color, or strips."""
    if shape is not None:
        wanted = (shape, shape) if isinstance(shape, int) else tuple(shape)
        if math.prod(wanted) != math.prod(atoms.shape[1:]) or len(wanted) not in (2, 3):
            numbers = math.prod(atoms.shape[1:])
            raise ValueError(
                f"shape is {wanted}, but atoms have {numbers} numbers: expected (rows, cols) or (rows, cols, 3)"
            )
        return atoms.reshape(len(atoms), *wanted)
    if atoms.ndim > 2:
        return atoms
    features = atoms.shape[1]
    side = math.isqrt(features)
    if side * side == features:
        return atoms.reshape(-1, side, side)
    side = math.isqrt(features // 3)
    if 3 * side * side == features:
        return atoms.reshape(-1, side, side, 3)
    return atoms[:, None, :]


def order_of(model: Any, count: int, order: Optional[npt.ArrayLike]) -> npt.NDArray[np.intp]:
    """Which atoms, in which order: as given, the most dominant first where that is known, or as they are."""
    if order is not None:
        chosen = np.asarray(order)
        if chosen.ndim != 1 or chosen.dtype.kind not in "ui" or np.any((chosen < 0) | (chosen >= count)):
            raise ValueError(f"order must be numbers of atoms, from 0 to {count - 1}")
        return chosen.astype(np.intp)
    scores = getattr(model, "dominance_", None)
    if scores is None or len(scores) != count:
        return np.arange(count)
    return np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")


def motif_edges(motif: Any, k: int) -> list[tuple[int, int]]:
    """The edges of a motif on k nodes, by its name or as a list; those of a chain where it is not known."""
    name = motif if isinstance(motif, str) else getattr(motif, "name", None)
    if motif is not None and not isinstance(motif, str):
        listed = getattr(motif, "edges", motif)
        listed = listed() if callable(listed) else listed
        try:
            return [(int(u), int(v)) for u, v in listed]
        except (TypeError, ValueError):
            pass
    if name == "star":
        return [(0, i) for i in range(1, k)]
    if name == "complete":
        return [(i, j) for i in range(k) for j in range(i + 1, k)]
    chain = [(i, i + 1) for i in range(k - 1)]
    return [*chain, (k - 1, 0)] if name == "cycle" and k > 2 else chain
