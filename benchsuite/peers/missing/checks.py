"""Features against networkx, measures against scikit-learn, block model against graph-tool, on small networks."""

from __future__ import annotations

import subprocess
import warnings
from pathlib import Path

import measures
import networkx as nx
import numpy as np
import stacking
from features import DAMPING, KATZ, NAMES, NETWORK, NODE, Features
from sklearn.metrics import average_precision_score, roc_auc_score


def graphs() -> dict[str, nx.Graph]:
    """Connected and not, with leaves and isolated nodes, regular and not."""
    apart = nx.disjoint_union(nx.gnm_random_graph(25, 50, seed=3), nx.path_graph(5))
    apart.add_node(len(apart))
    return {"karate": nx.karate_club_graph(), "random": nx.gnm_random_graph(40, 90, seed=1), "apart": apart, "ring": nx.cycle_graph(9), "tree": nx.balanced_tree(2, 3)}


def node_values(graph: nx.Graph) -> dict[str, dict[int, float]]:
    found = {
        "clustering": nx.clustering(graph),
        "neighbor degree": nx.average_neighbor_degree(graph),
        "betweenness": nx.betweenness_centrality(graph),
        "closeness": nx.closeness_centrality(graph),
        "degree": nx.degree_centrality(graph),
        "Katz": nx.katz_centrality_numpy(graph, alpha=KATZ),
        "triangles": nx.triangles(graph),
        "PageRank": nx.pagerank(graph, alpha=DAMPING, tol=1e-12, max_iter=1000),
        "load": nx.load_centrality(graph),
    }
    # Elsewhere the vector is not unique, or the power method does not converge.
    if nx.is_connected(graph) and not nx.is_bipartite(graph):
        found["eigenvector"] = nx.eigenvector_centrality(graph, max_iter=10_000, tol=1e-10)
    return found


def pair_values(graph: nx.Graph, pairs: list[tuple[int, int]]) -> dict[str, list[float]]:
    index = lambda function: [value for _, _, value in function(graph, pairs)]
    personal = {node: nx.pagerank(graph, personalization={node: 1}, alpha=DAMPING, tol=1e-12, max_iter=1000) for node in graph}
    common = [len(list(nx.common_neighbors(graph, u, v))) for u, v in pairs]
    a = nx.to_numpy_array(graph, nodelist=range(len(graph)), weight=None)
    u_, s, v_ = np.linalg.svd(a)
    rank = int(np.ceil(np.sqrt(len(graph)))) + 1
    low = (u_[:, :rank] * s[:rank]) @ v_[:rank]
    over = lambda matrix, u, v: np.mean([matrix[u, w] for w in graph[v]]) if graph.degree[v] else 0.0
    values = {
        "common neighbors": common,
        "LHN": [c / (graph.degree[u] * graph.degree[v]) if c else 0.0 for c, (u, v) in zip(common, pairs)],
        "personalized PageRank": [(personal[u][v] + personal[v][u]) / 2 for u, v in pairs],
        "preferential attachment": index(nx.preferential_attachment),
        "Jaccard": index(nx.jaccard_coefficient),
        "Adamic-Adar": index(nx.adamic_adar_index),
        "resource allocation": index(nx.resource_allocation_index),
        "LRA": [a[u, v] for u, v in pairs],
        "dLRA": [a[u] @ a[:, v] for u, v in pairs],
        "mLRA": [(over(a, u, v) + over(a, v, u)) / 2 for u, v in pairs],
    }
    # Where two singular values at the cut are the same, the approximation is not unique.
    if rank >= len(s) or s[rank - 1] - s[rank] > 1e-9:
        values["LRA approx"] = [low[u, v] for u, v in pairs]
        values["dLRA approx"] = [low[u] @ low[:, v] for u, v in pairs]
        values["mLRA approx"] = [(over(low, u, v) + over(low, v, u)) / 2 for u, v in pairs]
    if nx.is_connected(graph):
        values["shortest path"] = [nx.shortest_path_length(graph, u, v) for u, v in pairs]
    return values


def network_values(graph: nx.Graph) -> dict[str, float]:
    degrees = [degree for _, degree in graph.degree]
    values = {
        "nodes": len(graph),
        "edges": graph.size(),
        "mean degree": np.mean(degrees),
        "deviation of degrees": np.std(degrees, ddof=1),
        "diameter": max(nx.diameter(graph.subgraph(part)) for part in nx.connected_components(graph)),
        "transitivity": nx.transitivity(graph),
        "mean clustering": nx.average_clustering(graph),
    }
    if len(set(degrees)) > 1:
        values["assortativity"] = nx.degree_assortativity_coefficient(graph)
    return values


def check_features() -> int:
    compared: set[str] = set()
    for name, graph in graphs().items():
        graph = nx.Graph(graph.edges) if name == "karate" else graph
        n = len(graph)
        features = Features(n, np.array(graph.edges))
        pairs = [(u, v) for u in range(n) for v in range(u) if not graph.has_edge(u, v)]
        u, v = np.array(pairs).T
        columns = dict(zip(NAMES, features.columns(u, v).T))
        wanted: dict[str, np.ndarray | float] = dict(network_values(graph))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for feature, values in node_values(graph).items():
                at = np.array([values[node] for node in range(n)])
                wanted[f"smaller {feature}"], wanted[f"larger {feature}"] = np.minimum(at[u], at[v]), np.maximum(at[u], at[v])
        wanted |= {feature: np.array(values) for feature, values in pair_values(graph, pairs).items()}
        for feature, values in wanted.items():
            difference = np.abs(columns[feature] - values).max()
            assert difference < 1e-4 * max(1.0, np.abs(values).max()), f"{feature} on {name}: off by {difference}"
        compared |= set(wanted)
    assert compared == set(NAMES), f"never compared: {sorted(set(NAMES) - compared)}"
    assert len(NAMES) == len(NETWORK) + 2 * len(NODE) + 14 == 42
    return len(compared)


def check_measures() -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.integers(0, 30, 500).astype(float), rng.random(500) < 0.2
    assert abs(measures.auc(scores[labels], scores[~labels]) - roc_auc_score(labels, scores)) < 1e-12
    assert abs(measures.average_precision(scores, labels) - average_precision_score(labels, scores)) < 1e-12
    orders = [labels[np.lexsort((rng.random(500), -scores))][:20].mean() for _ in range(4000)]
    assert abs(measures.precision(scores, labels, 20) - np.mean(orders)) < 4 * np.std(orders) / np.sqrt(4000) + 1e-12
    probabilities = rng.random(200_000)
    labels = rng.random(200_000) < probabilities
    # A bin of 100 has a mean deviation of √(2/π)·√(p(1−p)/100) when the probabilities are right: nearly none at the top.
    assert measures.calibration(probabilities, probabilities, labels)[0] < 0.02
    assert measures.calibration(probabilities, probabilities / 2, labels)[0] > 0.4


def check_learning() -> None:
    """A forest finds the hidden edges of two cliques, and its training pairs are no edges."""
    graph = nx.disjoint_union(nx.complete_graph(12), nx.complete_graph(12))
    edges = np.array(graph.edges)
    rng = np.random.default_rng(1)
    hidden = rng.random(len(edges)) < 0.1
    pairs = np.array(list(nx.non_edges(graph)) + edges[hidden].tolist())
    scores, probabilities = stacking.score(24, edges[~hidden], pairs, hidden.sum(), 0)
    true = np.r_[np.zeros(len(pairs) - hidden.sum()), np.ones(hidden.sum())] > 0
    assert measures.auc(scores[true], scores[~true]) > 0.99
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    drawn = stacking.non_edges(24, edges, 1000, rng)
    assert len(drawn) == 144 and not any(graph.has_edge(u, v) for u, v in drawn.tolist())


def run(graph_tool: str) -> int:
    print(f"{check_features()} features agree with networkx on {len(graphs())} networks")
    check_measures()
    print("measures agree with scikit-learn")
    check_learning()
    print("the forest learns")
    there = graph_tool != "none" and subprocess.run([graph_tool, "-W", "ignore", "-c", "import graph_tool"], capture_output=True, check=False).returncode == 0
    if there:
        return subprocess.run([graph_tool, "-W", "ignore", str(Path(__file__).with_name("blocks.py")), "check"], check=False).returncode
    print("graph-tool is not there: the block model is not checked")
    return 0
