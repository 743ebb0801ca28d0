"""DeepWalk (Perozzi, Al-Rfou and Skiena 2014) by gensim: skip-gram on random walks, products of the two nodes' vectors, logistic regression.

The regression is trained on observed edges against as many uniform non-edges, on the same vectors, as the node2vec paper does.
Ten walks of 80 nodes from every node, window 10, 128 dimensions, one pass: the settings of the paper.
"""

from __future__ import annotations

import numpy as np
from features import adjacency
from gensim.models import Word2Vec
from sklearn.linear_model import LogisticRegression
from stacking import non_edges

WALKS = 10
LENGTH = 80
WINDOW = 10
DIMENSIONS = 128
PASSES = 1
CHUNK = 200_000


def score(nodes: int, edges: np.ndarray, pairs: np.ndarray, seed: int) -> np.ndarray:
    """Log odds of pairs."""
    rng = np.random.default_rng(seed)
    model = Word2Vec(
        [[str(node) for node in walk] for walk in walks(nodes, edges, rng)],
        vector_size=DIMENSIONS,
        window=WINDOW,
        min_count=0,
        sg=1,
        workers=1,
        seed=seed,
        epochs=PASSES,
    )
    vectors = np.stack([model.wv[str(node)] for node in range(nodes)])
    negative = non_edges(nodes, edges, len(edges), rng)
    both = np.r_[edges, negative]
    labels = np.r_[np.ones(len(edges)), np.zeros(len(negative))]
    head = LogisticRegression(max_iter=1000).fit(vectors[both[:, 0]] * vectors[both[:, 1]], labels)
    chunks = np.array_split(pairs, max(1, len(pairs) // CHUNK))
    return np.concatenate([head.decision_function(vectors[chunk[:, 0]] * vectors[chunk[:, 1]]) for chunk in chunks])


def walks(nodes: int, edges: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All walks, side by side, a row each."""
    a = adjacency(nodes, edges)
    degree = np.diff(a.indptr)
    at = np.concatenate([rng.permutation(nodes) for _ in range(WALKS)])
    path = [at]
    for _ in range(LENGTH - 1):
        step = (rng.random(len(at)) * degree[at]).astype(int)
        # A node without neighbors stays.
        at = np.where(degree[at] > 0, a.indices[np.minimum(a.indptr[at] + step, len(a.indices) - 1)], at)
        path.append(at)
    return np.stack(path, axis=1)
