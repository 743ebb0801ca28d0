"""What all chains of configurations share: iteration, measuring, patches, pickling."""

from __future__ import annotations

import inspect
import os
import pathlib
import time
from collections.abc import Iterable, Iterator
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from . import _check, _ergodict
from ._atoms import PatchKind
from ._progress import progress
from ._random import RandomState, seed_of
from ._warn import warn
from .diagnostics import mixing, to_inference_data

#: int8 of spins and labels, float64 of angles.
Configuration = npt.NDArray[Any]
#: Rows and columns, or one number for both.
Size = Union[int, tuple[int, int]]
#: How a chain begins: "random", "ordered", a configuration, or a `.npy` file whose last frame is taken.
Start = Union[str, "os.PathLike[str]", npt.NDArray[Any]]


class Stream:
    """A stream whose position is that of an object of the extension, which is made again where it is copied to."""

    _inner: Any

    def _build(self) -> Any:
        """The object at its start."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        del state["_inner"]
        return {**state, "_place": self._inner.place()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        place = state.pop("_place")
        self.__dict__.update(state)
        self._inner = self._build()
        self._inner.seek(*place)


class Chain(Stream):
    """A chain of configurations, the base class of all systems."""

    #: The name of the system on the command line, and its parameters besides size and temperature.
    _model = ""
    _system: tuple[str, ...] = ()
    #: Parameters that are not shown.
    _unshown: tuple[str, ...] = ()
    #: Encoding of spins in patches by default.
    _values = "zero-one"

    _inner: _ergodict.SpinChain
    every: int
    burn_in: int
    chain: int
    seed_: int
    size: tuple[int, int]
    temperature: float
    #: Whether the configuration was set by hand.
    _replaced: bool

    def _begin(
        self, every: object, burn_in: object, start: Any, chain: object, random_state: RandomState
    ) -> None:
        """Sets what all chains have, and puts the chain to its start."""
        self.every = _check.count(every, "every")
        self.burn_in = _check.count(burn_in, "burn_in", 0)
        # Beyond these are the streams of other purposes.
        self.chain = _check.count(chain, "chain", 0, 2**16 - 1)
        self.seed_ = seed_of(random_state)
        self.start = start.copy() if isinstance(start, np.ndarray) else start
        self._inner = self._build()
        first = self._first(start)
        if first is not None:
            self.state = first
        self._replaced = False

    def _build(self) -> _ergodict.SpinChain:
        system = {"model": self._model, **{name: getattr(self, name) for name in self._system}}
        return _ergodict.SpinChain(
            system, self.size, self.temperature, self.seed_, self.chain, **self._arrays(system)
        )

    def _arrays(self, system: dict[str, Any]) -> dict[str, Any]:
        """The arrays that describe the system, which are taken from its parameters."""
        return {}

    def _first(self, start: Any) -> Optional[npt.NDArray[Any]]:
        """The first configuration, unless it is random."""
        if isinstance(start, str) and start == "random":
            return None
        if isinstance(start, str) and start == "ordered":
            # 1 everywhere, label or angle 0 where there are labels or angles.
            return np.full(self.shape, 0 if self._inner.labels > 0 or self._is_real else 1, dtype=self._dtype)
        if isinstance(start, (str, os.PathLike)):
            frames = np.load(start, allow_pickle=False)
            if frames.ndim == 3 and not len(frames):
                raise ValueError(f"{os.fspath(start)}: has no frame to start from")
            last: npt.NDArray[Any] = frames[-1] if frames.ndim == 3 else frames
            return last
        return np.asarray(start)

    @property
    def _is_real(self) -> bool:
        return self._inner.labels <= -2

    @property
    def _dtype(self) -> npt.DTypeLike:
        """That of configurations."""
        return np.float64 if self._is_real else np.int8

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a configuration."""
        return self._inner.shape

    @property
    def updates(self) -> int:
        """Updates of single sites made so far."""
        return self._inner.steps * self._inner.updates_per_step

    @property
    def acceptance_(self) -> Optional[float]:
        """The share of proposals that were accepted; None for chains that make none, or have made none yet."""
        counts = self._inner.acceptance
        return counts[0] / counts[1] if counts is not None and counts[1] else None

    @property
    def state(self) -> Configuration:
        """The present configuration, a new array (rows, cols), int8, or float64 for angles; assign to it to continue from another."""
        return self._inner.spins().reshape(self.shape)

    @state.setter
    def state(self, value: npt.ArrayLike) -> None:
        given = np.asarray(value)
        if given.dtype.kind not in "buif":
            raise TypeError(f"the configuration has the dtype {given.dtype}, but it must hold integers")
        if given.shape != self.shape:
            found, (rows, cols) = "×".join(map(str, given.shape)), self.shape
            raise ValueError(f"the configuration has {found} sites, but the system has {rows}×{cols}")
        if self._is_real and given.dtype.kind in "iu" and given.min() < given.max():
            raise ValueError("the configuration holds integers, but angles are in radians: multiply numbered directions by 2 * numpy.pi / q")
        if self._is_real:
            spins = given.astype(np.float64)
        else:
            spins = given.astype(np.int8) if given.dtype.kind != "f" else _whole(given)
        if not self._is_real and np.any(spins != given):
            raise ValueError("the configuration has values that are none of the system's")
        steps, word, acceptance, patch_word, _ = self._inner.place()
        self._inner.seek(steps, word, acceptance, patch_word, np.ascontiguousarray(spins).ravel())
        self._replaced = True

    def __iter__(self) -> Iterator[Configuration]:
        return self

    def __next__(self) -> Configuration:
        self._inner.next(self.every, self.burn_in)
        return self.state

    def advance(self, updates: int) -> None:
        """Make this number of single-site updates, rounded up to whole steps.

        Parameters
        ----------
        updates : int
            How many.
        """
        self._inner.advance(_check.count(updates, "updates", 0))

    def frames(self, n: int, *, verbose: bool = False) -> Configuration:
        """Return the next states, one after another.

        Parameters
        ----------
        n : int
            How many.
        verbose : bool, default=False
            Whether to show progress.

        Returns
        -------
        array of int8, or float64 of angles, shape (n, rows, cols)
            What ``ergodict spins simulate`` writes for the same seed, at the start of the chain.
        """
        rows, cols = self.shape
        frames = np.empty((_check.count(n, "n", 0), rows, cols), dtype=self._dtype)
        with progress(verbose, "simulating", unit="frame") as show:
            for i, frame in enumerate(frames):
                frame[...] = next(self)
                if show is not None:
                    show(i + 1, len(frames), None)
        return frames

    def measure(self, observable: str = "energy") -> float:
        """Measure the present configuration: that of the start until a state is taken, since the burn-in comes with the first.

        Parameters
        ----------
        observable : str, default="energy"
            energy (per site), magnetization, cluster (share of the sites in the largest cluster of equal neighbors), energy-squared,
            abs-magnetization, magnetization-squared, magnetization-fourth, structure-0 and structure-1 (structure factors of a torus),
            bond-cluster-mean and bond-cluster-largest (clusters of random bonds); of :class:`XY` also vortices (by plaquette) and current-squared.

        Returns
        -------
        float
            Its value.
        """
        if not isinstance(observable, str):
            raise TypeError(f"observable is {observable!r}, but it must be a name such as energy")
        return self._inner.measure(observable)

    def record(
        self, n: int, observables: Iterable[str] = ("energy", "magnetization"), *, verbose: bool = False
    ) -> dict[str, npt.NDArray[np.float64]]:
        """Measure the next states, one after another.

        Parameters
        ----------
        n : int
            How many.
        observables : iterable of str, default=("energy", "magnetization")
            As for :meth:`measure`.
        verbose : bool, default=False
            Whether to show progress.

        Returns
        -------
        dict of arrays of shape (n,)
            By the name of the observable.
        """
        names = [observables] if isinstance(observables, str) else list(observables)
        for name in names:
            self.measure(name)
        count = _check.count(n, "n", 0)
        series = {name: np.empty(count) for name in names}
        with progress(verbose, "measuring", unit="state") as show:
            for i in range(count):
                self._inner.next(self.every, self.burn_in)
                for name in names:
                    series[name][i] = self._inner.measure(name)
                if show is not None:
                    show(i + 1, count, None)
        return series

    def to_inference_data(
        self, n: int = 500, observables: Iterable[str] = ("energy", "magnetization"), *, verbose: bool = False
    ) -> Any:
        """Measure the next states, in ArviZ's form; :func:`ergodict.diagnostics.to_inference_data` puts several chains together.

        Parameters
        ----------
        n : int, default=500
            How many states are taken.
        observables : iterable of str, default=("energy", "magnetization")
            As for :meth:`measure`.
        verbose : bool, default=False
            Whether to show progress.

        Returns
        -------
        arviz.InferenceData
            With an observable in each variable of the group posterior, of shape (1, n).

        Examples
        --------
        >>> from ergodict import Ising
        >>> list(Ising(size=16, every=256, random_state=0).to_inference_data(50).posterior.data_vars)
        ['energy', 'magnetization']
        """
        return to_inference_data(self.record(n, observables, verbose=verbose))

    def report(
        self,
        path: Union[str, "os.PathLike[str]"],
        n: int = 500,
        observables: Iterable[str] = ("energy", "magnetization"),
        *,
        verbose: bool = False,
    ) -> pathlib.Path:
        """Write the report of ``ergodict spins simulate`` for the next states: the last one, observables over time, convergence.

        Parameters
        ----------
        path : str or path-like
            Path of the report, ending in ``.html``.
        n : int, default=500
            How many states are taken.
        observables : iterable of str, default=("energy", "magnetization")
            As for :meth:`measure`.
        verbose : bool, default=False
            Whether to show progress.

        Returns
        -------
        pathlib.Path
            Path of the report.

        Examples
        --------
        >>> import os, tempfile
        >>> from ergodict import Ising
        >>> ising = Ising(size=16, temperature=3.0, every=256, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = ising.report(os.path.join(folder, "ising.html"), n=100).read_text(encoding="utf-8")
        >>> "Trace: energy" in page
        True
        """
        names = [observables] if isinstance(observables, str) else list(observables)
        count, file, before = _check.count(n, "n"), _check.page(path), self.updates
        if not names:
            raise ValueError("observables is empty, but a report shows at least one")
        # How the chain began, where a command can begin so.
        start: Optional[str] = None
        if isinstance(self.start, str) and self.start in ("random", "ordered") and before == 0 and not self._replaced:
            start = self.start
        started = time.perf_counter()
        series = self.record(count, names, verbose=verbose)
        seconds = time.perf_counter() - started
        made = self.updates - before
        self._inner.report(file, names, [series[name] for name in names], self.every, self.burn_in, made, start, seconds)
        return pathlib.Path(path)

    @classmethod
    def scan(
        cls,
        temperatures: npt.ArrayLike,
        observables: Optional[Iterable[str]] = None,
        *,
        sweeps: Optional[int] = None,
        burn_in: Optional[int] = None,
        chains: Optional[int] = None,
        tempering: bool = False,
        report: Union[None, str, "os.PathLike[str]"] = None,
        n_jobs: Optional[int] = None,
        random_state: RandomState = None,
        verbose: bool = False,
        **system: Any,
    ) -> dict[str, Any]:
        """Estimate observables at many temperatures, as ``ergodict spins scan`` does; for :class:`Ising`, :class:`Potts` and :class:`XY`.

        Parameters
        ----------
        temperatures : array-like
            The temperatures.
        observables : iterable of str, optional
            Those of :meth:`measure`, and functions of several means: susceptibility, specific-heat, binder, correlation-length and, of :class:`XY`,
            helicity-modulus. By default energy, abs-magnetization and these, and vortices of :class:`XY`, where the system has them.
        sweeps : int, optional
            Sweeps of each chain at each temperature, all of them measured; 2000 by default. A sweep updates every site once; that of
            ``update="wolff"`` is one cluster.
        burn_in : int, optional
            Sweeps before the first that is measured; by default a fifth of ``sweeps``.
        chains : int, optional
            Independent chains at each temperature; 2 by default.
        tempering : bool, default=False
            Whether configurations are exchanged between neighboring temperatures after every sweep (parallel tempering).
        report : str or path-like, optional
            Path of a report to write, ending in ``.html``.
        n_jobs : int, optional
            Threads; -1 for all processors, 1 by default.
        random_state : int, Generator, RandomState or None, default=None
            The seed.
        verbose : bool, default=False
            Whether to show progress.
        **system
            The parameters of the system, such as ``size`` and ``update``, which is swendsen-wang by default.

        Returns
        -------
        dict
            ``temperature``, ascending; ``mean``, ``error`` (Monte-Carlo standard error), ``r_hat`` and ``effective_sample_size``: dicts from
            observables to arrays by temperature; ``exchange_rate`` with the next temperature, NaN without tempering; ``exact_energy`` and
            ``exact_specific_heat`` of the same torus (Kaufman), NaN where they are not known; ``critical_temperature`` of the infinite lattice or
            None; ``converged``: whether all chains agree, with enough effective draws.

        Warns
        -----
        ConvergenceWarning
            Where chains disagree at some temperature, or have too few effective draws.

        Examples
        --------
        >>> from ergodict import Ising
        >>> found = Ising.scan([2.0, 2.5], size=16, sweeps=500, random_state=0)
        >>> bool(abs(found["mean"]["energy"] - found["exact_energy"]).max() < 0.05)
        True
        """
        allowed = {*cls._system, "size", "graph"} - {"temperature"}
        if unknown := [name for name in system if name not in allowed]:
            raise TypeError(f"scan got {unknown[0]!r}, but a system has the parameters {', '.join(sorted(allowed))}")
        heat = np.atleast_1d(_check.numbers(temperatures, "temperatures")).ravel()
        if not heat.size:
            raise ValueError("temperatures is empty, but a scan needs at least one")
        names = [observables] if isinstance(observables, str) else list(observables or ())
        seed = seed_of(random_state)
        # The parameters are checked as those of a chain.
        maker: Any = cls
        model = maker(temperature=float(heat[0]), random_state=seed, **system)
        parameters = {"model": cls._model, **{name: getattr(model, name) for name in cls._system}}
        if "update" not in system:
            # The default of scans, not that of a chain.
            parameters.pop("update", None)
        settings = {
            "temperature": [float(t) for t in heat],
            "sweeps": None if sweeps is None else _check.count(sweeps, "sweeps"),
            "burn_in": None if burn_in is None else _check.count(burn_in, "burn_in", 0),
            "chains": None if chains is None else _check.count(chains, "chains"),
            "tempering": bool(tempering),
        }
        arrays = model._arrays(parameters)
        file = None if report is None else _check.page(report)
        with progress(verbose, "scanning", unit="sweep") as show:
            found, why = _ergodict.scan_temperatures(
                parameters, model.size, settings, names, seed, n_jobs, report=file, progress=show, **arrays
            )
        if why is not None:
            warn(f"{why}; increase sweeps", ConvergenceWarning)
        return found

    def patches(
        self,
        size: Union[int, tuple[int, int]] = 20,
        n: int = 1000,
        *,
        spins: Optional[str] = None,
        dtype: npt.DTypeLike = np.float64,
    ) -> npt.NDArray[Any]:
        """Cut patches at random positions of the present configuration.

        Parameters
        ----------
        size : int or (int, int), default=20
            Rows and columns of a patch.
        n : int, default=1000
            Number of patches.
        spins : {"zero-one", "signed", "one-hot", "borders", "vector"}, optional
            Encoding of spins: -1 becomes 0, ±1, a channel for each label, 1 where labels meet, or cosine and sine of an angle. By default zero-one,
            one-hot for :class:`Potts`, borders for :class:`CellularPotts` and vector for :class:`XY`.
        dtype : dtype, default=float64
            float64 or float32.

        Returns
        -------
        array of shape (n, rows * cols * channels)
            One patch per row: its sites row by row, the channels of a site together.
        """
        rows, cols = _check.size(size, "size")
        values = self._values if spins is None else spins
        if not isinstance(values, str):
            raise TypeError(f"spins is {values!r}, but it must be zero-one, signed, one-hot, borders or vector")
        count = _check.count(n, "n")
        features, cut = self._inner.patches(rows, cols, values, count, _check.single(dtype))
        return cut.reshape(count, features)

    def minibatches(
        self,
        patch: Union[int, tuple[int, int]] = 20,
        n: int = 1000,
        steps: Optional[int] = None,
        *,
        spins: Optional[str] = None,
        dtype: npt.DTypeLike = np.float64,
    ) -> Iterator[npt.NDArray[Any]]:
        """Iterate over minibatches of patches, one of each state, as ``ergodict spins learn`` cuts them.

        Parameters
        ----------
        patch : int or (int, int), default=20
            Rows and columns of a patch.
        n : int, default=1000
            Patches of a minibatch.
        steps : int, optional
            Number of minibatches; without end by default.
        spins : str, optional
            As for :meth:`patches`.
        dtype : dtype, default=float64
            float64 or float32.

        Returns
        -------
        iterator of arrays of shape (n, rows * cols * channels)
            What ``OnlineNMF().fit_stream`` takes.

        Examples
        --------
        >>> from ergodict import Ising
        >>> ising = Ising(size=30, every=900, random_state=0)
        >>> [x.shape for x in ising.minibatches(patch=5, n=10, steps=2)]
        [(10, 25), (10, 25)]
        """
        left = None if steps is None else _check.count(steps, "steps", 0)
        # Bad arguments are refused now, not at the first minibatch; no random number is used for it.
        place = self._inner.place()
        self.patches(patch, 1, spins=spins, dtype=dtype)
        _check.count(n, "n")
        self._inner.seek(*place)
        return Minibatches(self, patch, n, left, self._values if spins is None else spins, dtype)

    def __repr__(self) -> str:
        words = [f"{name}={value}" for name, value in self._shown()]
        return f"{type(self).__name__}({', '.join(words)}, random_state={self.seed_})"

    def _shown(self) -> list[tuple[str, str]]:
        """Its parameters but for the seed, as they are shown."""
        names = [name for name in inspect.signature(type(self)).parameters if name not in ("random_state", *self._unshown)]
        return [(name, shown(getattr(self, name))) for name in names if getattr(self, name, None) is not None]

    def _repr_html_(self) -> str:
        from ._repr import chain_html

        return chain_html(self)


class DependentMinibatches:
    """Minibatches along a chain, with observables of its states, one value for each minibatch."""

    _traces: dict[str, list[float]]
    #: What makes more of them independent.
    _advice = "run longer, or increase burn_in or every"

    def _push(self, **values: float) -> None:
        for name, value in values.items():
            self._traces.setdefault(name, []).append(float(value))

    @property
    def _never_changed(self) -> bool:
        """Whether all observables of more than a few states are constant, as in a stuck chain."""
        return bool(self._traces) and all(len(trace) >= 8 and min(trace) == max(trace) for trace in self._traces.values())

    @property
    def effective_minibatches(self) -> Optional[float]:
        """How many independent minibatches those so far are worth; None where that is not known.

        Their number over the largest autocorrelation time of an observable that changes, in minibatches.
        """
        changing = [trace for trace in self._traces.values() if len(trace) < 4 or min(trace) != max(trace)]
        if not changing or min(map(len, changing)) < 4:
            return None
        return min(len(trace) / max(1.0, float(mixing(trace)["autocorrelation_time"])) for trace in changing)


def order_parameters(frame: npt.NDArray[Any], alphabet: int, spins: str) -> dict[str, float]:
    """Shares of labels (the first 16), or the mean cosine and sine of angles; none where labels only distinguish cells."""
    if alphabet > 0 and spins != "borders":
        return {f"label {label}": float((frame == label).mean()) for label in range(min(alphabet, 16))}
    return {"cos": float(np.cos(frame).mean()), "sin": float(np.sin(frame).mean())} if alphabet == -2 else {}


class Minibatches(DependentMinibatches):
    """Minibatches of patches of the states of a chain."""

    def __init__(
        self, chain: Chain, patch: Any, n: int, left: Optional[int], spins: str, dtype: npt.DTypeLike
    ) -> None:
        self._chain, self._patch, self._n, self._left = chain, patch, n, left
        self._spins, self._dtype = spins, dtype
        self._traces = {}

    @property
    def _patch_kind(self) -> PatchKind:
        """What `fit_stream` hands on to the model file."""
        inner = self._chain._inner
        rows, cols = _check.size(self._patch, "patch")
        channels = {"one-hot": inner.labels, "vector": 2}.get(self._spins, 1)
        return (rows, cols, bool(inner.periodic), channels), (self._spins, inner.labels)

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        return self

    def __next__(self) -> npt.NDArray[Any]:
        if self._left is not None and self._left <= 0:
            raise StopIteration
        chain = self._chain
        chain._inner.next(chain.every, chain.burn_in)
        self._push(**{name: chain._inner.measure(name) for name in ("energy", "magnetization")})
        self._push(**order_parameters(chain.state, chain._inner.labels, self._spins))
        cut = chain.patches(self._patch, self._n, spins=self._spins, dtype=self._dtype)
        if self._left is not None:
            self._left -= 1
        return cut


def _whole(given: npt.NDArray[Any]) -> Configuration:
    """Floats as int8; what is not one is 127, which then differs from it or is checked by the system."""
    fits = (given >= -128) & (given <= 127)
    return np.where(fits, given, 127).astype(np.int8)


def shown(value: object) -> str:
    """A parameter as it is shown; what may be long is only named."""
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    if isinstance(value, (list, tuple)) and len(value) > 10:
        return f"<{type(value).__name__} of {len(value)}>"
    text = repr(value)
    return text if len(text) <= 60 else f"<{type(value).__name__}>"
