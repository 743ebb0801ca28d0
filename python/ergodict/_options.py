"""Parameters of the estimators, checked and put into the words of the library."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, Optional

import numpy as np

from . import _check

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


def flag(name: str, value: object) -> bool:
    """Yes or no."""
    return _check.flag(value, name)


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
    sweeps = _check.whole(estimator.dict_sweeps, "the number of dictionary sweeps", 1, "at least one is needed")
    return {
        "atoms": atoms,
        "lambda": 2.0 * not_negative("alpha", estimator.alpha),
        "kappa1": not_negative("kappa1", estimator.kappa1),
        "kappa2": not_negative("kappa2", estimator.kappa2),
        "schedule": schedule_words(estimator.schedule)[0],
        "code": estimator.code,
        "normalise": _check.choice(estimator.normalise, "normalise", ("sum", "per-column")),
        "unused": _check.choice(estimator.unused, "unused", ("keep", "reseed")),
        "solver": _check.choice(estimator.solver, "solver", ("fast", "projected-gradient")),
        "tolerance": tolerance,
        "dictionary_tolerance": not_negative("the dictionary tolerance", estimator.dict_tol),
        "dictionary_sweeps": min(sweeps, 2**32 - 1),
        "batch": batch,
    }
