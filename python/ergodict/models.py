"""Model files: what the command line writes opens here, and the other way round."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, Optional, TypeVar, Union

import numpy as np

from ._ergodict import Factoriser
from ._online import OnlineEstimator
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
    header = json.loads(core.header)
    reader = READERS.get(header["kind"])
    if reader is not None:
        return reader(path, dictionary)
    parameters = header["parameters"]
    nonnegative = parameters["dictionary"].startswith("nonneg") and parameters["code"] == "nonneg"
    return _made(core, header, dictionary, OnlineNMF if nonnegative else OnlineDictionary)


def read(path: Union[str, os.PathLike[str]], dictionary: Any, kind: type[Estimator]) -> Estimator:
    """A model file as an estimator of this class."""
    core = _opened(path, dictionary)
    return _made(core, json.loads(core.header), dictionary, kind)


def _opened(path: Union[str, os.PathLike[str]], dictionary: Any) -> Factoriser:
    name = os.fspath(path)
    if dictionary is None:
        return Factoriser.load(name)
    atoms, features = _shape(name)
    return Factoriser.load(name, spec_of(dictionary, atoms, features))


def _shape(name: str) -> tuple[int, int]:
    """Atoms and features of a model file; zeros where it cannot be read, which opening it will tell."""
    try:
        with open(name, "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            features, atoms = json.loads(file.read(min(size, 1 << 28)))["W"]["shape"]
            return int(atoms), int(features)
    except (OSError, ValueError, KeyError, TypeError):
        return 0, 0


def _made(core: Factoriser, header: dict[str, Any], dictionary: Any, kind: type[Estimator]) -> Estimator:
    p, run = header["parameters"], header["run"]
    config = run.get("config") if isinstance(run, dict) else None
    config = config if isinstance(config, dict) else {}
    # A first dictionary without a name was an array, which a file does not hold; `fit` then asks for it.
    init = config.get("init") or ("array" if config else "random")
    command = run.get("command", "factor") if isinstance(run, dict) else "factor"
    how = run.get("python", "fit" if command == "factor" else command) if isinstance(run, dict) else "fit"
    new: Callable[..., Estimator] = kind
    estimator = new(
        n_components=p["atoms"],
        alpha=p["lambda"] / 2.0,
        kappa1=p["kappa1"],
        kappa2=p["kappa2"],
        schedule=p["schedule"],
        dictionary=p["dictionary"] if dictionary is None else dictionary,
        code=p["code"],
        dict_init=init,
        normalise=p["normalise"],
        unused=p["unused"],
        solver=p["solver"],
        tol=p["tolerance"],
        dict_tol=p["dictionary-tolerance"],
        dict_sweeps=p["dictionary-sweeps"],
        batch_size=config.get("batch", 256),
        max_iter=config.get("epochs", 1),
        shuffle=config.get("shuffle", False),
        holdout=config.get("holdout", 0.0),
        missing=config.get("missing", False),
        random_state=header["seed"],
    )
    estimator.n_features_in_ = core.features
    names: Optional[list[str]] = header["feature_names"]
    if names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    estimator._keep(core, str(how))
    return estimator
