"""Runs the command line, and tells what it said and how long it worked."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from pathlib import Path
from typing import Any

#: Flags of a command: `{"sampler": "pivot", "every": 100, "injective": True}`.
Flags = dict[str, Any]


def words(flags: Flags) -> list[str]:
    """Flags as the command line has them; what is `False` or `None` is left out."""
    said: list[str] = []
    for name, value in flags.items():
        if value is None or value is False:
            continue
        said.append(f"-{name}" if len(name) == 1 else f"--{name}")
        if value is not True:
            said.append(str(value))
    return said


class Tool:
    """The program `ergodict`, with one thread, so that CPU time is the time of the work and of nothing else."""

    def __init__(self, program: str) -> None:
        self.program = program
        #: CPU seconds of all runs.
        self.spent = 0.0

    def run(self, *arguments: object, seed: int = 0, **flags: Any) -> dict[str, Any]:
        """The JSON summary of a command, with its CPU seconds as `cpu`. An underscore in a flag's name is a hyphen."""
        said = words({name.replace("_", "-"): value for name, value in flags.items()})
        command = [self.program, "--quiet", "--json", "-j", "1", "--seed", str(seed), *map(str, arguments), *said]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr.strip()}")
        found: dict[str, Any] = json.loads(done.stdout) if done.stdout.strip() else {}
        found["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.spent += found["cpu"]
        return found

    def version(self) -> str:
        """What the program calls itself."""
        return subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def find(named: str | None, root: Path) -> str:
    """The program: the one named, `$ERGODICT_CLI`, or the release build of this repository."""
    program = named or os.environ.get("ERGODICT_CLI") or str(root / "target/release/ergodict")
    if not Path(program).is_file():
        raise SystemExit(f"{program} is no file: build it by `cargo build --release -p ergodict-cli`, or name it by --ergodict")
    return program
