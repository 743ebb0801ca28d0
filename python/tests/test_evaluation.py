"""Evaluation: the same figures as the command line and as scikit-learn, from arrays and from pairs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

import ergodict
from ergodict import Network, denoise, evaluate


def made(seed: int = 0, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.3
    # Rounded, so that there are ties.
    return np.round(rng.normal(size=n) + labels, 1), labels


def test_figures_are_those_of_scikit_learn() -> None:
    scores, labels = made()
    found = evaluate(scores, labels)
    assert np.isclose(found.auc, roc_auc_score(labels, scores), rtol=0, atol=1e-14)
    assert np.isclose(found.average_precision, average_precision_score(labels, scores), rtol=0, atol=1e-14)
    fpr, tpr, thresholds = roc_curve(labels, scores, drop_intermediate=False)
    assert np.allclose(found.fpr, fpr) and np.allclose(found.tpr, tpr) and np.array_equal(found.thresholds, thresholds)
    best = np.argmax(tpr - fpr)
    assert np.isclose(found.best_true_positive_rate - found.best_false_positive_rate, tpr[best] - fpr[best])
    low, high = found.auc_interval
    assert low < found.auc < high and found.n_positive + found.n_negative == 200
    wider = evaluate(scores.tolist(), labels.astype(int).tolist(), confidence=0.99).auc_interval
    assert wider[0] < low and wider[1] > high


def test_figures_are_those_of_the_command_line(cli: Any, tmp_path: Any) -> None:
    observed, truth, first, second = (tmp_path / name for name in ("observed.txt", "truth.tsv", "first.tsv", "second.tsv"))
    cli("network", "corrupt", "@lesmis", "--add", 0.4, "--seed", 2, "-o", observed, "--truth", truth, "-q")
    for table, method in ((first, "adamic-adar"), (second, "preferential-attachment")):
        cli("network", "denoise", observed, "--pairs", truth, "--method", method, "-o", table, "-q")
    told = json.loads(cli("evaluate", first, second, truth, "--json", "-q").stdout)["groups"][0]
    pandas = pytest.importorskip("pandas")
    labels = pandas.read_csv(truth, sep="\t")
    network = Network(observed)
    found = [evaluate(denoise(network, method, labels), labels) for method in ("adamic-adar", "preferential-attachment")]
    for ours, theirs in zip(found, told["results"]):
        for name in ("auc", "auc_standard_error", "average_precision", "best_threshold", "best_true_positive_rate"):
            assert getattr(ours, name) == theirs[name], name
        assert list(ours.auc_interval) == theirs["auc_interval"]
    difference = found[1].against(found[0])
    assert difference.auc_difference == told["differences"][0]["auc_difference"]
    assert difference.p_value == told["differences"][0]["p_value"]
    assert list(difference.interval) == told["differences"][0]["interval"]
    assert "p = " in repr(difference) and "AUC" in repr(found[0])


def test_pairs_are_joined_whatever_they_come_in() -> None:
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]
    labels = dict(zip(pairs, (1, 1, 0, 0)))
    by_dict = evaluate({("b", "a"): 0.9, ("b", "c"): 0.2, ("c", "d"): 0.4, ("d", "a"): 0.1}, labels)
    assert by_dict.auc == 0.75
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"x": [v for _, v in pairs], "y": [u for u, _ in pairs], "score": [0.9, 0.2, 0.4, 0.1], "other": [1, 0, 0, 0]})
    assert evaluate(table, labels).auc == 0.75
    assert evaluate(table, {"u": table["x"], "v": table["y"], "label": [1, 1, 0, 0]}, column="other").auc == 0.75
    polars = pytest.importorskip("polars")
    assert evaluate(polars.from_pandas(table), labels).auc == 0.75
    with pytest.warns(UserWarning, match="there is no score for 1 of 4 pairs, which score 0"):
        some = evaluate({("a", "b"): 0.9, ("b", "c"): 0.2, ("c", "d"): 0.4}, labels)
    assert some.n_missing == 1 and some.auc == 0.75
    with pytest.raises(ValueError, match="scores have none of the labeled pairs"):
        evaluate(table, labels, directed=True)
    model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
    rebuilt = model.reconstruct("@karate", samples=3000)
    network = Network("@karate")
    truth = {tuple(pair): int(network.weight(*pair) > 0) for pair in rebuilt.pairs.tolist()}
    assert 0.5 < evaluate(rebuilt, truth).auc <= 1


def test_what_cannot_be_is_refused_in_words() -> None:
    scores, labels = made(n=20)
    for given, words in (
        ((scores, np.ones(20)), "all labels are 1: true and false pairs are needed to tell them apart"),
        ((scores, labels * 2), "a label is 2: expected 1 or 0"),
        ((scores[:5], labels), "there are 5 scores, but 20 labels"),
        ((scores.reshape(4, 5), labels), "scores have 2 axes, but one is needed"),
        ((np.full(20, np.nan), labels), "NaN"),
        (({(0, 1): 1.0}, {(0, 1): 1, (1, 0): 0}), "labels 0 1 0, and 1 before"),
        (({(0, 1): 1.0}, labels), "labels are not: give labels of pairs, too"),
        (({"a": 1.0}, {(0, 1): 1, (1, 2): 0}), "pairs of ids as its keys"),
    ):
        with pytest.raises(ValueError) as raised:
            evaluate(*given)
        assert words in str(raised.value)
    with pytest.raises(ValueError, match="confidence is 1.0, but it must be between 0 and 1, as 0.95 is"):
        evaluate(scores, labels, confidence=1)
    with pytest.raises(TypeError):
        evaluate(["a", "b"], [0, 1])
    with pytest.raises(ValueError, match="the labels are others"):
        evaluate(scores, labels).against(evaluate(*made(1, 20)))
    with pytest.raises(TypeError):
        evaluate(scores, labels).against(0.5)
    with pytest.raises(ValueError):
        evaluate([0.1, 0.2], [0, 1])
