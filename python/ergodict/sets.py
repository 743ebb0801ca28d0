"""Sets that a dictionary must lie in: unions, balls around a center, projections of the user's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union as _Either

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _ergodict

__all__ = ["NAMES", "Near", "Projection", "Union"]

#: The sets of atoms that have names; all but ``"free"`` also with ``:SIZE``.
NAMES: tuple[str, ...] = tuple(_ergodict.set_names())


class Near:
    """Dictionaries within a distance of a center.

    Parameters
    ----------
    center : array-like of shape (n_components, n_features)
        The center, an atom a row.
    radius : float
        The largest Frobenius distance of the dictionary from it.
    nonnegative : bool, default=False
        Whether the entries must be nonnegative too; those of the center must be then.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import OnlineDictionary
    >>> from ergodict.sets import Near
    >>> center = np.eye(2, 3)
    >>> model = OnlineDictionary(2, dictionary=Near(center, 0.1), random_state=0)
    >>> model = model.fit(np.random.default_rng(0).normal(size=(50, 3)))
    >>> bool(np.linalg.norm(model.components_ - center) <= 0.1 + 1e-12)
    True
    """

    def __init__(self, center: ArrayLike, radius: float, nonnegative: bool = False) -> None:
        self.center = center
        self.radius = radius
        self.nonnegative = nonnegative

    def __repr__(self) -> str:
        return f"Near({self.center!r}, {self.radius!r}, nonnegative={self.nonnegative!r})"

    def _spec(self, atoms: int, features: int) -> object:
        center = np.array(self.center, dtype=np.float64, order="C", ndmin=2)
        if center.shape != (atoms, features):
            raise ValueError(
                f"the center of a dictionary set is {_shape(center)}, but {atoms}×{features} is needed"
            )
        if not np.isfinite(center).all():
            raise ValueError("the center of a dictionary set holds NaN or an infinity")
        return ("near", center, float(self.radius), bool(self.nonnegative))


class Projection:
    """The set of a projection that is a Python function.

    Parameters
    ----------
    function : callable
        Maps an atom, an array of shape (n_features,), to the nearest one of the set; or, when `whole`, the dictionary of shape
        (n_components, n_features). What it returns has the same shape; None means that the array was changed in place. It must be a
        projection onto a closed convex set: the methods rely on it.
    whole : bool, default=False
        Whether it takes the whole dictionary.
    name : str, default=None
        What to call it in model files and messages; its own name if None.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import OnlineDictionary
    >>> from ergodict.sets import Projection
    >>> halves = Projection(lambda atom: np.clip(atom, 0.0, 0.5))
    >>> model = OnlineDictionary(2, dictionary=halves, code="nonneg", random_state=0)
    >>> model = model.fit(np.random.default_rng(0).random((50, 3)))
    >>> bool(model.components_.max() <= 0.5)
    True
    """

    def __init__(
        self, function: Callable[[NDArray[np.float64]], Any], whole: bool = False, name: Optional[str] = None
    ) -> None:
        self.function = function
        self.whole = whole
        self.name = name

    def __repr__(self) -> str:
        return f"Projection({self.function!r}, whole={self.whole!r}, name={self.name!r})"

    def _spec(self, atoms: int, features: int) -> object:
        if not callable(self.function):
            raise TypeError(f"the function of a Projection is {self.function!r}, but it must be callable")
        name = self.name or getattr(self.function, "__name__", type(self.function).__name__)
        return ("projection", str(name), self.function, bool(self.whole), features)


class Union:
    """A disjoint union of convex sets, searched under the ellipsoid condition of the paper.

    Parameters
    ----------
    sets : sequence of str, Near or Projection
        The pieces: names as ``dictionary`` takes them, or objects of this module.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import OnlineDictionary
    >>> from ergodict.sets import Near, Union
    >>> here, there = np.eye(2, 3), np.eye(2, 3)[:, ::-1]
    >>> model = OnlineDictionary(2, dictionary=Union([Near(here, 0.1), Near(there, 0.1)]), random_state=0)
    >>> model.fit(np.random.default_rng(0).normal(size=(50, 3))).piece_ in (0, 1)
    True
    """

    def __init__(self, sets: Sequence[_Either[str, Near, Projection]]) -> None:
        self.sets = sets

    def __repr__(self) -> str:
        return f"Union({list(self.sets)!r})"

    def _spec(self, atoms: int, features: int) -> object:
        return ("union", [spec_of(one, atoms, features) for one in self.sets])


#: What `dictionary` may be.
DictionarySet = _Either[str, Near, Projection, Union]


def spec_of(dictionary: object, atoms: int, features: int) -> object:
    """What the extension takes for a set."""
    if isinstance(dictionary, str):
        return dictionary
    if isinstance(dictionary, (Near, Projection, Union)):
        return dictionary._spec(atoms, features)
    raise TypeError(
        f"the dictionary set is {dictionary!r}, but it must be a name such as 'nonneg-ball', or a Near, Projection or Union"
    )


def _shape(array: NDArray[Any]) -> str:
    return "×".join(map(str, array.shape)) if math.prod(array.shape) else "empty"
