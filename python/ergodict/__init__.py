"""Dictionaries of interpretable atoms, learned online from dependent data."""

from ._ergodict import __version__
from .network import Network, as_network, networks
from .sampling import HomomorphismSampler, sample

__all__ = ["HomomorphismSampler", "Network", "__version__", "as_network", "networks", "sample"]
