"""Settings of the library by command and keyword, and the parameters of estimators. Written by `cargo xtask generate`: do not edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Optional, Union

from numpy.typing import ArrayLike

from ._learned import Schedule
from ._random import RandomState
from .sets import DictionarySet


class Setting(NamedTuple):
    """A setting: its key in files, its default, and the words it may be."""

    key: str
    default: Any
    choices: tuple[str, ...] = ()


#: Settings of every run that learns.
SCHEME: dict[str, Setting] = {
    "n_components": Setting("atoms", None), "alpha": Setting("lambda", "auto"), "kappa1": Setting("kappa1", 0.0),
    "kappa2": Setting("kappa2", 0.0), "schedule": Setting("schedule", "auto"),
    "dictionary": Setting("dictionary", "nonneg-ball", ("nonneg-ball", "ball", "simplex", "box", "l1-ball", "free")),
    "code": Setting("code", "nonneg"), "normalize": Setting("normalize", "sum", ("sum", "per-column")),
    "unused": Setting("unused", "keep", ("keep", "reseed")), "solver": Setting("solver", "fast", ("fast", "projected-gradient")),
    "code_tol": Setting("tolerance", 1e-8), "dict_tol": Setting("dictionary-tolerance", 0.01),
    "dict_sweeps": Setting("dictionary-sweeps", None), "dict_init": Setting("init", "auto"),
}
#: Settings of every run that reads networks and samples motifs.
SAMPLING: dict[str, Setting] = {
    "k": Setting("k", None), "motif": Setting("motif", "path"), "sampler": Setting("sampler", None),
    "injective": Setting("injective", False), "every": Setting("every", 1), "burn_in": Setting("burn-in", 0),
    "chains": Setting("chains", None), "component": Setting("component", "largest", ("largest", "all")),
    "lazy": Setting("lazy", None, ("auto", "yes", "no")), "memory": Setting("memory", 2048), "directed": Setting("directed", False),
    "undirected": Setting("undirected", False), "weighted": Setting("weighted", False), "unweighted": Setting("unweighted", False),
    "loops": Setting("loops", False), "ids": Setting("ids", False), "format": Setting("format", None, ("auto", "edges", "adjacency")),
    "header": Setting("header", None, ("auto", "yes", "no")), "source": Setting("source", None), "target": Setting("target", None),
    "weight": Setting("weight", None), "verify": Setting("verify", False),
    "weights": Setting("weights", "linear", ("linear", "log", "rank")),
}
#: The settings of each command.
SETTINGS: dict[str, dict[str, Setting]] = {
    "factor": {
        **SCHEME, "dtype": Setting("f32", "float64"), "batch_size": Setting("batch", 64), "max_iter": Setting("epochs", 200),
        "shuffle": Setting("shuffle", True, ("true", "false")), "holdout": Setting("holdout", 0.0), "tol": Setting("tol", 0.02),
        "max_no_improvement": Setting("max-no-improvement", 256), "missing": Setting("missing", False),
        "random_state": Setting("seed", None),
    },
    "network learn": {
        **SCHEME, **SAMPLING, "steps": Setting("steps", 100), "batch_size": Setting("batch", 100), "snapshots": Setting("snapshots", False),
        "static": Setting("static", False), "n_examples": Setting("examples", 4), "rewired_copies": Setting("rewired-copies", None),
        "score_patches": Setting("score-patches", 1000), "null_permutations": Setting("null-permutations", 20),
        "timestamps": Setting("timestamps", None), "window": Setting("window", None), "stride": Setting("stride", None),
        "windows": Setting("windows", None), "cumulative": Setting("cumulative", False), "n_components": Setting("atoms", 9),
        "alpha": Setting("lambda", 0.5), "schedule": Setting("schedule", "linear"), "code_tol": Setting("tolerance", 1e-6),
        "dict_tol": Setting("dictionary-tolerance", 0.001), "dict_init": Setting("init", "random"), "dtype": Setting("f32", "float64"),
        "random_state": Setting("seed", None),
    },
    "network reconstruct": {
        **SAMPLING, "samples": Setting("samples", 200000), "alpha": Setting("lambda", 0.0),
        "mode": Setting("mode", "plain", ("plain", "off-motif")), "shrinkage": Setting("alpha", 0.0),
        "reversal": Setting("reversal", False), "threshold": Setting("threshold", 0.5), "partitions": Setting("partitions", None),
        "random_state": Setting("seed", None),
    },
    "network compare": {
        **SCHEME, **SAMPLING, "steps": Setting("steps", 300), "batch_size": Setting("batch", 100), "seeds": Setting("seeds", 3),
        "samples": Setting("samples", None), "rewired": Setting("rewired", True, ("true", "false")),
        "measure": Setting("measure", "error", ("error", "jaccard", "weighted-jaccard", "auc")),
        "mode": Setting("mode", "plain", ("plain", "off-motif")), "threshold": Setting("threshold", 0.5), "alpha": Setting("lambda", 0.0),
        "schedule": Setting("schedule", "linear"), "code_tol": Setting("tolerance", 1e-6),
        "dict_tol": Setting("dictionary-tolerance", 0.001), "dict_init": Setting("init", "random"), "dtype": Setting("f32", "float64"),
        "random_state": Setting("seed", None),
    },
}


class OnlineParameters:
    """Parameters of ``ergodict factor``.

    Parameters
    ----------
    n_components : int, default=None
        Atoms of the dictionary; as many as features if None.
    alpha : float or "auto", default="auto"
        Weight of the ℓ₁ norm of the code as in scikit-learn, where the loss of a sample is ‖x − hW‖²/2 + alpha ‖h‖₁: ``--lambda`` is twice
        that. ``"auto"`` is 0 for nonnegative codes, otherwise a tenth of the mean norm of the samples in the first minibatch; ``alpha_`` is
        what it became.
    kappa1 : float, default=0.0
        Added to the diagonal of A in the dictionary update.
    kappa2 : float, default=0.0
        Weight of the squared ℓ₂ norm of the code: kappa2/2 in the loss ‖x − hW‖² + ..., so kappa2/4 in half of it.
    schedule : str, array-like or callable, default="auto"
        Weights of the minibatches: ``"balanced"`` (1/t), ``"linear"`` (2/(t+1)), ``"power:B"`` (t^-B), ``"constant:C"`` (max(1/t, C)),
        ``"auto"`` (t^-0.5, but no less than 2/B in a `fit` of several epochs of B minibatches), the weights themselves, of which the last
        is repeated, or a function of t = 1, 2, ...
    dictionary : str, Near, Projection or Union, default="nonneg-ball"
        Set of atoms: a name of ``ergodict.sets.NAMES``, also with a size (``"box:2"``), or an object of :mod:`ergodict.sets`.
    code : str, default="nonneg"
        Set of codes: ``"nonneg"``, ``"free"``, ``"box:U"``, ``"simplex:S"``, or ``"omp:K"`` for at most K atoms by orthogonal matching
        pursuit.
    normalize : {"sum", "per-column"}, default="sum"
        How columns enter the statistics.
    unused : {"keep", "reseed"}, default="keep"
        What becomes of atoms that no code uses.
    solver : {"fast", "projected-gradient"}, default="fast"
        How codes are found.
    code_tol : float, default=1e-8
        Relative KKT residual at which coding stops.
    dict_tol : float, default=0.01
        Relative change of the dictionary at which its update stops.
    dict_sweeps : int or None, default=None
        Most sweeps of a dictionary update; None is 5, or 1 for minibatches of fewer samples than atoms.
    dict_init : {"auto", "random", "data"} or array-like of shape (n_components, n_features), default="auto"
        The first dictionary: random, samples of the first minibatch, or this one; auto is samples for codes of both signs, else random.
    batch_size : int, default=64
        Samples per minibatch; the last one of an epoch may have fewer.
    max_iter : int, default=200
        How often all samples are seen at most.
    shuffle : bool, default=True
        Take the samples of each epoch in a random order.
    holdout : float, default=0.0
        Share of the samples kept apart for a final loss.
    tol : float, default=0.02
        Stop when a stretch of epochs, of at least `max_no_improvement` minibatches, lowers the mean loss by less than this share, divided
        by the square root of its number of epochs; 0 never stops before `max_iter`.
    max_no_improvement : int or None, default=256
        Minibatches without such an improvement before it stops, rounded up to whole epochs; None never stops before `max_iter`.
    missing : bool, default=False
        Whether NaN is a missing entry, which is left out.
    random_state : int, Generator, RandomState or None, default=None
        The seed, or where it comes from; recorded as ``seed_``. The same one gives the same bytes.
    callback : callable, default=None
        Called after each step of `fit` with a dict of what the step did: `step`, `weight`, `samples`, `loss`, `surrogate`, ... An exception
        in it ends `fit` and leaves what was learned. `fit_stream` calls it with `step` alone.
    n_jobs : int, default=None
        Threads; None is 1, -1 all. The result is the same with any number.
    verbose : bool, default=False
        Whether to show progress.
    """

    def __init__(
        self,
        n_components: Optional[int] = None, *, alpha: Union[float, str] = "auto", kappa1: float = 0.0, kappa2: float = 0.0,
        schedule: Schedule = "auto", dictionary: DictionarySet = "nonneg-ball", code: str = "nonneg", normalize: str = "sum",
        unused: str = "keep", solver: str = "fast", code_tol: float = 1e-8, dict_tol: float = 0.01, dict_sweeps: Optional[int] = None,
        dict_init: Union[str, ArrayLike] = "auto", batch_size: int = 64, max_iter: int = 200, shuffle: bool = True, holdout: float = 0.0,
        tol: float = 0.02, max_no_improvement: Optional[int] = 256, missing: bool = False, random_state: RandomState = None,
        callback: Optional[Callable[[dict[str, object]], object]] = None, n_jobs: Optional[int] = None, verbose: Union[bool, int] = False,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.kappa1 = kappa1
        self.kappa2 = kappa2
        self.schedule = schedule
        self.dictionary = dictionary
        self.code = code
        self.normalize = normalize
        self.unused = unused
        self.solver = solver
        self.code_tol = code_tol
        self.dict_tol = dict_tol
        self.dict_sweeps = dict_sweeps
        self.dict_init = dict_init
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.holdout = holdout
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.missing = missing
        self.random_state = random_state
        self.callback = callback
        self.n_jobs = n_jobs
        self.verbose = verbose


class NetworkParameters:
    """Parameters of ``ergodict network learn``.

    Parameters
    ----------
    n_components : int, default=9
        Atoms of the dictionary.
    k : int, default=None
        Nodes of the motif: 10, or those of the motif's edges, if None.
    motif : {"path", "star", "cycle", "complete"}, file or list of pairs, default="path"
        The motif: a shape, a file that lists its edges, or the edges, of nodes that are numbered from 0.
    sampler : {"walk", "exact", "pivot", "pivot-approx", "glauber", "rejection"}, default=None
        How motifs are sampled: by default independent random walks from a uniform start, exact or glauber for motifs with cycles.
    steps : int, default=100
        Minibatches; with snapshots or windows, of each.
    batch_size : int, default=100
        Patches per minibatch, shared by all networks and chains.
    static : bool, default=False
        Learn from all motif samples of a small network, weighted by probability, instead of random ones.
    n_examples : int, default=4
        Example subgraphs stored per atom; 0 for none.
    rewired_copies : int, default=None
        Rewired copies with the same degrees to compare with.
    score_patches : int, default=1000
        Fresh patches of each snapshot or window for the change score.
    null_permutations : int, default=20
        Permutations of times that changes are tested against; 0 for no test.
    alpha : float, default=0.5
        Weight of the ℓ₁ norm of the code as in scikit-learn, where the loss of a sample is ‖x − hW‖²/2 + alpha ‖h‖₁: ``--lambda`` is twice
        that.
    kappa1 : float, default=0.0
        Added to the diagonal of A in the dictionary update.
    kappa2 : float, default=0.0
        Weight of the squared ℓ₂ norm of the code: kappa2/2 in the loss ‖x − hW‖² + ..., so kappa2/4 in half of it.
    schedule : str, array-like or callable, default="linear"
        Weights of the minibatches: ``"balanced"`` (1/t), ``"linear"`` (2/(t+1)), ``"power:B"`` (t^-B), ``"constant:C"`` (max(1/t, C)),
        ``"auto"`` (t^-0.5, but no less than 2/B in a `fit` of several epochs of B minibatches), the weights themselves, of which the last
        is repeated, or a function of t = 1, 2, ...
    dictionary : str, Near, Projection or Union, default="nonneg-ball"
        Set of atoms: a name of ``ergodict.sets.NAMES``, also with a size (``"box:2"``), or an object of :mod:`ergodict.sets`.
    code : str, default="nonneg"
        Set of codes: ``"nonneg"``, ``"free"``, ``"box:U"``, ``"simplex:S"``, or ``"omp:K"`` for at most K atoms by orthogonal matching
        pursuit.
    normalize : {"sum", "per-column"}, default="sum"
        How columns enter the statistics.
    unused : {"keep", "reseed"}, default="keep"
        What becomes of atoms that no code uses.
    solver : {"fast", "projected-gradient"}, default="fast"
        How codes are found.
    code_tol : float, default=1e-6
        Relative KKT residual at which coding stops.
    dict_tol : float, default=0.001
        Relative change of the dictionary at which its update stops.
    dict_sweeps : int or None, default=None
        Most sweeps of a dictionary update; None is 5, or 1 for minibatches of fewer samples than atoms.
    dict_init : {"random", "data"} or array-like of shape (n_components, k²) or (n_components, k, k), default="random"
        The first dictionary: random, samples of the first minibatch, or this one.
    dtype : {"float64", "float32"}, default="float64"
        The arithmetic.
    injective : bool, default=False
        Keep only samples with distinct nodes.
    every : int, default=1
        Steps of the sampler between kept samples.
    burn_in : int, default=0
        Steps before the first kept sample.
    chains : int, default=None
        Independent chains, which share the work: 1 by default, 8 to compare.
    component : {"largest", "all"}, default="largest"
        Sample the largest component only, or the whole network.
    lazy : bool, default=None
        Whether pivots rest in half of their steps; by default where the network is bipartite.
    weighted : bool, default=False
        Use the weights of edges, which are taken for 1 otherwise.
    ids : bool, default=False
        Call nodes by their ids.
    weights : {"linear", "log", "rank"}, default="linear"
        Scale of the weights: linear, log (log₂(1 + w/smallest)) or rank (from 0 to 1).
    random_state : int, Generator, RandomState or None, default=None
        The seed, or where it comes from; recorded as ``seed_``. The same one gives the same bytes.
    n_jobs : int, default=None
        Threads; None is 1, -1 all. The result is the same with any number.
    verbose : bool, default=False
        Whether to show progress.
    """

    def __init__(
        self,
        n_components: int = 9, *, k: Optional[int] = None, motif: Any = "path", sampler: Optional[str] = None, steps: int = 100,
        batch_size: int = 100, static: bool = False, n_examples: int = 4, rewired_copies: Optional[int] = None, score_patches: int = 1000,
        null_permutations: int = 20, alpha: float = 0.5, kappa1: float = 0.0, kappa2: float = 0.0, schedule: Schedule = "linear",
        dictionary: DictionarySet = "nonneg-ball", code: str = "nonneg", normalize: str = "sum", unused: str = "keep", solver: str = "fast",
        code_tol: float = 1e-6, dict_tol: float = 0.001, dict_sweeps: Optional[int] = None, dict_init: Any = "random",
        dtype: Any = "float64", injective: bool = False, every: int = 1, burn_in: int = 0, chains: Optional[int] = None,
        component: str = "largest", lazy: Optional[bool] = None, weighted: bool = False, ids: bool = False, weights: str = "linear",
        random_state: RandomState = None, n_jobs: Optional[int] = None, verbose: Union[bool, int] = False,
    ) -> None:
        self.n_components = n_components
        self.k = k
        self.motif = motif
        self.sampler = sampler
        self.steps = steps
        self.batch_size = batch_size
        self.static = static
        self.n_examples = n_examples
        self.rewired_copies = rewired_copies
        self.score_patches = score_patches
        self.null_permutations = null_permutations
        self.alpha = alpha
        self.kappa1 = kappa1
        self.kappa2 = kappa2
        self.schedule = schedule
        self.dictionary = dictionary
        self.code = code
        self.normalize = normalize
        self.unused = unused
        self.solver = solver
        self.code_tol = code_tol
        self.dict_tol = dict_tol
        self.dict_sweeps = dict_sweeps
        self.dict_init = dict_init
        self.dtype = dtype
        self.injective = injective
        self.every = every
        self.burn_in = burn_in
        self.chains = chains
        self.component = component
        self.lazy = lazy
        self.weighted = weighted
        self.ids = ids
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
