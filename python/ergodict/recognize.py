"""Recognizes what a network is given as."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Optional

import numpy as np

from . import _check, _ergodict, convert
from ._nodes import Nodes
from ._warn import warn
from .convert import Made, Options, Weight


def read(path: str, options: Options, **table: Any) -> _ergodict.Network:
    """A network of a file, or an embedded one; `table` has the settings of reading a table."""
    try:
        network = _ergodict.Network.read(path, **options.keywords(), **table)
    except FileNotFoundError as error:
        words = (
            f"{path}: file not found; expected {_ergodict.NETWORK_FORMATS}, or a "
            "name such as @karate (`ergodict.networks()` has them all)"
        )
        raise FileNotFoundError(error.errno, words) from None
    for words in network.warnings:
        warn(f"{os.path.basename(path)}: {words}")
    return network


def _leave_out(what: str, **given: object) -> None:
    """Refuses arguments that have nothing to say of what is given."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} is given, but it has no meaning for {what}: leave it out")


def again(network: Nodes, options: Options) -> Made:
    """A network as it is, or with other options."""
    core, own = network._core, network._own
    names = core.names()
    own = None if isinstance(names, list) else own
    other = options.directed not in (None, network.is_directed)
    if options.weighted and not network.is_weighted:
        raise ValueError("the network has no weights, which are wanted")
    loops = options.loops is False and network.n_loops > 0
    if options.weighted is False and not other and not loops:
        return core.unweighted(), own
    if not other and not loops:
        return core, own
    u, v, weights = core.edges()
    if loops:
        kept = u != v
        u, v, weights = u[kept], v[kept], weights[kept]
    keep = weights if network.is_weighted and options.weighted is not False else None
    said = network.is_directed
    directed = said if options.directed is None else options.directed
    return convert.numbered(network.n_nodes, u, v, keep, said, names, directed=directed), own


def recognized(
    data: Any,
    weight: Weight,
    nodes: Optional[Iterable[Hashable]],
    source: Optional[str],
    target: Optional[str],
    options: Options,
    header: Optional[str] = None,
    format: Optional[str] = None,
    ids: Optional[bool] = None,
) -> Made:
    """A network of whatever is given."""
    from .changing import ChangingNetwork

    # Columns have numbers from 1, too.
    source, target = (str(at) if isinstance(at, int) and isinstance(data, (str, os.PathLike)) else at for at in (source, target))
    columns, of_file = {"source": source, "target": target}, {"header": header, "format": format}
    module = type(data).__module__.partition(".")[0]
    table = module in ("pandas", "polars") and hasattr(data, "join")
    if isinstance(data, np.ma.MaskedArray) and np.any(np.ma.getmaskarray(data)):
        raise ValueError("the array has masked entries, but a network has numbers: fill them first, as with filled(0)")
    if hasattr(data, "__array__") and module not in ("pandas", "polars", "scipy") and not hasattr(data, "adj"):
        # Tensors of other libraries, too, whose entries would otherwise be nodes by their identity.
        data = np.asarray(data)
    sequence = isinstance(data, (list, tuple))
    if not isinstance(data, (str, os.PathLike)):
        of_networkx = hasattr(data, "is_directed") and hasattr(data, "adj")
        _leave_out("what is no file", header=header, ids=None if of_networkx else ids)
        if table or sequence or isinstance(data, np.ndarray):
            format = None if format is None else _check.choice(format, "format", ("auto", "edges", "adjacency"))
        else:
            _leave_out("what is no file, table, array or list", format=format)
    if isinstance(data, ChangingNetwork):
        data = data.snapshot()
    if isinstance(data, Nodes):
        _leave_out("a Network", weight=weight, nodes=nodes, **columns)
        return again(data, options)
    if isinstance(data, (str, os.PathLike)):
        if weight is not None and not isinstance(weight, str):
            raise TypeError("weight must be the name of a column of the file")
        if os.fspath(data).startswith("@"):
            _leave_out("an embedded network", weight=weight, **columns, **of_file, ids=ids)
        _leave_out("a file or an embedded network", nodes=nodes)
        return read(os.fspath(data), options, weight=weight, **columns, **of_file, ids=bool(ids)), None
    if isinstance(data, np.ndarray):
        _leave_out("an array", **columns)
        return convert.of_array(np.asarray(data), weight, nodes, options, format)
    if module == "scipy" or hasattr(data, "tocoo"):
        _leave_out("a matrix", weight=weight, nodes=nodes, **columns)
        return convert.of_scipy(data, options)
    if table:
        return convert.of_table(data, source, target, weight, nodes, options, format)
    graph = hasattr(data, "get_edgelist") or hasattr(data, "node_indices") or hasattr(data, "is_directed") and hasattr(data, "adj")
    if graph or module in ("igraph", "rustworkx"):
        _leave_out("a graph, which has its nodes", nodes=nodes, **columns)
    if module == "igraph" or hasattr(data, "get_edgelist"):
        return convert.of_igraph(data, weight, options)
    if module == "rustworkx" or hasattr(data, "node_indices"):
        return convert.of_rustworkx(data, weight, options)
    if hasattr(data, "is_directed") and hasattr(data, "adj"):
        return convert.of_networkx(data, weight, options, ids)
    if isinstance(data, dict):
        _leave_out("a dictionary", **columns)
        return convert.of_dict(data, weight, nodes, options)
    if isinstance(data, (list, tuple, set, frozenset, zip, Iterator)) or hasattr(data, "__iter__"):
        if not isinstance(data, (bytes, bytearray)):
            _leave_out("a list of edges", **columns)
            return convert.of_list(data, weight, nodes, options, format)
    raise TypeError(
        f"{type(data).__name__} is no network: expected a graph of networkx, igraph or rustworkx, a scipy or "
        "numpy matrix, edges, a table, the path of a file or a name such as @karate"
    )
