"""Tasks on an executor: handed out, collected in their order, and run again where they were lost."""

from __future__ import annotations

import asyncio
import concurrent.futures as cf
import json
import os
import time
import uuid
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Optional, Union

from .. import _check
from ._errors import WorkerError
from ._worker import work

#: An executor, a Dask client, or what makes an executor.
Executor = Union[cf.Executor, Callable[[], cf.Executor], Any, None]

#: Seconds before a lost task is tried again: the first time, and at most.
_WAIT, _LONGEST = 0.05, 5.0


class _Here(cf.Executor):
    """Runs each task at once, in this thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> cf.Future[Any]:
        future: cf.Future[Any] = cf.Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Crew:
    """The workers of a run."""

    def __init__(self, executor: Executor, retries: object, n_jobs: Optional[int]) -> None:
        self._retries = _check.count(retries, "retries", 0, expected="it must not be negative")
        #: Threads of each task.
        self.n_jobs = n_jobs
        self._make: Optional[Callable[[], Any]] = None
        self._own = True
        if executor is None:
            jobs = _threads(n_jobs)
            self._executor: Any = _Here() if jobs == 1 else cf.ThreadPoolExecutor(jobs)
            self.n_jobs = None
        elif hasattr(executor, "get_executor"):
            self._executor = executor.get_executor()
            self._own = False
        elif hasattr(executor, "submit"):
            self._executor, self._own = executor, False
        elif callable(executor):
            self._make = executor
            self._executor = _made(executor)
        else:
            raise TypeError(f"executor is {executor!r}, but it must be an Executor, a Dask client, or a function that makes one")

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._own:
            # After an error nothing is waited for but what cannot be cancelled.
            self._executor.shutdown(wait=kind is None)

    def run(self, job: bytes, tasks: Sequence[bytes], what: Callable[[int], str]) -> list[bytes]:
        """What comes of tasks, in their order; `what` names one of them in errors."""
        found: list[Optional[bytes]] = [None] * len(tasks)
        attempts = [0] * len(tasks)
        left = list(range(len(tasks)))
        # Dask takes calls with equal arguments for one while a future of it is alive, and would give an old answer again.
        nonce = uuid.uuid4().hex
        while left:
            lost = self._once(job, tasks, left, [f"{nonce}-{attempt}" for attempt in attempts], found)
            broken = False
            for at, error in lost.items():
                attempts[at] += 1
                broken |= isinstance(error, cf.BrokenExecutor)
                if attempts[at] > self._retries:
                    times = "once" if attempts[at] == 1 else f"{attempts[at]} times"
                    words = f"{type(error).__name__}: {error}".rstrip(": ")
                    raise WorkerError(f"{what(at)} was lost {times}, the last time to {words}{_hint(error)}") from error
            left = list(lost)
            if broken:
                self._renew(next(iter(lost.values())))
            if left:
                time.sleep(min(_WAIT * 2 ** (max(attempts[at] for at in left) - 1), _LONGEST))
        return [one for one in found if one is not None]

    def _once(
        self, job: bytes, tasks: Sequence[bytes], left: list[int], tries: list[str], found: list[Optional[bytes]]
    ) -> dict[int, BaseException]:
        """Tries what is left; gives what was lost and to what."""
        futures: dict[int, Any] = {}
        lost: dict[int, BaseException] = {}
        try:
            for at in left:
                try:
                    futures[at] = self._executor.submit(work, job, tasks[at], tries[at])
                except Exception as error:
                    lost[at] = error
            for at in futures:
                try:
                    good, told = futures[at].result()
                except (Exception, asyncio.CancelledError) as error:
                    lost[at] = error
                    continue
                if not good:
                    raise WorkerError(**json.loads(told))
                found[at] = told
        except BaseException:
            for at in futures:
                futures[at].cancel()
            # The error's traceback would keep them, and with them what they hold on a cluster.
            futures.clear()
            raise
        return dict(sorted(lost.items()))

    def _renew(self, error: BaseException) -> None:
        """Another executor in place of one that broke."""
        if self._make is None:
            raise WorkerError(
                f"a worker died ({type(error).__name__}), and its executor takes no more tasks: give a function that makes executors, such "
                "as executor=lambda: ProcessPoolExecutor(4), and lost tasks are run again"
            ) from error
        self._executor.shutdown(wait=False)
        self._executor = _made(self._make)


def _made(make: Callable[[], Any]) -> Any:
    executor = make()
    if not hasattr(executor, "submit"):
        raise TypeError(f"executor made {executor!r}, but it must make an Executor, such as ProcessPoolExecutor(4)")
    return executor.get_executor() if hasattr(executor, "get_executor") else executor


def _threads(n_jobs: Optional[int]) -> int:
    """Threads in this process, as scikit-learn counts them."""
    jobs = _check.jobs(n_jobs)
    if jobs is None:
        return 1
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def _hint(error: BaseException) -> str:
    """What may help against an error of an executor."""
    if isinstance(error, ImportError):
        return ": install the same version of ergodict on every worker"
    return ""
