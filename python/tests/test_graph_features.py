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


def collection(n: int = 20, nodes: int = 200, degree: int = 4) -> tuple[list[Network], list[int]]:
    """Graphs of three kinds, with about as many nodes and edges."""
    graphs = [nx.watts_strogatz_graph(nodes, degree, 0.1, seed=seed) for seed in range(n)]
    graphs += [nx.gnm_random_graph(nodes, nodes * degree // 2, seed=seed) for seed in range(n)]
    graphs += [nx.barabasi_albert_graph(nodes, degree // 2, seed=seed) for seed in range(n)]
    return [Network(graph) for graph in graphs], [0] * n + [1] * n + [2] * n


@pytest.mark.filterwarnings("ignore:.*the largest of")
def test_a_graph_has_a_row_of_named_numbers() -> None:
    graphs, _ = collection(2)
    model = NetworkDictionary(rewired_copies=0, random_state=0)
    features = model.fit(graphs).transform(graphs, n=200)
    names = model.get_feature_names_out().tolist()
    assert features.shape == (6, 9 + 9 + 36 + 4) and len(names) == features.shape[1]
    alone = model.transform(graphs[0], n=200)
    row = dict(zip(names, features[0]))
    assert np.allclose(features[0][:18], np.concatenate([alone.mean(axis=0), alone.std(axis=0)]))
    assert row["covariance2_7"] == pytest.approx(np.cov(alone[:, 2], alone[:, 7], bias=True)[0, 1])
    patches = np.asarray(model._patches([graphs[0]], 200, None)[0], dtype=float).reshape(200, -1)
    errors = ((patches - alone @ model.components_) ** 2).sum(axis=1)
    figures = errors.mean(), errors.std(), patches.mean(), patches.mean(axis=1).std()
    assert np.allclose([row["error_mean"], row["error_std"], row["density_mean"], row["density_std"]], figures)


@pytest.mark.filterwarnings("ignore:.*the largest of")
def test_graphs_of_three_kinds_are_classified() -> None:
    graphs, kinds = collection(20, 60, 6)
    pipeline = make_pipeline(NetworkDictionary(rewired_copies=0, random_state=0), StandardScaler(), LogisticRegression(max_iter=1000))
    assert pipeline.fit(graphs[::2], kinds[::2]).score(graphs[1::2], kinds[1::2]) >= 0.95
    rows = pipeline[0].transform(graphs)
    assert cross_val_score(pipeline[1:], rows, kinds, cv=10).mean() >= 0.99


@pytest.mark.filterwarnings("ignore:.*the largest of")
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
