"""Types of the extension module; `cargo xtask test python` checks them against it."""

from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Network", "__version__"]

__version__: str

@final
class Network:
    @staticmethod
    def read(path: str | PathLike[str]) -> Network: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    def edges(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]: ...
