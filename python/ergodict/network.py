"""Networks: from and to the graphs, matrices, tables and files that people have."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Hashable, Iterable
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict, convert, convert_to
from ._nodes import Nodes
from ._random import RandomState, seed_of
from .convert import Options, Weight
from .recognize import read, recognized

Path = Union[str, "os.PathLike[str]"]


class Network(Nodes):
    """A network: nodes of any hashable ids, and edges with positive weights. It is never changed.

    The input is recognized: a graph of networkx, igraph or rustworkx, a sparse matrix of scipy, a square
    numpy matrix, an array of shape (m, 2) or (m, 3) with an edge a row, a pandas or polars table, a list of
    pairs, the path of a file, or the name of an embedded network such as ``"@karate"``. A square array is a
    matrix, unless it could be an edge array of two or three edges as well: `format` says which, and
    :meth:`from_edges` takes edges only. A table with the same names at rows and columns is a matrix.

    Edges are taken as the command line takes them from files: loops are dropped unless ``loops=True``;
    weights of an edge that is listed several times (also parallel edges of multigraphs) add up, without
    weights it counts once; weights are 0 or more, and those of 0 are no edges. An edge list of which every
    edge is there in both directions has each once. Of a graph some of whose edges have no weight, theirs is
    1, as in networkx.

    Parameters
    ----------
    data : graph, matrix, array, table, list, str or path
        Data of the network.
    weight : str, callable or array, optional
        The edge attribute or column that has the weights, by default ``"weight"`` where there is one; of edge
        arrays and lists of pairs the weights themselves; of rustworkx graphs also a function of an edge's
        payload.
    directed : bool, optional
        Whether edges have directions. By default as in the data; a matrix that is symmetric is undirected,
        any other is not; lists and tables are undirected.
    weighted : bool, optional
        True wants weights, False ignores them; by default they are used where there are any.
    loops : bool, optional
        Whether edges from a node to itself are kept. No by default; a Network is unchanged.
    nodes : iterable, optional
        Ids of nodes that are there whether they have edges or not, for lists, arrays and tables.
    source, target : str, optional
        The columns of a table or of a file that have the ends of edges; by default they are found by their
        names and values, as in files. Of a file they are names, or numbers from 1 as text.
    header : {"auto", "yes", "no"}, optional
        Whether the first row of a file names its columns; by default that is recognized.
    format : {"auto", "edges", "adjacency"}, optional
        Whether a file, a table or an array has an edge or the neighbors of a node in each row; by default that is
        recognized, and what could be either is refused.
    ids : bool, optional
        Whether nodes of a file with a graph are called by their ids, also where each has a label of its own; False by
        default. Nodes of a networkx graph are called by their ids, with a warning where each has its own ``label`` or
        ``name``, by which False calls them.

    Notes
    -----
    Nodes have numbers, which arrays of motif samples and of edges use. Where all ids are integers, they are
    numbered by value; where all are strings, by their bytes, but by value if all of them are integers as
    text. That is the order of the command line, so that results agree with it bit for bit. Other ids, and
    mixed ones, are numbered in the order of the data.

    Examples
    --------
    >>> import ergodict
    >>> network = ergodict.Network([("ann", "bob"), ("bob", "cleo"), ("cleo", "ann"), ("cleo", "dan")])
    >>> network
    Network(4 nodes, 4 edges, undirected, unweighted)
    >>> network.neighbors("cleo")
    ['ann', 'bob', 'dan']
    >>> ergodict.Network("@karate").n_edges
    78
    """

    def __init__(
        self,
        data: Any,
        *,
        weight: Weight = None,
        directed: Optional[bool] = None,
        weighted: Optional[bool] = None,
        loops: Optional[bool] = None,
        nodes: Optional[Iterable[Hashable]] = None,
        source: Optional[str] = None,
        target: Optional[str] = None,
        header: Optional[str] = None,
        format: Optional[str] = None,
        ids: Optional[bool] = None,
    ) -> None:
        options = Options(directed, weighted, loops)
        self._take(*recognized(data, weight, nodes, source, target, options, header, format, ids))

    @classmethod
    def _of(cls, core: _ergodict.Network, own: Optional[list[Hashable]] = None) -> Network:
        network = cls.__new__(cls)
        network._take(core, own)
        return network

    def _derived(self, core: _ergodict.Network) -> Network:
        """A network of some of the nodes, whose names are still those they had."""
        names = core.names()
        if self._own is None or isinstance(names, list):
            return Network._of(core)
        places: Any = range(core.n_nodes) if names is None else names
        own = self._core.names()
        if isinstance(own, np.ndarray):
            places = np.searchsorted(own, np.asarray(places))
        return Network._of(core, [self._own[place] for place in places])

    # From other things.

    @classmethod
    def from_networkx(cls, graph: Any, weight: Optional[str] = None, ids: Optional[bool] = None, **options: Any) -> Network:
        """The network of a networkx Graph, DiGraph, MultiGraph or MultiDiGraph, whose parallel edges are
        united.

        Examples
        --------
        >>> import ergodict, networkx
        >>> ergodict.Network.from_networkx(networkx.path_graph(3)).nodes
        [0, 1, 2]
        """
        return cls._of(*convert.of_networkx(graph, weight, Options(**options), ids))

    @classmethod
    def from_igraph(cls, graph: Any, weight: Optional[str] = None, **options: Any) -> Network:
        """The network of an igraph Graph; the vertex attribute ``name`` has the ids where it distinguishes vertices
        apart, else their indices do.

        Examples
        --------
        >>> import ergodict, igraph
        >>> ergodict.Network.from_igraph(igraph.Graph.Ring(5)).n_edges
        5
        """
        return cls._of(*convert.of_igraph(graph, weight, Options(**options)))

    @classmethod
    def from_rustworkx(cls, graph: Any, weight: Weight = None, **options: Any) -> Network:
        """The network of a rustworkx PyGraph or PyDiGraph. Payloads of nodes are the ids where they are
        hashable and unique, else indices are; payloads of edges are weights, or have them as an
        attribute.

        Examples
        --------
        >>> import ergodict, rustworkx
        >>> ergodict.Network.from_rustworkx(rustworkx.generators.star_graph(4)).degree()
        array([3, 1, 1, 1])
        """
        return cls._of(*convert.of_rustworkx(graph, weight, Options(**options)))

    @classmethod
    def from_scipy(cls, matrix: Any, **options: Any) -> Network:
        """The network of a sparse matrix, array or square numpy matrix, as of a ``.npz`` file: symmetric is
        undirected.

        Examples
        --------
        >>> import ergodict, scipy.sparse
        >>> ergodict.Network.from_scipy(scipy.sparse.csr_array([[0, 2], [2, 0]]))
        Network(2 nodes, 1 edge, undirected, weighted)
        """
        if isinstance(matrix, np.ndarray):
            return cls._of(*convert.of_dense(np.asarray(matrix), Options(**options)))
        return cls._of(*convert.of_scipy(matrix, Options(**options)))

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        target: Any = None,
        weight: Any = None,
        nodes: Optional[Iterable[Hashable]] = None,
        **options: Any,
    ) -> Network:
        """The network of edges: an array of shape (m, 2) or (m, 3), a list of pairs, or the columns ``edges``
        and ``target``.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network.from_edges([5, 5], [7, 9], weight=[1.0, 0.5]).to_edges()
        (array([5, 5]), array([7, 9]), array([1. , 0.5]))
        """
        how = Options(**options)
        if target is not None:
            if weight is not None and (isinstance(weight, str) or callable(weight)):
                raise TypeError("weight is a name, but weights of an edge array are an array")
            return cls._of(*convert.of_columns(edges, target, weight, nodes, how))
        if isinstance(edges, np.ndarray):
            return cls._of(*convert.of_edge_array(edges, weight, nodes, how))
        return cls._of(*convert.of_pairs(edges, weight, nodes, how))

    @classmethod
    def from_table(
        cls,
        table: Any,
        source: Optional[str] = None,
        target: Optional[str] = None,
        weight: Optional[str] = None,
        nodes: Optional[Iterable[Hashable]] = None,
        **options: Any,
    ) -> Network:
        """The network of a pandas or polars table of edges, or that is an adjacency matrix.

        Examples
        --------
        >>> import ergodict, pandas
        >>> ergodict.Network.from_table(pandas.DataFrame({"a": ["x", "y"], "b": ["y", "z"]})).nodes
        ['x', 'y', 'z']
        """
        form = options.pop("format", None)
        return cls._of(*convert.of_table(table, source, target, weight, nodes, Options(**options), form))

    @classmethod
    def from_pandas(cls, table: Any, **options: Any) -> Network:
        """The network of a pandas table: of edges, or a square one with the same names at rows and columns.

        Examples
        --------
        >>> import ergodict, pandas
        >>> ergodict.Network.from_pandas(pandas.DataFrame({"Source": ["x"], "Target": ["y"], "Weight": [2]}))
        Network(2 nodes, 1 edge, undirected, weighted)
        """
        return cls(table, **options)

    @classmethod
    def from_polars(cls, table: Any, **options: Any) -> Network:
        """The network of a polars table: of edges, or a matrix whose first column has the names of the others.

        Examples
        --------
        >>> import ergodict, polars
        >>> ergodict.Network.from_polars(polars.DataFrame({"from": ["x", "y"], "to": ["y", "z"]})).n_edges
        2
        """
        return cls.from_table(table, **options)

    @classmethod
    def from_numpy(cls, array: Any, **options: Any) -> Network:
        """The network of a square matrix, or of an array with an edge a row.

        Examples
        --------
        >>> import ergodict, numpy
        >>> ergodict.Network.from_numpy(numpy.array([[0, 1], [1, 0]])).n_edges
        1
        """
        return cls(np.asarray(array), **options)

    @classmethod
    def from_file(cls, path: Path, **options: Any) -> Network:
        """The network of a file, as :meth:`read` reads it.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network.from_file("@karate").n_nodes
        34
        """
        return cls.read(path, **options)

    @classmethod
    def read(cls, path: Path, **options: Any) -> Network:
        """Reads a file, also a compressed one, whose format is recognized by its content, or an embedded network.

        Of tables, ``source``, ``target`` and ``weight`` are the names of columns (or their numbers from 1, as
        text), ``header`` is ``"yes"`` or ``"no"``, and ``format`` is ``"edges"`` or ``"adjacency"``. Of graphs,
        ``ids=True`` calls nodes by their ids instead of their labels. ``verify=True`` checks all bytes of a large ``.egr`` file again.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network.read("@lesmis", weighted=False)
        Network(77 nodes, 254 edges, undirected, unweighted)
        """
        table = {key: options.pop(key) for key in ("format", "header", "ids", "source", "target", "weight", "verify") if key in options}
        return cls._of(read(os.fspath(path), Options(**options), **table))

    @classmethod
    def generate(cls, model: str, random_state: RandomState = None, **parameters: Any) -> Network:
        """A random network, as ``ergodict network generate`` makes it.

        Parameters
        ----------
        model : {"er", "ba", "ws", "sbm", "configuration", "rmat"}
            er: ``n``, and ``edges`` or ``probability``, ``directed``. ba: ``n``, ``joins``. ws: ``n``,
            ``neighbors``, ``rewired``. sbm: ``sizes``, and ``within`` and ``between``, or ``matrix``.
            configuration: ``degrees`` or ``like`` (a network), ``erased``, ``swaps``. rmat: ``scale``,
            ``edge_factor``, ``quadrants``, ``directed``.
        random_state : int, Generator or None
            The seed.
        **parameters
            Those of the model.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network.generate("ba", n=100, joins=2, random_state=0).n_edges
        196
        """
        if "like" in parameters:
            parameters["like"] = as_network(parameters["like"])._core
        for name in ("n", "edges", "joins", "neighbors", "scale", "edge_factor", "swaps"):
            if isinstance(parameters.get(name), (float, np.floating)):
                parameters[name] = _check.count(parameters[name], name, 0)
        return cls._of(_ergodict.generate(model, parameters, seed_of(random_state)))

    def __eq__(self, other: object) -> bool:
        """Whether ids, edges, weights and directions are the same, whatever the order of the nodes."""
        if not isinstance(other, Network):
            return NotImplemented
        if (self.n_nodes, self.n_edges) != (other.n_nodes, other.n_edges):
            return False
        if self.is_directed != other.is_directed:
            return False
        mine, theirs = self.nodes, other.nodes
        if mine != theirs and set(mine) != set(theirs):
            return False
        places = np.array([self._place(node) for node in theirs], dtype=np.uint32)
        u, v, weights = other._core.edges()
        ends = (places[u], places[v]) if len(places) else (u, v)
        as_mine = convert.numbered(self.n_nodes, *ends, weights, self.is_directed)
        same = convert.numbered(self.n_nodes, *self._core.edges(), self.is_directed)
        return same.same(as_mine)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        u, v, weights = self._core.edges()
        names = self._core.names()
        facts = {"n": self.n_nodes, "directed": self.is_directed, "names": names, "own": self._own}
        return {**facts, "u": u, "v": v, "weights": weights if self.is_weighted else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        names = state["names"]
        edges = (state["u"], state["v"], state["weights"])
        core = convert.numbered(state["n"], *edges, state["directed"], names)
        self._take(core, None if isinstance(names, list) else state["own"])

    def __copy__(self) -> Network:
        return self

    def __deepcopy__(self, memo: object) -> Network:
        return self

    # Parts of it and other versions.

    def components(self) -> list[list[Hashable]]:
        """The ids of each component, directions ignored, the largest first.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network([(0, 1), (2, 3), (3, 4)]).components()
        [[2, 3, 4], [0, 1]]
        """
        labels = self._core.components()
        order = np.argsort(labels, kind="stable")
        bounds = np.flatnonzero(np.diff(labels[order])) + 1
        return [self.ids(part).tolist() for part in np.split(order, bounds)] if len(labels) else []

    def largest_component(self) -> Network:
        """The network of the largest component; of equal ones, that of the first node.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network([(0, 1), (2, 3), (3, 4)]).largest_component().nodes
        [2, 3, 4]
        """
        return self._derived(self._core.part(np.flatnonzero(self._core.components() == 0).astype(np.uint32)))

    def subnetwork(self, ids: Iterable[Hashable]) -> Network:
        """The network of some nodes and all edges between them.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@karate").subnetwork([1, 2, 3]).n_edges
        3
        """
        return self._derived(self._core.part(np.unique(self.index(list(ids))).astype(np.uint32)))

    def unweighted(self) -> Network:
        """The same network without weights.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@lesmis").unweighted().is_weighted
        False
        """
        return self._derived(self._core.unweighted())

    def rewired(
        self, random_state: RandomState = None, *, proposals: int = _ergodict.DEFAULT_PROPOSALS
    ) -> Network:
        """A random network with the same degrees, as ``ergodict network generate rewired`` makes it.

        Two random edges exchange ends, over and over; exchanges that would make a loop or a repeated edge are
        rejected. Ids, degrees (in- and out-degrees of a directed network) and loops are kept, and so is the
        multiset of weights, which are put on the edges in random order. So are the sides of a bipartite network with
        cycles, in which no edge leaves its component unless all arcs lead from one kind of nodes to another.
        Structure that a rewired network lacks is not explained by the degrees.

        Parameters
        ----------
        random_state : int, Generator or None
            The seed.
        proposals : int
            Proposed exchanges per edge.

        Returns
        -------
        Network
            The rewired network.

        Examples
        --------
        >>> import ergodict
        >>> karate = ergodict.Network("@karate")
        >>> null = karate.rewired(random_state=0)
        >>> null.degree([1, 34]), null == karate
        (array([16, 17]), False)
        """
        proposals = _check.count(proposals, "proposals", 1)
        return self._derived(_ergodict.rewire(self._core, proposals, seed_of(random_state)))

    def corrupt(
        self,
        *,
        add: Optional[float] = None,
        remove: Optional[float] = None,
        add_model: str = "er",
        random_state: RandomState = None,
    ) -> tuple[Network, dict[str, npt.NDArray[Any]]]:
        """The network with false edges added or true ones removed, and the pairs to score, as ``ergodict
        network corrupt`` makes them.

        The largest component of the simple network is taken: no directions, weights or loops.

        Parameters
        ----------
        add, remove : float
            The share of the edges; one of them.
        add_model : {"er", "ws", "ba"}
            Where added edges come from.
        random_state : int, Generator or None
            The seed.

        Returns
        -------
        observed : Network
            The corrupted network.
        truth : dict of arrays
            ``u`` and ``v``, ids of the pairs to score; ``label``, 1 for true edges and 0 for false ones;
            ``kind``, where a pair is from.

        Examples
        --------
        >>> import ergodict
        >>> observed, truth = ergodict.Network("@karate").corrupt(add=0.5, random_state=0)
        >>> observed.n_edges, int(truth["label"].sum())
        (117, 78)
        """
        if (add is None) == (remove is None):
            raise ValueError("give either add or remove, a share such as 0.5: one of them, not both")
        seed = seed_of(random_state)
        core, u, v, labels, kinds = _ergodict.corrupt(self._core, add, remove, add_model, seed)
        observed = self._derived(core)
        ids = {"u": observed.ids(u), "v": observed.ids(v)}
        return observed, {**ids, "label": labels, "kind": np.array(kinds, dtype=object)}

    # To other things.

    def to_edges(
        self, ids: bool = True
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any], Optional[npt.NDArray[np.float64]]]:
        """Both ends of every edge as arrays of ids (or numbers), and their weights, None for an unweighted
        network.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network([("a", "b"), ("b", "c")]).to_edges(ids=False)
        (array([0, 1]), array([1, 2]), None)
        """
        u, v, weights = self._core.edges()
        ends = (self.ids(u), self.ids(v)) if ids else (u.astype(np.int64), v.astype(np.int64))
        return (*ends, weights if self.is_weighted else None)

    def to_networkx(self) -> Any:
        """A networkx Graph or DiGraph, with the edge attribute ``weight`` if there are weights.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@karate").to_networkx().number_of_edges()
        78
        """
        return convert_to.networkx_graph(self)

    def to_igraph(self) -> Any:
        """An igraph Graph, with the vertex attribute ``name`` unless ids are numbers, and the edge attribute
        ``weight`` if there are weights.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@karate").to_igraph().ecount()
        78
        """
        return convert_to.igraph_graph(self)

    def to_rustworkx(self) -> Any:
        """A rustworkx PyGraph or PyDiGraph: ids are payloads of nodes, weights of edges (None without).

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@karate").to_rustworkx().num_edges()
        78
        """
        return convert_to.rustworkx_graph(self)

    def to_scipy(self) -> Any:
        """The adjacency matrix, a scipy.sparse.csr_array in the order of the nodes.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network([(0, 1)]).to_scipy().toarray()
        array([[0., 1.],
               [1., 0.]])
        """
        return convert_to.scipy_matrix(self)

    def to_pandas(self) -> Any:
        """A pandas table of edges; nodes without edges are not in it.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@lesmis").to_pandas().columns.tolist()
        ['source', 'target', 'weight']
        """
        return convert_to.pandas_table(self)

    def to_polars(self) -> Any:
        """A polars table of edges; nodes without edges are not in it.

        Examples
        --------
        >>> import ergodict
        >>> ergodict.Network("@karate").to_polars().shape
        (78, 2)
        """
        return convert_to.polars_table(self)

    def report(self, path: Path, name: Optional[str] = None) -> pathlib.Path:
        """Write the report of ``ergodict network info``: measures, degrees, how it was read, and the samplers that are valid on it.

        Parameters
        ----------
        path : str or path-like
            Path of the report, ending in ``.html``. Written completely or not at all, never over an input file.
        name : str, optional
            What the network is called; by default as its file, or ``network``.

        Returns
        -------
        pathlib.Path
            Path of the report.

        Examples
        --------
        >>> import ergodict, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = ergodict.Network("@karate").report(os.path.join(folder, "karate.html")).read_text(encoding="utf-8")
        >>> "Network @karate" in page
        True
        """
        self._core.report(_check.page(path), None if name is None else _check.word(name, "name"))
        return pathlib.Path(path)

    def write(self, path: Path) -> None:
        """Writes ``.egr``, ``.mtx``, ``.npz``, ``.graphml``, ``.json`` (node-link), or else an edge list (also
        ``.gz`` or ``.zst``), completely or not at all. What the format cannot store is a UserWarning; ids that are neither integers nor strings are
        written as their text.

        Examples
        --------
        >>> import ergodict, os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "karate.txt")
        ...     ergodict.Network("@karate").write(path)
        ...     ergodict.Network(path) == ergodict.Network("@karate")
        True
        """
        convert_to.file(self, os.fspath(path))


def as_network(data: Any) -> Network:
    """`data` as a :class:`Network`, which it may be already.

    Parameters
    ----------
    data : Network, or anything it is made from
        What to take for a network.

    Returns
    -------
    Network
        `data` itself if it is one.

    Examples
    --------
    >>> import ergodict
    >>> ergodict.as_network("@karate")
    Network(34 nodes, 78 edges, undirected, unweighted)
    """
    return data if isinstance(data, Network) else Network(data)


def networks() -> dict[str, dict[str, Any]]:
    """The embedded networks by name: numbers of nodes and edges, what they are, and where the data were
    published.

    Returns
    -------
    dict of str to dict
        By the names that stand for them wherever a network is wanted: `nodes`, `edges`, `description`, `citation`.

    Examples
    --------
    >>> import ergodict
    >>> sorted(ergodict.networks())
    ['@davis', '@florentine', '@karate', '@kite', '@lesmis']
    """
    keys = ("nodes", "edges", "description", "citation")
    return {name: dict(zip(keys, facts)) for name, *facts in _ergodict.embedded_networks()}
