"""Reports: where a page goes, and what the network of a result is called on it."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any, Optional, Union

from . import _check, _networks
from .network import Network

Path = Union[str, "os.PathLike[str]"]


def written(path: Path, write: Callable[[str], None], model: Optional[str] = None) -> pathlib.Path:
    """Writes a page by the function given, whole or not at all, and not over the model file that it is of; where it is."""
    write(_check.page(path, (model,)))
    return pathlib.Path(path)


def about(network: Network, name: str, digest: str) -> dict[str, Any]:
    """What the extension is told of the network of a result; ids that it does not know are shown as they are here."""
    labels = None if _networks.is_native(network) else [str(node) for node in network.nodes]
    return {"name": name, "digest": digest, "labels": labels}
