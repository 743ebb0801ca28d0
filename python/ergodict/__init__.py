"""Dictionaries of interpretable atoms, learned online from dependent data."""

from . import chains, denoising, distributed, plot, sets
from ._atoms import reconstruct_spins
from ._ergodict import __version__
from ._trajectory import Trajectory
from .chains import *  # noqa: F403
from .changing import ChangingNetwork
from .comparison import Comparison, compare
from .denoising import Denoised, denoise
from .diagnostics import mixing
from .estimators import OnlineDictionary, OnlineNMF
from .evaluation import Difference, Evaluation, evaluate
from .fetching import fetch_network
from .images import ImagePatches, denoise_image, noise_level, psnr, read_image, reconstruct_image
from .models import load
from .network import Network, as_network, networks
from .network_dictionary import NetworkDictionary
from .reconstruction import Reconstruction
from .sampling import HomomorphismSampler, sample
from .timed import TimedEdges, Window, Windows, read_timestamps

__all__ = [
    "ChangingNetwork",
    "Comparison",
    "Denoised",
    "Difference",
    "Evaluation",
    "HomomorphismSampler",
    "ImagePatches",
    "Network",
    "NetworkDictionary",
    "OnlineDictionary",
    "OnlineNMF",
    "Reconstruction",
    "TimedEdges",
    "Trajectory",
    "Window",
    "Windows",
    "__version__",
    "as_network",
    "compare",
    "denoise",
    "denoise_image",
    "denoising",
    "distributed",
    "evaluate",
    "fetch_network",
    "load",
    "mixing",
    "networks",
    "noise_level",
    "plot",
    "psnr",
    "read_image",
    "read_timestamps",
    "reconstruct_image",
    "reconstruct_spins",
    "sample",
    "sets",
]
__all__ += chains.__all__
