"""Dictionaries of interpretable atoms, learned online from dependent data."""

from . import denoising
from ._ergodict import __version__
from .comparison import Comparison, compare
from .denoising import Denoised, denoise
from .evaluation import Difference, Evaluation, evaluate
from .network import Network, as_network, networks
from .network_dictionary import NetworkDictionary
from .reconstruction import Reconstruction
from .sampling import HomomorphismSampler, sample

__all__ = [
    "Comparison",
    "Denoised",
    "Difference",
    "Evaluation",
    "HomomorphismSampler",
    "Network",
    "NetworkDictionary",
    "Reconstruction",
    "__version__",
    "as_network",
    "compare",
    "denoise",
    "denoising",
    "evaluate",
    "networks",
    "sample",
]
