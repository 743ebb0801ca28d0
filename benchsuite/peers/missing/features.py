"""Topological predictors of a pair: the 42 features of Ghasemian, Hosseinmardi, Galstyan, Airoldi and Clauset, PNAS 117 (2020), Table S1.

| group | features |
|---|---|
| network (8) | nodes, edges, mean and standard deviation of degrees, diameter, assortativity, transitivity, mean clustering |
| nodes (2 × 10) | clustering, mean degree of neighbors, betweenness, closeness, degree, eigenvector and Katz centrality, triangles, PageRank, load |
| pair (14) | common neighbors, shortest path, Leicht–Holme–Newman, personalized PageRank, preferential attachment, Jaccard, Adamic–Adar, \
resource allocation, and entry, product of columns and mean over neighbors of A and of its approximation of rank √n |

Where the authors' definitions depend on the order of u and v, ours do not: of the two values of a node feature the smaller comes first, and personalized
PageRank and the means over neighbors are averages of both directions. As in their program, the first three low-rank columns have full rank. All of it is
computed here from dense n×n matrices, in the time of a few products: networkx takes minutes for a thousand nodes. `checks.py` compares them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

NETWORK = ("nodes", "edges", "mean degree", "deviation of degrees", "diameter", "assortativity", "transitivity", "mean clustering")
NODE = ("clustering", "neighbor degree", "betweenness", "closeness", "degree", "eigenvector", "Katz", "triangles", "PageRank", "load")
PAIR = (
    *("common neighbors", "shortest path", "LHN", "personalized PageRank", "preferential attachment", "Jaccard", "Adamic-Adar"),
    *("resource allocation", "LRA", "dLRA", "mLRA", "LRA approx", "dLRA approx", "mLRA approx"),
)
NAMES = (*NETWORK, *(f"{which} {name}" for name in NODE for which in ("smaller", "larger")), *PAIR)

DAMPING = 0.85
KATZ = 0.1


@dataclass
class Paths:
    """What a breadth-first search from every node finds."""

    #: Distances, with infinity between components.
    distance: np.ndarray
    betweenness: np.ndarray
    load: np.ndarray


def adjacency(nodes: int, edges: np.ndarray) -> sp.csr_array:
    """The symmetric matrix of a simple network."""
    u, v = edges[:, 0], edges[:, 1]
    return sp.csr_array((np.ones(2 * len(edges)), (np.r_[u, v], np.r_[v, u])), shape=(nodes, nodes))


def shortest_paths(a: sp.csr_array) -> Paths:
    """Brandes' algorithm on all sources together: column s of a matrix belongs to the search from s, a level is a sparse product."""
    n = a.shape[0]
    distance = np.full((n, n), np.inf)
    np.fill_diagonal(distance, 0.0)
    number = np.eye(n)  # of shortest paths from s
    ahead = np.zeros((n, n))  # of neighbors one step nearer to s
    level = 0
    frontier = np.eye(n)
    while True:
        paths = a @ frontier
        new = (paths > 0) & np.isinf(distance)
        if not new.any():
            break
        nearer = a @ (distance == level).astype(float)
        level += 1
        distance[new] = level
        number[new] = paths[new]
        ahead[new] = nearer[new]
        frontier = np.where(new, paths, 0.0)
    dependency, carried = np.zeros((n, n)), np.ones((n, n))
    for depth in range(level, 1, -1):
        here, above = distance == depth, distance == depth - 1
        share = np.divide(1.0 + dependency, number, out=np.zeros((n, n)), where=here)
        dependency += np.where(above, number * (a @ share), 0.0)
        share = np.divide(carried, ahead, out=np.zeros((n, n)), where=here)
        carried += np.where(above, a @ share, 0.0)
    np.fill_diagonal(dependency, 0.0)
    np.fill_diagonal(carried, 1.0)
    scale = 1.0 / max((n - 1) * (n - 2), 1)
    # A node that a search does not reach carries its own unit and nothing else.
    return Paths(distance, dependency.sum(1) * scale, (carried - 1.0).sum(1) * scale)


def closeness(distance: np.ndarray) -> np.ndarray:
    """Of the component of a node, times the share of nodes in it (Wasserman and Faust)."""
    reached = np.isfinite(distance)
    others, total = reached.sum(1) - 1.0, np.where(reached, distance, 0.0).sum(1)
    return np.divide(others, total, out=np.zeros_like(total), where=total > 0) * others / max(len(distance) - 1, 1)


def page_rank(a: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """PageRank of the nodes, and the matrix of personalized PageRanks, row by row."""
    n = a.shape[0]
    degree = a.sum(1)
    walk = a.toarray() / np.maximum(degree, 1.0)[:, None]
    # Without neighbors a walk goes back to where it started, as in networkx.
    alone = np.flatnonzero(degree == 0)
    walk[alone, alone] = 1.0
    personal = (1.0 - DAMPING) * np.linalg.inv(np.eye(n) - DAMPING * walk)
    dangling = walk.copy()
    dangling[alone] = 1.0 / n
    rank = np.linalg.solve(np.eye(n) - DAMPING * dangling.T, np.full(n, (1.0 - DAMPING) / n))
    return rank, personal


class Features:
    """Features of pairs on one network."""

    def __init__(self, nodes: int, edges: np.ndarray) -> None:
        self.a = a = adjacency(nodes, edges)
        self.degree = degree = a.sum(1)
        dense = a.toarray()
        self.common = common = (a @ a).toarray()
        triangles = (common * dense).sum(1) / 2.0
        wedges = degree * (degree - 1.0) / 2.0
        clustering = np.divide(triangles, wedges, out=np.zeros(nodes), where=wedges > 0)
        neighbor_degree = np.divide(a @ degree, degree, out=np.zeros(nodes), where=degree > 0)
        paths = shortest_paths(a)
        self.distance = paths.distance
        values, vectors = np.linalg.eigh(dense)
        rank, self.personal = page_rank(a)
        katz = np.linalg.solve(np.eye(nodes) - KATZ * dense, np.ones(nodes))
        self.node = {
            "clustering": clustering,
            "neighbor degree": neighbor_degree,
            "betweenness": paths.betweenness,
            "closeness": closeness(paths.distance),
            "degree": degree / max(nodes - 1, 1),
            "eigenvector": np.abs(vectors[:, -1]),
            "Katz": katz / np.linalg.norm(katz),
            "triangles": triangles,
            "PageRank": rank,
            "load": paths.load,
        }
        finite = paths.distance[np.isfinite(paths.distance)]
        ends = np.r_[degree[edges[:, 0]], degree[edges[:, 1]]], np.r_[degree[edges[:, 1]], degree[edges[:, 0]]]
        regular = degree[edges].std() == 0
        self.network = {
            "nodes": nodes,
            "edges": len(edges),
            "mean degree": degree.mean(),
            "deviation of degrees": degree.std(ddof=1),
            "diameter": finite.max(),
            "assortativity": 0.0 if regular else np.corrcoef(*ends)[0, 1],
            "transitivity": triangles.sum() / max(wedges.sum(), 1.0),
            "mean clustering": clustering.mean(),
        }
        inverse = np.divide(1.0, degree, out=np.zeros(nodes), where=degree > 0)
        log = np.divide(1.0, np.log(np.maximum(degree, 1.0)), out=np.zeros(nodes), where=degree > 1)
        self.allocation = (a @ sp.diags_array(inverse) @ a).toarray()
        self.adamic = (a @ sp.diags_array(log) @ a).toarray()
        keep = np.argsort(-np.abs(values))[: int(np.ceil(np.sqrt(nodes))) + 1]
        low = (vectors[:, keep] * values[keep]) @ vectors[:, keep].T
        mean = lambda matrix: matrix * inverse[:, None]  # over the neighbors of the row's node
        self.entry = dense
        self.mean = mean(common) + mean(common).T
        self.low = low
        self.low_dot = low @ low
        self.low_mean = mean(a @ low) + mean(a @ low).T

    def columns(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """One row a pair, one column for each of `NAMES`."""
        out = np.empty((len(u), len(NAMES)), dtype=np.float32)
        column = 0
        for name in NETWORK:
            out[:, column] = self.network[name]
            column += 1
        for name in NODE:
            at_u, at_v = self.node[name][u], self.node[name][v]
            out[:, column], out[:, column + 1] = np.minimum(at_u, at_v), np.maximum(at_u, at_v)
            column += 2
        common, product = self.common[u, v], self.degree[u] * self.degree[v]
        union = self.degree[u] + self.degree[v] - common
        quotient = lambda x, y: np.divide(x, y, out=np.zeros(len(x)), where=y > 0)
        distance = self.distance[u, v]
        # As the authors: far beyond any distance within a component.
        distance = np.where(np.isinf(distance), 1000.0 * self.network["diameter"], distance)
        personal = (self.personal[u, v] + self.personal[v, u]) / 2.0
        pair = (
            *(common, distance, quotient(common, product), personal, product, quotient(common, union)),
            *(self.adamic[u, v], self.allocation[u, v]),
            *(self.entry[u, v], common, self.mean[u, v] / 2.0, self.low[u, v], self.low_dot[u, v], self.low_mean[u, v] / 2.0),
        )
        for values in pair:
            out[:, column] = values
            column += 1
        return out
