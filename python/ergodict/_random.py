"""Seeds: the meaning of `random_state`."""

from __future__ import annotations

import numbers
import secrets
from typing import Union

import numpy as np

#: What `random_state` may be.
RandomState = Union[None, int, np.integer, np.random.Generator, np.random.RandomState]


def seed_of(random_state: RandomState) -> int:
    """The seed, from 0 to 2**64 - 1, that a `random_state` means.

    An integer is the seed itself, the same as ``--seed`` of the command line. A numpy generator gives its next number. None is a new seed
    each time; estimators record it as ``seed_``, so that every run can be made again.
    """
    if random_state is None:
        # As long as JSON numbers are exact in every language that reads them.
        return secrets.randbits(53)
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, (bool, np.bool_)):
        seed = int(random_state)
        if not 0 <= seed < 2**64:
            raise ValueError(f"random_state is {seed}, but it must be from 0 to 2**64 - 1")
        return seed
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**53))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**53, dtype=np.int64))
    raise TypeError(
        f"random_state is {random_state!r}, but it must be an int, a numpy Generator or RandomState, or None"
    )
