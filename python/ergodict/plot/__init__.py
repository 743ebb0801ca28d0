"""Pictures with matplotlib: every function takes axes, or makes them, and returns them."""

from ._atoms import atoms, dominance, history
from ._curves import autocorrelation, roc, trace
from ._matrices import adjacency, compare
from ._pictures import frames, lattice, reconstruction
from ._time import change, dictionary_over_time, dominance_over_time

__all__ = [
    "adjacency",
    "atoms",
    "autocorrelation",
    "change",
    "compare",
    "dictionary_over_time",
    "dominance",
    "dominance_over_time",
    "frames",
    "history",
    "lattice",
    "reconstruction",
    "roc",
    "trace",
]
