"""The frames of a `.npy` file, read one by one: a file that is cut off or written meanwhile is an error, and a map of it would end the process."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt


class Frames:
    """An array of shape (frames, rows, cols) in a file; one of two axes is one frame."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        # Opened again for its frames, by a name that stands when the working directory changes; what it was is known from before its header.
        self._name, self._path = os.fspath(path), os.path.abspath(path)
        with open(self._path, "rb") as file:
            status = os.fstat(file.fileno())
            try:
                one = np.lib.format.read_magic(file) == (1, 0)
                read = np.lib.format.read_array_header_1_0 if one else np.lib.format.read_array_header_2_0
                shape, self._by_column, dtype = read(file)
            except ValueError as problem:
                raise ValueError(f"{self._name}: expected one .npy array of shape (frames, rows, cols)") from problem
            self._stamp, self._start = _stamp(status), file.tell()
        if self._start + math.prod(shape) * dtype.itemsize > status.st_size:
            raise ValueError(f"{self._name}: has fewer values than its header says: it is cut off")
        self.dtype: np.dtype[Any] = dtype
        self.shape: tuple[int, ...] = (1, *shape) if len(shape) == 2 else shape
        self.ndim = len(self.shape)
        #: All of an array in Fortran order, whose frames lie all over the file, once one was asked for.
        self._whole: Optional[npt.NDArray[Any]] = None

    def _read(self, start: int, count: int) -> npt.NDArray[Any]:
        with open(self._path, "rb") as file:
            file.seek(self._start + start * self.dtype.itemsize)
            values = np.fromfile(file, self.dtype, count)
            if values.size < count or _stamp(os.fstat(file.fileno())) != self._stamp:
                raise ValueError(
                    f"{self._name}: changed while it was read, so that nothing can be made of it: start again when nothing writes to it"
                )
        return values

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, at: int) -> npt.NDArray[Any]:
        if not 0 <= at < len(self):
            raise IndexError(at)
        frame = self.shape[1] * self.shape[2]
        if not self._by_column:
            return self._read(at * frame, frame).reshape(self.shape[1:])
        if self._whole is None:
            self._whole = self._read(0, frame * len(self)).reshape(self.shape, order="F")
        found: npt.NDArray[Any] = self._whole[at]
        return found

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        return (self[at] for at in range(len(self)))


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
