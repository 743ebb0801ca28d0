"""Spin systems as iterators of numpy arrays.

A system is an iterator of its configurations, int8 arrays of shape (rows, cols), and gives minibatches of patches of them to learn from.
"""

from ._ising import Ising
from ._potts import CellularPotts, Potts
from ._rbm import RBM

__all__ = ["RBM", "CellularPotts", "Ising", "Potts"]
