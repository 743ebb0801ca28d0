"""How network dictionaries are learned: the parameters, the run, and what is needed to go on later."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Optional, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from . import _ergodict, _network_options as options
from ._network_options import Named
from ._progress import progress
from ._random import RandomState, seed_of
from ._repr import EstimatorRepr
from .timed import TimedEdges, Window, Windows


#: When a window begins and ends: numbers, or seconds since 1970.
Span = tuple[float, float]

_Self = TypeVar("_Self", bound="NetworkLearning")

#: What a run leaves of itself.
_LEARNED = (
    "_model", "components_", "atoms_", "dominance_", "order_", "history_", "n_steps_", "n_samples_seen_", "surrogate_", "motif_",
    "motif_name_", "sampler_", "n_features_in_",
)


class NetworkLearning(EstimatorRepr, BaseEstimator):
    """The learning half of :class:`NetworkDictionary`."""

    def __init__(
        self,
        n_components: int = 25,
        *,
        k: Optional[int] = None,
        motif: Any = "chain",
        sampler: Optional[str] = None,
        steps: int = 100,
        batch_size: int = 100,
        chains: Optional[int] = None,
        burn_in: int = 0,
        every: int = 1,
        injective: bool = False,
        component: str = "largest",
        lazy: Optional[bool] = None,
        alpha: float = 0.5,
        kappa1: float = 0.0,
        kappa2: float = 0.0,
        schedule: str = "balanced",
        dictionary: str = "nonneg-ball",
        code: str = "nonneg",
        dict_init: Any = "random",
        normalise: str = "sum",
        unused: str = "keep",
        solver: str = "fast",
        tol: float = 1e-6,
        dict_tol: float = 1e-3,
        dict_sweeps: int = 5,
        static: bool = False,
        n_examples: int = 4,
        score_patches: int = 1000,
        dtype: Any = "float64",
        random_state: RandomState = None,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.k = k
        self.motif = motif
        self.sampler = sampler
        self.steps = steps
        self.batch_size = batch_size
        self.chains = chains
        self.burn_in = burn_in
        self.every = every
        self.injective = injective
        self.component = component
        self.lazy = lazy
        self.alpha = alpha
        self.kappa1 = kappa1
        self.kappa2 = kappa2
        self.schedule = schedule
        self.dictionary = dictionary
        self.code = code
        self.dict_init = dict_init
        self.normalise = normalise
        self.unused = unused
        self.solver = solver
        self.tol = tol
        self.dict_tol = dict_tol
        self.dict_sweeps = dict_sweeps
        self.static = static
        self.n_examples = n_examples
        self.score_patches = score_patches
        self.dtype = dtype
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # Learning.

    def fit(self: _Self, networks: Any, y: object = None, *, snapshots: bool = False) -> _Self:
        """Learns from one network, several, or one at several times.

        Parameters
        ----------
        networks : network, list of networks, Windows or TimedEdges
            Whatever :class:`Network` takes, or a list of such: each minibatch then has patches of all. Windows of time are learned from one after the
            other, `steps` minibatches of each; edges with times are cut into 20.
        y : ignored
            For scikit-learn.
        snapshots : bool, default False
            The networks are one at several times, in their order: chains go on from each to the next where they can. Then, and of windows,
            ``windows_``, ``dominances_`` and ``dictionaries_`` tell what became of it.

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
        return self

    def _prepare(self, networks: Any, snapshots: object) -> None:
        """Makes chains ready on what is given."""
        seed, steps = seed_of(self.random_state), self._steps()
        if isinstance(networks, (TimedEdges, Windows)):
            windows = networks.windows() if isinstance(networks, TimedEdges) else networks
            self._start([], True, seed, steps, windows=windows)
            return
        given, spans, times = _given(networks)
        several = options.flag("snapshots", snapshots)
        if several and len(given) < 2:
            raise ValueError("snapshots needs at least two networks, but one is given")
        self._start(given, several, seed, steps, spans=spans, times=times)

    def partial_fit(self: _Self, networks: Any = None, y: object = None, *, steps: Optional[int] = None) -> _Self:
        """Goes on learning: takes `steps` minibatches more, by default those that an interrupted fit left, else the parameter `steps`.

        Without a network, or with the same, the chains go on where they are. With another, which the network became, they go over to it
        where they can, and start again where they cannot; the last row of ``windows_`` says what they did, and how far the network had changed. A model that was loaded needs the network, where new chains start, and which is the next window where it was learned over time; their random numbers are of streams of their own,
        which the seed and the steps so far say, so that no homomorphism is learned from again for having been drawn before.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> model.partial_fit(steps=2).n_steps_
        7
        """
        given: Optional[list[Named]] = None
        spans: list[Optional[Span]] = []
        times = "numbers"
        if networks is not None:
            given, spans, times = _given(networks)
        more = None if steps is None else options.whole("steps", steps, 1, "at least one is needed")
        if self._state is None and self._learner is None:
            if self.__dict__.get("_model") is not None and self._is_static():
                raise ValueError("a dictionary of all homomorphisms is learned at once: there is nothing to go on with")
            if given is None:
                raise NotFittedError("there is no network to learn from: give one, or call fit first")
            loaded = self.__dict__.get("_model")
            seed = seed_of(self.random_state) if loaded is None else self.seed_
            told = None if loaded is None else loaded.over_time()
            # A model that was learned over time has learned from all windows before: what is given now is the next.
            kept = None if told is None else json.loads(told[0])
            before = 0 if kept is None else len(kept["windows"])
            if kept is not None and any(window.get("span") for window in kept["windows"]):
                times = kept["times"]
            if before and len(given) > 1:
                raise ValueError(f"the number of networks is {len(given)}, but only one can be the next window of a dictionary over time")
            self._start(given, before > 0, seed, more or self._steps(), loaded, spans=spans, times=times, before=before)
            self._run(None)
            return self
        learner = self._engine()
        made, planned = learner.made()
        # A window is a time of its own, also where the network is the same as before.
        if given is not None and (any(spans) or not self._is_now(given)):
            self._follow(given, more or self._steps(), spans[0], times)
            self._run(None)
            return self
        # What is left is up to the last window, some of which may be passed over.
        until = made + more if more is not None else None if made < planned else made + self._steps()
        self._run(until)
        return self

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
        native = all(map(options.is_native, [*before, network]))
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
            core = options.in_common([network], ids)[0]
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
        """Lets go of networks that chains have left: only the last two windows are needed to go on."""
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

    def _score_patches(self) -> int:
        return options.whole("score_patches", self.score_patches, 20, "an error is from twenty batches of at least one")

    def _steps(self) -> int:
        return options.whole("steps", self.steps, 1, "at least one is needed")

    def _sampling(self) -> dict[str, object]:
        chains = 1 if self.chains is None else self.chains
        return options.sampling(
            self.k, self.motif, self.sampler, self.injective, self.every, self.burn_in, chains, self.component, self.lazy
        )

    def _start(
        self, given: list[Named], snapshots: bool, seed: int, steps: int, model: Any = None, windows: Optional[Windows] = None,
        spans: Optional[list[Optional[Span]]] = None, times: str = "numbers", before: int = 0,
    ) -> None:
        """Makes samplers and chains, nothing learned yet; with a model, what it knows already."""
        sampling, scheme = self._sampling(), options.scheme(self)
        batch = options.whole("batch_size", self.batch_size, 1, "a minibatch needs at least one patch")
        chains = int(str(sampling["chains"])) * (1 if snapshots else len(given))
        static = options.flag("static", self.static)
        if batch < chains and not static:
            raise ValueError(f"batch_size is {batch}, but each of {chains} chains needs at least one patch of it")
        if static and (len(given) != 1 or snapshots):
            many = len(given) if windows is None else f"{len(windows)} windows"
            raise ValueError(f"static learns from one network, but {many} are given")
        if static and (scheme["f32"] or scheme["init"] != "random"):
            raise ValueError("static calculates in 64 bits from a random dictionary: leave dtype and dict_init out")
        plan = {
            "steps": steps, "batch": batch, "snapshots": snapshots, "seed": seed, "after": 0 if model is None else self.n_steps_,
            "examples": options.whole("n_examples", self.n_examples, 0, "it must not be negative"),
            "names": [one[1] for one in given], "digests": [one[2] for one in given],
            "score_patches": self._score_patches(), "more": [], "timing": None, "spans": spans or [None] * len(given), "times": times,
            "before": before, "gone": before, "form": None,
        }
        if windows is not None:
            plan.update(names=[windows.rows.name], digests=[windows.rows._digest], timing=windows._timing, times=windows.rows._core.kind)
        edges: Any = sampling["edges"]
        nodes: Any = sampling["k"] or (_ergodict.MOTIF_NODES if edges is None else 1 + max(max(edge) for edge in edges))
        networks = [one[0] for one in given]
        ids: dict[Any, int] = {}
        self._arguments = {
            "networks": options.in_common(networks, ids) if snapshots else [one._core for one in networks],
            "plan": plan, "scheme": scheme, "sampling": sampling,
            "init": options.first_atoms(self.dict_init, int(str(scheme["atoms"])), nodes), "all": static,
            "windows": None if windows is None else windows._core,
        }
        learner = _ergodict.NetworkLearner(**self._arguments, n_jobs=self.n_jobs)
        if model is not None:
            learner.take(model)
        else:
            # Atoms of a run before are not those of this one, which may be stopped before it has any.
            self._forget()
        self._learner, self._state, self._whole, self._named, self.seed_ = learner, None, None, given, seed
        self._windows, self._ids = windows, ids
        self.notes_: list[str] = learner.notes
        options.warn_of_parts(self.notes_)
        if static:
            self._whole = learner.model(True, self.n_jobs)
            self._learned(self._whole)
            self._learner = None

    def _run(self, until: Optional[int]) -> None:
        """Takes minibatches; what was learned stays when it is interrupted."""
        if self._learner is None:
            return
        try:
            with progress(self.verbose, "learning", figure="surrogate") as show:
                self._learner.run(until, self.n_jobs, show)
        finally:
            self._whole = None
            if self._learner.steps > 0:
                self._learned(self._learner.model(False))
        self._let_go()
        if not np.any(self.dominance_):
            warnings.warn("every code is zero, nothing was learned: lower alpha", UserWarning, stacklevel=3)

    def _forget(self) -> None:
        """Leaves out what a run before learned."""
        for name in _LEARNED:
            self.__dict__.pop(name, None)

    def _learned(self, model: _ergodict.NetworkModel) -> None:
        """Takes over what a model says."""
        told = json.loads(model.header())
        self._model = model
        kind = np.float32 if told["precision"] == "f32" else np.float64
        self.components_: npt.NDArray[Any] = model.components.astype(kind, copy=False)
        nodes = told["network"]["k"]
        self.atoms_ = self.components_.reshape(-1, nodes, nodes)
        self.dominance_, self.order_ = model.dominance()
        points = told["history"]["points"]
        self.history_ = {
            name: np.array([point[name] for point in points], dtype=np.int64 if name in ("t", "samples") else np.float64)
            for name in ("t", "samples", "loss", "surrogate")
        }
        self.n_steps_, self.n_samples_seen_, self.seed_ = told["steps"], told["samples"], told["seed"]
        self.surrogate_ = (told["run"].get("results") or {}).get("surrogate_per_sample", self.history_["surrogate"][-1:].sum())
        self.motif_ = [(int(a), int(b)) for a, b in told["network"]["edges"]]
        self.motif_name_: str = told["network"]["motif"]
        self.sampler_: str = told["run"]["config"].get("sampler", "all homomorphisms")
        self.n_features_in_ = self.components_.shape[1]

    def _is_static(self) -> bool:
        return bool(json.loads(self._model.header())["run"]["config"].get("static"))

    # What is not there before fit.
    _arguments: dict[str, Any]
    _model: _ergodict.NetworkModel
    _named: list[Named]
    _windows: Optional[Windows] = None
    #: Numbers of nodes whose ids are neither integers nor strings, where chains go from one network to the next.
    _ids: Mapping[Any, int] = MappingProxyType({})
    _learner: Optional[_ergodict.NetworkLearner] = None
    _state: Optional[bytes] = None
    _whole: Optional[_ergodict.NetworkModel] = None

    def _engine(self) -> _ergodict.NetworkLearner:
        """The run, made again after a pickle."""
        if self._learner is None:
            learner = _ergodict.NetworkLearner(**self._arguments, n_jobs=self.n_jobs)
            if self._state is not None:
                learner.restore(self._state)
            self._learner, self._state = learner, None
        return self._learner

    def _fitted(self) -> _ergodict.NetworkModel:
        if self.__dict__.get("_model") is None:
            raise NotFittedError("this NetworkDictionary has learned nothing yet: call fit first")
        return self._model

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
        for name in ("_model", "_whole"):
            if state.get(name) is not None:
                state[name] = _ergodict.NetworkModel.from_bytes(state[name])
        arguments = state.get("_arguments")
        if arguments is not None:
            networks = [one[0] for one in state["_named"]]
            ids = dict(state.get("_ids") or {})
            cores = options.in_common(networks, ids) if arguments["plan"]["snapshots"] else [one._core for one in networks]
            windows = state.get("_windows")
            state["_arguments"] = {**arguments, "networks": cores, "windows": None if windows is None else windows._core}
        super().__setstate__(state)

    # What is told of the chain.

    @property
    def chain_(self) -> dict[str, Any]:
        """How homomorphisms were drawn: ``acceptance``, and ``mixing`` with R̂, autocorrelation time and effective samples."""
        return dict(json.loads(self._whole_model().header())["run"].get("chain") or {})

    @property
    def reach_(self) -> list[dict[str, Any]]:
        """The networks that were learned from: nodes, edges, and ``half``, the fewest nodes that half of all places of patches are on."""
        return list(json.loads(self._whole_model().header())["run"].get("networks") or [])


def _given(networks: Any) -> tuple[list[Named], list[Optional[Span]], str]:
    """Networks, when they begin and end, where that is known, and what such times are."""
    windows = [networks] if isinstance(networks, Window) else networks
    if isinstance(windows, (list, tuple)) and windows and all(isinstance(one, Window) for one in windows):
        named: list[Named] = [(one.network, one.name, "") for one in windows]
        return named, [(_number(one.start), _number(one.end)) for one in windows], windows[0].kind
    named = options.several(networks)
    return named, [None] * len(named), "numbers"


def _number(moment: Any) -> float:
    """A moment as windows have it: a number, or seconds since 1970 of a date."""
    if isinstance(moment, np.datetime64):
        return float(moment.astype("datetime64[ms]").astype(np.int64)) / 1e3
    return float(moment)
