"""The Potts model and the cellular Potts model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from . import _check
from ._chain import Chain, Size, Start
from ._random import RandomState


class Potts(Chain):
    """The Potts model, as a stream of its configurations: labels 0 to states - 1.

    A configuration has the probability proportional to ``exp(-H/T)`` with ``H(x) = -J sum 1[x(u) = x(v)] - h sum 1[x(v) = 0]``. The chain is
    the one of ``ergodict spins simulate --model potts``.

    Parameters
    ----------
    size : int or (int, int), default=200
        Rows and columns of the lattice.
    states : int, default=3
        Number of labels, 2 to 128.
    temperature : float, default=1.0
        The temperature T.
    coupling : float, default=1.0
        The coupling J; negative for an antiferromagnet.
    field : float, default=0.0
        The field h; a positive one favors label 0.
    boundary : {"periodic", "free"}, default="periodic"
        What lies beyond the edge of the lattice.
    update : {"random", "checkerboard", "wolff", "swendsen-wang"}, default="random"
        One site at random at a time; all even sites, then all odd ones; one cluster, grown from a random site; or all clusters, as for
        :class:`Ising`.
    every : int, default=10000
        Updates of single sites from one state to the next.
    burn_in : int, default=0
        Updates before the first state.
    start : {"random", "ordered"}, array or path, default="random"
        The first configuration.
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
    >>> from ergodict import Potts
    >>> potts = Potts(size=16, states=4, every=1000, random_state=0)
    >>> int(next(potts).max()) < 4
    True
    """

    _model, _system = "potts", ("states", "coupling", "field", "boundary", "update")
    _values = "one-hot"

    def __init__(
        self,
        size: Size = 200,
        *,
        states: int = 3,
        temperature: float = 1.0,
        coupling: float = 1.0,
        field: float = 0.0,
        boundary: str = "periodic",
        update: str = "random",
        every: int = 10_000,
        burn_in: int = 0,
        start: Start = "random",
        chain: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.size = _check.size(size, "size")
        self.states = _check.count(states, "states", 0)
        self.temperature = _check.number(temperature, "temperature")
        self.coupling = _check.number(coupling, "coupling")
        if np.ndim(field):
            raise ValueError("field is no number: a field of the Potts model is the same everywhere")
        self.field = _check.number(field, "field")
        self.boundary = _check.choice(boundary, "boundary", ["periodic", "free"])
        self.update = _check.choice(update, "update", ["random", "checkerboard", "wolff", "swendsen-wang"])
        self._begin(every, burn_in, start, chain, random_state)


class CellularPotts(Chain):
    """The cellular Potts model, as a stream of its configurations: 0 is the medium, every other label a cell.

    Cells adhere to each other and keep their volume, and their perimeter where that is asked for: a change that costs the energy dH is accepted with
    the probability ``min(1, exp(-dH/T))``, where ``H = sum J(type(u), type(v)) 1[x(u) != x(v)] + volume_strength sum (V_c - volume)^2 +
    perimeter_strength sum (P_c - perimeter)^2``, summed over pairs of neighbors and over cells c. The chain is the one of
    ``ergodict spins simulate --model cellular-potts``.

    Parameters
    ----------
    size : int or (int, int), default=200
        Rows and columns of the lattice.
    cells : int, default=36
        Number of cells without the medium, at most 127.
    temperature : float, default=10.0
        The temperature T.
    adhesion : sequence of float, optional
        Energies of a bond between types of cells, type 0 being the medium: ``[J01, J11]`` for one type, ``[J01, J02, J11, J12, J22]`` for
        two, and so on. Types are dealt out to the cells in turn. The default is ``[16, 14]``.
    volume : float, optional
        Volume that cells aim at, in sites; by default the cells take half of the lattice.
    volume_strength : float, default=1.0
        Strength of the volume constraint.
    perimeter : float, optional
        Perimeter that cells aim at, in bonds; by default that of a square of the volume.
    perimeter_strength : float, default=0.0
        Strength of the perimeter constraint.
    proposal : {"neighbor", "any"}, default="neighbor"
        Proposed label: that of a neighbor, which is the usual rule without a Boltzmann distribution, or any label.
    boundary : {"periodic", "free"}, default="periodic"
        What lies beyond the edge of the lattice.
    every : int, default=10000
        Updates of single sites from one state to the next.
    burn_in : int, default=0
        Updates before the first state.
    start : {"random", "ordered"}, array or path, default="random"
        The first configuration.
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
    >>> from ergodict import CellularPotts
    >>> cells = CellularPotts(size=30, cells=5, every=9000, random_state=0)
    >>> sorted(set(next(cells).ravel().tolist()))
    [0, 1, 2, 3, 4, 5]
    >>> 0 < cells.acceptance_ < 1
    True
    """

    _model = "cellular-potts"
    _system = (
        "cells",
        "adhesion",
        "volume",
        "volume_strength",
        "perimeter",
        "perimeter_strength",
        "proposal",
        "boundary",
    )
    _values = "borders"

    def __init__(
        self,
        size: Size = 200,
        *,
        cells: int = 36,
        temperature: float = 10.0,
        adhesion: Optional[Sequence[float]] = None,
        volume: Optional[float] = None,
        volume_strength: float = 1.0,
        perimeter: Optional[float] = None,
        perimeter_strength: float = 0.0,
        proposal: str = "neighbor",
        boundary: str = "periodic",
        every: int = 10_000,
        burn_in: int = 0,
        start: Start = "random",
        chain: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.size = _check.size(size, "size")
        self.cells = _check.count(cells, "cells", 0)
        self.temperature = _check.number(temperature, "temperature")
        self.adhesion = None if adhesion is None else _check.numbers(adhesion, "adhesion", 1).tolist()
        self.volume = None if volume is None else _check.number(volume, "volume")
        self.volume_strength = _check.number(volume_strength, "volume_strength")
        self.perimeter = None if perimeter is None else _check.number(perimeter, "perimeter")
        self.perimeter_strength = _check.number(perimeter_strength, "perimeter_strength")
        self.proposal = _check.choice(proposal, "proposal", ["neighbor", "any"])
        self.boundary = _check.choice(boundary, "boundary", ["periodic", "free"])
        if isinstance(start, str) and start == "ordered" and self.proposal == "neighbor":
            raise ValueError(
                "start ordered is one label everywhere, which the cellular-potts rule of copying neighbors never leaves: "
                "use random, a configuration, or proposal any"
            )
        self._begin(every, burn_in, start, chain, random_state)
