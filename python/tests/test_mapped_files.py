"""A mapped file that changes while it is read is an exception, and neither the end of the process nor a wrong number."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

import ergodict

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems do not let a mapped file be cut off")

HEAD = """
import faulthandler, os, signal
import numpy as np
import ergodict

def cut(path, size):
    os.truncate(path, size)

def refused(work, path):
    try:
        work()
    except ValueError as problem:
        assert str(problem).startswith(f"{path}: changed while it was read"), problem
    else:
        raise AssertionError("nothing was raised")
"""


def child(script: str, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", HEAD + script], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def files(tmp_path: pathlib.Path) -> pathlib.Path:
    ergodict.Network.generate("er", n=3000, edges=40000, random_state=0).write(tmp_path / "net.egr")
    np.save(tmp_path / "x.npy", np.random.default_rng(0).random((200, 40, 40)))
    return tmp_path


# What is read without work that takes long, and work that does.
USES = """
def draw():
    ergodict.sample(net, k=6, sampler="glauber", random_state=0).draw(10**6)
def learn():
    ergodict.NetworkDictionary(n_components=4, k=6, random_state=0).fit(net)
uses = [net.degree, net.strength, net.to_edges, lambda: net.neighbors(2999), lambda: net.weight(2999, 5), net.to_scipy, draw, learn, net.summary]
"""


@pytest.mark.parametrize("size", [0, 4096, 100_000])
@pytest.mark.parametrize("handler", ["", "faulthandler.enable()"])
def test_a_network_that_is_cut_off(files: pathlib.Path, size: int, handler: str) -> None:
    script = f"""
{handler}
net = ergodict.Network("net.egr")
before = net.degree().sum()
cut("net.egr", {size})
{USES}
for use in uses:
    refused(use, "net.egr")
del net, use, uses, draw, learn
assert ergodict.Network("@karate").degree().sum() > 0
"""
    done = child(script, files)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_a_network_that_is_cut_off_while_it_is_learned_from(files: pathlib.Path) -> None:
    script = """
import threading
net = ergodict.Network("net.egr")
motifs = ergodict.NetworkDictionary(n_components=4, k=6, steps=10**7, random_state=0)
threading.Timer(0.5, cut, ("net.egr", 4096)).start()
refused(lambda: motifs.fit(net), "net.egr")
"""
    done = child(script, files)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_trajectory_that_is_cut_off_or_written_while_it_is_read(files: pathlib.Path, order: str) -> None:
    script = f"""
np.save("y.npy", np.asarray(np.load("x.npy"), order="{order}"))
for change in (lambda: cut("y.npy", 100_000), lambda: cut("y.npy", 0), lambda: np.save("y.npy", np.zeros((200, 40, 40)))):
    np.save("y.npy", np.asarray(np.load("x.npy"), order="{order}"))
    trajectory = ergodict.Trajectory("y.npy", random_state=0)
    assert (trajectory.frames[7] == np.load("x.npy")[7]).all()
    minibatches = trajectory.minibatches(patch=5, n=10)
    next(minibatches)
    change()
    if "{order}" == "C":
        refused(lambda: list(minibatches), "y.npy")
    else:
        assert len(list(minibatches)) == 199
"""
    done = child(script, files)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_faulthandler_that_comes_later_prints_and_hands_the_fault_on(files: pathlib.Path) -> None:
    script = """
net = ergodict.Network("net.egr")
faulthandler.enable()
cut("net.egr", 4096)
refused(lambda: net.neighbors(2999), "net.egr")
"""
    done = child(script, files)
    assert done.returncode == 0 and "Fatal Python error: Bus error" in done.stderr, done.stderr


@pytest.mark.parametrize("handler", ["", "faulthandler.enable()"])
def test_other_faults_end_the_process_as_before(files: pathlib.Path, handler: str) -> None:
    script = f"""
{handler}
net = ergodict.Network("net.egr")
own = np.memmap("x.npy", mode="r")
cut("x.npy", 4096)
print("here", flush=True)
own[-1]
"""
    done = child(script, files)
    assert done.returncode == -signal.SIGBUS and done.stdout == "here\n", done
    assert ("Bus error" in done.stderr) == bool(handler)
    done = child(f"{handler}\nnet = ergodict.Network('net.egr')\nos.kill(os.getpid(), signal.SIGBUS)\n", files)
    assert done.returncode == -signal.SIGBUS


def test_contents_that_were_written_in_place_are_refused(files: pathlib.Path) -> None:
    script = """
net = ergodict.Network("net.egr")
with open("net.egr", "r+b") as file:
    file.seek(4096)
    file.write(b"\\xff" * 50_000)
"""
    done = child(script + USES + 'for use in uses:\n    refused(use, "net.egr")\n', files)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
