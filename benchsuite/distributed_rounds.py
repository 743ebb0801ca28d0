"""What handing out tasks costs: rounds of about a second through Dask and process pools, beside the same rounds in one thread.

    python benchsuite/distributed_rounds.py [--rounds 10] [--seconds 1.0] [--network PATH.egr]

Run it on a quiet machine, with an optimized build of ergodict and `dask[distributed]`. Prints a table in Markdown; the result of
every run is compared, bit for bit.
"""

from __future__ import annotations

import argparse
import concurrent.futures as cf
import multiprocessing
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import ergodict
from ergodict import distributed

#: The paper's patches and atoms.
SHAPE: dict[str, Any] = {"k": 21, "sampler": "pivot-approx", "batch_size": 100, "random_state": 0, "n_examples": 0}
#: Chains, so that two workers have as much to do as one.
CHAINS = 2


def timed(run: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The median time of some runs, and what came of the last."""
    took, found = [], None
    for _ in range(times):
        begun = time.perf_counter()
        found = run()
        took.append(time.perf_counter() - begun)
    return statistics.median(took), found


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10, help="rounds of a run")
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long a round takes in one thread")
    parser.add_argument("--times", type=int, default=3, help="runs of which the median is taken")
    parser.add_argument("--network", help="an .egr file; by default an R-MAT network of 2^14 nodes is made")
    given = parser.parse_args()
    # R-MAT leaves nodes alone.
    warnings.filterwarnings("ignore", message="the largest of")
    with tempfile.TemporaryDirectory() as folder:
        path = given.network
        if path is None:
            path = os.path.join(folder, "rmat.egr")
            ergodict.Network.generate("rmat", random_state=0, scale=14, edge_factor=16).write(path)
        measure(os.path.abspath(path), given.rounds, given.seconds, given.times)


def measure(path: str, rounds: int, seconds: float, times: int) -> None:
    """One network, all executors."""
    from distributed import LocalCluster

    def learn(rounds: int, minibatches: int, executor: Any = None) -> Any:
        return distributed.learn(path, 25, chains=CHAINS, rounds=rounds, minibatches=minibatches, executor=executor, **SHAPE)

    # Opening the network and the end of a run are no part of a round: what one more round costs is what is wanted.
    def per_round(executor: Any, minibatches: int) -> tuple[float, Any]:
        learn(1, minibatches, executor)
        few, _ = timed(lambda: learn(1, minibatches, executor), times)
        many, found = timed(lambda: learn(1 + rounds, minibatches, executor), times)
        return (many - few) / rounds, found.components_

    trial, _ = per_round(None, 20)
    minibatches = max(1, round(20 * seconds / trial))
    alone, expected = per_round(None, minibatches)
    rows = [("one thread, no executor", alone)]
    context = multiprocessing.get_context("spawn")
    for workers in (1, 2):
        with cf.ProcessPoolExecutor(workers, mp_context=context) as executor:
            took, found = per_round(executor, minibatches)
        assert (found == expected).all(), "the result differs"
        rows.append((f"process pool, {workers} worker{'s' * (workers > 1)}", took))
    for workers in (1, 2):
        with LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, scheduler_port=0, memory_limit=0
        ) as cluster:
            with cluster.get_client() as client:
                took, found = per_round(client.get_executor(), minibatches)
        assert (found == expected).all(), "the result differs"
        rows.append((f"Dask, {workers} worker{'s' * (workers > 1)}", took))
    print(f"{CHAINS} chains of {minibatches} minibatches of 100 patches (21 nodes, 25 atoms) a round, {rounds} rounds, {os.cpu_count()} processors\n")
    print("| executor | seconds a round | beside one thread |")
    print("|---|---|---|")
    for name, took in rows:
        print(f"| {name} | {took:.4f} | {100 * (took / alone - 1):+.1f} % |")


if __name__ == "__main__":
    main()
