"""Stacked topological predictors: a random forest on the 42 features, trained on the network itself as Ghasemian et al. (PNAS 2020) do.

A fifth of the observed edges is hidden uniformly; features on what is left; hidden edges are 1, non-edges of the observed network 0, at most 10,000
of each, balanced. The depth is 3 or 6, whichever has the better F measure in five folds. The forest is then applied to features on the observed network.
Here: balanced by weights instead of copies, 25 trees while the depth is chosen, 100 then. The forest says odds of balanced classes; they become probabilities by the
number of missing edges, which it is given.
"""

from __future__ import annotations

import numpy as np
from features import Features
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold

HIDDEN = 0.2
MOST = 10_000
DEPTHS = (3, 6)
TREES = 100
CHUNK = 200_000


def score(nodes: int, edges: np.ndarray, pairs: np.ndarray, missing: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores and probabilities of pairs; `missing` is how many of all non-edges are believed to be edges."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(len(edges)) < HIDDEN
    hidden[rng.integers(len(edges))] = True
    positive = edges[hidden]
    positive = positive[rng.permutation(len(positive))[:MOST]]
    negative = non_edges(nodes, edges, MOST, rng)
    training = Features(nodes, edges[~hidden])
    both = np.r_[positive, negative]
    x, y = training.columns(both[:, 0], both[:, 1]), np.r_[np.ones(len(positive)), np.zeros(len(negative))]
    forest = RandomForestClassifier(n_estimators=25, class_weight="balanced", random_state=seed)
    depth = DEPTHS[-1]
    if len(positive) >= 10:
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        depth = GridSearchCV(forest, {"max_depth": DEPTHS}, scoring="f1", cv=folds, refit=False).fit(x, y).best_params_["max_depth"]
    forest.set_params(n_estimators=TREES, max_depth=depth).fit(x, y)
    target = Features(nodes, edges)
    chunks = np.array_split(pairs, max(1, len(pairs) // CHUNK))
    scores = np.concatenate([forest.predict_proba(target.columns(chunk[:, 0], chunk[:, 1]))[:, 1] for chunk in chunks])
    among = nodes * (nodes - 1) / 2 - len(edges)
    prior = min(missing / among, 0.5)
    odds = scores / np.maximum(1.0 - scores, 1e-6) * prior / (1.0 - prior)
    return scores, odds / (1.0 + odds)


def non_edges(nodes: int, edges: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Uniform pairs without an edge, each once."""
    key = lambda pairs: pairs.min(1) * nodes + pairs.max(1)
    taken = key(edges)
    free = nodes * (nodes - 1) // 2 - len(edges)
    found = np.empty(0, dtype=np.int64)
    while len(found) < min(most, free):
        drawn = rng.integers(nodes, size=(4 * most, 2))
        drawn = key(drawn[drawn[:, 0] != drawn[:, 1]])
        found = np.unique(np.r_[found, drawn[~np.isin(drawn, taken)]])
    found = rng.permutation(found)[:most]
    return np.c_[found // nodes, found % nodes]
