"""Dictionaries of interpretable atoms, learned online from dependent data."""

from . import sets
from ._ergodict import __version__
from .network import Network, as_network, networks
from .estimators import OnlineDictionary, OnlineNMF
from .models import load

__all__ = [
    "Network",
    "OnlineDictionary",
    "OnlineNMF",
    "__version__",
    "as_network",
    "load",
    "networks",
    "sets",
]
