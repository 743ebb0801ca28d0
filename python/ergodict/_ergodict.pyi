"""Types of the extension module."""

from collections.abc import Callable
from typing import Any, Optional, final

import numpy as np
from numpy.typing import NDArray

__version__: str

# The factorisation: factor, model, sets.

@final
class Factoriser:
    def __new__(
        cls, options: dict[str, object], dictionary: object, features: int, single: bool, init: object, seed: int
    ) -> Factoriser: ...
    def push(self, x: object) -> int: ...
    def step(
        self, x: object, weight: Optional[float] = None, missing: bool = False, n_jobs: Optional[int] = None
    ) -> dict[str, Any]: ...
    def fit(
        self,
        x: object,
        batch: int,
        epochs: int,
        shuffle: bool,
        holdout: float,
        seed: int,
        missing: bool,
        n_jobs: Optional[int] = None,
        progress: Optional[Callable[..., object]] = None,
        callback: Optional[Callable[..., object]] = None,
    ) -> None: ...
    def transform(
        self,
        x: object,
        missing: bool = False,
        n_jobs: Optional[int] = None,
        progress: Optional[Callable[..., object]] = None,
    ) -> NDArray[Any]: ...
    def losses(
        self,
        x: object,
        missing: bool = False,
        n_jobs: Optional[int] = None,
        progress: Optional[Callable[..., object]] = None,
    ) -> NDArray[np.float64]: ...
    def statistics(
        self, x: object, missing: bool = False, n_jobs: Optional[int] = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float, float]: ...
    def absorb(
        self, a: NDArray[np.float64], b: NDArray[np.float64], r: float, samples: float
    ) -> dict[str, Any]: ...
    def save(
        self,
        path: str,
        init: str,
        batch: int,
        epochs: int,
        shuffle: bool,
        holdout: float,
        missing: bool,
        how: str,
        feature_names: Optional[list[str]] = None,
    ) -> None: ...
    @staticmethod
    def load(path: str, dictionary: Optional[object] = None) -> Factoriser: ...
    @staticmethod
    def _restore(bytes: bytes, dictionary: object, rest: str) -> Factoriser: ...
    @property
    def dictionary(self) -> NDArray[Any]: ...
    @property
    def aggregates(self) -> dict[str, Any]: ...
    @property
    def history(self) -> dict[str, NDArray[Any]]: ...
    @property
    def surrogate(self) -> float: ...
    @property
    def dominance(self) -> NDArray[np.float64]: ...
    @property
    def steps(self) -> int: ...
    @property
    def epochs(self) -> int: ...
    @property
    def features(self) -> int: ...
    @property
    def atoms(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def single(self) -> bool: ...
    @property
    def piece(self) -> int: ...
    @property
    def held_out_loss(self) -> Optional[float]: ...
    @property
    def negative(self) -> bool: ...
    @property
    def unused(self) -> int: ...
    @property
    def header(self) -> str: ...

def minibatches(samples: int, batch: int, epochs: int, shuffle: bool, holdout: float, seed: int) -> int: ...
def _address_of(x: object) -> Optional[int]: ...
def _defaults() -> str: ...

# Networks.

@final
class Network:
    @staticmethod
    def read(path: str) -> Network: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    def edges(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]: ...
