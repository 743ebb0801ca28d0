"""Checks of arguments, `(value, name)`: TypeError for a wrong type, ValueError for a wrong value, and one sentence that says what would be right."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _ergodict
from ._settings import SCHEME
from .sets import spec_of

#: Most chains, and most steps between two homomorphisms: as the command line has them.
MOST_CHAINS = 1 << 16
MOST_STEPS = 1 << 40
#: The largest integer of the library.
LARGEST = 2**63 - 1


def count(value: object, name: str, least: int = 1, most: int = LARGEST, expected: Optional[str] = None) -> int:
    """An integer from `least` to `most`, of things that are counted: steps, updates, frames, patches. Whole floats such as 1e6 are taken."""
    number = int(value) if isinstance(value, (float, np.floating)) and float(value).is_integer() else _integer(value, name)
    if not least <= number <= most:
        bound = f"it must be at least {least}" if number < least else f"it must be at most {most}"
        raise ValueError(f"{name} is {number}, but {expected or bound}")
    return number


def whole(value: object, name: str, least: int, expected: str) -> int:
    """An integer that is at least `least`, as the sizes of what is learned are; `expected` says what would be right.

    Other than of a `count`, no float will do: a number of atoms that was calculated, such as n / 2, is a slip where it is whole by chance.
    """
    number = _integer(value, name)
    if number < least:
        raise ValueError(f"{name} is {number}, but {expected}")
    # Larger ones do not fit the library's integers; that they are too large, it says itself.
    return min(number, LARGEST)


def _integer(value: object, name: str) -> int:
    try:
        if not isinstance(value, (bool, np.bool_)):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeError(f"{name} is {_short(value)}, but it must be an integer")


def jobs(value: object) -> Optional[int]:
    """A number of threads as scikit-learn has it; an invalid one is rejected before any work."""
    expected = "a positive number of threads, -1 for all processors, or None"
    if value is None:
        return None
    try:
        number = _integer(value, "n_jobs")
    except TypeError:
        raise TypeError(f"n_jobs is {_short(value)}, but it must be {expected}") from None
    if number == 0:
        raise ValueError(f"n_jobs is 0, but it must be {expected}")
    return max(-(2**31), min(number, 2**31))


def flag(value: object, name: str) -> bool:
    """Yes or no."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {_short(value)}, but it must be True or False")
    return bool(value)


def number(value: object, name: str) -> float:
    """A real number; whether it is finite is for its user to say."""
    try:
        if not isinstance(value, (str, bytes, bool, np.bool_)) and np.ndim(value) == 0:  # type: ignore[arg-type]
            return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        pass
    raise TypeError(f"{name} is {_short(value)}, but it must be a number")


def finite(value: object, name: str) -> float:
    """A finite number."""
    found = number(value, name)
    if not np.isfinite(found):
        raise ValueError(f"{name} is {found}, but it must be a finite number")
    return found


def not_negative(value: object, name: str) -> float:
    """A finite number that is not negative."""
    found = number(value, name)
    if not 0.0 <= found < float("inf"):
        raise ValueError(f"{name} is {found}, but it must be a number that is not negative")
    return found


def word(value: object, name: str) -> str:
    """A string, which the extension understands or refuses."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {_short(value)}, but it must be a string")
    return value


#: Former words that are still understood.
_FORMER = {"off-chain": "off-motif", "ndr-off-chain": "ndr-off-motif"}


def choice(value: object, name: str, choices: Iterable[str]) -> str:
    """One of a few words."""
    names = list(choices)
    if isinstance(value, str) and _FORMER.get(value) in names:
        value = _FORMER[value]
    if isinstance(value, str) and value in names:
        return value
    listed = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    raise (ValueError if isinstance(value, str) else TypeError)(f"{name} is {_short(value)}, but it must be {listed}")


def size(value: object, name: str) -> tuple[int, int]:
    """Rows and columns, from one number for both or a pair."""
    if isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, but it must be an integer or a pair of them")
    if isinstance(value, Iterable):
        sides = list(value)
        if len(sides) != 2:
            raise ValueError(f"{name} has {len(sides)} sides, but it must be an integer or a pair of them")
        return _side(sides[0], name), _side(sides[1], name)
    side = _side(value, name)
    return side, side


def _side(value: object, name: str) -> int:
    return count(value, name, expected=f"a side must be from 1 to {LARGEST}")


def single(dtype: Any) -> bool:
    """Whether a dtype is float32; it may also be float64, and nothing else."""
    try:
        found = None if dtype is None else np.dtype(dtype)
    except TypeError:
        found = None
    if found is None:
        raise TypeError(f"dtype is {_short(dtype)}, but it must be float32 or float64")
    if found not in (np.float32, np.float64):
        raise ValueError(f"dtype is {found}, but it must be float32 or float64")
    return bool(found == np.float32)


def numbers(value: object, name: str, axes: Optional[int] = None) -> Any:
    """An array of float64 in C order, aligned, with a given number of axes."""
    array = np.asarray(value)
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name} has the dtype {array.dtype}, but it must hold real numbers")
    if axes is not None and array.ndim != axes:
        raise ValueError(f"{name} has {array.ndim} axes, but it must have {axes}")
    return np.require(array, np.float64, ["C", "A"])


# Settings of the online scheme.


def schedule(value: object) -> tuple[str, Optional[Callable[[int], float]]]:
    """A schedule by its name, and the function that gives the weights if it is one."""
    if isinstance(value, str):
        return value, None
    if callable(value):
        return "given:1", value
    try:
        weights = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.zeros((0, 0))
    if weights.ndim != 1:
        raise TypeError(f"the schedule is {_short(value)}, but it must be a name, a list of weights or a function of t")
    if weights.size == 0:
        raise ValueError("the list of weights is empty, but it must hold at least one")
    return given(weights.tolist()), None


def given(weights: list[float]) -> str:
    """A list of weights, as files have it."""
    return "given:" + ",".join(map(repr, weights))


def weight_at(function: Callable[[int], float], t: int) -> float:
    """The weight that a function gives a step."""
    weight = float(function(t))
    if not 0.0 < weight <= 1.0:
        raise ValueError(f"the weight of step {t} is {weight}, but it must be in (0, 1]")
    return weight


def weights(function: Callable[[int], float], steps: int) -> str:
    """Weights of a function for a number of steps, as stored in files."""
    return given([weight_at(function, t) for t in range(1, steps + 1)] or [1.0])


def scheme(estimator: Any, atoms: int, features: int, f32: bool, steps: int = 0) -> dict[str, Any]:
    """What the extension takes for the online scheme, from an estimator's parameters; `steps` are those that a function gives weights."""
    init = estimator.dict_init
    if isinstance(init, str) and init not in ("auto", "random", "data"):
        if init == "array":
            raise ValueError("dict_init was an array, which the model file does not hold: give it again as dict_init")
        raise ValueError(f"dict_init is {init!r}, but it must be auto, random, data or an array of atoms")
    tolerance = number(estimator.code_tol, "code_tol")
    if not 0.0 < tolerance < float("inf"):
        raise ValueError(f"the coding tolerance is {tolerance}, but it must be a positive number")
    words, function = schedule(estimator.schedule)
    own = {
        "atoms": atoms, "lambda": penalty(estimator.alpha), "init": init if isinstance(init, str) else None,
        "schedule": words if function is None or not steps else weights(function, steps),
        "dictionary": spec_of(estimator.dictionary, atoms, features),
        "dictionary-sweeps": None if estimator.dict_sweeps is None else count(estimator.dict_sweeps, "dict_sweeps", 0, 2**32 - 1),
    }
    rest = {key: _value(getattr(estimator, name), name, *setting) for name, (key, *setting) in SCHEME.items() if key not in own}
    return {**own, **rest, "f32": f32}


def penalty(alpha: object) -> Union[float, str]:
    """The weight of the ℓ₁ norm as the library has it, from that of scikit-learn."""
    if isinstance(alpha, str):
        if alpha != "auto":
            raise ValueError(f"alpha is {alpha!r}, but it must be a number that is not negative, or auto")
        return alpha
    return 2.0 * not_negative(alpha, "alpha")


def _value(value: object, name: str, default: Any, choices: tuple[str, ...]) -> Any:
    """A value of the type that the default of a setting has; the range of integers is for the library to check."""
    if choices:
        return choice(value, name, choices)
    if isinstance(default, bool):
        return flag(value, name)
    if isinstance(default, int):
        return count(value, name, 0, 2**32 - 1)
    return not_negative(value, name) if isinstance(default, float) else word(value, name)


def first_atoms(init: object, atoms: int, features: int, dtype: Any = np.float64) -> Optional[npt.NDArray[Any]]:
    """The atoms to start from, a row each, if they are given; those of patches may also be matrices."""
    if isinstance(init, str):
        return None
    found = np.array(init, dtype=dtype, order="C")
    shape = "×".join(map(str, found.shape)) or "a number"
    found = found.reshape(len(found), -1) if found.ndim == 3 else found
    if found.shape != (atoms, features):
        raise ValueError(f"dict_init is {shape}, but {atoms}×{features} is needed: a row for each atom, a column for each feature")
    if not np.all(np.isfinite(found)):
        raise ValueError("dict_init is NaN or infinite somewhere, but every entry must be a finite number")
    return np.require(found, requirements=["C", "A"])


# Settings of motifs and samplers.


def motif_of(value: Any) -> tuple[Optional[str], Optional[list[tuple[int, int]]]]:
    """The shape or file of a motif, or its edges."""
    if value is None:
        return None, None
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value), None
    expected = "a shape such as 'path', a file that lists its edges, or pairs of its nodes 0 to k - 1"
    # Of other shapes the first row is refused, before a long list is made.
    pairs = value.tolist() if isinstance(value, np.ndarray) and value.shape[1:] == (2,) else value
    try:
        edges = [(operator.index(i), operator.index(j)) for i, j in pairs]
    except (TypeError, ValueError):
        raise TypeError(f"motif is {_short(value)}, but it must be {expected}") from None
    for edge in edges:
        if not all(0 <= end < 2**32 for end in edge):
            raise ValueError(f"the motif has the edge {edge}, but its nodes are called 0 to k - 1")
    return None, edges


def sampling(
    k: object = None,
    motif: object = None,
    sampler: object = None,
    injective: object = False,
    every: object = 1,
    burn_in: object = 0,
    chains: object = 1,
    component: object = "largest",
    lazy: object = None,
) -> dict[str, Any]:
    """What the extension takes for motifs and samplers."""
    name, edges = motif_of(motif)
    if edges is not None and not edges:
        raise ValueError("motif has no edge, but at least one is needed")
    return {
        "k": None if k is None else whole(k, "k", 0, "it must be at least 2"),
        "motif": name,
        "edges": edges,
        "sampler": None if sampler is None else word(sampler, "sampler"),
        "injective": flag(injective, "injective"),
        "every": _steps(every, "every", 1),
        "burn_in": _steps(burn_in, "burn_in", 0),
        "chains": count(chains, "chains", 1, MOST_CHAINS, f"it must be between 1 and {MOST_CHAINS}"),
        "component": choice(component, "component", ("largest", "all")),
        "lazy": "auto" if lazy is None else "yes" if flag(lazy, "lazy") else "no",
    }


def _steps(value: object, name: str, least: int) -> int:
    steps = count(value, name, least)
    return count(steps, name, least, MOST_STEPS, f"it must be at most {MOST_STEPS} steps: more would take days")


def motif_nodes(sampling: dict[str, Any]) -> int:
    """Nodes of the motif, as far as it is known here: a file has its own."""
    edges = sampling["edges"]
    return int(sampling["k"] or (_ergodict.MOTIF_NODES if edges is None else 1 + max(max(edge) for edge in edges)))


def _short(value: object) -> str:
    """What was given, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def page(path: Union[str, "os.PathLike[str]"], read: Sequence[Any] = ()) -> str:
    """Path of a report, checked before any work: in an existing folder, not over an input file."""
    file = os.fspath(path)
    folder = os.path.dirname(file)
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(f"{file}: the folder {folder} does not exist")
    for one in read:
        if isinstance(one, (str, os.PathLike)) and os.path.exists(one) and os.path.exists(file) and os.path.samefile(one, file):
            raise ValueError(f"{file}: is a file that was read, which would be overwritten: name another file")
    return file
