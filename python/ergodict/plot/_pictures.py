"""Pictures of configurations and images."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _check
from ._figure import AMOUNT, COLORS, MOST_COLORS, axes, bare, grid, pyplot


def lattice(state: Any, ax: Any = None, colorbar: bool = True) -> Any:
    """Draw a configuration: spins black and white, labels in colors.

    Parameters
    ----------
    state : chain or array of shape (rows, cols)
        The configuration, or a chain whose present one is drawn.
    ax : Axes, optional
        Where to draw.
    colorbar : bool, default=True
        Whether to draw a legend, for few labels.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> from ergodict import Ising, plot
    >>> ax = plot.lattice(Ising(size=10, random_state=0))
    >>> ax.images[0].get_array().shape
    (10, 10)
    """
    from matplotlib.colors import BoundaryNorm, ListedColormap

    values = np.asarray(getattr(state, "state", state))
    if values.ndim != 2 or values.dtype.kind not in "buif":
        raise ValueError(
            f"the configuration has the shape {values.shape}, but it must be numbers of shape (rows, cols)"
        )
    ax = axes(ax, (4, 4 * min(2.0, max(0.35, values.shape[0] / max(values.shape[1], 1)))))
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    high = max(high, 1)
    labels = high + 1
    bare(ax)
    if low < 0 or labels <= 2:
        ax.imshow(values, cmap="gray_r", vmin=min(low, 0), vmax=high, interpolation="nearest")
    elif labels <= MOST_COLORS:
        # White first: it is the medium of cells, and paper.
        colors = ListedColormap(["white", *COLORS[: labels - 1]])
        norm = BoundaryNorm(np.arange(labels + 1) - 0.5, labels)
        image = ax.imshow(values, cmap=colors, norm=norm, interpolation="nearest")
        if colorbar:
            ax.figure.colorbar(image, ax=ax, ticks=range(labels), shrink=0.8, label="label")
    else:
        # Labels of cells only have to differ from their neighbors': a golden step through the shades.
        shades = pyplot().get_cmap("viridis")((np.arange(labels) * 0.618033988749895) % 1.0)
        shades[0] = 1.0
        ax.imshow(values, cmap=ListedColormap(shades), vmin=-0.5, vmax=labels - 0.5, interpolation="nearest")
    return ax


def frames(states: npt.ArrayLike, n: int = 8, ax: Any = None) -> npt.NDArray[Any]:
    """Draw a few configurations of a trajectory side by side, from the first to the last.

    Parameters
    ----------
    states : array of shape (frames, rows, cols)
        The trajectory.
    n : int, default=8
        Largest number to draw.
    ax : Axes or array of them, optional
        Where to draw.

    Returns
    -------
    array of Axes
        One for each configuration, whose title is its number.

    Examples
    --------
    >>> from ergodict import Ising, plot
    >>> len(plot.frames(Ising(size=10, every=100, random_state=0).frames(20), n=4))
    4
    """
    values = np.asarray(states)
    if values.ndim != 3 or not len(values):
        raise ValueError(f"the trajectory has the shape {values.shape}, but it must be (frames, rows, cols)")
    count = min(_check.count(n, "n"), len(values))
    shown = np.unique(np.linspace(0, len(values) - 1, count).astype(int))
    cells = grid(
        len(shown), ax, columns=min(4, len(shown)), cell=2.0, aspect=values.shape[1] / values.shape[2]
    )
    for cell, index in zip(cells, shown):
        lattice(values[index], ax=cell, colorbar=False)
        cell.set_title(f"frame {index}", fontsize=9, pad=3)
    return cells


def reconstruction(original: npt.ArrayLike, rebuilt: npt.ArrayLike, ax: Any = None) -> npt.NDArray[Any]:
    """Draw an image, its reconstruction and the error.

    Parameters
    ----------
    original, rebuilt : array of shape (rows, cols) or (rows, cols, 3)
        Both pictures, as the same numbers: what was reconstructed from zero-one patches is compared with ``(state + 1) // 2``.
    ax : Axes or array of three, optional
        Where to draw.

    Returns
    -------
    array of three Axes
        Both pictures and the map of errors, with its color bar.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import plot
    >>> plot.reconstruction(np.eye(4), np.eye(4) * 0.9)[2].get_title()
    'relative error 0.100'
    """
    given, again = np.asarray(original, dtype=np.float64), np.asarray(rebuilt, dtype=np.float64)
    if given.shape != again.shape or given.ndim not in (2, 3):
        raise ValueError(
            f"the pictures have the shapes {given.shape} and {again.shape}, but they must be the same"
        )
    cells = grid(3, ax, columns=3, cell=3.0, aspect=given.shape[0] / max(given.shape[1], 1))
    low, high = (float(given.min()), float(given.max())) if given.size else (0.0, 1.0)
    # Spins are ink where they are 1, as in `lattice`; of images white is 1.
    shades = "gray_r" if np.asarray(original).dtype.kind in "bi" and low >= -1 and high <= 1 else "gray"
    for cell, values, title in ((cells[0], given, "original"), (cells[1], again, "reconstruction")):
        if given.ndim == 3:
            cell.imshow(np.clip(values, 0, 1), interpolation="nearest")
        else:
            cell.imshow(
                values, cmap=shades, vmin=low, vmax=high if high > low else low + 1, interpolation="nearest"
            )
        cell.set_title(title, fontsize=10)
        bare(cell)
    off = np.abs(again - given)
    image = cells[2].imshow(
        off.max(axis=2) if off.ndim == 3 else off, cmap=AMOUNT, vmin=0, interpolation="nearest"
    )
    # Axes of its own beside the map: axes within axes have no room that a color bar could take.
    cells[2].figure.colorbar(image, cax=cells[2].inset_axes([1.04, 0.1, 0.05, 0.8]), label="off by")
    norm = float(np.linalg.norm(given))
    error = float(np.linalg.norm(again - given)) / norm if norm else 0.0
    cells[2].set_title(f"relative error {error:.3f}", fontsize=10)
    bare(cells[2])
    return cells
