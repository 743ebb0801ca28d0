"""Work at the same time and work within work: nothing waits for itself."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ergodict import OnlineNMF
from ergodict.sets import Projection

X = np.random.default_rng(0).random((600, 16))


def in_child(script: str) -> None:
    """Runs a script that would hang if something waited for itself."""
    head = "import threading, numpy as np\nfrom ergodict import OnlineNMF, sample\nX = np.random.default_rng(0).random((600, 16))\n"
    done = subprocess.run([sys.executable, "-c", head + script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_callbacks_use_the_library() -> None:
    in_child(
        """
other = OnlineNMF(n_components=2, random_state=0).fit(X)
chain = sample("@karate", k=3, random_state=0)
seen = []
OnlineNMF(n_components=2, batch_size=256, max_iter=1, random_state=0, callback=lambda facts: seen.append((other.score(X), chain.draw(1000).shape))).fit(X)
assert len(seen) == 3 and seen[0] == (other.score(X), (1000, 3))
"""
    )


def test_projections_use_the_library() -> None:
    in_child(
        """
from ergodict.sets import Projection
other = OnlineNMF(n_components=2, random_state=0).fit(X)
def project(atom):
    assert np.isfinite(other.score(X))
    return np.clip(atom, 0, 1)
OnlineNMF(n_components=2, random_state=0, dictionary=Projection(project), batch_size=300).fit(X)
"""
    )


def test_threads_share_an_estimator() -> None:
    in_child(
        """
model = OnlineNMF(n_components=4, random_state=0, n_jobs=2).fit(X)
expected = model.transform(X)
wrong = []
def work(part):
    for _ in range(100):
        if not np.array_equal(model.transform(X[:part]), expected[:part]):
            wrong.append(part)
threads = [threading.Thread(target=work, args=(part,)) for part in (600, 300, 150)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not wrong
"""
    )


def test_a_step_in_which_a_projection_raises_is_none() -> None:
    broken = False

    def project(atom: np.ndarray) -> np.ndarray:
        if broken:
            raise ZeroDivisionError("broken")
        return np.clip(atom, 0, 0.1)

    model = OnlineNMF(n_components=3, random_state=0, dictionary=Projection(project), batch_size=300).fit(X)
    steps, atoms, loss = model.n_steps_, model.components_, model.history_["loss"]
    for part in (X[:50], X):
        broken = True
        with pytest.raises(ZeroDivisionError, match="broken"):
            model.partial_fit(part)
        broken = False
        assert model.n_steps_ == steps and np.array_equal(model.history_["loss"], loss)
        assert np.array_equal(model.components_, atoms)
    again = OnlineNMF(n_components=3, random_state=0, dictionary=Projection(project), batch_size=300).fit(X)
    assert np.array_equal(model.partial_fit(X[:50]).components_, again.partial_fit(X[:50]).components_)


def test_fits_of_several_threads_run_at_the_same_time() -> None:
    # Each waits in its callback for the other, which comes only if it runs meanwhile.
    in_child(
        """
gate = threading.Barrier(2, timeout=30)
def fit():
    OnlineNMF(n_components=2, random_state=0, callback=lambda facts: gate.wait()).fit(X)
threads = [threading.Thread(target=fit) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not gate.broken
"""
    )

