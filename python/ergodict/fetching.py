"""Public networks, fetched from their publishers."""

from __future__ import annotations

import os
from typing import Optional, Union

from . import _ergodict
from ._progress import progress
from .network import Network, Path


def fetch_network(
    name: str,
    folder: Path = ".",
    *,
    source: Optional[Union[str, os.PathLike[str]]] = None,
    keep: bool = False,
    unchecked: bool = False,
    verbose: bool = False,
) -> Network:
    """A public network, from a local file or downloaded from its publisher.

    The network is simple, undirected and without weights; its nodes are numbered 0, 1, … by the rank of the
    publisher's ids. It is checked by its nodes, its edges and the SHA-256 of its list of edges, so that the
    name means the same network everywhere. The file, ``NAME.txt.gz``, is the one that
    ``ergodict network fetch`` writes.

    Parameters
    ----------
    name : str
        ``"facebook"``, ``"arxiv"``, ``"ppi_pathways"``, ``"enron"`` or ``"twitter"``.
    folder : str or path-like
        Folder of the file; created if missing.
    source : str or path-like, optional
        Another address of the publisher's file, or the file itself, or the folder it is in: the way without
        a network. By default the publisher's address.
    keep : bool
        Whether the publisher's file is kept too, in the same folder.
    unchecked : bool
        Whether something else than the known network is taken as well.
    verbose : bool
        Whether to show progress.

    Returns
    -------
    Network
        The network, checked by its content.

    Raises
    ------
    RuntimeError
        When the package was built without the feature ``fetch``, the default.
    OSError
        When the file cannot be had, with what to do where there is no network.
    ValueError
        For an unknown name, a file that cannot be read, and another network than the known one.

    Examples
    --------
    With a network, ``ergodict.fetch_network("facebook")``. From a file, here one that is no such network:

    >>> import pathlib, tempfile, ergodict
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "by-hand.txt").write_text("17 4\\n4 99\\n")
    >>> ergodict.fetch_network("facebook", folder, source=folder / "by-hand.txt", unchecked=True)
    Network(3 nodes, 2 edges, undirected, unweighted)
    """
    folder, place = os.fspath(folder), None if source is None else os.fspath(source)
    if not hasattr(_ergodict, "fetch_network"):
        raise RuntimeError(
            "ergodict was built without `fetch`, which downloads public networks: in a clone of its sources, "
            "`MATURIN_PEP517_ARGS='--features fetch' pip install .` adds it"
        )
    os.makedirs(folder, exist_ok=True)
    with progress(verbose, f"fetching {name}", unit="byte") as show:
        core = _ergodict.fetch_network(name, folder, place, keep, unchecked, show)
    return Network._of(core)
