"""The figures of docs/parameter-study.md, drawn from the measurements and, for atoms, from the models themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from study import Study

Row = dict[str, Any]
#: The question, the column, a title, the label of x, and x of a row.
Panel = tuple[str, str, str, str, Callable[[Row], float]]
COLORS = {"caltech": "#3b6fb6", "facebook": "#d1662a", "arxiv": "#3f8f5b", "ppi": "#8a4fa3", "mit": "#777777", "enron": "#b59a1e"}


def draw(study: Study, rows: list[Row], folder: Path) -> None:
    """All figures."""
    folder.mkdir(parents=True, exist_ok=True)
    # Letters stay letters: a tenth of the size, and they can be searched for.
    plt.rcParams.update({"svg.fonttype": "none", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    plt.rcParams["svg.hashsalt"] = "choosing"

    def lines(name: str, panels: list[Panel], logarithmic: bool = True) -> None:
        """A line for each network, with bars for the range of the seeds."""
        figure, axes = plt.subplots(1, len(panels), figsize=(3.3 * len(panels), 2.6), layout="constrained")
        for axis, (question, column, title, label, place) in zip(np.atleast_1d(axes), panels, strict=True):
            for network, color in COLORS.items():
                found: dict[float, list[float]] = {}
                for row in rows:
                    if row.get("question") == question and row["network"] == network and row.get(column) is not None:
                        if (x := place(row)) == x:
                            found.setdefault(x, []).append(row[column])
                # Two points are no line: the question was hardly asked of this network.
                if len(found) > 2:
                    xs = sorted(found)
                    means = [float(np.mean(found[x])) for x in xs]
                    below = [mean - min(found[x]) for x, mean in zip(xs, means, strict=True)]
                    above = [max(found[x]) - mean for x, mean in zip(xs, means, strict=True)]
                    axis.errorbar(xs, means, [below, above], color=color, marker="o", markersize=3, linewidth=1.2, label=network)
            axis.set_title(title, fontsize=9)
            axis.set_xlabel(label)
            if logarithmic:
                axis.set_xscale("log")
        # The first panel has the most networks.
        if np.atleast_1d(axes)[0].get_legend_handles_labels()[1]:
            np.atleast_1d(axes)[0].legend(frameon=False, fontsize=7)
        save(figure, folder / f"choosing-{name}.svg")

    lines("k", [
        ("k", "error_off", "error off the chain", "k", lambda row: int(row["setting"]["k"])),
        ("k", "jaccard", "Jaccard of the rebuilt network", "k", lambda row: int(row["setting"]["k"])),
        ("k", "auc_off", "AUC off the chain", "k", lambda row: int(row["setting"]["k"])),
    ], logarithmic=False)  # fmt: skip
    lines("r", [
        ("r", "error_off", "error off the chain", "r", lambda row: int(row["setting"]["r"])),
        ("r", "alike", "cosine with another seed's atoms", "r", lambda row: int(row["setting"]["r"])),
        ("r", "jaccard", "Jaccard of the rebuilt network", "r", lambda row: int(row["setting"]["r"])),
    ])  # fmt: skip
    lines("samples", [
        ("samples", "edge_coverage", "edges seen", "homomorphisms", lambda row: row["setting"]["samples"]),
        ("samples", "jaccard", "Jaccard", "homomorphisms", lambda row: row["setting"]["samples"]),
        ("samples", "auc_off", "AUC off the chain", "homomorphisms", lambda row: row["setting"]["samples"]),
    ])  # fmt: skip
    lines("patches", [
        ("patches", "error_off", "error off the chain, balanced", "patches (100 a minibatch)", of_minibatches),
        ("denoising", "auc", "AUC, edges added", "walks", lambda row: walks(row, "add")),
        ("denoising", "auc", "AUC, edges removed", "walks", lambda row: walks(row, "remove")),
    ])  # fmt: skip
    atoms(study, folder / "choosing-atoms.png")


def of_minibatches(row: Row) -> float:
    """Patches in all, of runs with minibatches of a hundred."""
    steps, batch = map(int, row["setting"]["patches"].split(" × "))
    return steps * batch if batch == 100 else float("nan")


def walks(row: Row, noise: str) -> float:
    """Walks, of runs with this noise."""
    return row["setting"]["walks"] if row["setting"]["noise"] == noise else float("nan")


def atoms(study: Study, path: Path) -> None:
    """The eight most dominant atoms of Facebook by law, λ and k."""
    network = next(study.over(("facebook",)))
    kinds: dict[str, dict[str, Any]] = {
        "uniform pivot": {}, "uniform homomorphisms": {"sampler": "exact", "every": 1}, "pivot, injective": {"injective": True},
        "λ = 0": {"lambda": 0}, "λ = 10": {"lambda": 10}, "k = 11": {"k": 11}, "k = 51": {"k": 51},
    }  # fmt: skip
    figure, axes = plt.subplots(len(kinds), 8, figsize=(6.4, 0.86 * len(kinds)), layout="constrained")
    for line, (name, changed) in zip(axes, kinds.items(), strict=True):
        told, model = study.learn(network, 0, **changed)
        W, k = study.atoms(model), told["config"]["k"]
        for axis, j in zip(line, told["order"], strict=False):
            atom = W[:, j].reshape(k, k)
            axis.imshow(1 - atom / max(atom.max(), 1e-12), cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        for axis in line:
            axis.set_xticks([])
            axis.set_yticks([])
        line[0].set_ylabel(name, rotation=0, ha="right", va="center", fontsize=8)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Writes a figure, without the date, so that the same rows give the same bytes."""
    figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
