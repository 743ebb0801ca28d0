"""Network dictionaries: the latent motifs of networks as a scikit-learn estimator."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Optional, TypeVar, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from . import _check, _ergodict, _networks, _report
from ._learned import Learned, described, warn_of_function
from ._networks import Named
from ._progress import progress
from ._random import RandomState, seed_of
from ._record import NetworkRecord, OverTime
from ._repr import EstimatorRepr
from ._settings import SAMPLING, SCHEME, SETTINGS, NetworkParameters
from ._warn import warn
from .comparison import Comparison, compared
from .denoising import Denoised, by_dictionary
from .models import READERS, set_of
from .network import Network, as_network
from .reconstruction import Reconstruction
from .timed import TimedEdges, Window, Windows

Path = Union[str, "os.PathLike[str]"]
#: When a window begins and ends: numbers, or seconds since 1970.
Span = tuple[float, float]

Self = TypeVar("Self", bound="NetworkDictionary")
#: Samplers of a model file.
_SAMPLERS = ("walk", "exact", "pivot", "pivot-approx", "glauber", "rejection")


@described
class NetworkDictionary(NetworkParameters, EstimatorRepr, Learned, _report.ModelReportMixin, BaseEstimator):
    """The latent motifs of networks: atoms of sampled subgraphs.

    Motif samples (walks of `k` nodes by default) are drawn from the network. The k×k adjacency matrix of a sample is a patch,
    `batch_size` patches are a minibatch, and nonnegative atoms are learned online from `steps` minibatches.
    The same seed and parameters give the same bytes as ``ergodict network learn``.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, k²)
        Atoms, in the order of learning.
    atoms_ : ndarray of shape (n_components, k, k)
        The same as matrices.
    dominance_, order_ : ndarray of shape (n_components,)
        Share of each atom in all codes; indices of the atoms, most dominant first.
    history_ : dict of ndarray
        ``step``, ``samples``, ``loss`` and ``surrogate`` per patch; ``gap_step``, ``gap`` (stationarity gap) and ``change`` at some steps.
    n_steps_, n_samples_seen_, surrogate_ : int, int, float
        Minibatches and patches learned from; the surrogate per patch at the end.
    seed_ : int
        The seed.
    motif_ : list of pairs
        The edges of the motif.
    sampler_ : str
        Sampler used.
    notes_ : list of str
        Warnings raised by fit.
    windows_, dominances_, dictionaries_ : ndarray
        For networks in time: facts, dominances and atoms per window.

    Examples
    --------
    >>> import ergodict
    >>> model = ergodict.NetworkDictionary(6, k=8, steps=20, random_state=0).fit("@karate")
    >>> model.atoms_.shape
    (6, 8, 8)
    >>> model.reconstruct("@karate", samples=5000).edge_coverage
    1.0
    """

    # Learning.

    def fit(self: Self, networks: Any, y: object = None, *, snapshots: bool = False) -> Self:
        """Learn from one network, several, or one at several times.

        Parameters
        ----------
        networks : network, list of networks, Windows or TimedEdges
            Anything :class:`Network` takes, or a list: each minibatch then has patches of all. Time windows are learned in
            order, `steps` minibatches each; edges with times are cut into 20 windows.
        y : ignored
            For scikit-learn.
        snapshots : bool, default False
            The networks are one at several times, in their order: chains continue from each to the next where possible. Then, and of windows,
            ``windows_``, ``dominances_`` and ``dictionaries_`` have a row per window.

        Returns
        -------
        NetworkDictionary
            Itself.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit(["@karate", "@kite"]).n_samples_seen_
        500
        """
        self._prepare(networks, snapshots)
        self._run(None)
        self._warn(whole=True)
        return self

    def _warn(self, *, whole: bool = False) -> None:
        """Warns of what was learned: after `fit` also of chains and networks, which takes time, and otherwise of codes that are all zero."""
        found = self._learner.warnings(self.n_jobs) if whole and self._learner is not None else self._fitted().warnings()
        for words in found:
            warn(words, ConvergenceWarning)

    def _prepare(self, networks: Any, snapshots: object) -> None:
        """Makes chains ready on what is given."""
        seed, steps = seed_of(self.random_state), self._steps()
        if isinstance(networks, (TimedEdges, Windows)):
            windows = networks.windows() if isinstance(networks, TimedEdges) else networks
            self._weight_notes: list[str] = []
            if self.weights != "linear":
                raise ValueError("rows with times have their weights as they are: leave weights out")
            if not _check.flag(self.weighted, "weighted"):
                windows = windows._unweighted()
            self._start([], True, seed, steps, windows=windows)
            return
        given, spans, times = self._given(networks)
        several = _check.flag(snapshots, "snapshots")
        if several and len(given) < 2:
            raise ValueError("snapshots needs at least two networks, but one is given")
        self._start(given, several, seed, steps, spans=spans, times=times)

    def partial_fit(self: Self, networks: Any = None, y: object = None, *, steps: Optional[int] = None) -> Self:
        """Continue learning with `steps` more minibatches, by default those that an interrupted fit left, else the parameter `steps`.

        Without a network, or with the same, the chains continue where they are. With another, the next state of the network, they
        continue there if possible and restart otherwise; the last row of ``windows_`` has how many, and the change score. A loaded model
        needs the network: new chains start in it, with their own streams of random numbers.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.partial_fit(steps=2).n_steps_
        7
        """
        self._go_on(networks, steps)
        self._warn()
        return self

    def _go_on(self, networks: Any, steps: Optional[int]) -> None:
        given: Optional[list[Named]] = None
        spans: list[Optional[Span]] = []
        times = "numbers"
        if networks is not None:
            given, spans, times = self._given(networks)
        more = None if steps is None else _check.count(steps, "steps", expected="at least one is needed")
        if self._state is None and self._learner is None:
            if self.__dict__.get("_model") is not None and self._record.is_static:
                raise ValueError("a dictionary of all motif samples is learned at once and cannot be continued")
            if given is None:
                raise NotFittedError("there is no network to learn from: give one, or call fit first")
            loaded = self.__dict__.get("_model")
            seed = seed_of(self.random_state) if loaded is None else self.seed_
            # A model that was learned over time has learned from all windows before: what is given now is the next.
            parts = None if loaded is None else loaded.over_time()
            kept = None if parts is None else OverTime.read(parts)
            before = 0 if kept is None else len(kept.windows)
            if kept is not None and np.any(np.isfinite(kept.windows["start"])):
                times = kept.times
            if before and len(given) > 1:
                raise ValueError(f"the number of networks is {len(given)}, but only one can be the next window of a dictionary over time")
            self._start(given, before > 0, seed, more or self._steps(), loaded, spans=spans, times=times, before=before)
            self._run(None)
            return
        learner = self._engine()
        made, planned = learner.made()
        # A window is a time of its own, also where the network is the same as before.
        if given is not None and (any(spans) or not self._is_now(given)):
            self._follow(given, more or self._steps(), spans[0], times)
            self._run(None)
            return
        # What is left is up to the last window, some of which may be passed over.
        until = made + more if more is not None else None if made < planned else made + self._steps()
        self._run(until)

    def _is_now(self, given: list[Named]) -> bool:
        """Whether networks are those that the chains are in: all, or the last of snapshots."""
        now, all_of_them = [one[0] for one in given], [one[0] for one in self._named]
        if not all_of_them:
            return False
        return now == all_of_them or bool(self._arguments["plan"]["snapshots"]) and now == all_of_them[-1:]

    def _follow(self, given: list[Named], steps: int, span: Optional[Span] = None, times: str = "numbers") -> None:
        if len(given) > 1:
            raise ValueError(f"the number of networks is {len(given)}, but only a run on one network follows its changes")
        network, name, digest = given[0]
        before = [one[0] for one in self._named]
        core = network._core
        native = all(map(_networks.is_native, [*before, network]))
        if native and self._windows is not None:
            native = self._windows.rows._own is None
        # Scores are of copies, which must not add to the ids of this.
        ids = dict(self._ids)
        if ids or not native:
            # Chains follow by names: those of other ids are numbers, in the order in which the networks have them.
            if not ids:
                if self._windows is not None or any(one._core.names() is not None for one in before[:1]):
                    raise ValueError("ids are neither all integers nor all strings, and chains follow a network only by such names")
                for node in (node for one in before for node in one.nodes):
                    ids.setdefault(node, len(ids))
            core = _networks.in_common([network], ids)[0]
        learner, plan = self._engine(), self._arguments["plan"]
        # The first times say what all are; those of windows are known already.
        known = self._windows is not None or plan["timing"] is not None or any(plan["spans"]) or plan["before"] and plan["times"] != "numbers"
        kind = plan["times"] if known or span is None else times
        learner.follow(core, name, digest, steps, span, kind, self.n_jobs)
        self._named, self._ids = [*self._named, given[0]], ids
        self._arguments = {**self._arguments, "networks": [*self._arguments["networks"], core]}
        self._arguments["plan"] = {
            **plan, "snapshots": True, "names": [*plan["names"], name], "digests": [*plan["digests"], digest], "more": [*plan["more"], steps],
            "spans": [*plan["spans"], span], "times": kind,
        }

    def _followed(self) -> bool:
        """Whether networks came after those that were learned from at first."""
        plan = self._arguments["plan"]
        return bool(plan["more"]) or plan["gone"] > plan["before"]

    def _let_go(self) -> None:
        """Lets go of networks that chains have left: only the last two windows are needed to continue."""
        if self._learner is None or not self._followed():
            return
        plan, gone = self._arguments["plan"], self._learner.forget()
        if gone == plan["gone"]:
            return
        # Windows of time, where there are any, come before the networks that followed them, and go together.
        many = gone - plan["gone"] - (0 if self._windows is None else len(self._windows))
        networks = self._arguments["networks"][many:]
        # A run that is made again begins with the first that is left: only those after it are followed.
        more = plan["more"][max(len(plan["more"]) - len(networks) + 1, 0) :]
        sampler, form = self._learner.chosen
        self._named, self._windows = self._named[many:], None
        self._arguments = {
            **self._arguments, "networks": networks, "windows": None, "sampling": {**self._arguments["sampling"], "sampler": sampler},
            "plan": {**plan, "gone": gone, "more": more, "spans": plan["spans"][many:], "form": form},
        }

    def _given(self, networks: Any) -> tuple[list[Named], list[Optional[Span]], str]:
        """Networks as they are learned from, when they begin and end, where that is known, and what such times are."""
        given, spans, times = _given(networks)
        self._weight_notes = []
        return _networks.weighed(given, self.weighted, self.weights, self._weight_notes), spans, times

    def _score_patches(self) -> int:
        return _check.count(self.score_patches, "score_patches", 20, expected="an error is from twenty batches of at least one")

    def _steps(self) -> int:
        return _check.count(self.steps, "steps", expected="at least one is needed")

    def _permutations(self) -> int:
        many = _check.count(self.null_permutations, "null_permutations", 0, expected="it must not be negative")
        if 0 < many < 19:
            raise ValueError(f"null_permutations is {many}, but it must be 0, or at least 19 to find any change")
        return many

    def _sampling(self) -> dict[str, Any]:
        chains = 1 if self.chains is None else self.chains
        return _check.sampling(
            self.k, self.motif, self.sampler, self.injective, self.every, self.burn_in, chains, self.component, self.lazy
        )

    def _scheme(self, sampling: dict[str, Any], steps: int) -> dict[str, Any]:
        """What the extension takes for the online scheme; `steps` are those that a function gives weights."""
        atoms = _check.whole(self.n_components, "the number of atoms", 1, "a dictionary has at least one")
        return _check.scheme(self, atoms, _check.motif_nodes(sampling) ** 2, _check.single(self.dtype), steps)

    def _plan(self, networks: list[Named], steps: int, batch: int, examples: int, seed: int) -> dict[str, Any]:
        """A run on networks side by side."""
        copies = self.rewired_copies
        if copies is not None:
            copies = _check.count(copies, "rewired_copies", 0, expected="it must not be negative")
        # All settings of the run, some of them checked above or before.
        given, table = self.get_params(deep=False), SETTINGS["network learn"]
        own = given.keys() & table.keys() - SCHEME.keys() - SAMPLING.keys() - {"dtype", "random_state"}
        return {
            **{table[name].key.replace("-", "_"): given[name] for name in own},
            "steps": steps, "batch": batch, "snapshots": False, "seed": seed, "after": 0, "examples": examples,
            "rewired_copies": copies, "weighted": self.weighted, "weights": self.weights,
            "names": [one[1] for one in networks], "digests": [one[2] for one in networks], "score_patches": self._score_patches(), "more": [],
            "null_permutations": self._permutations(),
            "timing": None, "spans": [None] * len(networks), "times": "numbers", "before": 0, "gone": 0, "form": None,
        }

    def _start(
        self, given: list[Named], snapshots: bool, seed: int, steps: int, model: Any = None, windows: Optional[Windows] = None,
        spans: Optional[list[Optional[Span]]] = None, times: str = "numbers", before: int = 0,
    ) -> None:
        """Makes samplers and chains, nothing learned yet; with a model, what it knows already."""
        sampling = self._sampling()
        after = 0 if model is None else self.n_steps_
        times_over = len(given) if windows is None else len(windows)
        scheme = self._scheme(sampling, after + steps * (times_over if snapshots else 1))
        batch = _check.count(self.batch_size, "batch_size", expected="a minibatch needs at least one patch")
        chains = sampling["chains"] * (1 if snapshots else len(given))
        static = _check.flag(self.static, "static")
        if batch < chains and not static:
            raise ValueError(f"batch_size is {batch}, but each of {chains} chains needs at least one patch of it")
        if static and (len(given) != 1 or snapshots):
            many = len(given) if windows is None else f"{len(windows)} windows"
            raise ValueError(f"static learns from one network, but {many} are given")
        if static and (scheme["f32"] or scheme["init"] != "random"):
            raise ValueError("static calculates in 64 bits from a random dictionary: leave dtype and dict_init out")
        examples = _check.count(self.n_examples, "n_examples", 0, expected="it must not be negative")
        plan = self._plan(given, steps, batch, examples, seed)
        plan.update(snapshots=snapshots, after=after, times=times, before=before, gone=before)
        if spans:
            plan["spans"] = spans
        if windows is not None:
            plan.update(names=[windows.rows.name], digests=[windows.rows._digest], timing=windows._timing, times=windows.rows._core.kind)
        networks = [one[0] for one in given]
        ids: dict[Any, int] = {}
        self._arguments = {
            "networks": _networks.in_common(networks, ids) if snapshots else [one._core for one in networks],
            "plan": plan, "scheme": scheme, "sampling": sampling,
            "init": _check.first_atoms(self.dict_init, scheme["atoms"], _check.motif_nodes(sampling) ** 2), "all": static,
            "windows": None if windows is None else windows._core,
        }
        learner = _ergodict.Run(**self._arguments, n_jobs=self.n_jobs)
        if model is not None:
            learner.continue_from(model)
        else:
            # Atoms of a run before are not those of this one, which may be stopped before it has any.
            self.__dict__.pop("_model", None)
            self._set = scheme["dictionary"]
        self._learner, self._state, self._whole, self._named = learner, None, None, given
        self._windows, self._ids, self._function = windows, ids, _check.schedule(self.schedule)[1]
        self.notes_: list[str] = [*self.__dict__.get("_weight_notes", []), *learner.notes]
        _networks.warn_of_parts(self.notes_)
        if static:
            self._whole = learner.model(True, self.n_jobs)
            self._keep(self._whole)
            self._learner = None

    def _run(self, until: Optional[int]) -> None:
        """Takes minibatches; what was learned stays when it is interrupted."""
        if self._learner is None:
            return
        self._weigh(until)
        try:
            with progress(self.verbose, "learning", figure="surrogate") as show:
                self._learner.run(until, self.n_jobs, show)
        finally:
            self._whole = None
            if self._learner.steps > 0:
                self._keep(self._learner.model(False))
            if self._learner.unfinished is not None:
                self.notes_.append(f"changes are not tested: interrupted after {self._learner.unfinished}")
        self._let_go()

    def _weigh(self, until: Optional[int]) -> None:
        """Gives the weights of steps that were not planned at first, where they are those of a function."""
        learner = self._learner
        if self._function is None or learner is None or not learner.steps:
            return
        made, planned = learner.made()
        words = _check.weights(self._function, learner.steps + max(until or planned, made) - made)
        if words != self._arguments["scheme"]["schedule"]:
            learner.restore(learner.state(), words)
            self._arguments = {**self._arguments, "scheme": {**self._arguments["scheme"], "schedule": words}}

    # What was learned.

    @property
    def atoms_(self) -> npt.NDArray[Any]:
        """The atoms as matrices, of shape (n_components, k, k)."""
        return self.components_.reshape(-1, self._learned().k, self._learned().k)

    @property
    def order_(self) -> npt.NDArray[np.int64]:
        """The atoms from the most dominant on."""
        return self._learned().order

    @property
    def n_samples_seen_(self) -> int:
        """Patches learned from."""
        return self._learned().samples

    @property
    def n_features_in_(self) -> int:
        """Entries of a patch, k²."""
        return self._learned().k ** 2

    @property
    def motif_(self) -> list[tuple[int, int]]:
        """The edges of the motif."""
        return self._learned().edges

    @property
    def motif_name_(self) -> str:
        """Name of the motif."""
        return self._learned().motif

    @property
    def sampler_(self) -> str:
        """Sampler used."""
        return self._learned().sampler

    @property
    def chain_(self) -> dict[str, Any]:
        """How motif samples were drawn: ``acceptance``, ``mixing`` with R̂, autocorrelation time and effective samples, and ``effective_minibatches``: how many independent ones the ``minibatches`` are worth."""
        return dict(NetworkRecord.of_model(self._whole_model()).chain)

    @property
    def networks_(self) -> list[dict[str, Any]]:
        """The networks that were learned from: nodes, edges, ``effective_nodes`` that walks cover, and ``explained`` as in ``explained_``."""
        return list(NetworkRecord.of_model(self._whole_model()).networks)

    @property
    def explained_(self) -> list[dict[str, Any]]:
        """Shares of fresh walks that are explained, of each network: by the atoms, by the mean patch, and by atoms of rewired copies.

        Each is a dict with ``value`` and ``standard_error``; ``beyond_degrees`` is the difference of atoms and rewired copies. Measured when
        first asked for; empty for networks over time and for ``static``.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(6, k=8, random_state=0).fit("@lesmis")
        >>> explained = model.explained_[0]
        >>> explained["atoms"]["value"] > explained["mean_patch"]["value"]
        True
        """
        return [one["explained"] for one in self.networks_ if one.get("explained") is not None]

    @property
    def shapes_(self) -> Optional[list[str]]:
        """The shape of each atom in a word or two, such as ``"clique"``; None for motifs other than the path."""
        return self._fitted().shapes()

    def _learned(self) -> NetworkRecord:
        check_is_fitted(self)
        return self._record

    def _fitted(self) -> _ergodict.NetworkModel:
        check_is_fitted(self)
        return self._model

    def _keep(self, model: _ergodict.NetworkModel) -> None:
        """Takes over what a model says."""
        self._model, self._record, self._file = model, NetworkRecord.of_model(model), None

    # Over time.

    def iter_fit(self, networks: Any, *, snapshots: bool = True) -> Iterator[Any]:
        """Learn from a network at several times, and yield facts about each window.

        Stop at any window: what was learned remains, and :meth:`partial_fit` continues.

        Parameters
        ----------
        networks : Windows, TimedEdges or list of networks
            As of :meth:`fit`.
        snapshots : bool, default True
            Whether a list of networks is one at several times.

        Yields
        ------
        numpy.void
            A row of ``windows_``: the window just learned from, or skipped.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0)
        >>> [int(window["edges"]) for window in model.iter_fit(["@karate", "@kite"])]
        [78, 18]
        """
        self._prepare(networks, snapshots)
        told = 0
        while self._learner is not None:
            made, end = self._learner.made()[0], self._learner.window_end
            over = made >= end
            self._run(end)
            self._warn()
            rows = self.windows_
            # The last row is of the window that was opened to be learned from next, unless all are over.
            last = len(rows) if self._learner.window_end <= self._learner.made()[0] else len(rows) - 1
            for at in range(told, last):
                yield rows[at]
            told = max(told, last)
            if over or self._learner.window_end <= self._learner.made()[0]:
                return

    @property
    def windows_(self) -> npt.NDArray[Any]:
        """The windows, as a structured array that ``pandas.DataFrame`` takes.

        ``name``, ``start`` and ``end`` (NaN of snapshots), ``nodes``, ``edges``, how many ``came`` and ``went`` since the window before, ``steps``, the
        ``change`` score and its ``change_error``, the relative errors ``error_before`` and ``error_after``, how many chains ``continued`` and
        ``restarted``, and why a window was skipped (``passed_over``). After :meth:`fit`, scores of permuted times: ``null_low`` and ``null_high``, the smallest
        and the largest; ``critical``, the score beyond which a window is called ``changed``; and ``p_value``, adjusted for all windows. NaN and False
        where nothing was tested.
        """
        return self._over_time().windows

    @property
    def dominances_(self) -> npt.NDArray[np.float64]:
        """Dominance of each atom per window, of shape (windows, n_components); NaN where nothing was learned."""
        return self._over_time().dominances

    @property
    def dictionaries_(self) -> npt.NDArray[np.float32]:
        """Atoms after each window, of shape (windows kept, n_components, k, k); ``dictionary_windows_`` lists the windows."""
        atoms = self._over_time().dictionaries
        k = self.atoms_.shape[1]
        return atoms.reshape(len(atoms), -1, k, k)

    @property
    def dictionary_windows_(self) -> npt.NDArray[np.int64]:
        """The windows whose dictionaries are kept: all, or, where these would take more than 64 MB, every second, every fourth and so on."""
        return np.array(self._over_time().kept, dtype=np.int64)

    def _over_time(self) -> OverTime:
        found = self._fitted().over_time()
        if found is None:
            raise AttributeError("there are no windows: this dictionary was not learned from a network at several times")
        return OverTime.read(found)

    def change_score(self, network: Any, steps: Optional[int] = None) -> Any:
        """Change score of a network since the last one learned from. Nothing is learned here: a copy of this dictionary learns instead.

        The score is that of ``windows_``: log₂ of how much worse the dictionary explains the network than the copy does, less the same on the network
        before. It is 0, within its standard error, while the structure does not change.

        Parameters
        ----------
        network : Network or network-like, or Window
            The network as it is now.
        steps : int, optional
            Minibatches that the copy takes; by default the parameter `steps`.

        Returns
        -------
        numpy.void
            The row ``windows_`` would have: ``change``, ``change_error``, ``came``, ``went``, ``error_before`` and so on.

        Examples
        --------
        >>> import ergodict
        >>> ring = [(i, (i + 1) % 40) for i in range(40)]
        >>> model = ergodict.NetworkDictionary(4, k=5, steps=20, schedule="constant:0.1", random_state=0).fit(ring)
        >>> bool(model.change_score("@karate")["change"] > 0.5), model.n_steps_
        (True, 20)
        """
        self._fitted()
        if self._learner is None and self._state is None:
            raise ValueError("a model that was loaded has no network to compare with: partial_fit it on one first")
        given, spans, times = self._given(network)
        more = self._steps() if steps is None else _check.count(steps, "steps", expected="at least one is needed")
        other: NetworkDictionary = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._learner, other._state = None, self._engine().state()
        other._follow(given, more, spans[0], times)
        other._run(None)
        return other.windows_[-1]

    def _last_network(self) -> Any:
        """The network that was learned from last, of windows of time."""
        windows = self.__dict__.get("_windows")
        if windows is not None and not self._followed():
            learned = [at for at, window in enumerate(self.windows_) if not window["passed_over"]]
            return windows[learned[-1]].network
        return self._named[-1][0]
    # What was learned, applied.

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

    def transform(self, network: Any, n: Optional[int] = None, random_state: RandomState = None) -> npt.NDArray[np.float64]:
        """Codes of `n` random patches of a network, or one row per network of a list, for classifiers.

        Patches are drawn as in learning. Without a `random_state`, the seed of the dictionary has a separate stream for them.

        Parameters
        ----------
        network : Network or network-like, or list of networks
            A network, or several.
        n : int, optional
            Patches: by default 1000 of a network, and 4000 of each of a list, where sampling noise limits classifiers.
        random_state : int, Generator or None
            The seed.

        Returns
        -------
        ndarray of shape (n, n_components) or (n_networks, n_features)
            The codes of a network; or a row for each network of a list: means, standard deviations and covariances of its codes, and mean and
            standard deviation of the squared error and of the density of its patches (:meth:`get_feature_names_out` has the names).

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.transform("@kite", n=10, random_state=0).shape
        (10, 3)
        >>> model.transform(["@kite", "@karate"], n=10).shape
        (2, 13)
        """
        self._fitted()
        if not self._is_list(network):
            return self.codes(self._patches([network], 1000 if n is None else n, random_state)[0])
        rows = [self._summary(one) for one in self._patches(network, 4000 if n is None else n, random_state)]
        return np.array(rows)

    def _summary(self, patches: Any) -> npt.NDArray[np.float64]:
        """Statistics of the patches of one network of a list."""
        x = np.asarray(patches, dtype=np.float64).reshape(len(patches), -1)
        codes = self.codes(x)
        covariances = np.atleast_2d(np.cov(codes, rowvar=False, bias=True))[np.triu_indices(codes.shape[1], 1)]
        errors, density = np.sum((x - codes @ self.components_) ** 2, axis=1), x.mean(axis=1)
        figures = [errors.mean(), errors.std(), density.mean(), density.std()]
        return np.concatenate([codes.mean(axis=0), codes.std(axis=0), covariances, figures])

    def fit_transform(self, networks: Any, y: object = None) -> npt.NDArray[np.float64]:
        """Learn from networks and return their :meth:`transform`.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit_transform(["@karate", "@kite"]).shape
        (2, 13)
        """
        return self.fit(networks, y).transform(networks)

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[Any]:
        """Names of the columns of :meth:`transform` for a list of networks.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(2, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.get_feature_names_out().tolist()
        ['mean0', 'mean1', 'std0', 'std1', 'covariance0_1', 'error_mean', 'error_std', 'density_mean', 'density_std']
        """
        atoms = len(self.components_)
        names = [f"{what}{at}" for what in ("mean", "std") for at in range(atoms)]
        names += [f"covariance{one}_{other}" for one in range(atoms) for other in range(one + 1, atoms)]
        return np.array([*names, "error_mean", "error_std", "density_mean", "density_std"], dtype=object)

    def score(self, networks: Any, y: object = None, *, n: int = 1000) -> float:
        """The share of `n` fresh patches that the atoms explain, 1 − ‖X − HW‖²/‖X‖²; of several networks its mean.

        Larger is better, so that ``GridSearchCV`` can choose `k`, `n_components` or `alpha`.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(6, k=8, random_state=0).fit("@lesmis")
        >>> 0.5 < model.score("@lesmis") < 1
        True
        """
        self._fitted()
        given = networks if self._is_list(networks) else [networks]
        shares = []
        for patches in self._patches(given, n, None):
            x = np.asarray(patches, dtype=np.float64).reshape(len(patches), -1)
            error = np.sum((x - self.codes(x) @ self.components_) ** 2)
            shares.append(1.0 - error / np.sum(x**2))
        return float(np.mean(shares))

    @staticmethod
    def _is_list(networks: Any) -> bool:
        """Whether several networks are given, and not the edges of one."""
        return isinstance(networks, (list, tuple)) and not _networks._are_edges(networks) or (
            isinstance(networks, np.ndarray) and networks.dtype == object and networks.ndim == 1
        )

    def _patches(self, networks: Any, n: object, random_state: RandomState) -> list[Any]:
        """Fresh patches of each of some networks."""
        from .sampling import sample

        seed = _ergodict.coding_seed(self.seed_) if random_state is None else seed_of(random_state)
        sampler = self.sampler_ if self.sampler_ in _SAMPLERS else None
        found, notes = [], []
        for network, name, _ in _networks.several(list(networks)):
            drawn = sample(
                self._as_learned(network), k=self.atoms_.shape[1], motif=self.motif_, sampler=sampler, injective=self.injective,
                burn_in=self.burn_in, every=self.every, component=self.component, lazy=self.lazy, random_state=seed,
            )
            notes += [f"{name}: {note}" for note in drawn.notes]
            found.append(drawn.patches(_check.count(n, "n", expected="at least one is needed")))
        _networks.warn_of_parts(notes)
        return found

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
        """Reconstruct a network, its own or another: the weight of a pair is its mean over reconstructed patches.

        Parameters
        ----------
        network : Network or network-like
            The network.
        samples : int, default 200000
            Motif samples, over all chains.
        mode : {"plain", "off-motif"}
            Which entries of patches count: all, or not those at edges of the motif itself.
        alpha : float, default 0
            The penalty of codes as in scikit-learn (``--lambda`` is twice that).
        shrinkage : float, default 0
            The weight is sum / (count + shrinkage), so that rarely sampled pairs are trusted less (``--alpha``).
        reversal : bool, default False
            Also use reversed atoms.
        pairs : array of shape (m, 2) or list of pairs, optional
            Only these pairs of ids, in their order.
        threshold : float, default 0.5
            Pairs of a larger weight are called edges.
        sampler, chains, burn_in, every, injective, component, lazy
            How motif samples are drawn: by default walk for trees, on 8 chains in the largest component, however the atoms were
            learned.
        memory : int, default 2048
            Mebibytes that sums may take in memory; the rest goes to a temporary file.
        random_state : int, Generator or None
            The seed; by default that of the dictionary.

        Returns
        -------
        Reconstruction
            Pairs, weights, counts and accuracy.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.reconstruct("@karate", samples=1000, pairs=[(1, 2), (1, 34)]).counts.shape
        (2,)
        """
        given = _networks.named(network)
        model, rebuilt = self._fitted(), self._as_learned(given[0])
        wanted = None if pairs is None else rebuilt.index_pairs(pairs).astype(np.uint32)
        seed = self.seed_ if random_state is None else seed_of(random_state)
        plan = {
            "samples": _check.count(samples, "samples", expected="at least one sample is needed"),
            "lambda": 2.0 * _check.not_negative(alpha, "alpha"), "mode": _check.choice(mode, "mode", ("plain", "off-motif")),
            "alpha": _check.not_negative(shrinkage, "shrinkage"), "reversal": _check.flag(reversal, "reversal"),
            "threshold": _check.finite(threshold, "threshold"), "seed": seed,
            "memory": _check.count(memory, "memory", expected="at least one mebibyte is needed"),
        }
        # Nothing is taken over from how the atoms were learned, as `ergodict network reconstruct --model` has it.
        several = _ergodict.DENOISING["chains"] if chains is None else chains
        sampling = _check.sampling(None, None, sampler, injective, every, burn_in, several, component, lazy)
        two = None if wanted is None else (np.ascontiguousarray(wanted[:, 0]), np.ascontiguousarray(wanted[:, 1]))
        started = time.perf_counter()
        with progress(self.verbose, "reconstruction", "sample") as show:
            found = _ergodict.rebuild(model, rebuilt._core, plan, sampling, two, self.n_jobs, show)
        about = {
            "network": _report.about(rebuilt, *given[1:]), "plan": plan, "sampling": sampling, "sampler": found["sampler"],
            "seconds": time.perf_counter() - started, "model": None, "learned": [],
        }
        if "_arguments" in self.__dict__:
            about["learned"] = self._arguments["plan"]["names"]
        if self._file is not None and os.path.isfile(self._file):
            about["model"] = (os.path.basename(self._file), _ergodict.input_digest(self._file))
        _networks.warn_of_parts(found["notes"])
        found["notes"] += self._notes_on(rebuilt, found["sampler"])
        return Reconstruction(
            rebuilt, found, wanted=wanted is not None, largest=component == "largest", shrinkage=float(shrinkage),
            threshold=float(threshold), samples=int(samples), mode=mode, seed=seed, model=model, about=about,
            whole=lambda: self._whole_model() if self._model is model else model,
        )

    def _as_learned(self, network: Any) -> Network:
        """A network with weights where the atoms were learned from weights, on the same scale."""
        weighted = self._learned().weighted
        scale = self.weights if weighted else "linear"
        return _networks.weighed([(as_network(network), "", "")], weighted, scale, required=False)[0][0]

    def _notes_on(self, network: Network, sampler: str) -> list[str]:
        """Notes on a reconstructed network, compared with those learned from."""
        form, notes = self._learned(), []

        def kind(directed: bool, weighted: bool) -> str:
            return f"{'directed' if directed else 'undirected'}, {'with' if weighted else 'without'} weights"

        if (form.directed, form.weighted) != (network.is_directed, network.is_weighted):
            here, there = kind(network.is_directed, network.is_weighted), kind(form.directed, form.weighted)
            notes.append(f"the network is {here}, and the model was learned from networks {there}")
        if self.sampler_ in _SAMPLERS and self.sampler_ != sampler:
            notes.append(
                f"the atoms were learned from patches of the {self.sampler_} sampler, and the network is reconstructed from those of {sampler}, "
                "which weight it differently: sampler sets it, here and in the estimator"
            )
        return notes

    def denoise(self, network: Any, pairs: Any = None, samples: int = 200_000, **parameters: Any) -> Denoised:
        """Score pairs by off-motif reconstruction with these atoms; by default every observed edge.

        The scores are shrunk as ``method="ndr-off-motif"`` of :func:`denoise` does, which learns atoms of its own. Further parameters are
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
        """Compare networks by each other's latent motifs: :func:`compare` with the parameters of this estimator.

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
        """Subgraphs that use each atom most, of the networks learned from or another.

        Each is a dictionary: ``network`` (its index), ``nodes`` (ids in the order of the motif), ``entries`` (rows and
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
            whole, given = self._whole_model(), self._looked_at()
        else:
            given = _networks.several(network) if network is not None else self._looked_at()
            if not given:
                raise ValueError("a model that was loaded has no network to look for examples in: give one")
            each = 4 if n is None else _check.count(n, "n", expected="at least one is needed")
            plan = self._plan([(one[0], one[1], "") for one in given], 1, len(given), each, self.seed_)
            sampling = {**self._sampling(), "motif": None, "edges": self.motif_, "k": self.atoms_.shape[1], "chains": 1}
            learner = _ergodict.Run([one[0]._core for one in given], plan, self._scheme(sampling, 1), sampling)
            learner.continue_from(model)
            whole = learner.model(True, self.n_jobs)
        found = NetworkRecord.of_model(whole).examples or [[] for _ in self.components_]
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

    def plot(self, kind: str = "graph", **parameters: Any) -> Any:
        """Draw the atoms with their dominance and shapes, the most dominant first.

        Parameters
        ----------
        kind : {"graph", "matrix"}, default="graph"
            As graphs whose nodes stand in the order of the motif, or as matrices on a common scale.
        **parameters
            Those of :func:`ergodict.plot.atoms`, such as `n` and `threshold`.

        Returns
        -------
        array of Axes
            One for each atom.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> len(model.plot("matrix", n=2))
        2
        """
        from . import plot

        self._fitted()
        return plot.atoms(self, kind=kind, **parameters)

    # Files.

    def save(self, path: Path) -> None:
        """Write the model file that ``ergodict network learn`` writes for the same networks, parameters and seed.

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
        if self._function is not None and not self._warned:
            self._warned = True
            warn_of_function()

    def _write_page(self, file: str, title: Optional[str]) -> None:
        self._whole_model().report(file, title)

    @classmethod
    def load(cls: type[Self], path: Path, dictionary: Any = None) -> Self:
        """Open a model file of networks, written here or by the command line; `dictionary` is its constraint set if unnamed.

        Examples
        --------
        See :meth:`save`.
        """
        name = os.fspath(path)
        model = _ergodict.NetworkModel.load(name, set_of(name, dictionary))
        estimator = cls(**NetworkRecord.of_model(model).parameters(dictionary))
        estimator._keep(model)
        estimator._set, estimator._file = set_of(name, dictionary), os.path.abspath(name)
        return estimator

    # Inside.

    # What is not there before fit.
    _arguments: dict[str, Any]
    _model: _ergodict.NetworkModel
    _named: list[Named]
    _windows: Optional[Windows] = None
    #: Numbers of nodes whose ids are neither integers nor strings, where chains go from one network to the next.
    _ids: Mapping[Any, int] = MappingProxyType({})
    _learner: Optional[_ergodict.Run] = None
    _state: Optional[bytes] = None
    _whole: Optional[_ergodict.NetworkModel] = None
    #: The model file that this is, where it was loaded.
    _file: Optional[str] = None
    _record: NetworkRecord
    #: The set of dictionaries as the extension takes it.
    _set: object = None
    #: The function that is the schedule, if it is one, and whether a warning said that files do not hold it.
    _function: Optional[Callable[[int], float]] = None
    _warned = False

    def _engine(self) -> _ergodict.Run:
        """The run, made again after a pickle."""
        if self._learner is None:
            learner = _ergodict.Run(**self._arguments, n_jobs=self.n_jobs)
            if self._state is not None:
                learner.restore(self._state)
            self._learner, self._state = learner, None
        return self._learner

    def _whole_model(self) -> _ergodict.NetworkModel:
        """The model with all that a file has."""
        model = self._fitted()
        if self._whole is None:
            going = self._learner is not None or self._state is not None
            self._whole = self._engine().model(True, self.n_jobs) if going else model
        return self._whole

    def __sklearn_is_fitted__(self) -> bool:
        return self.__dict__.get("_model") is not None

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        learner = state.pop("_learner", None)
        if learner is not None and learner.steps > 0:
            state["_state"] = learner.state()
        arguments = state.pop("_arguments", None)
        if arguments is not None:
            # Networks are pickled as Python has them.
            state["_arguments"] = {name: value for name, value in arguments.items() if name not in ("networks", "windows")}
        for name in ("_model", "_whole"):
            if state.get(name) is not None:
                state[name] = state[name].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        own = state.get("_set")
        for name in ("_model", "_whole"):
            if state.get(name) is not None:
                state[name] = _ergodict.NetworkModel.from_bytes(state[name], None if isinstance(own, str) else own)
        arguments = state.get("_arguments")
        if arguments is not None:
            networks = [one[0] for one in state["_named"]]
            ids = dict(state.get("_ids") or {})
            cores = _networks.in_common(networks, ids) if arguments["plan"]["snapshots"] else [one._core for one in networks]
            windows = state.get("_windows")
            state["_arguments"] = {**arguments, "networks": cores, "windows": None if windows is None else windows._core}
        super().__setstate__(state)


READERS["network"] = NetworkDictionary.load


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


def _given(networks: Any) -> tuple[list[Named], list[Optional[Span]], str]:
    """Networks, when they begin and end, where that is known, and what such times are."""
    windows = [networks] if isinstance(networks, Window) else networks
    if isinstance(windows, (list, tuple)) and windows and all(isinstance(one, Window) for one in windows):
        named: list[Named] = [(one.network, one.name, "") for one in windows]
        return named, [(_number(one.start), _number(one.end)) for one in windows], windows[0].kind
    named = _networks.several(networks)
    return named, [None] * len(named), "numbers"


def _number(moment: Any) -> float:
    """A moment as windows have it: a number, or seconds since 1970 of a date."""
    if isinstance(moment, np.datetime64):
        return float(moment.astype("datetime64[ms]").astype(np.int64)) / 1e3
    return float(moment)
