"""What several tests share."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ergodict


@pytest.fixture
def cli() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command line with these arguments: `cli("factor", "x.npy", "-r", 3, "-o", out)`. An error fails the test."""
    program = os.environ.get("ERGODICT_CLI")
    if not program:
        if os.environ.get("CI") == "true":
            pytest.fail("ERGODICT_CLI does not name the command line: expected the path of the program `ergodict`")
        pytest.skip("ERGODICT_CLI is not set: comparisons with the command line are SKIPPED")

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT interrupts this process and its children, also where the tests run as a background job of a script, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def lesmis(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network with weights, as a file that can be mapped."""
    path = tmp_path_factory.mktemp("networks") / "lesmis.egr"
    ergodict.Network("@lesmis").write(path)
    return str(path)


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A Dask cluster of three processes, started once."""
    distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed: tests with Dask are SKIPPED")
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0", scheduler_port=0, silence_logs=50, memory_limit=0
    ) as cluster:
        with cluster.get_client() as client:
            yield client
