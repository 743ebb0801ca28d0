"""Model files of an estimator of the online scheme."""

from __future__ import annotations

import errno
import os
import pathlib
from collections.abc import Callable
from typing import Any, Optional, TypeVar, Union

from sklearn.utils.validation import check_is_fitted

from . import _check
from ._ergodict import Factorizer, _set_schedule
from ._learned import warn_of_function
from ._report import written

#: The estimator itself.
Self = TypeVar("Self", bound="Filed")


class Filed:
    """What is learned, written to files and read from them."""

    dict_init: Any
    _core: Factorizer
    #: The methods that learned, in their order.
    _how: str
    #: The function that is the schedule, if it is one.
    _schedule: Optional[Callable[[int], float]]
    #: Whether it was told that files do not hold that function.
    _told: bool

    missing: Any

    def _course(self) -> dict[str, Any]:
        raise NotImplementedError

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the model file that ``ergodict factor`` would write.

        Parameters
        ----------
        path : str or path-like
            The file, whose name should end in ``.safetensors``.
        """
        check_is_fitted(self)
        folder = os.path.dirname(os.fspath(path))
        if folder and not os.path.isdir(folder):
            words = f"{os.fspath(path)}: cannot be written: the directory `{folder}` does not exist"
            raise FileNotFoundError(errno.ENOENT, words)
        self._core.save(os.fspath(path), *self._filed())
        if self._schedule is not None and not self._told:
            self._told = True
            warn_of_function()

    def report(self, path: Union[str, os.PathLike[str]], title: Optional[str] = None) -> pathlib.Path:
        """Write the report that ``ergodict report`` makes of the model file: the atoms, the loss and what was run.

        Parameters
        ----------
        path : str or path-like
            The page, whose name should end in ``.html``.
        title : str, optional
            Another heading.

        Returns
        -------
        pathlib.Path
            The page.
        """
        filed = self._filed()
        return written(path, lambda file: self._core.report(file, title, *filed), self.__dict__.get("_file"))

    def _filed(self) -> tuple[str, dict[str, Any], bool, str, Optional[list[str]]]:
        """What the extension is told for a file, besides what it knows."""
        check_is_fitted(self)
        init = self.dict_init if isinstance(self.dict_init, str) else "array"
        if self._schedule is not None and (not self._how.endswith("fit") or self._how.endswith("partial_fit")):
            # Beyond a list of weights, a file repeats the last: let it be that of the last step.
            _set_schedule(self._core, _check.given([_check.weight_at(self._schedule, self._core.steps)]))
        names = getattr(self, "feature_names_in_", None)
        names = None if names is None else [str(name) for name in names]
        return init, self._course(), _check.flag(self.missing, "missing"), self._how, names

    @classmethod
    def load(cls: type[Self], path: Union[str, os.PathLike[str]], dictionary: Any = None) -> Self:
        """Open a model file, also one that the command line wrote.

        Parameters
        ----------
        path : str or path-like
            The file.
        dictionary : str, Near, Projection or Union, default=None
            The set of dictionaries, needed again where no name describes it.

        Returns
        -------
        estimator
            A fitted estimator of this class.
        """
        from .models import read

        loaded: Self = read(path, dictionary, cls)  # type: ignore[type-var]
        # A report is not written over it.
        loaded.__dict__["_file"] = os.fspath(path)
        return loaded
