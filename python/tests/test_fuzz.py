"""No crash of the interpreter, whatever is passed: see fuzz_bindings.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of memory are those of Unix")

#: Seconds for each seed; more of them look longer: `ERGODICT_FUZZ_SECONDS=600 pytest python/tests/test_fuzz.py`.
SECONDS = float(os.environ.get("ERGODICT_FUZZ_SECONDS", "5"))
SEED = int(os.environ.get("ERGODICT_FUZZ_SEED", "0"))


@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_whatever_is_passed(seed: int) -> None:
    command = [sys.executable, str(Path(__file__).with_name("fuzz_bindings.py")), str(seed), str(SECONDS)]
    # Its time, the minute it grants a deaf call, and a slow start.
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS + 150, check=False)
    last = "\n".join(done.stderr.splitlines()[-40:])
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\nthe last calls:\n{last}"
    assert " 0 found" in done.stdout, done.stdout
    # It must have called something for its verdict to mean anything.
    assert int(done.stdout.split()[0]) > 100 * min(SECONDS, 1), done.stdout
