"""Learning in rounds: chains draw and code wherever there is a worker, and one step takes in what all of them found."""

from __future__ import annotations

import json
import os
import time
import warnings
from typing import Any, Optional, Union

import numpy as np

from .. import _ergodict, _network_options as options
from .._progress import progress
from .._random import RandomState, seed_of
from ..network import as_network
from ..network_dictionary import NetworkDictionary
from ._crew import Crew, Executor
from ._source import Source, source
from ._worker import keep_round

#: Seconds between two checkpoints: what is lost at most, beside the round that was under way.
CHECKPOINT_SECONDS = 30.0


def learn(
    path: Any,
    n_components: int = 25,
    *,
    k: Optional[int] = None,
    motif: Any = "chain",
    sampler: Optional[str] = None,
    chains: int = 8,
    rounds: int = 100,
    minibatches: int = 1,
    batch_size: int = 100,
    burn_in: int = 0,
    every: int = 1,
    injective: bool = False,
    component: str = "largest",
    lazy: Optional[bool] = None,
    alpha: float = 0.5,
    kappa1: float = 0.0,
    kappa2: float = 0.0,
    schedule: str = "balanced",
    dictionary: str = "nonneg-ball",
    code: str = "nonneg",
    dict_init: Any = "random",
    normalise: str = "sum",
    solver: str = "fast",
    tol: float = 1e-6,
    dict_tol: float = 1e-3,
    dict_sweeps: int = 5,
    n_examples: int = 4,
    dtype: Any = "float64",
    random_state: RandomState = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    executor: Executor = None,
    checkpoint: Optional[Union[str, "os.PathLike[str]"]] = None,
    resume: bool = False,
    retries: int = 3,
) -> NetworkDictionary:
    """Learns the latent motifs of a network on many processes or machines; the answer is that of one process.

    In a round each of `chains` chains draws `minibatches` minibatches of `batch_size` patches and codes them against the same dictionary;
    the statistics of all, added up in the order of the chains, make one step of the online scheme. So the result depends on these numbers
    and the seed, and not on the executor, the number of workers, their timing or their failures: it is the same to the bit.

    Parameters
    ----------
    path : path
        An ``.egr`` file that all workers can open by this path (``ergodict network convert`` makes one), or an embedded network.
    n_components : int, default 25
        Atoms.
    k, motif, sampler : int, str or path or list of pairs, str
        The motif and how it is placed, as for :class:`ergodict.NetworkDictionary`.
    chains : int, default 8
        Chains, each a task of every round: at least as many as there are workers.
    rounds : int, default 100
        Steps of the scheme.
    minibatches : int, default 1
        Minibatches of each chain in a round: so many that a round takes a second or more, and handing out tasks costs little.
    batch_size : int, default 100
        Patches of a minibatch, all of one chain.
    burn_in, every, injective, component, lazy : int, int, bool, str, bool
        How chains go, as for :class:`ergodict.NetworkDictionary`.
    alpha, kappa1, kappa2, schedule, dictionary, code, dict_init, normalise, solver, tol, dict_tol, dict_sweeps : any
        The online scheme, as there. Atoms that no code uses are kept.
    n_examples, dtype, random_state : int, str, int
        As there.
    n_jobs : int, optional
        Threads of each task; without an executor, threads that tasks run on.
    verbose : bool, default False
        Whether to tell of progress.
    executor : Executor, Dask client, function or None
        What runs the tasks: any ``concurrent.futures.Executor``, a Dask client, or a function that makes an executor, which is called again
        when one breaks. By default this process.
    checkpoint : path, optional
        Where to write what is needed to go on later: every half a minute, at the end, and when the run is interrupted.
    resume : bool, default False
        Go on from the checkpoint, if there is one. The result is that of a run without a break.
    retries : int, default 3
        How often a task of a round is run again when its worker was lost.

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
    estimator = NetworkDictionary(
        n_components, k=k, motif=motif, sampler=sampler, steps=rounds, batch_size=batch_size, chains=chains, burn_in=burn_in, every=every,
        injective=injective, component=component, lazy=lazy, alpha=alpha, kappa1=kappa1, kappa2=kappa2, schedule=schedule,
        dictionary=dictionary, code=code, dict_init=dict_init, normalise=normalise, solver=solver, tol=tol, dict_tol=dict_tol,
        dict_sweeps=dict_sweeps, n_examples=n_examples, dtype=dtype, random_state=random_state, n_jobs=n_jobs, verbose=verbose,
    )
    network = source(path)
    file = None if checkpoint is None else os.path.abspath(os.fspath(checkpoint))
    if file is None and options.flag("resume", resume):
        raise ValueError("resume needs a checkpoint, but none is named")
    if file is not None and not os.path.isdir(os.path.dirname(file)):
        raise FileNotFoundError(f"{file}: cannot be written: there is no folder {os.path.dirname(file)}")
    with Crew(executor, retries, n_jobs) as crew:
        learner, job = _start(estimator, network, minibatches, crew)
        if options.flag("resume", resume) and file is not None and os.path.exists(file):
            learner.restore(file)
            made, planned = learner.made()
            if made > planned:
                raise ValueError(f"{file}: has {made} rounds already, but rounds is {planned}: give as many, or another checkpoint")
        _rounds(learner, job, crew, file, verbose)
        estimator._learned(learner.model(n_jobs))
    estimator.notes_ = learner.notes
    options.warn_of_parts(estimator.notes_)
    if not np.any(estimator.dominance_):
        warnings.warn("every code is zero, nothing was learned: lower alpha", UserWarning, stacklevel=2)
    return estimator


def _start(estimator: NetworkDictionary, network: Source, minibatches: object, crew: Crew) -> tuple[_ergodict.RoundLearner, bytes]:
    """The run before its first round, and what every task of it is told."""
    sampling, scheme = estimator._sampling(), options.scheme(estimator)
    seed = seed_of(estimator.random_state)
    plan = {
        "rounds": options.whole("rounds", estimator.steps, 1, "at least one is needed"),
        "minibatches": options.whole("minibatches", minibatches, 1, "at least one is needed"),
        "batch": options.whole("batch_size", estimator.batch_size, 1, "a minibatch needs at least one patch"),
        "examples": options.whole("n_examples", estimator.n_examples, 0, "it must not be negative"),
        "seed": seed, "name": network.name, "digest": _ergodict.input_digest(network.path),
        "network": network.digest,
    }
    edges: Any = sampling["edges"]
    nodes: Any = sampling["k"] or (_ergodict.MOTIF_NODES if edges is None else 1 + max(max(edge) for edge in edges))
    init = options.first_atoms(estimator.dict_init, int(str(scheme["atoms"])), nodes)
    learner = _ergodict.RoundLearner(as_network(network.path)._core, plan, scheme, sampling, init, estimator.n_jobs)
    k, motif = learner.motif
    job = {
        "kind": "round", "version": _ergodict.__version__, "path": network.path, "digest": network.digest, "seed": seed,
        "asked": sampling["sampler"],
        # As it turned out here: a motif file need not be there, and nobody tries samplers again.
        "sampling": {**sampling, "k": k, "motif": None, "edges": motif, "sampler": learner.sampler}, "n_jobs": crew.n_jobs,
    }
    keep_round(job, learner.place)
    return learner, json.dumps(job).encode()


def _rounds(learner: _ergodict.RoundLearner, job: bytes, crew: Crew, checkpoint: Optional[str], verbose: bool) -> None:
    """Round after round until all are made; what was made is not lost when it is interrupted."""
    saved, written = learner.made()[0], time.monotonic()
    try:
        with progress(verbose, "learning", "round", figure="surrogate") as show:
            made, planned = learner.made()
            while made < planned:
                outcomes = crew.run(job, learner.tasks(), lambda at: f"the task of chain {at} in round {made + 1}")
                figure = learner.absorb(outcomes)
                made += 1
                if show is not None:
                    show(made, planned, figure)
                if checkpoint is not None and time.monotonic() - written > CHECKPOINT_SECONDS:
                    learner.checkpoint(checkpoint)
                    saved, written = made, time.monotonic()
    finally:
        if checkpoint is not None and learner.made()[0] > saved:
            learner.checkpoint(checkpoint)
