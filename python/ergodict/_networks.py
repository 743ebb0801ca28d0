"""Networks as callers give them: one or several, with their names, and with ids that mean the same node in all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy as np
from sklearn.exceptions import DataConversionWarning

from . import _check, _ergodict
from ._warn import warn
from .network import Network, as_network

#: A network with what it is called, and what is known of the file it came from.
Named = tuple[Network, str, str]


def named(data: Any, number: int = 0) -> Named:
    """A network of whatever is given, with a name."""
    network = as_network(data)
    source = network._core.source
    if source is not None:
        return network, *source
    name = os.path.basename(data) if isinstance(data, (str, os.PathLike)) else getattr(data, "name", None)
    given = name if isinstance(name, str) and name else f"network {number + 1}" if number else "network"
    return network, given, ""


def several(data: Any) -> list[Named]:
    """The networks of a list of them, or one of anything else that is a network."""
    # scikit-learn splits lists of objects into arrays of them.
    objects = isinstance(data, np.ndarray) and data.dtype == object and data.ndim == 1
    many = objects or isinstance(data, Iterator) or isinstance(data, (list, tuple)) and not _are_edges(data)
    if not many:
        return [named(data)]
    found = list(data)
    if not found:
        raise ValueError("no network is given")
    return [named(one, at) for at, one in enumerate(found)]


def weighed(
    given: list[Named], weighted: object, weights: object, notes: Optional[list[str]] = None, *, required: bool = True
) -> list[Named]:
    """The networks as they are learned from: without weights, unless they are asked for, and then `required`."""
    use, scale = _check.flag(weighted, "weighted"), _check.choice(weights, "weights", ("linear", "log", "rank"))
    if scale != "linear" and not use:
        raise ValueError(f'weights="{scale}" needs weighted=True')
    found = []
    for network, name, digest in given:
        if use and required and not network._core.with_weights:
            raise ValueError(f"{name}: has no weights, which are wanted (weighted=False)")
        core, note = network._core.weighed(use, scale)
        found.append((network if note is None and scale == "linear" else network._derived(core), name, digest))
        if note is not None and notes is not None:
            notes.append(f"{name}: {note}")
    return found


def _are_edges(data: Union[list[Any], tuple[Any, ...]]) -> bool:
    """Whether a list is one of edges: rows of two or three things that are no networks themselves.

    A list of pairs within a list is a network of its own. Edges between ids that are pairs themselves are tuples of tuples.
    """
    def is_pair(one: Any) -> bool:
        return isinstance(one, (tuple, list)) and len(one) in (2, 3)

    def is_edge(row: Any) -> bool:
        if not is_pair(row) or any(isinstance(one, Network) for one in row):
            return False
        return not (isinstance(row, list) and all(map(is_pair, row)))

    return len(data) > 0 and all(is_edge(row) for row in data)


def is_native(network: Network) -> bool:
    """Whether the extension knows nodes by the ids they have here."""
    return network._own is None or isinstance(network._core.names(), list)


def in_common(networks: list[Network], numbers: dict[Any, int]) -> list[_ergodict.Network]:
    """The networks with names that mean the same node in all, so that chains can continue from one to the next.

    `numbers` are those of ids that are neither all integers nor all strings, of networks before, too; new ones are added.
    """
    if not numbers and all(map(is_native, networks)):
        return [one._core for one in networks]
    made = []
    for one in networks:
        places = np.array([numbers.setdefault(node, len(numbers)) for node in one.nodes], dtype=np.int64)
        u, v, weights = one._core.edges()
        made.append(
            _ergodict.Network.of_integers(
                places[u], places[v], weights if one.is_weighted else None, places, one.is_directed,
                directed=one.is_directed, loops=True,
            )
        )
    return made


def warn_of_parts(notes: list[str]) -> None:
    """Warns of a network of which only a part was looked at, and of weights that are ignored: of several networks once."""
    for kind in ("the largest of", "weights are ignored"):
        found = [note for note in notes if kind in note]
        if found:
            more = f", and the same of {len(found) - 1} more" if len(found) > 1 else ""
            warn(found[0] + more, DataConversionWarning)
