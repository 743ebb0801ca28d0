"""The nested degree-corrected block model of graph-tool, in a process of its own: Debian has the package for the system's Python.

    python3 blocks.py marginal|measured INPUT.npz OUTPUT.npz [--seconds S] [--seed N]
    python3 blocks.py check

INPUT has `edges`, `pairs`, `nodes` and `share`, the share of edges believed missing; OUTPUT gets `scores`, `probabilities`, `cpu` and `notes`.

- `marginal`: the partition of least description length, then partitions of its Markov chain, for at most S seconds of CPU time. The rate of a pair is the ratio by
  which the likelihood of the degree-corrected model changes with one more edge, (k_u + 1)(k_v + 1)(e_rs + 1) / ((e_r + 1)(e_s + 1)), averaged over partitions.
  The hidden part of such a rate is s/(1−s) times it: the probability is 1 − exp(−rate·s/(1−s)).
  graph-tool's own `get_edges_prob` is that of the likelihood with the degrees left as they were (2.45), the same for all pairs of two blocks: `check` shows it.
- `measured`: `MeasuredBlockState`, one measurement of each pair, edges and partitions drawn together; the share of missing edges has a Beta prior around s, false
  edges are ruled out. The probability is that of the posterior given the other edges (`get_edges_prob` of that class), averaged over states.
"""

import argparse
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")  # graph-tool warns that it cannot draw
import graph_tool
import graph_tool.inference as inference

#: Partitions that are averaged at most, and sweeps between them.
STATES = 50
SWEEPS = 10
#: States of latent edges, of which the first is left out: each takes about 15 µs a pair.
MEASURED_STATES = 4
#: Weight of the Beta prior of the share of missing edges, in pairs.
CERTAINTY = 1000


def network(nodes, edges):
    graph = graph_tool.Graph(directed=False)
    graph.add_vertex(nodes)
    graph.add_edge_list(edges)
    return graph


def rates(blocks, edges):
    """A number for each pair of blocks, which times the degrees plus one is the rate; and the number of the block of each node."""
    _, block = np.unique(blocks, return_inverse=True)
    count = block.max() + 1
    between = np.zeros((count, count))
    np.add.at(between, (block[edges[:, 0]], block[edges[:, 1]]), 1)
    between += between.T
    total = between.sum(1)
    rate = (between + 1) / np.outer(total + 1, total + 1)
    inside = np.arange(count)
    rate[inside, inside] = (between[inside, inside] + 2) / ((total + 1) * (total + 2))
    return rate, block


def marginal(given, seconds):
    edges, pairs, nodes = given["edges"], given["pairs"], int(given["nodes"])
    degree = np.bincount(edges.ravel(), minlength=nodes)
    state = inference.minimize_nested_blockmodel_dl(network(nodes, edges))
    u, v = pairs[:, 0], pairs[:, 1]
    total, states = np.zeros(len(pairs)), 0
    while states < STATES and (states == 0 or time.process_time() - START < seconds):
        state.multiflip_mcmc_sweep(beta=1, niter=SWEEPS)
        rate, block = rates(state.levels[0].b.a, edges)
        total += rate[block[u], block[v]]
        states += 1
    score = total / states * (degree[u] + 1) * (degree[v] + 1)
    share = float(given["share"])
    return score, 1 - np.exp(-score * share / (1 - share)), f"{states} partitions, {block.max() + 1} blocks"


def measured(given, seconds):
    edges, pairs, nodes, share = given["edges"], given["pairs"], int(given["nodes"]), float(given["share"])
    graph = network(nodes, edges)
    start = inference.minimize_nested_blockmodel_dl(graph)
    state = inference.MeasuredBlockState(
        graph,
        n=graph.new_ep("int", 1),
        n_default=1,
        x=graph.new_ep("int", 1),
        x_default=0,
        fn_params={"alpha": share * CERTAINTY, "beta": (1 - share) * CERTAINTY},
        fp_params={"mu": 1, "nu": 1e6},
        state_args={"bs": [level.b.a.copy() for level in start.levels]},
    )
    total, states, sampling = np.zeros(len(pairs)), 0, seconds / MEASURED_STATES
    while states < MEASURED_STATES:
        began = time.process_time()
        while time.process_time() - began < sampling:
            state.mcmc_sweep(niter=SWEEPS)
        # The first stretch is left out: the chain starts at the observed network.
        if states >= 1:
            total += np.exp(state.get_edges_prob(pairs))
        states += 1
    probability = total / (states - 1)
    return probability, probability, f"{states - 1} states, {state.get_graph().num_edges()} latent edges of {len(edges)} observed"


def check():
    """Rates against the entropies of graph-tool on a small network; raises where they differ."""
    rng = np.random.default_rng(0)
    nodes = 60
    edges = np.array([(u, v) for u in range(nodes) for v in range(u) if rng.random() < (0.3 if u % 3 == v % 3 else 0.05)])
    degree = np.bincount(edges.ravel(), minlength=nodes)
    blocks = np.arange(nodes) % 3
    known = {(u, v) for u, v in edges.tolist()}
    # The likelihood alone, given degrees and numbers of edges between blocks.
    alone = {"adjacency": True, "partition_dl": False, "degree_dl": False, "edges_dl": False, "dl": False, "exact": True}

    def entropy(more):
        graph = network(nodes, np.r_[edges, more])
        return inference.BlockState(graph, b=graph.new_vp("int", vals=blocks), deg_corr=True).entropy(**alone)

    rate, block = rates(blocks, edges)
    whole = entropy(np.empty((0, 2), dtype=int))
    graph = network(nodes, edges)
    state = inference.BlockState(graph, b=graph.new_vp("int", vals=blocks), deg_corr=True)
    own = {}
    for u, v in [(0, 3), (1, 0), (4, 2), (9, 30), (20, 7), (59, 1), (50, 6), (40, 10)]:
        if (u, v) in known or (v, u) in known:
            continue
        wanted = np.exp(whole - entropy(np.array([[u, v]])))
        found = rate[block[u], block[v]] * (degree[u] + 1) * (degree[v] + 1)
        assert abs(found - wanted) < 1e-6 * wanted, f"rate of {u}, {v}: {found}, by entropies {wanted}"
        own.setdefault((min(block[u], block[v]), max(block[u], block[v])), set()).add(round(state.get_edges_prob([(u, v)]), 6))
    distinct = all(len(values) == 1 for values in own.values())
    print(f"graph-tool {graph_tool.__version__.split()[0]}: rates agree; get_edges_prob knows blocks only: {distinct}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["marginal", "measured", "check"])
    parser.add_argument("input", nargs="?")
    parser.add_argument("output", nargs="?")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    graph_tool.openmp_set_num_threads(1)
    graph_tool.seed_rng(options.seed + 1)
    np.random.seed(options.seed)
    START = time.process_time()
    if options.what == "check":
        check()
    else:
        method = {"marginal": marginal, "measured": measured}[options.what]
        scores, probabilities, notes = method(np.load(options.input), options.seconds)
        cpu = time.process_time() - START
        np.savez(options.output, scores=scores, probabilities=probabilities, cpu=cpu, notes=notes)
