"""The XY model."""

from __future__ import annotations

from . import _check
from ._chain import Chain, Size, Start
from ._random import RandomState


class XY(Chain):
    """The XY model, as a stream of its configurations: float64 arrays of angles in radians, from -pi to pi.

    A configuration has the probability proportional to ``exp(-H/T)`` with ``H(x) = -J sum cos(x(u) - x(v))``. The chain is the one of
    ``ergodict spins simulate --model xy``. In patches a site is the cosine and the sine of its angle.

    Parameters
    ----------
    size : int or (int, int), default=200
        Rows and columns of the lattice.
    temperature : float, default=0.9
        The temperature T; on an infinite lattice vortices unbind at about 0.893 J.
    coupling : float, default=1.0
        The coupling J; negative for an antiferromagnet.
    boundary : {"periodic", "free"}, default="periodic"
        What lies beyond the edge of the lattice.
    update : {"random", "wolff", "swendsen-wang"}, default="random"
        The angle of one site at random at a time, drawn given its neighbors; or one cluster, or every cluster with probability 1/2, reflected in a random
        direction.
    every : int, default=10000
        Updates of single sites from one state to the next.
    burn_in : int, default=0
        Updates before the first state.
    start : {"random", "ordered"}, array or path, default="random"
        The first configuration; all angles are 0 in an ordered one.
    chain : int, default=0
        Number of the chain.
    random_state : int, Generator, RandomState or None, default=None
        The seed; the one that was used is ``seed_``.

    Attributes
    ----------
    seed_ : int
        The seed.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import XY
    >>> xy = XY(size=16, temperature=0.5, update="wolff", every=2560, random_state=0)
    >>> angles = next(xy)
    >>> angles.dtype.name, bool(np.abs(angles).max() <= np.pi)
    ('float64', True)
    >>> xy.patches(5, n=10).shape  # cosines and sines
    (10, 50)
    >>> xy.measure("vortices") < 0.1
    True
    """

    _model, _system = "xy", ("coupling", "boundary", "update")
    _values = "vector"

    def __init__(
        self,
        size: Size = 200,
        *,
        temperature: float = 0.9,
        coupling: float = 1.0,
        boundary: str = "periodic",
        update: str = "random",
        every: int = 10_000,
        burn_in: int = 0,
        start: Start = "random",
        chain: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.size = _check.size(size, "size")
        self.temperature = _check.number(temperature, "temperature")
        self.coupling = _check.number(coupling, "coupling")
        self.boundary = _check.choice(boundary, "boundary", ["periodic", "free"])
        self.update = _check.choice(update, "update", ["random", "wolff", "swendsen-wang"])
        self._begin(every, burn_in, start, chain, random_state)
