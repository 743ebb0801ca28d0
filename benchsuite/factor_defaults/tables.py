"""The tables of the study."""

from __future__ import annotations

from math import exp, log
from typing import Any

Row = dict[str, Any]
ONLINE = ("MiniBatchNMF", "MiniBatchDictionaryLearning", "SPAMS")


def summary(rows: list[Row]) -> str:
    """All tables."""
    text = ["# The default fit compared with other libraries", ""]
    text += ["Objective of samples held out, as a share of theirs when all codes are zero, by one exact coder; CPU seconds of one thread. Everything at its",
             "library's defaults; α of signed data is given to all. Means over seeds; in brackets the largest ratio of a seed.", "", conditions(rows), ""]  # fmt: skip
    for title, held in (("Data sets that settings were chosen on", False), ("Data sets that settings were not chosen on", True)):
        found = [row for row in rows if row["held_back"] == held]
        if found:
            text += [f"## {title}", "", *table([row for row in found if row["passes"] is None]), ""]
            curves = equal_time(found)
            if curves:
                text += ["At equal CPU time, by the curves of the first seed (interpolated between two points; the last point where a curve ends earlier; –: no fit",
                         "was as short):", "", *curves, ""]  # fmt: skip
    return "\n".join(text)


def conditions(rows: list[Row]) -> str:
    """How busy the machine was."""
    loads = sorted(row["load"] for row in rows if "load" in row)
    early = sum("load" not in row for row in rows)
    text = f"Load of the machine while measuring: {loads[0]} to {loads[-1]}, median {loads[len(loads) // 2]}" if loads else "The load of the machine was not recorded"
    return text + (f" ({early} of {len(rows)} lines without a record of it)." if early and loads else ".") + " Times under load are approximate; objectives do not depend on it."


def table(rows: list[Row]) -> list[str]:
    """A line for each data set."""
    lines = [
        "| data | n × d, atoms | seeds | ours | s | best online peer | s | ours / it | batch NMF | s | ours / it |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for data in dict.fromkeys(row["data"] for row in rows):
        mine = [row for row in rows if row["data"] == data]
        # Seeds that every library has, so that means are of the same data.
        seeds = {library: {row["seed"] for row in mine if row["library"] == library} for library in {row["library"] for row in mine}}
        mine = [row for row in mine if all(row["seed"] in of for of in seeds.values())]
        means = {name: mean([row for row in mine if row["library"] == name]) for name in dict.fromkeys(row["library"] for row in mine)}
        if "ergodict" not in means:
            continue
        ours, first = means["ergodict"], mine[0]
        online = {name: found for name, found in means.items() if name in ONLINE}
        best = min(online, key=lambda name: online[name][0])
        batch = means.get("NMF (batch)")
        shape = f"{first['samples']} × {first['features']}, {first['atoms']}"
        rest = f"{batch[0]:.5f} | {batch[1]:.2f} | {ratio(mine, 'NMF (batch)')}" if batch else "– | – | –"
        lines.append(
            f"| {data} | {shape} | {len({row['seed'] for row in mine})} | {ours[0]:.5f} | {ours[1]:.2f} | {best} {online[best][0]:.5f} | {online[best][1]:.2f} | "
            f"{ratio(mine, best)} | {rest} |"
        )
    return lines


def ratio(rows: list[Row], peer: str) -> str:
    """Our mean objective by a peer's, and the largest ratio of a seed."""
    own, other = ({row["seed"]: row["objective"] for row in rows if row["library"] == library} for library in ("ergodict", peer))
    both = own.keys() & other.keys()
    worst = max(own[seed] / other[seed] for seed in both)
    return f"{sum(own[seed] for seed in both) / sum(other[seed] for seed in both):.3f} ({worst:.3f})"


def equal_time(rows: list[Row]) -> list[str]:
    """Ours at the CPU time of each online peer's default, and each peer at that of ours; a line for each data set that has curves."""
    lines = []
    for data in dict.fromkeys(row["data"] for row in rows if row["passes"] is not None):
        seed = next(row["seed"] for row in rows if row["data"] == data and row["passes"] is not None)
        mine = [row for row in rows if row["data"] == data and row["seed"] == seed]
        default = {row["library"]: row for row in mine if row["passes"] is None}
        if "ergodict" not in default:
            continue
        cells = []
        for peer in (*ONLINE, "NMF (batch)"):
            if peer in default:
                own, other = at(mine, "ergodict", default[peer]["seconds"]), at(mine, peer, default["ergodict"]["seconds"])
                cells.append(
                    f"| {data} | {peer} | {default[peer]['seconds']:.2f} | {divided(own, default[peer]['objective'])} | "
                    f"{default['ergodict']['seconds']:.2f} | {divided(default['ergodict']['objective'], other)} |"
                )
        lines += cells
    head = ["| data | peer | its default, s | ours in that time / its default | our default, s | our default / it in that time |", "|---|---|---|---|---|---|"]
    return head + lines if lines else []


def divided(a: float | None, b: float | None) -> str:
    """A ratio, where both are known."""
    return "–" if a is None or b is None else f"{a / b:.3f}"


def at(rows: list[Row], library: str, seconds: float) -> float | None:
    """The objective of a library after this time: that of its best point so far, or between two."""
    curve = sorted((row["seconds"], row["objective"]) for row in rows if row["library"] == library and row["passes"] is not None)
    before, after = [point for point in curve if point[0] <= seconds], [point for point in curve if point[0] > seconds]
    if not before or not after:
        return None if not before else before[-1][1]
    (t0, f0), (t1, f1) = before[-1], after[0]
    share = log(seconds / t0) / log(t1 / t0)
    return exp((1 - share) * log(f0) + share * log(f1))


def mean(rows: list[Row]) -> tuple[float, float]:
    """Objective and seconds."""
    return sum(row["objective"] for row in rows) / len(rows), sum(row["seconds"] for row in rows) / len(rows)
