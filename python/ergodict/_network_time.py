"""Network dictionaries over time: what is known of each window, and how far a network has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _network_options as options
from ._network_learning import NetworkLearning, _given


#: What is told of a window.
WINDOW = np.dtype([
    ("name", object), ("start", np.float64), ("end", np.float64), ("nodes", np.int64), ("edges", np.int64), ("came", np.int64),
    ("went", np.int64), ("steps", np.int64), ("change", np.float64), ("change_error", np.float64), ("error_before", np.float64),
    ("error_after", np.float64), ("went_on", np.int64), ("restarted", np.int64), ("passed_over", object),
])


def _record(window: dict[str, Any]) -> tuple[Any, ...]:
    def number(key: str, part: str = "value") -> float:
        found = window.get(key)
        return float("nan") if found is None else float(found[part])

    start, end = window.get("span") or (float("nan"), float("nan"))
    differences = window.get("differences") or {"came": window["edges"], "went": 0}
    return (
        window["name"], start, end, window["nodes"], window["edges"], differences["came"], differences["went"], window["steps"],
        number("change"), number("change", "standard_error"), number("error_before"), number("error_after"),
        window["moved"]["went_on"], window["moved"]["restarted"], window.get("passed_over") or "",
    )


class NetworkInTime(NetworkLearning):
    """The part of :class:`NetworkDictionary` that knows time."""

    def iter_fit(self, networks: Any, *, snapshots: bool = True) -> Iterator[Any]:
        """Learn from a network at several times, and yield after each what is known of it.

        The generator may be left at any window: what was learned stays, and :meth:`partial_fit` takes the rest.

        Parameters
        ----------
        networks : Windows, TimedEdges or list of networks
            As of :meth:`fit`.
        snapshots : bool, default True
            Whether a list of networks is one at several times.

        Yields
        ------
        numpy.void
            A row of ``windows_``: of a window that was just learned from, or was passed over.

        Examples
        --------
        >>> import ergodict
        >>> model = ergodict.NetworkDictionary(3, k=4, steps=5, random_state=0)
        >>> [int(window["edges"]) for window in model.iter_fit(["@karate", "@kite"])]
        [78, 18]
        """
        self._prepare(networks, snapshots)
        told = 0
        while self._learner is not None:
            made, end = self._learner.made()[0], self._learner.window_end
            over = made >= end
            self._run(end)
            rows = self.windows_
            # The last row is of the window that was opened to be learned from next, unless all are over.
            last = len(rows) if self._learner.window_end <= self._learner.made()[0] else len(rows) - 1
            for at in range(told, last):
                yield rows[at]
            told = max(told, last)
            if over or self._learner.window_end <= self._learner.made()[0]:
                return

    @property
    def windows_(self) -> npt.NDArray[Any]:
        """What is known of each window that was learned from, as a structured array: ``name``, ``start`` and ``end`` (NaN of snapshots), ``nodes``,
        ``edges``, how many ``came`` and ``went`` since the one before, ``steps``, the ``change`` score and its ``change_error``, the relative
        errors ``error_before`` and ``error_after`` it was learned from, chains that ``went_on`` and that ``restarted``, and why it was
        ``passed_over``. ``pandas.DataFrame(model.windows_)`` is a table of it.
        """
        told = json.loads(self._over_time()[0])
        return np.array([_record(window) for window in told["windows"]], dtype=WINDOW)

    @property
    def dominances_(self) -> npt.NDArray[np.float64]:
        """How strongly the patches of each window use each atom, of shape (windows, n_components); NaN where nothing was learned."""
        return self._over_time()[1]

    @property
    def dictionaries_(self) -> npt.NDArray[np.float32]:
        """The atoms once each window was learned from, of shape (windows kept, n_components, k, k); ``dictionary_windows_`` says which windows."""
        atoms = self._over_time()[2]
        k = self.atoms_.shape[1]
        return atoms.reshape(len(atoms), -1, k, k)

    @property
    def dictionary_windows_(self) -> npt.NDArray[np.int64]:
        """The windows whose dictionaries are kept: all, or, where these would take more than 64 MB, every second, every fourth and so on."""
        return np.array(json.loads(self._over_time()[0])["kept"], dtype=np.int64)

    def _over_time(self) -> tuple[str, npt.NDArray[np.float64], npt.NDArray[np.float32]]:
        found = self._fitted().over_time()
        if found is None:
            raise AttributeError("there are no windows: this dictionary was not learned from a network at several times")
        return found

    def change_score(self, network: Any, steps: Optional[int] = None) -> Any:
        """How far a network has changed from the one that was learned from last. Nothing is learned: a copy of this dictionary learns from it instead.

        The score is that of ``windows_``: log₂ of how much worse the dictionary explains the network than the copy does, less the same on the network
        before. It rests at 0, within its standard error, while the network is of the same kind.

        Parameters
        ----------
        network : Network or what one is made of, or Window
            The network as it is now.
        steps : int, optional
            Minibatches that the copy takes; by default the parameter `steps`.

        Returns
        -------
        numpy.void
            What ``windows_`` would say of the network: ``change``, ``change_error``, ``came``, ``went``, ``error_before`` and so on.

        Examples
        --------
        >>> import ergodict
        >>> ring = [(i, (i + 1) % 40) for i in range(40)]
        >>> model = ergodict.NetworkDictionary(4, k=5, steps=20, schedule="constant:0.1", random_state=0).fit(ring)
        >>> bool(model.change_score("@karate")["change"] > 0.5), model.n_steps_
        (True, 20)
        """
        self._fitted()
        if self._learner is None and self._state is None:
            raise ValueError("a model that was loaded has no network to compare with: partial_fit it on one first")
        given, spans, times = _given(network)
        more = self._steps() if steps is None else options.whole("steps", steps, 1, "at least one is needed")
        other: NetworkInTime = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._learner, other._state = None, self._engine().state()
        other._follow(given, more, spans[0], times)
        other._run(None)
        return other.windows_[-1]

    def _last_network(self) -> Any:
        """The network that was learned from last, of windows of time."""
        windows = self.__dict__.get("_windows")
        if windows is not None and not self._followed():
            learned = [at for at, window in enumerate(self.windows_) if not window["passed_over"]]
            return windows[learned[-1]].network
        return self._named[-1][0]
