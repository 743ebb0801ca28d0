"""Latent motifs of a networkx graph: what ten people along a path through Les Misérables know of each other.

    python gallery/network_motifs.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx

from ergodict import Network, NetworkDictionary, plot

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
folder.mkdir(parents=True, exist_ok=True)
graph = nx.les_miserables_graph()
people = Network(graph, weighted=False)

motifs = NetworkDictionary(n_components=9, k=10, steps=100, batch_size=100, random_state=1).fit(people)
rebuilt = motifs.reconstruct(people, samples=20_000, random_state=1)

figure = plt.figure(figsize=(10, 4.6), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1, 1.15])
axes = left.subplots()
places = nx.spring_layout(graph, k=0.35, weight=None, seed=3)
nx.draw_networkx_edges(graph, places, ax=axes, alpha=0.25)
sizes = [12 * degree for _, degree in graph.degree()]
nx.draw_networkx_nodes(graph, places, ax=axes, node_size=sizes, node_color="#35618f")
best = sorted(graph, key=graph.degree, reverse=True)[:4]
nx.draw_networkx_labels(graph, places, {name: name for name in best}, ax=axes, font_size=9)
axes.set_title(f"{len(graph)} people, {graph.number_of_edges()} acquaintances")
axes.axis("off")
grid = right.subplots(3, 3)
plot.atoms(motifs, ax=grid, kind="graph")
right.suptitle("Nine motifs of ten people in a row")
figure.savefig(folder / "network_motifs.png", dpi=80)

print(f"rebuilt from nine motifs: area under the ROC curve {rebuilt.auc:.3f}")
