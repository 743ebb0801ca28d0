"""Dictionaries of interpretable atoms, learned online from dependent data."""

from . import sets
from ._ergodict import __version__
from .estimators import OnlineDictionary, OnlineNMF
from .models import load

__all__ = ["OnlineDictionary", "OnlineNMF", "__version__", "load", "sets"]
