"""Peers of network sampling and network reading, timed on one machine in one run; also what law ndlearn's pivot chain samples.

    python3 -m venv v && v/bin/pip install -r benchsuite/peers/networks.txt
    v/bin/python benchsuite/peers/networks.py [--data DIR] [--budget SECONDS] [--only WORD] [--json]

Input: SNAP Facebook, `facebook.txt.gz` in --data, `$ERGODICT_DATA` or `../shared/data` beside the repository (4,039 nodes,
88,234 edges), chain motif with k = 21; for the readers a seeded list of five million edges in a temporary folder.
One thread throughout (the variables below are set before anything is imported), CPU time of the process. A rate is
the median of five repeats that share the budget, after a warm-up; a reading is the median of up to three. Missing packages are
skipped with a line on stderr. `--only` picks sections: ndlearn, networkx, pecanpy, read, law.

Two packages need help: pecanpy imports nptyping, which asks numpy for names that numpy 2 removed (we put them back, see
`old_numpy_names`), and it compiles its walk anew in every call of `simulate_walks` (we time the compiled walk on
its second call, and the whole call by a difference). graph-tool has no wheel and is left out.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[variable] = "1"

import argparse
import contextlib
import gc
import gzip
import importlib
import importlib.metadata
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

K = 21
EDGES = 5_000_000
IDS = 1_000_000
EXACT_SHARE = 40  # budgets that the exact pivot of ndlearn gets: a step takes a minute
# Seven nodes, diameter 2 (ndlearn's counts fail where a ball of radius k - 1 is not everything), not bipartite.
SEVEN = [(0, v) for v in range(1, 7)] + [(1, 2), (2, 3)]
HASH_SEEDS = range(3)
LAW_SAMPLES = 10_000
LAW_THIN = {True: 3, False: 20}  # updates between samples, exact and approximate: a leaf's pivot leaves for the hub one time in six


class Table:
    """Collects rows, prints them as they come (JSON lines) or at the end (Markdown)."""

    def __init__(self, as_json):
        self.as_json, self.rows = as_json, []

    def add(self, package, what, unit, count, cpu, wall, note="", **more):
        row = {"library": label(package), "what": what, "unit": unit, "count": count, "cpu_s": cpu, "wall_s": wall}
        row |= {"per_second": count / cpu if count else 0.0, "us_per_unit": cpu / count * 1e6 if count else None, "note": note} | more
        self.rows.append(row)
        if self.as_json:
            print(json.dumps(row), flush=True)
        else:
            talk(f"{row['library']}: {what}: {pretty_rate(row)}")

    def fact(self, **fields):
        """A row that is no timing (the law)."""
        self.rows.append(fields)
        if self.as_json:
            print(json.dumps(fields), flush=True)

    def markdown(self):
        timings = [row for row in self.rows if "what" in row]
        print("| library | what one unit is | rate (per CPU s) | CPU time of a unit | note |\n|---|---|---|---|---|")
        for row in timings:
            print(f"| {row['library']} | {row['what']}: {row['unit']} | {pretty_rate(row)} | {pretty_time(row)} | {row['note']} |")
        laws = [row for row in self.rows if "law" in row]
        if laws:
            print(f"\nTotal variation on the seven-node graph with edges {SEVEN}, {LAW_SAMPLES:,} samples:\n")
            print("| chain | k | against | hash seed | sampled | of its own transition matrix | as many independent draws: mean, 0.999 quantile |")
            print("|---|---|---|---|---|---|---|")
            for row in laws:
                sampled, floor = (f"{row['sampled']:.4f}", f"{row['floor']:.4f}, {row['floor_999']:.4f}") if "sampled" in row else ("–", "–")
                print(f"| {row['law']} | {row['k']} | {row['against']} | {row['hash_seed']} | {sampled} | {row['computed']:.4f} | {floor} |")


def talk(message):
    print(message, file=sys.stderr, flush=True)


def label(package):
    parts = package.split(" + ")
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return " + ".join(f"{part} {importlib.metadata.version(part)}" for part in parts)
    return package


def pretty_rate(row):
    value = row["per_second"]
    if not row["count"]:
        return f"none in {row['wall_s']:.0f} s of wall time"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def pretty_time(row):
    if not row["count"]:
        return "–"
    seconds = row["cpu_s"] / row["count"]
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:.3g} {unit}"


@contextlib.contextmanager
def silence():
    """ndlearn prints inside its loops; to the null device, so that a terminal's speed is not measured."""
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
        yield


def rate(run, budget, repeats=5):
    """Median CPU and wall time of `run(count)` for a count that makes the repeats share the budget."""
    count = 1
    while True:
        start = time.process_time()
        run(count)
        spent = time.process_time() - start
        if spent > 0.05 * budget:
            break
        count *= 2 if spent > 0.005 * budget else 8
    count = max(1, int(count * budget / repeats / spent))
    cpus, walls = [], []
    for _ in range(repeats):
        cpu, wall = time.process_time(), time.perf_counter()
        run(count)
        cpus.append(time.process_time() - cpu)
        walls.append(time.perf_counter() - wall)
    return count, statistics.median(cpus), statistics.median(walls)


def once(run, budget, repeats=3):
    """Median time of a few whole runs, one only if it eats the budget. Returns the last result too."""
    cpus, walls = [], []
    for _ in range(repeats):
        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        result = run()
        cpus.append(time.process_time() - cpu)
        walls.append(time.perf_counter() - wall)
        if sum(cpus) > 3 * budget:
            break
    return result, statistics.median(cpus), statistics.median(walls)


class Facebook:
    """The input, as the peers want it: pairs, a plain file, CSR arrays, a dense 0/1 matrix."""

    def __init__(self, path, folder):
        with gzip.open(path, "rt") as file:
            self.edges = np.loadtxt(file, dtype=np.int64)
        self.n = int(self.edges.max()) + 1
        self.file = folder / "facebook.txt"
        np.savetxt(self.file, self.edges, fmt="%d")
        self.dense = np.zeros((self.n, self.n), dtype=np.uint8)
        self.dense[self.edges[:, 0], self.edges[:, 1]] = 1
        self.dense[self.edges[:, 1], self.edges[:, 0]] = 1
        self.degree = self.dense.sum(axis=1, dtype=np.int64)
        self.start = np.concatenate([[0], np.cumsum(self.degree)])
        self.neighbor = np.nonzero(self.dense)[1].astype(np.int32)


# --- ndlearn and NNetwork ---------------------------------------------------------------------------------------------


def load_ndlearn(file):
    import matplotlib

    matplotlib.use("Agg")
    import ndl

    network = ndl.Wtd_NNetwork()
    network.load_add_wtd_edges(str(file), delimiter=" ", use_genfromtxt=True)
    return network


def learner(network, k, glauber=False, exact=False):
    import ndl

    return ndl.NetDictLearner(
        network, n_components=1, sample_size=1, k=k, is_glauber_dict=glauber, Pivot_exact_MH_rule=exact
    )


class Walker:
    """Carries an embedding of ndlearn from call to call.

    Its `neighbors` searches the list of all nodes, so its speed depends on where the embedding is: timings start afresh at a
    uniform node every `restart` updates (0: never).
    """

    def __init__(self, network, k, restart=0, **options):
        self.learner, self.restart = learner(network, k, **options), restart
        self.motif = self.learner.path_adj(k)
        self.begin()

    def begin(self):
        self.state = self.learner.tree_sample(self.motif, random.choice(self.learner.G.vertices))

    def run(self, update, count):
        for i in range(count):
            if self.restart and i % self.restart == 0:
                self.begin()
            update()

    def patches(self, count):
        self.run(self.patch, count)

    def pivots(self, count):
        self.run(self.pivot, count)

    def glaubers(self, count):
        self.run(self.glauber, count)

    def patch(self):
        _, self.state = self.learner.update_hom_get_meso_patch(self.motif, self.state, is_glauber=self.learner.is_glauber_dict)

    def pivot(self):
        self.state = self.learner.Pivot_update(self.state)

    def glauber(self):
        self.state = self.learner.glauber_gen_update(self.motif, self.state)


def ndlearn(table, facebook, options):
    importlib.import_module("ndl")  # not to be timed
    with silence():
        network, cpu, wall = once(lambda: load_ndlearn(facebook.file), options.budget)
    unit = f"one edge of {len(facebook.edges):,}"
    table.add("ndlearn", "load Facebook", unit, len(facebook.edges), cpu, wall, f"{cpu:.2f} s in all; genfromtxt, then dictionaries of strings")
    rows = [
        ("approximate pivot", "one homomorphism and its 21×21 patch", {}, "patches"),
        ("approximate pivot", "one homomorphism, no patch", {}, "pivots"),
        ("Glauber", "one update of one node, no patch", {"glauber": True}, "glaubers"),
        ("Glauber", "one update of one node and the 21×21 patch", {"glauber": True}, "patches"),
    ]
    for what, unit, how, method in rows:
        with silence():
            walker = Walker(network, K, restart=500, **how)
            measured = rate(getattr(walker, method), options.budget)
        table.add("ndlearn", what, unit, *measured, "a new uniform start every 500 updates: its speed depends on where it is")
    exact_steps(table, facebook, EXACT_SHARE * options.budget)


def exact_steps(table, facebook, limit):
    """Steps of the exact pivot in a child that is ended when its time is up."""
    child = subprocess.Popen([sys.executable, __file__, "--exact-child", str(facebook.file)], stdout=subprocess.PIPE, text=True)
    timer = threading.Timer(limit, child.kill)
    timer.start()
    steps, cpu, wall = 0, None, limit
    for line in child.stdout:
        steps, cpu, wall = json.loads(line)
    timer.cancel()
    child.wait()
    note = f"steps reached in {limit:.0f} s of wall time (loading included): {steps}; moreover not the law it claims, see below"
    table.add("ndlearn", '"exact" pivot', "one homomorphism and its 21×21 patch", steps, cpu, wall, note)


def exact_child(file):
    with silence():
        walker = Walker(load_ndlearn(file), K, exact=True)
        cpu, wall = time.process_time(), time.perf_counter()
        for step in range(1, 1_000_000):
            walker.patches(1)
            print(json.dumps([step, time.process_time() - cpu, time.perf_counter() - wall]), file=sys.__stdout__, flush=True)


def nnetwork(table, facebook, options):
    from NNetwork import NNetwork as module

    def load():
        network = module.NNetwork()
        network.load_add_edges(str(facebook.file), delimiter=" ", use_genfromtxt=True)
        return network

    with silence():
        network, cpu, wall = once(load, options.budget)
    unit = f"one edge of {len(facebook.edges):,}"
    table.add("NNetwork", "load Facebook", unit, len(facebook.edges), cpu, wall, f"{cpu:.2f} s in all")
    for algorithm, unit in (("pivot", "one homomorphism and its 21×21 patch"), ("glauber", "one update of one node and the 21×21 patch")):
        with silence():
            measured = rate(lambda count: network.get_patches(k=K, sample_size=count, sampling_alg=algorithm), options.budget)
        note = "no exact pivot: its rule is called with k = 1 and fails" if algorithm == "pivot" else "each motif edge counted twice (weights squared)"
        table.add("NNetwork", {"pivot": "approximate pivot", "glauber": "Glauber"}[algorithm], unit, *measured, note)


# --- networkx, numpy, numba: the walk one writes oneself ----------------------------------------------------------------


def networkx(table, facebook, options):
    import networkx as nx

    def load():
        return nx.read_edgelist(facebook.file, nodetype=int)

    graph, cpu, wall = once(load, options.budget)
    table.add("networkx", "load Facebook", f"one edge of {len(facebook.edges):,}", len(facebook.edges), cpu, wall, f"read_edgelist, {cpu:.2f} s in all")
    state = [random.randrange(facebook.n)]

    def step():
        """Metropolis pivot towards the uniform law, then a plain walk."""
        x = state[0]
        y = random.choice(list(graph.neighbors(x)))
        if random.random() * graph.degree(y) < graph.degree(x):
            x = y
        walk = [x]
        for _ in range(K - 1):
            walk.append(random.choice(list(graph.neighbors(walk[-1]))))
        state[0] = x
        return walk

    def bare(count):
        for _ in range(count):
            step()

    def to_array(count):
        for _ in range(count):
            walk = step()
            nodes = list(dict.fromkeys(walk))  # to_numpy_array takes no repeated node
            place = {node: i for i, node in enumerate(nodes)}
            index = [place[node] for node in walk]
            nx.to_numpy_array(graph.subgraph(nodes), nodelist=nodes, dtype=np.uint8)[np.ix_(index, index)]

    def has_edge(count):
        for _ in range(count):
            walk = step()
            patch = np.zeros((K, K), dtype=np.uint8)
            for a in range(K):
                for b in range(K):
                    patch[a, b] = graph.has_edge(walk[a], walk[b])

    both = "one homomorphism and its 21×21 patch"
    table.add("networkx", "approximate pivot, naive", "one homomorphism, no patch", *rate(bare, options.budget))
    table.add("networkx", "approximate pivot, naive, has_edge", both, *rate(has_edge, options.budget))
    table.add("networkx", "approximate pivot, naive, to_numpy_array", both, *rate(to_array, options.budget), "of the induced subgraph, then indexed")

    lists = [list(graph.neighbors(node)) for node in range(facebook.n)]
    degree = [len(row) for row in lists]

    def dense(count):
        """Neighbor lists made once, the patch from a dense 0/1 matrix."""
        choice, uniform, x = random.choice, random.random, state[0]
        for _ in range(count):
            y = choice(lists[x])
            if uniform() * degree[y] < degree[x]:
                x = y
            walk = [x]
            v = x
            for _ in range(K - 1):
                v = choice(lists[v])
                walk.append(v)
            index = np.array(walk)
            facebook.dense[index[:, None], index]
        state[0] = x

    table.add("numpy", "approximate pivot, one chain, lists + dense matrix", both, *rate(dense, options.budget), "walk in Python, patch by one fancy index")
    chains = 1000
    table.add("numpy", "approximate pivot, 1000 chains at once", both, *rate_batches(facebook, chains, options.budget), "CSR arrays, dense matrix; all chains step together")


def rate_batches(facebook, chains, budget):
    """The vectorized walk; a unit is one homomorphism of one chain."""
    generator = np.random.default_rng(1)
    start, degree, neighbor = facebook.start[:-1], facebook.degree, facebook.neighbor
    pivots = generator.integers(facebook.n, size=chains)

    def move(nodes):
        return neighbor[start[nodes] + (generator.random(chains) * degree[nodes]).astype(np.int64)]

    def run(count):
        nonlocal pivots
        walks = np.empty((chains, K), dtype=np.int64)
        for _ in range(count):
            proposed = move(pivots)
            accept = generator.random(chains) * degree[proposed] < degree[pivots]
            pivots = np.where(accept, proposed, pivots)
            walks[:, 0] = pivots
            for i in range(1, K):
                walks[:, i] = move(walks[:, i - 1])
            facebook.dense[walks[:, :, None], walks[:, None, :]]

    count, cpu, wall = rate(run, budget)
    return count * chains, cpu, wall


def numba(table, facebook, options):
    from numba import njit

    @njit(boundscheck=False)
    def pivot(count, start, neighbor, dense, x, walk, patch, patches):
        for _ in range(count):
            y = neighbor[np.random.randint(start[x], start[x + 1])]
            if np.random.random() * (start[y + 1] - start[y]) < start[x + 1] - start[x]:
                x = y
            walk[0] = x
            for i in range(1, walk.size):
                v = walk[i - 1]
                walk[i] = neighbor[np.random.randint(start[v], start[v + 1])]
            if patches:
                for a in range(walk.size):
                    for b in range(walk.size):
                        patch[a, b] = dense[walk[a], walk[b]]
        return x

    walk, patch, state = np.zeros(K, dtype=np.int64), np.zeros((K, K), dtype=np.uint8), [0]
    for patches, unit in ((True, "one homomorphism and its 21×21 patch"), (False, "one homomorphism, no patch")):

        def run(count):
            state[0] = pivot(count, facebook.start, facebook.neighbor, facebook.dense, state[0], walk, patch, patches)

        run(1000)
        table.add("numba", "approximate pivot, compiled loop", unit, *rate(run, options.budget), "what a determined user writes; compiling excluded")


# --- PecanPy --------------------------------------------------------------------------------------------------------------


def old_numpy_names():
    """nptyping 2.0 asks for names that numpy 2 no longer has."""
    aliases = {
        "bool8": np.bool_, "object0": np.object_, "int0": np.intp, "uint0": np.uintp, "str0": np.str_, "bytes0": np.bytes_,
        "void0": np.void, "float_": np.float64, "complex_": np.complex128, "unicode_": np.str_, "string_": np.bytes_,
        "singlecomplex": np.complex64, "cfloat": np.complex128, "longfloat": np.longdouble,
        "clongfloat": np.clongdouble, "longcomplex": np.clongdouble,
    }  # fmt: skip
    for alias, kind in aliases.items():
        if alias not in vars(np):
            setattr(np, alias, kind)


def pecanpy(table, facebook, options):
    old_numpy_names()
    from numba_progress import ProgressBar
    from pecanpy import pecanpy as modes

    file = facebook.file.with_suffix(".tsv")
    np.savetxt(file, facebook.edges, fmt="%d", delimiter="\t")
    for name in ("FirstOrderUnweighted", "PreCompFirstOrder", "SparseOTF", "PreComp"):
        graph = getattr(modes, name)(p=1, q=1, workers=1)
        _, cpu, wall = once(lambda: graph.read_edg(str(file), weighted=False, directed=False), options.budget, repeats=1)
        if name == "FirstOrderUnweighted":
            table.add("pecanpy", "load Facebook", f"one edge of {len(facebook.edges):,}", len(facebook.edges), cpu, wall, f"read_edg, {cpu:.2f} s in all")
        graph._preprocess_transition_probs()
        has_neighbors, move = graph.get_has_nbrs(), graph.get_move_forward()
        generator = np.random.default_rng(1)

        def run(count):
            starts = generator.integers(graph.num_nodes, size=count).astype(np.uint32)
            with ProgressBar(total=count, disable=True) as progress:
                graph._random_walks(count, K - 1, None, starts, has_neighbors, move, progress)

        run(10)  # compiles
        measured = rate(run, options.budget)
        table.add("pecanpy", f"{name}, p = q = 1", "one walk of 21 nodes as indices, no pivot chain, no patch", *measured, "compiled walk alone; compiling and preprocessing excluded")
        if name == "FirstOrderUnweighted":
            few, many = 1, max(2, int(measured[0] * 5 / graph.num_nodes))
            (_, short, short_wall), (_, long, long_wall) = (once(lambda rounds=rounds: graph.simulate_walks(rounds, K - 1), options.budget) for rounds in (few, many))
            walks = (many - few) * graph.num_nodes
            table.add("pecanpy", f"{name}.simulate_walks", "one walk of 21 nodes as lists of ids, no patch", walks, long - short, long_wall - short_wall,
                      f"difference of {many} and {few} walks a node; every call compiles anew ({short:.1f} s, excluded)")


# --- readers --------------------------------------------------------------------------------------------------------------


def write_edges(folder):
    """Five million seeded pairs of a million ids, 'u v' a line, and the same as MatrixMarket and tab-separated."""
    generator = np.random.default_rng(20)
    pairs = generator.integers(IDS, size=(EDGES, 2))
    lines = [f"{u} {v}\n" for u, v in pairs.tolist()]
    (folder / "edges.txt").write_text("".join(lines))
    (folder / "tenth.txt").write_text("".join(lines[: EDGES // 10]))
    with open(folder / "edges.mtx", "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate pattern general\n{IDS} {IDS} {EDGES}\n")
        file.write("".join(f"{u + 1} {v + 1}\n" for u, v in pairs.tolist()))


def to_csr(u, v):
    """Symmetric 0/1 CSR without loops and duplicates."""
    from scipy import sparse

    kept = u != v
    u, v = u[kept], v[kept]
    ones = np.ones(2 * len(u), dtype=np.int8)
    n = int(max(u.max(), v.max())) + 1
    matrix = sparse.csr_matrix((ones, (np.concatenate([u, v]), np.concatenate([v, u]))), shape=(n, n))
    matrix.data[:] = 1
    return matrix


def readers(table, folder, options):
    talk("writing five million edges …")
    write_edges(folder)
    file = folder / "edges.txt"
    size = file.stat().st_size / 1e6

    def time_reader(package, what, run, count=EDGES, note=""):
        try:
            for part in package.split(" + "):
                importlib.import_module(part)  # not to be timed
            result, cpu, wall = once(run, options.budget)
        except ImportError as missing:
            return talk(f"skipped {package}: {missing}")
        except Exception as problem:  # a peer that fails is a result too
            return talk(f"{package}, {what}, failed: {problem!r}")
        del result
        whole = f"{cpu:.2f} s CPU, {wall:.2f} s wall for {count / 1e6:g} million edges"
        table.add(package, f"read {size * count / EDGES:.0f} MB, {what}", "one edge", count, cpu, wall, f"{whole}{'; ' if note else ''}{note}")

    def by_networkx():
        import networkx as nx

        return nx.read_edgelist(folder / "tenth.txt", nodetype=int)

    def by_loadtxt():
        pairs = np.loadtxt(file, dtype=np.int32)
        return to_csr(pairs[:, 0], pairs[:, 1])

    def by_fromstring():
        pairs = np.fromstring(file.read_text(), dtype=np.int64, sep=" ").reshape(-1, 2)
        return to_csr(pairs[:, 0], pairs[:, 1])

    def by_pandas(engine):
        import pandas as pd

        frame = pd.read_csv(file, sep=" ", header=None, names=["u", "v"], dtype=np.int32, engine=engine)
        return to_csr(frame["u"].to_numpy(), frame["v"].to_numpy())

    def arrow_columns():
        from pyarrow import csv

        rows = csv.read_csv(
            file,
            read_options=csv.ReadOptions(column_names=["u", "v"], use_threads=False),
            parse_options=csv.ParseOptions(delimiter=" "),
        )
        return rows["u"].to_numpy(), rows["v"].to_numpy()

    def by_polars():
        import polars as pl

        frame = pl.read_csv(file, separator=" ", has_header=False, new_columns=["u", "v"])
        return to_csr(frame["u"].to_numpy(), frame["v"].to_numpy())

    def by_mmread():
        from scipy import io
        import threadpoolctl

        with threadpoolctl.threadpool_limits(1):
            matrix = io.mmread(folder / "edges.mtx", spmatrix=False)
        return to_csr(*matrix.coords)

    def by_igraph():
        import igraph

        return igraph.Graph.Read_Edgelist(str(file), directed=False)

    def by_networkit(continuous):
        import networkit

        networkit.setNumberOfThreads(1)
        reader = networkit.graphio.EdgeListReader(" ", 0, continuous=continuous)
        graph = reader.read(str(file))
        graph.removeSelfLoops()
        graph.removeMultiEdges()
        return graph

    csr = "to symmetric CSR"
    time_reader("networkx", "read_edgelist to Graph", by_networkx, EDGES // 10, "a tenth of the list")
    time_reader("numpy + scipy", f"loadtxt {csr}", by_loadtxt)
    time_reader("numpy + scipy", f"fromstring {csr}", by_fromstring)
    time_reader("pandas + scipy", f'read_csv (engine "c") {csr}', lambda: by_pandas("c"))
    time_reader("pyarrow + scipy", f"csv.read_csv {csr}", lambda: to_csr(*arrow_columns()), note="use_threads=False")
    time_reader("pyarrow", "csv.read_csv, two columns only", arrow_columns, note="no graph yet; use_threads=False")
    time_reader("polars + scipy", f"read_csv {csr}", by_polars, note="one thread")
    time_reader("scipy", f"io.mmread of the MatrixMarket file {csr}", by_mmread, note="another format")
    time_reader("igraph", "Graph.Read_Edgelist", by_igraph, note="ids are indices; loops and duplicates kept")
    time_reader("networkit", "EdgeListReader", lambda: by_networkit(True), note="ids are indices; loops and duplicates removed after")
    time_reader("networkit", "EdgeListReader(continuous=False)", lambda: by_networkit(False), note="with an id table")


# --- the law of ndlearn's pivot ---------------------------------------------------------------------------------------------


def seven():
    dense = np.zeros((7, 7))
    for u, v in SEVEN:
        dense[u, v] = dense[v, u] = 1
    return dense


def laws(k):
    """π, π̂ and the plain walk from a given pivot, for the k-chain, as arrays with k axes."""
    dense = seven()
    step = dense / dense.sum(axis=1, keepdims=True)
    walks, plain = np.ones(7), np.ones(7)
    for _ in range(k - 1):
        walks, plain = walks[..., None] * dense, plain[..., None] * step
    return walks / walks.sum(), plain / 7, plain


def variation(p, q):
    return 0.5 * float(np.abs(p - q).sum())


def stationary(accept):
    """The law of a pivot that proposes a uniform neighbor and takes it with accept[x, y]."""
    dense = seven()
    step = dense / dense.sum(axis=1, keepdims=True) * accept
    step += np.diag(1 - step.sum(axis=1))
    system = np.vstack([step.T - np.eye(7), np.ones(7)])
    return np.linalg.lstsq(system, np.concatenate([np.zeros(7), [1.0]]), rcond=None)[0]


def own_law(network, k, exact, plain):
    """The stationary law of ndlearn's pivot from its own counts and its rule as written, and those counts."""
    degree = seven().sum(axis=1)
    accept, counts = degree[:, None] / degree[None, :], None
    if exact:
        with silence():
            counts = np.array([network.count_k_step_walks(str(x), radius=k - 1) for x in range(7)])
        accept = counts[None, :] * degree[:, None] / counts[:, None] * degree[None, :]  # a · d(x) / b · d(y)
    pivot = stationary(np.minimum(1, accept))
    return pivot.reshape(7, *[1] * (k - 1)) * plain, counts


def law_child(hash_seed):
    """Runs with PYTHONHASHSEED set: which row ndlearn's count reads depends on the order of a set of strings."""
    import ndl

    np.random.seed(1000 + hash_seed)
    random.seed(hash_seed)
    generator = np.random.default_rng(hash_seed)
    network = ndl.Wtd_NNetwork()
    network.add_wtd_edges([[str(u), str(v)] for u, v in SEVEN])
    for k, exact in ((3, True), (5, True), (3, False)):
        target, approximate, plain = laws(k)
        law = target if exact else approximate
        own, counts = own_law(network, k, exact, plain)
        row = {"law": f"ndlearn, {'exact' if exact else 'approximate'} pivot", "k": k, "against": "π" if exact else "π̂", "hash_seed": hash_seed}
        row |= {"computed": variation(own, law), "counts": counts.tolist() if exact else None}
        row |= {"walks": (np.linalg.matrix_power(seven(), k - 1).sum(axis=1)).tolist()}
        if k == 3:
            sampled = sample_law(network, k, exact, law.shape)
            draws = generator.multinomial(LAW_SAMPLES, law.ravel(), size=5000) / LAW_SAMPLES
            floor = 0.5 * np.abs(draws - law.ravel()).sum(axis=1)
            row |= {"samples": LAW_SAMPLES, "thin": LAW_THIN[exact], "sampled": variation(sampled, law), "sampled_against_own": variation(sampled, own)}
            row |= {"floor": float(floor.mean()), "floor_999": float(np.quantile(floor, 0.999))}
        print(json.dumps(row))


def sample_law(network, k, exact, shape):
    with silence():
        walker = Walker(network, k, exact=exact)
        tally = np.zeros(shape)
        walker.pivots(100)
        for _ in range(LAW_SAMPLES):
            walker.pivots(LAW_THIN[exact])
            tally[tuple(int(node) for node in walker.state)] += 1
    return tally / tally.sum()


def law(table):
    for seed in HASH_SEEDS:
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        child = subprocess.run([sys.executable, __file__, "--law-child", str(seed)], env=environment, capture_output=True, text=True, check=False)
        if child.returncode != 0:
            talk(f"law, hash seed {seed}: {child.stderr.strip().splitlines()[-1]}")
        for line in child.stdout.splitlines():
            table.fact(**json.loads(line))


# --- the whole ----------------------------------------------------------------------------------------------------------------


def find_data(given):
    root = pathlib.Path(__file__).resolve().parents[2]
    places = [given, os.environ.get("ERGODICT_DATA"), root.parent / "shared" / "data"]
    for place in places:
        if place and (pathlib.Path(place) / "facebook.txt.gz").exists():
            return pathlib.Path(place) / "facebook.txt.gz"
    sys.exit("facebook.txt.gz is in none of --data, $ERGODICT_DATA, ../shared/data: give its folder with --data")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder with facebook.txt.gz")
    parser.add_argument("--budget", type=float, default=3.0, help="CPU seconds a row (default 3); the exact pivot gets forty times that")
    parser.add_argument("--only", action="append", choices=["ndlearn", "networkx", "pecanpy", "read", "law"], help="this section alone; repeatable")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of Markdown")
    parser.add_argument("--exact-child", help=argparse.SUPPRESS)
    parser.add_argument("--law-child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.exact_child:
        return exact_child(options.exact_child)
    if options.law_child is not None:
        return law_child(options.law_child)
    random.seed(1)
    np.random.seed(1)
    table = Table(options.json)
    wanted = options.only or ["ndlearn", "networkx", "pecanpy", "read", "law"]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        facebook = Facebook(find_data(options.data), folder)
        sections = {
            "ndlearn": [lambda: ndlearn(table, facebook, options), lambda: nnetwork(table, facebook, options)],
            "networkx": [lambda: networkx(table, facebook, options), lambda: numba(table, facebook, options)],
            "pecanpy": [lambda: pecanpy(table, facebook, options)],
            "read": [lambda: readers(table, folder, options)],
            "law": [lambda: law(table)],
        }
        for section in wanted:
            for run in sections[section]:
                try:
                    run()
                except ImportError as missing:
                    talk(f"skipped: {missing}")
    if not options.json:
        table.markdown()


if __name__ == "__main__":
    main()
