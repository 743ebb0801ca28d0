"""A network that changes: a ring of neighbors becomes a chain of cliques, and the change score says when.

    python gallery/network_in_time.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from ergodict import NetworkDictionary, TimedEdges, plot

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
folder.mkdir(parents=True, exist_ok=True)
rng = np.random.default_rng(1)

# Each month shows nine in ten of the edges; in September 2021 the network is another.
ring, cliques = nx.watts_strogatz_graph(120, 4, 0), nx.connected_caveman_graph(12, 10)
months = np.arange("2020-01", "2023-01", dtype="datetime64[M]")
rows = []
for month in months:
    graph = ring if month < np.datetime64("2021-09") else cliques
    days = month.astype("datetime64[D]") + rng.integers(0, 28, graph.number_of_edges())
    seen = rng.random(graph.number_of_edges()) < 0.9
    rows += [(u, v, day) for (u, v), day, there in zip(graph.edges, days, seen) if there]

edges = TimedEdges(rows)
model = NetworkDictionary(9, k=8, steps=30, sampler="pivot", injective=True, schedule="constant:0.05", random_state=1)
model.fit(edges.windows("61d"))
for window in model.windows_[model.windows_["changed"]]:
    print(f"{window['name']}: change score {window['change']:.2f}, at most {window['null_high']:.2f} at permuted times")

figure = plt.figure(figsize=(10, 5), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1.35, 1])
above, below = left.subplots(2, 1, sharex=True)
plot.change(model, ax=above)
plot.dominance_over_time(model, atoms=6, ax=below)
left.suptitle(f"{len(edges)} rows in {len(model.windows_)} windows")
cells = right.subplots(5, 4)
plot.dictionary_over_time(model, atoms=4, windows=5, ax=cells)
right.suptitle("Four atoms, as they were")
figure.savefig(folder / "network_in_time.png", dpi=80)
