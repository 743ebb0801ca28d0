"""Reports: their paths, and the name of a result's network in them."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any, Optional, Union

from . import _check, _networks
from .network import Network

Path = Union[str, "os.PathLike[str]"]


def written(path: Path, write: Callable[[str], None], model: Optional[str] = None) -> pathlib.Path:
    """Writes a report by the given function, completely or not at all, never over its own model file; returns its path."""
    write(_check.page(path, (model,)))
    return pathlib.Path(path)


class ReportMixin:
    """A result with a report."""

    def _write_page(self, file: str) -> None:
        raise NotImplementedError

    def report(self, path: Path) -> pathlib.Path:
        """Write the report of this result: finding, charts and run details.

        Parameters
        ----------
        path : str or path-like
            Path of the report, ending in ``.html``. Written completely or not at all, never over an input file.

        Returns
        -------
        pathlib.Path
            Path of the report.

        Examples
        --------
        >>> import ergodict, os, tempfile
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> results = {
        ...     "Most suspicious": ergodict.denoise("@karate", method="l3"),
        ...     "Distances": ergodict.compare(["@karate", "@kite"], n_components=2, k=4, steps=5, samples=1000, random_state=0),
        ...     "Coverage": model.reconstruct("@karate", samples=1000),
        ... }
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pages = [result.report(os.path.join(folder, "page.html")).read_text(encoding="utf-8") for result in results.values()]
        >>> all(heading in page for heading, page in zip(results, pages))
        True
        """
        return written(path, self._write_page)


class ModelReportMixin:
    """A learned model with a report."""

    def _write_page(self, file: str, title: Optional[str]) -> None:
        raise NotImplementedError

    def report(self, path: Path, title: Optional[str] = None) -> pathlib.Path:
        """Write the report that ``ergodict report`` makes of the model file: the atoms, the loss and what was run; of networks also what the
        atoms explain, examples, how the chains mixed and, of a network at several times, its changes.

        Parameters
        ----------
        path : str or path-like
            Path of the report, ending in ``.html``. Written completely or not at all, never over an input file.
        title : str, optional
            Another heading.

        Returns
        -------
        pathlib.Path
            Path of the report.

        Examples
        --------
        >>> import ergodict, os, tempfile
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     "Latent motifs of @karate" in model.report(os.path.join(folder, "karate.html")).read_text(encoding="utf-8")
        True
        """
        return written(path, lambda file: self._write_page(file, title), self.__dict__.get("_file"))


def about(network: Network, name: str, digest: str) -> dict[str, Any]:
    """What the extension knows of the network of a result; ids that it does not know are shown as they are here."""
    labels = None if _networks.is_native(network) else [str(node) for node in network.nodes]
    return {"name": name, "digest": digest, "labels": labels}
