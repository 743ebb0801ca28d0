"""Nodes of a network: numbers, ids, and what is known of each."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _ergodict


class Nodes:
    """The part of :class:`ergodict.Network` that knows nodes by their ids and by their numbers."""

    _core: _ergodict.Network
    #: The ids, where they are not integers that the core knows.
    _own: Optional[list[Hashable]]
    _places: Optional[dict[Hashable, int]]
    #: Integers as ids, ascending; None where they are the numbers.
    _names: Optional[npt.NDArray[np.int64]]
    #: The ids of `_own` as an array, once somebody asked for some.
    _own_array: Optional[npt.NDArray[np.object_]]

    def _take(self, core: _ergodict.Network, own: Optional[list[Hashable]] = None) -> None:
        self._core, self._own, self._places, self._own_array = core, own, None, None
        names = None if own is not None else core.names()
        # Names that are words are ids of their own, integers stay in an array.
        self._names = names if isinstance(names, np.ndarray) else None
        if isinstance(names, list):
            self._own = names

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self._core.n_nodes

    @property
    def n_edges(self) -> int:
        """Number of edges, each once; of a directed network its arcs."""
        return self._core.n_edges

    @property
    def n_loops(self) -> int:
        """Number of edges from a node to itself."""
        return self._core.n_loops

    @property
    def is_directed(self) -> bool:
        """Whether edges have directions."""
        return self._core.is_directed

    @property
    def is_weighted(self) -> bool:
        """Whether weights differ from 1."""
        return self._core.is_weighted

    @property
    def decisions(self) -> Optional[str]:
        """How the data were read, in one line: directions, weights, loops, duplicates."""
        return self._core.decisions

    @property
    def nodes(self) -> list[Hashable]:
        """The ids in the order of the numbers."""
        if self._own is not None:
            return list(self._own)
        return list(range(self.n_nodes)) if self._names is None else self._names.tolist()

    def ids(self, numbers: npt.ArrayLike) -> npt.NDArray[Any]:
        """The ids of nodes of these numbers, in an array of the same shape: of integers, else of objects.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network([("a", "b")]).ids([[0, 1], [1, 0]])
        array([['a', 'b'],
               ['b', 'a']], dtype=object)
        """
        array = np.asarray(numbers)
        if array.size == 0:
            array = array.astype(np.int64)
        if array.dtype.kind not in "iu":
            raise TypeError(f"numbers of nodes are of dtype {array.dtype}, but they must be integers")
        wrong = array[(array < 0) | (array >= self.n_nodes)]
        if wrong.size:
            raise ValueError(f"there is no node of number {wrong[0]}: the network has {self.n_nodes} nodes")
        if self._own is None:
            numbers = array.astype(np.int64)
            return numbers if self._names is None else np.asarray(self._names[numbers])
        if self._own_array is None:
            kept = np.empty(len(self._own), dtype=object)
            kept[:] = self._own
            self._own_array = kept
        return np.asarray(self._own_array[array])

    def index(self, ids: Any) -> Any:
        """The numbers of nodes: an int for an id, an array for a list or array of ids.

        Raises
        ------
        ValueError
            For an id that the network does not have.

        Examples
        --------
        >>> import ergodict
        >>> network = ergodict.Network([("a", "b")])
        >>> network.index("b"), network.index(["b", "a"])
        (1, array([1, 0]))
        """
        if isinstance(ids, (list, np.ndarray, range)) or hasattr(ids, "to_numpy"):
            return self._index_array(ids)
        try:
            if ids in self:
                return self._place(ids)
        except TypeError:
            pass
        if isinstance(ids, (tuple, set, frozenset)) or isinstance(ids, Iterator):
            return self._index_array(list(ids))
        return self._place(ids)

    def _index_array(self, ids: Any) -> npt.NDArray[np.int64]:
        array = ids if isinstance(ids, list) else np.asarray(ids)
        if isinstance(array, np.ndarray) and array.dtype.kind in "iu" and self._own is None:
            return self._index_integers(array)
        if isinstance(array, np.ndarray):
            flat = [self._place(one) for one in array.ravel().tolist()]
            return np.array(flat, dtype=np.int64).reshape(array.shape)
        return np.array([self._place(one) for one in array], dtype=np.int64)

    def _index_integers(self, array: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        if self._names is None:
            places, known = array, (array >= 0) & (array < self.n_nodes)
        else:
            places = np.searchsorted(self._names, array)
            known = self._names[np.minimum(places, len(self._names) - 1)] == array
        if not np.all(known):
            raise _unknown(array[~known].flat[0].item())
        return places.astype(np.int64)

    def index_pairs(self, pairs: Any) -> npt.NDArray[np.int64]:
        """The numbers of the nodes of pairs of ids, of shape (m, 2).

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@florentine").index_pairs([("Medici", "Pazzi")])
        array([[8, 9]])
        """
        if isinstance(pairs, np.ndarray) and pairs.ndim == 2 and pairs.shape[1] == 2:
            return self._index_array(pairs)
        found = []
        for at, pair in enumerate(pairs):
            if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
                raise ValueError(f"pair {at} is {pair!r}, but it must be two ids")
            found.append((self._place(pair[0]), self._place(pair[1])))
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    def _place(self, one: Hashable) -> int:
        if self._places is None:
            self._places = {node: place for place, node in enumerate(self.nodes)}
        try:
            return self._places[one]
        except KeyError:
            raise _unknown(one) from None
        except TypeError:
            raise TypeError(f"{one!r} is not hashable, and so no id of a node") from None

    def __contains__(self, one: object) -> bool:
        try:
            self._place(one)
        except ValueError:
            return False
        return True

    def __len__(self) -> int:
        return self.n_nodes

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __bool__(self) -> bool:
        return True

    def _repr_html_(self) -> str:
        from ._repr import network_html

        return network_html(self)

    def __repr__(self) -> str:
        def many(n: int, what: str) -> str:
            return f"{n} {what}" if n == 1 else f"{n} {what}s"

        direction = "directed" if self.is_directed else "undirected"
        weights = "weighted" if self.is_weighted else "unweighted"
        return f"Network({many(self.n_nodes, 'node')}, {many(self.n_edges, 'edge')}, {direction}, {weights})"

    def degree(self, ids: Any = None, incoming: bool = False) -> Any:
        """Numbers of neighbors: of all nodes in their order, of some, or of one. A loop is one.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@karate").degree([1, 34])
        array([16, 17])
        """
        degrees = self._core.degrees(incoming)
        return degrees if ids is None else _at(degrees, self.index(ids))

    def strength(self, ids: Any = None, incoming: bool = False) -> Any:
        """Sums of weights of edges: of all nodes in their order, of some, or of one.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@lesmis").strength("Valjean")
        158.0
        """
        strengths = self._core.strengths(incoming)
        return strengths if ids is None else _at(strengths, self.index(ids))

    def neighbors(self, one: Hashable, incoming: bool = False) -> list[Hashable]:
        """The ids that a node has edges to (or from), in the order of the nodes.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@karate").neighbors(12)
        [1]
        """
        return list(self.ids(self._core.neighbors(self._place(one), incoming)).tolist())

    def weight(self, u: Hashable, v: Hashable) -> float:
        """The weight of the edge between two nodes, 0 where there is none.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@lesmis").weight("Valjean", "Cosette")
        31.0
        """
        return self._core.weight(self._place(u), self._place(v))

    def summary(self) -> dict[str, Any]:
        """Sizes, degrees, weights, components and triangles, as in ``ergodict network info --json``.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@karate").summary()["triangles"]
        45
        """
        return self._core.summary()


def _at(values: npt.NDArray[Any], index: Any) -> Any:
    return values[index].item() if isinstance(index, int) else values[index]


def _unknown(one: object) -> ValueError:
    return ValueError(f"{one!r} is a node which the network does not have")
