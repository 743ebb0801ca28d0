"""Measures the default fit beside other libraries, for docs/performance.md.

    python benchsuite/factor_defaults [-o benchsuite/runs/DATE] [--held-back] [--seeds 0,1,2] [--curves] [--figures DIR] [--only NAME,NAME]

Needs the package itself, scikit-learn, scikit-image, matplotlib and spams-bin. Every library learns with its own defaults (SPAMS runs for a
second); the objective is that of samples held out, by one exact coder. Every measurement is a line of `factor-defaults.jsonl`, and what is there
already is not measured again (`--again` begins with an empty file); `factor-defaults.md` has the tables. `--curves` also measures the first seed with
1 to 200 passes, for the charts and for the table at equal CPU time. Objectives do not depend on the load of the machine, times do: each line has it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

# One thread: ratios of CPU times.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import methods
from data import CHOSEN_ON, HELD_BACK, Problem
from judge import objective
from tables import summary

ROOT = Path(__file__).parents[2]
#: Curves end once they took this long.
ENOUGH = 2.0


def main() -> None:
    """Measures what is missing, then writes the tables."""
    parser = argparse.ArgumentParser(prog="factor_defaults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "benchsuite/runs" / time.strftime("%Y-%m-%d"))
    parser.add_argument("--held-back", action="store_true", help="also the data sets that settings were not chosen on")
    parser.add_argument("--seeds", default="0,1,2", help="with commas between them [default: 0,1,2]")
    parser.add_argument("--again", action="store_true", help="measure what is there already, too")
    parser.add_argument("--only", help="data sets, with commas between them")
    parser.add_argument("--libraries", help="libraries, with commas between them")
    parser.add_argument("--curves", action="store_true", help="also quality over time")
    parser.add_argument("--figures", type=Path, help="draw the charts into this folder")
    given = parser.parse_args()
    path = given.out / "factor-defaults.jsonl"
    given.out.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() and not given.again else []
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sets = CHOSEN_ON | (HELD_BACK if given.held_back else {})
    for name, make in sets.items():
        if given.only and name not in given.only.split(","):
            continue
        for seed in map(int, given.seeds.split(",")):
            measure(name, make, seed, given.curves and seed == 0, rows, path, given.libraries)
    (given.out / "factor-defaults.md").write_text(summary(rows), encoding="utf-8")
    if given.figures:
        from figures import draw

        draw(rows, given.figures)


def measure(name: str, make: Any, seed: int, curves: bool, rows: list[dict[str, Any]], path: Path, only: str | None = None) -> None:
    """All libraries, or only these, on one data set."""
    done = {(r["data"], r["seed"], r["library"], r["passes"]) for r in rows}
    problem: Problem | None = None
    peers = {"ergodict": methods.ours, **methods.NONNEGATIVE, **methods.SIGNED}
    for library, learn in peers.items():
        if only and library not in only.split(","):
            continue
        spent = 0.0
        for passes in (None, *(methods.PASSES if curves else ())):
            if (name, seed, library, passes) in done or spent > ENOUGH:
                continue
            problem = problem or make(seed)
            if library not in ("ergodict", *(methods.SIGNED if problem.alpha else methods.NONNEGATIVE)):
                break
            if library == "SPAMS":
                learn = methods.spams_dictionary if problem.alpha else methods.spams_nmf
            W, seconds = learn(problem, seed, passes)
            spent = seconds if passes is not None else 0.0
            loss = objective(W, problem.test, problem.alpha, problem.alpha > 0)
            row = {
                "data": name, "held_back": name in HELD_BACK, "seed": seed, "library": library, "passes": passes, "samples": problem.train.shape[0],
                "features": problem.train.shape[1], "atoms": problem.atoms, "alpha": problem.alpha, "seconds": float(f"{seconds:.4g}"),
                "objective": float(f"{loss:.6g}"), "load": round(os.getloadavg()[0], 1),
            }  # fmt: skip
            rows.append(row)
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(name, seed, library, passes, row["seconds"], row["objective"], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
