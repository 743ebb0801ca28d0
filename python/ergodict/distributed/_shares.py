"""Chains that reconstruct a network, block by block: their sums go to files that every worker sees, and what was done is not done again."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from types import TracebackType
from typing import Any, Optional
from weakref import WeakSet

import numpy as np
import numpy.typing as npt

from .. import _ergodict
from .._record import NetworkRecord
from ..network import as_network
from ._crew import Crew
from ._source import Source
from ._worker import place_of

#: What is needed to go on later, in the folder of a run.
_STATE = "state"
_PAIRS = "pairs.npy"


#: Runs that have a checkpoint open.
_open: WeakSet[Any] = WeakSet()


def _abandon() -> None:
    """A worker made by `fork` may outlive a run that was killed, and must not keep its checkpoint locked."""
    for one in list(_open):
        one._checkpoint.abandon()


def forget_in_children(run: Any) -> None:
    """Has forked children forget the checkpoint that a run has open."""
    _open.add(run)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon)


def _opened(path: str, settings: list[Any]) -> _ergodict.Checkpoint:
    """The checkpoint of a run, in its folder, which is made; one that is damaged is deleted."""
    while True:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            return _ergodict.Checkpoint(path, "distributed reconstruct", json.dumps({"run": settings}), settings[2])
        except FileNotFoundError:
            # The folder was deleted since, by the run that had it.
            continue
        except ValueError:
            os.remove(path)


class Shares:
    """The chains of a reconstruction under way."""

    def __init__(
        self,
        crew: Crew,
        network: Source,
        model: _ergodict.NetworkModel,
        plan: dict[str, Any],
        sampling: dict[str, Any],
        pairs: Optional[npt.NDArray[np.uint32]],
        scratch: str,
        resume: bool,
    ) -> None:
        k, edges = _ergodict.model_motif(model, sampling)
        record = NetworkRecord.of_model(model)
        self._crew, self._model, self._plan = crew, model, plan
        self.chains = int(sampling["chains"])
        told = {
            "version": _ergodict.__version__, "path": network.path, "digest": network.digest, "seed": plan["seed"],
            "sampling": {**sampling, "k": k, "motif": None, "edges": edges}, "n_jobs": crew.n_jobs,
            "asked": sampling["sampler"],
            # As the atoms were learned.
            "weights": [record.weighted, record.config.get("weights", "linear")],
        }
        what = [told["version"], told["digest"], told["seed"], told["sampling"], told["weights"], plan]
        run = hashlib.sha256(json.dumps(what).encode())
        run.update(model.components.tobytes())
        run.update(b"" if pairs is None else pairs.tobytes())
        #: Where this run, and no other, has its files.
        self.folder = os.path.join(scratch, f"ergodict-{run.hexdigest()[:16]}")
        self.taken, self.capped = 0, 0
        self.files: list[str] = []
        self._outcomes: list[Optional[bytes]] = [None] * self.chains
        #: Whether what was done stays for later, if the run ends before it is done.
        self.keep = True
        self._checkpoint = _opened(os.path.join(self.folder, _STATE), what)
        forget_in_children(self)
        try:
            if not (resume and self._restored()):
                self._empty()
            if pairs is not None:
                np.save(os.path.join(self.folder, _PAIRS), pairs)
            told["place"] = {"pairs": None if pairs is None else os.path.join(self.folder, _PAIRS)}
            self.place = place_of(told)
        except BaseException:
            self._leave()
            raise
        # The sampler chosen here, so that workers do not choose again.
        told["sampling"] = {**told["sampling"], "sampler": self.place.sampler}
        self._told = told

    def __enter__(self) -> Shares:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.keep &= kind is not None
        self._leave()

    def _leave(self) -> None:
        """Lets others have the folder, with what can be gone on with, or deletes it."""
        if self.keep and self.taken > 0:
            self._checkpoint.release()
            return
        with contextlib.suppress(OSError):
            self._empty()
        with contextlib.suppress(OSError):
            self._checkpoint.remove()
        # Not if another run has it already.
        with contextlib.suppress(OSError):
            os.rmdir(self.folder)

    def _empty(self) -> None:
        """Deletes all files of a run before this one."""
        for entry in os.scandir(self.folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif not entry.name.startswith(_STATE):
                os.remove(entry.path)

    def inside(self, u: npt.NDArray[np.uint32], v: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
        """Which pairs are of nodes that motif samples can be on."""
        network = as_network(self._told["path"])
        if self.place.sampled == network.n_nodes:
            return np.ones(len(u), dtype=np.bool_)
        # Components are numbered from the largest on.
        component = network._core.components()
        return np.asarray((component[u] == 0) & (component[v] == 0))

    def job(self, kind: str, **more: Any) -> bytes:
        """What every task of a kind receives."""
        return json.dumps({**self._told, "kind": kind, **more}).encode()

    def take(self, until: int) -> list[str]:
        """Continues until this number of motif samples of all chains was drawn; returns the new files by chain."""
        tasks, files = [], []
        for chain in range(self.chains):
            share = [_ergodict.share_of(samples, chain, self.chains) for samples in (self.taken, until)]
            if share[1] == share[0]:
                continue
            files.append(os.path.join(self.folder, f"chain-{chain:05}-{until}.sums"))
            task = _ergodict.share_task(self._model, self._plan, chain, share[1] - share[0], self._outcomes[chain])
            tasks.append((chain, os.fsencode(files[-1]) + b"\0" + task))
        outcomes = self._crew.run(
            self.job("share"), [task for _, task in tasks], lambda at: f"the task of chain {tasks[at][0]} until {until} motif samples"
        )
        for (chain, _), outcome in zip(tasks, outcomes):
            found, _, capped, _ = _ergodict.share_outcome(outcome)
            if found != chain:
                raise ValueError(f"a share is of chain {found}, but one of chain {chain} is needed")
            self._outcomes[chain] = outcome
            self.capped += capped
        self.files += files
        self.taken = until
        self._save()
        return files

    def run(self, tasks: list[bytes], job: bytes, what: Callable[[int], str]) -> list[bytes]:
        """Other tasks of the same run."""
        return self._crew.run(job, tasks, what)

    def _save(self) -> None:
        state = {
            "taken": self.taken, "capped": self.capped, "files": [os.path.basename(file) for file in self.files],
            "outcomes": [None if one is None else base64.b64encode(one).decode() for one in self._outcomes],
        }
        self._checkpoint.save(json.dumps(state).encode())

    def _restored(self) -> bool:
        """Goes to where a run with the same arguments was, if there was one and all of its files are whole."""
        try:
            state = json.loads(self._checkpoint.state or b"null")
            taken, capped = int(state["taken"]), int(state["capped"])
            files = [os.path.join(self.folder, name) for name in state["files"]]
            outcomes = [None if one is None else base64.b64decode(one) for one in state["outcomes"]]
            # Looks at the head, the index and the foot of each.
            _ergodict.Parts.ranges(files, 1)
            chains = [chain if one is None else _ergodict.share_outcome(one)[0] for chain, one in enumerate(outcomes)]
        except (OSError, ValueError, TypeError, KeyError):
            return False
        if chains != list(range(self.chains)):
            return False
        self.taken, self.capped, self.files, self._outcomes = taken, capped, files, outcomes
        return True
