"""Calls everything the package and its extension module offer with invalid values; run as a program by test_fuzz.py.

    python fuzz_bindings.py SEED SECONDS

Ordinary exceptions are fine. Not so: a panic of Rust, a crash, a call that is deaf to signals for long. Each call is announced on stderr
before it is made, so that after a crash the last line is the call; the same seed makes the same calls.
"""

from __future__ import annotations

import copy
import faulthandler
import gc
import inspect
import itertools
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse

import ergodict
import ergodict._ergodict as extension

#: Address space of the process: what the interpreter with its packages takes, and room for small work.
MEMORY = 6 << 30
#: A call that takes so much more than any before it, in megabytes, is found out: no argument of the pool has a need for it.
GREED = 500
#: A call is asked to stop after this many seconds, as by Ctrl-C.
PATIENCE = 0.2
#: A call that has not stopped by then hangs. Generous: the machine may be busy.
DEAF = 60
#: Objects of each class kept to call methods of.
KEPT = 6


class Stop(BaseException):
    """Raised by the timer inside a call that takes long."""


class LiesAboutLength(list):  # type: ignore[type-arg]
    """Claims far more elements than it has."""

    def __len__(self) -> int:
        return 1 << 40


class Raises:
    """Raises in whatever is asked of it."""

    def _raise(self, *_: object, **__: object) -> Any:
        raise RuntimeError("raised on purpose")

    __array__ = __index__ = __int__ = __float__ = __len__ = __iter__ = __getitem__ = __fspath__ = __eq__ = __bool__ = _raise
    __hash__ = None  # type: ignore[assignment]


class LiesAboutShape(np.ndarray):  # type: ignore[type-arg]
    """An array that claims another shape."""

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return (1 << 30, 3)


class Unhashable:
    """Equal to nothing, not even itself."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False


def nasty() -> list[Callable[[], Any]]:
    """What to pass; made again for every call, because a call may change or use it up."""
    recursive: list[Any] = []
    recursive.append(recursive)
    overlapping = np.lib.stride_tricks.as_strided(np.arange(12.0), (5, 4), (8, 8))
    frozen = np.ones((4, 3))
    frozen.flags.writeable = False
    with open(os.devnull, "rb") as closed:
        pass
    csr = scipy.sparse.random(6, 4, 0.5, format="csr", random_state=0)
    broken = csr.copy()
    broken.indices = broken.indices + 1000
    backwards = csr.copy()
    backwards.indptr = backwards.indptr[::-1].copy()
    values: list[Any] = [
        None, True, 0, 1, -1, 2, 3, 7, 255, -(2**31), 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**30, -(10**30),
        0.0, -0.0, 0.5, -1.5, 1e-320, 1e308, float("nan"), float("inf"), -float("inf"), 1 + 2j,
        "", "a", "auto", "random", "\0", "x" * 5000, "\ud800", "@karate", "@nothing", "no/such/file", ".", "é", "1", "nan",
        b"", b"\xff\x00", bytearray(8), memoryview(b"12345678"),
        (), [], {}, set(), frozenset({1}), [1], [1, "a"], [[1, 2], [3]], [(1, 2)], [(1, 2, 3)], [("a", "b"), ("b", "c")], {"a": 1}, {1: [2]},
        recursive, LiesAboutLength([1.0, 2.0]), Raises(), Unhashable(), object(), type, len, lambda *a, **k: None, closed,
        np.float32(1), np.int8(-3), np.bool_(True), np.str_("a"), np.datetime64("2020-01-01"),
        np.array(1.0), np.array([]), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((0, 0)), np.ones(4), np.ones((4, 3)), np.ones((6, 4)),
        np.ones((2, 2, 2)), np.ones((1, 1)), np.zeros((5, 5)), np.eye(5), -np.ones((4, 3)), np.full((4, 3), np.nan), np.full((4, 3), np.inf),
        np.full((4, 3), 1e308), np.ones((4, 3), np.float32), np.ones((4, 3), np.float16), np.ones((4, 3), np.longdouble),
        np.ones((4, 3), complex), np.ones((4, 3), bool), np.arange(12).reshape(4, 3), np.arange(12, dtype=np.uint64).reshape(4, 3) + 2**63,
        np.ones((4, 3), object), np.full((4, 3), None), np.full((4, 3), "a"), np.ones((4, 3), "M8[s]"), np.zeros(3, [("a", "f8"), ("b", "i4")]),
        np.ones((4, 6))[:, ::2], np.ones((8, 3))[::-2], np.asfortranarray(np.ones((4, 3))), np.ones((4, 3)).astype(">f8"), frozen, overlapping,
        np.broadcast_to(1.0, (4, 3)), np.broadcast_to(1.0, (1 << 20, 1 << 12)), np.ma.masked_all((4, 3)), np.matrix([[1.0, 2.0], [3.0, 4.0]]),
        np.ones((4, 3)).view(LiesAboutShape), np.array([[0, 1], [1, 2]]), np.array([[0, 1], [1, 2**40]]), np.array([[-1, 0]]),
        np.frombuffer(bytes(97), np.float64, 12, 1).reshape(4, 3), np.ones((3, 3), np.int8), np.full((3, 3), 7, np.int8),
        csr, csr.tocoo(), csr.astype(np.float32), broken, backwards, scipy.sparse.csr_array((0, 4)), scipy.sparse.csr_array((2, 2**31)),
        np.random.default_rng(0), np.random.RandomState(0),
    ]  # fmt: skip
    makers: list[Callable[[], Any]] = [lambda value=value: value for value in values]
    makers += [lambda: iter([np.ones((4, 3)), np.ones((2, 3))]), lambda: (_ for _ in [None]), lambda: itertools.repeat(np.ones((1, 3)), 1000)]
    return makers


def good() -> dict[str, list[Any]]:
    """What a parameter is meant to take, as far as its name shows."""
    samples = np.random.default_rng(1).random((12, 4))
    by_name: dict[str, list[Any]] = {
        "x": [samples, samples.astype(np.float32), scipy.sparse.csr_array(samples)],
        "y": [None],
        "h": [np.ones((12, 2))],
        "network": ["@karate", ergodict.Network("@karate") if callable(getattr(ergodict, "Network", None)) else "@karate"],
        "networks": [["@karate", "@lesmis"]],
        "obj": ["@karate", [("a", "b"), ("b", "c")]],
        "path": ["@karate", "file.txt", "model.safetensors"],
        "k": [3, 4],
        "size": [3, 4],
        "shape": [(5, 5)],
        "temperature": [2.0],
        "image": [np.random.default_rng(2).random((12, 12))],
        "iterable": [[samples[:3], samples[3:]]],
        "scores": [[0.1, 0.5, 0.9, 0.4]],
        "labels": [[0, 1, 1, 0]],
        "weights": [np.ones((4, 2)), np.ones(12)],
        "components": [np.random.default_rng(3).random((2, 4))],
        "estimator_or_array": [np.random.default_rng(3).random((2, 4))],
        "model": ["m"],
        "seed": [0],
        "random_state": [0],
        "n_jobs": [None, 2],
        "verbose": [False],
        "progress": [None],
    }
    for name_of_count in ("n", "r", "atoms", "n_components", "batch", "batch_size", "steps", "samples", "max_iter", "epochs", "every", "chains", "rows",
                          "cols", "states", "count", "nodes"):  # fmt: skip
        by_name[name_of_count] = [2, 3]
    return by_name


def sound() -> Iterator[Any]:
    """Objects in good order to begin with, and what of the extension module they hold."""
    samples = np.random.default_rng(1).random((12, 4))
    network = ergodict.Network([(0, 1), (1, 2), (2, 0), (2, 3)])
    made: list[Any] = [
        network,
        ergodict.OnlineNMF(2, random_state=0).fit(samples),
        ergodict.OnlineDictionary(2, random_state=0).fit(samples.astype(np.float32)),
        ergodict.Ising(4, every=10, random_state=0),
        ergodict.Potts(4, every=10, random_state=0),
        ergodict.XY(4, every=10, random_state=0),
        ergodict.CellularPotts(6, cells=2, every=10, random_state=0),
        ergodict.ImagePatches(np.ones((8, 8)), size=3, n=2, random_state=0),
        ergodict.sample(network, k=3, random_state=0),
        ergodict.NetworkDictionary(2, k=3, steps=2, batch_size=3, random_state=0).fit(network),
    ]
    for value in made:
        yield value
        yield from (part for part in vars(value).values() if type(part).__module__ == extension.__name__)


class Fuzzer:
    """The calls of one seed."""

    def __init__(self, seed: int, log: int) -> None:
        self.random = random.Random(seed)
        self.log = log
        self.calls = 0
        self.refused = 0
        self.watched = 0.0
        self.found: list[str] = []
        self.objects: dict[type, list[Any]] = {}
        self.nasty = nasty()
        self.good = good()
        self.classes = [value for value in everything() if inspect.isclass(value)]
        self.functions = [value for value in everything() if not inspect.isclass(value)]
        for value in sound():
            self.keep(value)

    def arguments(self, function: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
        """Arguments that are mostly sound, so that calls get past the first check."""
        try:
            parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
        except (TypeError, ValueError):
            return [self.value() for _ in range(self.random.randrange(4))], {}
        # How wild this call is.
        wild = self.random.choice([0.0, 0.1, 0.3, 1.0])
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for p in parameters:
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                if self.random.random() < 0.1:
                    positional += [self.value()] if p.kind is p.VAR_POSITIONAL else []
                continue
            if self.random.random() < wild:
                value = self.value()
            elif sound := self.good.get(p.name.lower()):
                value = self.random.choice(sound)
            elif p.default is not p.empty:
                continue
            else:
                value = self.value()
            if p.kind is p.KEYWORD_ONLY or (named or p.default is not p.empty) and p.kind is not p.POSITIONAL_ONLY:
                named[p.name] = value
            else:
                positional.append(value)
        if self.random.random() < 0.02:
            named["no_such_parameter"] = 1
        return positional, named

    def value(self) -> Any:
        """One value, at times an object of ours."""
        if self.objects and self.random.random() < 0.1:
            return self.random.choice(self.random.choice(list(self.objects.values())))
        return self.random.choice(self.nasty)()

    def call(self, what: str, function: Callable[..., Any], /, *positional: Any, **named: Any) -> Any:
        """Makes a call; its result, or None after an exception."""
        shown = ", ".join([shape(value) for value in positional] + [f"{key}={shape(value)}" for key, value in named.items()])
        line = f"{self.calls}: {what}({shown})"
        os.write(self.log, (line + "\n").encode(errors="backslashreplace"))
        self.calls += 1
        if time.monotonic() - self.watched > 1:
            # It starts a thread, which is too dear for every call.
            faulthandler.dump_traceback_later(DEAF, exit=True, file=self.log)
            self.watched = time.monotonic()
        before = peak()
        result = self.outcome(line, function, positional, named)
        if peak() > before + GREED:
            self.found.append(f"{line}: took {peak() - before} MB")
        return result

    def outcome(self, line: str, function: Callable[..., Any], positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What a call gives, asked to stop when it takes long; None after an exception, and those that must not be are noted."""
        try:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
            try:
                result = function(*positional, **named)
                if inspect.isgenerator(result) or isinstance(result, Iterator):
                    list(itertools.islice(result, 3))
                return result
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Stop:
            return None
        except Exception as error:
            self.refused += 1
            if isinstance(error, SystemError):
                self.found.append(f"{line}: {error!r}")
        except BaseException as error:
            if type(error).__name__ == "PanicException":
                self.found.append(f"{line}: {error!r}")
        return None

    def keep(self, result: Any) -> None:
        """Remembers objects of ours, to call their methods later."""
        if type(result) in self.classes or type(result).__module__.startswith("ergodict"):
            objects = self.objects.setdefault(type(result), [])
            objects.append(result)
            if len(objects) > KEPT:
                objects.pop(self.random.randrange(KEPT))

    def step(self) -> None:
        """One call: a function, a new object, or something asked of an object there is."""
        dice = self.random.random()
        if dice < 0.15 and self.functions:
            function = self.random.choice(self.functions)
            positional, named = self.arguments(function)
            self.keep(self.call(function.__name__, function, *positional, **named))
        elif dice < 0.45 or not self.objects:
            made = self.random.choice(self.classes)
            positional, named = self.arguments(made)
            self.keep(self.call(made.__name__, made, *positional, **named))
            ways = [name for name, value in vars(made).items() if isinstance(value, (staticmethod, classmethod)) and not name.startswith("__")]
            if ways:
                name = self.random.choice(ways)
                function = getattr(made, name)
                positional, named = self.arguments(function)
                self.keep(self.call(f"{made.__name__}.{name}", function, *positional, **named))
        else:
            self.ask(self.random.choice(self.random.choice(list(self.objects.values()))))

    def ask(self, instance: Any) -> None:
        """Something asked of an object: a method, an attribute, one of the operators."""
        made = type(instance)
        own = made.__module__ == extension.__name__
        special = ("__setstate__", "__getstate__", "__reduce__")
        name = self.random.choice([name for name in dir(made) if not name.startswith("__" if own else "_") or name in special])
        what = f"{made.__name__}().{name}"
        dice = self.random.random()
        if dice < 0.1:
            operator = self.random.choice([repr, len, iter, hash, bool, copy.copy, copy.deepcopy, through_pickle])
            self.call(operator.__name__, operator, instance)
        elif dice < 0.15:
            # What numpy makes of an operator, element by element, is its own business.
            while isinstance(value := self.value(), np.ndarray):
                pass
            operators: list[Callable[[Any, Any], Any]] = [lambda a, b: a == b, lambda a, b: b in a, lambda a, b: a[b], lambda a, b: a(b)]
            self.call(f"{made.__name__}() op", self.random.choice(operators), instance, value)
        elif isinstance(inspect.getattr_static(made, name, None), (property, types.GetSetDescriptorType)):
            if self.random.random() < 0.3:
                self.call(f"{what} =", setattr, instance, name, self.value())
            self.call(what, getattr, instance, name)
        else:
            method = getattr(instance, name, None)
            if callable(method):
                positional, named = self.arguments(method)
                self.keep(self.call(what, method, *positional, **named))


def through_pickle(value: Any) -> Any:
    """Pickled and back."""
    return pickle.loads(pickle.dumps(value))


def shape(value: Any) -> str:
    """A value in a few words, asking nothing of it that might raise."""
    kind = type(value)
    if kind is np.ndarray:
        return f"array{value.shape}:{value.dtype.str if value.dtype.names is None else 'struct'}"
    if kind in (str, bytes, int, float, bool, complex, type(None)):
        text = repr(value)
        return text if len(text) < 40 else text[:37] + "..."
    return f"<{kind.__name__}>"


def everything() -> list[Any]:
    """The public names of the package, of its public modules and of the extension module."""
    modules: list[types.ModuleType] = [ergodict, extension]
    modules += [value for name, value in vars(ergodict).items() if inspect.ismodule(value) and not name.startswith("_")]
    seen: dict[int, Any] = {}
    for module in modules:
        names = getattr(module, "__all__", [name for name in dir(module) if not name.startswith("_")])
        for name in names:
            value = getattr(module, name)
            if callable(value) and getattr(value, "__module__", "").startswith("ergodict"):
                seen[id(value)] = value
    return sorted(seen.values(), key=lambda value: (value.__module__, value.__qualname__))


def peak() -> int:
    """The most memory the process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def ring(_signal: int, _frame: object) -> None:
    raise Stop


def main(seed: int, seconds: float) -> int:
    """Calls for this long; how many were found that must not be."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, ring)
    # A number that no integer of the pool has, should one be taken for a file.
    log = os.dup2(2, 200)
    faulthandler.enable(file=log)
    if "matplotlib" in sys.modules or hasattr(ergodict, "plot"):
        import matplotlib

        matplotlib.use("Agg")
    fuzzer = Fuzzer(seed, log)
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        while time.monotonic() < end:
            fuzzer.step()
            if fuzzer.calls % 500 == 0:
                gc.collect()
                if "matplotlib.pyplot" in sys.modules:
                    sys.modules["matplotlib.pyplot"].close("all")
        os.chdir("/")
    faulthandler.cancel_dump_traceback_later()
    print(f"{fuzzer.calls} calls, {fuzzer.refused} refused, peak {peak()} MB, {len(fuzzer.found)} found")
    print("\n".join(fuzzer.found))
    return len(fuzzer.found)


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]), float(sys.argv[2])) else 0)
