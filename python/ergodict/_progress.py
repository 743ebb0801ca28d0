"""Progress of long work: a tqdm bar where there is tqdm, lines on stderr otherwise."""

from __future__ import annotations

import contextlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Optional

#: Called with what is done, the total and a figure such as the loss, if there is one.
Progress = Callable[[int, int, Optional[float]], None]


@contextlib.contextmanager
def progress(verbose: object, what: str, unit: str = "step", figure: str = "loss") -> Iterator[Optional[Progress]]:
    """What to hand to long work: a function when `verbose`, else None."""
    if not verbose:
        yield None
        return
    try:
        with warnings.catch_warnings():
            # A notebook without ipywidgets has the bar as text.
            warnings.filterwarnings("ignore", message="IProgress not found")
            from tqdm.auto import tqdm
    except ImportError:
        yield _lines(what, unit, figure)
        return
    with tqdm(total=None, desc=what, unit=unit, leave=True) as bar:

        def show(done: int, total: int, value: Optional[float]) -> None:
            if total and bar.total != total:
                # A widget does not see that its total is another one.
                bar.reset(total)
            if value is not None:
                bar.set_postfix_str(f"{figure} {value:.6g}", refresh=False)
            bar.update(done - bar.n)

        yield show


def _lines(what: str, unit: str, figure: str) -> Progress:
    """A line every few seconds."""
    told = time.monotonic()

    def show(done: int, total: int, value: Optional[float]) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told < 5 and done < total:
            return
        told = now
        tail = "" if value is None else f", {figure} {value:.6g}"
        print(f"{what}: {done} of {total} {unit}s{tail}", file=sys.stderr)

    return show
