"""Model files: what the command line writes opens here, and the other way round."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, TypeVar, Union

import numpy as np

from ._ergodict import Factorizer
from ._online import OnlineEstimator
from ._record import Record
from .estimators import OnlineDictionary, OnlineNMF
from .sets import spec_of

__all__ = ["load"]

Estimator = TypeVar("Estimator", bound=OnlineEstimator)

#: Readers of kinds of models that are more than a dictionary: called with the path and the set.
READERS: dict[str, Callable[[Any, Any], Any]] = {}


def load(path: Union[str, os.PathLike[str]], dictionary: Any = None) -> Any:
    """Open a model file as the estimator it is a model of.

    Parameters
    ----------
    path : str or path-like
        A model file, written by an estimator or by the command line.
    dictionary : str, Near, Projection or Union, default=None
        The set of dictionaries, needed again where no name describes it.

    Returns
    -------
    estimator
        A fitted estimator: `OnlineNMF` where atoms and codes are nonnegative, otherwise `OnlineDictionary`, or the estimator of
        the model's kind.

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> import ergodict
    >>> model = ergodict.OnlineNMF(2, random_state=0).fit(np.ones((9, 4)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.safetensors")
    ...     model.save(path)
    ...     again = ergodict.load(path)
    >>> type(again).__name__, bool((again.components_ == model.components_).all())
    ('OnlineNMF', True)
    """
    core = _opened(path, dictionary)
    record = Record.read(core.header())
    reader = READERS.get(record.kind)
    if reader is not None:
        return reader(path, dictionary)
    nonnegative = record.scheme["dictionary"].startswith("nonneg") and record.scheme["code"] == "nonneg"
    return _made(core, record, dictionary, OnlineNMF if nonnegative else OnlineDictionary)


def read(path: Union[str, os.PathLike[str]], dictionary: Any, kind: type[Estimator]) -> Estimator:
    """A model file as an estimator of this class."""
    core = _opened(path, dictionary)
    return _made(core, Record.read(core.header()), dictionary, kind)


def _opened(path: Union[str, os.PathLike[str]], dictionary: Any) -> Factorizer:
    name = os.fspath(path)
    return Factorizer.load(name, set_of(name, dictionary))


def set_of(name: str, dictionary: Any) -> object:
    """What the extension takes for the set that a model file is opened with; none where the file has it."""
    return None if dictionary is None else spec_of(dictionary, *_shape(os.fspath(name)))


def _shape(name: str) -> tuple[int, int]:
    """Atoms and features of a model file; zeros where it cannot be read, which opening it reports."""
    try:
        with open(os.fspath(name), "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            features, atoms = json.loads(file.read(min(size, 1 << 28)))["W"]["shape"]
            return int(atoms), int(features)
    except (OSError, ValueError, KeyError, TypeError):
        return 0, 0


def _made(core: Factorizer, record: Record, dictionary: Any, kind: type[Estimator]) -> Estimator:
    new: Callable[..., Estimator] = kind
    estimator = new(
        # A first dictionary without a name was an array, which a file does not hold; `fit` then asks for it.
        **{"dict_init": "array" if record.config else "random", **record.parameters(dictionary)}
    )
    estimator.n_features_in_ = core.facts["features"]
    if record.feature_names is not None:
        estimator.feature_names_in_ = np.asarray(record.feature_names, dtype=object)
    estimator._keep(core, record.methods or ("fit" if record.command == "factor" else record.command))
    return estimator
