"""Link prediction in a scikit-learn pipeline: hidden edges told from pairs that are none, cross-validated.

    python gallery/link_prediction.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ergodict import OnlineNMF, evaluate, plot

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(5)
graph = nx.powerlaw_cluster_graph(300, 4, 0.8, seed=5)

# A quarter of the edges is hidden, and as many pairs that are no edges are drawn: the graph that features are made of has neither.
edges = random.permutation(np.array(graph.edges))
hidden = edges[: len(edges) // 4]
others = random.permutation(np.array(list(nx.non_edges(graph))))[: len(hidden)]
graph.remove_edges_from(hidden.tolist())
pairs, labels = np.concatenate([hidden, others]), np.repeat([1, 0], len(hidden))

# A pair is described by the nodes that both of its ends reach in one or two steps.
adjacency = nx.to_numpy_array(graph)
degrees = np.maximum(adjacency.sum(axis=1), 1)
steps = adjacency / np.sqrt(np.outer(degrees, degrees))
near = steps + steps @ steps
features = 10 * np.sqrt(near[pairs[:, 0]] * near[pairs[:, 1]])

# The dictionary is learned anew in each fold, from the pairs the fold trains on.
pipeline = make_pipeline(
    OnlineNMF(n_components=10, alpha=0.05, batch_size=50, max_iter=5, random_state=5), StandardScaler(), LogisticRegression()
)
folds = StratifiedKFold(5, shuffle=True, random_state=5)
areas = cross_val_score(pipeline, features, labels, cv=folds, scoring="roc_auc")
predicted = cross_val_predict(pipeline, features, labels, cv=folds, method="decision_function")
ours = evaluate(predicted, labels)
common = evaluate((adjacency[pairs[:, 0]] * adjacency[pairs[:, 1]]).sum(axis=1), labels)
print(f"area under the ROC curve in each fold: {areas.round(3)}, of all pairs: {ours}")
print(f"beside the number of common neighbors: {ours.against(common)}")

figure, axes = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
plot.roc({"dictionary, logistic regression": ours, "common neighbors": common}, ax=axes)
axes.set_title(f"{len(pairs)} pairs, five folds")
figure.savefig(folder / "link_prediction.png", dpi=80)
