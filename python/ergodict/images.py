"""Images: streams of their patches, images reconstructed from atoms, and images denoised."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict
from ._atoms import PatchKind, dictionary_of, page_of, patch_of
from ._chain import Stream
from ._image import ImageLike, in_color, is_table, pixels, shaped, without_equal_channels
from ._progress import progress
from ._random import RandomState, seed_of

Path = Union[str, "os.PathLike[str]"]

__all__ = ["ImagePatches", "denoise_image", "noise_level", "psnr", "read_image", "reconstruct_image"]


class ImagePatches(Stream):
    """Minibatches of patches of one or several images, at independent positions or along a random walk.

    The minibatches are those of ``ergodict image learn`` for the same seed.

    Parameters
    ----------
    image : array, PIL image, path or list of them
        The images: arrays of shape (rows, cols), (rows, cols, 3) or (rows, cols, 4) with an alpha channel that is blended over white, of
        integers (black is 0; white is 65535 for uint16, otherwise 255) or floats (black is 0, white is 1); paths of PNG, JPEG, PNM or TIFF files;
        ``"@tessellation"`` and ``"@tessellation-noisy"``, which are embedded.
    size : int or (int, int), default=10
        Rows and columns of a patch, in pixels.
    n : int, default=1000
        Patches of a minibatch.
    sampling : {"independent", "walk"}, default="independent"
        How positions follow each other: independently, or one pixel up, down, left or right at a time.
    boundary : {"periodic", "free"}, default="periodic"
        Whether patches wrap around at the edges, or stay inside.
    color : bool, default=False
        Red, green and blue; otherwise gray.
    steps : int, optional
        Number of minibatches; without end by default.
    dtype : dtype, default=float64
        float64 or float32.
    random_state : int, Generator, RandomState or None, default=None
        The seed; the one that was used is ``seed_``.

    Attributes
    ----------
    seed_ : int
        The seed.

    Examples
    --------
    >>> from ergodict import ImagePatches
    >>> patches = ImagePatches("@tessellation", size=8, n=50, random_state=0)
    >>> next(patches).shape
    (50, 64)
    """

    _inner: _ergodict.ImageStream

    def __init__(
        self,
        image: Union[ImageLike, list[ImageLike]],
        size: Union[int, tuple[int, int]] = 10,
        n: int = 1000,
        *,
        sampling: str = "independent",
        boundary: str = "periodic",
        color: bool = False,
        steps: Optional[int] = None,
        dtype: npt.DTypeLike = np.float64,
        random_state: RandomState = None,
    ) -> None:
        self.size = _check.size(size, "size")
        self.n = _check.count(n, "n")
        self.sampling = _check.choice(sampling, "sampling", ["independent", "walk"])
        self.boundary = _check.choice(boundary, "boundary", ["periodic", "free"])
        self.color = bool(color)
        self.steps = None if steps is None else _check.count(steps, "steps", 0)
        self.dtype = np.dtype(np.float32 if _check.single(dtype) else np.float64)
        several = isinstance(image, (list, tuple)) and not is_table(image)
        self._images = [pixels(one, self.color) for one in (image if several else [image])]
        self.seed_ = seed_of(random_state)
        self._done = 0
        self._inner = self._build()

    def _build(self) -> _ergodict.ImageStream:
        return _ergodict.ImageStream(
            self._images, self.size, self.boundary == "periodic", self.sampling == "walk", self.seed_, 0
        )

    @property
    def n_features(self) -> int:
        """Numbers of a patch."""
        return self._inner.features

    @property
    def _patch_kind(self) -> PatchKind:
        """What `fit_stream` hands on to the model file."""
        rows, cols = self.size
        return (rows, cols, self.boundary == "periodic", 3 if self.color else 1), None

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        return self

    def __next__(self) -> npt.NDArray[Any]:
        if self.steps is not None and self._done >= self.steps:
            raise StopIteration
        cut = self._inner.next(self.n, self.dtype == np.float32)
        self._done += 1
        return cut.reshape(self.n, self.n_features)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{rows}×{cols}" for _, rows, cols, _ in self._images)
        return (
            f"ImagePatches(<{shapes} pixels>, size={self.size}, n={self.n}, sampling={self.sampling!r}, "
            f"boundary={self.boundary!r}, color={self.color}, random_state={self.seed_})"
        )

    def _repr_html_(self) -> str:
        from ._repr import patches_html

        return patches_html(self)


def read_image(image: ImageLike, color: bool = False) -> npt.NDArray[np.float32]:
    """Read an image as numbers, black 0 and white 1.

    Parameters
    ----------
    image : array, PIL image or path
        As for :class:`ImagePatches`.
    color : bool, default=False
        Red, green and blue; otherwise gray, by Rec. 709.

    Returns
    -------
    array of float32, shape (rows, cols) or (rows, cols, 3)
        The image.

    Examples
    --------
    >>> from ergodict import read_image
    >>> read_image("@tessellation", color=True).shape
    (240, 240, 3)
    """
    return shaped(*pixels(image, color))


def reconstruct_image(
    model: Any,
    image: ImageLike,
    *,
    patch: Union[None, int, tuple[int, int]] = None,
    boundary: Optional[str] = None,
    color: Optional[bool] = None,
    stride: Optional[int] = None,
    alpha: float = 0.0,
    return_info: bool = False,
    report: Optional[Path] = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> Any:
    """Reconstruct an image from atoms: reconstructed patches, averaged where they overlap.

    Parameters
    ----------
    model : estimator, array of shape (n_components, n_features) or path
        The atoms: a fitted estimator, its ``components_``, or a model file of ``ergodict image learn``.
    image : array, PIL image or path
        As for :class:`ImagePatches`.
    patch : int or (int, int), optional
        Rows and columns of an atom; as in the model, else a square.
    boundary : {"periodic", "free"}, optional
        Whether patches wrap around at the edges; as in the model, else periodic.
    color : bool, optional
        Whether atoms are of red, green and blue; by default, when they have three numbers for each pixel.
    stride : int, optional
        Pixels between neighboring patches; by default the least that makes at most 200000 patches.
    alpha : float, default=0.0
        Weight of the sparsity of the codes; 0 reconstructs as closely as possible.
    return_info : bool, default=False
        Whether to return facts too.
    report : path, optional
        Write the report of ``ergodict image reconstruct`` here: the image, what became of it, the error and the atoms.
    n_jobs : int, optional
        Threads; None is 1, -1 all.
    verbose : bool, default=False
        Whether to show progress.

    Returns
    -------
    array of float64, shape (rows, cols) or (rows, cols, 3)
        The reconstructed image, not clipped.
    info : dict
        With `return_info`: stride, patches, alpha, psnr and relative_error against the image.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import reconstruct_image
    >>> image = np.random.default_rng(0).random((12, 12))
    >>> result = reconstruct_image(np.eye(9), image)
    >>> bool(np.allclose(result, image, atol=1e-6))
    True
    """
    weight, jobs = _alpha(alpha), _check.jobs(n_jobs)
    dictionary, sides, periodic, channels = _dictionary(model, patch, boundary, color)
    given = pixels(image, channels == 3)
    step = None if stride is None else _check.count(stride, "stride", 0)
    page = page_of(report, model, image, "image.png")
    with progress(verbose, "reconstruction", unit="patch") as show:
        values, used, patches = dictionary.image(given, sides, periodic, step, 2 * weight, jobs, show, page)
    distance = _ergodict.picture_distance(values, given[0].astype(np.float64))
    info: dict[str, Any] = {
        "stride": used,
        "patches": patches,
        "alpha": weight,
        "psnr": distance[0],
        "relative_error": distance[1],
    }
    rebuilt = shaped(values, *given[1:])
    return (rebuilt, info) if return_info else rebuilt


def denoise_image(
    image: ImageLike,
    sigma: Optional[float] = None,
    *,
    model: Any = None,
    n_components: int = 256,
    patch: Union[None, int, tuple[int, int]] = None,
    color: Optional[bool] = None,
    stride: Optional[int] = None,
    random_state: RandomState = 0,
    return_info: bool = False,
    report: Optional[Path] = None,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> Any:
    """Remove noise from an image.

    Atoms are learned from patches of the noisy image itself. Each patch, less its mean, is coded by orthogonal matching pursuit with as few atoms
    as leave no more than the noise, and patches are averaged where they overlap.

    Parameters
    ----------
    image : array, PIL image or path
        As for :class:`ImagePatches`.
    sigma : float, optional
        Standard deviation of the noise, where white is 1; estimated by default.
    model : estimator, array of shape (n_components, n_features) or path, optional
        Atoms to use instead of learning them, as for :func:`reconstruct_image`.
    n_components : int, default=256
        Number of atoms to learn.
    patch : int or (int, int), optional
        Rows and columns of a patch; 8 by default, with a model as for :func:`reconstruct_image`.
    color : bool, optional
        Whether red, green and blue are denoised, together; otherwise the image is taken in gray. By default as the image is, or the model; where
        the three are equal they are denoised once.
    stride : int, optional
        Pixels between neighboring patches; by default 1, for images of more than 2 million pixels more.
    random_state : int, Generator, RandomState or None, default=0
        The seed of the patches that are learned from.
    return_info : bool, default=False
        Whether to return facts too.
    report : path, optional
        Write the report of ``ergodict image denoise`` here: image before and after, removed noise and atoms.
    n_jobs : int, optional
        Threads; None is 1, -1 all.
    verbose : bool, default=False
        Whether to show progress.

    Returns
    -------
    array of float64, shape (rows, cols) or (rows, cols, 3)
        The image without noise, not clipped; white is 1 where pixels were integers. Without `color` and `model`, an array or PIL image in color stays in color.
    info : dict
        With `return_info`: sigma, stride, patches, atoms_per_patch, unchanged_share (of patches that few atoms do not describe), components (the atoms),
        psnr and relative_error against the noisy image.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import denoise_image, psnr
    >>> clean = np.tile(np.sin(np.arange(48) / 4) / 4 + 0.5, (48, 1))
    >>> noisy = clean + 0.1 * np.random.default_rng(0).normal(size=clean.shape)
    >>> bool(psnr(denoise_image(noisy), clean) > psnr(noisy, clean) + 6)
    True
    """
    jobs = _check.jobs(n_jobs)
    noise = None if sigma is None else _check.number(sigma, "sigma")
    step = None if stride is None else _check.count(stride, "stride", 0)
    settings = (noise, step, seed_of(random_state))
    page = page_of(report, model, image, "image.png")
    if model is None:
        sides = _check.size(8 if patch is None else patch, "patch")
        given = pixels(image, True) if color is None else pixels(image, color)
        if color is None:
            given = without_equal_channels(given)
        atoms = _check.count(n_components, "n_components")
        with progress(verbose, "denoising", unit="patch") as show:
            done = _ergodict.denoise_image(given, sides, atoms, settings, jobs, show, page)
    else:
        dictionary, sides, _, channels = _dictionary(model, patch, None, color)
        given = pixels(image, channels == 3)
        with progress(verbose, "denoising", unit="patch") as show:
            done = dictionary.denoise(given, sides, settings, jobs, show, page)
    values, used, apart, patches, mean, kept, components = done
    distance = _ergodict.picture_distance(values, given[0].astype(np.float64))
    info: dict[str, Any] = {
        "sigma": used,
        "stride": apart,
        "patches": patches,
        "atoms_per_patch": mean,
        "unchanged_share": kept,
        "components": components.reshape(-1, sides[0] * sides[1] * given[3]),
        "psnr": distance[0],
        "relative_error": distance[1],
    }
    denoised = shaped(values, *given[1:])
    if model is None and color is None and denoised.ndim == 2 and in_color(image):
        denoised = np.repeat(denoised[..., None], 3, axis=2)
    return (denoised, info) if return_info else denoised


def noise_level(image: ImageLike) -> float:
    """Estimate the standard deviation of white noise in an image, where white is 1.

    Parameters
    ----------
    image : array, PIL image or path
        As for :class:`ImagePatches`; seen in gray.

    Returns
    -------
    float
        The estimate, made where the image is flat.

    Raises
    ------
    ValueError
        For images of fewer than 10 rows or columns.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import noise_level
    >>> noisy = 0.5 + 0.1 * np.random.default_rng(0).normal(size=(128, 128))
    >>> bool(abs(noise_level(noisy) - 0.1) < 0.01)
    True
    """
    return _ergodict.noise_level(pixels(image, False))


def psnr(image: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Peak signal-to-noise ratio of an image against another, in decibels, where white is 1.

    Parameters
    ----------
    image, reference : array
        Two images of the same shape. Unsigned integers of 8 or 16 bits are scaled so that white is 1; others are taken as they are.

    Returns
    -------
    float
        Infinite for equal images.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import psnr
    >>> round(psnr(np.full((4, 4), 0.1), np.zeros((4, 4))), 6)
    20.0
    >>> round(psnr(np.full((4, 4), 51, np.uint8), np.zeros((4, 4), np.uint8)), 6)
    13.9794
    """
    a, b = _shares_of_white(image, "image"), _shares_of_white(reference, "reference")
    if a.shape != b.shape:
        raise ValueError(f"image has the shape {a.shape}, but reference has {b.shape}")
    return _ergodict.picture_distance(a.ravel(), b.ravel())[0]


def _shares_of_white(image: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Numbers, of unsigned integers as images have them their shares of white."""
    dtype = np.asarray(image).dtype
    values: npt.NDArray[Any] = _check.numbers(image, name)
    return values / np.iinfo(dtype).max if dtype.kind == "u" and dtype.itemsize <= 2 else values


def _alpha(alpha: object) -> float:
    """The weight, which the library has twice as large."""
    value = _check.number(alpha, "alpha")
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"alpha is {value}, but it must be a number that is not negative")
    return value


def _dictionary(
    model: Any, patch: Any, boundary: Optional[str], color: Optional[bool]
) -> tuple[_ergodict.PatchDictionary, tuple[int, int], bool, int]:
    """The atoms of a model, the sides of their patches, whether these are of a torus, and their channels."""
    dictionary = dictionary_of(model)
    if dictionary.spins is not None:
        raise ValueError("its atoms are patches of spin configurations, not patches of images")
    sides, periodic, channels = patch_of(dictionary, patch, boundary, None if color is None else 3 if color else 1)
    if channels not in (1, 3):
        raise ValueError(f"atoms have {channels} numbers for each pixel, but images have 1 or 3")
    return dictionary, sides, periodic, channels
