"""What all estimators share once they have learned: attributes, and what is said of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._warn import warn

#: What `schedule` may be.
Schedule = Union[str, ArrayLike, Callable[[int], float]]

#: A class of estimators.
Estimator = TypeVar("Estimator", bound=type)


def warn_of_function() -> None:
    """Says to the caller of `save` that a schedule is lost."""
    words = "the schedule is a function, which a file cannot hold: once loaded, every step has the weight of the last one"
    warn(words)


def described(estimator: Estimator) -> Estimator:
    """Puts the description of the parameters, which is that of the class that takes them, before that of the attributes."""
    own, takes = (inspect.cleandoc(one.__doc__ or "") for one in (estimator, estimator.__base__))
    head, heading, rest = own.partition("Attributes\n----------\n")
    estimator.__doc__ = f"{head}{takes.partition(chr(10) * 2)[2]}\n\n{heading}{rest}\n"
    return estimator


class Dictionary(Protocol):
    """What attributes are read from."""

    @property
    def dictionary(self) -> NDArray[Any]: ...
    @property
    def steps(self) -> int: ...
    @property
    def surrogate(self) -> float: ...
    @property
    def seed(self) -> int: ...
    @property
    def dominance(self) -> NDArray[np.float64]: ...
    @property
    def history(self) -> dict[str, NDArray[Any]]: ...


class Learned:
    """Attributes that are read when they are asked for: steps cost nothing for them. Before there are any, NotFittedError is raised."""

    def _learned(self) -> Dictionary:
        raise NotImplementedError

    @property
    def components_(self) -> NDArray[Any]:
        """The dictionary, of shape (n_components, n_features): an atom a row."""
        return self._learned().dictionary

    @property
    def n_steps_(self) -> int:
        """Steps taken."""
        return self._learned().steps

    @property
    def surrogate_(self) -> float:
        """The surrogate loss per sample, which the dictionary minimizes."""
        return self._learned().surrogate

    @property
    def seed_(self) -> int:
        """Seed used; as `random_state` it reproduces the dictionary."""
        return self._learned().seed

    @property
    def dominance_(self) -> NDArray[np.float64]:
        """The share of each atom in the reconstructions, which add up to one."""
        return self._learned().dominance

    @property
    def history_(self) -> dict[str, NDArray[Any]]:
        """Arrays `step`, `samples`, `loss`, `surrogate` along the way, and `gap_step`, `gap`, `change` at some steps."""
        return self._learned().history
