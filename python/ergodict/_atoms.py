"""Atoms to reconstruct with: from estimators, arrays and model files."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict

__all__ = ["reconstruct_spins"]

#: What samples are patches of: rows, columns, whether on a torus and numbers at each place; of spins also what the numbers stand for and
#: the alphabet, as the extension counts it.
PatchKind = tuple[tuple[int, int, bool, int], Optional[tuple[str, int]]]


def dictionary_of(model: Any) -> _ergodict.PatchDictionary:
    """The atoms of a fitted estimator, an array or a model file, and how codes are found under them."""
    if isinstance(model, (str, os.PathLike)):
        return _ergodict.PatchDictionary.load(os.fspath(model))
    parameters: dict[str, Any] = {}
    if hasattr(model, "get_params"):
        if not hasattr(model, "components_"):
            raise ValueError(f"this {type(model).__name__} has learned no atoms yet: fit it first")
        core = getattr(model, "_core", None)
        if isinstance(core, _ergodict.Factorizer):
            # As its model file would say: what it learned with, and what it learned from.
            return _ergodict.PatchDictionary.from_learner(core)
        parameters, model = model.get_params(), model.components_
    kind = np.asarray(model).dtype
    atoms = _check.numbers(model, "the atoms", 2)
    if not atoms.size:
        raise ValueError(f"the atoms have the shape {atoms.shape}, but there must be at least one")
    # Codes of atoms with both signs that were given alone have both signs too.
    code = parameters.get("code", "nonneg" if atoms.min() >= 0 else "free")
    if not isinstance(code, str):
        raise TypeError(f"code is {code!r}, but it must be one of the sets that have names")
    solver, kappa2 = parameters.get("solver", "fast"), _check.number(parameters.get("kappa2", 0.0), "kappa2")
    tolerance = _check.number(parameters.get("tol", 1e-6), "tol")
    single = kind == np.float32
    return _ergodict.PatchDictionary(atoms.ravel(), atoms.shape[1], single, code, solver, kappa2, tolerance)


def patch_of(
    dictionary: _ergodict.PatchDictionary, patch: Any, boundary: Optional[str], channels: Optional[int]
) -> tuple[tuple[int, int], bool, int]:
    """Rows and columns of an atom, whether it is of a torus, and its channels: as given, as in the model, or as the numbers suggest."""
    features = dictionary.shape[1]
    known = dictionary.patch
    edge = (
        None if boundary is None else _check.choice(boundary, "boundary", ["periodic", "free"]) == "periodic"
    )
    periodic = edge if edge is not None else known[2] if known else True
    if patch is not None:
        sides = _check.size(patch, "patch")
        places = sides[0] * sides[1]
    elif known:
        sides, places = known[:2], known[0] * known[1]
    else:
        tried = [channels] if channels else [1, 3]
        found = [(round((features / c) ** 0.5), c) for c in tried]
        squares = [(side, c) for side, c in found if side * side * c == features]
        if not squares:
            raise ValueError(
                f"atoms of {features} numbers are no squares: say their rows and columns with patch"
            )
        side, channels = squares[0]
        sides, places = (side, side), side * side
    if channels is None:
        if places == 0 or features % places:
            raise ValueError(f"atoms have {features} numbers, which are no patches of {sides[0]}×{sides[1]}")
        channels = features // places
    return sides, periodic, channels


def page_of(report: Union[None, str, "os.PathLike[str]"], model: Any, data: Any, unnamed: str) -> Optional[tuple[str, str, str]]:
    """Path of a report, and the names of the model and the data in it: files by their names, what is in memory by the name a file of it might have."""
    if report is None:
        return None
    _check.page(report, (model, data))
    names = []
    for given, otherwise in ((model, "model.safetensors"), (data, unnamed)):
        path = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
        names.append(otherwise if path is None else path if path.startswith("@") else os.path.basename(path))
    return os.fspath(report), names[0], names[1]


def reconstruct_spins(
    model: Any,
    lattice: npt.ArrayLike,
    *,
    patch: Union[None, int, tuple[int, int]] = None,
    boundary: Optional[str] = None,
    spins: Optional[str] = None,
    stride: int = 1,
    alpha: float = 0.0,
    return_info: bool = False,
    report: Union[None, str, "os.PathLike[str]"] = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> Any:
    """Reconstruct a configuration from atoms: reconstructed patches, averaged where they overlap.

    Parameters
    ----------
    model : estimator, array of shape (n_components, n_features) or path
        The atoms: a fitted estimator, its ``components_``, or a model file of ``ergodict spins learn``.
    lattice : array of shape (rows, cols)
        The configuration.
    patch : int or (int, int), optional
        Rows and columns of an atom; as in the model, else a square.
    boundary : {"periodic", "free"}, optional
        Whether patches wrap around at the edges; as in the model, else periodic.
    spins : {"zero-one", "signed", "one-hot", "borders", "vector", "real"}, optional
        Representation of a spin; as in the model, else zero-one for two values, one-hot for labels, real for real numbers. Angles are vectors.
    stride : int, default=1
        Sites between neighboring patches.
    alpha : float, default=0.0
        Weight of the sparsity of the codes; 0 reconstructs as closely as possible.
    return_info : bool, default=False
        Whether to return facts too.
    report : path, optional
        Write the report of ``ergodict spins reconstruct`` here: configuration, reconstruction, error and atoms.
    n_jobs : int, optional
        Threads; None is 1, -1 all.
    verbose : bool, default=False
        Whether to show progress.

    Returns
    -------
    array of float64, shape (rows, cols) or (rows, cols, channels)
        The reconstructed configuration, as ``ergodict spins reconstruct`` writes it.
    info : dict
        With `return_info`: the number of patches, and ``sites_right``, the share of sites reconstructed correctly, NaN for real numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import Ising, reconstruct_spins
    >>> ising = Ising(size=12, every=1000, random_state=0)
    >>> result, info = reconstruct_spins(np.eye(9), next(ising), return_info=True)
    >>> info["sites_right"]
    1.0
    """
    from ._progress import progress

    jobs = _check.jobs(n_jobs)
    dictionary = dictionary_of(model)
    given = np.asarray(lattice)
    if given.ndim != 2 or given.dtype.kind not in "buif":
        raise ValueError(
            f"the configuration is {given.dtype} of shape {given.shape}, but it must be numbers of shape (rows, cols)"
        )
    known = dictionary.spins
    if spins is not None and not isinstance(spins, str):
        raise TypeError(f"spins is {spins!r}, but it must be zero-one, signed, one-hot, borders, vector or real")
    asked = spins if spins is not None else known[0] if known else None
    real = asked in ("vector", "real")
    whole = not given.size or (given.min() >= -128 and given.max() <= 127 and bool(np.all(given == np.floor(given))))
    if not real and not whole:
        raise ValueError(
            "the configuration has values that are no spins: expected -1 and 1, 0 and 1, or labels from 0 to 127; of real numbers say spins='real', of "
            "angles spins='vector'"
        )
    labels = known[1] if known else -2 if asked == "vector" else -3 if asked == "real" else labels_of(given)
    values = asked if asked is not None else "one-hot" if labels > 0 else "zero-one"
    channels = 2 if values == "vector" else None
    if not known and values == "one-hot":
        if patch is not None:
            _, _, labels = patch_of(dictionary, patch, boundary, None)
        channels = labels
    sides, periodic, _ = patch_of(dictionary, patch, boundary, channels or 1)
    weight = _check.number(alpha, "alpha")
    with progress(verbose, "reconstruction", unit="patch") as show:
        rebuilt, channels, patches, right = dictionary.configuration(
            np.ascontiguousarray(given, dtype=np.float64 if real else np.int8).ravel(),
            given.shape,
            values,
            labels,
            sides,
            periodic,
            _check.count(stride, "stride", 0),
            2 * weight,
            jobs,
            show,
            page_of(report, model, lattice, "configuration.npy"),
        )
    rebuilt = rebuilt.reshape(given.shape if channels == 1 else (*given.shape, channels))
    return (rebuilt, {"patches": patches, "sites_right": right}) if return_info else rebuilt


def labels_of(given: npt.NDArray[Any]) -> int:
    """The alphabet that values suggest, as the extension counts it: 0 for -1 and 1, -1 for 0 and 1, else the number of labels."""
    low, high = (given.min(), given.max()) if given.size else (0, 0)
    if low == -1 and high <= 1:
        if np.any(given == 0):
            # As of spin 1: encoded as two values, -1 and 0 would be one.
            raise ValueError("the values are -1, 0 and 1 together: expected -1 and 1, 0 and 1, or labels from 0 (add 1 for labels, or take them as real numbers)")
        return 0
    if low >= 0:
        return -1 if high <= 1 else int(high) + 1
    raise ValueError(
        f"the values go from {low} to {high}: expected -1 and 1, 0 and 1, or labels from 0 (take others as real numbers)"
    )
