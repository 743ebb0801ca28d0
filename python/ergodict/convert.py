"""Other libraries' graphs, matrices, arrays and tables as networks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _ergodict
from ._warn import warn

#: What names an edge's weight: an attribute or column, or the weights themselves.
Weight = Union[None, str, Callable[[Any], float], npt.ArrayLike]


@dataclass(frozen=True)
class Options:
    """How edges are taken, as the readers of files have it."""

    directed: Optional[bool] = None
    weighted: Optional[bool] = None
    #: None is False, but a network that is one already stays as it is.
    loops: Optional[bool] = None

    def keywords(self) -> dict[str, Any]:
        """As arguments of the extension."""
        return {"directed": self.directed, "weighted": self.weighted, "loops": bool(self.loops)}


#: A network and the ids of its nodes, unless they are the network's own names.
Made = tuple[_ergodict.Network, Optional[list[Hashable]]]

_MOST = 2**63


def _is_integer(value: object) -> bool:
    plain = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    return plain and -_MOST <= int(value) < _MOST  # type: ignore[call-overload]


def _is_word(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _numbers(values: Any, what: str) -> npt.NDArray[np.float64]:
    """Numbers as float64; what is none is refused."""
    array = np.asarray(values)
    if array.dtype == object or array.dtype.kind == "U":
        # None and text would become NaN or numbers without a word.
        for value in array.ravel():
            if value is None or isinstance(value, (str, bytes)):
                raise TypeError(f"{what} is {value if value is None or isinstance(value, bytes) else str(value)!r}, but it must be a number")
    elif array.dtype.kind not in "buif":
        raise TypeError(f"{what} is of dtype {array.dtype}, but it must be a number")
    try:
        return np.require(array, dtype=np.float64, requirements=["C", "A"])
    except OverflowError:
        raise ValueError(f"{what} is beyond the range of numbers, but it must be a finite number") from None
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} must be a number: {error}") from None


def _attributes(values: list[Any], name: str) -> npt.NDArray[np.float64]:
    """Weights that are an attribute of edges; numbers as text, as of graphs that were read from DOT, are numbers."""
    found = []
    for value in values:
        if isinstance(value, str):
            try:
                # Graphviz has quotation marks in its values.
                value = float(value.strip().strip('"'))
            except ValueError:
                raise TypeError(f"the attribute {name!r} of an edge is {value!r}, but a weight must be a number") from None
        found.append(value)
    return _numbers(found, "a weight")


def _of_graph(made: Made) -> Made:
    """A network of a graph, which has at least a node."""
    if made[0].n_nodes == 0:
        raise ValueError("the graph holds no node and no edge")
    return _zeros_noted("graph", made)


def of_nodes(
    nodes: Sequence[Hashable],
    u: npt.NDArray[Any],
    v: npt.NDArray[Any],
    weights: Optional[npt.NDArray[np.float64]],
    said: Optional[bool],
    options: Options,
) -> Made:
    """A network of nodes in any order; `u` and `v` are indices into their list."""
    core = _ergodict.Network
    u, v = np.require(u, dtype=np.int64, requirements="A"), np.require(v, dtype=np.int64, requirements="A")
    if all(map(_is_integer, nodes)):
        ids = np.array([int(node) for node in nodes], dtype=np.int64)  # type: ignore[call-overload]
        return core.of_integers(ids[u], ids[v], weights, ids, said, **options.keywords()), None
    named = all(map(_is_word, nodes))
    order = _ergodict.order_of_names(list(nodes)) if named else None  # type: ignore[arg-type]
    if order is None:
        numbered = (u.astype(np.uint32), v.astype(np.uint32))
        return core.of_numbers(len(nodes), *numbered, weights, None, said, **options.keywords()), list(nodes)
    rank = np.empty(len(nodes), dtype=np.uint32)
    rank[order] = np.arange(len(nodes), dtype=np.uint32)
    names = [str(nodes[place]) for place in order]
    network = core.of_numbers(len(names), rank[u], rank[v], weights, names, said, **options.keywords())
    # Words that are all integers are ordered as integers, and are words still.
    return network, (None if not names or isinstance(network.names(), list) else list(names))


def numbered(
    n: int,
    u: npt.NDArray[np.uint32],
    v: npt.NDArray[np.uint32],
    weights: Optional[npt.NDArray[np.float64]],
    said: bool,
    names: Any = None,
    directed: Optional[bool] = None,
) -> _ergodict.Network:
    """A network of nodes that have numbers and names already; loops are kept."""
    core = _ergodict.Network
    if isinstance(names, np.ndarray):
        return core.of_integers(names[u], names[v], weights, names, said, directed=directed, loops=True)
    return core.of_numbers(n, u, v, weights, names, said, directed=directed, loops=True)


def _of_ids(
    u: Iterable[Hashable],
    v: Iterable[Hashable],
    weights: Optional[npt.NDArray[np.float64]],
    nodes: Optional[Iterable[Hashable]],
    said: Optional[bool],
    options: Options,
) -> Made:
    """A network of edges between any hashable ids; `nodes` come first and may have no edges."""
    places: dict[Hashable, int] = {}

    def number(ids: Iterable[Hashable]) -> npt.NDArray[np.int64]:
        return np.fromiter((places.setdefault(one, len(places)) for one in ids), dtype=np.int64)

    try:
        if nodes is not None:
            number(nodes)
        first, second = list(u), list(v)
        for one in (*first, *second):
            if one == "" or one != one:
                raise ValueError(f"an id is {one!r}, which is no node: leave such edges out")
        # In the order in which edges name them.
        ends = number(one for pair in zip(first, second) for one in pair)
    except TypeError as error:
        raise TypeError(f"ids of nodes must be hashable: {error}") from None
    return of_nodes(list(places), ends[::2], ends[1::2], weights, said, options)


def _integers(values: npt.NDArray[Any]) -> Optional[npt.NDArray[np.int64]]:
    """An array of ids as int64 where all are integers."""
    if values.dtype.kind in "iu":
        if values.dtype == np.uint64 and values.size and values.max() >= _MOST:
            return None
        return np.require(values, dtype=np.int64, requirements=["C", "A"])
    if values.dtype.kind == "f" and values.size and np.all(np.isfinite(values)):
        # A table of ids and weights is one of floats.
        whole = np.all(values == np.floor(values)) and np.all(np.abs(values) < 2**53)
        return values.astype(np.int64) if whole else None
    return values.astype(np.int64) if values.size == 0 else None


def _ids(column: npt.ArrayLike) -> npt.NDArray[Any]:
    """A column of ids; those of several kinds stay what they are."""
    array = np.asarray(column)
    if array.dtype.kind in "US" and array.ndim == 1 and isinstance(column, (list, tuple)):
        text = str if array.dtype.kind == "U" else bytes
        if not all(isinstance(one, text) for one in column):
            # numpy makes text of numbers beside text.
            array = np.empty(len(column), dtype=object)
            array[:] = column
    return array


def of_columns(
    u: npt.ArrayLike,
    v: npt.ArrayLike,
    weights: Optional[npt.ArrayLike],
    nodes: Optional[Iterable[Hashable]],
    options: Options,
) -> Made:
    """A network of edges whose ends and weights are columns."""
    first, second = _ids(u), _ids(v)
    if first.ndim != 1 or second.ndim != 1 or len(first) != len(second):
        shapes = f"{first.shape} and {second.shape}"
        raise ValueError(f"the ends of edges are of shapes {shapes}, but they must be columns of one length")
    numbers = None if weights is None else _numbers(weights, "a weight")
    if numbers is not None and numbers.shape != first.shape:
        raise ValueError(f"the weights are of shape {numbers.shape}, but there are {len(first)} edges")
    one, two = _integers(first), _integers(second)
    for integers, words in ((one, second), (two, first)):
        if integers is not None and words.dtype.kind in "UO" and len(words) and all(isinstance(id, str) and id.lstrip("-").isdigit() for id in words.tolist()):
            raise ValueError("one end of the edges is integers and the other integers as text, so that 1 and '1' would be two nodes: make them one kind")
    listed = None if nodes is None else list(nodes)
    if one is not None and two is not None and (listed is None or all(map(_is_integer, listed))):
        alone = None if listed is None else np.array(listed, dtype=np.int64)
        return _ergodict.Network.of_integers(one, two, numbers, alone, None, **options.keywords()), None
    for column in (first, second):
        if column.dtype.kind == "f" and not np.all(np.isfinite(column)):
            raise ValueError("an id is NaN or infinite, which identifies no node")
    return _of_ids(first.tolist(), second.tolist(), numbers, listed, None, options)


def _zeros_noted(what: str, made: Made) -> Made:
    """What was made, with a warning of edges of weight 0, which are left out."""
    zeros = made[0].zeros
    if zeros:
        warn(f"{what}: {zeros} edge{'' if zeros == 1 else 's'} of weight 0 left out (weighted=False keeps edges whatever their weights)")
    return made


def of_array(
    array: npt.NDArray[Any], weight: Weight, nodes: Optional[Iterable[Hashable]], options: Options, form: Optional[str] = None
) -> Made:
    """A network of an edge array of two or three columns, or of a square matrix."""
    edges = array.ndim == 2 and array.shape[1] in (2, 3)
    square = array.ndim == 2 and array.shape[0] == array.shape[1]
    if form == "edges":
        return of_edge_array(array, weight, nodes, options)
    if edges and not square and weight is None and array.dtype.kind in "buif":
        rows = [list(row) for row in zip(*(_texts(column) for column in array[: _SAMPLE + 1].T.tolist()))]
        try:
            _doubts("array", rows, len(array), options)
        except ValueError as error:
            raise ValueError(f"{error}. Columns of an array are chosen as array[:, [1, 2]]; format='edges' reads it as it is") from None
    if edges and not square and len(array) > 3 and array.dtype.kind in "buif" and np.all((array[:, :2] == 0) | (array[:, :2] == 1)):
        raise ValueError(
            f"the array of shape {array.shape} holds nothing but 0 and 1, as an incidence matrix does, whose rows and columns are two kinds of nodes: "
            "expected the ends of an edge a row (format='edges' reads it so)"
        )
    if form != "adjacency" and _is_edge_index(array.shape, array.dtype.kind in "iu"):
        # As PyTorch Geometric has edges.
        return of_edge_array(array.T, weight, nodes, options)
    if form == "adjacency" or square and not (edges and weight is not None):
        if weight is not None or nodes is not None:
            name = "weight" if weight is not None else "nodes"
            raise ValueError(f"{name} is given, but it has no meaning for a matrix: leave it out, or use Network.from_edges for edges")
        if form != "adjacency" and array.dtype.kind in "buif" and np.all(np.isfinite(array[:128])):
            # Refuses what could be edges.
            _ergodict.is_adjacency("array", np.require(array[:128], dtype=np.float64, requirements=["C", "A"]))
        return of_dense(array, options)
    if not edges:
        expected = "(m, 2) or (m, 3), an edge a row, or a square matrix"
        raise ValueError(f"the array is of shape {array.shape}, but it must be {expected}")
    return of_edge_array(array, weight, nodes, options)


def _is_edge_index(shape: tuple[int, ...], integers: bool) -> bool:
    """Whether edges are two rows, one with an end of each; refuses what could be two edges with weights as well."""
    if len(shape) != 2 or shape[0] != 2 or shape[1] < 3 or not integers:
        return False
    if shape[1] == 3:
        raise ValueError(
            "2 rows of 3 integers could be two edges with weights (format='edges') or the ends of three edges, which are "
            "read when they are transposed to (3, 2)"
        )
    return True


def of_edge_array(
    array: npt.NDArray[Any], weight: Weight, nodes: Optional[Iterable[Hashable]], options: Options
) -> Made:
    """A network of an edge array of two or three columns."""
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(f"the edges are of shape {array.shape}, but it must be (m, 2) or (m, 3)")
    if weight is not None and (isinstance(weight, str) or callable(weight)):
        raise TypeError("weight is a name, but weights of an edge array are a third column or an array")
    if weight is not None and array.shape[1] == 3:
        raise ValueError("there are two kinds of weights: a third column, and the argument weight")
    if len(array) == 0 and nodes is None:
        raise ValueError(f"the array of shape {array.shape} holds no edge: expected a row for each")
    weights = array[:, 2] if array.shape[1] == 3 else weight
    return of_columns(array[:, 0], array[:, 1], weights, nodes, options)


def of_dense(matrix: npt.NDArray[Any], options: Options) -> Made:
    """A network of a dense adjacency matrix."""
    if matrix.ndim != 2:
        raise ValueError(f"the matrix is of shape {matrix.shape}, but the matrix of a network is square")
    if matrix.shape == (0, 0):
        raise ValueError("the matrix is of shape (0, 0), but a network has at least one node")
    numbers = _numbers(matrix, "an entry of the matrix")
    rows, columns = np.nonzero(numbers)
    places = (rows.astype(np.uint32), columns.astype(np.uint32))
    shape = (int(matrix.shape[0]), int(matrix.shape[1]))
    return _ergodict.Network.of_matrix(shape, *places, numbers[rows, columns], **options.keywords()), None


def of_scipy(matrix: Any, options: Options) -> Made:
    """A network of a sparse matrix or array of scipy."""
    if matrix.ndim != 2:
        raise ValueError(f"the matrix is of shape {matrix.shape}, but the matrix of a network is square")
    if matrix.shape == (0, 0):
        raise ValueError("the matrix is of shape (0, 0), but a network has at least one node")
    coo = matrix.tocoo()
    entries = _numbers(coo.data, "an entry of the matrix")
    if max(matrix.shape) > 2**32 - 1:
        raise ValueError(f"matrix: has {max(matrix.shape)} nodes: expected fewer than 2³²")
    rows, columns = coo.coords if hasattr(coo, "coords") else (coo.row, coo.col)
    places = (np.asarray(rows).astype(np.uint32), np.asarray(columns).astype(np.uint32))
    shape = (int(matrix.shape[0]), int(matrix.shape[1]))
    return _ergodict.Network.of_matrix(shape, *places, entries, **options.keywords()), None


def of_networkx(graph: Any, weight: Weight, options: Options, ids: Optional[bool] = None) -> Made:
    """A network of a graph of networkx, whose nodes are called by what they are there, or by their labels if `ids` is False."""
    if not (weight is None or isinstance(weight, str)):
        raise TypeError("weight must be the name of an edge attribute")
    name = "weight" if weight is None else weight
    nodes = list(graph)
    places = {node: place for place, node in enumerate(nodes)}
    listed = list(graph.edges(data=name, default=None))
    flat = (places[one] for edge in listed for one in edge[:2])
    ends = np.fromiter(flat, dtype=np.int64, count=2 * len(listed)).reshape(-1, 2)
    values = [edge[2] for edge in listed]
    count, found = len(values), any(value is not None for value in values)
    if weight is not None and count and not found:
        raise ValueError(f"no edge of the graph has the attribute {name!r}")
    weights = _attributes([1.0 if value is None else value for value in values], name) if found else None
    labeled = None if ids else _node_names(graph, nodes)
    if labeled is not None and ids is None:
        warn(
            f"graph: nodes are called by their ids, although each has its own {labeled[0]!r}, by which nodes of files are called "
            "(ids=False calls them so, ids=True does not)"
        )
    elif labeled is not None:
        nodes = labeled[1]
    elif ids is False and any(graph.nodes(data=attribute)[node] for attribute in _NAMES for node in nodes):
        warn("graph: nodes are called by their ids: their labels and names are not strings, missing, not unique, or the ids themselves")
    return _of_graph(of_nodes(nodes, ends[:, 0], ends[:, 1], weights, graph.is_directed(), options))


#: Attributes by which nodes of files are called.
_NAMES = ("label", "name")


def _node_names(graph: Any, nodes: list[Any]) -> Optional[tuple[str, list[Any]]]:
    """The attribute of a graph of networkx by which its nodes would be called in a file, and their names; None where these are the ids."""
    for attribute in _NAMES:
        found = graph.nodes(data=attribute)
        names = [found[node] for node in nodes]
        if names and all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names):
            return None if names == [str(node) for node in nodes] else (attribute, names)
    return None


def of_igraph(graph: Any, weight: Weight, options: Options) -> Made:
    """A network of a graph of igraph; the vertex attribute `name`, or else `label`, has the ids where it is there and unique."""
    if not (weight is None or isinstance(weight, str)):
        raise TypeError("weight must be the name of an edge attribute")
    name = "weight" if weight is None else weight
    there = name in graph.es.attributes()
    if weight is not None and not there:
        raise ValueError(f"no edge of the graph has the attribute {name!r}")
    weights = _attributes(graph.es[name], name) if there and graph.ecount() else None
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    nodes: Sequence[Hashable] = range(graph.vcount())
    for attribute in ("label", "name"):
        if attribute in graph.vs.attributes():
            nodes = _unique(graph.vs[attribute]) or nodes
    return _of_graph(of_nodes(nodes, ends[:, 0], ends[:, 1], weights, graph.is_directed(), options))


def _unique(ids: list[Any]) -> Optional[list[Hashable]]:
    """Ids that distinguish nodes, else None."""
    try:
        return ids if len(set(ids)) == len(ids) and None not in ids else None
    except TypeError:
        return None


def of_rustworkx(graph: Any, weight: Weight, options: Options) -> Made:
    """A network of a graph of rustworkx: payloads of nodes are the ids where they are hashable and unique,
    payloads of edges the weights.
    """
    import rustworkx

    directed = isinstance(graph, rustworkx.PyDiGraph)
    numbers = np.array(graph.node_indices(), dtype=np.int64)
    place = np.zeros(int(numbers.max()) + 1 if len(numbers) else 0, dtype=np.int64)
    place[numbers] = np.arange(len(numbers))
    ends = np.array(graph.edge_list(), dtype=np.int64).reshape(-1, 2)
    ends = place[ends] if len(ends) else ends
    payloads = list(graph.edges())
    weights = None
    if callable(weight):
        weights = _numbers([weight(payload) for payload in payloads], "a weight")
    elif weight is not None and not isinstance(weight, str):
        raise TypeError("weight must be the name of an edge attribute, or a function of an edge's payload")
    elif any(isinstance(payload, dict) for payload in payloads):
        name = "weight" if weight is None else weight
        values = [payload.get(name) if isinstance(payload, dict) else None for payload in payloads]
        if any(value is not None for value in values):
            weights = _attributes([1.0 if value is None else value for value in values], name)
        elif weight is not None:
            raise ValueError(f"no edge of the graph has the attribute {name!r}")
    elif any(payload is not None for payload in payloads):
        weights = _numbers(payloads, "a weight")
    nodes = _unique(list(graph.nodes())) or numbers.tolist()
    return _of_graph(of_nodes(nodes, ends[:, 0], ends[:, 1], weights, directed, options))


def _doubts(what: str, rows: list[list[str]], count: int, options: Options) -> None:
    """Warns of rows without names of columns, of which the first are given, that may be no edges with weights, or refuses them."""
    for words in _ergodict.table_doubts(what, rows, count <= len(rows), options.weighted is not False):
        warn(f"{what}: {words}")


#: Rows of a table or array that are looked at, as of files, besides a first one that may be no edge.
_SAMPLE = _ergodict.TABLE_SAMPLE


def _texts(values: list[Any]) -> list[str]:
    """A column as a file has it: numbers without a point where all are whole, nothing where a value is missing."""
    floats = [value for value in values if isinstance(value, float)]
    whole = all(np.isfinite(value) and value == int(value) for value in floats)
    return ["" if value is None else str(int(value) if whole and isinstance(value, float) else value) for value in values]


def _labels(table: Any) -> Optional[list[str]]:
    """The names of the rows of a pandas table, unless they are the numbers that every table has."""
    index = getattr(table, "index", None)
    if index is None or not hasattr(index, "tolist"):
        return None
    names = index.tolist()
    return None if names == list(range(len(names))) else [str(name) for name in names]


def with_index(table: Any) -> Any:
    """A pandas table with the named levels of its index as columns, as it is written to a file; other tables as they are."""
    names: list[Any] = list(getattr(getattr(table, "index", None), "names", ()))
    named = any(name is not None for name in names)
    return table.reset_index() if named and not set(names) & set(table.columns) else table


def of_adjacency(table: Any, options: Options, form: Optional[str] = None) -> Optional[Made]:
    """A network of a pandas or polars table that is an adjacency matrix, whose names are those of the columns; None of other tables."""
    if form == "edges":
        return None
    columns, rows = list(table.columns), len(table)
    names, labels = [str(name) for name in columns], _labels(table)
    body = table
    if len(columns) == rows + 1 and columns != list(range(rows + 1)):
        # As of a file whose rows begin with names.
        labels = [str(name) for name in table[columns[0]].to_numpy().tolist()]
        body = table[columns[1:]]
        columns, names = columns[1:], names[1:]
    if len(columns) != rows or rows == 0 or rows == 1 and form != "adjacency":
        if form == "adjacency":
            raise ValueError(f"the table has {rows} rows and {len(columns)} columns, but an adjacency matrix is square")
        return None
    numbered = names == [str(at) for at in range(rows)]
    labeled = labels is not None and sorted(labels) == sorted(names)
    if labeled and labels is not None and labels != names:
        # Rows by name, in the order of the columns.
        places = {name: at for at, name in enumerate(labels)}
        order = np.array([places[name] for name in names])
        matrix = body.to_numpy()[order]
    else:
        matrix = body.to_numpy()
    if body is not table and not labeled:
        if form == "adjacency":
            raise ValueError("the first column of the table has other names than its columns, but an adjacency matrix is square")
        return None
    if form != "adjacency":
        numeric = matrix.dtype.kind in "buif"
        if labeled and numbered and rows < 3:
            return None
        if labeled and not numbered and not (numeric and np.all(np.isfinite(matrix))):
            _numbers(matrix, "an entry of the table")
            raise ValueError("an entry of the table is missing or infinite, but an adjacency matrix has 0 where there is no edge")
        if not numeric or np.any(np.isinf(matrix)):
            return None
        first = np.require(matrix[:128], dtype=np.float64, requirements=["C", "A"])
        if not _ergodict.is_adjacency("table", first, None if numbered else names, labeled):
            return None
    if len(set(names)) < len(names):
        raise ValueError("the table has two columns of the same name, but every node must have its own")
    core, _ = of_dense(matrix, options)
    u, v, weights = core.edges()
    ids = [column.item() if isinstance(column, np.generic) else column for column in columns]
    kept = Options(core.is_directed, core.with_weights and options.weighted is not False, loops=True)
    return of_nodes(ids, u, v, weights if core.with_weights else None, core.is_directed, kept)


def _without_numbers(table: Any) -> tuple[Any, bool]:
    """A table without the numbers of its rows, and whether it had them in front of columns called 0, 1, 2, as a table without names has in a file of pandas."""
    names = [str(name) for name in table.columns]
    if len(names) < 3 or names[0] not in ("", "Unnamed: 0") or names[1:] != [str(at) for at in range(len(names) - 1)]:
        return table, False
    numbered = table[table.columns[0]].to_list() == list(range(len(table)))
    return (table[list(table.columns[1:])], True) if numbered else (table, False)


@dataclass(frozen=True)
class Columns:
    """The columns of a pandas or polars table, whose labels may be objects of any kind, as they are handed to the rules for files."""

    table: Any
    #: As the table has them; None is that of the names of rows.
    labels: list[Any]
    #: What stands for them: no two are the same.
    names: list[str]
    #: Whether people have named them: 0, 1 and 2 are those of tables without a header.
    named: bool
    #: Those that are asked for, by these names.
    given: dict[str, Optional[str]]

    @classmethod
    def of(cls, table: Any, asked: dict[str, Any]) -> Columns:
        """Those of a table, of which some are asked for."""
        table, counted = _without_numbers(table)
        labels = list(table.columns)
        names = [str(name) for name in labels]
        if len(set(names)) < len(names):
            raise ValueError("the table has two columns of the same name, but every column must have its own")
        if len(labels) < 2:
            raise ValueError(f"the table has {len(labels)} columns, but the ends of edges are in two")
        ends = [asked.get(key) for key in ("source", "target")]
        if None in ends and all(name.startswith("Unnamed: ") for name in names[1:]):
            # As pandas calls the others where only the first field of a line has words.
            raise ValueError(
                f"the table has no names for its columns but {str(labels[0])!r}, as below a title: leave out the lines above the names (skiprows)"
            )
        integers = all(isinstance(name, (int, np.integer)) for name in labels)
        named = not integers and not counted

        def place(key: str) -> Optional[int]:
            """Where a column is, by its label, or by its number from 1 as text unless labels are numbers as text."""
            name = asked.get(key)
            if not isinstance(name, Hashable) or callable(name):
                raise TypeError(f"{key} must be the name of a column")
            if name is None or name in labels:
                return None if name is None else labels.index(name)
            number = int(name) if isinstance(name, str) and name.isdecimal() and (integers or name not in names) and not counted else 0
            if 1 <= number <= len(labels):
                return number - 1
            if key == "weight" and not isinstance(name, (str, int, np.integer)):
                raise TypeError("weight must be the name of a column")
            if named and isinstance(name, str):
                return None
            raise ValueError(f"the table has no column {name!r} for {key}: there are {', '.join(map(repr, labels))}")

        places = {key: place(key) for key in asked}
        chosen = [at for at in places.values() if at is not None]
        twice = [at for at in chosen if chosen.count(at) > 1]
        if twice:
            raise ValueError(f"the table has the column {labels[twice[0]]!r} for two things")
        if not named:
            # Numbers would be taken for places of columns, which are those of files without a header: the time is the last unless it is another one.
            time = places.get("time")
            time = len(labels) - 1 if time is None else time
            rest = [at for at in range(len(labels)) if at != time or "time" not in asked]
            names = [f"column {at}" for at in range(1, len(labels) + 1)]
            for at, name in zip(rest, ("source", "target", "weight") if len(rest) <= 3 else ()):
                names[at] = name
        given = {key: name if at is None else names[at] for (key, name), at in zip(asked.items(), places.values())}
        return cls(table, labels, names, named, given)

    def rows(self) -> list[list[str]]:
        """The first rows as a file has them."""
        first = self.table.head(_SAMPLE + (not self.named))

        def column(label: Hashable) -> list[str]:
            values = first[label]
            missing = (values.is_null() if hasattr(values, "is_null") else values.isna()).to_list()
            array = values.to_numpy()
            listed = (array.astype(str) if array.dtype.kind in "mM" else array).tolist()
            return _texts([None if gone else value for gone, value in zip(missing, listed)])

        return [list(row) for row in zip(*(column(label) for label in self.labels))]

    @contextlib.contextmanager
    def labeled(self) -> Iterator[None]:
        """Errors about columns that were handed over as `column 1`, … have the labels of the table."""
        try:
            yield
        except ValueError as error:
            words = str(error)
            for name, label in zip(self.names, self.labels):
                if label is not None and name.startswith("column "):
                    words = words.replace(f"`{name}`", f"`{label}`")
            raise ValueError(words) from None

    def complete(self, at: int) -> npt.NDArray[Any]:
        """The values of a column, none of which is missing."""
        return np.asarray(self.series(at).to_numpy())

    def series(self, at: int) -> Any:
        """A column, no value of which is missing."""
        values = self.table[self.labels[at]]
        missing = values.null_count() > 0 if hasattr(values, "null_count") else bool(values.isna().any())
        if missing:
            raise ValueError(f"the column {self.labels[at]!r} has missing values, but every edge needs all values")
        return values

    def directed(self, at: int, asked: Optional[bool]) -> bool:
        """Whether edges have directions by this column; where they are asked for, rows need not say theirs, but have to agree, as in files."""
        values = self.table[self.labels[at]].to_numpy() if asked else self.complete(at)
        said = _ergodict.table_direction(str(self.labels[at]), [str(value) for value in values], not asked)
        return asked or said


def of_table(
    table: Any,
    source: Optional[str],
    target: Optional[str],
    weight: Weight,
    nodes: Optional[Iterable[Hashable]],
    options: Options,
    form: Optional[str] = None,
) -> Made:
    """A network of a pandas or polars table: an adjacency matrix, or edges by the rules that files with a header are read by."""
    if hasattr(table, "collect"):
        table = table.collect()
    asked = {"source": source, "target": target, "weight": weight}
    if form == "adjacency" or all(value is None for value in (*asked.values(), nodes)):
        matrix = of_adjacency(table, options, form)
        if matrix is not None:
            return matrix
    table = with_index(table)
    if len(table) == 0 and nodes is None:
        raise ValueError("the table holds no edge: expected a row for each")
    columns = Columns.of(table, asked)
    rows = columns.rows()
    if not columns.named and not any(value is not None for value in asked.values()) and form != "edges":
        _doubts("table", rows, len(table), options)
    index = _labels(table)
    if index is not None and not all(label.lstrip("-").isdigit() for label in index):
        # The names of rows are a column without a name, as in a file.
        columns = replace(columns, labels=[None, *columns.labels], names=["", *columns.names])
        rows = [[label, *row] for label, row in zip(index, rows)]
    with columns.labeled():
        u, v, w, direction, notes, times = _ergodict.table_columns(
            columns.names, rows, **columns.given, named=columns.named, weighted=options.weighted is not False
        )
    labels, column = columns.labels, columns.complete
    if options.directed is not False and direction is not None:
        # Where a direction is asked for, rows need not say theirs; those that do have to agree with each other, as in files.
        options = replace(options, directed=columns.directed(direction, options.directed))
    weights = None if w is None or options.weighted is False else column(w)
    _check_ends((labels[u], labels[v]) if columns.named else None, [column(u), column(v)])
    for words in notes:
        warn(f"table: {words}")
    made = _zeros_noted("table", of_columns(column(u), column(v), weights, nodes, options))
    time = None if times is None else labels[times]
    counted = time is not None and (weights is not None or w is None and options.weighted is None)
    repeats = _ergodict.table_repeats(str(time), made[0].repeated, bool(options.directed), weights is not None) if counted else None
    if repeats is not None:
        warn(f"table: {repeats}")
    return made


def _check_ends(names: Optional[tuple[Any, Any]], ends: list[npt.NDArray[Any]]) -> None:
    """Refuses ends that a file would have read otherwise: names of columns again, and blanks around names."""
    words = [column for column in ends if column.dtype.kind in "OU"]
    if names is not None and len(words) == 2:
        again = np.flatnonzero((ends[0] == names[0]) & (ends[1] == names[1]))
        if len(again):
            raise ValueError(f"row {again[0]} of the table has the names of its columns, {names[0]!r} and {names[1]!r}: leave it out")
    ids = {name for column in words for name in column.tolist() if isinstance(name, str)}
    for name in ids:
        if name != name.strip() and name.strip() in ids:
            raise ValueError(f"the ids {name.strip()!r} and {name!r} differ in blanks only, which files are read without: strip them first")
    pairs = {opens + closes for opens, all_closing in _ergodict.TYPOGRAPHIC for closes in all_closing}
    marked = next((name for name in ids if len(name) > 2 and name[0] + name[-1] in pairs), None)
    if marked is not None:
        warn(f"table: the id {marked!r} has typographic quotation marks, which files are read without: strip them first if they are no part of it")


def _rows(data: list[Any]) -> Optional[npt.NDArray[np.float64]]:
    """Lists of as many numbers each, as an array; None of anything else, such as tuples, which are edges."""
    if len(data) < 2 or not all(isinstance(row, list) and len(row) == len(data[0]) for row in data):
        return None
    numbers = (int, float, np.integer, np.floating, np.bool_)
    return np.array(data, dtype=np.float64) if all(isinstance(entry, numbers) for row in data for entry in row) else None


def of_list(
    data: Iterable[Any], weight: Weight, nodes: Optional[Iterable[Hashable]], options: Options, form: Optional[str] = None
) -> Made:
    """A network of a list: of edges, or of the rows of a matrix."""
    entries = list(data)
    if entries and all(isinstance(entry, dict) for entry in entries):
        raise TypeError("the list holds dictionaries: make a table of them first, such as pandas.DataFrame(records)")
    if form == "adjacency":
        return of_array(np.array(entries), weight, nodes, options, form)
    rows = _rows(entries) if form != "edges" and weight is None and nodes is None else None
    if rows is not None:
        height, width = rows.shape
        if _is_edge_index(rows.shape, bool(np.all(rows == np.floor(rows)))):
            return of_edge_array(np.array(entries).T, weight, nodes, options)
        if height == width > 2 and np.all(np.isfinite(rows)) and _ergodict.is_adjacency("list", rows[:128]):
            return of_dense(rows, options)
    return of_pairs(entries, weight, nodes, options)


def of_dict(data: dict[Any, Any], weight: Weight, nodes: Optional[Iterable[Hashable]], options: Options) -> Made:
    """A network of a dictionary: weights by pairs of nodes, or the neighbors of each node."""
    if data and all(isinstance(key, tuple) and len(key) == 2 for key in data):
        return of_pairs([(u, v, value) for (u, v), value in data.items()], weight, nodes, options)
    if data and all(isinstance(neighbors, (list, tuple, set, frozenset)) for neighbors in data.values()):
        pairs = [(u, v) for u, neighbors in data.items() for v in neighbors]
        every = dict.fromkeys([*data, *(v for _, v in pairs)])
        return of_pairs(pairs, weight, list(every) if nodes is None else nodes, options)
    raise TypeError(
        "a dictionary is a network if its keys are pairs of nodes and its values weights, or its keys nodes and its values lists of "
        "their neighbors: make a graph of others first, such as networkx.node_link_graph(data)"
    )


def of_pairs(
    pairs: Iterable[Any], weight: Weight, nodes: Optional[Iterable[Hashable]], options: Options
) -> Made:
    """A network of pairs of ids, or of ids and a weight."""
    if weight is not None and (isinstance(weight, str) or callable(weight)):
        raise TypeError("weight is a name, but weights of pairs are a third entry or an array")
    u: list[Hashable] = []
    v: list[Hashable] = []
    values: list[Any] = []
    for at, pair in enumerate(pairs):
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) not in (2, 3):
            raise TypeError(f"edge {at} is {pair!r}, but it must be two ids, or two ids and a weight")
        u.append(pair[0])
        v.append(pair[1])
        # The third entry is an attribute dictionary where networkx lists edges with their data.
        if len(pair) == 3 and not isinstance(pair[2], dict):
            values.append(pair[2])
        elif len(pair) == 3 and pair[2].get("weight") is not None:
            values.append(pair[2]["weight"])
    if values and len(values) != len(u):
        raise ValueError(f"{len(values)} of {len(u)} edges have a weight, but all of them or none must")
    if values and weight is not None:
        raise ValueError("there are two kinds of weights: a third entry, and the argument weight")
    if not u and nodes is None:
        raise ValueError("the list holds no edge: expected pairs such as (0, 1)")
    given = values if values else weight
    weights = None if given is None else _numbers(given, "a weight")
    if weights is not None and weights.shape != (len(u),):
        raise ValueError(f"the weights are of shape {weights.shape}, but there are {len(u)} edges")
    return _of_ids(u, v, weights, nodes, None, options)
