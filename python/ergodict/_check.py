"""Checks of what callers give, each with one sentence that says what would be right."""

from __future__ import annotations

import numbers as numbers_of_python
import operator
from collections.abc import Iterable
from typing import Any, Optional

import numpy as np


def count(value: object, name: str, least: int = 1, most: int = 2**63 - 1) -> int:
    """An integer from `least` to `most`, of things that are counted: steps, updates, frames, patches."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}, but it must be an integer")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        # Whole floats such as 1e6 are what people write for large counts.
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            number = int(value)
        else:
            raise TypeError(f"{name} is {_short(value)}, but it must be an integer") from None
    if number < least:
        raise ValueError(f"{name} is {number}, but it must be at least {least}")
    if number > most:
        raise ValueError(f"{name} is {number}, but it must be at most {most}")
    return number


def whole(value: object, name: str, least: int, expected: str) -> int:
    """An integer that is at least `least`, as the sizes of what is learned are; `expected` says what would be right.

    Other than of a `count`, no float will do: a number of atoms that was calculated, such as n / 2, is a slip where it is whole by chance.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers_of_python.Integral):
        raise TypeError(f"{name} is {_short(value)}, but it must be an integer")
    number = int(value)
    if number < least:
        raise ValueError(f"{name} is {number}, but {expected}")
    # Larger ones do not fit the library's integers; that they are too large, it says itself.
    return min(number, 2**63 - 1)


def jobs(value: object) -> Optional[int]:
    """A number of threads as scikit-learn has it; that it is none is told before any work, however little."""
    expected = "a positive number of threads, -1 for all processors, or None"
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers_of_python.Integral):
        raise TypeError(f"n_jobs is {_short(value)}, but it must be {expected}")
    number = int(value)
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
    if isinstance(value, (str, bytes, bool, np.bool_)):
        raise TypeError(f"{name} is {_short(value)}, but it must be a number")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        raise TypeError(f"{name} is {_short(value)}, but it must be a number") from None


def choice(value: object, name: str, choices: Iterable[str]) -> str:
    """One of a few words."""
    names = list(choices)
    if isinstance(value, str) and value in names:
        return value
    listed = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    raise ValueError(f"{name} is {_short(value)}, but it must be {listed}")


def size(value: object, name: str) -> tuple[int, int]:
    """Rows and columns, from one number for both or a pair."""
    if isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, but it must be an integer or a pair of them")
    if isinstance(value, Iterable):
        sides = list(value)
        if len(sides) != 2:
            raise ValueError(f"{name} has {len(sides)} sides, but it must be an integer or a pair of them")
        return count(sides[0], name, 0), count(sides[1], name, 0)
    side = count(value, name, 0)
    return side, side


def single(dtype: Any) -> bool:
    """Whether a dtype is float32; it may also be float64, and nothing else."""
    found = np.dtype(dtype)
    if found == np.float32:
        return True
    if found == np.float64:
        return False
    raise ValueError(f"dtype is {found}, but it must be float32 or float64")


def numbers(value: object, name: str, axes: Optional[int] = None) -> Any:
    """An array of float64 in C order, aligned, with so many axes."""
    array = np.asarray(value)
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name} has the dtype {array.dtype}, but it must hold real numbers")
    if axes is not None and array.ndim != axes:
        raise ValueError(f"{name} has {array.ndim} axes, but it must have {axes}")
    return np.require(array, np.float64, ["C", "A"])


def _short(value: object) -> str:
    """What was given, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
