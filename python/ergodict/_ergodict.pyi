"""Types of the extension module."""

from collections.abc import Callable
from os import PathLike
from typing import Any, Optional, Union, final

import numpy as np
import numpy.typing as npt

__version__: str

_Integers = npt.NDArray[np.int64]
_Numbers = npt.NDArray[np.uint32]
_Floats = npt.NDArray[np.float64]
_Progress = Optional[Callable[[int, int, Optional[float]], None]]

# Networks.

@final
class Network:
    @staticmethod
    def read(
        path: Union[str, PathLike[str]],
        directed: Optional[bool] = None,
        weighted: Optional[bool] = None,
        loops: bool = False,
    ) -> Network: ...
    @staticmethod
    def of_integers(
        u: _Integers,
        v: _Integers,
        weights: Optional[_Floats] = None,
        isolated: Optional[_Integers] = None,
        said: Optional[bool] = None,
        directed: Optional[bool] = None,
        weighted: Optional[bool] = None,
        loops: bool = False,
    ) -> Network: ...
    @staticmethod
    def of_numbers(
        n: int,
        u: _Numbers,
        v: _Numbers,
        weights: Optional[_Floats] = None,
        names: Optional[list[str]] = None,
        said: Optional[bool] = None,
        directed: Optional[bool] = None,
        weighted: Optional[bool] = None,
        loops: bool = False,
    ) -> Network: ...
    @staticmethod
    def of_matrix(
        shape: tuple[int, int],
        rows: _Numbers,
        columns: _Numbers,
        entries: Optional[_Floats],
        directed: Optional[bool] = None,
        weighted: Optional[bool] = None,
        loops: bool = False,
    ) -> Network: ...
    @property
    def decisions(self) -> Optional[str]: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    @property
    def n_loops(self) -> int: ...
    @property
    def is_directed(self) -> bool: ...
    @property
    def is_weighted(self) -> bool: ...
    def names(self) -> Union[None, _Integers, list[Any]]: ...
    def edges(self) -> tuple[_Numbers, _Numbers, _Floats]: ...
    def csr(self) -> tuple[_Integers, _Numbers, Optional[_Floats]]: ...
    def degrees(self, incoming: bool = False) -> _Integers: ...
    def strengths(self, incoming: bool = False) -> _Floats: ...
    def neighbors(self, node: int, incoming: bool = False) -> _Numbers: ...
    def weight(self, u: int, v: int) -> float: ...
    def components(self) -> _Numbers: ...
    def part(self, nodes: _Numbers) -> Network: ...
    def unweighted(self) -> Network: ...
    def summary(self) -> str: ...
    def write(self, path: Union[str, PathLike[str]]) -> Optional[str]: ...
    def same(self, other: Network) -> bool: ...

def order_of_names(names: list[str]) -> Optional[_Numbers]: ...
def embedded_networks() -> list[tuple[str, int, int, str, str]]: ...
def generate(model: str, parameters: dict[str, Any], seed: int) -> Network: ...
def corrupt(
    network: Network, added: Optional[float], removed: Optional[float], add_model: str, seed: int
) -> tuple[Network, _Numbers, _Numbers, npt.NDArray[np.uint8], list[str]]: ...

# Samplers.

@final
class Sampler:
    def __new__(
        cls,
        network: Network,
        name: Optional[str],
        edges: Optional[list[tuple[int, int]]],
        k: Optional[int],
        sampler: Optional[str],
        injective: bool,
        burn_in: int,
        every: int,
        chains: int,
        largest: bool,
        lazy: Optional[bool],
        seed: int,
        n_jobs: Optional[int],
    ) -> Sampler: ...
    @property
    def k(self) -> int: ...
    @property
    def motif(self) -> str: ...
    @property
    def edges(self) -> list[tuple[int, int]]: ...
    @property
    def sampler(self) -> str: ...
    @property
    def independent(self) -> bool: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def bits(self) -> bool: ...
    @property
    def drawn(self) -> int: ...
    @property
    def acceptance(self) -> tuple[int, int]: ...
    @property
    def rate(self) -> Optional[float]: ...
    @property
    def state(self) -> str: ...
    def draw(self, count: int, n_jobs: Optional[int], progress: _Progress) -> _Integers: ...
    def draw_patches(
        self, count: int, n_jobs: Optional[int], progress: _Progress
    ) -> tuple[_Integers, _Floats]: ...
    def measure(
        self,
        count: int,
        density: bool,
        macc: bool,
        larger: Optional[str],
        larger_edges: Optional[list[tuple[int, int]]],
        n_jobs: Optional[int],
        progress: _Progress,
    ) -> str: ...
    def seek(self, state: str) -> None: ...
