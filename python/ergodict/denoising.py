"""Denoising: which pairs of nodes look like true edges, from the observed network alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from . import _check, _ergodict, _networks, _report
from ._repr import imported_pandas
from ._progress import progress
from ._random import RandomState, seed_of
from ._warn import warn
from .network import Network, as_network

if TYPE_CHECKING:
    from .network_dictionary import NetworkDictionary

#: Suspects that a repr names.
_NAMED = 3
#: What missing edges may be distinguished from.
_NEGATIVES = ("all", "uniform", "mixed", "degree")
#: Reasons of a pair that a table names.
_REASONS = 3
#: Pairs that are given of all non-edges, where it is not said how many.
_TOP = 50


def methods() -> list[str]:
    """The names of all methods of :func:`denoise`.

    Examples
    --------
    >>> import ergodict
    >>> ergodict.denoising.methods()[:2]
    ['ensemble', 'motif-codes']
    """
    found: list[str] = _ergodict.denoising_methods()
    return found


class Denoised(_report.ReportMixin):
    """Scores of pairs, returned by :func:`denoise`: higher is more like a true edge.

    Parameters
    ----------
    network : Network
        The observed network.
    pairs : ndarray of int
        Numbers of the nodes of each pair, of shape (m, 2).
    scores : ndarray of float
        The scores; NaN where the method cannot judge a pair, which is last in every list.
    method : str
        How pairs were scored.
    noise : str
        Assumed error.
    notes : list of str
        Warnings and notes.
    heads : list of dict
        Facts about the classifiers.
    seed : int
        The seed.
    top : int, optional
        Keep only this number of pairs, most relevant first.
    probabilities : ndarray of float, optional
        The probability that each pair is a missing edge, or that an observed edge is not a random pair.
    evidence : ndarray of int, optional
        Degrees of both nodes and the number of common neighbors, of shape (m, 3).
    reasons : dict, optional
        Features for the likeliest missing edges or against the most suspicious observed ones, by row of the pair,
        each with its contribution to the log odds.
    page : object, optional
        Content of its report.

    Attributes
    ----------
    u, v : ndarray of int
        Numbers of the nodes of each pair, in the order of the pairs.
    notes_ : list of str
        Warnings and notes.
    heads_ : list of dict
        Facts about each trained classifier: ``held_out_auc``, ``false_share``, ``features`` with ``auc_drop``.
    seed_ : int
        The seed.

    Examples
    --------
    >>> import ergodict
    >>> found = ergodict.denoise("@karate", method="adamic-adar")
    >>> found.scores.shape, found.noise
    ((78,), 'added')
    >>> found.suspects(2).shape
    (2, 2)
    """

    def __init__(
        self,
        network: Network,
        pairs: npt.NDArray[np.uint32],
        scores: npt.NDArray[np.float64],
        *,
        method: str,
        noise: str,
        notes: list[str],
        heads: list[dict[str, Any]],
        seed: int,
        top: Optional[int] = None,
        probabilities: Optional[npt.NDArray[np.float64]] = None,
        evidence: Optional[npt.NDArray[np.int64]] = None,
        reasons: Optional[dict[int, list[tuple[str, float]]]] = None,
        page: Optional[_ergodict.Page] = None,
    ) -> None:
        self.network, self.method, self.noise, self.seed_ = network, method, noise, seed
        self.u, self.v, self.scores = pairs[:, 0], pairs[:, 1], scores
        self.notes_, self.heads_, self._page = notes, heads, page
        self.probabilities, self.evidence = probabilities, evidence
        self.reasons = [(reasons or {}).get(row, []) for row in range(len(scores))] if reasons else None
        if top is not None:
            kept = self._order()[:top]
            self.u, self.v, self.scores = self.u[kept], self.v[kept], self.scores[kept]
            self.probabilities = None if probabilities is None else probabilities[kept]
            self.evidence = None if evidence is None else evidence[kept]
            self.reasons = None if self.reasons is None else [self.reasons[row] for row in kept]

    def _order(self) -> npt.NDArray[np.int64]:
        found: npt.NDArray[np.int64] = _ergodict.most_suspect(np.ascontiguousarray(self.scores), self.noise == "removed")
        return found

    @property
    def pairs(self) -> npt.NDArray[Any]:
        """The ids of the nodes of each pair, of shape (m, 2)."""
        return self.network.ids(np.column_stack([self.u, self.v]))

    @property
    def importance(self) -> dict[str, float]:
        """Drop in training AUC without each feature, largest first; empty without a classifier."""
        if not self.heads_:
            return {}
        drops = {feature["name"]: feature["auc_drop"] for feature in self.heads_[0]["features"]}
        return dict(sorted(drops.items(), key=lambda one: -one[1]))

    def suspects(self, n: int = 10) -> npt.NDArray[Any]:
        """Ids of the `n` most relevant pairs: highest scores where edges were removed, else lowest.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.denoise("@florentine", method="jaccard").suspects(1).shape
        (1, 2)
        """
        return self.pairs[self._order()[: _check.count(n, "n", expected="at least one is needed")]]

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        named = ", ".join(f"{u} – {v}" for u, v in self.suspects(_NAMED)) if len(self) else ""
        what = "missing?" if self.noise == "removed" else "suspects"
        return f"Denoised({len(self)} pairs by {self.method}, noise {self.noise}; {what} {named})"

    def _repr_html_(self) -> str:
        from ._repr import table_html

        order = self._order()[:50]
        pairs = self.pairs[order]
        columns: dict[str, list[Any]] = {"u": pairs[:, 0].tolist(), "v": pairs[:, 1].tolist(), "score": _digits(self.scores[order])}
        if self.probabilities is not None:
            columns["probability"] = _digits(self.probabilities[order])
        if self.evidence is not None:
            columns["degrees"] = [f"{one}, {two}" for one, two, _ in self.evidence[order].tolist()]
            columns["common neighbors"] = self.evidence[order, 2].tolist()
        what = "pairs that look most like missing edges" if self.noise == "removed" else "pairs that look least like true edges"
        facts = [("pairs", len(self)), ("method", self.method), ("noise", self.noise), ("seed", self.seed_)]
        return str(table_html(f"Denoised: {what}", columns, facts))

    def _write_page(self, file: str) -> None:
        page = self._page
        if page is None:
            told = {"network": _report.about(self.network, "network", ""), "top": None, "pairs": None}
            u, v = np.ascontiguousarray(self.u), np.ascontiguousarray(self.v)
            scores = np.ascontiguousarray(self.scores)
            page = _ergodict.denoising_page(self.network._core, u, v, scores, self.method, self.noise, self.notes_, self.seed_, told)
        page.save(file)

    def to_pandas(self) -> Any:
        """The table of pairs as the command line writes it: u, v, score, of the method ensemble the probability, then degrees and common
        neighbors, and the features in favor of likely missing edges.

        Examples
        --------
        >>> import ergodict
        >>> list(ergodict.denoise("@karate", method="l3").to_pandas().columns)
        ['u', 'v', 'score', 'degree_u', 'degree_v', 'common_neighbors']
        """
        pandas = imported_pandas()
        pairs = self.pairs
        columns: dict[str, Any] = {"u": pairs[:, 0], "v": pairs[:, 1], "score": self.scores}
        if self.probabilities is not None:
            columns["probability"] = self.probabilities
        if self.evidence is not None:
            columns.update(zip(("degree_u", "degree_v", "common_neighbors"), self.evidence.T))
        if self.reasons is not None:
            strongest = [[f"{name} {added:+.1f}" for name, added in one[:_REASONS]] for one in self.reasons]
            columns["reasons"] = [", ".join(one) for one in strongest]
        return pandas.DataFrame(columns)


def _digits(values: npt.NDArray[np.float64]) -> list[str]:
    """Numbers as a table shows them; empty where there is none."""
    return ["" if np.isnan(value) else f"{value:.3g}" for value in values]


def _pairs_of(network: Network, pairs: Any, arcs: bool = False, method: str = "prone") -> npt.NDArray[np.uint32]:
    """The numbers of pairs: every observed edge, all non-edges, or those that are given.

    With `arcs` the directions of a directed network count, else each pair is there once. Of non-edges of a large network, those that short walks join
    most are taken where that is enough for the method.
    """
    found: npt.NDArray[Any]
    directed = network.is_directed and arcs
    if pairs is None:
        u, v, _ = network._core.edges()
        found = np.column_stack([u, v])
        if network.is_directed and not arcs:
            # As an undirected network has them, each once.
            found = np.unique(np.sort(found, axis=1), axis=0)
        found = found[found[:, 0] != found[:, 1]]
    elif isinstance(pairs, str):
        if pairs != "non-edges":
            raise ValueError(f"pairs is {pairs}, but it must be non-edges or an array of pairs of ids")
        u, v, note = _ergodict.non_edges(network._core, method)
        if note is not None:
            warn(note, DataConversionWarning)
        found = np.column_stack([u, v])
        if directed:
            # Those without an arc either way are two, and arcs without one back are half of another.
            found = np.unique(np.vstack([found, found[:, ::-1], _one_way(network)[:, ::-1]]), axis=0)
    else:
        found = network.index_pairs(_columns(pairs))
        same = np.flatnonzero(found[:, 0] == found[:, 1])
        if same.size:
            raise ValueError(f"pair {same[0]} has a node with itself, which is no pair to score")
    if len(found) == 0:
        raise ValueError("the network has no pair to score")
    return found.astype(np.uint32)


def _one_way(network: Network) -> npt.NDArray[np.uint32]:
    """The arcs without one back, of shape (m, 2)."""
    u, v, _ = network._core.edges()
    key, back = _keys(network, u, v, True), _keys(network, v, u, True)
    return np.column_stack([u, v])[~np.isin(back, key)]


def _keys(network: Network, u: npt.NDArray[Any], v: npt.NDArray[Any], arcs: bool) -> npt.NDArray[np.uint64]:
    """A number for each pair; of pairs without a direction, the same for both."""
    if not (network.is_directed and arcs):
        u, v = np.minimum(u, v), np.maximum(u, v)
    return np.asarray(u.astype(np.uint64) * np.uint64(max(network.n_nodes, 1)) + v.astype(np.uint64))


def _columns(pairs: Any) -> Any:
    """The first two columns of a table, the keys of a dictionary, or what is given."""
    if type(pairs).__module__.partition(".")[0] in ("pandas", "polars") and hasattr(pairs, "columns"):
        first, second = list(pairs.columns)[:2]
        return list(zip(list(pairs[first]), list(pairs[second])))
    if isinstance(pairs, dict) and {"u", "v"} <= set(pairs):
        return list(zip(list(pairs["u"]), list(pairs["v"])))
    return list(pairs) if isinstance(pairs, dict) else pairs


def _assumed(network: Network, pairs: npt.NDArray[np.uint32], noise: Optional[str], arcs: bool = False) -> str:
    """The noise that is assumed: added when every pair is an observed edge, removed when none is, else both."""
    u, v, _ = network._core.edges()
    edges = np.isin(_keys(network, pairs[:, 0], pairs[:, 1], arcs), _keys(network, u, v, arcs))
    observed, some = bool(edges.all()), bool(edges.any())
    if noise is None:
        return "added" if observed else "both" if some else "removed"
    _check.choice(noise, "noise", ("added", "removed", "both"))
    if noise == "removed" and observed:
        raise ValueError(
            "noise=\"removed\" looks for missing edges, but all pairs to score are observed ones: give candidates by pairs, or "
            "pairs=\"non-edges\""
        )
    return noise


def denoise(
    network: Any,
    method: str = "ensemble",
    pairs: Any = None,
    noise: Optional[str] = None,
    top: Optional[int] = None,
    negatives: Optional[str] = None,
    share: Optional[float] = None,
    random_state: RandomState = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> Denoised:
    """Rank pairs of nodes by how much they look like true edges, from the observed network alone.

    The same seed gives the same scores as ``ergodict network denoise``.

    Parameters
    ----------
    network : Network or network-like
        The observed network. Directions, weights and loops are ignored, with a warning.
    method : str, default "ensemble"
        How pairs are scored, one of :func:`methods`.
    pairs : array of shape (m, 2), list of pairs, table, or "non-edges", optional
        The pairs to score, by ids; by default every observed edge.
    noise : {"added", "removed", "both"}, optional
        Assumed error: false edges were added, true ones removed, or both. By default added when every pair is an observed edge,
        removed when none is, else both.
    top : int, optional
        Return only this number of pairs, most relevant first. By default 50 of all non-edges, else all pairs in the order given.
    negatives : {"all", "uniform", "mixed", "degree"}, optional
        What missing edges are to be distinguished from, of the method ensemble: all pairs without an edge (the top of the list counts), uniform ones, pairs with the
        degrees of missing edges, or some of both. By default all where all non-edges are ranked, else mixed.
    share : float, optional
        Assumed share of wrong edges, for probabilities: missing ones among the true edges (0.1 by default), false ones among the
        observed (estimated by default).
    random_state : int, Generator or None
        The seed.
    n_jobs : int, optional
        Threads; scores do not depend on it.
    verbose : bool, default False
        Whether to show progress.

    Returns
    -------
    Denoised
        Pairs and their scores.

    Examples
    --------
    >>> import ergodict
    >>> found = ergodict.denoise("@karate", method="resource-allocation", pairs="non-edges", top=5)
    >>> found.scores.shape
    (5,)
    """
    observed, name, digest = _networks.named(network)
    seed = seed_of(random_state)
    method = _ergodict.denoising_method(_check.word(method, "method"))
    if top is None and isinstance(pairs, str):
        top = _TOP
    if method != "ensemble" and not (negatives is None and share is None):
        raise ValueError(f"negatives and share are for the method ensemble, but the method is {method}")
    question = ("all" if isinstance(pairs, str) else "mixed") if negatives is None else _check.choice(negatives, "negatives", _NEGATIVES)
    if share is not None and not 0 < _check.finite(share, "share") < 1:
        raise ValueError(f"share is {share}, but it must be between 0 and 1")
    count = None if top is None else _check.count(top, "top", expected="at least one pair is to be given")
    lost = observed._core.lost_as_simple()
    if lost is not None:
        warn(f"ignored by denoising: {lost}", DataConversionWarning)
    numbers = _pairs_of(observed, pairs, method=method)
    assumed = _assumed(observed, numbers, noise)
    u, v = np.ascontiguousarray(numbers[:, 0]), np.ascontiguousarray(numbers[:, 1])
    given = pairs if pairs is None or isinstance(pairs, str) else "pairs.tsv"
    told = {"network": _report.about(observed, name, digest), "top": count, "pairs": given}
    with progress(verbose, "scoring", "‰") as show:
        scores, probabilities, evidence, notes, heads, reasons, page = _ergodict.denoise_scores(
            observed._core, u, v, method, assumed, question, share, seed, told, n_jobs, show
        )
    for words in page.warnings():
        warn(words, ConvergenceWarning)
    return Denoised(
        observed,
        numbers,
        scores,
        probabilities=probabilities,
        evidence=evidence.reshape(-1, 3),
        reasons=reasons,
        method=method,
        noise=assumed,
        notes=notes,
        heads=heads,
        seed=seed,
        top=count,
        page=page,
    )


def by_dictionary(estimator: NetworkDictionary, network: Any, pairs: Any, samples: int, parameters: dict[str, Any]) -> Denoised:
    """Scores of pairs by the atoms of an estimator, off-motif and shrunk. Directed networks are reconstructed with their directions."""
    observed = as_network(network)
    numbers = _pairs_of(observed, pairs, arcs=True)
    samples = _check.count(samples, "samples", expected="at least one sample is needed")
    told = {"mode": "off-motif", "shrinkage": _ergodict.DENOISING["shrinkage"] * samples}
    rebuilt = estimator.reconstruct(observed, samples, pairs=observed.ids(numbers), **{**told, **parameters})
    noise = _assumed(observed, numbers, None, arcs=True)
    seen = float(np.mean(rebuilt.counts > 0))
    notes = [*rebuilt.notes_, f"{samples} walks saw {100 * seen:.1f} % of the pairs; those never seen score 0"]
    return Denoised(observed, numbers, rebuilt.weights, method="dictionary", noise=noise, notes=notes, heads=[], seed=rebuilt.seed_)
