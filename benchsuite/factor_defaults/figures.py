"""Quality over time, a chart for each data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

COLORS = {"ergodict": "#d1662a", "MiniBatchNMF": "#3b6fb6", "MiniBatchDictionaryLearning": "#3b6fb6", "SPAMS": "#3f8f5b", "NMF (batch)": "#777777"}

#: Multiples of the lowest objective that are written beside the axis.
TICKS = (1.0, 1.1, 1.2, 1.5, 2.0)


def draw(rows: list[dict[str, Any]], folder: Path) -> None:
    """One picture with all charts: a line for 1 to 200 passes, a dot for the defaults, objectives as multiples of the lowest of the chart."""
    folder.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"svg.fonttype": "none", "font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "defaults"})
    names = list(dict.fromkeys(row["data"] for row in rows if row["passes"] is not None))
    figure, axes = plt.subplots(-(-len(names) // 4), 4, figsize=(11, 2.4 * -(-len(names) // 4)), layout="constrained")
    for axis in np.ravel(axes)[len(names) :]:
        axis.axis("off")
    for axis, name in zip(np.ravel(axes), names, strict=False):
        mine = [row for row in rows if row["data"] == name and row["seed"] == 0]
        lowest = min(row["objective"] for row in mine)
        for library, color in COLORS.items():
            points = [row for row in mine if row["library"] == library]
            curve = sorted((row for row in points if row["passes"] is not None), key=lambda row: row["passes"])
            if curve:
                axis.plot([row["seconds"] for row in curve], [row["objective"] / lowest for row in curve], color=color, linewidth=1.2, label=library)
            default = [row for row in points if row["passes"] is None]
            axis.plot([row["seconds"] for row in default], [row["objective"] / lowest for row in default], "o", color=color, markersize=4)
        axis.set_title(name, fontsize=8)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_ylim(0.985, 2.5)
        axis.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
        axis.minorticks_off()
    for axis in np.atleast_2d(axes)[-1]:
        axis.set_xlabel("CPU seconds")
    for axis in np.atleast_2d(axes)[:, 0]:
        axis.set_ylabel("objective / lowest")
    handles = {label: line for axis in np.ravel(axes) for line, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(folder / "factor-defaults.svg", metadata={"Date": None})
    plt.close(figure)
