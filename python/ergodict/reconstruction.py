"""Networks reconstructed from atoms: the table of pairs, and how well it went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict, _report, convert
from ._repr import imported_pandas
from ._warn import warn
from .network import Network


class Reconstruction(_report.ReportMixin):
    """A reconstructed network, returned by :meth:`NetworkDictionary.reconstruct`.

    Parameters
    ----------
    network : Network
        The network that was reconstructed.
    found : dict
        What the extension found.
    wanted : bool
        Whether only some pairs were wanted.
    largest : bool
        Whether only the largest component was reconstructed.
    shrinkage : float
        Added to counts.
    threshold : float
        Pairs of a larger weight are called edges.
    samples : int
        Motif samples.
    mode : str
        Which entries of patches counted.
    seed : int
        The seed.
    model : object
        The atoms, for the report.
    whole : callable
        The same with all that a file has, which takes longer.
    about : dict
        Run details of the report.

    Attributes
    ----------
    u, v : ndarray of int
        Numbers of the nodes of each pair, as in ``network.nodes``; u ≤ v in undirected networks.
    weights : ndarray of float
        What atoms make of each pair, on average: ``sums / (counts + shrinkage)``, 0 where a pair was not seen.
    counts : ndarray of int
        How often each pair was seen.
    sums : ndarray of float
        The sums that the weights are the means of.
    accuracy_ : dict
        ``jaccard``, ``weighted_jaccard``, ``auc``, ``edge_coverage``, ``pair_coverage`` and ``visited``, at `threshold`. None where there is
        nothing to measure.
    sampler_ : str
        The sampler that was used.
    notes_ : list of str
        Warnings and notes.
    seed_ : int
        The seed.

    Examples
    --------
    >>> import ergodict
    >>> model = ergodict.NetworkDictionary(4, k=5, steps=20, random_state=0).fit("@karate")
    >>> result = model.reconstruct("@karate", samples=5000)
    >>> result.pairs[0].tolist(), round(result.edge_coverage, 2)
    ([1, 2], 1.0)
    >>> result.to_network(0.5).n_nodes
    34
    """

    def __init__(
        self,
        network: Network,
        found: dict[str, Any],
        *,
        wanted: bool,
        largest: bool,
        shrinkage: float,
        threshold: float,
        samples: int,
        mode: str,
        seed: int,
        model: _ergodict.NetworkModel,
        whole: Callable[[], _ergodict.NetworkModel],
        about: dict[str, Any],
    ) -> None:
        self.network, self._model, self._whole, self._about = network, model, whole, about
        self.u: npt.NDArray[np.uint32] = found["u"]
        self.v: npt.NDArray[np.uint32] = found["v"]
        self.sums: npt.NDArray[np.float64] = found["sums"]
        self.counts: npt.NDArray[np.uint64] = found["counts"]
        self.shrinkage, self.threshold, self.samples, self.mode, self.seed_ = shrinkage, threshold, samples, mode, seed
        self.accuracy_: dict[str, Optional[float]] = found["accuracy"]
        self.sampler_: str = found["sampler"]
        self.notes_: list[str] = found["notes"]
        self.capped_: int = found["capped"]
        self._wanted, self._largest = wanted, largest

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weight of each pair in the reconstructed network."""
        counts = self.counts.astype(np.float64)
        weights = np.zeros(len(counts))
        seen = self.counts > 0
        weights[seen] = self.sums[seen] / (counts[seen] + self.shrinkage)
        return weights

    @property
    def pairs(self) -> npt.NDArray[Any]:
        """The ids of the nodes of each pair, of shape (m, 2)."""
        return self.network.ids(np.column_stack([self.u, self.v]))

    def __len__(self) -> int:
        return len(self.u)

    def __repr__(self) -> str:
        auc = self.accuracy_["auc"]
        ranked = "" if auc is None else f", AUC {auc:.4f}"
        return f"Reconstruction({len(self)} pairs of {self.network.n_nodes} nodes, {self.samples} motif samples{ranked})"

    def _repr_html_(self) -> str:
        from ._repr import table_html

        pairs = self.pairs[:50]
        weights, counts = [f"{weight:.3f}" for weight in self.weights[:50]], self.counts[:50].tolist()
        columns = {"u": pairs[:, 0].tolist(), "v": pairs[:, 1].tolist(), "weight": weights, "count": counts}
        names = {
            "edge_coverage": "edges seen", "pair_coverage": "pairs seen", "jaccard": f"Jaccard accuracy above {self.threshold:g}",
            "weighted_jaccard": "Jaccard accuracy of weights", "auc": "AUC of edges against other pairs",
        }
        facts: list[tuple[str, object]] = [(words, f"{self.accuracy_[name]:.3f}") for name, words in names.items() if self.accuracy_[name] is not None]
        facts += [("motif samples", self.samples), ("sampler", self.sampler_), ("seed", self.seed_)]
        return str(table_html(f"Reconstruction: {len(self)} pairs of {self.network.n_nodes} nodes", columns, facts))

    @property
    def jaccard(self) -> Optional[float]:
        """Edges found, divided by all edges and all pairs of a weight above the threshold."""
        return self.accuracy_["jaccard"]

    @property
    def weighted_jaccard(self) -> Optional[float]:
        """The sum of the smaller of the true and the reconstructed weight, divided by that of the larger."""
        return self.accuracy_["weighted_jaccard"]

    @property
    def auc(self) -> Optional[float]:
        """How often an edge has a larger weight than another pair."""
        return self.accuracy_["auc"]

    @property
    def edge_coverage(self) -> Optional[float]:
        """The share of edges that were seen."""
        return self.accuracy_["edge_coverage"]

    @property
    def pair_coverage(self) -> Optional[float]:
        """The share of pairs that were seen."""
        return self.accuracy_["pair_coverage"]

    def accuracy(self, threshold: float = 0.5) -> dict[str, Optional[float]]:
        """How well the network was reconstructed where pairs of weights above another threshold are called edges.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.reconstruct("@karate", samples=2000).accuracy(0.2)["visited"] > 100
        True
        """
        found: dict[str, Optional[float]] = _ergodict.accuracy(self.network._core, self._columns(_check.finite(threshold, "threshold")))
        return found

    def _columns(self, threshold: float) -> dict[str, Any]:
        """The table as the extension takes it again."""
        return {
            "u": self.u, "v": self.v, "sums": self.sums, "counts": self.counts, "largest": self._largest, "wanted": self._wanted,
            "threshold": threshold, "alpha": self.shrinkage,
        }

    def _write_page(self, file: str) -> None:
        columns = self._columns(self.threshold)
        _ergodict.reconstruction_report(file, self._whole(), self.network._core, columns, self._about)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_model": self._model.to_bytes(), "_whole": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Codes are not asked for again, so that a set that no name describes is not needed.
        model = _ergodict.NetworkModel.from_bytes(state["_model"], "free")
        self.__dict__.update({**state, "_model": model, "_whole": lambda: model})

    def _first_seen(self) -> npt.NDArray[np.bool_]:
        """Which rows are of pairs that were seen, each pair once: one that was asked for twice was reconstructed once."""
        seen: npt.NDArray[np.bool_] = self.counts > 0
        if self._wanted:
            ends = np.column_stack([self.u, self.v])
            _, first = np.unique(ends if self.network.is_directed else np.sort(ends, axis=1), axis=0, return_index=True)
            once = np.zeros(len(seen), dtype=np.bool_)
            once[first] = True
            seen &= once
        return seen

    def to_network(self, threshold: Optional[float] = None, weighted: bool = True) -> Network:
        """The reconstructed network: pairs of a weight above the threshold (by default that of the reconstruction) as edges.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.reconstruct("@karate", samples=2000).to_network(weighted=False).is_weighted
        False
        """
        limit = self.threshold if threshold is None else _check.finite(threshold, "threshold")
        weights = self.weights
        # A weight of 0 or less is no edge, whatever the threshold.
        kept = (weights > limit) & (weights > 0) & self._first_seen()
        if not kept.any() and len(weights) and weights.max() > 0:
            warn(f"no pair has a weight above {limit:g}, so that the network has no edge: the largest is {weights.max():.3g} (threshold=)")
        network, names = self.network, self.network._core.names()
        values = weights[kept] if weighted else None
        core = convert.numbered(network.n_nodes, self.u[kept], self.v[kept], values, network.is_directed, names, network.is_directed)
        return Network._of(core, None if isinstance(names, list) else network._own)

    def to_scipy(self) -> Any:
        """All reconstructed weights as a sparse array (n, n), symmetric for undirected networks.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.reconstruct("@karate", samples=2000).to_scipy().shape
        (34, 34)
        """
        from scipy.sparse import coo_array

        n, weights = self.network.n_nodes, self.weights
        seen = self._first_seen()
        u, v, w = self.u[seen].astype(np.int64), self.v[seen].astype(np.int64), weights[seen]
        if not self.network.is_directed:
            twice = u != v
            u, v, w = np.r_[u, v[twice]], np.r_[v, u[twice]], np.r_[w, w[twice]]
        return coo_array((w, (u, v)), shape=(n, n)).tocsr()

    def to_pandas(self) -> Any:
        """The table of pairs with columns u, v, weight and count, as the command line writes it.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> list(model.reconstruct("@karate", samples=2000).to_pandas().columns)
        ['u', 'v', 'weight', 'count']
        """
        pandas = imported_pandas()
        pairs = self.pairs
        return pandas.DataFrame({"u": pairs[:, 0], "v": pairs[:, 1], "weight": self.weights, "count": self.counts})
