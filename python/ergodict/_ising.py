"""The Ising model, on lattices and graphs."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict
from ._chain import Chain, Size, Start
from ._random import RandomState

#: Number of nodes, both ends of each edge, and couplings where they are given.
_Edges = tuple[int, npt.NDArray[np.uint32], npt.NDArray[np.uint32], Optional[npt.NDArray[np.float64]]]


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
        The coupling J; negative for an antiferromagnet. Weighted edges use their weights instead.
    field : float or array, default=0.0
        The external field h: a number, or one for each site.
    boundary : {"periodic", "free"}, default="periodic"
        What lies beyond the edge of the lattice.
    update : {"random", "checkerboard", "wolff", "swendsen-wang"}, default="random"
        One site at random at a time; all even and then all odd sites, which is many times faster; one cluster, grown from a random site; or all
        clusters. Clusters mix fast at the critical temperature. A cluster of wolff counts as an update of every site.
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

    Any iterable of arrays is a stream that a dictionary can be learned from; your own chain can be a generator:

    >>> import numpy as np
    >>> def own_chain(steps, seed):
    ...     rng = np.random.default_rng(seed)
    ...     x = np.zeros((8, 8))
    ...     for _ in range(steps):
    ...         i, j = rng.integers(8, size=2)
    ...         if rng.random() < np.exp(1 - 2 * x[i, j]):
    ...             x[i, j] = 1 - x[i, j]
    ...         yield x.reshape(1, -1).copy()
    >>> from ergodict import OnlineNMF
    >>> OnlineNMF(n_components=3, random_state=0).fit_stream(own_chain(50, seed=0)).components_.shape
    (3, 64)
    """

    _model, _system = "ising", ("coupling", "field", "boundary", "update")

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
        # Copies, so that a chain does not change with the caller's arrays.
        self.field = _check.numbers(field, "field").copy() if np.ndim(field) else _check.number(field, "field")
        self.boundary = _check.choice(boundary, "boundary", ["periodic", "free"])
        self.update = _check.choice(update, "update", ["random", "checkerboard", "wolff", "swendsen-wang"])
        self.graph = graph.copy() if isinstance(graph, np.ndarray) else graph
        if graph is None:
            self.size = _check.size(size, "size")
        elif self.update == "checkerboard":
            raise ValueError("update checkerboard is for lattices, not for a graph")
        else:
            self._edges = _edges(graph, self.coupling)
            self.size = (1, self._edges[0])
        self._begin(every, burn_in, start, chain, random_state)

    def _arrays(self, system: dict[str, Any]) -> dict[str, Any]:
        arrays: dict[str, Any] = {}
        if np.ndim(self.field):
            arrays["field"] = np.ravel(system.pop("field"))
        if self.graph is not None:
            arrays["graph"] = self._edges
        return arrays


def _edges(graph: Any, coupling: float) -> _Edges:
    """Number of nodes, both ends and the coupling of each edge."""
    if isinstance(graph, (str, os.PathLike)) and not os.fspath(graph).startswith("@"):
        nodes, us, vs, weights = _ergodict.read_edges(os.fspath(graph))
    elif isinstance(graph, (np.ndarray, list, tuple)):
        nodes, us, vs, weights = _edge_array(graph)
    else:
        nodes, us, vs, weights = _network_edges(graph)
    return nodes, us, vs, np.full(len(us), coupling) if weights is None else np.array(weights, dtype=np.float64)


def _edge_array(graph: Any) -> _Edges:
    """Edges in the rows of an array: two nodes, and a coupling if there is a third column."""
    table = _check.numbers(graph, "graph")
    if table.ndim != 2 or table.shape[1] not in (2, 3):
        raise ValueError(
            f"graph has the shape {table.shape}, but edges need (m, 2), or (m, 3) with couplings"
        )
    ends = table[:, :2]
    if not np.all((ends >= 0) & (ends < 2**31) & (ends == np.floor(ends))):
        raise ValueError(
            "graph has nodes that are not numbers from 0 to 2**31 - 1: number them, or give a Network"
        )
    nodes = int(ends.max()) + 1 if len(ends) else 0
    us, vs = (np.ascontiguousarray(ends[:, k], dtype=np.uint32) for k in (0, 1))
    return nodes, us, vs, table[:, 2] if table.shape[1] == 3 else None


def _network_edges(graph: Any) -> _Edges:
    """Edges of a network or network-like object."""
    from .network import as_network

    network = as_network(graph)
    us, vs, weights = network.to_edges(ids=False)
    return network.n_nodes, us.astype(np.uint32), vs.astype(np.uint32), weights
