"""Pictures with matplotlib: every function takes axes, or makes them, and returns them."""

from ._atoms import atoms, dominance, history
from ._curves import autocorrelation, roc, trace
from ._matrices import adjacency, compare
from ._pictures import frames, lattice, reconstruction

__all__ = [
    "adjacency",
    "atoms",
    "autocorrelation",
    "compare",
    "dominance",
    "frames",
    "history",
    "lattice",
    "reconstruction",
    "roc",
    "trace",
]
