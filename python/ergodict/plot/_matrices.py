"""Matrices: networks, and comparisons of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from ._figure import AMOUNT, INK, SIGNED, axes

#: Sides of an adjacency matrix from which on it is drawn by blocks.
MOST_CELLS = 600
#: Cells of a heat map up to which their numbers are written into them.
MOST_NUMBERS = 15


def adjacency(network: Any, ax: Any = None) -> Any:
    """Draw the adjacency matrix of a network; of a large one the density of its blocks.

    Parameters
    ----------
    network : Network or network-like
        The network.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import plot
    >>> plot.adjacency(np.eye(3)[::-1]).images[0].get_array().shape
    (3, 3)
    """
    from matplotlib.colors import PowerNorm

    matrix = _matrix(network)
    n = matrix.shape[0]
    ax = axes(ax, (4.6, 4))
    if n <= MOST_CELLS:
        values, label = matrix.toarray(), "weight"
    else:
        # Blocks of nodes, whose cells are the mean over pairs.
        block = -(-n // MOST_CELLS)
        places, side = matrix.tocoo(), -(-n // block)
        sums = np.zeros((side, side))
        np.add.at(sums, (places.row // block, places.col // block), places.data)
        sizes = np.minimum(block, n - block * np.arange(side))
        values, label = sums / np.outer(sizes, sizes), f"mean weight of {block}×{block} pairs"
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    # Square roots, as a few strong edges would leave the others invisible.
    norm = PowerNorm(0.5, 0.0, high or 1.0) if low >= 0 else None
    image = ax.imshow(values, cmap=INK if low >= 0 else SIGNED, norm=norm, interpolation="nearest")
    if low < 0:
        image.set_clim(-max(-low, high), max(-low, high))
    image.set_extent((-0.5, n - 0.5, n - 0.5, -0.5))
    ax.set(xlabel="node", ylabel="node")
    if n > MOST_CELLS or len(np.unique(values)) > 2:
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label=label)
    return ax


def _matrix(network: Any) -> Any:
    """The sparse matrix of a network, or of what is a matrix already."""
    import scipy.sparse

    if scipy.sparse.issparse(network) or (
        isinstance(network, np.ndarray) and network.ndim == 2 and network.shape[0] == network.shape[1]
    ):
        matrix = scipy.sparse.csr_array(network)
    else:
        from ..network import as_network

        matrix = as_network(network).to_scipy()
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix has the shape {matrix.shape}, but it must be square")
    return matrix


def compare(
    accuracy: Any, names: Optional[Sequence[str]] = None, ax: Any = None, label: Optional[str] = None
) -> Any:
    """Draw a comparison of networks as a heat map: how well the dictionary of each row fits the network of each column.

    Parameters
    ----------
    accuracy : array of shape (n, m), DataFrame or result of ``compare``
        The numbers.
    names : sequence of str, optional
        Names of the rows and, for square matrices, of the columns.
    ax : Axes, optional
        Where to draw.
    label : str, optional
        What the numbers are; by default the measure of the result, or "accuracy".

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> from ergodict import plot
    >>> ax = plot.compare([[0.9, 0.5], [0.4, 0.8]], ["karate", "lesmis"])
    >>> [text.get_text() for text in ax.texts]
    ['0.90', '0.50', '0.40', '0.80']
    """
    label = label or getattr(accuracy, "measure", None) or "accuracy"
    rows, cols = names, names
    if hasattr(accuracy, "to_numpy") and hasattr(accuracy, "columns"):
        rows, cols = list(accuracy.index), list(accuracy.columns)
        accuracy = accuracy.to_numpy()
    else:
        rows = cols = names if names is not None else getattr(accuracy, "names", None)
        accuracy = getattr(accuracy, "accuracy", getattr(accuracy, "matrix", accuracy))
    values = np.asarray(accuracy, dtype=np.float64)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"the comparison has the shape {values.shape}, but it must be a matrix")
    ax = axes(ax, (1.8 + 0.6 * values.shape[1], 1.2 + 0.5 * values.shape[0]))
    image = ax.imshow(values, cmap=AMOUNT, interpolation="nearest", aspect="auto")
    ax.figure.colorbar(image, ax=ax, label=label)
    for ticks, listed, count in (
        (ax.set_xticks, cols, values.shape[1]),
        (ax.set_yticks, rows, values.shape[0]),
    ):
        if listed is not None and len(listed) == count:
            ticks(np.arange(count), [str(name) for name in listed])
    ax.set(xlabel="network", ylabel="dictionary")
    ax.tick_params(axis="x", labelrotation=45)
    for text in ax.get_xticklabels():
        text.set_horizontalalignment("right")
        text.set_rotation_mode("anchor")
    if max(values.shape) <= MOST_NUMBERS:
        low, high = np.nanmin(values), np.nanmax(values)
        for (i, j), value in np.ndenumerate(values):
            light = value > (low + high) / 2
            ax.text(
                j,
                i,
                f"{value:.2f}",
                ha="center",
                va="center",
                fontsize=8,
                color="black" if light else "white",
            )
    return ax
