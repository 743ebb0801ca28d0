"""Lists of graphs in pipelines and searches of scikit-learn."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ergodict import Network, NetworkDictionary


def collection(n: int = 20) -> tuple[list[Network], list[int]]:
    """Graphs of three kinds, with about as many nodes and edges."""
    graphs = [nx.watts_strogatz_graph(200, 4, 0.1, seed=seed) for seed in range(n)]
    graphs += [nx.gnm_random_graph(200, 400, seed=seed) for seed in range(n)]
    graphs += [nx.barabasi_albert_graph(200, 2, seed=seed) for seed in range(n)]
    return [Network(graph) for graph in graphs], [0] * n + [1] * n + [2] * n


@pytest.mark.filterwarnings("ignore:the largest of")
def test_graphs_of_three_kinds_are_told_apart() -> None:
    graphs, kinds = collection()
    model = NetworkDictionary(9, k=10, steps=60, batch_size=120, rewired_copies=0, random_state=0)
    pipeline = make_pipeline(model, StandardScaler(), LogisticRegression(max_iter=1000))
    assert cross_val_score(pipeline, graphs, kinds, cv=3).mean() >= 0.99
    features = model.fit(graphs).transform(graphs, n=200)
    assert features.shape == (60, 18) and len(model.get_feature_names_out()) == 18
    alone = model.transform(graphs[0], n=200)
    assert np.allclose(features[0], np.concatenate([alone.mean(axis=0), alone.std(axis=0)]))


@pytest.mark.filterwarnings("ignore:the largest of")
def test_searches_choose_by_the_share_that_is_explained() -> None:
    graphs, _ = collection(4)
    search = GridSearchCV(NetworkDictionary(k=6, steps=20, rewired_copies=0, random_state=0), {"n_components": [1, 6]}, cv=2)
    search.fit(graphs)
    assert search.best_params_ == {"n_components": 6}
    model = search.best_estimator_
    assert 0 < model.score(graphs[0]) < 1
    assert model.score(graphs[:2]) == pytest.approx((model.score(graphs[0]) + model.score(graphs[1])) / 2)
    with pytest.raises(ValueError, match="no network"):
        model.transform([])
