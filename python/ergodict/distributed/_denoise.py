"""Denoising on many workers: latent motifs of the observed network reconstruct pairs of it, and what they make of one is its score."""

from __future__ import annotations

import math
import os
import tempfile
from typing import Any, Optional, Union

import numpy as np

from .. import _check
from .._ergodict import DENOISING
from .._progress import progress
from .._random import RandomState, seed_of
from ..denoising import Denoised, _assumed, _pairs_of
from ..network import as_network
from ._crew import Crew, Executor
from ._learn import learn
from ._reconstruct import model_of
from ._shares import Shares
from ._source import source

_METHODS = ("ndr-off-motif", "ndr", "co-visits")


def denoise(
    path: Any,
    pairs: Any = None,
    method: str = "ndr-off-motif",
    *,
    model: Any = None,
    n_components: int = 25,
    k: int = DENOISING["k"],
    chains: int = DENOISING["chains"],
    rounds: int = 100,
    minibatches: int = 1,
    batch_size: int = 100,
    coverage: float = DENOISING["coverage"],
    visits: int = DENOISING["visits"],
    walks: int = DENOISING["walks"],
    noise: Optional[str] = None,
    top: Optional[int] = None,
    random_state: RandomState = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    executor: Executor = None,
    scratch: Optional[Union[str, "os.PathLike[str]"]] = None,
    retries: int = 3,
) -> Denoised:
    """Score pairs of nodes by reconstruction, on many processes or machines.

    A dictionary of the network is learned as :func:`learn` does; then walks continue until enough pairs were sampled, and scores are those of
    :func:`ergodict.denoise` for the same method. Methods other than these three need the whole network in one process: see there.

    A stopped run restarts. What takes long to learn can be learned by :func:`learn` with a checkpoint, and given as `model`.

    Parameters
    ----------
    path : path
        An ``.egr`` file that all workers can open by this path, or an embedded network: undirected, without weights and loops.
    pairs : array of shape (m, 2), list of pairs, table, or "non-edges", optional
        The pairs to score, by ids; by default every observed edge.
    method : {"ndr-off-motif", "ndr", "co-visits"}
        Score of a pair: the off-motif mean of its reconstruction, shrunk; the mean over all entries; how often both nodes were
        seen off the walk.
    model : NetworkDictionary or path, optional
        Dictionary to reconstruct with; by default one is learned.
    n_components, k : int, int
        The atoms, and the nodes of their paths.
    chains : int, default 8
        Chains of learning and of reconstruction, one task each.
    rounds, minibatches, batch_size : int, int, int
        How the dictionary is learned, as for :func:`learn`.
    coverage, visits : float, int
        Walks continue until this share of the pairs was sampled often enough.
    walks : int, default 4000000
        Largest number of walks.
    noise, top, random_state : str, int, int
        As for :func:`ergodict.denoise`.
    n_jobs : int, optional
        Threads of each task; without an executor, threads that tasks run on.
    verbose : bool, default False
        Whether to show progress.
    executor : Executor, Dask client, function or None
        What runs the tasks, as for :func:`learn`.
    scratch : path, optional
        A folder that all workers see, for files of sums. Needed with an executor.
    retries : int, default 3
        How often a task is run again when its worker was lost.

    Returns
    -------
    Denoised
        Pairs and their scores.

    Examples
    --------
    >>> import ergodict, os, tempfile
    >>> from ergodict import distributed
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "karate.egr")
    ...     ergodict.Network("@karate", weighted=False).write(path)
    ...     found = distributed.denoise(path, k=5, n_components=4, rounds=5, walks=2000, random_state=0)
    >>> found.scores.shape, found.noise
    ((78,), 'added')
    """
    network = source(path)
    observed = as_network(network.path)
    method = _check.choice(method, "method", _METHODS)
    if observed.is_directed or observed.is_weighted or observed.n_loops:
        raise ValueError(
            f"{network.name}: has directions, weights or loops, which denoising leaves out: write the network without them first, "
            "`Network(path, directed=False, weighted=False, loops=False).write(...)`"
        )
    share = _check.finite(coverage, "coverage")
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"coverage is {share}, but it must be between 0 and 1")
    often = _check.count(visits, "visits", expected="at least one is needed")
    most = _check.count(walks, "walks", expected="at least one is needed")
    count = None if top is None else _check.count(top, "top", expected="at least one pair is to be given")
    if executor is not None and scratch is None:
        raise ValueError("scratch is not named, but workers of an executor need a folder that all of them see")
    seed = seed_of(random_state)
    numbers = _pairs_of(observed, pairs)
    assumed = _assumed(observed, numbers, noise)
    if model is None:
        model = learn(
            path, n_components, k=k, sampler="walk", chains=chains, rounds=rounds, minibatches=minibatches, batch_size=batch_size,
            schedule="balanced", n_examples=0, random_state=seed, n_jobs=n_jobs, verbose=verbose, executor=executor, retries=retries,
        )
    dictionary = model_of(model)
    sampling = _check.sampling(sampler="walk", chains=chains)
    plan = {
        "lambda": 0.0, "mode": "plain" if method == "ndr" else "off-motif", "reversal": False, "seed": seed, "burn_in": 0, "every": 1,
        "memory": DENOISING["memory"],
    }
    sums, counts = np.zeros(len(numbers)), np.zeros(len(numbers), dtype=np.uint64)
    u, v = np.ascontiguousarray(numbers[:, 0]), np.ascontiguousarray(numbers[:, 1])
    with Crew(executor, retries, n_jobs) as crew, tempfile.TemporaryDirectory() as own:
        folder = own if scratch is None else os.path.abspath(os.fspath(scratch))
        with Shares(crew, network, dictionary._fitted(), plan, sampling, numbers, folder, False) as shares:
            # What is counted is here and not in files: it cannot be gone on with.
            shares.keep = False
            inside = shares.inside(u, v)
            enough = math.ceil(share * int(inside.sum()))
            with progress(verbose, "walking", "walk", figure="pairs seen") as show:
                while shares.taken < most and np.count_nonzero(counts[inside] >= often) < enough:
                    files = shares.take(min(most, shares.taken + DENOISING["block"]))
                    more = shares.place.totals(files, u, v)
                    sums, counts = sums + more[0], counts + more[1]
                    for file in files:
                        os.remove(file)
                    if show is not None:
                        show(shares.taken, most, float(np.mean(counts > 0)))
        taken = shares.taken
    seen, outside = float(np.mean(counts > 0)), int(np.count_nonzero(~inside))
    notes = [f"{taken} walks saw {100 * seen:.1f} % of the pairs; those never seen score 0"]
    if outside:
        notes.append(f"{outside} pairs have a node outside of the largest component: they score 0")
    visited = counts.astype(np.float64)
    if method == "co-visits":
        scores = visited
    else:
        below = visited + (DENOISING["shrinkage"] * taken if method == "ndr-off-motif" else 0.0)
        scores = np.divide(sums, below, out=np.zeros(len(sums)), where=counts > 0)
    return Denoised(observed, numbers, scores, method=method, noise=assumed, notes=notes, heads=[], seed=seed, top=count)
