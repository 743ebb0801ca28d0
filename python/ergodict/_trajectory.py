"""Trajectories that another program made, to be learned from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict
from ._atoms import PatchKind, labels_of
from ._chain import DependentMinibatches, order_parameters
from ._frames import Frames
from ._random import RandomState, seed_of

#: How the extension counts alphabets that are no labels.
_ALPHABETS = {"ising": 0, "rbm": -1, "xy": -2}
_REAL = -3


class Trajectory:
    """Frames of another program's simulation, whose patches are learned from as ``ergodict spins learn --trajectory`` does.

    Parameters
    ----------
    frames : array of shape (frames, rows, cols), or path
        Spins, labels, angles or a field of real numbers; a ``.npy`` file is read frame by frame. An array of two axes is one frame.
    model : {"ising", "potts", "cellular-potts", "rbm", "xy", "real"}, optional
        What the values are: -1 and 1, labels, 0 and 1, angles (xy), or real numbers, also where those of the first frame are whole. By default they are guessed: -1 and 1, 0 and 1, labels from 0, or real numbers
        where they are not whole. Angles are not guessed.
    states : int, optional
        Number of labels; by default up to the greatest.
    boundary : {"periodic", "free"}, default="periodic"
        Whether patches wrap around at the edges.
    every : int, default=1
        Frames from one minibatch to the next.
    burn_in : int, default=0
        Frames that are left out at the beginning.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the patch positions; ``seed_`` has the one used.

    Attributes
    ----------
    seed_ : int
        The seed.

    Examples
    --------
    >>> import numpy as np
    >>> from ergodict import OnlineNMF, Trajectory
    >>> field = np.random.default_rng(0).normal(size=(20, 16, 16))  # such as phi^4
    >>> trajectory = Trajectory(field, random_state=0)
    >>> model = OnlineNMF(4, dictionary="ball", code="free", random_state=0)
    >>> model.fit_stream(trajectory.minibatches(patch=5, n=50)).components_.shape
    (4, 25)
    """

    def __init__(
        self,
        frames: Union[npt.ArrayLike, str, "os.PathLike[str]"],
        *,
        model: Optional[str] = None,
        states: Optional[int] = None,
        boundary: str = "periodic",
        every: int = 1,
        burn_in: int = 0,
        random_state: RandomState = None,
    ) -> None:
        given: Union[npt.NDArray[Any], Frames]
        if isinstance(frames, (str, os.PathLike)):
            given = Frames(frames)
        else:
            given = np.asarray(frames)
            given = given[np.newaxis] if given.ndim == 2 else given
        if given.ndim != 3 or given.dtype.kind not in "buif" or 0 in given.shape:
            raise ValueError(f"frames are {given.dtype} of shape {given.shape}, but they must be numbers of shape (frames, rows, cols)")
        if model is not None:
            _check.choice(model, "model", ["ising", "potts", "cellular-potts", "rbm", "xy", "real"])
        if states is not None and model != "potts":
            raise ValueError("states is for model potts: give that, or leave states out")
        self.frames, self.model, self.states = given, model, states
        self.boundary = _check.choice(boundary, "boundary", ["periodic", "free"])
        self.every, self.burn_in = _check.count(every, "every"), _check.count(burn_in, "burn_in", 0)
        self.seed_ = seed_of(random_state)
        self._alphabet = self._find_alphabet()
        if (len(given) - self.burn_in) // self.every <= 0:
            raise ValueError(f"there are {len(given)} frames: no frame is left to learn from: lower every or burn_in")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a frame."""
        return self.frames.shape[1], self.frames.shape[2]

    def _find_alphabet(self) -> int:
        """The alphabet, as the extension counts it, once every value is looked at."""
        real = self.model in ("xy", "real") or (self.model is None and not _is_whole(self.frames[0]))
        low, high, whole = np.inf, -np.inf, True
        seen: set[int] = set()
        for at, frame in enumerate(self.frames):
            bad = ~np.isfinite(frame) if real else (frame != np.floor(frame)) | (frame < -128) | (frame > 127)
            if bad.any():
                row, col = (int(i) for i in np.argwhere(bad)[0])
                expected = "expected finite numbers" if real else "spins are whole numbers from -128 to 127"
                raise ValueError(
                    f"frames hold {frame[row, col]} in frame {at}, row {row}, column {col} (all counted from 0): {expected}"
                )
            low, high = min(low, float(frame.min())), max(high, float(frame.max()))
            whole = whole and _is_whole(frame)
            if not real and len(seen) < 256:
                seen.update(int(value) for value in np.unique(frame))
        if self.model == "xy" and whole and low < high:
            raise ValueError(
                f"frames hold whole numbers from {low:g} to {high:g}, but angles are in radians: multiply numbered directions by 2 * numpy.pi / q"
            )
        if real:
            return _ALPHABETS["xy"] if self.model == "xy" else _REAL
        if self.model is None:
            try:
                return labels_of(np.array(sorted(seen)))
            except ValueError as error:
                raise ValueError(f"{error}: model=\"real\" takes them as they are") from None
        stated = _ALPHABETS.get(self.model, max(int(high) + 1, 2) if self.states is None else _check.count(self.states, "states", 2, 128))
        allowed = {0: {-1, 1}, -1: {0, 1}}.get(stated, set(range(max(stated, 0))))
        if not seen <= allowed:
            values = ", ".join(str(value) for value in sorted(seen)[:6])
            raise ValueError(f"frames hold {values}, which are no values of {self.model}")
        return stated

    def minibatches(
        self,
        patch: Union[int, tuple[int, int]] = 20,
        n: int = 1000,
        *,
        spins: Optional[str] = None,
        dtype: npt.DTypeLike = np.float64,
    ) -> Iterator[npt.NDArray[Any]]:
        """Iterate over minibatches of patches, one of each frame that is kept, as ``ergodict spins learn --trajectory`` cuts them.

        Parameters
        ----------
        patch : int or (int, int), default=20
            Rows and columns of a patch.
        n : int, default=1000
            Patches of a minibatch.
        spins : {"zero-one", "signed", "one-hot", "borders", "vector", "real"}, optional
            Encoding of spins: -1 becomes 0, ±1, a channel for each label, 1 where labels meet, cosine and sine of an angle, or the number itself. By
            default zero-one for two values, one-hot for labels, borders for cells, vector for angles and real for real numbers.
        dtype : dtype, default=float64
            float64 or float32.

        Returns
        -------
        iterator of arrays of shape (n, rows * cols * channels)
            What ``OnlineNMF().fit_stream`` takes.
        """
        return _Minibatches(self, _check.size(patch, "patch"), _check.count(n, "n"), spins, _check.single(dtype))


class _Minibatches(DependentMinibatches):
    """Minibatches of the frames of a trajectory."""

    _advice = "use a longer trajectory"

    def __init__(self, trajectory: Trajectory, patch: tuple[int, int], n: int, spins: Optional[str], single: bool) -> None:
        labels = trajectory._alphabet
        default = {0: "zero-one", -1: "zero-one", -2: "vector", _REAL: "real"}.get(labels, "one-hot")
        if trajectory.model == "cellular-potts":
            default = "borders"
        self._trajectory, self._patch, self._n, self._single = trajectory, patch, n, single
        self._spins = default if spins is None else spins
        if spins == "real" and labels != _REAL:
            raise ValueError("the frames are no real numbers: Trajectory(frames, model=\"real\") takes whole numbers as such")
        self._at, self._word = trajectory.burn_in + trajectory.every - 1, 0
        self._traces = {}
        # Bad arguments are reported now, not at the first minibatch.
        self._cut(0, 1)

    def _cut(self, at: int, count: int) -> tuple[npt.NDArray[Any], int]:
        trajectory = self._trajectory
        dtype = np.float64 if trajectory._alphabet <= -2 else np.int8
        frame = np.ascontiguousarray(trajectory.frames[at], dtype=dtype).ravel()
        periodic = trajectory.boundary == "periodic"
        features, cut, word = _ergodict.cut_patches(
            frame, trajectory.shape, periodic, trajectory._alphabet, self._spins, self._patch, count, self._single,
            trajectory.seed_, self._word,
        )
        return cut.reshape(count, features), word

    def _watch(self, frame: npt.NDArray[Any]) -> None:
        """The mean over neighbors, and what shows order."""
        alphabet, periodic = self._trajectory._alphabet, self._trajectory.boundary == "periodic"
        pairs = [(frame, np.roll(frame, -1, axis)) for axis in (0, 1)]
        if not periodic:
            pairs = [(frame[:-1], frame[1:]), (frame[:, :-1], frame[:, 1:])]
        one, other = (np.concatenate([pair[i].ravel() for pair in pairs]) for i in (0, 1))
        if alphabet > 0:
            self._push(neighbors=(one == other).mean() if one.size else 0.0)
        elif alphabet == _ALPHABETS["xy"]:
            self._push(neighbors=np.cos(one - other).mean() if one.size else 0.0, magnetization=abs(np.exp(1j * frame).mean()))
        else:
            self._push(neighbors=(one * other).mean() if one.size else 0.0, magnetization=frame.mean())
        self._push(**order_parameters(frame, alphabet, self._spins))

    @property
    def _patch_kind(self) -> PatchKind:
        """What `fit_stream` hands on to the model file."""
        labels = self._trajectory._alphabet
        channels = {"one-hot": labels, "vector": 2}.get(self._spins, 1)
        return (*self._patch, self._trajectory.boundary == "periodic", channels), (self._spins, labels)

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        return self

    def __next__(self) -> npt.NDArray[Any]:
        if self._at >= len(self._trajectory.frames):
            raise StopIteration
        self._watch(np.asarray(self._trajectory.frames[self._at], dtype=np.float64))
        cut, self._word = self._cut(self._at, self._n)
        self._at += self._trajectory.every
        return cut


def _is_whole(frame: npt.NDArray[Any]) -> bool:
    return bool(np.all((frame == np.floor(frame)) & (frame >= -128) & (frame <= 127)))
