"""The error that names the worker it is of."""

from __future__ import annotations

from typing import Optional


class WorkerError(RuntimeError):
    """A worker that cannot do its task, by name; or a task that was lost too often.

    Parameters
    ----------
    problem : str
        What is wrong, and what to do.
    host : str, optional
        The machine.
    pid : int, optional
        The process on that machine.
    address : str, optional
        What the executor calls the worker, where it can be had.

    Examples
    --------
    >>> from ergodict.distributed import WorkerError
    >>> str(WorkerError("out of memory", host="node7", pid=12))
    'worker on node7, process 12: out of memory'
    """

    def __init__(
        self, problem: str, host: Optional[str] = None, pid: Optional[int] = None, address: Optional[str] = None
    ) -> None:
        self.problem, self.host, self.pid, self.address = problem, host, pid, address
        who = f"worker {address} on {host}, process {pid}: " if address else f"worker on {host}, process {pid}: "
        super().__init__(f"{who if host is not None else ''}{problem}")

    def __reduce__(self) -> tuple[type[WorkerError], tuple[object, ...]]:
        return type(self), (self.problem, self.host, self.pid, self.address)
