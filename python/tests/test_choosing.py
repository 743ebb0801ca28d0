"""The program that measures settings for the guide: its coder and its matching are right, and questions are answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

CHOOSING = Path(__file__).parents[2] / "benchsuite" / "choosing"


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(CHOOSING))


def test_codes_are_those_of_nonnegative_least_squares() -> None:
    from patches import code
    from scipy.optimize import nnls

    random = np.random.default_rng(0)
    W, X = random.random((12, 5)), random.random((12, 8))
    H = code(W, X, 0.0, tolerance=1e-10)
    for column, x in zip(H.T, X.T, strict=True):
        np.testing.assert_allclose(column, nnls(W, x)[0], atol=1e-6)
    # With a penalty each entry's gradient is 0 or, at 0, not negative.
    penalized = code(W, X, 0.7, tolerance=1e-10)
    gradient = 2 * W.T @ (W @ penalized - X) + 0.7
    assert np.abs(gradient[penalized > 0]).max() < 1e-6 and gradient[penalized == 0].min() > -1e-6
    assert penalized.sum() < H.sum()


def test_matching_sees_through_order_direction_and_length() -> None:
    from patches import alike, effective

    random = np.random.default_rng(1)
    W = random.random((25, 4))
    turned = W.reshape(5, 5, 4)[::-1, ::-1].reshape(25, 4)[:, [2, 0, 3, 1]] * np.array([1.0, 2.0, 0.5, 3.0])
    assert alike(W, turned) == pytest.approx(1.0)
    assert alike(W, random.random((25, 4))) < 0.95
    assert effective([0.25] * 4) == pytest.approx(4) and effective([1.0, 0, 0]) == pytest.approx(1)


def test_a_little_of_some_questions_is_answered(tmp_path: Path) -> None:
    program = os.environ.get("ERGODICT_CLI")
    if not program:
        pytest.skip("ERGODICT_CLI is not set: the command line is needed")
    # One of each kind; all take too long for the tests.
    asked = ["sampling", "places", "k", "denoising"]
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    command = [sys.executable, str(CHOOSING), "--quick", "--questions", ",".join(asked), "-o", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "choosing.jsonl").read_text().splitlines()]
    assert {row["question"] for row in rows[1:]} == set(asked)
    for row in rows[1:]:
        for name in ("error", "error_off", "jaccard", "auc", "auc_off", "edge_coverage", "seen"):
            assert row.get(name) is None or 0 <= row[name] <= 1, (name, row)
    assert (tmp_path / "choosing.md").read_text().count("\n## ") == len(asked)
    # Nothing is left to measure, and the tables are the same.
    before = (tmp_path / "choosing.md").read_text()
    subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert len((tmp_path / "choosing.jsonl").read_text().splitlines()) == len(rows)
    assert (tmp_path / "choosing.md").read_text() == before
