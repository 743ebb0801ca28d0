"""Parameters of network dictionaries, checked and in the form that the extension takes."""

from __future__ import annotations

import warnings
import numbers
import os
from collections.abc import Iterable, Iterator
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _ergodict
from ._options import flag, not_negative, real
from .network import Network, as_network

__all__ = [
    "MOST_CHAINS", "MOST_STEPS", "REBUILDING_CHAINS", "Named", "choice", "finite", "first_atoms", "flag", "in_common", "motif_of",
    "named", "not_negative", "real", "sampling", "scheme", "several", "single", "whole", "word",
]

#: Most chains, and most steps between two homomorphisms: as the command line has them.
MOST_CHAINS = 1 << 16
MOST_STEPS = 1 << 40
#: Chains that rebuild networks: enough for as many threads as most machines have.
REBUILDING_CHAINS = 8


def whole(name: str, value: object, least: int, expected: str, most: int = 2**63 - 1) -> int:
    """An integer from `least` to `most`; `expected` goes on from "but"."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} is {value!r}, but it must be an integer")
    if not least <= int(value) <= most:
        raise ValueError(f"{name} is {int(value)}, but {expected}")
    return int(value)


def finite(name: str, value: object) -> float:
    """A finite number."""
    number = real(name, value)
    if not np.isfinite(number):
        raise ValueError(f"{name} is {number}, but it must be a finite number")
    return number


def choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """One of some words."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, but it must be {', '.join(choices[:-1])} or {choices[-1]}")
    if value not in choices:
        raise ValueError(f"{name} is {value}, but it must be {', '.join(choices[:-1])} or {choices[-1]}")
    return value


def word(name: str, value: object) -> str:
    """A string, which the extension understands or refuses."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, but it must be a string")
    return value


def motif_of(motif: object) -> tuple[Optional[str], Optional[list[tuple[int, int]]]]:
    """The shape or file of a motif, or its edges."""
    if motif is None:
        return None, None
    if isinstance(motif, (str, os.PathLike)):
        return os.fspath(motif), None
    if not isinstance(motif, (Iterable, np.ndarray)):
        raise TypeError(f"motif is {motif!r}, but it must be a shape such as 'chain', a file or a list of edges")
    edges = []
    for edge in motif:
        ends = list(edge) if isinstance(edge, Iterable) and not isinstance(edge, str) else []
        if len(ends) != 2:
            raise ValueError(f"motif has the edge {edge!r}, but an edge is two numbers of nodes, counted from 0")
        name = "a node of the motif"
        expected = "nodes are numbered from 0"
        edges.append((whole(name, ends[0], 0, expected, 2**32 - 1), whole(name, ends[1], 0, expected, 2**32 - 1)))
    if not edges:
        raise ValueError("motif has no edge, but at least one is needed")
    return None, edges


def sampling(
    k: object = None,
    motif: object = None,
    sampler: object = None,
    injective: object = False,
    every: object = 1,
    burn_in: object = 0,
    chains: object = 1,
    component: object = "largest",
    lazy: object = None,
) -> dict[str, object]:
    """What the extension takes for motifs and samplers."""
    name, edges = motif_of(motif)
    steps = f"it must be at most {MOST_STEPS} steps: more would take days"
    return {
        "k": None if k is None else whole("k", k, 0, "it must be at least 2"),
        "motif": name,
        "edges": edges,
        "sampler": None if sampler is None else word("sampler", sampler),
        "injective": flag("injective", injective),
        "every": whole("every", every, 1, "it must be at least 1" if every == 0 else steps, MOST_STEPS),
        "burn_in": whole("burn_in", burn_in, 0, steps, MOST_STEPS),
        "chains": whole("chains", chains, 1, f"it must be between 1 and {MOST_CHAINS}", MOST_CHAINS),
        "component": choice("component", component, ("largest", "all")),
        "lazy": None if lazy is None else flag("lazy", lazy),
    }


def scheme(estimator: Any) -> dict[str, object]:
    """What the extension takes for the online scheme, from an estimator's parameters."""
    init = estimator.dict_init
    if isinstance(init, str) and init not in ("random", "data"):
        raise ValueError(f"dict_init is {init}, but it must be random, data or an array of atoms")
    few = "a dictionary has at least one"
    sweeps = whole("the number of dictionary sweeps", estimator.dict_sweeps, 1, "at least one is needed", 2**32 - 1)
    return {
        "atoms": whole("the number of atoms", estimator.n_components, 1, few),
        "lambda": 2.0 * not_negative("alpha", estimator.alpha),
        "kappa1": not_negative("kappa1", estimator.kappa1),
        "kappa2": not_negative("kappa2", estimator.kappa2),
        "schedule": word("schedule", estimator.schedule),
        "code": word("code", estimator.code),
        "dictionary": word("dictionary", estimator.dictionary),
        "normalise": choice("normalise", estimator.normalise, ("sum", "per-column")),
        "unused": choice("unused", estimator.unused, ("keep", "reseed")),
        "solver": choice("solver", estimator.solver, ("fast", "projected-gradient")),
        "tolerance": real("tol", estimator.tol),
        "dictionary_tolerance": real("dict_tol", estimator.dict_tol),
        "dictionary_sweeps": sweeps,
        "init": init if isinstance(init, str) else None,
        "f32": single(estimator.dtype),
    }


def single(dtype: Any) -> bool:
    """Whether calculations are in 32 bits."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found not in (np.dtype(np.float32), np.dtype(np.float64)) or dtype is None:
        raise ValueError(f"dtype is {dtype!r}, but it must be float32 or float64")
    return bool(found == np.dtype(np.float32))


def first_atoms(init: object, atoms: int, k: int) -> Optional[npt.NDArray[np.float64]]:
    """The atoms to start from, (r, k²), if they are given."""
    if isinstance(init, str):
        return None
    given = np.asarray(init, dtype=np.float64)
    if given.ndim == 3:
        given = given.reshape(len(given), -1)
    if given.ndim != 2 or given.shape != (atoms, k * k):
        shape = "×".join(map(str, np.asarray(init).shape))
        raise ValueError(f"dict_init is {shape}, but {atoms}×{k * k} is needed: a row for each atom")
    if not np.all(np.isfinite(given)):
        raise ValueError("dict_init holds NaN or an infinity, but every entry must be a finite number")
    return np.require(given, requirements=["C", "A"])


#: A network with what it is called, and what is known of the file it came from.
Named = tuple[Network, str, str]


def named(data: Any, number: int = 0) -> Named:
    """A network of whatever is given, with a name."""
    network = as_network(data)
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        return network, path if path.startswith("@") else os.path.basename(path), _ergodict.input_digest(path)
    name = getattr(data, "name", None)
    given = name if isinstance(name, str) and name else f"network {number + 1}" if number else "network"
    return network, given, ""


def several(data: Any) -> list[Named]:
    """The networks of a list of them, or one of anything else that is a network."""
    many = isinstance(data, Iterator) or isinstance(data, (list, tuple)) and not _are_edges(data)
    if not many:
        return [named(data)]
    found = list(data)
    if not found:
        raise ValueError("no network is given")
    return [named(one, at) for at, one in enumerate(found)]


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
    """The networks with names that mean the same node in all, so that chains can go on from one to the next.

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
    """Says aloud what only a part of a network was looked at: whoever does not read the notes would take it for the whole."""
    for note in notes:
        if note.startswith("the largest of"):
            warnings.warn(note, UserWarning, stacklevel=4)
