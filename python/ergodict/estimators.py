"""Dictionary learning and nonnegative factorisation of matrices and streams, as scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Optional, Union

from numpy.typing import ArrayLike

from ._online import OnlineEstimator
from ._random import RandomState
from .sets import DictionarySet

__all__ = ["OnlineDictionary", "OnlineNMF"]

#: What `schedule` may be.
Schedule = Union[str, ArrayLike, Callable[[int], float]]


class OnlineDictionary(OnlineEstimator):
    """Online dictionary learning: atoms of norm at most one, codes of any sign.

    A sample x, a row of n_features numbers, is coded as ``h = argmin 1/2 |x - h W|^2 + alpha |h|_1 + kappa2/4 |h|^2``. Step t averages ``A = h' h``
    and ``B = h' x`` over its minibatch and all before with the weights of the schedule; then ``components_``, the rows of W, minimise
    ``tr(W' A W) - 2 tr(W' B)`` over the set of dictionaries.

    Parameters
    ----------
    n_components : int, default=None
        Atoms of the dictionary; as many as features if None.
    alpha : float, default=0.5
        Weight of the l1 norm of the code, as in scikit-learn: the library's lambda is ``2 * alpha``.
    kappa1 : float, default=0.0
        Added to the diagonal of A in the dictionary update.
    kappa2 : float, default=0.0
        Weight of half the squared l2 norm of the code.
    schedule : str, array-like or callable, default="balanced"
        Weights of the minibatches: ``"balanced"`` (1/t), ``"linear"`` (2/(t+1)), ``"power:B"`` (t^-B), ``"constant:C"``
        (max(1/t, C)), the weights themselves, of which the last is repeated, or a function of t = 1, 2, ...
    dictionary : str, Near, Projection or Union, default="ball"
        Set of atoms: ``"nonneg-ball"``, ``"ball"``, ``"simplex"``, ``"box"``, ``"l1-ball"`` (each also with ``:SIZE``),
        ``"free"``, or an object of :mod:`ergodict.sets`.
    code : str, default="free"
        Set of codes: ``"nonneg"``, ``"free"``, ``"box:U"`` or ``"simplex:S"``.
    dict_init : {"random", "data"} or array-like of shape (n_components, n_features), default="random"
        The first dictionary: random, samples of the first minibatch, or this one.
    normalise : {"sum", "per-column"}, default="sum"
        How the samples of a minibatch enter the statistics.
    unused : {"keep", "reseed"}, default="keep"
        What becomes of atoms that no code uses.
    solver : {"fast", "projected-gradient"}, default="fast"
        How codes are found; the latter is the paper's, and slow.
    tol : float, default=1e-6
        Relative KKT residual at which coding stops.
    dict_tol : float, default=1e-3
        Relative change of the dictionary at which its update stops.
    dict_sweeps : int, default=5
        Most sweeps of a dictionary update.
    batch_size : int, default=256
        Samples of a minibatch of `fit`.
    max_iter : int, default=1
        How often `fit` goes over the samples: epochs.
    shuffle : bool, default=False
        Whether `fit` takes the samples of each epoch in a random order.
    holdout : float, default=0.0
        Share of the samples that `fit` keeps apart for `held_out_loss_`.
    missing : bool, default=False
        Whether NaN stands for a missing entry, which is left out.
    callback : callable, default=None
        Called after each step of `fit` with a dict of what the step did: `step`, `weight`, `samples`, `loss`, `surrogate`, ...
        An exception in it ends `fit` and leaves what was learned. `fit_stream` calls it with `step` alone.
    random_state : int, Generator, RandomState or None, default=None
        The seed, or where it comes from; recorded as `seed_`.
    n_jobs : int, default=None
        Threads; None is 1, -1 all. The result is the same with any number. Minibatches of up to 128 samples use one.
    verbose : bool, default=False
        Whether to show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The dictionary, an atom a row.
    n_iter_ : int
        Epochs that the last `fit` completed.
    n_steps_ : int
        Steps taken, one for each minibatch.
    surrogate_ : float
        The surrogate loss per sample.
    seed_ : int
        The seed that was used.
    dominance_ : ndarray of shape (n_components,)
        The share of each atom in the reconstructions.
    history_ : dict of ndarray
        The loss and the surrogate along the way, thinned as it grows.
    held_out_loss_ : float or None
        The mean loss of the samples held out by `fit`.
    piece_ : int
        The piece of a union of sets that the dictionary lies in.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the data had them.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import OnlineDictionary
    >>> X = np.random.default_rng(0).normal(size=(500, 8))
    >>> model = OnlineDictionary(5, alpha=0.1, random_state=0).fit(X)
    >>> model.components_.shape, model.transform(X).shape
    ((5, 8), (500, 5))
    """

    def __init__(
        self,
        n_components: Optional[int] = None,
        *,
        alpha: float = 0.5,
        kappa1: float = 0.0,
        kappa2: float = 0.0,
        schedule: Schedule = "balanced",
        dictionary: DictionarySet = "ball",
        code: str = "free",
        dict_init: Union[str, ArrayLike] = "random",
        normalise: str = "sum",
        unused: str = "keep",
        solver: str = "fast",
        tol: float = 1e-6,
        dict_tol: float = 1e-3,
        dict_sweeps: int = 5,
        batch_size: int = 256,
        max_iter: int = 1,
        shuffle: bool = False,
        holdout: float = 0.0,
        missing: bool = False,
        callback: Optional[Callable[[dict[str, object]], object]] = None,
        random_state: RandomState = None,
        n_jobs: Optional[int] = None,
        verbose: Union[bool, int] = False,
    ) -> None:
        self.n_components = n_components
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
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.holdout = holdout
        self.missing = missing
        self.callback = callback
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class OnlineNMF(OnlineEstimator):
    """Online nonnegative matrix factorisation: nonnegative atoms of norm at most one, nonnegative codes.

    A sample x, a row of n_features numbers, is coded as ``h = argmin 1/2 |x - h W|^2 + alpha |h|_1 + kappa2/4 |h|^2``. Step t averages ``A = h' h``
    and ``B = h' x`` over its minibatch and all before with the weights of the schedule; then ``components_``, the rows of W, minimise
    ``tr(W' A W) - 2 tr(W' B)`` over the set of dictionaries.

    Parameters
    ----------
    n_components : int, default=None
        Atoms of the dictionary; as many as features if None.
    alpha : float, default=0.5
        Weight of the l1 norm of the code, as in scikit-learn: the library's lambda is ``2 * alpha``.
    kappa1 : float, default=0.0
        Added to the diagonal of A in the dictionary update.
    kappa2 : float, default=0.0
        Weight of half the squared l2 norm of the code.
    schedule : str, array-like or callable, default="balanced"
        Weights of the minibatches: ``"balanced"`` (1/t), ``"linear"`` (2/(t+1)), ``"power:B"`` (t^-B), ``"constant:C"``
        (max(1/t, C)), the weights themselves, of which the last is repeated, or a function of t = 1, 2, ...
    dictionary : str, Near, Projection or Union, default="nonneg-ball"
        Set of atoms: ``"nonneg-ball"``, ``"ball"``, ``"simplex"``, ``"box"``, ``"l1-ball"`` (each also with ``:SIZE``),
        ``"free"``, or an object of :mod:`ergodict.sets`.
    code : str, default="nonneg"
        Set of codes: ``"nonneg"``, ``"free"``, ``"box:U"`` or ``"simplex:S"``.
    dict_init : {"random", "data"} or array-like of shape (n_components, n_features), default="random"
        The first dictionary: random, samples of the first minibatch, or this one.
    normalise : {"sum", "per-column"}, default="sum"
        How the samples of a minibatch enter the statistics.
    unused : {"keep", "reseed"}, default="keep"
        What becomes of atoms that no code uses.
    solver : {"fast", "projected-gradient"}, default="fast"
        How codes are found; the latter is the paper's, and slow.
    tol : float, default=1e-6
        Relative KKT residual at which coding stops.
    dict_tol : float, default=1e-3
        Relative change of the dictionary at which its update stops.
    dict_sweeps : int, default=5
        Most sweeps of a dictionary update.
    batch_size : int, default=256
        Samples of a minibatch of `fit`.
    max_iter : int, default=1
        How often `fit` goes over the samples: epochs.
    shuffle : bool, default=False
        Whether `fit` takes the samples of each epoch in a random order.
    holdout : float, default=0.0
        Share of the samples that `fit` keeps apart for `held_out_loss_`.
    missing : bool, default=False
        Whether NaN stands for a missing entry, which is left out.
    callback : callable, default=None
        Called after each step of `fit` with a dict of what the step did: `step`, `weight`, `samples`, `loss`, `surrogate`, ...
        An exception in it ends `fit` and leaves what was learned. `fit_stream` calls it with `step` alone.
    random_state : int, Generator, RandomState or None, default=None
        The seed, or where it comes from; recorded as `seed_`.
    n_jobs : int, default=None
        Threads; None is 1, -1 all. The result is the same with any number. Minibatches of up to 128 samples use one.
    verbose : bool, default=False
        Whether to show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The dictionary, an atom a row.
    n_iter_ : int
        Epochs that the last `fit` completed.
    n_steps_ : int
        Steps taken, one for each minibatch.
    surrogate_ : float
        The surrogate loss per sample.
    seed_ : int
        The seed that was used.
    dominance_ : ndarray of shape (n_components,)
        The share of each atom in the reconstructions.
    history_ : dict of ndarray
        The loss and the surrogate along the way, thinned as it grows.
    held_out_loss_ : float or None
        The mean loss of the samples held out by `fit`.
    piece_ : int
        The piece of a union of sets that the dictionary lies in.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the data had them.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import OnlineNMF
    >>> X = np.random.default_rng(0).random((500, 8))
    >>> model = OnlineNMF(3, alpha=0.1, random_state=0).fit(X)
    >>> bool((model.components_ >= 0).all()), model.n_steps_
    (True, 2)

    Any iterable of arrays is a stream, such as a Markov chain:

    >>> def chain():
    ...     rng, state = np.random.default_rng(0), np.ones(8)
    ...     while True:
    ...         state = np.abs(0.9 * state + rng.normal(size=8))
    ...         yield state
    >>> OnlineNMF(3, random_state=0).fit_stream(chain(), steps=100).n_steps_
    100
    """

    def __init__(
        self,
        n_components: Optional[int] = None,
        *,
        alpha: float = 0.5,
        kappa1: float = 0.0,
        kappa2: float = 0.0,
        schedule: Schedule = "balanced",
        dictionary: DictionarySet = "nonneg-ball",
        code: str = "nonneg",
        dict_init: Union[str, ArrayLike] = "random",
        normalise: str = "sum",
        unused: str = "keep",
        solver: str = "fast",
        tol: float = 1e-6,
        dict_tol: float = 1e-3,
        dict_sweeps: int = 5,
        batch_size: int = 256,
        max_iter: int = 1,
        shuffle: bool = False,
        holdout: float = 0.0,
        missing: bool = False,
        callback: Optional[Callable[[dict[str, object]], object]] = None,
        random_state: RandomState = None,
        n_jobs: Optional[int] = None,
        verbose: Union[bool, int] = False,
    ) -> None:
        self.n_components = n_components
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
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.holdout = holdout
        self.missing = missing
        self.callback = callback
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
