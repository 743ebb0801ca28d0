"""Graphs told apart by a row of numbers each: `NetworkDictionary.transform` beside the embeddings of whole graphs in karateclub.

    python benchsuite/peers/graphs.py [--package FOLDER] [--data DIR] [--seeds 11,12] [--graphs N] [--only WORD]

Graphs of a collection have 60 nodes, less what is not in the largest component, and about as many edges in every class, so that size says little. Every method sees all graphs and no class;
a classifier is then cross-validated on the rows: logistic regression on standardized columns, and a random forest. CPU seconds are those of making
the rows, on one thread. Lines of JSON go to stdout, the last of them with the page. `cargo xtask peers graphs` makes the environment.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import gzip
import importlib.metadata
import json
import pathlib
import sys
import time
import warnings

import networkx as nx
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

NODES = 60
#: Files of the collection `four networks`.
FILES = {"facebook": "facebook.txt.gz", "arxiv": "arxiv.txt.gz", "ppi": "ppi_pathways.txt.gz", "enron": "snap_email-enron-cc1.txt.gz"}
PEERS = ["Graph2Vec", "GL2Vec", "NetLSD", "FeatherGraph", "SF", "LDP", "GeoScattering", "FGSD"]
OURS, PLAIN = "latent motifs", "degrees and triangles"


def connected(graph):
    """The largest component, with nodes from 0 on."""
    part = graph.subgraph(max(nx.connected_components(graph), key=len))
    return nx.convert_node_labels_to_integers(part)


def kinds(random, count, degree, rewiring):
    """Random graphs, small worlds and preferential attachment, with as many edges."""
    seed = lambda: int(random.integers(1 << 31))
    edges = NODES * degree // 2
    makers = [
        lambda: nx.gnm_random_graph(NODES, edges, seed=seed()),
        lambda: nx.watts_strogatz_graph(NODES, degree, rewiring, seed=seed()),
        lambda: nx.barabasi_albert_graph(NODES, degree // 2, seed=seed()),
    ]
    return [(make(), kind) for kind, make in enumerate(makers) for _ in range(count)]


def communities(random, count):
    """Two, three or four groups of nodes, six neighbors on average and two thirds of them in the own group."""
    found = []
    for kind, groups in enumerate((2, 3, 4)):
        size = NODES // groups
        inside, outside = 4 / (size - 1), 2 / (NODES - size)
        table = np.full((groups, groups), outside) + (inside - outside) * np.eye(groups)
        found += [(nx.stochastic_block_model([size] * groups, table, seed=int(random.integers(1 << 31))), kind) for _ in range(count)]
    return found


def read(path):
    """The largest component of an edge list."""
    with gzip.open(path, "rt") as file:
        edges = [line.replace(",", " ").split()[:2] for line in file if line.strip() and line[0] not in "#%"]
    graph = nx.Graph(edge for edge in edges if edge[0] != edge[1])
    return connected(graph)


def piece(random, graph):
    """The network among the first nodes that a search in random order finds from a random node."""
    while True:
        start = int(random.integers(len(graph)))
        found, border = {start}, [start]
        while border and len(found) < NODES:
            node = border.pop(int(random.integers(len(border))))
            near = [other for other in graph[node] if other not in found]
            random.shuffle(near)
            near = near[: min(10, NODES - len(found))]
            found.update(near)
            border += near
        if len(found) == NODES:
            return nx.Graph(graph.subgraph(found))


def rewired(random, graph):
    """Another graph with the same degrees, in one part."""
    graph = connected(graph)
    nx.connected_double_edge_swap(graph, 10 * graph.number_of_edges(), seed=int(random.integers(1 << 31)))
    return graph


def collections(seed, count, folder):
    """Names, and functions that make graphs with their classes."""
    random = lambda: np.random.default_rng(seed)
    yield "three kinds, 6 neighbors", lambda: kinds(random(), count, 6, 0.1)
    yield "three kinds, 4 neighbors", lambda: kinds(random(), count, 4, 0.3)
    yield "communities, 2 to 4", lambda: communities(random(), count)
    there = {name: folder / file for name, file in FILES.items() if (folder / file).is_file()}
    if len(there) < len(FILES):
        print(f"no {', '.join(set(FILES) - set(there))} in {folder}", file=sys.stderr)
        return

    def pieces():
        drawn = random()
        return [(piece(drawn, graph), kind) for kind, graph in enumerate(map(read, there.values())) for _ in range(count)]

    def real_or_not():
        drawn, graph = random(), read(there["arxiv"])
        real = [(piece(drawn, graph), 0) for _ in range(count)]
        return real + [(rewired(drawn, piece(drawn, graph)), 1) for _ in range(count)]

    yield "pieces of four networks", pieces
    yield "arxiv, real or rewired", real_or_not


def plain(graphs, seed):
    """What a few figures say: edges, quantiles of degrees, clustering, triangles."""
    rows = []
    for graph in graphs:
        degrees = np.array([degree for _, degree in graph.degree()])
        rows.append([graph.number_of_edges(), *np.quantile(degrees, [0, 0.25, 0.5, 0.75, 1]), degrees.std(), nx.average_clustering(graph), nx.transitivity(graph)])
    return np.array(rows)


def ours(graphs, seed):
    from ergodict import Network, NetworkDictionary

    networks = [Network(graph) for graph in graphs]
    model = NetworkDictionary(rewired_copies=0, batch_size=max(100, len(graphs)), random_state=seed)
    return model.fit_transform(networks)


def peer(name):
    def rows(graphs, seed):
        import karateclub

        maker = getattr(karateclub, name)
        try:
            model = maker(seed=seed)
        except TypeError:
            model = maker()
        model.fit([graph.copy() for graph in graphs])
        return np.nan_to_num(np.asarray(model.get_embedding(), dtype=float))

    return rows


def classifiers(seed):
    return {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "forest": RandomForestClassifier(100, random_state=seed),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", help="folder that ergodict is imported from")
    parser.add_argument("--data", default=os.environ.get("ERGODICT_DATA", pathlib.Path(__file__).parents[2] / "../shared/data"), type=pathlib.Path)
    parser.add_argument("--seeds", default="11,12", help="a collection is made anew for each")
    parser.add_argument("--graphs", type=int, default=50, help="of each class")
    parser.add_argument("--only", default="", help="collections with this in their names")
    parser.add_argument("--quick", action="store_true", help="one seed, ten graphs")
    options = parser.parse_args()
    if options.package:
        sys.path.insert(0, options.package)
    if options.quick:
        options.seeds, options.graphs = options.seeds.split(",")[0], 10
    warnings.simplefilter("ignore")
    methods = {OURS: ours} | {name: peer(name) for name in PEERS} | {PLAIN: plain}
    scores, failed = {}, {}
    for seed in map(int, options.seeds.split(",")):
        for name, make in collections(seed, options.graphs, options.data):
            if options.only not in name:
                continue
            graphs, labels = zip(*[(connected(graph), kind) for graph, kind in make()])
            folds = StratifiedKFold(10, shuffle=True, random_state=seed)
            for method, rows in methods.items():
                begun = time.process_time()
                try:
                    features = rows(list(graphs), seed)
                except Exception as error:
                    failed[method] = repr(error)
                    continue
                cpu = time.process_time() - begun
                line = {"collection": name, "seed": seed, "graphs": len(graphs), "method": method, "columns": features.shape[1], "cpu_s": cpu}
                for kind, model in classifiers(seed).items():
                    line[kind] = float(cross_val_score(model, features, labels, cv=folds).mean())
                print(json.dumps(line), flush=True)
                print(f"{name}, seed {seed}: {method} {line['linear']:.3f} {line['forest']:.3f}, {cpu:.1f} s", file=sys.stderr)
                scores.setdefault((name, method), []).append(line)
    packages = {name: importlib.metadata.version(name) for name in ("karateclub", "networkx", "numpy", "scikit-learn", "gensim")}
    print(json.dumps({"about": {"packages": packages, "failed": failed, "graphs": options.graphs, "seeds": options.seeds}, "page": page(scores)}))


def page(scores):
    """A table: methods down, collections across, accuracy of the linear classifier and of the forest."""
    names = list(dict.fromkeys(name for name, _ in scores))
    mean = lambda name, method, key: np.mean([line[key] for line in scores[name, method]])
    best = {name: max(mean(name, method, key) for (of, method) in scores if of == name for key in ("linear", "forest")) for name in names}
    text = "| method | columns | " + " | ".join(names) + " | CPU ms a graph |\n|" + "---|" * (len(names) + 3) + "\n"
    for method in dict.fromkeys(method for _, method in scores):
        cells, lines = [], [line for (_, of), some in scores.items() if of == method for line in some]
        for name in names:
            if (name, method) not in scores:
                cells.append("failed")
                continue
            two = [mean(name, method, key) for key in ("linear", "forest")]
            cells.append(" · ".join(f"**{x:.3f}**" if x >= best[name] - 5e-4 else f"{x:.3f}" for x in two))
        cost = 1e3 * sum(line["cpu_s"] for line in lines) / sum(line["graphs"] for line in lines)
        text += f"| {method} | {lines[0]['columns']} | " + " | ".join(cells) + f" | {cost:.0f} |\n"
    return text


if __name__ == "__main__":
    main()
