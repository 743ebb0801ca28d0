"""A network that changes while one watches: edges are inserted and removed, and snapshots are networks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict, convert
from .network import Network, as_network


class ChangingNetwork:
    """A network whose edges come and go. Nodes come with their first edge and stay.

    Accepted wherever a network is, in its present state. Learning continues with it: ``model.partial_fit(changing)`` takes the
    chains over to what the network became, where they continue if possible and restart otherwise.

    Parameters
    ----------
    data : Network, or anything it is made from, optional
        Initial network; empty by default.
    directed : bool, optional
        Whether edges have directions; by default as in `data`, else undirected.
    loops : bool, default False
        Whether edges from a node to itself are kept.
    **options
        Further options of :class:`Network` for `data`.

    Examples
    --------
    >>> import ergodict
    >>> network = ergodict.ChangingNetwork([("ann", "bob"), ("bob", "cleo")])
    >>> network.insert("cleo", "dan")
    >>> network.apply(insert=[("dan", "ann")], remove=[("ann", "bob")])
    >>> network.snapshot()
    Network(4 nodes, 3 edges, undirected, unweighted)
    >>> network.remove("ann", "bob")
    Traceback (most recent call last):
        ...
    ValueError: an edge to remove is from ann to bob, but there is none
    """

    def __init__(
        self, data: Any = None, *, directed: Optional[bool] = None, loops: bool = False, **options: Any
    ) -> None:
        self._loops = _check.flag(loops, "loops")
        if data is None:
            if options:
                raise ValueError(f"{next(iter(options))} is given, but there is no network that it has a meaning for")
            self._begin(None, bool(directed))
        else:
            given = Network(data, directed=directed, loops=self._loops or None, **options)
            self._begin(given, given.is_directed)

    def _begin(self, network: Optional[Network], directed: bool, version: int = 0) -> None:
        #: How ids are called in the core: as integers, as words, or, other objects, by numbers of ours.
        self._kind: Optional[str] = None
        self._numbers: dict[Hashable, int] = {}
        self._last: Optional[tuple[int, Network]] = None
        self._before = version
        core = None
        if network is not None and network.n_nodes > 0:
            nodes = network.nodes
            self._kind = _kind_of(nodes)
            core = network._core
            if self._kind == "objects":
                self._numbers = {node: number for number, node in enumerate(nodes)}
                u, v, weights = core.edges()
                core = convert.numbered(
                    len(nodes), u, v, weights if network.is_weighted else None, network.is_directed,
                    directed=network.is_directed,
                )
        self._core = _ergodict.ChangingNetwork(core, directed, self._loops)
        if network is not None and core is network._core:
            self._last = (0, network)

    @property
    def version(self) -> int:
        """How many changes there were: it stays the same as long as the network does."""
        return self._before + self._core.version

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self._core.n_nodes

    @property
    def n_edges(self) -> int:
        """Number of edges, each once."""
        return self.snapshot().n_edges

    @property
    def is_directed(self) -> bool:
        """Whether edges have directions."""
        return self._core.is_directed

    def insert(self, edges: Any, target: Any = None, weight: Any = None) -> None:
        """Set the weight of edges, new or existing: all of them, or none if one is invalid.

        Parameters
        ----------
        edges : array of shape (m, 2) or (m, 3), list of pairs, edges of networkx, Network, table or graph; or an id
            The edges, with their weights where they have any; or one end of each, as a column; or one end of one.
        target : column or id, optional
            The other ends.
        weight : float or array, optional
            Weights, 1 by default.

        Examples
        --------
        >>> import ergodict
        >>> network = ergodict.ChangingNetwork()
        >>> network.insert(1, 2)
        >>> network.insert([(2, 3), (3, 4, 0.5)][:1])
        >>> network.snapshot().nodes
        [1, 2, 3]
        """
        u, v, weights = _columns(edges, target, weight)
        self._change(u, v, weights, np.zeros(len(u), dtype=bool))

    def remove(self, edges: Any, target: Any = None) -> None:
        """Take edges away, which must be there: all of them, or none where one cannot be. Their nodes stay.

        Parameters
        ----------
        edges, target
            As those of :meth:`insert`; weights are not looked at.

        Examples
        --------
        >>> import ergodict
        >>> network = ergodict.ChangingNetwork("@karate")
        >>> network.remove([(1, 2), (1, 3)])
        >>> network.n_edges
        76
        """
        u, v, _ = _columns(edges, target, None)
        self._change(u, v, None, np.ones(len(u), dtype=bool))

    def apply(self, insert: Any = (), remove: Any = ()) -> None:
        """Take edges away, then insert others: all of it, or nothing where one of them cannot be.

        Parameters
        ----------
        insert, remove : as of :meth:`insert`
            The edges.

        Examples
        --------
        >>> import ergodict
        >>> network = ergodict.ChangingNetwork([(0, 1), (1, 2)])
        >>> network.apply(insert=[(2, 3)], remove=[(0, 1)])
        >>> network.snapshot().to_edges()[:2]
        (array([1, 2]), array([2, 3]))
        """
        gone, come = _columns(remove, None, None), _columns(insert, None, None)
        weights = None
        if come[2] is not None:
            weights = np.concatenate([np.ones(len(gone[0])), come[2]])
        removes = np.arange(len(gone[0]) + len(come[0])) < len(gone[0])
        self._change([*gone[0], *come[0]], [*gone[1], *come[1]], weights, removes)

    def weight(self, u: Hashable, v: Hashable) -> float:
        """The weight of the edge between two nodes, 0 where there is none.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.ChangingNetwork([("a", "b", 2.0)]).weight("b", "a")
        2.0
        """
        names = self._known([u, v])
        return 0.0 if names is None else self._core.weight(*names)

    def snapshot(self) -> Network:
        """The present network, unaffected by later changes.

        Examples
        --------
        >>> import ergodict
        >>> network = ergodict.ChangingNetwork("@kite")
        >>> before = network.snapshot()
        >>> network.insert(0, 9)
        >>> before.n_edges, network.snapshot().n_edges
        (18, 19)
        """
        version = self._core.version
        if self._last is not None and self._last[0] == version:
            return self._last[1]
        core = self._core.snapshot()
        names = core.names()
        numbers: Any = range(core.n_nodes) if names is None else names
        own: Optional[list[Hashable]] = None
        if self._kind == "words" and not isinstance(names, list):
            own = [str(number) for number in numbers]
        elif self._kind == "objects":
            ids = list(self._numbers)
            own = [ids[int(number)] for number in numbers]
        made = Network._of(core, own)
        self._last = (version, made)
        return made

    def _change(
        self, u: list[Hashable], v: list[Hashable], weights: Optional[npt.NDArray[np.float64]], removes: npt.NDArray[np.bool_]
    ) -> None:
        if not u:
            return
        before = self._kind, self._numbers, self._core, self._before, self._last
        known = len(self._numbers)
        try:
            names = self._named([*u, *v])
            self._core.apply(names[: len(u)], names[len(u) :], weights, removes)
        except BaseException as error:
            # Errors call nodes by the names they have in the core.
            said = self._renamed(error) if isinstance(error, ValueError) and self._kind == "objects" else error
            # Ids that came with what is refused are none.
            self._kind, self._numbers, self._core, self._before, self._last = before
            while len(self._numbers) > known:
                self._numbers.popitem()
            raise said from None

    def _renamed(self, error: ValueError) -> ValueError:
        import re

        ids = list(self._numbers)
        words = re.sub(r"\bfrom (\d+) to (\d+)", lambda pair: f"from {ids[int(pair[1])]!r} to {ids[int(pair[2])]!r}", str(error))
        return ValueError(words)

    def _known(self, ids: list[Hashable]) -> Optional[list[str]]:
        """The names of nodes, None where there cannot be one of them."""
        if self._kind is None or self._kind != "objects" and _kind_of(ids) != self._kind:
            return None
        if self._kind == "objects":
            return [str(self._numbers[one]) for one in ids] if all(one in self._numbers for one in ids) else None
        return [_text(one) for one in ids]

    def _named(self, ids: list[Hashable]) -> list[str]:
        """The names of nodes in the core; ids of another kind than those before make objects of all."""
        kind = _kind_of(ids)
        if self._kind is None:
            self._kind = kind
        elif kind != self._kind and self._kind != "objects":
            network, version = self.snapshot(), self.version
            self._kind, self._numbers = "objects", {node: number for number, node in enumerate(network.nodes)}
            u, v, weights = network._core.edges()
            core = convert.numbered(
                network.n_nodes, u, v, weights if network.is_weighted else None, network.is_directed,
                directed=network.is_directed,
            )
            self._core = _ergodict.ChangingNetwork(core, network.is_directed, self._loops)
            self._before, self._last = version, None
        if self._kind != "objects":
            return [_text(one) for one in ids]
        try:
            return [str(self._numbers.setdefault(one, len(self._numbers))) for one in ids]
        except TypeError as error:
            raise TypeError(f"ids of nodes must be hashable: {error}") from None

    def __len__(self) -> int:
        return self.n_nodes

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Changing{self.snapshot()!r}"

    def _repr_html_(self) -> str:
        return self.snapshot()._repr_html_()

    def __getstate__(self) -> dict[str, Any]:
        return {"network": self.snapshot(), "directed": self.is_directed, "loops": self._loops, "version": self.version}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._loops = state["loops"]
        self._begin(state["network"], state["directed"], state["version"])


def _text(one: Any) -> str:
    return one if isinstance(one, str) else str(int(one))


def _kind_of(ids: Iterable[Hashable]) -> str:
    """How nodes of these ids are called in the core."""
    listed = list(ids)
    if all(map(convert._is_integer, listed)):
        return "integers"
    return "words" if all(convert._is_word(one) and one != "" for one in listed) else "objects"


def _is_column(value: Any) -> bool:
    return isinstance(value, (list, np.ndarray)) or hasattr(value, "to_numpy")


#: Ends of edges, and their weights where there are any.
Columns = tuple[list[Hashable], list[Hashable], Optional[npt.NDArray[np.float64]]]


def _columns(edges: Any, target: Any, weight: Any) -> Columns:
    """Edges, however they are given, as columns."""
    if target is not None:
        if _is_column(edges) != _is_column(target):
            raise TypeError("ends of edges must be two ids, or two columns of them")
        u, v = (_listed(edges), _listed(target)) if _is_column(edges) else ([edges], [target])
    elif isinstance(edges, np.ndarray) and edges.ndim == 2 and (edges.shape[1] in (2, 3) or not edges.size):
        if edges.shape[1] == 3:
            weight = _one_kind(edges[:, 2], weight)
        u, v = (_listed(edges[:, 0]), _listed(edges[:, 1])) if edges.size else ([], [])
    elif isinstance(edges, (str, bytes)) or hasattr(edges, "adj") or hasattr(edges, "columns") or not hasattr(edges, "__iter__") or isinstance(edges, (Network, ChangingNetwork)):
        network = as_network(edges)
        first, second, weights = network.to_edges()
        u, v = first.tolist(), second.tolist()
        weight = weight if weights is None else _one_kind(weights, weight)
    else:
        u, v = [], []
        values: list[Any] = []
        for at, edge in enumerate(edges):
            if isinstance(edge, (str, bytes)) or not hasattr(edge, "__len__") or len(edge) not in (2, 3):
                raise TypeError(f"edge {at} is {edge!r}, but it must be two ids, or two ids and a weight")
            u.append(_plain(edge[0]))
            v.append(_plain(edge[1]))
            if len(edge) == 3:
                # The third entry is an attribute dictionary where networkx lists edges with their data.
                value = edge[2].get("weight") if isinstance(edge[2], dict) else edge[2]
                values.extend([] if value is None else [value])
        if values and len(values) != len(u):
            raise ValueError(f"{len(values)} of {len(u)} edges have a weight, but all of them or none must")
        weight = _one_kind(values, weight) if values else weight
    if len(u) != len(v):
        raise ValueError(f"there are {len(u)} first ends of edges, but {len(v)} second ends")
    if weight is None:
        return u, v, None
    numbers = convert._numbers(weight, "a weight")
    if numbers.ndim == 0:
        numbers = np.full(len(u), float(numbers))
    if numbers.shape != (len(u),):
        raise ValueError(f"the weights are of shape {numbers.shape}, but there are {len(u)} edges")
    return u, v, numbers


def _one_kind(found: Any, given: Any) -> Any:
    if given is not None:
        raise ValueError("there are two kinds of weights: those of the edges, and the argument weight")
    return found


def _plain(one: Any) -> Any:
    return one.item() if isinstance(one, np.generic) else one


def _listed(column: Any) -> list[Hashable]:
    """A column of ids as a list; floats that are whole are integers, as tables of ids and weights have them."""
    array = convert._ids(column if isinstance(column, (list, np.ndarray)) else column.to_numpy())
    if array.ndim != 1:
        raise ValueError(f"ends of edges are of shape {array.shape}, but they must be columns")
    integers = convert._integers(array)
    return list((array if integers is None else integers).tolist())
