"""Dictionaries of interpretable atoms, learned online from dependent data."""

from ._ergodict import __version__

__all__ = ["__version__"]
