"""Evaluation of pair scores against ground truth."""

from __future__ import annotations

import pathlib
import warnings
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict, _report
from .denoising import Denoised
from .network import Network
from .reconstruction import Reconstruction


class Evaluation:
    """Quality of scores, returned by :func:`evaluate`.

    Parameters
    ----------
    scores : ndarray of float
        The scores.
    labels : ndarray of bool
        Which pairs are true.
    confidence : float
        The probability that the interval is to hold.
    missing : int
        Labeled pairs without a score.
    probabilities : ndarray of float, optional
        The probability that each pair is true, NaN where there is none.

    Attributes
    ----------
    auc, auc_standard_error : float
        The share of pairs (one true, one false) in which the true one has the higher score, ties counting half, and DeLong's standard error.
    auc_interval : tuple of float
        Its confidence interval: DeLong's, symmetric on the scale of log(auc / (1 - auc)), and for an area of exactly 0 or 1, where DeLong's variance
        is 0, method 5 of Newcombe (2006).
    average_precision : float
        The mean precision over recall.
    precision_at_20, precision_at_100 : float or None
        The share of true pairs among the 20 (100) highest scores; equal scores count by the mean over their orders. None of fewer pairs.
    false_share_at_20, false_share_at_100 : float or None
        The share of false pairs among the 20 (100) lowest scores.
    calibration_error : float or None
        The expected calibration error of the probabilities, in bins of equal numbers; None without probabilities. It is that of the question
        only where the labeled pairs have as many true ones as the question has.
    calibration : dict of ndarray or None
        The bins by ascending probability: ``pairs``, ``predicted`` (the mean probability), ``observed`` (the share of true pairs), and ``lower`` and
        ``upper`` end of Wilson's interval of that share.
    best_threshold, best_true_positive_rate, best_false_positive_rate : float
        Where the true positive rate exceeds the false one most.
    fpr, tpr, thresholds : ndarray of float
        The ROC curve: the origin, then a point for each different score, descending.
    n_positive, n_negative, n_missing : int
        True and false pairs, and labeled pairs without a score, which rank below all others.

    Examples
    --------
    >>> import ergodict
    >>> found = ergodict.evaluate([0.9, 0.8, 0.3, 0.7, 0.2, 0.1], [1, 1, 1, 0, 0, 0])
    >>> round(found.auc, 4), found.n_positive
    (0.8889, 3)
    """

    def __init__(
        self,
        scores: npt.NDArray[np.float64],
        labels: npt.NDArray[np.bool_],
        confidence: float,
        missing: int,
        probabilities: Optional[npt.NDArray[np.float64]] = None,
    ) -> None:
        found = _ergodict.evaluate_scores(scores, labels, confidence)
        self.scores, self.labels, self.confidence, self.n_missing = scores, labels, confidence, missing
        self._probabilities = probabilities
        self.auc: float = found["auc"]
        self.auc_standard_error: float = found["auc_standard_error"]
        self.auc_interval: tuple[float, float] = found["auc_interval"]
        self.average_precision: float = found["average_precision"]
        self.precision_at_20: Optional[float] = found["precision_at_20"]
        self.precision_at_100: Optional[float] = found["precision_at_100"]
        self.false_share_at_20: Optional[float] = found["false_share_at_20"]
        self.false_share_at_100: Optional[float] = found["false_share_at_100"]
        self.calibration_error: Optional[float] = None
        self.calibration: Optional[dict[str, npt.NDArray[Any]]] = None
        if probabilities is not None:
            known = ~np.isnan(probabilities)
            if np.unique(labels[known]).size == 2:
                bins = _ergodict.calibrate(probabilities[known], labels[known], confidence)
                self.calibration_error, self.calibration = bins.pop("error"), bins
        self.best_threshold: float = found["best_threshold"]
        self.best_true_positive_rate: float = found["best_true_positive_rate"]
        self.best_false_positive_rate: float = found["best_false_positive_rate"]
        self.n_positive: int = found["positive_pairs"]
        self.n_negative: int = found["negative_pairs"]
        self.fpr: npt.NDArray[np.float64] = found["fpr"]
        self.tpr: npt.NDArray[np.float64] = found["tpr"]
        self.thresholds: npt.NDArray[np.float64] = found["thresholds"]

    def __repr__(self) -> str:
        low, high = self.auc_interval
        return f"Evaluation(AUC {self.auc:.4f}, {100 * self.confidence:g} % from {low:.4f} to {high:.4f}, AP {self.average_precision:.4f})"

    def _repr_html_(self) -> str:
        from ._repr import table_html

        low, high = self.auc_interval
        values = {
            "AUC": self.auc, "its standard error": self.auc_standard_error, "from": low, "to": high,
            "average precision": self.average_precision,
            "true among the 20 highest": self.precision_at_20, "true among the 100 highest": self.precision_at_100,
            "false among the 20 lowest": self.false_share_at_20, "false among the 100 lowest": self.false_share_at_100,
            "calibration error": self.calibration_error, "best threshold": self.best_threshold,
            "true positive rate there": self.best_true_positive_rate, "false positive rate there": self.best_false_positive_rate,
        }
        values = {name: value for name, value in values.items() if value is not None}
        facts = [("true pairs", self.n_positive), ("false pairs", self.n_negative), ("without a score", self.n_missing)]
        return str(table_html(repr(self), {"measure": list(values), "value": list(values.values())}, facts))

    def against(self, other: Evaluation) -> Difference:
        """How much larger the AUC is than that of other scores of the same pairs.

        Examples
        --------
        >>> import ergodict
        >>> labels = [1, 1, 1, 0, 0, 0]
        >>> first = ergodict.evaluate([0.9, 0.8, 0.3, 0.7, 0.2, 0.1], labels)
        >>> second = ergodict.evaluate([0.2, 0.8, 0.3, 0.7, 0.2, 0.1], labels)
        >>> round(first.against(second).auc_difference, 4)
        0.1667
        """
        if not isinstance(other, Evaluation):
            raise TypeError(f"{type(other).__name__} is no Evaluation: expected what evaluate gives")
        if not np.array_equal(self.labels, other.labels):
            raise ValueError("the labels are others, but scores are compared on the same pairs")
        return Difference(*_ergodict.auc_difference(self.scores, other.scores, self.labels, self.confidence), self.confidence)

    def report(
        self, path: _report.Path, others: Optional[Mapping[str, Evaluation]] = None, *, name: str = "scores"
    ) -> pathlib.Path:
        """Write the report of ``ergodict evaluate``: ROC curve, precision and recall, reliability of probabilities, how scores are spread.

        Parameters
        ----------
        path : str or path-like
            Path of the report, ending in ``.html``.
        others : dict of Evaluation, optional
            Evaluations of other scores of the same pairs, by name, to be compared with this one.
        name : str, default="scores"
            What these scores are called.

        Returns
        -------
        pathlib.Path
            Path of the report.

        Examples
        --------
        >>> import ergodict, os, tempfile
        >>> found = ergodict.evaluate([0.9, 0.8, 0.3, 0.7, 0.2, 0.1], [1, 1, 1, 0, 0, 0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     "ROC curves" in found.report(os.path.join(folder, "scores.html")).read_text(encoding="utf-8")
        True
        """
        shown: dict[str, Evaluation] = {_check.word(name, "name"): self}
        for other, found in (others or {}).items():
            if not isinstance(found, Evaluation):
                raise TypeError(f"{type(found).__name__} is no Evaluation: expected what evaluate gives")
            if _check.word(other, "a name") in shown:
                raise ValueError(f"two evaluations are called {other}: expected different names")
            if not np.array_equal(self.labels, found.labels):
                raise ValueError("the labels are others, but scores are compared on the same pairs")
            shown[other] = found
        given = [(called, one.scores, one._probabilities, one.n_missing) for called, one in shown.items()]
        return _report.written(path, lambda file: _ergodict.evaluation_report(file, given, self.labels, self.confidence))


class Difference:
    """The difference of two AUCs on the same pairs, with DeLong's interval and the two-sided p-value of no difference.

    Parameters
    ----------
    auc_difference : float
        The difference.
    standard_error : float
        Its standard error.
    interval : tuple of float
        Its confidence interval.
    p_value : float
        Of a difference of 0.
    confidence : float
        The probability that the interval is to hold.

    Examples
    --------
    >>> import ergodict
    >>> labels = [1, 1, 1, 0, 0, 0]
    >>> scores = ergodict.evaluate([0.9, 0.8, 0.3, 0.7, 0.2, 0.1], labels)
    >>> scores.against(scores).p_value
    1.0
    """

    def __init__(
        self, auc_difference: float, standard_error: float, interval: tuple[float, float], p_value: float, confidence: float
    ) -> None:
        self.auc_difference, self.standard_error, self.interval = auc_difference, standard_error, interval
        self.p_value, self.confidence = p_value, confidence

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Difference({self.auc_difference:+.4f} AUC, {100 * self.confidence:g} % from {low:+.4f} to {high:+.4f}, "
            f"p = {self.p_value:.2e})"
        )

    def _repr_html_(self) -> str:
        from ._repr import table_html

        low, high = self.interval
        facts = [
            ("difference of AUC", f"{self.auc_difference:+.4f}"), ("standard error", f"{self.standard_error:.4f}"),
            (f"{100 * self.confidence:g} % interval", f"{low:+.4f} to {high:+.4f}"), ("p-value", f"{self.p_value:.2e}"),
        ]
        return table_html("Difference", {}, facts)


#: What a pair is called: both ids, the smaller by its text first where order does not count.
_Key = tuple[Any, Any]

#: Pairs, a number of each, and the probability of each where there is one.
_Columns = tuple[list[Any], Any, Any]


def evaluate(
    scores: Any,
    labels: Any,
    *,
    confidence: float = 0.95,
    directed: Optional[bool] = None,
    column: Optional[str] = None,
    probabilities: Any = None,
) -> Evaluation:
    """Measures how well scores find the true pairs: AUC with its interval, average precision, precision at n, calibration, the ROC curve.

    Parameters
    ----------
    scores : array, Denoised, Reconstruction, dict of pairs or table
        Either an array with a score for each label, or scores of pairs: a result of :func:`denoise` or
        :meth:`NetworkDictionary.reconstruct`, a dictionary from pairs to scores, or a table whose first two columns are the pairs.
    labels : array, dict of pairs or table
        1 for true and 0 for false, in the same form: as an array in the order of the scores, or as pairs. A labeled pair without a score, or
        with NaN as its score, ranks below all others, with a warning; in an array of scores, NaN is an error.
    confidence : float, default 0.95
        The probability that the interval is to hold.
    directed : bool, optional
        Whether (u, v) differs from (v, u); by default as in the network of the scores, else not.
    column : str, optional
        The column of a table that has the scores; by default score, weight, or the third.
    probabilities : array, optional
        For scores that are an array: the probability that each pair is true. Those of :func:`denoise`, and of a table with a column ``probability``,
        are taken from there.

    Returns
    -------
    Evaluation
        The evaluation; ``first.against(second)`` compares two on the same pairs.

    Examples
    --------
    >>> import ergodict
    >>> observed, truth = ergodict.Network("@karate").corrupt(add=0.5, random_state=0)
    >>> found = ergodict.evaluate(ergodict.denoise(observed, method="adamic-adar"), truth)
    >>> found.auc > 0.6
    True
    """
    share = _check.number(confidence, "confidence")
    if not 0.0 < share < 1.0:
        raise ValueError(f"confidence is {share}, but it must be between 0 and 1, as 0.95 is")
    table = _table(labels, ("label",), None)
    known = _table(scores, ("score", "weight"), column)
    if known is not None and probabilities is not None:
        raise ValueError("probabilities go with an array of scores: scores of pairs have them in a column of that name")
    if table is None:
        truth = _labels(labels)
        if known is None:
            return Evaluation(_aligned("scores", scores, truth), truth, share, 0, _probabilities(probabilities, truth))
        if not isinstance(scores, (Denoised, Reconstruction)):
            raise ValueError("scores are those of pairs, but labels are not: give labels of pairs, too")
        return _ranked(_aligned("scores", known[1], truth), truth, share, _probabilities(known[2], truth))
    ordered = bool(_directed(scores)) if directed is None else bool(directed)
    pairs, marks, _ = table
    truth = _labels(marks)
    keys = [_key(pair, ordered) for pair in pairs]
    _same_labels(keys, truth)
    if known is None:
        return Evaluation(_aligned("scores", scores, truth), truth, share, 0, _probabilities(probabilities, truth))
    rows = _rows_by_pair(known, ordered)
    if not any(key in rows for key in keys):
        raise ValueError("scores have none of the labeled pairs: are these scores of other pairs?")
    chosen = [rows.get(key, -1) for key in keys]
    # After the last row there is none.
    numbers, likely = np.append(_numbers("scores", known[1]), np.nan)[chosen], None
    if known[2] is not None:
        likely = _probabilities(np.append(_numbers("probabilities", known[2]), np.nan)[chosen], truth)
    return _ranked(numbers, truth, share, likely)


def _ranked(
    numbers: npt.NDArray[np.float64],
    truth: npt.NDArray[np.bool_],
    confidence: float,
    probabilities: Optional[npt.NDArray[np.float64]],
) -> Evaluation:
    """The evaluation of scores that pairs may lack (NaN): these rank below all others."""
    lacking = np.isnan(numbers)
    missing = int(lacking.sum())
    if missing:
        warnings.warn(f"there is no score for {missing} of {truth.size} pairs, which rank last", UserWarning, stacklevel=3)
    return Evaluation(np.where(lacking, -np.inf, numbers), truth, confidence, missing, probabilities)


def _aligned(name: str, values: Any, truth: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    numbers = _numbers(name, values)
    if numbers.shape != truth.shape:
        raise ValueError(f"there are {numbers.size} {name}, but {truth.size} labels")
    return numbers


def _probabilities(values: Any, truth: npt.NDArray[np.bool_]) -> Optional[npt.NDArray[np.float64]]:
    if values is None:
        return None
    numbers = _aligned("probabilities", values, truth)
    wrong = numbers[(numbers < 0) | (numbers > 1)]
    if wrong.size:
        raise ValueError(f"a probability is {wrong[0]:g}: expected 0 to 1")
    return numbers


def _directed(scores: Any) -> bool:
    network = getattr(scores, "network", None)
    # Scores of denoising are of the network without its directions, unless a dictionary gave them.
    kept = isinstance(scores, Reconstruction) or isinstance(scores, Denoised) and scores.method == "dictionary"
    return isinstance(network, Network) and network.is_directed and kept


def _key(pair: Any, ordered: bool) -> _Key:
    u, v = (one.item() if isinstance(one, np.generic) else one for one in pair)
    if ordered or u == v:
        return u, v
    return (u, v) if (str(u), type(u).__name__) <= (str(v), type(v).__name__) else (v, u)


def _same_labels(keys: list[_Key], truth: npt.NDArray[np.bool_]) -> None:
    known: dict[_Key, bool] = {}
    for (u, v), label in zip(keys, truth.tolist()):
        if known.setdefault((u, v), label) != label:
            raise ValueError(f"labels {u} {v} {int(label)}, and {int(not label)} before")


def _rows_by_pair(table: _Columns, ordered: bool) -> dict[_Key, int]:
    """The row of each pair, whose score has to be the same in all its rows."""
    found: dict[_Key, int] = {}
    values = _numbers("scores", table[1])
    for row, pair in enumerate(table[0]):
        (u, v) = key = _key(pair, ordered)
        before, score = values[found.setdefault(key, row)], values[row]
        if before != score and not (np.isnan(before) and np.isnan(score)):
            raise ValueError(f"scores give {u} {v} the score {score}, and {before} before")
    return found


def _numbers(name: str, values: Any) -> npt.NDArray[np.float64]:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} are {type(values).__name__}, but they must be numbers") from None
    if numbers.ndim != 1:
        raise ValueError(f"{name} have {numbers.ndim} axes, but one is needed")
    return np.require(numbers, requirements=["C", "A"])


def _labels(values: Any) -> npt.NDArray[np.bool_]:
    numbers = _numbers("labels", values)
    wrong = numbers[(numbers != 0) & (numbers != 1)]
    if wrong.size:
        raise ValueError(f"a label is {wrong[0]:g}: expected 1 or 0")
    truth: npt.NDArray[np.bool_] = numbers == 1
    if truth.all() or not truth.any():
        one = int(bool(truth.all())) if truth.size else "none"
        raise ValueError(f"all labels are {one}: both true and false pairs are needed")
    return truth


def _table(data: Any, names: tuple[str, ...], column: Optional[str]) -> Optional[_Columns]:
    """Pairs, a number of each and its probability, if the data are such."""
    if isinstance(data, Denoised):
        return data.pairs.tolist(), data.scores, data.probabilities
    if isinstance(data, Reconstruction):
        return data.pairs.tolist(), data.weights, None
    if isinstance(data, Mapping) and {"u", "v"} <= set(data):
        return _from_columns({name: data[name] for name in data}, list(data), names, column)
    if isinstance(data, Mapping):
        pairs = list(data)
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            raise ValueError("a dictionary of scores or labels has pairs of ids as its keys")
        return pairs, list(data.values()), None
    if type(data).__module__.partition(".")[0] in ("pandas", "polars") and hasattr(data, "columns"):
        return _from_columns(data, list(data.columns), names, column)
    return None


def _from_columns(data: Any, columns: list[str], names: tuple[str, ...], column: Optional[str]) -> _Columns:
    if column is not None and column not in columns:
        raise ValueError(f"there is no column {column} ({', '.join(map(str, columns))})")
    usual = [name for name in names if name in columns]
    if column is None and not usual and len(columns) < 3:
        raise ValueError(f"the table has {len(columns)} columns: expected a number after the two nodes")
    chosen = column or (usual[0] if usual else columns[2])
    first, second = ("u", "v") if isinstance(data, dict) else columns[:2]
    likely = list(data["probability"]) if "probability" in columns else None
    return list(zip(list(data[first]), list(data[second]))), list(data[chosen]), likely
