"""Judges dictionaries on patches that they were not learned from, by a coder that shares no line with the library."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Array = NDArray[np.float64]


def code(W: Array, X: Array, penalty: float, tolerance: float = 1e-4, sweeps: int = 2000) -> Array:
    """Nonnegative codes: the minimizer H ≥ 0 of ‖X − WH‖² + λ‖H‖₁, by cyclic coordinate descent.

    Ends when no entry's gradient is off by more than a share, 10⁻⁴, of the largest of WᵀX: a tenth of it changed errors in
    their ninth digit.
    """
    G, C = W.T @ W, W.T @ X - penalty / 2
    H = np.zeros((W.shape[1], X.shape[1]))
    gradient = -C
    used = np.flatnonzero(np.diag(G) > 1e-12)
    enough = tolerance * max(float(np.abs(C).max()), 1e-300)
    for sweep in range(sweeps):
        for j in used:
            step = np.maximum(H[j] - gradient[j] / G[j, j], 0.0) - H[j]
            H[j] += step
            gradient += np.outer(G[:, j], step)
        if sweep % 5 == 4:
            off = np.where(H > 0, np.abs(gradient), np.maximum(-gradient, 0.0))
            if off[used].max(initial=0.0) < enough:
                break
    return H


def off_chain(k: int) -> NDArray[np.bool_]:
    """Entries of a patch that are neither its path's own nor on the diagonal."""
    a, b = np.indices((k, k))
    return np.asarray(np.abs(a - b).ravel() > 1)


def judge(W: Array, X: Array, penalty: float) -> dict[str, float]:
    """How well the atoms W (d, r) explain the patches X (d, n), with λ = 0 as in rebuilding, and with the λ they were learned by.

    `error` is ‖X − WH‖²/‖X‖² with λ = 0, `error_off` the same over entries off the chain; `error_own` has the λ of learning, and
    `active` is the mean number of atoms that a patch then uses.
    """
    off = off_chain(round(X.shape[0] ** 0.5))
    rest = (X - W @ code(W, X, 0.0)) ** 2
    H = code(W, X, penalty)
    total = float((X**2).sum())
    return {
        "error": float(rest.sum()) / total,
        "error_off": float(rest[off].sum()) / max(float((X[off] ** 2).sum()), 1.0),
        "error_own": float(((X - W @ H) ** 2).sum()) / total,
        "active": float((H > 1e-6 * max(float(H.max()), 1e-300)).sum(axis=0).mean()),
    }


def alike(one: Array, other: Array) -> float:
    """How alike two dictionaries (d, r) are: the mean cosine of atoms, off the chain, matched as well as can be.

    A path has no direction, so that an atom may be matched end to end. The entries of the path itself are in every atom and say
    nothing; an atom that has nothing else is left as it is.
    """
    k = round(one.shape[0] ** 0.5)
    off = off_chain(k)

    def unit(W: Array) -> Array:
        kept = W[off]
        lengths: Array = np.linalg.norm(kept, axis=0)
        return np.asarray(kept / np.maximum(lengths, 1e-12))

    turned = other.reshape(k, k, -1)[::-1, ::-1].reshape(other.shape)
    cosines = np.maximum(unit(one).T @ unit(other), unit(one).T @ unit(turned))
    rows, columns = linear_sum_assignment(-cosines)
    return float(cosines[rows, columns].mean())


def effective(shares: list[float]) -> float:
    """How many atoms share the codes: 1/Σp², which is r when all have the same share."""
    p = np.asarray(shares)
    return float(1.0 / (p**2).sum())
