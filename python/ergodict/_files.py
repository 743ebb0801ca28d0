"""Model files of an estimator of the online scheme."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Any, Optional, TypeVar, Union

from sklearn.utils.validation import check_is_fitted

from . import _check
from ._ergodict import Factorizer, _set_schedule
from ._learned import warn_of_function
from ._report import ModelReportMixin

#: The estimator itself.
Self = TypeVar("Self", bound="Filed")


class Filed(ModelReportMixin):
    """What is learned, written to files and read from them."""

    dict_init: Any
    _core: Factorizer
    #: The methods that learned, in their order.
    _how: str
    #: The function that is the schedule, if it is one.
    _schedule: Optional[Callable[[int], float]]
    #: Whether a warning said that files do not hold that function.
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
        self._core.save(os.fspath(path), self._fit_record())
        if self._schedule is not None and not self._told:
            self._told = True
            warn_of_function()

    def _write_page(self, file: str, title: Optional[str]) -> None:
        self._core.report(file, title, self._fit_record())

    def _fit_record(self) -> dict[str, Any]:
        """What a file has of the fit, besides what the extension knows."""
        check_is_fitted(self)
        init = self.dict_init if isinstance(self.dict_init, str) else "array"
        if self._schedule is not None and (not self._how.endswith("fit") or self._how.endswith("partial_fit")):
            # Beyond a list of weights, a file repeats the last: let it be that of the last step.
            _set_schedule(self._core, _check.given([_check.weight_at(self._schedule, self._core.steps)]))
        names = getattr(self, "feature_names_in_", None)
        names = None if names is None else [str(name) for name in names]
        missing = _check.flag(self.missing, "missing")
        return {"init": init, "course": self._course(), "missing": missing, "how": self._how, "feature_names": names}

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
