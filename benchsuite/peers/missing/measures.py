"""How good a list is: precision of its beginning, average precision, AUC, calibration. Ties count as their mean over orders."""

from __future__ import annotations

import numpy as np


def precision(scores: np.ndarray, labels: np.ndarray, count: int) -> float:
    """The share of true pairs among the first `count`."""
    count = min(count, len(scores))
    least = np.partition(scores, -count)[-count]
    above, tied = scores > least, scores == least
    return float((labels[above].sum() + labels[tied].mean() * (count - above.sum())) / count)


def average_precision(scores: np.ndarray, labels: np.ndarray) -> float:
    """Σ (recall step)·precision, pairs of one score taken together."""
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.r_[np.diff(scores[order]) != 0, True])
    hits = np.cumsum(labels[order])[last]
    return float((np.diff(np.r_[0, hits]) * hits / (last + 1)).sum() / labels.sum())


def auc(positive: np.ndarray, negative: np.ndarray) -> float:
    """Mann–Whitney, ties ½."""
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, "left") + np.searchsorted(ordered, positive, "right")
    return float(below.mean() / 2 / len(negative))


def calibration(scores: np.ndarray, probabilities: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    """Mean difference of predicted and true shares of the first thousand pairs in bins of a hundred; of the first hundred, both."""
    first = np.argsort(-scores, kind="stable")[:1000]
    bins = [first[start : start + 100] for start in range(0, len(first), 100)]
    pairs = [(probabilities[rows].mean(), labels[rows].mean(), len(rows)) for rows in bins]
    error = sum(abs(said - true) * rows for said, true, rows in pairs) / len(first)
    return float(error), float(pairs[0][0]), float(pairs[0][1])


def measure(case, scores: np.ndarray, probabilities: np.ndarray | None) -> dict[str, float | None]:
    """All of it; what asks for all non-edges is left out where they were not ranked."""
    assert np.isfinite(scores).all(), "a score is not a number"
    hidden = scores[case.hidden]
    found: dict[str, float | None] = {"uniform": auc(hidden, scores[case.uniform]), "matched": auc(hidden, scores[case.matched])}
    if case.whole:
        labels = np.zeros(len(scores), dtype=bool)
        labels[case.hidden] = True
        found |= {"p20": precision(scores, labels, 20), "p100": precision(scores, labels, 100), "ap": average_precision(scores, labels)}
        if probabilities is not None:
            found["error"], found["predicted"], found["true"] = calibration(scores, probabilities, labels)
    return found
