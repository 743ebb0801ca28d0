"""Dictionaries of interpretable atoms, learned online from dependent data."""

from ._atoms import reconstruct_spins
from ._ergodict import __version__
from .chains import RBM, CellularPotts, Ising, Potts
from .images import ImagePatches, denoise_image, noise_level, psnr, read_image, reconstruct_image

__all__ = [
    "CellularPotts",
    "ImagePatches",
    "Ising",
    "Potts",
    "RBM",
    "__version__",
    "denoise_image",
    "noise_level",
    "psnr",
    "read_image",
    "reconstruct_image",
    "reconstruct_spins",
]
