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
        names = ("auc", "auc_standard_error", "average_precision", "best_threshold", "best_true_positive_rate")
        lists = ("precision_at_20", "precision_at_100", "false_share_at_20", "false_share_at_100", "calibration_error")
        for name in (*names, *lists):
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
    with pytest.warns(UserWarning, match="there is no score for 1 of 4 pairs, which rank last"):
        some = evaluate({("a", "b"): 0.9, ("b", "c"): 0.2, ("c", "d"): 0.4}, labels)
    assert some.n_missing == 1 and some.auc == 0.75
    with pytest.raises(ValueError, match="scores have none of the labeled pairs"):
        evaluate(table, labels, directed=True)
    model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
    rebuilt = model.reconstruct("@karate", samples=3000)
    network = Network("@karate")
    truth = {tuple(pair): int(network.weight(*pair) > 0) for pair in rebuilt.pairs.tolist()}
    assert 0.5 < evaluate(rebuilt, truth).auc <= 1


def test_lists_and_perfect_scores() -> None:
    scores, labels = made()
    found = evaluate(scores, labels)
    # The mean over orders of equal scores.
    rng = np.random.default_rng(1)
    orders = [np.lexsort((rng.random(200), -scores)) for _ in range(2000)]
    tops = np.mean([labels[order[:20]].mean() for order in orders])
    ends = np.mean([1 - labels[order[-100:]].mean() for order in orders])
    assert abs(found.precision_at_20 - tops) < 3.9 * 0.5 / np.sqrt(2000) and abs(found.false_share_at_100 - ends) < 0.02
    small = evaluate([4, 3, 2, 1], [1, 1, 0, 0])
    assert small.auc == 1 and small.precision_at_20 is None and small.auc_interval[1] == 1
    # Four pairs are no certainty, and many are more of one.
    assert small.auc_interval[0] < 0.5
    assert evaluate(np.arange(400), np.arange(400) > 199).auc_interval[0] > 0.98


def test_calibration_is_that_of_the_command_line(cli: Any, tmp_path: Any) -> None:
    rng = np.random.default_rng(3)
    probabilities = rng.random(4000)
    labels = rng.random(4000) < probabilities
    right = evaluate(probabilities, labels, probabilities=probabilities)
    wrong = evaluate(probabilities, labels, probabilities=probabilities / 2)
    assert right.calibration_error is not None and right.calibration_error < 0.03 and abs(wrong.calibration_error - 0.25) < 0.03
    bins = right.calibration
    assert bins is not None and bins["pairs"].tolist() == [400] * 10 and (bins["lower"] < bins["observed"]).all()
    assert evaluate(probabilities, labels).calibration is None
    pandas = pytest.importorskip("pandas")
    names = [(f"a{i}", f"b{i}") for i in range(4000)]
    table = pandas.DataFrame(names, columns=["u", "v"]).assign(score=probabilities, probability=probabilities)
    truth = pandas.DataFrame(names, columns=["u", "v"]).assign(label=labels.astype(int))
    table.to_csv(tmp_path / "scores.tsv", sep="\t", index=False)
    truth.to_csv(tmp_path / "truth.tsv", sep="\t", index=False)
    told = json.loads(cli("evaluate", tmp_path / "scores.tsv", tmp_path / "truth.tsv", "--json", "-q").stdout)
    theirs = told["groups"][0]["results"][0]
    ours = evaluate(table, truth)
    assert ours.calibration_error == theirs["calibration_error"] and np.isclose(ours.calibration_error, right.calibration_error)
    assert [one["predicted"] for one in theirs["calibration"]] == ours.calibration["predicted"].tolist()
    with pytest.raises(ValueError, match="a probability is 1.5: expected 0 to 1"):
        evaluate([0.1, 0.2], [0, 1], probabilities=[0.5, 1.5])
    with pytest.raises(ValueError, match="go with an array of scores"):
        evaluate(table, truth, probabilities=probabilities)


def test_pairs_without_a_score_rank_last() -> None:
    labels = {("a", "b"): 1, ("b", "c"): 0, ("c", "d"): 1, ("d", "e"): 0}
    # Log odds: 0 would be above the negative ones.
    scores = {("a", "b"): -1.0, ("b", "c"): -3.0, ("c", "d"): -2.0, ("d", "e"): float("nan")}
    with pytest.warns(UserWarning, match="there is no score for 1 of 4 pairs, which rank last"):
        found = evaluate(scores, labels)
    assert found.auc == 1 and found.n_missing == 1
    network = Network([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "a"), ("x", "y")])
    seen = denoise(network, "ndr", random_state=0)
    assert np.isnan(seen.scores).sum() == 1 and set(seen.suspects(7)[-1]) == {"x", "y"}
    assert any("no score" in note for note in seen.notes_)


def test_what_cannot_be_is_refused_in_words() -> None:
    scores, labels = made(n=20)
    for given, words in (
        ((scores, np.ones(20)), "all labels are 1: both true and false pairs are needed"),
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
