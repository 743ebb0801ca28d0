"""The tables of the study."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]
ONLINE = ("MiniBatchNMF", "MiniBatchDictionaryLearning", "SPAMS")


def summary(rows: list[Row]) -> str:
    """All tables."""
    text = ["# The default fit beside other libraries", ""]
    text += ["Objective of samples held out, as a share of theirs when all codes are zero, by one exact coder; CPU seconds of one thread. Everything at its",
             "library's defaults; α of signed data is given to all. Means over seeds.", ""]  # fmt: skip
    for title, held in (("Data sets that settings were chosen on", False), ("Data sets that were looked at once, at the end", True)):
        found = [row for row in rows if row["held_back"] == held and row["passes"] is None]
        if found:
            text += [f"## {title}", "", *table(found), ""]
    return "\n".join(text)


def table(rows: list[Row]) -> list[str]:
    """A line for each data set."""
    lines = [
        "| data | n × d, atoms | ours | s | best online peer | s | ours / it | batch NMF | s | ours / it |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for data in dict.fromkeys(row["data"] for row in rows):
        mine = [row for row in rows if row["data"] == data]
        means = {name: mean([row for row in mine if row["library"] == name]) for name in dict.fromkeys(row["library"] for row in mine)}
        if "ergodict" not in means:
            continue
        ours, first = means["ergodict"], mine[0]
        online = {name: found for name, found in means.items() if name in ONLINE}
        best = min(online, key=lambda name: online[name][0])
        batch = means.get("NMF (batch)")
        shape = f"{first['samples']} × {first['features']}, {first['atoms']}"
        rest = f"{batch[0]:.5f} | {batch[1]:.2f} | {ours[0] / batch[0]:.3f}" if batch else "– | – | –"
        lines.append(
            f"| {data} | {shape} | {ours[0]:.5f} | {ours[1]:.2f} | {best} {online[best][0]:.5f} | {online[best][1]:.2f} | "
            f"{ours[0] / online[best][0]:.3f} | {rest} |"
        )
    return lines


def mean(rows: list[Row]) -> tuple[float, float]:
    """Objective and seconds."""
    return sum(row["objective"] for row in rows) / len(rows), sum(row["seconds"] for row in rows) / len(rows)
