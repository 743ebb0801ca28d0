"""The program `ergodict`, with one thread, so that CPU time is the time of the work and of nothing else."""

from __future__ import annotations

import hashlib
import resource
import subprocess
from pathlib import Path

import numpy as np


class Program:
    def __init__(self, path: Path) -> None:
        self.path = path
        #: Of the file: what was scored by another build is scored again.
        self.digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]

    def run(self, *words: object) -> float:
        """Runs a command to its end: its CPU seconds."""
        command = [str(self.path), "--quiet", "-j", "1", *map(str, words)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr.strip()}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def version(self) -> str:
        return subprocess.run([self.path, "--version"], capture_output=True, text=True, check=True).stdout.strip()

    def score(self, method: str, observed: Path, nodes: int, pairs: np.ndarray, whole: bool, seed: int) -> tuple[np.ndarray, np.ndarray | None, float]:
        """Scores, probabilities where the method has them, CPU seconds. `whole`: the pairs are all non-edges. Pairs that are not in the table come last."""
        table = observed.with_name("scores.tsv")
        if whole:
            asked: list[object] = ["--pairs", "non-edges", "--top", len(pairs)]
        else:
            file = observed.with_name("pairs.tsv")
            np.savetxt(file, pairs, fmt="%d", delimiter="\t")
            asked = ["--pairs", file]
        cpu = self.run("network", "denoise", observed, *asked, "--noise", "removed", "--method", method, "--seed", seed, "-o", table)
        with table.open() as lines:
            comments = 0
            header = next(lines)
            while header.startswith("#"):
                header, comments = next(lines), comments + 1
        names = header.split()
        wanted = [name for name in ("u", "v", "score", "probability") if name in names]
        found = np.loadtxt(table, skiprows=comments + 1, usecols=[names.index(name) for name in wanted], ndmin=2)
        table.unlink()
        ends = found[:, :2].astype(np.int64)
        place = np.full(len(pairs), -1)
        order = np.argsort(keys(ends, nodes))
        at = np.searchsorted(keys(ends, nodes)[order], keys(pairs, nodes)).clip(0, len(order) - 1)
        place = order[at]
        there = keys(ends, nodes)[place] == keys(pairs, nodes)
        scores = np.where(there, found[place, 2], found[:, 2].min() - 1.0)
        probabilities = np.where(there, found[place, 3], 0.0) if "probability" in wanted else None
        return scores, probabilities, cpu


def keys(pairs: np.ndarray, nodes: int) -> np.ndarray:
    """A number for each unordered pair."""
    return pairs.min(1) * nodes + pairs.max(1)
