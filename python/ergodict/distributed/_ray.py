"""Ray behind the interface of `concurrent.futures`."""

from __future__ import annotations

import concurrent.futures as cf
from collections.abc import Callable
from typing import Any


class RayExecutor(cf.Executor):
    """Runs tasks on a Ray cluster that ``ray.init`` has connected to.

    Not tested by the project, whose tests do not install Ray: Ray's own ``ObjectRef.future`` does all of the work.

    Parameters
    ----------
    **options : dict
        Those of ``ray.remote``, such as ``num_cpus``.

    Examples
    --------
    >>> import ray  # doctest: +SKIP
    >>> from ergodict import distributed
    >>> ray.init()  # doctest: +SKIP
    >>> distributed.learn("/shared/network.egr", executor=distributed.RayExecutor())  # doctest: +SKIP
    """

    def __init__(self, **options: Any) -> None:
        try:
            import ray
        except ImportError as error:
            raise ImportError("RayExecutor needs Ray: pip install ray") from error
        # Lost tasks are run again by whoever leads the run.
        self._remote = ray.remote(**{"max_retries": 0, **options})
        self._known: dict[Callable[..., Any], Any] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> cf.Future[Any]:
        """Hands out a call; the future is Ray's own."""
        if fn not in self._known:
            self._known[fn] = self._remote(fn)
        future: cf.Future[Any] = self._known[fn].remote(*args, **kwargs).future()
        return future
