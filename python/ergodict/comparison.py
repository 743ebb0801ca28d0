"""Networks compared: how well the latent motifs of each fit the others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict, _networks, _report
from ._repr import imported_pandas
from ._progress import progress
from ._random import RandomState, seed_of
from ._warn import warn

if TYPE_CHECKING:
    from .network_dictionary import NetworkDictionary

#: Measures of fit: the relative error of fresh walks, and accuracies of reconstructions.
_MEASURES = ("error", "jaccard", "weighted-jaccard", "auc")


class Comparison(_report.ReportMixin):
    """How well the dictionaries of each network fit the others, returned by :func:`compare`.

    Parameters
    ----------
    names : list of str
        Names of the networks.
    found : dict
        Results of the extension.
    measure : str
        Measure of fit.
    mode : str
        Entries of patches that count in a reconstruction.
    seed : int
        Seed.

    Attributes
    ----------
    finding : str
        Conclusion in one sentence: the most similar pair, "not distinguishable", or "Inconclusive".
    conclusive : bool
        Whether no network is fitted better by a foreign dictionary than by its own, beyond error.
    closest : list of tuple
        Closest pairs of networks: several where they are within error of each other.
    matrix, matrix_standard_errors : ndarray of shape (n, n)
        Relative errors on fresh walks, or accuracies: a row for each dictionary, a column for each network.
    distances, standard_errors : ndarray of shape (n, n)
        Distances, (log2 E(i,j)/E(j,j) + log2 E(j,i)/E(i,i))/2 or the mean loss of accuracy, and their errors over dictionaries and walks.
    rewired : ndarray of shape (n,)
        The same measure for the dictionary of a degree-preserving rewiring of each network; nan without one.
    rewired_distances, rewired_standard_errors : ndarray of shape (n,)
        Distance of each network from its rewired copy.
    edge_coverage : ndarray of shape (n, n) or None
        Share of edges that reconstructions visited; None for ``"error"``.
    merges : list of tuple
        Average linkage: two clusters (networks are 0 to n - 1, later clusters n and above) and their distance, the closest first.
    tree : list of tuple or None
        The same with branches contracted that are not longer than their errors; None where there is nothing to show.
    sampler_ : str
        Sampler.
    notes_ : list of str
        Weights that are ignored, why networks have no rewired copy, and mean degrees that differ.
    seed_ : int
        Seed.

    Examples
    --------
    >>> import ergodict
    >>> found = ergodict.compare(["@karate", "@davis"], random_state=0)
    >>> found.closest, bool(found.distances[0, 1] > 2 * found.standard_errors[0, 1])
    ([(0, 1)], True)
    """

    def __init__(self, names: list[str], found: dict[str, Any], measure: str, mode: str, seed: int) -> None:
        self.names, self.measure, self.mode, self.seed_ = names, measure, mode, seed
        self.finding: str = found["finding"]
        self.conclusive: bool = found["conclusive"]
        self.closest: list[tuple[int, int]] = found["closest"]
        self.matrix: npt.NDArray[np.float64] = found["matrix"]
        self.matrix_standard_errors: npt.NDArray[np.float64] = found["matrix_standard_errors"]
        self.distances: npt.NDArray[np.float64] = found["distances"]
        self.standard_errors: npt.NDArray[np.float64] = found["standard_errors"]
        self.rewired: npt.NDArray[np.float64] = found["rewired"]
        self.rewired_distances: npt.NDArray[np.float64] = found["rewired_distances"]
        self.rewired_standard_errors: npt.NDArray[np.float64] = found["rewired_standard_errors"]
        self.edge_coverage: Optional[npt.NDArray[np.float64]] = found["edge_coverage"]
        self.merges: list[tuple[int, int, float]] = found["merges"]
        self.tree: Optional[list[tuple[int, int, float]]] = found["tree"]
        self.sampler_: str = found["sampler"]
        self.notes_: list[str] = found["notes"]
        self._page: _ergodict.Page = found["page"]

    def __repr__(self) -> str:
        return f"Comparison({len(self.names)} networks by {self.measure}: {self.finding})"

    def _repr_html_(self) -> str:
        from ._repr import table_html

        several = len(set(self.names)) < len(self.names) or "dictionary" in self.names
        headings = [f"{at + 1}. {name}" for at, name in enumerate(self.names)] if several else self.names
        columns: dict[str, list[Any]] = {
            "dictionary": [*headings, "rewired"],
            **{name: [f"{value:.3g}" for value in (*self.matrix[:, at], self.rewired[at])] for at, name in enumerate(headings)},
        }
        facts = [("measure", self.measure), ("sampler", self.sampler_), ("seed", self.seed_), *(("note", note) for note in self.notes_)]
        apart = {"distance": headings}
        for at, name in enumerate(headings):
            both = zip(self.distances[:, at], self.standard_errors[:, at])
            apart[name] = ["–" if other == at else f"{value:.3f} ± {error:.3f}" for other, (value, error) in enumerate(both)]
        return str(table_html(self.finding, columns, facts)) + str(table_html("", apart))

    def _write_page(self, file: str) -> None:
        self._page.save(file)

    def to_pandas(self, what: str = "matrix") -> Any:
        """The matrix as a table with a row for each dictionary, or the distances.

        Parameters
        ----------
        what : {"matrix", "matrix_standard_errors", "distances", "standard_errors"}
            Attribute to tabulate.

        Examples
        --------
        >>> import ergodict
        >>> found = ergodict.compare(["@karate", "@kite"], n_components=2, k=4, steps=5, samples=1000, random_state=0)
        >>> found.to_pandas("distances").shape
        (2, 2)
        """
        tables = ("matrix", "matrix_standard_errors", "distances", "standard_errors")
        values = getattr(self, _check.choice(what, "what", tables))
        pandas = imported_pandas()
        return pandas.DataFrame(values, index=self.names, columns=self.names)


def _given(networks: Any, names: Optional[Sequence[str]]) -> list[_networks.Named]:
    """The networks of a list or a dict, by their names."""
    if isinstance(networks, Mapping):
        if names is not None:
            raise ValueError("names are given twice: by the keys of networks and by names")
        names, networks = [str(name) for name in networks], list(networks.values())
        given = [_networks.named(one, at) for at, one in enumerate(networks)]
    else:
        given = _networks.several(networks)
    if len(given) < 2:
        raise ValueError(f"at least two networks are compared, but {len(given)} is given")
    if names is None:
        return given
    names = [names] if isinstance(names, str) else [str(name) for name in names]
    if len(names) != len(given):
        raise ValueError(f"names has {len(names)} names, but there are {len(given)} networks")
    return [(network, name, digest) for (network, _, digest), name in zip(given, names)]


def compared(
    estimator: NetworkDictionary,
    networks: Any,
    *,
    names: Optional[Sequence[str]] = None,
    seeds: int = _ergodict.COMPARING["seeds"],
    samples: Optional[int] = None,
    rewired: bool = True,
    measure: str = "error",
    mode: str = "plain",
    threshold: float = 0.5,
    random_state: RandomState = None,
    checkpoint: Optional[Union[str, "os.PathLike[str]"]] = None,
    resume: bool = False,
) -> Comparison:
    """Compares networks with the parameters of an estimator."""
    weights: list[str] = []
    given = _networks.weighed(_given(networks, names), estimator.weighted, estimator.weights, weights)
    seed = seed_of(estimator.random_state if random_state is None else random_state)
    chains = _ergodict.DENOISING["chains"] if estimator.chains is None else estimator.chains
    sampling = _check.sampling(
        estimator.k, estimator.motif, estimator.sampler, estimator.injective, estimator.every, estimator.burn_in, chains,
        estimator.component, estimator.lazy,
    )
    steps = _check.count(estimator.steps, "steps", expected="at least one is needed")
    scheme = estimator._scheme(sampling, steps)
    if scheme["init"] != "random":
        raise ValueError("each network starts from a random dictionary of its own: dict_init must be random")
    called = [one[1] for one in given]
    seeds = _check.count(seeds, "seeds", expected="an error is from at least two dictionaries")
    if seeds < 2:
        raise ValueError(f"seeds is {seeds}, but an error is from at least two dictionaries")
    plan = {
        "steps": steps,
        "batch": _check.count(estimator.batch_size, "batch_size", expected="at least one is needed"),
        "seeds": seeds,
        "samples": None if samples is None else _check.count(samples, "samples", expected="at least one is needed"),
        "rewired": bool(rewired), "weighted": estimator.weighted, "weights": estimator.weights,
        "measure": _check.choice(measure, "measure", _MEASURES),
        "mode": _check.choice(mode, "mode", ("plain", "off-motif")),
        "threshold": _check.finite(threshold, "threshold"), "seed": seed, "names": called, "digests": [one[2] for one in given],
        "checkpoint": None if checkpoint is None else os.path.abspath(os.fspath(checkpoint)), "resume": bool(resume),
    }
    if resume and checkpoint is None:
        raise ValueError("resume needs a checkpoint, but none is named")
    cores = [one[0]._core for one in given]
    with progress(estimator.verbose, "comparing", "patch") as show:
        found = _ergodict.compare_networks(cores, plan, scheme, sampling, estimator.n_jobs, show)
    about = [*weights, *found.pop("parts")]
    _networks.warn_of_parts(about)
    for warning in found.pop("warnings"):
        warn(warning)
    return Comparison(called, {**found, "notes": [*about, *found["notes"]]}, measure, mode, seed)


def compare(
    networks: Any,
    *,
    names: Optional[Sequence[str]] = None,
    seeds: int = _ergodict.COMPARING["seeds"],
    samples: Optional[int] = None,
    rewired: bool = True,
    measure: str = "error",
    mode: str = "plain",
    threshold: float = 0.5,
    random_state: RandomState = None,
    checkpoint: Optional[Union[str, "os.PathLike[str]"]] = None,
    resume: bool = False,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
    **parameters: Any,
) -> Comparison:
    """Compare networks by how well their latent motifs fit each other's walks.

    Several dictionaries are learned from each network and measured on walks that nothing was learned from. The same seed
    gives the same numbers as ``ergodict network compare``.

    Parameters
    ----------
    networks : list of networks, or dict of names and networks
        Two or more, each anything that :class:`Network` takes.
    names : list of str, optional
        Names of the networks.
    seeds : int
        Dictionaries per network, from different seeds, for standard errors.
    samples : int, optional
        Fresh walks per network, 10000 by default; 200000 per reconstruction.
    rewired : bool, default True
        Compare with a degree-preserving rewiring of each network.
    measure : {"error", "jaccard", "weighted-jaccard", "auc"}
        Relative error of fresh walks, or an accuracy of reconstructions.
    mode : {"plain", "off-motif"}
        Entries of patches that count in a reconstruction.
    threshold : float, default 0.5
        Pairs of a larger weight are edges of a reconstruction.
    random_state : int, Generator or None
        Seed.
    checkpoint : path, optional
        File for the dictionaries and cells so far, saved every 30 seconds and when interrupted; deleted at the end.
    resume : bool, default False
        Continue from the checkpoint, if there is one. The result is that of an uninterrupted run.
    n_jobs : int, optional
        Threads.
    verbose : bool, default False
        Whether to show progress.
    **parameters
        Those of :class:`NetworkDictionary`, with other defaults.

    Returns
    -------
    Comparison
        Errors, distances with standard errors, and the conclusion.

    Examples
    --------
    >>> import ergodict
    >>> found = ergodict.compare({"club": "@karate", "families": "@florentine"}, k=5, steps=10, samples=2000, random_state=0)
    >>> found.names, found.matrix.shape
    (['club', 'families'], (2, 2))
    """
    from .network_dictionary import NetworkDictionary

    defaults = {key: value for key, value in _ergodict.COMPARING.items() if key != "seeds"}
    if parameters.get("motif", "path") not in ("path", "chain", "star", "cycle", "complete"):
        del defaults["k"]  # the motif has its own number of nodes
    estimator = NetworkDictionary(**{**defaults, **parameters}, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
    return compared(
        estimator, networks, names=names, seeds=seeds, samples=samples, rewired=rewired, measure=measure, mode=mode,
        threshold=threshold, checkpoint=checkpoint, resume=resume,
    )
