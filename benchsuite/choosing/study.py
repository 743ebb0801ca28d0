"""What all questions share: networks, models learned once, patches held out, networks rebuilt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from patches import Array, alike, effective, judge
from tool import Flags, Tool

#: The setting that each question changes one thing of: the paper's, but for the sampler (see the first question).
BASE: Flags = {
    "k": 21, "r": 25, "lambda": 1, "steps": 100, "batch": 100, "sampler": "pivot-approx", "every": 100, "chains": 4, "examples": 0,
}
#: Networks whose reconstruction takes seconds.
LARGE = ("arxiv", "ppi")
#: Seed of what is held out: no run learns with it.
HELD_OUT = 10_007
#: Seed of rebuilding, to which that of a run is added where the homomorphisms themselves are what is asked for; else settings are
#: compared on the same ones.
REBUILDING = 20_011


@dataclass(frozen=True)
class Size:
    """How much is done."""

    #: Seeds of learning.
    seeds: int
    #: Seeds that are also rebuilt from, which takes longer.
    rebuilt: int
    #: Patches held out.
    held_out: int
    #: Homomorphisms of a reconstruction.
    samples: int
    #: Homomorphisms that samplers are timed by.
    drawn: int
    #: By how much fewer minibatches there are.
    fewer: int = 1
    #: Cases of a question, of all that it has.
    cases: int | None = None


FULL = Size(seeds=3, rebuilt=2, held_out=2000, samples=200_000, drawn=400_000)
#: For tests: two cases of every question, and no answer means anything.
QUICK = Size(seeds=2, rebuilt=1, held_out=50, samples=500, drawn=500, fewer=20, cases=2)


@dataclass(frozen=True)
class Case:
    """One line of the results: a setting and how to measure it."""

    question: str
    network: str
    setting: dict[str, Any]
    seed: int
    measure: Callable[[], dict[str, Any]]

    def key(self) -> str:
        """What tells cases apart."""
        return json.dumps([self.question, self.network, self.setting, self.seed], sort_keys=True)


class Study:
    """Networks by name, with a folder for what is made on the way."""

    def __init__(self, tool: Tool, networks: dict[str, Path], folder: Path, size: Size) -> None:
        self.tool, self.folder, self.size = tool, folder, size
        self.networks = {name: folder / f"{name}.egr" for name in networks}
        for name, source in networks.items():
            tool.run("network", "convert", source, unweighted=True, o=self.networks[name])

    def over(self, names: tuple[str, ...]) -> Iterator[str]:
        """Those networks that there are, or all if there is none of them."""
        there = [name for name in names if name in self.networks]
        yield from there or self.networks

    def scaled(self, count: int) -> int:
        """So many homomorphisms where all is measured, fewer in the same proportion where it is only tried."""
        return max(count * self.size.samples // FULL.samples, 10)

    def file(self, *key: Any, end: str) -> Path:
        """Where something made from this is kept."""
        return self.folder / (hashlib.sha256(json.dumps(key, sort_keys=True, default=str).encode()).hexdigest()[:20] + end)

    def learn(self, network: str, seed: int, path: Path | None = None, **changed: Any) -> tuple[dict[str, Any], Path]:
        """Learns with the base setting, changed so; what was learned before is not learned again."""
        flags = {**BASE, **{name.replace("_", "-"): value for name, value in changed.items()}}
        flags["steps"] = max(flags["steps"] // self.size.fewer, 2)
        source = path or self.networks[network]
        model = self.file("learn", network, source.name, flags, seed, end=".safetensors")
        told = model.with_suffix(".json")
        if not told.exists():
            told.write_text(json.dumps(self.tool.run("network", "learn", source, seed=seed, o=model, **flags)))
        return json.loads(told.read_text()), model

    def atoms(self, model: Path) -> Array:
        """The dictionary (d, r) of a model."""
        path = model.with_suffix(".npy")
        if not path.exists():
            self.tool.run("model", "export", model, o=path)
        return np.asarray(np.load(path), dtype=np.float64)

    def held_out(self, network: str, k: int, sampler: str) -> Array:
        """Patches (d, n) that are as good as independent, from a stream that nothing is learned from."""
        path = self.file("held out", network, k, sampler, end=".npy")
        if not path.exists():
            apart: Flags = {} if sampler == "exact" else {"chains": 8, "every": 500}
            flags: Flags = {"k": k, "sampler": sampler, "count": self.size.held_out, "patches": path} | apart
            self.tool.run("network", "sample", self.networks[network], seed=HELD_OUT, **flags)
        return np.asarray(np.load(path), dtype=np.float64).T

    def learned(self, network: str, seed: int, laws: tuple[str, ...] = ("pivot-approx",), **changed: Any) -> dict[str, Any]:
        """Learns, and judges what was learned: on patches held out, and beside the atoms of another seed."""
        told, model = self.learn(network, seed, **changed)
        W, config = self.atoms(model), told["config"]
        row = {
            "learning_cpu": told["cpu"],
            "unused": told["unused_atoms"],
            "effective_atoms": effective(told["dominance"]),
            "acceptance": told["acceptance"],
        }
        for law in laws:
            found = judge(W, self.held_out(network, config["k"], law), config["lambda"])
            row |= found if law == laws[0] else {f"{name} ({law})": value for name, value in found.items()}
        if seed > 0:
            row["alike"] = alike(self.atoms(self.learn(network, 0, **changed)[1]), W)
        return row

    def rebuilt(self, network: str, model: Path, seed: int = REBUILDING, **flags: Any) -> dict[str, Any]:
        """Rebuilds the network, in both modes: `jaccard` is of plain weights above 0.5, `auc_off` of those off the chain."""
        row: dict[str, Any] = {}
        out, source = self.folder / "rebuilt.tsv", self.networks[network]
        given: Flags = {"samples": self.size.samples, "threshold": 0.5, "o": out} | flags
        found = self.tool.run("network", "reconstruct", source, seed=seed, model=model, **given)
        names = ("jaccard", "weighted_jaccard", "auc", "edge_coverage", "pair_coverage")
        row |= {name: found[name] for name in names} | {"rebuilding_cpu": found["cpu"]}
        found = self.tool.run("network", "reconstruct", source, seed=seed, model=model, mode="off-chain", **given)
        row |= {"auc_off": found["auc"], "edge_coverage_off": found["edge_coverage"]}
        out.unlink()
        return row

    def both(self, network: str, seed: int, laws: tuple[str, ...] = ("pivot-approx",), **changed: Any) -> dict[str, Any]:
        """Learned, judged, and for the first seeds rebuilt from; only for one where that takes long, as seeds hardly differ in it."""
        row = self.learned(network, seed, laws, **changed)
        if seed < (1 if network in LARGE else self.size.rebuilt):
            row |= self.rebuilt(network, self.learn(network, seed, **changed)[1])
        return row
