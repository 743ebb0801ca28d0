"""Distributed reconstruction and denoising: the same files and scores from any executor, whatever happens to its workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ergodict
from ergodict import distributed
from ergodict.distributed import WorkerError
from test_distributed import Stopping, Wrapped, delayed, killed_once, pool

SMALL: dict[str, Any] = {"samples": 3000, "chains": 3, "block": 400, "partitions": 3, "format": "tsv", "random_state": 8}


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network with enough pairs for tables with parts."""
    path = tmp_path_factory.mktemp("networks") / "wide.egr"
    ergodict.Network.generate("er", n=400, edges=2000, random_state=0).write(path)
    return str(path)


@pytest.fixture(scope="module")
def model(lesmis: str) -> ergodict.NetworkDictionary:
    return distributed.learn(lesmis, 5, k=5, chains=2, rounds=4, n_examples=0, random_state=1)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_parts_are_the_same_on_any_executor(wide: str, model: ergodict.NetworkDictionary, client: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {**SMALL, "samples": 6000, "block": 1000, "partitions": 2}
    here = distributed.reconstruct(wide, model, tmp_path / "here", **options)
    expected = contents(tmp_path / "here")
    assert sorted(expected) == ["_index.json", "part-00000.tsv", "part-00001.tsv"] and len(here.files) == 2
    with pool(2)() as executor:
        distributed.reconstruct(wide, model, tmp_path / "there", **options, executor=Wrapped(executor, delayed))
    assert contents(tmp_path / "there") == expected
    distributed.reconstruct(wide, model, tmp_path / "dask", **options, executor=client, scratch=tmp_path)
    assert contents(tmp_path / "dask") == expected
    distributed.reconstruct(wide, model, tmp_path / "threads", **options, n_jobs=2)
    assert contents(tmp_path / "threads") == expected
    # Nothing is left but the folders.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dask", "here", "there", "threads"]


def test_parts_are_the_reconstruction_of_one_process(wide: str, model: ergodict.NetworkDictionary, tmp_path: Path) -> None:
    model.save(tmp_path / "model.safetensors")
    whole = model.reconstruct(wide, samples=3000, chains=3, random_state=8, shrinkage=2.0)
    for format in ("tsv", "parquet"):
        options = {**SMALL, "format": format, "shrinkage": 2.0}
        rebuilt = distributed.reconstruct(wide, tmp_path / "model.safetensors", tmp_path / format, **options)
        table = rebuilt.to_pandas()
        assert rebuilt.n_pairs == len(table) == len(whole) and rebuilt.edge_coverage == whole.edge_coverage
        assert (table["u"] == whole.pairs[:, 0]).all() and (table["v"] == whole.pairs[:, 1]).all()
        assert (table["count"].to_numpy() == whole.counts).all()
        assert np.allclose(table["weight"], whole.weights, rtol=0, atol=1e-5)
    # A folder that was written before is overwritten.
    again = distributed.reconstruct(wide, model, tmp_path / "tsv", **{**SMALL, "partitions": 1})
    assert len(again.files) == 1 and sorted(contents(tmp_path / "tsv")) == ["_index.json", "part-00000.tsv"]
    assert again.made["seed"] == 8 and again.made["sampler"] == "walk" and "1 parts" in repr(again)


def test_some_pairs_only(lesmis: str, model: ergodict.NetworkDictionary, tmp_path: Path) -> None:
    pairs = ergodict.Network(lesmis).ids(np.array([[0, 1], [5, 2], [3, 4], [2, 5]]))
    whole = model.reconstruct(lesmis, samples=3000, chains=3, random_state=8, pairs=pairs[:3])
    rebuilt = distributed.reconstruct(lesmis, model, tmp_path / "some", **SMALL, pairs=pairs)
    table = rebuilt.to_pandas()
    assert len(table) == np.count_nonzero(whole.counts) and sorted(table["count"]) == sorted(whole.counts[whole.counts > 0])
    for some in (pairs, [(1, 2), (2, 1), (1, 3), (1, 34), (10, 17)]):
        network = lesmis if some is pairs else "@karate"
        whole = model.reconstruct(network, samples=3000, chains=3, random_state=8, pairs=some)
        rebuilt = distributed.reconstruct(network, model, tmp_path / "some", **SMALL, pairs=some)
        assert rebuilt.edge_coverage == whole.edge_coverage
    assert rebuilt.edge_coverage == 1.0


@pytest.mark.parametrize("names", [["007", "NA", "x", "null", "y 1", 'q"q'], ["007", "03", "5", "6", "8", "9"], [7, 3, 5, 6, 8, 9]])
def test_names_are_the_same_in_both_formats(names: list[Any], model: ergodict.NetworkDictionary, tmp_path: Path) -> None:
    path = tmp_path / "named.egr"
    ergodict.Network([(one, two) for at, one in enumerate(names) for two in names[:at]]).write(path)
    text, columns = (
        distributed.reconstruct(path, model, tmp_path / format, **{**SMALL, "samples": 300, "format": format}) for format in ("tsv", "parquet")
    )
    table = text.to_pandas()
    assert table.equals(columns.to_pandas()) and set(table["u"]) | set(table["v"]) == set(names)
    # What the command line wrote says less.
    del text.made["ids"]
    assert table.equals(text.to_pandas())


def test_a_part_of_a_network_keeps_its_ids(tmp_path: Path) -> None:
    edges = [(10, 11), (20, 21), (21, 22), (22, 20), (22, 23), (23, 24)]
    path = tmp_path / "parts.egr"
    ergodict.Network(edges).write(path)
    with pytest.warns(UserWarning, match="the largest of 2 components"):
        model = distributed.learn(path, 2, k=3, chains=2, rounds=3, random_state=0)
    with pytest.warns(UserWarning, match="the largest of 2 components"):
        rebuilt = distributed.reconstruct(path, model, tmp_path / "rebuilt", samples=500, partitions=2, format="tsv")
    table = rebuilt.to_pandas()
    assert set(table["u"]) | set(table["v"]) == {20, 21, 22, 23, 24} and rebuilt.edge_coverage == 1.0


def test_a_killed_worker_is_survived(lesmis: str, model: ergodict.NetworkDictionary, client: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {**SMALL, "samples": 60_000, "block": 20_000}
    distributed.reconstruct(lesmis, model, tmp_path / "here", **options)
    expected = contents(tmp_path / "here")
    for name in ("pool", "dask"):
        marks = tmp_path / f"marks of {name}"
        marks.mkdir()
        executor: Any = Wrapped(client.get_executor(), killed_once, str(marks))
        if name == "pool":
            executor = lambda: Wrapped(pool(2)(), killed_once, str(marks))  # noqa: B023, E731
        distributed.reconstruct(lesmis, model, tmp_path / name, **options, executor=executor)
        assert contents(tmp_path / name) == expected
        assert (marks / "first").exists()


def test_an_interrupted_run_goes_on(lesmis: str, model: ergodict.NetworkDictionary, tmp_path: Path) -> None:
    distributed.reconstruct(lesmis, model, tmp_path / "here", **SMALL)
    out, scratch = tmp_path / "there", tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(KeyboardInterrupt):
        distributed.reconstruct(lesmis, model, out, **SMALL, scratch=scratch, executor=Stopping(3 + 2))
    assert not out.exists() and len(list(scratch.iterdir())) == 1
    counting = Stopping(100)
    distributed.reconstruct(lesmis, model, out, **SMALL, scratch=scratch, resume=True, executor=counting)
    assert contents(out) == contents(tmp_path / "here") and list(scratch.iterdir()) == []
    # Three blocks of three chains, of which one was done, and one part.
    assert 100 - counting.tasks == 2 * 3 + 1


@pytest.mark.parametrize("damage", ["gone", "cut", "no state", "strange state"])
def test_a_run_whose_files_are_damaged_restarts(
    lesmis: str, model: ergodict.NetworkDictionary, tmp_path: Path, damage: str
) -> None:
    out, scratch = tmp_path / "there", tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(KeyboardInterrupt):
        distributed.reconstruct(lesmis, model, out, **SMALL, scratch=scratch, executor=Stopping(3 + 2))
    (folder,) = scratch.iterdir()
    first, state = sorted(folder.glob("*.sums"))[0], folder / "state"
    if damage == "gone":
        first.unlink()
    elif damage == "cut":
        first.write_bytes(first.read_bytes()[:-1])
    else:
        state.write_text("{" if damage == "no state" else '{"taken": [], "files": 3}')
    counting = Stopping(100)
    distributed.reconstruct(lesmis, model, out, **SMALL, scratch=scratch, resume=True, executor=counting)
    distributed.reconstruct(lesmis, model, tmp_path / "here", **SMALL)
    assert contents(out) == contents(tmp_path / "here") and list(scratch.iterdir()) == []
    assert 100 - counting.tasks == 3 * 3 + 1


LOCKING = """
import json, os, sys, time
from ergodict.distributed import _shares
class Run: pass
run = Run()
run._checkpoint = _shares._opened(sys.argv[1], json.loads(sys.argv[2]))
_shares._open.add(run)
if os.fork() == 0:
    # As a worker that outlives the run.
    time.sleep(30)
    os._exit(0)
print("locked", flush=True)
sys.stdin.read()
"""


def test_of_two_equal_runs_at_once_the_second_is_refused(lesmis: str, model: ergodict.NetworkDictionary, tmp_path: Path) -> None:
    scratch, tried = tmp_path / "scratch", []
    scratch.mkdir()

    class Meanwhile(Stopping):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            if self.tasks == 96:
                for resume in (False, True):
                    with pytest.raises(BlockingIOError, match="is in use by another process"):
                        distributed.reconstruct(lesmis, model, tmp_path / "second", **SMALL, scratch=scratch, resume=resume)
                    tried.append(resume)
            return super().submit(fn, *args)

    distributed.reconstruct(lesmis, model, tmp_path / "first", **SMALL, scratch=scratch, executor=Meanwhile(100))
    assert tried == [False, True] and list(scratch.iterdir()) == [] and not (tmp_path / "second").exists()
    # Another process, which is killed: nothing is in the way then.
    with pytest.raises(KeyboardInterrupt):
        distributed.reconstruct(lesmis, model, tmp_path / "second", **SMALL, scratch=scratch, executor=Stopping(3 + 2))
    (folder,) = scratch.iterdir()
    raw = (folder / "state").read_bytes()
    settings = json.loads(raw[28 : 28 + int.from_bytes(raw[20:28], "little")])["settings"]["run"]
    command = [sys.executable, "-c", LOCKING, folder / "state", json.dumps(settings)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"locked\n"
        with pytest.raises(BlockingIOError, match="is in use by another process"):
            distributed.reconstruct(lesmis, model, tmp_path / "second", **SMALL, scratch=scratch, resume=True)
        other.kill()
    counting = Stopping(100)
    distributed.reconstruct(lesmis, model, tmp_path / "second", **SMALL, scratch=scratch, resume=True, executor=counting)
    assert contents(tmp_path / "second") == contents(tmp_path / "first") and 100 - counting.tasks == 2 * 3 + 1


def test_workers_that_cannot_are_named(lesmis: str, model: ergodict.NetworkDictionary, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(ergodict._ergodict, "__version__", "9.8.7")
    with pool(1)() as executor, pytest.raises(WorkerError, match="install 9.8.7 on every worker"):
        distributed.reconstruct(lesmis, model, tmp_path / "out", **SMALL, executor=executor)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"samples": 0}, "samples"), ({"partitions": 0}, "partitions"), ({"block": 0}, "block"), ({"format": "csv"}, "parquet or tsv"),
        ({"mode": "fast"}, "mode"), ({"chains": 0}, "chains"), ({"sampler": "best"}, "best"), ({"alpha": -1.0}, "alpha"),
    ],
)
def test_bad_arguments_are_refused(
    lesmis: str, model: ergodict.NetworkDictionary, tmp_path: Path, given: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        distributed.reconstruct(lesmis, model, tmp_path / "out", **{**SMALL, **given})
    assert list(tmp_path.iterdir()) == []


def test_bad_folders_and_models_are_refused(lesmis: str, model: ergodict.NetworkDictionary, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    with pytest.raises(ValueError, match="other files in it"):
        distributed.reconstruct(lesmis, model, tmp_path / "mine", **SMALL)
    with pytest.raises(TypeError, match="NetworkDictionary"):
        distributed.reconstruct(lesmis, 3, tmp_path / "out", **SMALL)
    with pytest.raises(FileNotFoundError):
        distributed.reconstruct(lesmis, tmp_path / "none", tmp_path / "out", **SMALL)


# Denoising.


@pytest.fixture(scope="module")
def karate(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("networks") / "karate.egr"
    ergodict.Network("@karate", weighted=False).write(path)
    return str(path)


def test_scores_are_the_same_on_any_executor(karate: str, client: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(ergodict._ergodict.DENOISING, "block", 700)
    options: dict[str, Any] = {"k": 5, "n_components": 4, "rounds": 4, "chains": 3, "walks": 3000, "visits": 10**6, "random_state": 2}
    here = distributed.denoise(karate, **options)
    with pool(2)() as executor:
        there = distributed.denoise(karate, **options, executor=executor, scratch=tmp_path)
    assert here.scores.tobytes() == there.scores.tobytes() and len(here) == 78
    there = distributed.denoise(karate, **options, executor=client, scratch=tmp_path)
    assert here.scores.tobytes() == there.scores.tobytes()
    assert list(tmp_path.iterdir()) == [] and here.notes_[0].startswith("3000 walks saw")
    with pytest.raises(ValueError, match="scratch"):
        distributed.denoise(karate, **options, executor=client)


@pytest.mark.parametrize("method", ["ndr-off-motif", "ndr-off-chain", "ndr", "co-visits"])
def test_scores_are_those_of_one_process(karate: str, method: str) -> None:
    # What denoising learns from: one chain of a hundred minibatches.
    model = distributed.learn(karate, 25, k=21, chains=1, rounds=100, schedule="balanced", n_examples=0, random_state=3)
    expected = ergodict.denoise(karate, method=method, random_state=3)
    found = distributed.denoise(karate, method=method, model=model, random_state=3)
    assert found.notes_ == expected.notes_ and (found.u == expected.u).all() and found.noise == expected.noise
    assert np.allclose(found.scores, expected.scores, rtol=1e-3, atol=1e-4)


def test_pairs_that_are_asked_for(karate: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"k": 5, "n_components": 4, "rounds": 4, "chains": 3, "walks": 500, "random_state": 2}
    found = distributed.denoise(karate, [(1, 2), (2, 1), (1, 34)], **options)
    assert found.scores[0] == found.scores[1] and found.noise == "both"
    assert len(distributed.denoise(karate, "non-edges", top=5, **options)) == 5
    parts = tmp_path / "parts.egr"
    ergodict.Network([(10, 11), (20, 21), (21, 22), (22, 20), (22, 23), (23, 24), (24, 20)]).write(parts)
    with pytest.warns(UserWarning, match="the largest of 2 components"):
        found = distributed.denoise(parts, **{**options, "k": 3})
    assert found.notes_[1].startswith("1 pairs have a node outside") and found.scores[0] == 0.0
    with pytest.raises(ValueError, match="directions, weights or loops"):
        distributed.denoise("@lesmis", **options)
    with pytest.raises(ValueError, match="ndr"):
        distributed.denoise(karate, method="ensemble", **options)
    with pytest.raises(ValueError, match="coverage"):
        distributed.denoise(karate, coverage=2.0, **options)


def test_the_index_says_how_parts_were_made(lesmis: str, model: ergodict.NetworkDictionary, tmp_path: Path) -> None:
    distributed.reconstruct(lesmis, model, tmp_path / "out", **SMALL)
    made = json.loads((tmp_path / "out" / "_index.json").read_text())["made"]
    assert (made["samples"], made["chains"], made["block"], made["version"]) == (3000, 3, 400, ergodict.__version__)
    assert os.path.abspath(tmp_path) not in json.dumps(made)
