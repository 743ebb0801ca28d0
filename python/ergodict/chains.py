"""Spin systems as iterators of numpy arrays: the Ising, Potts and cellular Potts models, and restricted Boltzmann machines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict
from ._chain import Chain
from ._random import RandomState

__all__ = ["CellularPotts", "Ising", "Potts", "RBM"]

#: Rows and columns, or one number for both.
Size = Union[int, tuple[int, int]]
#: How a chain begins: "random", "ordered", a configuration, or a `.npy` file whose last frame is taken.
Start = Union[str, "os.PathLike[str]", npt.NDArray[Any]]


class Ising(Chain):
    """The Ising model, as a stream of its configurations.

    A configuration has the probability proportional to ``exp(-H/T)`` with ``H(x) = -J sum x(u) x(v) - sum h(v) x(v)``, the first sum over the
    bonds of a lattice or the edges of a graph. The chain is the one of ``ergodict spins simulate --model ising``: the same seed gives the same
    configurations.

    Parameters
    ----------
    size : int or (int, int), default=200
        Rows and columns of the lattice.
    temperature : float, default=2.26
        The temperature T.
    coupling : float, default=1.0
        The coupling J; negative for an antiferromagnet. Edges with weights of their own have those instead.
    field : float or array, default=0.0
        The external field h: a number, or one for each site.
    boundary : {"periodic", "free"}, default="periodic"
        What lies beyond the edge of the lattice.
    update : {"random", "checkerboard"}, default="random"
        One site at random at a time, or all even and then all odd sites, which is many times faster.
    graph : Network, array of shape (m, 2) or (m, 3), or path, optional
        A graph to be on instead of a lattice. Arrays list the edges between nodes 0, 1, ... with a coupling in the third column, if there
        is one; a path is that of an edge list. Configurations have the shape (1, nodes).
    every : int, default=10000
        Updates of single sites from one state to the next, rounded up to whole steps of the chain.
    burn_in : int, default=0
        Updates before the first state.
    start : {"random", "ordered"}, array or path, default="random"
        The first configuration; of a file with several frames the last.
    chain : int, default=0
        Number of the chain: chains of one seed with different numbers are independent.
    random_state : int, Generator, RandomState or None, default=None
        The seed; the one that was used is ``seed_``.

    Attributes
    ----------
    seed_ : int
        The seed.

    See Also
    --------
    Potts : More than two states.
    OnlineNMF.fit_stream : Learns from the minibatches of a chain.

    Examples
    --------
    >>> from ergodict import Ising
    >>> ising = Ising(size=20, temperature=2.0, every=4000, random_state=0)
    >>> next(ising).shape
    (20, 20)
    >>> ising.frames(3).shape
    (3, 20, 20)
    >>> bool(-2 <= ising.measure("energy") <= 2)
    True

    Any iterable of arrays is a stream that a dictionary can be learned from; a chain of one's own takes no more than a generator:

    >>> import numpy as np
    >>> def own_chain(steps, seed):
    ...     rng = np.random.default_rng(seed)
    ...     x = np.zeros((8, 8))
    ...     for _ in range(steps):
    ...         i, j = rng.integers(8, size=2)
    ...         if rng.random() < np.exp(1 - 2 * x[i, j]):
    ...             x[i, j] = 1 - x[i, j]
    ...         yield x.reshape(1, -1).copy()
    >>> [x.shape for x in own_chain(2, seed=0)]
    [(1, 64), (1, 64)]
    """

    _parameters = (
        "size", "temperature", "coupling", "field", "boundary", "update", "graph", "every", "burn_in", "start", "chain",
    )

    def __init__(
        self,
        size: Size = 200,
        *,
        temperature: float = 2.26,
        coupling: float = 1.0,
        field: Union[float, npt.ArrayLike] = 0.0,
        boundary: str = "periodic",
        update: str = "random",
        graph: Any = None,
        every: int = 10_000,
        burn_in: int = 0,
        start: Start = "random",
        chain: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.temperature = _check.number(temperature, "temperature")
        self.coupling = _check.number(coupling, "coupling")
        self.field = field if np.ndim(field) else _check.number(field, "field")
        self.boundary = _check.choice(boundary, "boundary", ["periodic", "free"])
        self.update = _check.choice(update, "update", ["random", "checkerboard"])
        self.graph = graph
        if graph is None:
            self.size = _check.size(size, "size")
        elif self.update == "checkerboard":
            raise ValueError("update checkerboard is for lattices, not for a graph")
        else:
            self._edges = _edges(graph, self.coupling)
            self.size = (1, self._edges[0])
        self._begin(every, burn_in, start, chain, random_state)

    def _build(self) -> _ergodict.SpinChain:
        field_map = None
        if np.ndim(self.field):
            field_map = _check.numbers(self.field, "field").ravel()
        field = 0.0 if field_map is not None else float(self.field)  # type: ignore[arg-type]
        if self.graph is not None:
            nodes, us, vs, couplings = self._edges
            return _ergodict.SpinChain.ising_graph(
                nodes, us, vs, couplings, self.temperature, field, field_map, self.seed_, self.chain
            )
        rows, cols = self.size
        periodic, checkerboard = self.boundary == "periodic", self.update == "checkerboard"
        return _ergodict.SpinChain.ising(
            rows, cols, periodic, self.temperature, self.coupling, field, field_map, checkerboard, self.seed_, self.chain
        )


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
        The field h; a positive one favours label 0.
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
    >>> from ergodict import Potts
    >>> potts = Potts(size=16, states=4, every=1000, random_state=0)
    >>> int(next(potts).max()) < 4
    True
    """

    _parameters = ("size", "states", "temperature", "coupling", "field", "boundary", "every", "burn_in", "start", "chain")
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
        self._begin(every, burn_in, start, chain, random_state)

    def _build(self) -> _ergodict.SpinChain:
        rows, cols = self.size
        return _ergodict.SpinChain.potts(
            rows, cols, self.boundary == "periodic", self.states, self.temperature, self.coupling, self.field, self.seed_, self.chain
        )


class CellularPotts(Chain):
    """The cellular Potts model, as a stream of its configurations: 0 is the medium, every other label a cell.

    Cells adhere to each other and keep their volume, and their perimeter where that is asked for. The chain is the one of
    ``ergodict spins simulate --model cellular-potts``.

    Parameters
    ----------
    size : int or (int, int), default=200
        Rows and columns of the lattice.
    cells : int, default=36
        Cells besides the medium, at most 127.
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
    proposal : {"neighbour", "any"}, default="neighbour"
        What a site may turn into: the label of a neighbour, which is the usual rule and has no Boltzmann law, or any label.
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

    _parameters = (
        "size", "cells", "temperature", "adhesion", "volume", "volume_strength", "perimeter", "perimeter_strength",
        "proposal", "boundary", "every", "burn_in", "start", "chain",
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
        proposal: str = "neighbour",
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
        self.proposal = _check.choice(proposal, "proposal", ["neighbour", "any"])
        self.boundary = _check.choice(boundary, "boundary", ["periodic", "free"])
        if isinstance(start, str) and start == "ordered" and self.proposal == "neighbour":
            raise ValueError(
                "start ordered is one label everywhere, which the cellular-potts rule of copying neighbours never leaves: "
                "use random, a configuration, or proposal any"
            )
        self._begin(every, burn_in, start, chain, random_state)

    def _build(self) -> _ergodict.SpinChain:
        rows, cols = self.size
        return _ergodict.SpinChain.cellular_potts(
            rows, cols, self.boundary == "periodic", self.cells, self.temperature, self.adhesion, self.volume, self.volume_strength,
            self.perimeter, self.perimeter_strength, self.proposal == "any", self.seed_, self.chain,
        )


class RBM(Chain):
    """A restricted Boltzmann machine, as a stream of its visible units: 0 and 1.

    Each step draws all hidden units given the visible ones, then all visible ones given the hidden ones. The chain is the one of
    ``ergodict spins simulate --model rbm``.

    Parameters
    ----------
    weights : array of shape (visible, hidden) or path, optional
        The weights W; a path is that of a ``.npz`` file with ``W``, ``b`` and ``c``. By default they are random, and follow from the seed.
    visible_bias, hidden_bias : array, optional
        The biases b and c; zero by default.
    size : int or (int, int), optional
        Rows and columns in which the visible units are drawn. By default 28, or for weights in an array a square, if they make one, and a row
        otherwise.
    hidden : int, optional
        Hidden units of a machine with random weights; 64 by default.
    weight_scale : float, optional
        Standard deviation of random weights; 0.5 by default.
    temperature : float, default=1.0
        The temperature T.
    every : int, default=10000
        Updates of single units from one state to the next, rounded up to whole steps.
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
    >>> import numpy as np
    >>> from ergodict import RBM
    >>> weights = np.random.default_rng(0).normal(size=(16, 8))
    >>> rbm = RBM(weights, every=100, random_state=0)
    >>> next(rbm).shape
    (4, 4)
    """

    _parameters = (
        "weights", "size", "hidden", "weight_scale", "temperature", "every", "burn_in", "start", "chain",
    )

    def __init__(
        self,
        weights: Any = None,
        visible_bias: Optional[npt.ArrayLike] = None,
        hidden_bias: Optional[npt.ArrayLike] = None,
        *,
        size: Optional[Size] = None,
        hidden: Optional[int] = None,
        weight_scale: Optional[float] = None,
        temperature: float = 1.0,
        every: int = 10_000,
        burn_in: int = 0,
        start: Start = "random",
        chain: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.temperature = _check.number(temperature, "temperature")
        if weights is not None and (hidden is not None or weight_scale is not None):
            raise ValueError("weights come with their own hidden units: leave hidden and weight_scale out")
        self._from_file = isinstance(weights, (str, os.PathLike))
        given = weights is not None and not self._from_file
        if not given and (visible_bias is not None or hidden_bias is not None):
            raise ValueError("visible_bias and hidden_bias go with weights in an array: give those too")
        self.weights = _check.numbers(weights, "weights", 2) if given else weights
        visible, hiddens = self.weights.shape if given else (0, 0)
        self.hidden = None if weights is not None else 64 if hidden is None else _check.count(hidden, "hidden", 0)
        self.weight_scale = None if weights is not None else _check.number(0.5 if weight_scale is None else weight_scale, "weight_scale")
        self.visible_bias = _bias(visible_bias, "visible_bias", visible)
        self.hidden_bias = _bias(hidden_bias, "hidden_bias", hiddens)
        if size is not None:
            self.size = _check.size(size, "size")
        elif given:
            side = int(np.sqrt(visible))
            self.size = (side, side) if side * side == visible else (1, visible)
        else:
            self.size = (28, 28)
        self._begin(every, burn_in, start, chain, random_state)

    def _build(self) -> _ergodict.SpinChain:
        rows, cols = self.size
        if self.hidden is not None and self.weight_scale is not None:
            return _ergodict.SpinChain.rbm_random(
                rows, cols, self.hidden, self.weight_scale, self.temperature, self.seed_, self.chain
            )
        if self._from_file:
            return _ergodict.SpinChain.rbm_file(
                rows, cols, os.fspath(self.weights), self.temperature, self.seed_, self.chain
            )
        return _ergodict.SpinChain.rbm(
            rows, cols, self.weights.ravel(), self.visible_bias, self.hidden_bias, self.weights.shape[1],
            self.temperature, self.seed_, self.chain,
        )


def _bias(given: Optional[npt.ArrayLike], name: str, units: int) -> npt.NDArray[np.float64]:
    """The biases of a layer."""
    if given is None:
        return np.zeros(units)
    bias: npt.NDArray[np.float64] = _check.numbers(given, name, 1)
    return bias


def _edges(graph: Any, coupling: float) -> tuple[int, npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
    """Number of nodes, both ends and the coupling of each edge."""
    weights: Optional[npt.NDArray[np.float64]]
    if isinstance(graph, (str, os.PathLike)) and not os.fspath(graph).startswith("@"):
        nodes, us, vs, weights = _ergodict.read_edges(os.fspath(graph))
    elif isinstance(graph, (np.ndarray, list, tuple)):
        nodes, us, vs, weights = _edge_array(graph)
    else:
        nodes, us, vs, weights = _network_edges(graph)
    if weights is None:
        weights = np.full(len(us), coupling)
    return nodes, us, vs, np.ascontiguousarray(weights, dtype=np.float64)


def _edge_array(graph: Any) -> tuple[int, npt.NDArray[np.uint32], npt.NDArray[np.uint32], Optional[npt.NDArray[np.float64]]]:
    """Edges in the rows of an array: two nodes, and a coupling if there is a third column."""
    table = _check.numbers(graph, "graph")
    if table.ndim != 2 or table.shape[1] not in (2, 3):
        raise ValueError(f"graph has the shape {table.shape}, but edges need (m, 2), or (m, 3) with couplings")
    ends = table[:, :2]
    if not np.all((ends >= 0) & (ends < 2**31) & (ends == np.floor(ends))):
        raise ValueError("graph has nodes that are not numbers from 0 to 2**31 - 1: number them, or give a Network")
    nodes = int(ends.max()) + 1 if len(ends) else 0
    us, vs = (np.ascontiguousarray(ends[:, k], dtype=np.uint32) for k in (0, 1))
    return nodes, us, vs, table[:, 2] if table.shape[1] == 3 else None


def _network_edges(graph: Any) -> tuple[int, npt.NDArray[np.uint32], npt.NDArray[np.uint32], Optional[npt.NDArray[np.float64]]]:
    """Edges of a network, or of anything that one can be made of."""
    from .network import as_network

    network = as_network(graph)
    us, vs, weights = network.to_edges(ids=False)
    return network.n_nodes, us.astype(np.uint32), vs.astype(np.uint32), weights
