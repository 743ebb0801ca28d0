"""What several tests share."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest


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
