"""Networks as other libraries' graphs, matrices and tables, and as files."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import convert

if TYPE_CHECKING:
    from .network import Network


def _needs(package: str) -> ImportError:
    return ImportError(f"{package} is not installed: pip install ergodict[networks]")


def networkx_graph(network: Network) -> Any:
    """A Graph or DiGraph."""
    try:
        import networkx
    except ImportError:
        raise _needs("networkx") from None
    graph = networkx.DiGraph() if network.is_directed else networkx.Graph()
    graph.add_nodes_from(network.nodes)
    u, v, weights = network.to_edges()
    if weights is None:
        graph.add_edges_from(zip(u.tolist(), v.tolist()))
    else:
        graph.add_weighted_edges_from(zip(u.tolist(), v.tolist(), weights.tolist()))
    return graph


def igraph_graph(network: Network) -> Any:
    """A Graph; ids are names unless they are numbers."""
    try:
        import igraph
    except ImportError:
        raise _needs("igraph") from None
    u, v, weights = network.to_edges(ids=False)
    ends = np.column_stack((u, v)).tolist()
    graph = igraph.Graph(n=network.n_nodes, edges=ends, directed=network.is_directed)
    nodes = network.nodes
    if nodes != list(range(network.n_nodes)):
        graph.vs["name"] = nodes
    if weights is not None:
        graph.es["weight"] = weights.tolist()
    return graph


def rustworkx_graph(network: Network) -> Any:
    """A PyGraph or PyDiGraph without parallel edges."""
    try:
        import rustworkx
    except ImportError:
        raise _needs("rustworkx") from None
    kind = rustworkx.PyDiGraph if network.is_directed else rustworkx.PyGraph
    graph = kind(multigraph=False)
    graph.add_nodes_from(network.nodes)
    u, v, weights = network.to_edges(ids=False)
    payloads = [None] * len(u) if weights is None else weights.tolist()
    graph.add_edges_from(list(zip(u.tolist(), v.tolist(), payloads)))
    return graph


def scipy_matrix(network: Network) -> Any:
    """The matrix by rows."""
    import scipy.sparse

    starts, neighbors, weights = network._core.csr()
    data = np.ones(len(neighbors)) if weights is None else weights
    small = max(len(neighbors), network.n_nodes) < 2**31
    kind = np.int32 if small else np.int64
    parts = (data, neighbors.astype(kind), starts.astype(kind))
    matrix = scipy.sparse.csr_array(parts, shape=(network.n_nodes, network.n_nodes))
    matrix.has_sorted_indices = True
    return matrix


def _columns(network: Network) -> dict[str, Any]:
    u, v, weights = network.to_edges()
    columns = {"source": u, "target": v}
    return columns if weights is None else {**columns, "weight": weights}


def pandas_table(network: Network) -> Any:
    """A table of edges."""
    try:
        import pandas
    except ImportError:
        raise _needs("pandas") from None
    return pandas.DataFrame(_columns(network))


def polars_table(network: Network) -> Any:
    """A table of edges; ids of several kinds are objects."""
    try:
        import polars
    except ImportError:
        raise _needs("polars") from None

    def column(name: str, values: Any) -> Any:
        if values.dtype != object:
            return polars.Series(name, values)
        ids = values.tolist()
        words = all(isinstance(one, str) for one in ids)
        return polars.Series(name, ids, dtype=polars.String if words else polars.Object)

    return polars.DataFrame([column(name, values) for name, values in _columns(network).items()])


def file(network: Network, path: str) -> None:
    """A file in the format of its name."""
    core = network._core
    if network._own is not None and not isinstance(core.names(), list) and not _are_text(network):
        names = [str(one) for one in network.nodes]
        if len(set(names)) < len(names):
            raise ValueError("some ids have the same text, so that a file could not distinguish the nodes")
        u, v, weights = core.edges()
        given = weights if network.is_weighted else None
        options = convert.Options(loops=True)
        core, _ = convert.of_nodes(names, u, v, given, network.is_directed, options)
        words = "ids are neither integers nor strings: they are written as their text"
        warnings.warn(words, UserWarning, stacklevel=3)
    lost = core.write(path)
    if lost is not None:
        warnings.warn(f"{path}: {lost}", UserWarning, stacklevel=3)


def _are_text(network: Network) -> bool:
    """Whether the ids are the text of the integers that the network has as names."""
    return all(isinstance(one, str) for one in network._own or [])
