"""Networks reconstructed by many workers: chains in parallel, then ranges of nodes in parallel, into a folder of parts."""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Union

import numpy as np

from .. import _check, _ergodict, _networks
from .._ergodict import DENOISING
from .._repr import imported_pandas
from .._progress import progress
from .._random import RandomState, seed_of
from ..network import as_network
from ..network_dictionary import NetworkDictionary
from ._crew import Crew, Executor
from ._shares import Shares
from ._source import source

Path = Union[str, "os.PathLike[str]"]


class Partitioned:
    """A reconstructed network as a folder of parts, each of a range of first nodes, as :func:`reconstruct` writes it.

    Parameters
    ----------
    path : path
        The folder; its ``_index.json`` lists the parts and the settings.

    Attributes
    ----------
    path : str
        The folder.
    files : list of str
        The parts, in the order of their nodes.
    format : {"tsv", "parquet"}
        What they are.
    n_pairs : int
        Pairs that were seen, in all parts.
    made : dict
        How it was made: ``samples``, ``chains``, ``block``, ``seed``, ``sampler``, ``edge_coverage`` (of the edges
        among the pairs that were asked for, if any), ``ids`` (what nodes are called by: ``"integers"`` or ``"words"``), ``notes`` and so on.

    Examples
    --------
    >>> import os, tempfile
    >>> from ergodict import distributed
    >>> model = distributed.learn("@karate", 3, k=4, chains=2, rounds=3, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = distributed.reconstruct("@karate", model, os.path.join(folder, "made"), samples=500)
    ...     again = distributed.Partitioned(made.path)
    >>> [os.path.basename(file) for file in again.files]
    ['part-00000.parquet']
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        with open(os.path.join(self.path, "_index.json"), encoding="utf-8") as file:
            index = json.load(file)
        self.files = [os.path.join(self.path, part["file"]) for part in index["parts"]]
        self.format: str = index["format"]
        self.n_pairs: int = index["pairs"]
        self.made: dict[str, Any] = index.get("made") or {}

    def __repr__(self) -> str:
        return f"Partitioned({self.n_pairs} pairs in {len(self.files)} parts, {self.path!r})"

    @property
    def edge_coverage(self) -> Optional[float]:
        """The share of edges that were seen, of those among the pairs that were asked for."""
        return self.made.get("edge_coverage")

    def to_pandas(self) -> Any:
        """All parts as one table with columns u, v, weight and count; for what fits into memory.

        Examples
        --------
        See :func:`reconstruct`.
        """
        pandas = imported_pandas()
        if self.format == "parquet":
            return pandas.concat([pandas.read_parquet(file) for file in self.files], ignore_index=True)
        # Words may look like numbers or like what pandas takes for missing.
        kinds = {"u": str, "v": str, "count": np.uint64}
        # Python reads numbers to the last bit, pandas not in every version.
        read: Any = {"sep": "\t", "dtype": kinds, "converters": {"weight": float}, "keep_default_na": False}
        table = pandas.concat([pandas.read_csv(file, **read) for file in self.files], ignore_index=True)
        if self._integers(table):
            table = table.astype({"u": np.int64, "v": np.int64})
        return table

    def _integers(self, table: Any) -> bool:
        """Whether nodes are called by integers; what the command line wrote does not say it."""
        told = self.made.get("ids")
        if told is not None:
            return bool(told == "integers")
        return all(bool(table[name].str.fullmatch("0|-?[1-9][0-9]{0,17}").all()) for name in ("u", "v"))


def model_of(model: Any) -> NetworkDictionary:
    """A dictionary that was learned, or the one in a model file."""
    if isinstance(model, (str, os.PathLike)):
        return NetworkDictionary.load(model)
    if not isinstance(model, NetworkDictionary):
        raise TypeError(f"model is a {type(model).__name__}, but it must be a NetworkDictionary or the path of a model file")
    return model


def reconstruct(
    path: Any,
    model: Any,
    out: Path,
    *,
    samples: int = 200_000,
    chains: int = DENOISING["chains"],
    partitions: int = 8,
    format: str = "parquet",
    block: int = DENOISING["block"],
    mode: str = "plain",
    alpha: float = 0.0,
    shrinkage: float = 0.0,
    reversal: bool = False,
    pairs: Any = None,
    sampler: Optional[str] = None,
    burn_in: int = 0,
    every: int = 1,
    injective: bool = False,
    component: str = "largest",
    lazy: Optional[bool] = None,
    memory: int = 512,
    random_state: RandomState = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    executor: Executor = None,
    scratch: Optional[Path] = None,
    resume: bool = False,
    retries: int = 3,
) -> Partitioned:
    """Reconstruct a network on many processes or machines, into a folder of parts.

    Chains take `block` motif samples each at a time and write the sums of their pairs, sorted, into files in `scratch`; then each range of
    nodes is merged from all files, block by block and chain by chain, and becomes a part of the table. The result depends on the numbers of
    samples, chains and blocks and on the seed, and not on the executor, its workers or their failures. Counts are those of
    :meth:`ergodict.NetworkDictionary.reconstruct` with as many chains, weights are the same but for rounding.

    Parameters
    ----------
    path : path
        An ``.egr`` file that all workers can open by this path, or an embedded network.
    model : NetworkDictionary or path
        The dictionary, or its file.
    out : path
        The folder that is made: ``part-00000.parquet`` and so on, and ``_index.json``. It appears when all is there.
    samples : int, default 200000
        Motif samples, over all chains.
    chains : int, default 8
        Chains, each a task at a time: at least as many as there are workers.
    partitions : int, default 8
        Parts at most, each of a range of first nodes with about as many pairs; small tables have fewer.
    format : {"parquet", "tsv"}
        What parts are.
    block : int, default 50000
        Motif samples of a task.
    mode, alpha, shrinkage, reversal : str, float, float, bool
        How patches are reconstructed, as for :meth:`ergodict.NetworkDictionary.reconstruct`.
    pairs : array of shape (m, 2) or list of pairs, optional
        Only these pairs of ids; those that were seen are in the table.
    sampler, burn_in, every, injective, component, lazy : str, int, int, bool, str, bool
        How motif samples are drawn, as there.
    memory : int, default 512
        Mebibytes that the sums of a task may take; the rest goes to a temporary file.
    random_state : int, Generator or None
        The seed; by default that of the dictionary.
    n_jobs : int, optional
        Threads of each task; without an executor, threads that tasks run on.
    verbose : bool, default False
        Whether to show progress.
    executor : Executor, Dask client, function or None
        What runs the tasks, as for :func:`learn`.
    scratch : path, optional
        A folder that all workers see, for files of sums; by default the one that `out` is in. A run that fails leaves its
        files there; of two with the same arguments at once the second is refused.
    resume : bool, default False
        Continue from what a run with the same arguments left in `scratch`.
    retries : int, default 3
        How often a task is run again when its worker was lost.

    Returns
    -------
    Partitioned
        The folder.

    Examples
    --------
    >>> import os, tempfile
    >>> from ergodict import distributed
    >>> model = distributed.learn("@karate", 4, k=5, chains=2, rounds=5, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = distributed.reconstruct("@karate", model, os.path.join(folder, "reconstruction"), samples=2000, partitions=2)
    ...     table = result.to_pandas()
    >>> result.edge_coverage, list(table.columns)
    (1.0, ['u', 'v', 'weight', 'count'])
    """
    dictionary, network = model_of(model), source(path)
    core = dictionary._fitted()
    _check.choice(format, "format", ("parquet", "tsv"))
    total = _check.count(samples, "samples", expected="at least one sample is needed")
    each = _check.count(block, "block", expected="at least one sample is needed")
    parts = _check.count(partitions, "partitions", 1, 1 << 16, "at least one is needed")
    shrunk = _check.not_negative(shrinkage, "shrinkage")
    seed = dictionary.seed_ if random_state is None else seed_of(random_state)
    sampling = _check.sampling(None, None, sampler, injective, every, burn_in, chains, component, lazy)
    plan = {
        "lambda": 2.0 * _check.not_negative(alpha, "alpha"), "mode": _check.choice(mode, "mode", ("plain", "off-motif")),
        "reversal": _check.flag(reversal, "reversal"), "seed": seed, "burn_in": sampling["burn_in"], "every": sampling["every"],
        "memory": _check.count(memory, "memory", expected="at least one mebibyte is needed") << 20, "block": each, "samples": total,
    }
    target = os.path.abspath(os.fspath(out))
    _ergodict.Parts.check(target)
    wanted = None if pairs is None else as_network(network.path).index_pairs(pairs).astype(np.uint32)
    beside = os.path.abspath(os.path.dirname(target) if scratch is None else os.fspath(scratch))
    again = _check.flag(resume, "resume")
    with Crew(executor, retries, n_jobs) as crew, Shares(crew, network, core, plan, sampling, wanted, beside, again) as shares:
        _networks.warn_of_parts(shares.place.notes)
        with progress(verbose, "reconstruction", "sample") as show:
            while shares.taken < total:
                shares.take(min(total, shares.taken + each * shares.chains))
                if show is not None:
                    show(shares.taken, total, None)
        _write(shares, target, parts, format, shrunk, {**plan, "sampling": sampling, "alpha": alpha, "shrinkage": shrunk})
    return Partitioned(target)


def _write(shares: Shares, target: str, parts: int, format: str, shrinkage: float, plan: dict[str, Any]) -> None:
    """Merges the files of all chains into parts of the table."""
    folder = _ergodict.Parts(target)
    ranges = _ergodict.Parts.ranges(shares.files, parts)
    tasks = [json.dumps({"number": at, "first": first, "end": end}).encode() for at, (first, end) in enumerate(ranges)]
    # Worker processes have a working directory of their own.
    job = shares.job("reduce", files=shares.files, folder=os.path.abspath(folder.path), format=format, shrinkage=shrinkage)
    told = [one.decode() for one in shares.run(tasks, job, lambda at: f"part {at} of the table")]
    seen, edges = sum(json.loads(one)["edges"] for one in told), shares.place.edges
    sampling = plan["sampling"]
    made = {
        "command": "distributed reconstruct", "samples": plan["samples"], "chains": sampling["chains"], "block": plan["block"],
        "mode": plan["mode"], "alpha": plan["alpha"], "shrinkage": plan["shrinkage"], "reversal": plan["reversal"], "seed": plan["seed"],
        "sampler": shares.place.sampler, "burn_in": sampling["burn_in"], "every": sampling["every"], "injective": sampling["injective"],
        "component": sampling["component"], "edge_coverage": seen / edges if edges else None, "capped": shares.capped,
        "ids": "words" if shares.place.words else "integers", "notes": shares.place.notes, "version": _ergodict.__version__,
    }
    folder.finish(told, format, json.dumps(made))
