"""What runs on workers: one function, which is given bytes and gives back bytes."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _ergodict
from ..network import as_network
from ._source import digest_of

#: Networks with samplers that a process keeps: those of a run that learns, and of one that rebuilds.
_KEPT = 2
_places: OrderedDict[str, Any] = OrderedDict()
_lock = threading.Lock()


def _unlock() -> None:
    """A child made by `fork` may have been made while another thread held the lock."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)


def work(job: bytes, task: bytes, attempt: str) -> tuple[bool, bytes]:
    """Does a task; what goes wrong comes back as words that name this worker.

    Whatever is raised instead is the executor's doing, and the task is worth another try. `attempt` is another for every call, for
    executors that take two calls with the same arguments for the same call.
    """
    try:
        told = json.loads(job)
        _same_version(told["version"])
        return True, _KINDS[told["kind"]](told, task)
    except Exception as error:
        return False, json.dumps({"problem": _words(error), **_here()}).encode()


def _same_version(version: str) -> None:
    if version != _ergodict.__version__:
        raise ValueError(
            f"ergodict {_ergodict.__version__} runs here, but the run is led by ergodict {version}: install {version} on every worker"
        )


def _words(error: Exception) -> str:
    """What an error says, with its kind where that says more."""
    words = str(error)
    return words if isinstance(error, (ValueError, OSError)) and words else f"{type(error).__name__}: {words}"


def _here() -> dict[str, Any]:
    """Who this worker is."""
    address = None
    if "distributed" in sys.modules:
        try:
            from distributed import get_worker

            address = get_worker().address
        except Exception:
            # Dask is there, but this is none of its workers.
            address = None
    return {"host": socket.gethostname(), "pid": os.getpid(), "address": address}


def _opened(told: dict[str, Any]) -> Any:
    """The network of a job, if it is here what it is there."""
    path, shared = told["path"], "the network must be at this path on every worker"
    try:
        found = digest_of(path)
    except OSError as error:
        raise OSError(f"{path}: {error.strerror or error}: {shared}") from error
    if found != told["digest"]:
        raise ValueError(f"{path}: is another network than where the run is led: {shared}, and must not change")
    return weighed(path, told["weights"])


def weighed(path: str, weights: Sequence[Any]) -> _ergodict.Network:
    """A network without weights, or with them on a scale, where they are used."""
    use, scale = weights
    return as_network(path)._core.weighed(use, scale)[0]


def _kept(told: dict[str, Any], kind: str, make: Callable[[], Any]) -> Any:
    """What tasks of a job share in this process, made once."""
    # The sampler that was asked for, if any, and the one it came to are the same place.
    sampling = {**told["sampling"], "sampler": told["asked"]}
    key = json.dumps([kind, told["path"], told["digest"], sampling, told["seed"], told["weights"], told.get("place")])
    with _lock:
        if key not in _places:
            while len(_places) >= _KEPT:
                _places.popitem(last=False)
            _places[key] = make()
        _places.move_to_end(key)
        return _places[key]


def keep_round(told: dict[str, Any], place: Any) -> None:
    """Keeps an existing location: that of the run that leads, for tasks that run in its process."""
    _kept(told, "round", lambda: place)


def _sampling(told: dict[str, Any]) -> dict[str, Any]:
    """How motif samples are drawn; JSON has no tuples."""
    sampling = dict(told["sampling"])
    return {**sampling, "edges": [tuple(edge) for edge in sampling["edges"]]}


def _round(told: dict[str, Any], task: bytes) -> bytes:
    """A chain, from where it is, for some minibatches against a frozen dictionary."""

    def make() -> Any:
        return _ergodict.TaskContext(_opened(told), told["path"], _sampling(told), told["seed"], told["n_jobs"])

    found: bytes = _kept(told, "round", make).run(task, told["n_jobs"])
    return found


def place_of(told: dict[str, Any]) -> Any:
    """Where shares of a reconstruction run."""

    def make() -> Any:
        file = told["place"]["pairs"]
        pairs = None
        if file is not None:
            both = np.load(file)
            pairs = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
        return _ergodict.SharePlace(_opened(told), told["path"], _sampling(told), told["seed"], pairs, told["n_jobs"])

    return _kept(told, "share", make)


def _share(told: dict[str, Any], task: bytes) -> bytes:
    """Some motif samples of a chain: their sums go into a file."""
    file, _, rest = task.partition(b"\0")
    found: bytes = place_of(told).run(rest, os.fsdecode(file), told["n_jobs"])
    return found


def _reduce(told: dict[str, Any], task: bytes) -> bytes:
    """A range of first nodes: the files' sums become a part of the table."""
    part = json.loads(task)
    found: str = place_of(told).reduce(
        told["files"], part["first"], part["end"], part["number"], told["folder"], told["format"], told["shrinkage"]
    )
    return found.encode()


_KINDS: dict[str, Callable[[dict[str, Any], bytes], bytes]] = {"round": _round, "share": _share, "reduce": _reduce}
