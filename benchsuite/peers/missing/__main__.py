"""Missing edges found by `ergodict` and by others, on the same pairs: what `cargo xtask peers missing` runs.

    python benchsuite/peers/missing --binary PROGRAM --work FOLDER [--data DIR] [--networks a,b] [--methods a,b] [--remove 0.1,0.5] [--seeds 0,1,2] [--quick]
    python benchsuite/peers/missing --self-check

Prints a line of JSON for each network, share, seed and method, and a last one with the tables. Scores are kept in FOLDER: what was scored before, by the same
program on the same network, is measured again without being scored again, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before numpy is imported

import cases
import networkx as nx
import numpy as np
import tables
from measures import measure
from program import Program

#: Methods of the program.
OURS = ("ensemble", "resource-allocation", "adamic-adar", "common-neighbors", "l3", "ra-l3", "preferential-attachment")
PEERS = ("stacking", "block-model", "uncertain-edges", "deepwalk")
SHARES = "0.1,0.5"
SEEDS = "0,1,2"

#: Most nodes of networks for methods that take n×n matrices, or seconds for each million pairs.
MOST_NODES = {"stacking": 5000, "block-model": 2000, "uncertain-edges": 800}
#: CPU seconds of sampling, at most; fewer on networks of fewer than `SMALL` nodes, and with --quick.
SECONDS = {"block-model": 60.0, "uncertain-edges": 20.0}
FEWER = 5.0
SMALL = 500
#: What a peer's scores depend on: scores of other versions of these files are not taken.
SOURCES = {"stacking": ("features", "stacking"), "deepwalk": ("deepwalk", "stacking"), "block-model": ("blocks",), "uncertain-edges": ("blocks",)}
#: Pairs on which networkx is asked for the same number.
CHECKED = 300


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, help="the program `ergodict`")
    parser.add_argument("--work", type=Path, help="where scores are kept")
    parser.add_argument("--data", type=Path, default=os.environ.get("ERGODICT_DATA"), help="folder of networks")
    parser.add_argument("--networks", help=f"of {', '.join(cases.NETWORKS)}; or a file of the folder, FILE:N for N of its nodes")
    parser.add_argument("--methods", default=",".join((*OURS, *PEERS)))
    parser.add_argument("--remove", default=SHARES, help="shares of edges to hide")
    parser.add_argument("--seeds", default=SEEDS)
    parser.add_argument("--graph-tool", default="python3", help="the Python that has graph-tool; `none` leaves it out")
    parser.add_argument("--quick", action="store_true", help="three small networks, one seed, a tenth hidden")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="after so long, only take what was scored before")
    parser.add_argument("--self-check", action="store_true", help="compare the features with networkx on small networks, and stop")
    options = parser.parse_args()
    if options.self_check:
        import checks

        return checks.run(options.graph_tool)
    if options.binary is None or options.work is None:
        parser.error("--binary and --work are needed")
    listed = options.networks or ",".join(cases.QUICK if options.quick else cases.NETWORKS)
    shares, seeds = ("0.1", "0") if options.quick else (options.remove, options.seeds)
    methods = options.methods.split(",")
    if unknown := [method for method in methods if method not in (*OURS, *PEERS)]:
        parser.error(f"no method `{unknown[0]}`: the methods are {', '.join((*OURS, *PEERS))}")
    run = Run(options)
    records = run.records(listed.split(","), methods, [float(share) for share in shares.split(",")], [int(seed) for seed in seeds.split(",")])
    records.sort(key=lambda record: (record["share"], listed.split(",").index(record["network"]), (*OURS, *PEERS).index(record["method"]), record["seed"]))
    for record in records:
        print(json.dumps(record))
    print(json.dumps({"about": run.about(), "page": tables.page(records)}))
    return 0


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self.program = Program(options.binary.resolve())
        self.work: Path = options.work.resolve()
        self.data: Path | None = options.data and Path(options.data)
        self.quick: bool = options.quick
        self.until = time.monotonic() + 60 * options.minutes
        self.python: str | None = None if options.graph_tool == "none" else options.graph_tool
        self.graph_tool = ""
        if self.python is not None:
            ask = [self.python, "-W", "ignore", "-c", "import graph_tool; print(graph_tool.__version__.split()[0])"]
            asked = subprocess.run(ask, capture_output=True, text=True, check=False)
            self.graph_tool = asked.stdout.strip()
        if not self.graph_tool:
            say("!!! graph-tool is not there: block-model and uncertain-edges are LEFT OUT (Debian: apt-get install python3-graph-tool)")
            self.python = None
        self.left_out: dict[str, str] = {}
        self.skipped = 0
        self.deviation = 0.0
        (self.work / "scores").mkdir(parents=True, exist_ok=True)

    def records(self, networks: list[str], methods: list[str], shares: list[float], seeds: list[int]) -> list[tables.Record]:
        """Seeds outermost, so that a run that is stopped has all networks."""
        found = []
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            files = {name: cases.prepare(name, self.program, self.data, folder) for name in networks}
            for name in [name for name, file in files.items() if file is None]:
                say(f"!!! {name} is left out: its file is not in the folder of networks")
                self.left_out[name] = "its file is not there"
            for share in shares:
                for seed in seeds:
                    for name, file in files.items():
                        if file is not None:
                            try:
                                case = cases.hide(name, file, self.program, share, seed, folder)
                            except RuntimeError as error:
                                say(f"!!! {name} −{share:.0%} is left out: {error}")
                                self.left_out[f"{name} −{share:.0%}"] = str(error).splitlines()[-1].removeprefix("ergodict: error: ")
                                continue
                            if time.monotonic() > self.until and not self.is_known(case, methods):
                                self.skipped += 1
                            else:
                                found += self.one(case, methods)
        return found

    def takes(self, case: cases.Case, method: str) -> bool:
        """Whether a method is for networks of this size, and can be had."""
        return case.nodes <= MOST_NODES.get(method, case.nodes) and (self.python is not None or method not in SECONDS)

    def is_known(self, case: cases.Case, methods: list[str]) -> bool:
        return all(self.file(case, method).exists() for method in methods if self.takes(case, method))

    def one(self, case: cases.Case, methods: list[str]) -> list[tables.Record]:
        found = []
        for method in methods:
            if not self.takes(case, method):
                continue
            scores, probabilities, cpu, notes = self.kept(case, method)
            if method in ("resource-allocation", "adamic-adar"):
                self.compare(case, method, scores)
            record = {"network": case.network, "share": case.share, "seed": case.seed, "method": method, "nodes": case.nodes}
            record |= {"edges": len(case.edges) + len(case.hidden), "hidden": len(case.hidden), "pairs": len(case.pairs)}
            record |= measure(case, scores, probabilities) | {"cpu": round(cpu, 3)}
            if notes:
                record["notes"] = notes
            found.append(record)
        ours = ", ".join(f"{record['method']} {record.get('ap', record['uniform']):.3f}" for record in found)
        say(f"{time.strftime('%H:%M:%S')} {case.network} −{case.share:.0%} seed {case.seed}: {ours}")
        return found

    def file(self, case: cases.Case, method: str) -> Path:
        """Where the scores of this method are kept."""
        by = self.program.digest
        if method in SOURCES:
            source = b"".join(Path(__file__).with_name(f"{name}.py").read_bytes() for name in SOURCES[method])
            by = hashlib.sha256(source).hexdigest()[:12]
        if method in SECONDS:
            by += f"-{self.graph_tool}-{self.seconds(case, method):g}"
        return self.work / "scores" / f"{method}-{by}-{case.digest}-{case.seed}.npz"

    def kept(self, case: cases.Case, method: str) -> tuple[np.ndarray, np.ndarray | None, float, str]:
        """Scores of an earlier run, else of this one."""
        file = self.file(case, method)
        if file.exists():
            with np.load(file) as known:
                return known["scores"], known["probabilities"] if "probabilities" in known else None, float(known["cpu"]), str(known["notes"])
        scores, probabilities, cpu, notes = self.score(case, method)
        arrays = {"scores": scores, "cpu": cpu, "notes": notes} | ({} if probabilities is None else {"probabilities": probabilities})
        part = file.with_suffix(".part.npz")
        np.savez(part, **arrays)
        part.rename(file)
        return scores, probabilities, cpu, notes

    def seconds(self, case: cases.Case, method: str) -> float:
        return FEWER if self.quick or case.nodes < SMALL else SECONDS[method]

    def score(self, case: cases.Case, method: str) -> tuple[np.ndarray, np.ndarray | None, float, str]:
        if method in OURS:
            return (*self.program.score(method, case.observed, case.nodes, case.pairs, case.whole, case.seed), "")
        if method in SECONDS:
            return self.blocks(case, method)
        import deepwalk
        import stacking

        before = time.process_time()
        if method == "stacking":
            scores, probabilities = stacking.score(case.nodes, case.edges, case.pairs, case.missing, case.seed)
        else:
            scores, probabilities = deepwalk.score(case.nodes, case.edges, case.pairs, case.seed), None
        return scores, probabilities, time.process_time() - before, ""

    def blocks(self, case: cases.Case, method: str) -> tuple[np.ndarray, np.ndarray | None, float, str]:
        given, answer = case.observed.with_name("given.npz"), case.observed.with_name("answer.npz")
        np.savez(given, edges=case.edges, pairs=case.pairs, nodes=case.nodes, share=case.share)
        words = ["marginal" if method == "block-model" else "measured", given, answer, "--seconds", self.seconds(case, method), "--seed", case.seed]
        script = Path(__file__).with_name("blocks.py")
        subprocess.run([str(self.python), "-W", "ignore", str(script), *map(str, words)], check=True)
        with np.load(answer) as found:
            return found["scores"], found["probabilities"], float(found["cpu"]), str(found["notes"])

    def compare(self, case: cases.Case, method: str, scores: np.ndarray) -> None:
        """Our index beside that of networkx, on some of the pairs."""
        graph = nx.Graph(case.edges.tolist())
        some = np.r_[case.hidden, case.uniform][:CHECKED]
        index = nx.resource_allocation_index if method == "resource-allocation" else nx.adamic_adar_index
        theirs = np.array([value for _, _, value in index(graph, case.pairs[some].tolist())])
        difference = float(np.abs(theirs - scores[some]).max())
        self.deviation = max(self.deviation, difference)
        assert difference < 1e-4, f"{method} of {case.network} is not that of networkx, by {difference}"

    def about(self) -> dict[str, object]:
        packages = {name: importlib.metadata.version(name) for name in ("scikit-learn", "networkx", "gensim", "numpy", "scipy")}
        if self.graph_tool:
            packages["graph-tool"] = self.graph_tool
        return {"program": f"{self.program.version()} ({self.program.digest})", "packages": packages, "left_out": self.left_out, "skipped": self.skipped, "deviation": self.deviation}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, subprocess.CalledProcessError, OSError) as error:
        if os.environ.get("ERGODICT_TRACEBACK"):
            traceback.print_exc()
        sys.exit(f"error: {error}")
