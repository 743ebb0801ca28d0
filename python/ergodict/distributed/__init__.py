"""More than one process or machine: the same answer from the engine that is there, through `concurrent.futures.Executor`."""

from ._denoise import denoise
from ._errors import WorkerError
from ._learn import learn
from ._ray import RayExecutor
from ._reconstruct import Partitioned, reconstruct

__all__ = ["Partitioned", "RayExecutor", "WorkerError", "denoise", "learn", "reconstruct"]
