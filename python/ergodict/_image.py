"""An image in any of the ways it may be given, as the numbers that the extension takes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _ergodict

#: An image as it may be given: an array, a PIL image, a path, or the name of an embedded one.
ImageLike = Any
#: Values, rows, columns, channels, as the extension takes them.
Pixels = tuple[npt.NDArray[np.float32], int, int, int]


def shaped(values: npt.NDArray[Any], rows: int, cols: int, channels: int) -> npt.NDArray[Any]:
    """Values row by row as an image: (rows, cols), or (rows, cols, 3) in color."""
    return values.reshape((rows, cols) if channels == 1 else (rows, cols, channels))


def in_color(image: ImageLike) -> bool:
    """Whether an array or PIL image has red, green and blue, equal or not."""
    if isinstance(image, (str, os.PathLike)):
        return False
    if hasattr(image, "getbands"):
        return len(image.getbands()) >= 3
    shape = np.shape(image)
    return len(shape) == 3 and shape[2] >= 3


def is_table(image: Any) -> bool:
    """Whether a list is rows of numbers, and so one image."""
    try:
        return np.asarray(image).dtype.kind in "buif" and np.ndim(image) == 2
    except ValueError:
        return False


def pixels(image: ImageLike, color: bool) -> Pixels:
    """An image as the extension takes it."""
    if isinstance(image, (str, os.PathLike)):
        name = os.fspath(image)
        if isinstance(name, str) and name.startswith("@"):
            return _ergodict.embedded_image(name, color)
        return _ergodict.read_image(name, color)[0]
    if hasattr(image, "getbands") and hasattr(image, "convert"):
        image = _from_pil(image)
    return _from_array(np.asarray(image), color)


def without_equal_channels(given: Pixels) -> Pixels:
    """An image in gray where red, green and blue are the same at every pixel; otherwise as it is."""
    values, rows, cols, channels = given
    apart = values.reshape(-1, channels)
    if channels == 1 or not (apart == apart[:, :1]).all():
        return given
    return np.ascontiguousarray(apart[:, 0]), rows, cols, 1


def _from_pil(image: Any) -> npt.NDArray[Any]:
    """A PIL image as an array; palettes and unusual modes by way of colors."""
    if image.mode not in ("L", "LA", "RGB", "RGBA", "I", "I;16", "F", "1"):
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    array: npt.NDArray[Any] = np.asarray(image)
    return array


def _white(array: npt.NDArray[Any]) -> int:
    """The integer that is white. Of types that no image file has, such as the int64 that lists become, the range decides."""
    if array.dtype.kind == "u" and array.dtype.itemsize <= 2:
        return int(np.iinfo(array.dtype).max)
    if array.size and (array.min() < 0 or array.max() > 255):
        raise ValueError(
            f"the image has integers from {array.min()} to {array.max()}, but {array.dtype} is taken from 0 (black) to 255 (white): "
            "convert to uint16 for white at 65535, or to floats from 0 to 1"
        )
    return 255


def _from_array(array: npt.NDArray[Any], color: bool) -> Pixels:
    """An array as the library reads such a file: scaled to [0, 1], alpha over white, gray by Rec. 709."""
    if array.dtype.kind not in "buif":
        raise TypeError(f"the image has the dtype {array.dtype}, but it must hold real numbers")
    if array.ndim not in (2, 3):
        raise ValueError(
            f"the image has {array.ndim} axes, but it must have the shape (rows, cols) or (rows, cols, channels)"
        )
    stored = array.shape[2] if array.ndim == 3 else 1
    if stored not in (1, 2, 3, 4):
        raise ValueError(f"the image has {stored} channels, but it must have 1 or 3, and one more for alpha")
    values = array.reshape(array.shape[0], array.shape[1], stored).astype(np.float64)
    if array.dtype.kind in "ui":
        values /= _white(array)
    opacity = values[..., -1:] if stored in (2, 4) else None
    values = values[..., : stored - 1] if opacity is not None else values
    if not color and values.shape[2] == 3:
        gray = 0.2126 * values[..., 0] + 0.7152 * values[..., 1] + 0.0722 * values[..., 2]
        # Of integers the weights may sum to a last place more than white.
        values = (np.minimum(gray, 1.0) if array.dtype.kind in "ui" else gray)[..., None]
    if opacity is not None:
        values = opacity * values + (1.0 - opacity)
    if color and values.shape[2] == 1:
        values = np.repeat(values, 3, axis=2)
    rows, cols, channels = values.shape
    with np.errstate(over="ignore"):
        flat = np.ascontiguousarray(values, dtype=np.float32).ravel()
    finite = np.isfinite(flat)
    if not finite.all():
        at = int(np.argmin(finite))
        row, col = divmod(at // channels, cols)
        given = array[row, col]
        raise ValueError(
            f"the pixel in row {row}, column {col}, counted from 0, is {given}: expected finite numbers"
        )
    return flat, rows, cols, channels
