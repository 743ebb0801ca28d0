"""The estimator of the online scheme; its variants differ by defaults."""

from __future__ import annotations

import copy
import inspect
import itertools
import re
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Optional, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _check
from ._chain import Chain, DependentMinibatches
from ._check import flag
from ._ergodict import Factorizer, _set_patch, minibatches
from ._files import Filed
from ._learned import Learned, described
from ._progress import progress
from ._random import seed_of
from ._repr import EstimatorRepr
from ._settings import OnlineParameters
from ._trajectory import Trajectory
from ._warn import warn

#: The estimator itself, for methods that return it.
Self = TypeVar("Self", bound="OnlineEstimator")


#: Fewest independent minibatches that those along a chain should be worth, as on the command line.
_LEAST_MINIBATCHES = 30


@described
class OnlineEstimator(OnlineParameters, EstimatorRepr, Filed, Learned, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The online scheme: its parameters and methods.

    A sample x, a row of n_features numbers, is coded as ``h = argmin 1/2 |x - h W|^2 + alpha |h|_1 + kappa2/4 |h|^2``: half of the loss
    ``|x - h W|^2 + 2 alpha |h|_1 + kappa2/2 |h|^2`` that `score`, `surrogate_` and the command line have. Step t averages ``A = h' h``
    and ``B = h' x`` over its minibatch and all before with the weights of the schedule; then ``components_``, the rows of W, minimize
    ``tr(W' A W) - 2 tr(W' B)`` over the set of dictionaries.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The dictionary, one atom per row.
    n_iter_ : int
        Epochs that the last `fit` completed.
    n_steps_ : int
        Steps taken, one for each minibatch.
    alpha_ : float
        The weight of the l1 norm of the code, as given or as ``"auto"`` resolved.
    reconstruction_err_ : float
        The Frobenius norm of ``X - codes @ components_`` over the last epoch of `fit`, where each sample was coded before it was learned from;
        with ``sample_weight``, squared errors count that often.
    surrogate_ : float
        The surrogate loss per sample.
    seed_ : int
        Seed used.
    dominance_ : ndarray of shape (n_components,)
        The share of each atom in the reconstructions.
    history_ : dict of ndarray
        Loss and surrogate by step, thinned as it grows.
    explained_ : dict or None
        Shares of the samples that the atoms, and the mean sample as the only atom, explain.
    held_out_loss_ : float or None
        The mean loss of the samples held out by `fit`.
    piece_ : int
        The piece of a union of sets that contains the dictionary.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the data had them.
    """

    # Learning

    def fit(self: Self, X: Any, y: object = None, sample_weight: Any = None) -> Self:
        """Learn a dictionary from the rows of a matrix, from scratch.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples. float32 and float64 arrays are read without a copy; others are converted.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts in its minibatch: 2 is as much as two copies of it. Samples of weight 0 are left out. The default
            of `dict_sweeps` goes by the sum of the weights, too: weights far below 1 make it 1.

        Returns
        -------
        self
            The fitted estimator. An interruption (Ctrl-C) or an error on the way leaves it as it was after the last step, ready for
            `partial_fit`.
        """
        X = self._validated(X, reset=True)
        X, counts = _weighted(X, sample_weight)
        course, missing = self._course(), flag(self.missing, "missing")
        jobs = _check.jobs(self.n_jobs)
        self._forget()
        seed = seed_of(self.random_state)
        each = minibatches(X.shape[0], course, seed)
        steps = each * course["epochs"] if _check.schedule(self.schedule)[1] is not None else 0
        again = each if course["epochs"] > 1 else None
        core = self._begin(X.shape[1], X.dtype, min(course["batch"], X.shape[0]), seed, steps, again)
        try:
            with progress(self.verbose, "learning") as show:
                core.fit(_parts(X), course, seed, missing, jobs, show, self.callback, counts)
        except BaseException:
            # Whatever it was: only a run without a single step has nothing to keep.
            if core.steps:
                self._keep(core, "interrupted fit")
            raise
        self._keep(core, "fit")
        self._warn()
        return self

    def partial_fit(self: Self, X: Any, y: object = None, sample_weight: Any = None) -> Self:
        """Take one step: learn from one minibatch, which may have any number of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The minibatch.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts: 2 is as much as two copies of it.

        Returns
        -------
        self
            The estimator. The first call reads the parameters; changes of them have no effect after it, until the next `fit`.
        """
        first = "_core" not in self.__dict__
        if sample_weight is None:
            self._learn(X, "partial_fit")
        else:
            self._step(X, "partial_fit", _check.jobs(self.n_jobs), sample_weight)
        if first:
            # A penalty that leaves nothing of the first minibatch leaves nothing of the next ones.
            for words in self._core.warnings():
                warn(words, ConvergenceWarning)
        return self

    def _learn(self, X: Any, how: str) -> None:
        """One step of a method that the user called, to whom warnings are addressed."""
        jobs = self.n_jobs
        if jobs is not None:
            jobs = _check.jobs(jobs)
        # Arrays as they should be go the short way: everything else is looked at below.
        push = self.__dict__.get("_push")
        if push is not None and type(X) is np.ndarray:
            seen = push(X, jobs)
            if seen:
                if not self._how.endswith(how):
                    self._how = f"{self._how}, {how}"
                if seen == 2:
                    warn(self._core.facts["negative"])
                return
        self._step(X, how, jobs)

    def _step(self, X: Any, how: str, jobs: Optional[int], sample_weight: Any = None) -> None:
        first = not self.__sklearn_is_fitted__()
        X = self._validated(X, reset=first)
        X, counts = _weighted(X, sample_weight)
        if first:
            core = self._begin(X.shape[1], X.dtype, X.shape[0], seed_of(self.random_state))
            function = _check.schedule(self.schedule)[1]
        else:
            core, function = self._core, self._schedule
        weight = None if function is None else _check.weight_at(function, core.steps + 1)
        before = core.facts["negative"]
        core.step(_parts(X), weight, flag(self.missing, "missing"), jobs, counts)
        if first:
            self._keep(core, how)
        elif not self._how.endswith(how):
            self._how = f"{self._how}, {how}"
        if core.facts["negative"] and not before:
            warn(core.facts["negative"])

    def fit_stream(self: Self, stream: Iterable[Any], steps: Optional[int] = None, go_on: bool = False) -> Self:
        """Learn from any iterable of minibatches: a generator, a chain, a list.

        Parameters
        ----------
        stream : iterable of array-like or sparse matrix
            Each item is a minibatch of shape (n_samples, n_features), or one sample of shape (n_features,). Of :class:`ImagePatches` and
            the minibatches of a chain, `save` writes what the atoms are patches of.
        steps : int, default=None
            How many items to take at most; all if None.
        go_on : bool, default=False
            Whether to continue with what was learned before instead of restarting.

        Returns
        -------
        self
            The estimator. An interruption (Ctrl-C) leaves it as it was after the last step; `go_on` continues.
        """
        if isinstance(stream, (Chain, Trajectory)):
            raise TypeError(f"the stream is {type(stream).__name__}, whose configurations are not minibatches: use .minibatches(patch=…)")
        if isinstance(stream, (str, bytes)) or not isinstance(stream, Iterable):
            raise TypeError(f"the stream is {type(stream).__name__}, but it must be an iterable of arrays")
        if sparse.issparse(stream) or hasattr(stream, "columns") or getattr(stream, "ndim", None) == 2:
            raise ValueError("the stream is one matrix, whose rows would be steps of one sample each: use fit(X), or fit_stream([X])")
        if steps is not None:
            steps = _check.count(steps, "the number of steps")
        _check.jobs(self.n_jobs)
        if not go_on:
            self._forget()
        kind = getattr(stream, "_patch_kind", None)
        done = 0
        with progress(self.verbose, "learning") as show:
            for item in itertools.islice(stream, steps):
                self._learn(self._minibatch(item), "fit_stream")
                if kind is not None and not done:
                    _set_patch(self._core, *kind)
                done += 1
                if show is not None:
                    show(done, steps or 0, self.surrogate_ if done % 64 == 0 else None)
                if self.callback is not None:
                    self.callback({"step": self.n_steps_})
        if not done and not self.__sklearn_is_fitted__():
            raise ValueError("the stream is empty, but at least one minibatch is needed")
        for words in self._core.warnings():
            warn(words, ConvergenceWarning)
        if not isinstance(stream, DependentMinibatches):
            return self
        if stream._never_changed:
            warn(f"no observable changed in {done} minibatches: all configurations may be the same", ConvergenceWarning)
        worth = stream.effective_minibatches
        if worth is not None and worth < _LEAST_MINIBATCHES and done >= 2 * worth:
            ones = "one" if round(worth) == 1 else "ones"
            advice = f"{_LEAST_MINIBATCHES} are advised; {stream._advice}"
            warn(f"{done} minibatches are worth {worth:.0f} independent {ones}, {advice}", ConvergenceWarning)
        return self

    def _minibatch(self, item: Any) -> Any:
        """An item of a stream as a minibatch."""
        if sparse.issparse(item) or hasattr(item, "columns"):
            return item
        item = np.asarray(item)
        if item.ndim == 1:
            item = item[None, :]
        if item.ndim == 2 and item.dtype.kind in "biu":
            # Spins and bits come as small integers.
            item = item.astype(self._dtype() if self.__sklearn_is_fitted__() else np.float64)
        return item

    # What was learned, applied

    def transform(
        self,
        X: Any,
        alpha: Optional[float] = None,
        *,
        algorithm: Optional[str] = None,
        n_nonzero_coefs: Optional[int] = None,
        tol: Optional[float] = None,
    ) -> Any:
        """Code samples under the dictionary.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.
        alpha : float, default=None
            Another weight of the l1 norm of the code than ``alpha_``, with which the dictionary was learned.
        algorithm : {"omp"}, optional
            Orthogonal matching pursuit: atoms are chosen one after another, with coefficients by least squares. By default codes are
            those of learning.
        n_nonzero_coefs : int, optional
            Most atoms of a sample, for "omp"; without `tol` a tenth of the features by default, as in scikit-learn.
        tol : float, optional
            Squared error of a sample at which "omp" adds no more atoms; with both limits, the one that is met first counts.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The codes.
        """
        X, jobs = self._known(X), _check.jobs(self.n_jobs)
        limits = _limits(algorithm, n_nonzero_coefs, tol, self.n_features_in_)
        if limits is not None and alpha is not None:
            raise ValueError('alpha has no part in algorithm="omp"')
        with progress(self.verbose, "coding", unit="minibatch") as show:
            other = None if alpha is None else 2.0 * _check.not_negative(alpha, "alpha")
            return self._core.transform(_parts(X), flag(self.missing, "missing"), jobs, show, other, limits)

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """Reconstruct samples from their codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            The codes.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The product of the codes and the atoms.
        """
        check_is_fitted(self)
        codes = X if sparse.issparse(X) else np.asarray(X)
        components = self.components_
        if codes.ndim != 2 or codes.shape[1] != components.shape[0]:
            found = "×".join(map(str, codes.shape)) or "a number"
            raise ValueError(f"the code is {found}, but {components.shape[0]} columns is needed: one for each atom")
        return np.asarray(codes @ components)

    def score(self, X: Any, y: object = None) -> float:
        """Return minus the mean loss per sample: larger is better.

        The loss of a sample is ``|x - hW|^2 + 2 alpha |h|_1 + kappa2 / 2 |h|^2``. It depends on `alpha`: to select that, compare
        reconstructions instead.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.
        y : None
            Not used.

        Returns
        -------
        float
            The score.
        """
        X, jobs = self._known(X), _check.jobs(self.n_jobs)
        return -float(np.mean(self._core.losses(_parts(X), flag(self.missing, "missing"), jobs)))

    # What was learned, beside what all estimators have

    @property
    def n_iter_(self) -> int:
        """Epochs that the last `fit` completed."""
        return int(self._learned().facts["epochs"])

    @property
    def alpha_(self) -> float:
        """The weight of the l1 norm of the code, as given or as ``"auto"`` resolved."""
        return float(self._learned().facts["lambda"]) / 2.0

    @property
    def reconstruction_err_(self) -> float:
        """The Frobenius norm of ``X - codes @ components_`` over the last epoch of `fit`."""
        error: Optional[float] = self._learned().facts["epoch_error"]
        if error is None:
            raise AttributeError("reconstruction_err_ is that of the last epoch of fit: no epoch was completed, or the model was loaded from a file, which does not keep it")
        return float(np.sqrt(error))

    @property
    def piece_(self) -> int:
        """The piece of a union of sets that contains the dictionary; 0 for one set."""
        return int(self._learned().facts["piece"])

    @property
    def explained_(self) -> Optional[dict[str, float]]:
        """The share of the samples that is explained: by the atoms, and by the mean sample as the only atom.

        It is ``1 - |X - HW|²/|X|²`` over the samples that `fit` has learned from; None after a single epoch, with weights of samples, and
        after `partial_fit`.

        Examples
        --------
        >>> import numpy as np
        >>> from ergodict import OnlineNMF
        >>> model = OnlineNMF(2, random_state=0).fit(np.random.default_rng(0).random((200, 6)))
        >>> model.explained_["atoms"] > model.explained_["mean_sample"]
        True
        """
        explained: Optional[dict[str, float]] = self._learned().facts["explained"]
        return explained

    @property
    def held_out_loss_(self) -> Optional[float]:
        """The mean loss of the samples that `fit` held out; None if there were none."""
        loss: Optional[float] = self._learned().facts["held_out_loss"]
        return loss

    @property
    def _n_features_out(self) -> int:
        return int(self._learned().facts["atoms"])

    def _learned(self) -> Factorizer:
        check_is_fitted(self)
        return self._core

    # What scikit-learn asks for

    def __sklearn_is_fitted__(self) -> bool:
        return "_core" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = bool(self.missing)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_push", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self.__sklearn_is_fitted__():
            self._shortcut()

    def __copy__(self: Self) -> Self:
        # A copy that shared what is learned would learn with the original; parameters are the user's, and shared as usual.
        new = type(self).__new__(type(self))
        new.__dict__.update(self.__dict__)
        if self.__sklearn_is_fitted__():
            new._core = copy.copy(self._core)
            new._shortcut()
        return new

    # Inside

    def _course(self) -> dict[str, Any]:
        """How to go over the data, by the keys of the library."""
        holdout, tol = _check.number(self.holdout, "the share held out"), _check.number(self.tol, "tol")
        for share, name in ((holdout, "the share held out"), (tol, "tol")):
            if not 0.0 <= share < 1.0:
                raise ValueError(f"{name} is {share}, but it must be at least 0 and below 1")
        if self.callback is not None and not callable(self.callback):
            raise TypeError(f"callback is {self.callback!r}, but it must be callable or None")
        stretch = self.max_no_improvement
        if stretch is None:
            # As in scikit-learn: no stopping by the loss.
            tol, stretch = 0.0, 256
        return {
            "batch": _check.count(self.batch_size, "the batch size", expected="a minibatch has at least one sample"),
            "epochs": _check.count(self.max_iter, "the number of epochs", expected="at least one is needed"),
            "shuffle": flag(self.shuffle, "shuffle"), "holdout": holdout, "tol": tol,
            "max_no_improvement": _check.count(stretch, "max_no_improvement", expected="at least one is needed"),
        }

    def _begin(
        self, features: int, dtype: Any, batch: int, seed: int, steps: int = 0, minibatches: Optional[int] = None
    ) -> Factorizer:
        """A factorizer that has not learned anything; `steps` are those that a function gives weights, `minibatches` those of an epoch."""
        atoms = features
        if self.n_components is not None:
            atoms = _check.whole(self.n_components, "the number of atoms", 1, "a dictionary has at least one")
        scheme = _check.scheme(self, atoms, features, bool(dtype == np.float32), steps)
        first = _check.first_atoms(self.dict_init, atoms, features, dtype)
        return Factorizer(scheme, features, batch, self.dict_init if first is None else first, seed, minibatches)

    def _keep(self, core: Factorizer, how: str) -> None:
        self._core, self._how, self._told = core, how, False
        self._schedule = _check.schedule(self.schedule)[1]
        self._shortcut()

    def _shortcut(self) -> None:
        """Small arrays need no checks here when they need no more than a look at their type."""
        plain = not self.missing and self._schedule is None and not hasattr(self, "feature_names_in_")
        self._push = self._core.push if plain else None

    def _forget(self) -> None:
        for name in ("_core", "_push", "_how", "_schedule", "_told"):
            self.__dict__.pop(name, None)

    def _warn(self) -> None:
        if self._core.facts["negative"]:
            warn(self._core.facts["negative"])
        for words in self._core.warnings():
            warn(words, ConvergenceWarning)

    def _dtype(self) -> Any:
        return np.dtype(np.float32 if self._core.facts["single"] else np.float64)

    def _known(self, X: Any) -> Any:
        """Samples for what was learned."""
        check_is_fitted(self)
        return self._validated(X, reset=False)

    def _validated(self, X: Any, reset: bool) -> Any:
        types = [np.float64, np.float32] if reset else [self._dtype()]
        if isinstance(X, Iterator):
            raise TypeError(f"X is a {type(X).__name__}, but it must be an array of samples: use fit_stream to learn from minibatches as they come")
        if isinstance(X, np.ma.MaskedArray):
            if np.any(np.ma.getmaskarray(X)) and not flag(self.missing, "missing"):
                raise ValueError("X has masked entries: set missing=True to leave them out, or fill them")
            X = np.ma.filled(X if X.dtype.kind == "f" else X.astype(np.float64), np.nan)
        if isinstance(X, np.ndarray) and X.dtype.kind == "f" and not X.dtype.isnative:
            # Of the same precision, which the checks below would not see.
            X = X.astype(X.dtype.newbyteorder("="))
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype=types, order=None, copy=False, ensure_all_finite=False
        )
        if sparse.issparse(X):
            if flag(self.missing, "missing"):
                raise ValueError("missing is True, but a sparse matrix has no missing entries: give a dense one")
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
        return X


def _weighted(X: Any, sample_weight: Any) -> tuple[Any, Optional[NDArray[np.float64]]]:
    """The samples that count, and how much."""
    if sample_weight is None:
        return X, None
    counts = np.ascontiguousarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
    if not counts.any():
        raise ValueError("sample_weight is zero for every sample, but at least one must be positive")
    if not counts.all():
        X, counts = X[counts > 0], counts[counts > 0]
    return X, counts


def _parts(X: Any) -> Any:
    """What the extension takes for a matrix."""
    if not sparse.issparse(X):
        return X
    data, indices, indptr = (np.require(part, requirements=["C", "A"]) for part in (X.data, X.indices, X.indptr))
    return data, indices, indptr, X.shape[1]


def variant(**defaults: str) -> Callable[[type[Self]], type[Self]]:
    """Gives a class of estimators defaults of its own, and puts the common description between its summary and its examples."""

    def with_defaults(estimator: type[Self]) -> type[Self]:
        shared: Any = OnlineEstimator.__init__
        own: Any = types.FunctionType(shared.__code__, shared.__globals__, shared.__name__, shared.__defaults__)
        own.__kwdefaults__, own.__annotations__ = {**shared.__kwdefaults__, **defaults}, shared.__annotations__
        setattr(estimator, "__init__", own)
        summary, _, examples = inspect.cleandoc(estimator.__doc__ or "").partition("\n\n")
        common = inspect.cleandoc(OnlineEstimator.__doc__ or "").partition("\n\n")[2]
        for name, value in defaults.items():
            common = re.sub(rf'(\n{name} : [^\n]*default=)"[^"]*"', rf'\1"{value}"', common)
        estimator.__doc__ = f"{summary}\n\n{common}\n\n{examples}\n"
        return estimator

    return with_defaults


def _limits(
    algorithm: Optional[str], n_nonzero_coefs: Optional[int], tol: Optional[float], features: int
) -> Optional[tuple[Optional[int], Optional[float]]]:
    """Where orthogonal matching pursuit stops, if it is asked for."""
    if algorithm is None:
        if n_nonzero_coefs is not None or tol is not None:
            raise ValueError('n_nonzero_coefs and tol are limits of algorithm="omp"')
        return None
    _check.choice(algorithm, "algorithm", ["omp"])
    most = None if n_nonzero_coefs is None else _check.count(n_nonzero_coefs, "n_nonzero_coefs")
    if most is None and tol is None:
        most = max(1, features // 10)
    return most, None if tol is None else _check.not_negative(tol, "tol")
