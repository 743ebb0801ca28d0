"""Edges with times, and the windows of time they are cut into."""

from __future__ import annotations

import copy
import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union, overload

import numpy as np
import numpy.typing as npt

from . import _check, _ergodict, convert
from ._times import ids_of, length, moments_of, of_rows, of_table, removals, shown
from ._warn import warn
from .network import Network

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Window:
    """A network at one time.

    Parameters
    ----------
    network : Network
        The network; without nodes where nothing is in the window.
    start, end : float or numpy.datetime64
        When the window begins and ends; what happens at its end belongs to the next.
    name : str
        Both in words.
    kind : str, optional
        What they are: ``"dates"``, ``"unix"`` for seconds since 1970, or ``"numbers"`` of any unit; by default dates where `start` is one, else numbers.

    Examples
    --------
    >>> import ergodict
    >>> rows = ergodict.TimedEdges([("a", "b", 0), ("b", "c", 5), ("c", "d", 9)])
    >>> rows.windows(windows=3)[1].network.nodes
    ['b', 'c']
    """

    network: Network
    start: Any
    end: Any
    name: str
    kind: str = ""

    def __post_init__(self) -> None:
        if not self.kind:
            object.__setattr__(self, "kind", "dates" if isinstance(self.start, np.datetime64) else "numbers")
        if self.kind not in ("dates", "unix", "numbers"):
            raise ValueError(f"kind is {self.kind!r}, but it must be 'dates', 'unix' or 'numbers'")


class TimedEdges:
    """Edges with the times they were seen at.

    Parameters
    ----------
    data : table, array, list or path
        A pandas or polars table; an array or list of rows ``u, v, t`` or ``u, v, w, t``; or a time-stamped edge list that
        ``ergodict network learn --timestamps`` takes. As in files, rows remove their edge where all weights are 1 or -1 and theirs is -1, where ``"-"``
        replaces the weight, or where a column ``op`` has ``-`` or ``remove``.
    source, target, time, weight : str, optional
        The columns of a table: by default, as those of a file with a header, ``source`` and ``target`` or the like, or the first two that are nothing
        else; the first called ``time``, ``date``, ``timestamp`` or the like; ``weight`` where there is one. Of a file they are names of columns, or numbers
        from 1.
    directed : bool, default None
        Whether edges have directions; by default as in the file, else undirected.
    weighted : bool, optional
        True wants weights: rows are counted where they have none. False ignores them. By default they are used where there are any.
    loops : bool, default False
        Whether edges from a node to itself are kept.
    header : {"auto", "yes", "no"}, optional
        Whether the first row of a file names its columns; by default that is recognized.

    Notes
    -----
    Times are numbers in any unit, or dates: ``datetime64``, ``datetime``, pandas timestamps and text of ISO 8601, in UTC by
    default. Ids are hashable, as in :class:`Network`.

    Examples
    --------
    >>> import ergodict
    >>> rows = ergodict.TimedEdges([("a", "b", "2004-05-01"), ("b", "c", "2004-05-03"), ("a", "c", "2004-05-09")])
    >>> rows
    TimedEdges(3 rows, 3 nodes, 2004-05-01 to 2004-05-09)
    >>> [window.network.n_edges for window in rows.windows("7d")]
    [2, 1]
    """

    def __init__(
        self,
        data: Any,
        *,
        source: Any = None,
        target: Any = None,
        time: Union[None, str, int] = None,
        weight: Any = None,
        directed: Optional[bool] = None,
        weighted: Optional[bool] = None,
        loops: bool = False,
        header: Optional[str] = None,
    ) -> None:
        if isinstance(data, (str, os.PathLike)):
            columns = {"source": source, "target": target, "weight": weight}
            table = {name: None if column is None else str(column) for name, column in columns.items()}
            self._read(os.fspath(data), time, directed, weighted, loops, {**table, "header": header})
            return
        if header is not None:
            raise ValueError("header is given, but it has no meaning for what is no file: leave it out")
        if hasattr(data, "collect"):
            data = data.collect()
        if hasattr(data, "columns") and not isinstance(data, np.ndarray):
            asked = {"source": source, "target": target, "weight": weight, "time": time}
            found = of_table(data, directed, asked, weighted is not False)
        else:
            for name, value in (("source", source), ("target", target), ("time", time), ("weight", weight)):
                if value is not None:
                    raise ValueError(f"{name} is given, but it has no meaning for rows: leave it out, or use TimedEdges.from_columns")
            found = of_rows(data)
        weights, removes = removals(found.weights, found.operations, weighted is False)
        directed = directed if found.directed is None else found.directed
        self._make(found.u, found.v, found.times, weights, removes, directed, weighted, loops)

    @classmethod
    def from_columns(
        cls,
        u: Any,
        v: Any,
        times: Any,
        weight: Any = None,
        removes: Any = None,
        *,
        directed: Optional[bool] = None,
        weighted: Optional[bool] = None,
        loops: bool = False,
    ) -> TimedEdges:
        """Edges with times of columns: both ends, times, and weights.

        Parameters
        ----------
        u, v : arrays
            Both ends of each edge.
        times : array
            When each was seen.
        weight : array, optional
            Weights.
        removes : array of bool, optional
            Rows that take the edge away which rows before them made: edges then stay until one does.
        directed, weighted, loops
            As of the class.

        Returns
        -------
        TimedEdges
            The rows, in the order of time.

        Examples
        --------
        >>> import ergodict
        >>> len(ergodict.TimedEdges.from_columns([1, 2], [2, 3], [10.0, 20.0]))
        2
        """
        made = cls.__new__(cls)
        made._make(u, v, times, weight, removes, directed, weighted, loops)
        return made

    @classmethod
    def read(cls, path: Path, **options: Any) -> TimedEdges:
        """Read a time-stamped edge list, also a compressed one; the options are those of the class.

        Parameters
        ----------
        path : str or path-like
            The file.
        **options
            ``source``, ``target``, ``time``, ``weight``, ``header``, ``directed``, ``weighted`` and ``loops``.

        Returns
        -------
        TimedEdges
            The rows, in the order of time.

        Examples
        --------
        >>> import ergodict, os, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "calls.csv")
        ...     _ = path.write_text("when,caller,called\\n3,ann,bob\\n5,bob,cleo\\n")
        ...     len(ergodict.TimedEdges.read(path, time="when", source="caller", target="called"))
        2
        """
        return cls(os.fspath(path), **options)

    def _read(
        self, path: str, time: Any, directed: Optional[bool], weighted: Optional[bool], loops: bool, table: dict[str, Optional[str]]
    ) -> None:
        column = None if time is None else str(time)
        self._core = _ergodict.TimedEdges.read(path, column, directed, weighted, **table)
        self._own: Optional[list[Hashable]] = None
        _, self._directed, notes = self._core.decisions or ("", False, [])
        for words in notes:
            warn(f"{os.path.basename(path)}: {words}")
        self._weighted, self._loops, self._column = weighted, _check.flag(loops, "loops"), column or "auto"
        #: What is learned from is called, and known, by the file.
        self.name, self._digest = os.path.basename(path), _ergodict.input_digest(path)

    def _make(
        self, u: Any, v: Any, times: Any, weight: Any, removes: Any, directed: Optional[bool], weighted: Optional[bool], loops: bool
    ) -> None:
        first, second = ids_of(u), ids_of(v)
        if first.ndim != 1 or second.ndim != 1 or len(first) != len(second):
            raise ValueError(f"the ends of edges are of shapes {first.shape} and {second.shape}, but they must be columns of one length")
        moments, dates = moments_of(times)
        numbers = None if weight is None or weighted is False else convert._numbers(weight, "a weight")
        gone = None if removes is None else np.require(removes, dtype=bool, requirements=["C", "A"])
        for what, column in (("times", moments), ("weights", numbers), ("removals", gone)):
            if column is not None and column.shape != first.shape:
                raise ValueError(f"the {what} are of shape {column.shape}, but there are {len(first)} edges")
        one, two = convert._integers(first), convert._integers(second)
        self._own = None
        if one is not None and two is not None:
            self._core = _ergodict.TimedEdges.of_integers(one, two, moments, numbers, gone, dates)
        else:
            self._number(first.tolist(), second.tolist(), moments, numbers, gone, dates)
        self._directed, self._weighted, self._loops = bool(directed), weighted, _check.flag(loops, "loops")
        self._column, self.name, self._digest = "auto", "edges", ""

    def _number(self, u: list[Any], v: list[Any], times: Any, weights: Any, removes: Any, dates: bool) -> None:
        """Ids that are not integers: words by their bytes, others in the order they come in."""
        places: dict[Hashable, int] = {}
        try:
            flat = [places.setdefault(one, len(places)) for pair in zip(u, v) for one in pair]
        except TypeError as error:
            raise TypeError(f"ids of nodes must be hashable: {error}") from None
        ends, nodes = np.array(flat, dtype=np.uint32), list(places)
        order = _ergodict.order_of_names(nodes) if all(map(convert._is_word, nodes)) else None  # type: ignore[arg-type]
        names = None
        if order is None:
            self._own = nodes
        else:
            rank = np.empty(len(nodes), dtype=np.uint32)
            rank[order] = np.arange(len(nodes), dtype=np.uint32)
            ends, names = rank[ends], [str(nodes[place]) for place in order]
        self._core = _ergodict.TimedEdges.of_numbers(
            len(nodes), np.ascontiguousarray(ends[::2]), np.ascontiguousarray(ends[1::2]), times, weights, removes, dates, names
        )
        if names is not None and not isinstance(self._core.names(), list):
            # Words that are all integers are ordered as integers, and are words still.
            self._own = list(names)

    @property
    def decisions(self) -> Optional[str]:
        """How the file was read, in one line."""
        decisions = self._core.decisions
        return None if decisions is None else decisions[0]

    @property
    def is_directed(self) -> bool:
        """Whether edges have directions."""
        return self._directed

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self._core.n_nodes

    @property
    def times(self) -> npt.NDArray[Any]:
        """The times of the rows, ascending: numbers, or datetime64 where dates were given."""
        return shown(self._core.times(), self._core.kind)

    def windows(
        self,
        window: Any = None,
        stride: Any = None,
        windows: Optional[int] = None,
        cumulative: bool = False,
    ) -> Windows:
        """Cut time into windows, each of which is a network.

        Parameters
        ----------
        window : float, str or timedelta, optional
            The length of a window: a number in the unit of the times or, of dates and seconds since 1970, with a unit, such as ``"12h"`` or ``"7d"``.
        stride : float, str or timedelta, optional
            From the beginning of one to that of the next; by default the length of a window.
        windows : int, optional
            Number of windows of equal length instead; 20 by default.
        cumulative : bool, default False
            Whether edges stay once they have come.

        Returns
        -------
        Windows
            A sequence of :class:`Window`, made when they are asked for.

        Examples
        --------
        >>> import ergodict
        >>> rows = ergodict.TimedEdges([(0, 1, 0.0), (1, 2, 10.0), (2, 3, 20.0)])
        >>> [one.network.n_edges for one in rows.windows(10, cumulative=True)]
        [1, 2, 3]
        """
        return Windows(self, window, stride, windows, cumulative)

    def __len__(self) -> int:
        return len(self._core)

    def __getstate__(self) -> dict[str, Any]:
        u, v, weights, removes = self._core.columns()
        facts = {name: value for name, value in self.__dict__.items() if name != "_core"}
        columns = {"u": u, "v": v, "times": self._core.times(), "weights": weights, "removes": removes}
        return {"facts": facts, "columns": columns, "names": self._core.names(), "n": self.n_nodes, "dates": self._core.kind == "dates"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["facts"])
        names, columns = state["names"], state["columns"]
        rest = (columns["times"], columns["weights"], columns["removes"], state["dates"])
        if isinstance(names, np.ndarray):
            self._core = _ergodict.TimedEdges.of_integers(names[columns["u"]], names[columns["v"]], *rest)
        else:
            self._core = _ergodict.TimedEdges.of_numbers(state["n"], columns["u"], columns["v"], *rest, names)

    def __repr__(self) -> str:
        times = self._core.times()
        first, last = self._core.show(times[0]), self._core.show(times[-1])
        return f"TimedEdges({len(self)} rows, {self.n_nodes} nodes, {first} to {last})"

    def _repr_html_(self) -> str:
        from ._repr import table_html

        times = self._core.times()
        facts = [
            ("rows", len(self)), ("nodes", self.n_nodes), ("from", self._core.show(times[0])), ("to", self._core.show(times[-1])),
            ("directed", "yes" if self.is_directed else "no"),
        ]
        return table_html("TimedEdges", {}, facts)


class Windows(Sequence[Window]):
    """Windows of time: a sequence of networks, each made when it is asked for.

    :meth:`TimedEdges.windows` makes them. ``NetworkDictionary.fit`` learns from them one after the other.

    Parameters
    ----------
    rows : TimedEdges
        The edges.
    window, stride : float, str or timedelta, optional
        As of :meth:`TimedEdges.windows`.
    windows : int, optional
        Number of windows instead.
    cumulative : bool, default False
        Whether edges stay once they have come.

    Examples
    --------
    >>> import ergodict
    >>> rows = ergodict.TimedEdges([(0, 1, 0.0), (1, 2, 10.0), (2, 3, 20.0)])
    >>> windows = rows.windows(windows=2)
    >>> len(windows), windows[0].network
    (2, Network(2 nodes, 1 edge, undirected, unweighted))
    """

    def __init__(
        self, rows: TimedEdges, window: Any = None, stride: Any = None, windows: Optional[int] = None, cumulative: bool = False
    ) -> None:
        if window is None and stride is not None:
            raise ValueError("stride is given, but no window: give the length of a window, too")
        if window is not None and windows is not None:
            raise ValueError("window and windows are given, but only one of them can be")
        if windows is not None:
            windows = _check.count(windows, "windows", expected="at least one is needed")
        self.rows = rows
        #: As a configuration of the command line has it.
        self._timing: dict[str, Any] = {
            "timestamps": rows._column, "window": length("window", window), "stride": length("stride", stride),
            "windows": _ergodict.DEFAULT_WINDOWS if windows is None else windows, "cumulative": _check.flag(cumulative, "cumulative"),
        }
        self._core = _ergodict.Windows(
            rows._core, self._timing["window"], self._timing["stride"], windows,
            self._timing["cumulative"], rows.is_directed, rows._weighted, rows._loops,
        )

    def __len__(self) -> int:
        return len(self._core)

    def _unweighted(self) -> Windows:
        """The same windows of rows without weights."""
        state = self.__getstate__()
        state["rows"] = copy.copy(self.rows)
        state["rows"]._weighted = False
        made = Windows.__new__(Windows)
        made.__setstate__(state)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {"rows": self.rows, "timing": self._timing, "many": self._timing["windows"] if self._timing["window"] is None else None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        timing = state["timing"]
        self.__init__(state["rows"], timing["window"], timing["stride"], state["many"], timing["cumulative"])  # type: ignore[misc]

    @overload
    def __getitem__(self, at: int) -> Window: ...
    @overload
    def __getitem__(self, at: slice) -> list[Window]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        place = at + len(self) if at < 0 else at
        if not 0 <= place < len(self):
            raise IndexError(f"there is no window {at}: there are {len(self)}")
        start, end, name = self._core.span(place)
        core = self._core.network(place)
        span = shown(np.array([start, end]), self.rows._core.kind)
        return Window(self._network(core), span[0], span[1], name, self.rows._core.kind)

    def __iter__(self) -> Iterator[Window]:
        return (self[at] for at in range(len(self)))

    def _network(self, core: _ergodict.Network) -> Network:
        names = core.names()
        own = self.rows._own
        if own is None or isinstance(names, list):
            return Network._of(core)
        numbers: Any = range(core.n_nodes) if names is None else names
        all_names = self.rows._core.names()
        if isinstance(all_names, np.ndarray):
            numbers = np.searchsorted(all_names, np.asarray(numbers))
        return Network._of(core, [own[int(number)] for number in numbers])

    def __repr__(self) -> str:
        return f"Windows({len(self)} of {self.rows!r})"

    def _repr_html_(self) -> str:
        from ._repr import table_html

        spans = [self._core.span(at) for at in range(len(self))]
        show = self.rows._core.show
        columns: dict[str, list[Any]] = {"window": list(range(len(self))), "from": [show(span[0]) for span in spans], "to": [show(span[1]) for span in spans]}
        return table_html(f"{len(self)} windows of {self.rows!r}", columns)


def read_timestamps(path: Path, time: Union[None, str, int] = None, **options: Any) -> TimedEdges:
    """Read a time-stamped edge list, as ``ergodict network learn --timestamps`` does.

    Parameters
    ----------
    path : path
        Text with rows ``u v t`` or ``u v w t``, or with columns that a header names; also compressed.
    time : str or int, optional
        The column of the times: its name, or its number, counted from 1.
    **options
        The others of :meth:`TimedEdges.read`.

    Returns
    -------
    TimedEdges
        The rows.

    Examples
    --------
    >>> import ergodict
    >>> with open("rows.txt", "w") as file:
    ...     _ = file.write("a b 1082040961\\nb c 1082155839\\n")
    >>> ergodict.read_timestamps("rows.txt").times
    array([1.0820e+09, 1.0822e+09])
    """
    return TimedEdges.read(path, time=time, **options)
