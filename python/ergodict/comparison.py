"""Networks compared: how well the latent motifs of each rebuild the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

from . import _ergodict, _network_options as options
from ._progress import progress
from ._random import RandomState, seed_of

if TYPE_CHECKING:
    from .network_dictionary import NetworkDictionary


class Comparison:
    """How well the atoms of each network rebuild the others, as :func:`compare` gives it.

    Parameters
    ----------
    names : list of str
        What the networks are called.
    found : dict
        What the extension found.
    measure : str
        What was measured.
    mode : str
        Which entries of patches counted.
    seed : int
        The seed.

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        The accuracy: a row for each dictionary, a column for each network that is rebuilt.
    edge_coverage : ndarray of shape (n, n)
        The share of edges that were seen.
    distances : ndarray of shape (n, n)
        How much worse two networks are rebuilt by each other's atoms than by their own, on average; 0 where they are not worse.
    merges : list of tuple
        Which are alike: two groups (networks are 0 to n - 1, later groups n and on) and the height at which they are joined, the closest first.
    sampler_ : str
        The sampler that was used.
    seed_ : int
        The seed.

    Examples
    --------
    >>> import ergodict
    >>> found = ergodict.compare(["@karate", "@kite"], n_components=2, k=4, steps=5, samples=1000, random_state=0)
    >>> found.distances.diagonal().tolist()
    [0.0, 0.0]
    """

    def __init__(self, names: list[str], found: dict[str, Any], measure: str, mode: str, seed: int) -> None:
        self.names, self.measure, self.mode, self.seed_ = names, measure, mode, seed
        self.matrix: npt.NDArray[np.float64] = found["matrix"]
        self.edge_coverage: npt.NDArray[np.float64] = found["edge_coverage"]
        self.distances: npt.NDArray[np.float64] = found["distances"]
        self.merges: list[tuple[int, int, float]] = found["merges"]
        self.sampler_: str = found["sampler"]

    def __repr__(self) -> str:
        n = len(self.names)
        own = float(np.mean(np.diag(self.matrix)))
        others = float((self.matrix.sum() - np.trace(self.matrix)) / max(n * n - n, 1))
        return f"Comparison({n} networks by {self.measure}: {own:.4f} by their own atoms, {others:.4f} by those of others)"

    def _repr_html_(self) -> str:
        from ._repr import table_html

        several = len(set(self.names)) < len(self.names) or "atoms of" in self.names
        headings = [f"{at + 1}. {name}" for at, name in enumerate(self.names)] if several else self.names
        columns: dict[str, list[Any]] = {"atoms of": list(headings), **{name: self.matrix[:, at].tolist() for at, name in enumerate(headings)}}
        facts = [("measure", self.measure), ("mode", self.mode), ("sampler", self.sampler_), ("seed", self.seed_)]
        return str(table_html(repr(self), columns, facts))

    def to_pandas(self) -> Any:
        """The matrix as a table, with a row for each dictionary.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.compare(["@karate", "@kite"], n_components=2, k=4, steps=5, samples=1000, random_state=0).to_pandas().shape
        (2, 2)
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install ergodict[networks]") from error
        return pandas.DataFrame(self.matrix, index=self.names, columns=self.names)


def compared(
    estimator: NetworkDictionary,
    networks: Any,
    *,
    samples: int = 200_000,
    measure: str = "jaccard",
    mode: str = "plain",
    threshold: float = 0.5,
    random_state: RandomState = None,
) -> Comparison:
    """Compares networks with the parameters of an estimator."""
    given = options.several(networks)
    if len(given) < 2:
        raise ValueError(f"at least two networks are compared, but {len(given)} is given")
    seed = seed_of(estimator.random_state if random_state is None else random_state)
    chains = options.REBUILDING_CHAINS if estimator.chains is None else estimator.chains
    sampling = options.sampling(
        estimator.k, estimator.motif, estimator.sampler, estimator.injective, estimator.every, estimator.burn_in, chains,
        estimator.component, estimator.lazy,
    )
    scheme = options.scheme(estimator)
    if scheme["init"] is None:
        raise ValueError("each network has a dictionary of its own: dict_init must be random or data")
    names = [one[1] for one in given]
    plan = {
        "steps": options.whole("steps", estimator.steps, 1, "at least one is needed"),
        "batch": options.whole("batch_size", estimator.batch_size, 1, "at least one is needed"),
        "samples": options.whole("samples", samples, 1, "at least one is needed"),
        "measure": options.choice("measure", measure, ("jaccard", "weighted-jaccard", "auc")),
        "mode": options.choice("mode", mode, ("plain", "off-chain")),
        "threshold": options.finite("threshold", threshold), "seed": seed, "names": names,
    }
    cores = [one[0]._core for one in given]
    with progress(estimator.verbose, "comparing", "patch") as show:
        found = _ergodict.compare_networks(cores, plan, scheme, sampling, estimator.n_jobs, show)
    return Comparison(names, found, measure, mode, seed)


def compare(
    networks: Any,
    *,
    samples: int = 200_000,
    measure: str = "jaccard",
    mode: str = "plain",
    threshold: float = 0.5,
    random_state: RandomState = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    **parameters: Any,
) -> Comparison:
    """Rebuilds every network by the latent motifs of every other, and tells how well that goes.

    The same seed gives the same matrix as ``ergodict network compare``.

    Parameters
    ----------
    networks : list of networks
        Two or more, each whatever :class:`Network` takes.
    samples : int, default 200000
        Homomorphisms of each reconstruction.
    measure : {"jaccard", "weighted-jaccard", "auc"}
        What is measured.
    mode : {"plain", "off-chain"}
        Which entries of patches count.
    threshold : float, default 0.5
        Pairs of a larger weight are called edges.
    random_state : int, Generator or None
        The seed.
    n_jobs : int, optional
        Threads.
    verbose : bool, default False
        Whether to tell of progress.
    **parameters
        Those of :class:`NetworkDictionary`.

    Returns
    -------
    Comparison
        The matrix, and which networks are alike.

    Examples
    --------
    >>> import ergodict
    >>> found = ergodict.compare(["@karate", "@florentine"], n_components=3, k=5, steps=10, samples=2000, random_state=0)
    >>> found.names, found.matrix.shape
    (['@karate', '@florentine'], (2, 2))
    """
    from .network_dictionary import NetworkDictionary

    estimator = NetworkDictionary(**parameters, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
    return compared(estimator, networks, samples=samples, measure=measure, mode=mode, threshold=threshold)
