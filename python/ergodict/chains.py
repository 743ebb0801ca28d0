"""Spin systems as iterators of numpy arrays.

A system is an iterator of its configurations, int8 arrays of shape (rows, cols), of the XY model float64, and gives minibatches of patches of them to learn from.
"""

from ._ising import Ising
from ._potts import CellularPotts, Potts
from ._rbm import RBM
from ._xy import XY

__all__ = ["RBM", "XY", "CellularPotts", "Ising", "Potts"]
