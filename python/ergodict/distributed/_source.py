"""The network that all workers open by its path, and whether it is the same for all of them."""

from __future__ import annotations

import hashlib
import os
import shlex
from typing import Any, NamedTuple

from .. import _ergodict

#: Bytes of the header of an .egr file, which holds the digest of all that follows.
_HEADER = 128


class Source(NamedTuple):
    """Where a network is, what it is called, and what distinguishes it from others."""

    path: str
    name: str
    digest: str


def digest_of(path: str) -> str:
    """What distinguishes a network from others, without reading all of its file: that of the header, which holds that of the contents."""
    path = os.fspath(path)
    if path.startswith("@"):
        # That is the version, which all embedded networks have in common.
        return f"{_ergodict.input_digest(path)} {path}"
    with open(path, "rb") as file:
        header = file.read(_HEADER)
    if not header.startswith(b"EGR") or len(header) < _HEADER:
        if path.endswith(".egr"):
            raise ValueError(f"{path}: is no .egr network, although it is called so, or it is cut off: convert it again with `ergodict network convert`")
        command = shlex.join(["ergodict", "network", "convert", path, "-o", f"{os.path.splitext(path)[0]}.egr"])
        raise ValueError(f"{path}: is no .egr network, and others cannot be shared between processes: make one with `{command}`")
    return f"egr:{hashlib.sha256(header).hexdigest()}"


def source(path: Any) -> Source:
    """The network at a path, which must be an .egr file or the name of an embedded network."""
    if not isinstance(path, (str, os.PathLike)):
        kind = type(path).__name__
        raise TypeError(f"path is a {kind}, but it must be the path of an .egr file, which every worker opens for itself")
    given = os.fspath(path)
    if given.startswith("@"):
        return Source(given, given, digest_of(given))
    whole = os.path.abspath(given)
    return Source(whole, os.path.basename(whole), digest_of(whole))
