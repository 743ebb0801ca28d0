"""Warnings that name the line of the caller, however deep in the package they are raised."""

from __future__ import annotations

import sys
import warnings


def warn(words: str, category: type[Warning] = UserWarning) -> None:
    """Warns of something, at the first line that is not of this package."""
    package, level = __name__.partition(".")[0], 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(words, category, stacklevel=level)
