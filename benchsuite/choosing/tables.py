"""The measurements as tables: a row for each network and setting, the mean over seeds with half of its range."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

LEARNED = {
    "error": "error", "error_off": "error off chain", "error_own": "error, λ of learning", "active": "active atoms",
    "effective_atoms": "effective atoms", "unused": "unused", "alike": "alike across seeds", "learning_cpu": "learning CPU s",
}  # fmt: skip
REBUILT = {
    "jaccard": "Jaccard", "weighted_jaccard": "weighted Jaccard", "auc": "AUC", "auc_off": "AUC off chain",
    "edge_coverage": "edges seen", "edge_coverage_off": "seen off chain", "rebuilding_cpu": "rebuilding CPU s",
}  # fmt: skip
#: Columns of each question, by the names that rows have.
COLUMNS: dict[str, dict[str, str]] = {
    "sampling": {
        "set_up": "reading and set-up CPU s", "a_second": "a second", "acceptance": "accepted", "time patch-density": "τ patch density",
        "time first-degree": "τ first degree", "time distinct-nodes": "τ different nodes", "r_hat": "R̂",
        "effective_a_second": "effective a second",
    },
    "places": {
        "nodes": "nodes seen", "nodes_90": "nodes of 90 % of places", "different": "different nodes", "injective": "injective",
        "patch-density": "patch density", "density": "accepted by rejection",
    },
    "sampler": {
        "error": "error, uniform pivot", "error (exact)": "error, uniform homomorphisms", "error_off": "off chain, uniform pivot",
        "error_off (exact)": "off chain, uniform homomorphisms", "effective_atoms": "effective atoms", "alike": "alike across seeds",
        "learning_cpu": "learning CPU s", "jaccard": "Jaccard", "weighted_jaccard": "weighted Jaccard", "auc_off": "AUC off chain",
    },
    "k": LEARNED | REBUILT, "r": LEARNED | REBUILT, "lambda": LEARNED | REBUILT, "patches": LEARNED, "schedule": LEARNED,
    "samples": REBUILT | {"pair_coverage": "pairs seen"}, "rebuilding lambda": REBUILT,
    "denoising": {
        "auc": "AUC", "auc_degree": "degree-matched", "seen": "pairs seen", "seen_20": "seen 20 times", "cpu": "CPU s",
    },
}  # fmt: skip
TITLES = {
    "sampling": "What a homomorphism costs and is worth, k = 21",
    "places": "Where homomorphisms are",
    "sampler": "Dictionaries by sampler",
    "k": "Nodes of the motif",
    "r": "Atoms",
    "lambda": "λ of learning",
    "patches": "Minibatches × patches",
    "schedule": "Schedules",
    "samples": "Homomorphisms of a reconstruction",
    "rebuilding lambda": "λ of a reconstruction",
    "denoising": "Walks of denoising by reconstruction, off the chain, S/(C + α)",
}
ABOUT = """Written by `python benchsuite/choosing`; docs/parameter-study.md explains it. Every cell is the mean over the seeds, ± half of their range.
One thread; seconds are CPU time. Unless a table says otherwise: k = 21, r = 25, λ = 1, 100 minibatches of 100 patches
of the approximate pivot, 4 chains, every 100th state; 2000 patches held out; 200 000 homomorphisms to rebuild from.

- *error*: ‖X − WH‖²/‖X‖² of held-out patches with λ = 0; *off chain*: of entries with |a − b| > 1 only.
- *active atoms*: atoms with a code above 0 in a patch, at the λ of learning; *effective atoms*: 1/Σp² of the dominances p.
- *alike*: mean cosine, off the chain, of atoms matched with those of seed 0, end to end if that is better.
- *a second*: homomorphisms with their diagnostics, by `network sample`, of CPU time; *τ*: integrated autocorrelation time, in steps of the sampler; *effective*: divided by the largest τ.
- Three seeds of learning, two of them rebuilt from (one on arxiv and ppi). A row or a cell that is not there was not measured.
- *Jaccard*: of edges and pairs with a rebuilt weight above 0.5; *AUC*: of edges against all other pairs; *off chain*: `--mode off-chain`.
"""


def summary(rows: list[Row]) -> str:
    """All tables that there are rows for."""
    about = next(row["about"] for row in rows if "about" in row)
    parts = [f"# Choosing settings, {about['date']}\n\n- {about['cpu']}, shared with other work\n- {about['program']}\n\n{ABOUT}"]
    for question in COLUMNS:
        mine = [row for row in rows if row.get("question") == question]
        if mine:
            parts.append(f"## {TITLES[question]}\n\n{table(mine, COLUMNS[question])}")
    return "\n".join(parts)


def grouped(rows: list[Row]) -> dict[tuple[str, ...], list[Row]]:
    """Rows of the same network and setting together, in the order in which they were first met."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["network"], *map(str, row["setting"].values())), []).append(row)
    return groups


def table(rows: list[Row], columns: dict[str, str]) -> str:
    """One table in Markdown."""
    there = {name: title for name, title in columns.items() if any(row.get(name) is not None for row in rows)}
    head = ["network", *rows[0]["setting"], *there.values()]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for key, group in grouped(rows).items():
        cells = [cell([row[name] for row in group if row.get(name) is not None]) for name in there]
        lines.append("| " + " | ".join([*key, *cells]) + " |")
    return "\n".join(lines) + "\n"


def cell(values: list[float]) -> str:
    """The mean and half of the range, to digits that the range leaves."""
    if not values:
        return ""
    mean, half = sum(values) / len(values), (max(values) - min(values)) / 2
    if half == 0:
        return number(mean)
    return f"{number(mean)} ± {half:.1g}" if half < 1000 else f"{number(mean)} ± {number(half)}"


def number(x: float) -> str:
    """Four digits; thousands in words that a reader takes in."""
    if x == int(x) and abs(x) < 1e5:
        return str(int(x))
    if abs(x) >= 1e6:
        return f"{x / 1e6:.3g} M"
    if abs(x) >= 1e4:
        return f"{x / 1e3:.3g} k"
    return f"{x:.4g}"
