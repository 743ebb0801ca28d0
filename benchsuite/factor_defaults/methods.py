"""The libraries, each by its defaults and with a given effort."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from data import Array, Problem

#: Passes over the data of the curves; of SPAMS, with as many minibatches.
PASSES = (1, 2, 5, 10, 20, 50, 100, 200)


def spent(fit: Any) -> tuple[Array, float]:
    """What a fit returns, and its CPU seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = time.process_time()
        W = fit()
        return W, time.process_time() - before


def ours(problem: Problem, seed: int, passes: int | None = None, **settings: Any) -> tuple[Array, float]:
    """OnlineNMF, or OnlineDictionary where there is a penalty."""
    from ergodict import OnlineDictionary, OnlineNMF

    if passes is not None:
        settings |= {"max_iter": passes, "tol": 0.0}
    if problem.alpha:
        model = OnlineDictionary(problem.atoms, **{"alpha": problem.alpha, "random_state": seed} | settings)
    else:
        model = OnlineNMF(problem.atoms, **{"random_state": seed} | settings)
    return spent(lambda: model.fit(problem.train).components_)


def mini_batch_nmf(problem: Problem, seed: int, passes: int | None = None) -> tuple[Array, float]:
    """scikit-learn's online NMF."""
    from sklearn.decomposition import MiniBatchNMF

    how: dict[str, Any] = {} if passes is None else {"max_iter": passes, "tol": 0.0, "max_no_improvement": None}
    return spent(lambda: MiniBatchNMF(problem.atoms, random_state=seed, **how).fit(problem.train).components_)


def batch_nmf(problem: Problem, seed: int, passes: int | None = None) -> tuple[Array, float]:
    """scikit-learn's batch NMF."""
    from sklearn.decomposition import NMF

    how: dict[str, Any] = {} if passes is None else {"max_iter": passes, "tol": 0.0}
    return spent(lambda: NMF(problem.atoms, random_state=seed, **how).fit(problem.train).components_)


def mini_batch_dictionary(problem: Problem, seed: int, passes: int | None = None) -> tuple[Array, float]:
    """scikit-learn's online dictionary learning."""
    from sklearn.decomposition import MiniBatchDictionaryLearning

    how: dict[str, Any] = {} if passes is None else {"max_iter": passes, "tol": 0.0, "max_no_improvement": None}
    model = MiniBatchDictionaryLearning(problem.atoms, alpha=problem.alpha, random_state=seed, **how)
    return spent(lambda: model.fit(problem.train).components_)


def a_second(fit: Any) -> tuple[Array, float]:
    """What SPAMS learns in its default second: of CPU time, or nearly; a busy machine is given more of the clock."""
    for seconds in (1, 2, 4, 8, 16):
        W, cpu = spent(lambda: fit(-seconds))
        if cpu >= 0.6:
            break
    return W, cpu


def spams_nmf(problem: Problem, seed: int, passes: int | None = None) -> tuple[Array, float]:
    """SPAMS; it runs for a second by default."""
    import spams

    X, np_state = np.asfortranarray(problem.dense.T), np.random.get_state()
    np.random.seed(seed)
    steps = 0 if passes is None else passes * -(-X.shape[1] // 256)

    def fit(steps: int) -> Array:
        return np.asarray(spams.nmf(X, K=problem.atoms, batchsize=256, iter=steps, numThreads=1).T)

    try:
        return a_second(fit) if passes is None else spent(lambda: fit(steps))
    finally:
        np.random.set_state(np_state)


def spams_dictionary(problem: Problem, seed: int, passes: int | None = None) -> tuple[Array, float]:
    """SPAMS; it runs for a second by default."""
    import spams

    X = np.asfortranarray(problem.dense.T)
    steps = 0 if passes is None else passes * -(-X.shape[1] // 256)
    how = {"K": problem.atoms, "lambda1": problem.alpha, "mode": 2, "batchsize": 256, "numThreads": 1, "verbose": False}

    def fit(steps: int) -> Array:
        return np.asarray(spams.trainDL(X, iter=steps, **how).T)

    return a_second(fit) if passes is None else spent(lambda: fit(steps))


#: The peers of nonnegative problems, then of signed ones; "batch" is not online.
NONNEGATIVE = {"MiniBatchNMF": mini_batch_nmf, "SPAMS": spams_nmf, "NMF (batch)": batch_nmf}
SIGNED = {"MiniBatchDictionaryLearning": mini_batch_dictionary, "SPAMS": spams_dictionary}
