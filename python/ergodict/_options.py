"""Parameters of the estimators, checked and put into the words of the library."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, Optional

import numpy as np

#: Sizes beyond this do not fit the library's integers.
_MOST = 2**63 - 1


def whole(name: str, value: object, least: int, expected: str) -> int:
    """An integer that is at least `least`; the error says what would be right."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} is {value!r}, but it must be an integer")
    number = int(value)
    if number < least:
        raise ValueError(f"{name} is {number}, but {expected}")
    return min(number, _MOST)


def real(name: str, value: object) -> float:
    """A number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}, but it must be a number")
    return float(value)


def not_negative(name: str, value: object) -> float:
    """A number that is not negative."""
    number = real(name, value)
    if not 0.0 <= number < float("inf"):
        raise ValueError(f"{name} is {number}, but it must be a number that is not negative")
    return number


def choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} is {value!r}, but it must be {' or '.join(choices)}")
    return value


def flag(name: str, value: object) -> bool:
    """Yes or no."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}, but it must be True or False")
    return bool(value)


def schedule_words(schedule: object) -> tuple[str, Optional[Callable[[int], float]]]:
    """The schedule by its name, and the function that gives the weights if it is one."""
    if isinstance(schedule, str):
        return schedule, None
    if callable(schedule):
        return "given:1", schedule
    try:
        weights = np.asarray(schedule, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.zeros((0, 0))
    if weights.ndim != 1:
        raise TypeError(f"the schedule is {schedule!r}, but it must be a name, a list of weights or a function of t")
    if weights.size == 0:
        raise ValueError("the list of weights is empty, but it must hold at least one")
    return given(weights.tolist()), None


def given(weights: list[float]) -> str:
    """A list of weights, as files have it."""
    return "given:" + ",".join(map(repr, weights))


def weight_at(schedule: Callable[[int], float], t: int) -> float:
    """The weight that a function gives a step."""
    weight = float(schedule(t))
    if not 0.0 < weight <= 1.0:
        raise ValueError(f"the weight of step {t} is {weight}, but it must be in (0, 1]")
    return weight


def options_of(estimator: Any, atoms: int, batch: int) -> dict[str, object]:
    """What the extension takes for the parameters of an estimator."""
    tolerance = real("tol", estimator.tol)
    if not 0.0 < tolerance < float("inf"):
        raise ValueError(f"the coding tolerance is {tolerance}, but it must be a positive number")
    if not isinstance(estimator.code, str):
        raise TypeError(f"the code set is {estimator.code!r}, but it must be a name such as 'nonneg'")
    sweeps = whole("the number of dictionary sweeps", estimator.dict_sweeps, 1, "at least one is needed")
    return {
        "atoms": atoms,
        "lambda": 2.0 * not_negative("alpha", estimator.alpha),
        "kappa1": not_negative("kappa1", estimator.kappa1),
        "kappa2": not_negative("kappa2", estimator.kappa2),
        "schedule": schedule_words(estimator.schedule)[0],
        "code": estimator.code,
        "normalise": choice("normalise", estimator.normalise, ("sum", "per-column")),
        "unused": choice("unused", estimator.unused, ("keep", "reseed")),
        "solver": choice("solver", estimator.solver, ("fast", "projected-gradient")),
        "tolerance": tolerance,
        "dictionary_tolerance": not_negative("the dictionary tolerance", estimator.dict_tol),
        "dictionary_sweeps": min(sweeps, 2**32 - 1),
        "batch": batch,
    }
