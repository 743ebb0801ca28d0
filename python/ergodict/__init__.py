"""Dictionaries of interpretable atoms, learned online from dependent data."""

from . import plot, sets
from ._atoms import reconstruct_spins
from ._ergodict import __version__
from .chains import RBM, CellularPotts, Ising, Potts
from .estimators import OnlineDictionary, OnlineNMF
from .images import ImagePatches, denoise_image, noise_level, psnr, read_image, reconstruct_image
from .models import load
from .network import Network, as_network, networks
from .sampling import HomomorphismSampler, sample

__all__ = [
    "CellularPotts",
    "HomomorphismSampler",
    "ImagePatches",
    "Ising",
    "Network",
    "OnlineDictionary",
    "OnlineNMF",
    "Potts",
    "RBM",
    "__version__",
    "as_network",
    "denoise_image",
    "load",
    "networks",
    "noise_level",
    "plot",
    "psnr",
    "read_image",
    "reconstruct_image",
    "reconstruct_spins",
    "sample",
    "sets",
]
