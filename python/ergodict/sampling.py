"""Samplers of motif samples in a network, as iterators of arrays."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict, _networks, _report
from ._progress import progress
from ._random import RandomState, seed_of
from .diagnostics import to_inference_data
from .network import Network

#: A motif: its shape, the file of its edges, or its edges.
Motif = Union[str, "os.PathLike[str]", Sequence[tuple[int, int]], npt.NDArray[Any]]

_OBSERVABLES = ("density", "conditional-density", "macc")


class HomomorphismSampler:
    """Chains of motif samples in a network, made by :func:`sample`.

    An endless iterator: ``next(sampler)`` is the next motif sample, an array of the k nodes that the motif's
    nodes go to. With several chains they take turns. The motif samples depend on the seed alone, however many
    are asked for at a time. One sampler is for one thread at a time.

    Parameters
    ----------
    network, random_state, ids, n_jobs, verbose
        As for :func:`sample`.
    **sampling
        As for :func:`sample`.

    Attributes
    ----------
    network : Network
        The network.
    seed_ : int
        The seed, also where none was given.
    sampler_ : str
        The name of the sampler that was chosen.

    Examples
    --------
    >>> import ergodict
    >>> sampler = ergodict.sample("@karate", k=3, random_state=1)
    >>> sampler.draw(2).shape, sampler.n_drawn
    ((2, 3), 2)
    >>> [block.shape for block in sampler.blocks(4, n=10)]
    [(4, 3), (4, 3), (2, 3)]
    """

    def __init__(
        self,
        network: Any,
        *,
        random_state: RandomState = None,
        ids: bool = False,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
        **sampling: Any,
    ) -> None:
        arguments = _check.sampling(**sampling)
        self.network: Network
        self.network, self._name, self._digest = _networks.named(network)
        self.seed_ = seed_of(random_state)
        self._gives_ids, self._verbose = bool(ids), verbose
        self._n_jobs = _check.jobs(n_jobs)
        self._arguments = arguments
        self._make()

    def _make(self) -> None:
        self._core = _ergodict.Sampler(self.network._core, self._arguments, self.seed_, self._n_jobs)
        self.sampler_ = self._core.sampler

    def _repr_html_(self) -> str:
        from ._repr import table_html

        edges = self.motif_edges
        facts: list[tuple[str, object]] = [
            ("network", repr(self.network)), ("motif", f"{self.motif} of {self.k} nodes"), ("sampler", self.sampler_),
            ("motif samples drawn", self.n_drawn), ("seed", self.seed_),
        ]
        if self.acceptance_ is not None:
            facts.append(("acceptance", self.acceptance_))
        facts += [("note", note) for note in self.notes]
        columns = {"edge of the motif from": [i for i, _ in edges], "to": [j for _, j in edges]}
        return str(table_html("HomomorphismSampler", columns, facts))

    @property
    def k(self) -> int:
        """Nodes of the motif."""
        return self._core.k

    @property
    def motif(self) -> str:
        """Name of the motif: path, star, cycle, complete, tree or edges."""
        return self._core.motif

    @property
    def motif_edges(self) -> list[tuple[int, int]]:
        """The edges of the motif, between nodes 0 to k - 1."""
        return self._core.edges

    @property
    def independent(self) -> bool:
        """Whether motif samples are independent draws."""
        return self._core.independent

    @property
    def notes(self) -> list[str]:
        """Notes on the sampler for this network."""
        return self._core.notes

    @property
    def n_drawn(self) -> int:
        """Motif samples drawn so far, over all chains."""
        return self._core.drawn

    @property
    def acceptance_(self) -> Optional[float]:
        """The share of accepted proposals so far; None for samplers that accept all."""
        return self._core.rate

    def __iter__(self) -> HomomorphismSampler:
        return self

    def __next__(self) -> npt.NDArray[Any]:
        return np.asarray(self.draw(1)[0])

    def draw(self, n: int, ids: Optional[bool] = None) -> npt.NDArray[Any]:
        """The next n motif samples, an array of shape (n, k) of numbers of nodes, or of ids.

        The first draw of n is what ``ergodict network sample --count n`` gives for the same seed: chains come
        one after the other.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.sample([("a", "b")], k=3, random_state=0).draw(1, ids=True)
        array([['b', 'a', 'b']], dtype=object)
        """
        with progress(self._verbose, "drawing", "homomorphism") as show:
            flat = self._core.draw(_check.count(n, "n", 0), self._n_jobs, show)
        numbers = flat.reshape(-1, self.k)
        wanted = self._gives_ids if ids is None else ids
        return self.network.ids(numbers) if wanted else numbers

    def blocks(self, size: int, n: Optional[int] = None) -> Iterator[npt.NDArray[Any]]:
        """Arrays of `size` motif samples, without end, or until n motif samples are drawn.

        Examples
        --------
        >>> import ergodict
        >>> next(ergodict.sample("@karate", k=2).blocks(5)).shape
        (5, 2)
        """
        for now in _sizes(_check.count(size, "size"), n):
            yield self.draw(now)

    def patches(self, n: int, bits: bool = False) -> npt.NDArray[Any]:
        """The patches A(x(i), x(j)) of the next n motif samples, float64 of shape (n, k * k), or uint8 with
        ``bits=True``, which weighted networks do not have.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.sample("@karate", k=2).patches(1)
        array([[0., 1., 1., 0.]])
        """
        if bits and not self._core.bits:
            raise ValueError("the network has weights, so that its patches are no bits")
        with progress(self._verbose, "drawing", "homomorphism") as show:
            flat = self._core.draw_patches(_check.count(n, "n", 0), self._n_jobs, show)
        patches = flat.reshape(-1, self.k**2)
        return (patches > 0).astype(np.uint8) if bits else patches

    def minibatches(self, size: int = 100, n: Optional[int] = None) -> Iterator[npt.NDArray[np.float64]]:
        """Patches of `size` motif samples at a time, for ``OnlineNMF().fit_stream``: without end, or n
        minibatches.

        Examples
        --------
        >>> import ergodict
        >>> [x.shape for x in ergodict.sample("@karate", k=3).minibatches(50, n=2)]
        [(50, 9), (50, 9)]
        """
        rows = _check.count(size, "size")
        for now in _sizes(rows, None if n is None else rows * _check.count(n, "n", 0)):
            yield self.patches(now)

    def diagnose(
        self, n: int = 10_000, observables: Iterable[str] = (), conditional: Motif = "cycle"
    ) -> dict[str, Any]:
        """Estimates from the next n motif samples, with convergence diagnostics.

        Parameters
        ----------
        n : int
            Motif samples that are drawn.
        observables : iterable of {"density", "conditional-density", "macc"}
            Estimates in addition to the default observables: the homomorphism density of the
            motif, the conditional density of a larger one, the matrix of average clustering coefficients.
        conditional : motif
            The larger motif of the conditional density.

        Returns
        -------
        dict
            ``observables``, by name the mean, its error, the autocorrelation time, the effective sample size,
            R̂ and whether the chains have mixed (None where unknown); ``density``,
            ``conditional_density`` and ``macc`` where asked for; ``acceptance``. The figures are those of
            ``ergodict network sample --json``.

        Examples
        --------
        >>> import ergodict
        >>> found = ergodict.sample("@karate", k=3, random_state=0).diagnose(1000, ["density"])
        >>> sorted(found["observables"]), found["density"]["exact"]
        (['distinct-nodes', 'first-degree', 'patch-density'], True)
        """
        asked = _asked(observables, conditional)
        with progress(self._verbose, "drawing", "homomorphism") as show:
            told = self._core.measure(_check.count(n, "n"), *asked, self._n_jobs, show)
        named = {one.pop("observable"): _figures(one) for one in told["observables"]}
        found: dict[str, Any] = {"observables": named, "acceptance": self.acceptance_}
        for key in ("density", "conditional_density"):
            if told[key] is not None:
                told[key].pop("observable", None)
                found[key] = _figures(told[key])
        if told["macc"] is not None:
            found["macc"] = np.array(told["macc"], dtype=np.float64).reshape(self.k, self.k)
        return found

    def to_inference_data(self, n: int = 10_000) -> Any:
        """The observables of the next n motif samples in ArviZ's form; :func:`ergodict.mixing` has our own diagnostics.

        Parameters
        ----------
        n : int, default=10000
            Motif samples that are drawn, over all chains.

        Returns
        -------
        arviz.InferenceData
            With an observable in each variable of the group posterior, of shape (chains, draws).

        Examples
        --------
        >>> import ergodict
        >>> sampler = ergodict.sample("@karate", k=3, sampler="pivot", chains=4, random_state=0)
        >>> sampler.to_inference_data(1000).posterior["first-degree"].shape
        (4, 250)
        """
        with progress(self._verbose, "drawing", "homomorphism") as show:
            return to_inference_data(dict(self._core.series(_check.count(n, "n"), self._n_jobs, show)))

    def report(
        self, path: _report.Path, n: int = 10_000, observables: Iterable[str] = (), conditional: Motif = "cycle"
    ) -> pathlib.Path:
        """Write the report of ``ergodict network sample`` for the next n motif samples: patches, observables over time, convergence.

        Parameters
        ----------
        path : str or path-like
            Path of the report, ending in ``.html``.
        n, observables, conditional
            As of :meth:`diagnose`.

        Returns
        -------
        pathlib.Path
            Path of the report.

        Examples
        --------
        >>> import ergodict, os, tempfile
        >>> sampler = ergodict.sample("@karate", k=3, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = sampler.report(os.path.join(folder, "walks.html"), n=1000).read_text(encoding="utf-8")
        >>> "Convergence diagnostics" in page, sampler.n_drawn
        (True, 1000)
        """
        asked, count = _asked(observables, conditional), _check.count(n, "n")
        about = _report.about(self.network, self._name, self._digest)
        file = _check.page(path)
        with progress(self._verbose, "drawing", "homomorphism") as show:
            self._core.report(file, about, count, *asked, self._n_jobs, show)
        return pathlib.Path(path)

    @property
    def state(self) -> list[dict[str, Any]]:
        """Where the chains are: plain numbers that ``json`` can write."""
        return list(json.loads(self._core.state))

    def seek(self, state: list[dict[str, Any]]) -> None:
        """Continue where a sampler of the same network, motif and seed was.

        Examples
        --------
        >>> import ergodict
        >>> sampler = ergodict.sample("@karate", k=4, random_state=3)
        >>> state, ahead = sampler.state, sampler.draw(5)
        >>> sampler.seek(state)
        >>> bool((sampler.draw(5) == ahead).all())
        True
        """
        try:
            text = json.dumps(state)
        except TypeError as error:
            raise TypeError(f"the state must be one that `state` gave: {error}") from None
        self._core.seek(text)

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in self.__dict__.items() if key != "_core"}
        return {**kept, "_state": self._core.state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        at = state.pop("_state")
        self.__dict__.update(state)
        self._make()
        self._core.seek(at)

    def __repr__(self) -> str:
        what = f"{self.motif} of {self.k} nodes into {self.network!r}"
        return f"HomomorphismSampler({what}, {self.sampler_}, {self.n_drawn} drawn)"


def _asked(observables: Iterable[str], conditional: Motif) -> tuple[bool, bool, Optional[str], Optional[list[tuple[int, int]]]]:
    """Whether the density and the clustering matrix are wanted, and the larger motif of a conditional density."""
    wanted = [observables] if isinstance(observables, str) else list(observables)
    for one in wanted:
        if one not in _OBSERVABLES:
            raise ValueError(f"observables has {one}, but there are {', '.join(_OBSERVABLES)}")
    larger = _check.motif_of(conditional) if "conditional-density" in wanted else (None, None)
    return "density" in wanted, "macc" in wanted, *larger


def _sizes(size: int, total: Optional[int]) -> Iterator[int]:
    """Sizes of blocks, without end or up to a total."""
    left = None if total is None else _check.count(total, "n", 0)
    while left is None or left > 0:
        now = size if left is None else min(size, left)
        yield now
        left = None if left is None else left - now


def _figures(told: dict[str, Any]) -> dict[str, Any]:
    """Numbers, where JSON has null for NaN."""
    return {key: (np.nan if value is None and key != "mixed" else value) for key, value in told.items()}


def sample(
    network: Any,
    k: Optional[int] = None,
    motif: Motif = "path",
    sampler: Optional[str] = None,
    injective: bool = False,
    burn_in: int = 0,
    every: int = 1,
    chains: int = 1,
    component: str = "largest",
    lazy: Optional[bool] = None,
    random_state: RandomState = None,
    ids: bool = False,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> HomomorphismSampler:
    """A sampler of motif samples in a network: k nodes each, with all edges of the motif between
    them.

    Parameters
    ----------
    network : Network or network-like
        The network.
    k : int, default 10
        Nodes of the motif; of a file or an edge list its own.
    motif : {"path", "star", "cycle", "complete"}, file or edges
        The motif: a shape, a file with its edges, or pairs of its nodes 0 to k - 1.
    sampler : {"walk", "exact", "pivot", "pivot-approx", "glauber", "rejection"}, optional
        How motif samples are drawn; by default exact, and glauber for motifs with cycles that are rare.
    injective : bool, default False
        Keep only motif samples whose nodes are all different.
    burn_in : int, default 0
        Steps before the first.
    every : int, default 1
        Steps from one motif sample to the next.
    chains : int, default 1
        Independent chains.
    component : {"largest", "all"}
        Component that is sampled.
    lazy : bool, optional
        Whether pivots stay in half of their steps; by default where the component is bipartite.
    random_state : int, Generator or None
        The seed; the same as ``--seed`` of ``ergodict network sample``, and the same motif samples.
    ids : bool, default False
        Return node ids instead of numbers.
    n_jobs : int, optional
        Threads, which share the chains; -1 for all processors.
    verbose : bool, default False
        Show progress.

    Returns
    -------
    HomomorphismSampler
        An endless iterator.

    Examples
    --------
    >>> import ergodict
    >>> sampler = ergodict.sample("@karate", k=5, random_state=0)
    >>> sampler.network, sampler.sampler_
    (Network(34 nodes, 78 edges, undirected, unweighted), 'exact')
    >>> next(sampler).shape
    (5,)
    """
    return HomomorphismSampler(
        network, k=k, motif=motif, sampler=sampler, injective=injective, burn_in=burn_in, every=every, chains=chains, component=component,
        lazy=lazy, random_state=random_state, ids=ids, n_jobs=n_jobs, verbose=verbose,
    )
