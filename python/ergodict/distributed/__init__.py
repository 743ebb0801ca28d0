"""More than one process or machine: the same answer from the engine that is there, through `concurrent.futures.Executor`."""

from ._errors import WorkerError
from ._learn import learn

__all__ = ["WorkerError", "learn"]
