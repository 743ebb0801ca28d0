"""Measures which sampler, k, r, λ and how many samples to take, for docs/parameter-study.md.

    python benchsuite/choosing --data DIR [-o benchsuite/runs/DATE] [--questions k,r] [--ergodict PROGRAM] [--figures DIR]

DIR holds the networks, edge lists by the names below; those that are not there are left out. Every measurement is a line
of `choosing.jsonl`, and what is there already is not measured again; `choosing.md` has the tables. `--quick` asks a little
of every question of a small random network, to see that all of it runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

# One thread for numpy: products here are small, and the machine may be shared.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from questions import QUESTIONS
from study import FULL, QUICK, Study
from tables import summary
from tool import Tool, find

ROOT = Path(__file__).parents[2]
#: Short names of the networks, and the files they are.
FILES = {
    "caltech": "fb100_Caltech36.txt.gz", "facebook": "facebook.txt.gz", "arxiv": "arxiv.txt.gz", "ppi": "ppi_pathways.txt.gz",
    "mit": "fb100_MIT8.txt.gz", "enron": "snap_email-enron-cc1.txt.gz",
}  # fmt: skip


def main() -> None:
    """Measures what is missing, then writes the tables."""
    parser = argparse.ArgumentParser(prog="choosing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of the networks")
    parser.add_argument("-o", "--out", type=Path, help="the folder to write to [default: benchsuite/runs/ and the date]")
    parser.add_argument("--questions", default=",".join(QUESTIONS), help="which, with commas between them [default: all]")
    parser.add_argument("--ergodict", help="the program [default: $ERGODICT_CLI, or target/release/ergodict]")
    parser.add_argument("--figures", type=Path, help="also draw the figures of docs/parameter-study.md into this folder")
    parser.add_argument("--quick", action="store_true", help="try it on a small random network")
    given = parser.parse_args()
    asked = given.questions.split(",")
    if unknown := sorted(set(asked) - set(QUESTIONS)):
        parser.error(f"{', '.join(unknown)}: the questions are {', '.join(QUESTIONS)}")
    networks = {} if given.quick else found(parser, given.data)
    out = given.out or ROOT / "benchsuite/runs" / time.strftime("%Y-%m-%d")
    out.mkdir(parents=True, exist_ok=True)
    tool = Tool(find(given.ergodict, ROOT))
    with tempfile.TemporaryDirectory() as folder:
        if given.quick:
            networks["small"] = Path(folder) / "small.txt"
            # Dense enough that walks of 21 nodes may well be injective.
            tool.run("network", "generate", "ws", nodes=120, neighbors=20, rewired=0.3, o=networks["small"])
        study = Study(tool, networks, Path(folder), QUICK if given.quick else FULL)
        rows = measured(study, asked, out / "choosing.jsonl")
        (out / "choosing.md").write_text(summary(rows), encoding="utf-8")
        if given.figures:
            # Only here: everything else does without matplotlib.
            from figures import draw

            draw(study, rows, given.figures)
    print(f"{tool.spent:.0f} s of CPU time in ergodict; wrote {out / 'choosing.md'}", file=sys.stderr)


def found(parser: argparse.ArgumentParser, data: Path | None) -> dict[str, Path]:
    """The networks that there are."""
    if data is None:
        parser.error("--data names the folder of the networks, or --quick does without")
    there = {name: data / file for name, file in FILES.items() if (data / file).is_file()}
    if not there:
        parser.error(f"{data} has none of {', '.join(FILES.values())}")
    return there


def measured(study: Study, asked: list[str], path: Path) -> list[dict[str, Any]]:
    """All rows: those of the file, and those that it does not have yet."""
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    if not rows:
        rows.append({"about": {"date": time.strftime("%Y-%m-%d"), "program": study.tool.version(), "cpu": processor()}})
        path.write_text(json.dumps(rows[0], ensure_ascii=False) + "\n")
    done = {json.dumps([r["question"], r["network"], r["setting"], r["seed"]], sort_keys=True) for r in rows[1:]}
    for question in asked:
        for case in islice(QUESTIONS[question](study), study.size.cases):
            if case.key() in done:
                continue
            row = {"question": case.question, "network": case.network, "setting": case.setting, "seed": case.seed}
            rows.append(rounded(row | case.measure()))
            with path.open("a") as file:
                file.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
            print(case.key(), f"{study.tool.spent:.0f} s", file=sys.stderr)
    return rows


def rounded(value: Any) -> Any:
    """Numbers to six digits, which is more than any of them means."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    return value


def processor() -> str:
    """The processor's name and the number of cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


if __name__ == "__main__":
    main()
