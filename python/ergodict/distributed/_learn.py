"""Learning in rounds: chains draw and code wherever there is a worker, and one step takes in what all of them found."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Optional, Union

from sklearn.exceptions import ConvergenceWarning

from .. import _check, _ergodict, _networks
from .._progress import progress
from .._random import RandomState, seed_of
from .._warn import warn
from ..network_dictionary import NetworkDictionary
from ._crew import Crew, Executor
from ._shares import forget_in_children
from ._source import Source, source
from ._worker import keep_round, weighed

#: Seconds between two checkpoints: what is lost at most, beside the round that was under way.
CHECKPOINT_SECONDS = 30.0


def learn(
    path: Any,
    n_components: int = 25,
    *,
    chains: int = 8,
    rounds: int = 100,
    minibatches: int = 1,
    executor: Executor = None,
    checkpoint: Optional[Union[str, "os.PathLike[str]"]] = None,
    resume: bool = False,
    retries: int = 3,
    **parameters: Any,
) -> NetworkDictionary:
    """Learns the latent motifs of a network on many processes or machines; the answer is that of one process.

    In a round each of `chains` chains draws `minibatches` minibatches of `batch_size` patches and codes them against the same dictionary;
    the statistics of all, added up in the order of the chains, make one step of the online scheme. So the result depends on these numbers
    and the seed, and not on the executor, the number of workers, their timing or their failures: it is the same, bit for bit.

    Parameters
    ----------
    path : path
        An ``.egr`` file that all workers can open by this path (``ergodict network convert`` makes one), or an embedded network.
    n_components : int, default 25
        Atoms.
    chains : int, default 8
        Chains, each a task of every round: at least as many as there are workers.
    rounds : int, default 100
        Steps of the scheme.
    minibatches : int, default 1
        Minibatches per chain and round: enough that a round takes a second or more.
    executor : Executor, Dask client, function or None
        What runs the tasks: any ``concurrent.futures.Executor``, a Dask client, or a function that makes an executor, which is called again
        when one breaks. By default this process.
    checkpoint : path, optional
        Path of the checkpoint, written every half minute, at the end, and when interrupted.
    resume : bool, default False
        Continue from the checkpoint, if there is one, to the result of an uninterrupted run.
    retries : int, default 3
        How often a task of a round is run again when its worker was lost.
    **parameters
        Those of :class:`ergodict.NetworkDictionary`, but for `steps`, `static`, `unused`, `score_patches` and `null_permutations`: atoms that no code uses are kept.
        The `batch_size` patches of a minibatch are all of one chain. `n_jobs` are threads of each task; without an executor, threads that
        tasks run on.

    Returns
    -------
    NetworkDictionary
        The dictionary, fitted. ``n_steps_`` is the number of rounds.

    Raises
    ------
    WorkerError
        When a worker cannot open the network, sees another one, runs another version of ergodict, rounds numbers otherwise or fails; it is
        named. Or when a task was lost too often.

    Examples
    --------
    >>> import ergodict, os, tempfile
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from ergodict import distributed
    >>> with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as executor:
    ...     path = os.path.join(folder, "karate.egr")
    ...     ergodict.Network("@karate").write(path)
    ...     here = distributed.learn(path, 4, k=5, chains=3, rounds=5, random_state=0)
    ...     there = distributed.learn(path, 4, k=5, chains=3, rounds=5, random_state=0, executor=executor)
    >>> bool((here.components_ == there.components_).all()), here.n_samples_seen_
    (True, 1500)
    """
    for name in ("steps", "static", "unused", "score_patches", "null_permutations"):
        if name in parameters:
            raise TypeError(f"learn has no parameter {name}")
    estimator = NetworkDictionary(n_components, steps=rounds, chains=chains, **parameters)
    network = source(path)
    file = None if checkpoint is None else os.path.abspath(os.fspath(checkpoint))
    if file is None and _check.flag(resume, "resume"):
        raise ValueError("resume needs a checkpoint, but none is named")
    if file is not None and not os.path.isdir(os.path.dirname(file)):
        raise FileNotFoundError(f"{file}: cannot be written: there is no folder {os.path.dirname(file)}")
    with Crew(executor, retries, estimator.n_jobs) as crew:
        learner, job = _start(estimator, network, minibatches, crew)
        with _RunCheckpoint(learner, file, _check.flag(resume, "resume")) as saving:
            _rounds(learner, job, crew, saving, estimator.verbose)
        estimator._keep(learner.model(True, estimator.n_jobs))
    estimator.notes_ = learner.notes
    _networks.warn_of_parts(estimator.notes_)
    for words in learner.warnings(estimator.n_jobs):
        warn(words, ConvergenceWarning)
    return estimator


def _start(estimator: NetworkDictionary, network: Source, minibatches: object, crew: Crew) -> tuple[_ergodict.Run, bytes]:
    """The run before its first round, and what every task of it receives."""
    sampling = estimator._sampling()
    rounds = _check.count(estimator.steps, "rounds", expected="at least one is needed")
    scheme = estimator._scheme(sampling, rounds)
    seed = seed_of(estimator.random_state)
    plan = {
        "rounds": rounds,
        "minibatches": _check.count(minibatches, "minibatches", expected="at least one is needed"),
        "batch": _check.count(estimator.batch_size, "batch_size", expected="a minibatch needs at least one patch"),
        "examples": _check.count(estimator.n_examples, "n_examples", 0, expected="it must not be negative"),
        "weighted": estimator.weighted, "weights": estimator.weights, "seed": seed, "name": network.name, "digest": _ergodict.input_digest(network.path),
        "network": network.digest,
    }
    init = _check.first_atoms(estimator.dict_init, scheme["atoms"], _check.motif_nodes(sampling) ** 2)
    weights = [_check.flag(estimator.weighted, "weighted"), _check.choice(estimator.weights, "weights", ("linear", "log", "rank"))]
    learner = _ergodict.Run.rounds(weighed(network.path, weights), plan, scheme, sampling, init, estimator.n_jobs)
    k, motif = learner.motif
    job = {
        "kind": "round", "version": _ergodict.__version__, "path": network.path, "digest": network.digest, "seed": seed,
        "asked": sampling["sampler"], "weights": weights,
        # As resolved here: workers need no motif file and do not choose a sampler again.
        "sampling": {**sampling, "k": k, "motif": None, "edges": motif, "sampler": learner.chosen[0]}, "n_jobs": crew.n_jobs,
    }
    keep_round(job, learner.place)
    return learner, json.dumps(job).encode()


class _RunCheckpoint:
    """The checkpoint of a run, if it has one, which no other process uses meanwhile and which stays."""

    def __init__(self, learner: _ergodict.Run, path: Optional[str], resume: bool) -> None:
        self._learner = learner
        self._checkpoint: Optional[_ergodict.Checkpoint] = None
        if path is not None:
            self._checkpoint = _ergodict.Checkpoint(path, "distributed learn", learner.identity(), learner.seed, resume)
            forget_in_children(self)
            try:
                self._restore(path, self._checkpoint.state)
            except BaseException:
                self._checkpoint.release()
                raise
        self._made, self._written = learner.made()[0], time.monotonic()

    def _restore(self, path: str, state: Optional[bytes]) -> None:
        if state is not None:
            self._learner.restore(state)
        made, planned = self._learner.made()
        if made > planned:
            raise ValueError(f"{path}: has {made} rounds already, but rounds is {planned}: give as many, or another checkpoint")

    def __enter__(self) -> _RunCheckpoint:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._learner.made()[0] > self._made:
                self.save()
        finally:
            if self._checkpoint is not None:
                self._checkpoint.release()

    def is_due(self) -> bool:
        return self._checkpoint is not None and time.monotonic() - self._written > CHECKPOINT_SECONDS

    def save(self) -> None:
        if self._checkpoint is not None:
            self._checkpoint.save(self._learner.state())
            self._made, self._written = self._learner.made()[0], time.monotonic()


def _rounds(learner: _ergodict.Run, job: bytes, crew: Crew, saving: _RunCheckpoint, verbose: int) -> None:
    """Round after round until all are made."""
    with progress(verbose, "learning", "round", figure="surrogate") as show:
        made, planned = learner.made()
        while made < planned:
            outcomes = crew.run(job, learner.tasks(), lambda at: f"the task of chain {at} in round {made + 1}")
            figure = learner.absorb(outcomes)
            made += 1
            if show is not None:
                show(made, planned, figure)
            if saving.is_due():
                saving.save()
