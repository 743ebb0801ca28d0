"""Network dictionaries: the latent motifs of networks as a scikit-learn estimator."""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _ergodict, _network_options as options
from ._network_time import NetworkInTime
from ._network_options import REBUILDING_CHAINS, Named
from ._progress import progress
from ._random import RandomState, seed_of
from .comparison import Comparison, compared
from .denoising import Denoised, by_dictionary
from .models import READERS
from .network import Network, as_network
from .reconstruction import Reconstruction

Path = Union[str, "os.PathLike[str]"]


class NetworkDictionary(NetworkInTime):
    """The latent motifs of networks: atoms that the patches of random homomorphisms are made of.

    A motif (a path of `k` nodes, unless said otherwise) is placed into the network at random, again and again; the k×k matrix of the edges
    among its nodes is a patch, `batch_size` patches are a minibatch, and the online scheme learns nonnegative atoms from `steps` of them.
    The same seed and parameters give the same bytes as ``ergodict network learn``.

    Parameters
    ----------
    n_components : int, default 25
        Atoms.
    k : int, optional
        Nodes of the motif: 21, or those of the motif's edges.
    motif : {"chain", "star", "cycle", "complete"}, path or list of pairs
        The motif: a shape, a file that lists its edges, or the edges, of nodes that are numbered from 0.
    sampler : {"exact", "pivot", "pivot-approx", "glauber", "rejection"}, optional
        How homomorphisms are drawn. By default exact draws, glauber for motifs with cycles that are rare.
    steps : int, default 100
        Minibatches; of snapshots, those of each.
    batch_size : int, default 100
        Patches of a minibatch, shared among all networks and chains.
    chains : int, optional
        Independent chains that are learned from, 1 unless said otherwise; comparisons use as many, or 8.
    burn_in, every : int
        Steps of a chain before the first homomorphism, and from one to the next.
    injective : bool, default False
        Keep only homomorphisms whose nodes are all different.
    component : {"largest", "all"}
        Where homomorphisms go: into the largest component, or anywhere.
    lazy : bool, optional
        Whether pivots rest in half of their steps; by default where the network is bipartite.
    alpha : float, default 0.5
        The penalty of codes as in scikit-learn: the loss of a patch is ‖x − hW‖²/2 + alpha ‖h‖₁ (``--lambda`` is twice that).
    kappa1, kappa2 : float
        Added to the diagonal of the statistics; the weight of half the squared norm of codes.
    schedule : str, default "balanced"
        Weights of minibatches: balanced, linear, power:B or constant:C.
    dictionary, code : str
        Sets of atoms (nonneg-ball, ball, simplex, box, l1-ball, free) and of codes (nonneg, free, box:U, simplex:S).
    dict_init : {"random", "data"} or array of shape (n_components, k²) or (n_components, k, k)
        The first dictionary.
    normalise, unused, solver : str
        How columns enter the statistics (sum, per-column), what becomes of atoms that no code uses (keep, reseed), and how codes are found
        (fast, projected-gradient).
    tol, dict_tol, dict_sweeps : float, float, int
        Tolerances of coding and of the dictionary update, and its most sweeps.
    static : bool, default False
        Learn from all homomorphisms of one small network at once, each by its probability.
    n_examples : int, default 4
        Examples of each atom that a model file keeps.
    score_patches : int, default 1000
        Fresh patches of each snapshot or window that errors and the change score are measured on.
    dtype : {"float64", "float32"}
        The arithmetic.
    random_state : int, Generator or None
        The seed, recorded as ``seed_``.
    n_jobs : int, optional
        Threads; results do not depend on it.
    verbose : bool, default False
        Whether to tell of progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, k²)
        The atoms, in the order of the scheme.
    atoms_ : ndarray of shape (n_components, k, k)
        The same as matrices.
    dominance_, order_ : ndarray of shape (n_components,)
        How strongly patches use each atom, of sum 1; and the atoms from the most dominant on.
    history_ : dict of ndarray
        ``t``, ``samples``, ``loss`` and ``surrogate``, per patch.
    n_steps_, n_samples_seen_, surrogate_ : int, int, float
        Minibatches and patches learned from; the surrogate per patch at the end.
    seed_ : int
        The seed.
    motif_ : list of pairs
        The edges of the motif.
    sampler_ : str
        The sampler that was used.
    notes_ : list of str
        What there is to say of it.
    windows_, dominances_, dictionaries_ : ndarray
        Of a network at several times: what is known of each time, how strongly it uses each atom, and the atoms as they were then.

    Examples
    --------
    >>> import ergodict
    >>> model = ergodict.NetworkDictionary(6, k=8, steps=20, random_state=0).fit("@karate")
    >>> model.atoms_.shape
    (6, 8, 8)
    >>> model.reconstruct("@karate", samples=5000).edge_coverage
    1.0
    """

    def codes(self, patches: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The codes (n, n_components) of patches (n, k²) or (n, k, k).

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.codes(model.atoms_).shape
        (3, 3)
        """
        model = self._fitted()
        x = np.require(patches, dtype=np.float64, requirements=["C", "A"])
        x = x.reshape(len(x), -1) if x.ndim == 3 else x
        if x.ndim != 2:
            raise ValueError(f"patches have {x.ndim} axes, but 2 or 3 are needed: (n, k²) or (n, k, k)")
        return model.codes(x, self.n_jobs)

    def transform(self, network: Any, n: int = 1000, random_state: RandomState = None) -> npt.NDArray[np.float64]:
        """The codes of `n` random patches of a network, drawn as those that were learned from.

        Without a `random_state` they are others than those: the seed of the dictionary has a stream of its own for them.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.transform("@kite", n=10, random_state=0).shape
        (10, 3)
        """
        from .sampling import sample

        self._fitted()
        seed = _ergodict.coding_seed(self.seed_) if random_state is None else seed_of(random_state)
        drawn = sample(
            as_network(network), k=self.atoms_.shape[1], motif=self.motif_, sampler=self.sampler, injective=self.injective,
            burn_in=self.burn_in, every=self.every, component=self.component, lazy=self.lazy, random_state=seed,
        )
        return self.codes(drawn.patches(options.whole("n", n, 1, "at least one is needed")))

    def reconstruct(
        self,
        network: Any,
        samples: int = 200_000,
        *,
        mode: str = "plain",
        alpha: float = 0.0,
        shrinkage: float = 0.0,
        reversal: bool = False,
        pairs: Any = None,
        threshold: float = 0.5,
        sampler: Optional[str] = None,
        chains: Optional[int] = None,
        burn_in: int = 0,
        every: int = 1,
        injective: bool = False,
        component: str = "largest",
        lazy: Optional[bool] = None,
        memory: int = 2048,
        random_state: RandomState = None,
    ) -> Reconstruction:
        """Rebuilds a network, its own or another: the weight of a pair is what atoms make of it, on average over random patches.

        Parameters
        ----------
        network : Network or what one is made of
            The network.
        samples : int, default 200000
            Homomorphisms, over all chains.
        mode : {"plain", "off-chain"}
            Which entries of patches count: all, or not those at edges of the motif itself.
        alpha : float, default 0
            The penalty of codes as in scikit-learn (``--lambda`` is twice that).
        shrinkage : float, default 0
            The weight is sum / (count + shrinkage), so that pairs seen more often are trusted more (``--alpha``).
        reversal : bool, default False
            Use every atom also from end to end.
        pairs : array of shape (m, 2) or list of pairs, optional
            Only these pairs of ids, in their order.
        threshold : float, default 0.5
            Pairs of a larger weight are called edges.
        sampler, chains, burn_in, every, injective, component, lazy
            How homomorphisms are drawn: by default pivot-approx for trees, on 8 chains in the largest component, however the atoms were
            learned.
        memory : int, default 2048
            Mebibytes that sums may take in memory; the rest goes to a temporary file.
        random_state : int, Generator or None
            The seed; by default that of the dictionary.

        Returns
        -------
        Reconstruction
            Pairs, weights and counts, and how well it went.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.reconstruct("@karate", samples=1000, pairs=[(1, 2), (1, 34)]).counts.shape
        (2,)
        """
        model, rebuilt = self._fitted(), as_network(network)
        wanted = None if pairs is None else rebuilt.index_pairs(pairs).astype(np.uint32)
        seed = self.seed_ if random_state is None else seed_of(random_state)
        plan = {
            "samples": options.whole("samples", samples, 1, "at least one homomorphism is needed"),
            "lambda": 2.0 * options.not_negative("alpha", alpha), "mode": options.choice("mode", mode, ("plain", "off-chain")),
            "alpha": options.not_negative("shrinkage", shrinkage), "reversal": options.flag("reversal", reversal),
            "threshold": options.finite("threshold", threshold), "seed": seed,
            "memory": options.whole("memory", memory, 1, "at least one mebibyte is needed"),
        }
        # Nothing is taken over from how the atoms were learned, as `ergodict network reconstruct --model` has it.
        several = REBUILDING_CHAINS if chains is None else chains
        sampling = options.sampling(None, None, sampler, injective, every, burn_in, several, component, lazy)
        two = None if wanted is None else (np.ascontiguousarray(wanted[:, 0]), np.ascontiguousarray(wanted[:, 1]))
        with progress(self.verbose, "rebuilding", "homomorphism") as show:
            found = _ergodict.rebuild(model, rebuilt._core, plan, sampling, two, self.n_jobs, show)
        options.warn_of_parts(found["notes"])
        found["notes"] += self._notes_on(rebuilt, found["sampler"])
        return Reconstruction(
            rebuilt, found, wanted=wanted is not None, largest=component == "largest", shrinkage=float(shrinkage),
            threshold=float(threshold), samples=int(samples), mode=mode, seed=seed,
        )

    def _notes_on(self, network: Network, sampler: str) -> list[str]:
        """What there is to say of a network that is rebuilt, by the side of those that were learned from."""
        form = json.loads(self._fitted().header())["network"]
        notes = []

        def kind(directed: bool, weighted: bool) -> str:
            return f"{'directed' if directed else 'undirected'}, {'with' if weighted else 'without'} weights"

        if (form["directed"], form["weighted"]) != (network.is_directed, network.is_weighted):
            here, there = kind(network.is_directed, network.is_weighted), kind(form["directed"], form["weighted"])
            notes.append(f"the network is {here}, and the model was learned from networks {there}")
        if self.sampler_ in ("exact", "pivot", "pivot-approx", "glauber", "rejection") and self.sampler_ != sampler:
            notes.append(
                f"the atoms were learned from patches of the {self.sampler_} sampler, and the network is rebuilt from those of {sampler}, "
                "which see it differently: sampler sets it, here and in the estimator"
            )
        return notes

    def denoise(self, network: Any, pairs: Any = None, samples: int = 200_000, **parameters: Any) -> Denoised:
        """Scores pairs by what these atoms make of them off the chain; by default every observed edge.

        The scores are shrunk as ``method="ndr-off-chain"`` of :func:`denoise` does, which learns atoms of its own. Further parameters are
        those of :meth:`reconstruct`. Of a directed network the pairs are arcs, from the first node to the second.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(4, k=6, steps=10, random_state=0).fit("@karate")
        >>> len(model.denoise("@karate", samples=5000).scores)
        78
        """
        return by_dictionary(self, network, pairs, samples, parameters)

    def compare(self, networks: Any, **parameters: Any) -> Comparison:
        """Rebuilds every network by the latent motifs of every other: :func:`compare` with the parameters of this estimator.

        It need not be fitted.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(2, k=4, steps=5, random_state=0)
        >>> model.compare(["@karate", "@kite"], samples=2000).matrix.shape
        (2, 2)
        """
        return compared(self, networks, **parameters)

    def examples(self, network: Any = None, n: Optional[int] = None) -> list[list[dict[str, Any]]]:
        """Subgraphs that each atom makes the largest share of, of the networks that were learned from or of another.

        Each is a dictionary: ``network`` (its place among those given), ``nodes`` (ids in the order of the motif), ``entries`` (rows and
        columns of the patch that are not 0, of undirected networks once) and ``share``.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> [len(found) for found in model.examples(n=2)]
        [2, 2, 2]
        """
        model = self._fitted()
        if network is None and n is None:
            told, given = json.loads(self._whole_model().header()), self._looked_at()
        else:
            given = options.several(network) if network is not None else self._looked_at()
            if not given:
                raise ValueError("a model that was loaded has no network to look for examples in: give one")
            plan = {
                "steps": 1, "batch": len(given), "snapshots": False, "seed": self.seed_, "after": 0, "names": [one[1] for one in given],
                "examples": options.whole("n", 4 if n is None else n, 1, "at least one is needed"), "digests": [""] * len(given),
                "score_patches": self._score_patches(), "more": [], "timing": None, "spans": [None] * len(given), "times": "numbers",
                "before": 0, "gone": 0, "form": None,
            }
            sampling = {**self._sampling(), "motif": None, "edges": self.motif_, "k": self.atoms_.shape[1], "chains": 1}
            learner = _ergodict.NetworkLearner([one[0]._core for one in given], plan, options.scheme(self), sampling)
            learner.take(model)
            told = json.loads(learner.model(True, self.n_jobs).header())
        found = told["run"].get("examples") or [[] for _ in self.components_]
        return [[_with_ids(one, given) for one in examples] for examples in found]

    def _looked_at(self) -> list[Named]:
        """The networks that examples are from: of windows of time the last, of snapshots those that were learned from and are still there."""
        named: list[Named] = self.__dict__.get("_named", [])
        plan = self._arguments["plan"] if named or self.__dict__.get("_windows") is not None else {"timing": None}
        if plan["timing"] is not None:
            return [(self._last_network(), "", "")]
        if not named or self._fitted().over_time() is None:
            return named
        told = self.windows_[plan["gone"] :]
        return [one for one, window in zip(named, told) if not window["passed_over"]] if len(told) == len(named) else named

    def plot(self, **parameters: Any) -> Any:
        """Draws the atoms, the most dominant first: :func:`ergodict.plot.atoms` with these parameters. Returns its axes."""
        from . import plot

        self._fitted()
        return plot.atoms(self, **parameters)

    # Files.

    def save(self, path: Path) -> None:
        """Writes the model file that ``ergodict network learn`` writes for the same networks, parameters and seed.

        Examples
        --------
        >>> import ergodict, os, tempfile
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "karate.safetensors"))
        ...     again = ergodict.NetworkDictionary.load(os.path.join(folder, "karate.safetensors"))
        >>> bool((again.components_ == model.components_).all())
        True
        """
        self._whole_model().save(os.fspath(path))

    @classmethod
    def load(cls, path: Path) -> NetworkDictionary:
        """Opens a model file of networks, written here or by the command line.

        Examples
        --------
        See :meth:`save`.
        """
        model = _ergodict.NetworkModel.load(os.fspath(path))
        told = json.loads(model.header())
        estimator = cls(**_parameters_of(told))
        estimator._learned(model)
        return estimator



def _opened(path: Any, dictionary: Any) -> NetworkDictionary:
    """The estimator of a model file of networks, for :func:`ergodict.load`."""
    if dictionary is not None:
        raise ValueError("a model of networks has a dictionary set that its name describes: leave dictionary out")
    return NetworkDictionary.load(path)


READERS["network"] = _opened


def _parameters_of(told: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the estimator that a model file tells of."""
    config, scheme, form = told["run"].get("config") or {}, told["parameters"], told["network"]
    shape = form["motif"] if form["motif"] in ("chain", "star", "cycle", "complete") else [tuple(edge) for edge in form["edges"]]
    lazy = {"yes": True, "no": False}.get(config.get("lazy", "auto"))
    init = config.get("init", "random")
    found = {
        "n_components": scheme["atoms"], "alpha": scheme["lambda"] / 2.0, "tol": scheme["tolerance"],
        "dict_tol": scheme["dictionary-tolerance"], "dict_sweeps": scheme["dictionary-sweeps"],
        **{name: scheme[name] for name in ("kappa1", "kappa2", "schedule", "dictionary", "code", "normalise", "unused", "solver")},
        "k": form["k"], "motif": shape, "lazy": lazy, "random_state": told["seed"],
        "dtype": "float32" if told["precision"] == "f32" else "float64", "dict_init": init if init in ("random", "data") else "random",
        "static": bool(config.get("static", False)), "burn_in": config.get("burn-in", 0), "batch_size": config.get("batch", 100),
        "n_examples": config.get("examples", 4), "score_patches": config.get("score-patches", 1000),
        **{name: config[name] for name in ("sampler", "every", "injective", "component") if name in config},
    }
    if config.get("chains", 1) != 1:
        # One chain is what learning takes unless said otherwise, and comparisons then take more.
        found["chains"] = config["chains"]
    if "steps" in config:
        # Of snapshots that were learned from for unequal times, the last is what would be gone on with.
        found["steps"] = config["steps"][-1] if isinstance(config["steps"], list) else config["steps"]
    return found


def _with_ids(example: dict[str, Any], given: list[Named]) -> dict[str, Any]:
    """An example with ids of nodes for their names, where the network is known."""
    if example["network"] >= len(given):
        return example
    network = given[example["network"]][0]
    names = network._core.names()
    if isinstance(names, list):
        return example
    numbers = np.array([int(name) for name in example["nodes"]], dtype=np.int64)
    places = numbers if names is None else np.searchsorted(names, numbers)
    return {**example, "nodes": network.ids(places).tolist()}
