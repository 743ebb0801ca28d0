"""Times and columns of edges, however they are given, as what the extension takes."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _ergodict, convert
from ._warn import warn


def length(name: str, value: Any) -> Optional[str]:
    """A length of time as the command line writes it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        seconds = np.timedelta64(value) / np.timedelta64(1, "us") / 1e6
        return f"{float(seconds)!r}s"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {value!r}, but it must be a number, text such as '7d' or a timedelta")
    if not value > 0:
        raise ValueError(f"{name} is {value}, but it must be above 0")
    return repr(value.item() if isinstance(value, np.generic) else value)


def shown(moments: npt.NDArray[np.float64], kind: str) -> npt.NDArray[Any]:
    """Moments as they were given: numbers, or dates."""
    if kind != "dates":
        return moments
    return np.round(moments * 1e3).astype(np.int64).astype("datetime64[ms]")


def moments_of(values: Any) -> tuple[npt.NDArray[np.float64], bool]:
    """Times as numbers, and whether they are dates: seconds since 1970 then."""
    zone = getattr(getattr(values, "dtype", None), "tz", None)
    if zone is not None and hasattr(values, "dt"):
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.dtype.kind == "M":
        if np.any(np.isnat(array)):
            raise ValueError("a time is missing, but every edge must have one")
        return np.ascontiguousarray(array.astype("datetime64[us]").astype(np.int64) / 1e6), True
    listed = array.tolist() if array.dtype.kind in "OUS" else []
    if listed and all(isinstance(one, str) for one in listed):
        moments = _ergodict.parse_moments(listed)
        wrong = np.flatnonzero(np.isnan(moments))
        if wrong.size:
            raise ValueError(f"a time is {listed[wrong[0]]!r}, but it must be a number, or a date such as 2004-05-01 or 2004-05-01T12:30:00Z")
        return moments, True
    if listed and all(isinstance(one, datetime.date) for one in listed):
        return np.array([_seconds(one) for one in listed]), True
    if array.size == 0:
        array = array.astype(np.float64)
    return convert._numbers(array, "a time"), False


def _seconds(one: datetime.date) -> float:
    if not isinstance(one, datetime.datetime):
        one = datetime.datetime(one.year, one.month, one.day)
    aware = one if one.tzinfo is not None else one.replace(tzinfo=datetime.timezone.utc)
    return aware.timestamp()


def ids_of(column: Any) -> npt.NDArray[Any]:
    """A column of ids; a list may hold whatever is hashable, also tuples, of which numpy would make an axis."""
    if not isinstance(column, (list, tuple)) or all(map(convert._is_integer, column)):
        return np.asarray(column)
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array


@dataclass(frozen=True)
class TimedColumns:
    """Both ends, times and, where there are any, weights, what becomes of the edges, and whether they have directions."""

    u: Any
    v: Any
    times: Any
    weights: Any = None
    operations: Any = None
    directed: Optional[bool] = None


_MAKES = ("+", "+1", "1", "a", "add", "added", "insert", "create", "c")
_REMOVES = ("-", "-1", "\N{MINUS SIGN}", "d", "r", "delete", "deleted", "remove", "removed")


def removals(weights: Any, operations: Any, ignored: bool) -> tuple[Any, Optional[npt.NDArray[np.bool_]]]:
    """Weights, and which rows remove their edge: as operations say, or, without any, those of weight -1 where all are 1 or -1."""
    if operations is not None:
        return weights, np.array([_operation(one) in _REMOVES for one in operations], dtype=bool)
    if weights is None:
        return None, None
    try:
        numbers = convert._numbers(weights, "a weight")
    except (TypeError, ValueError):
        if ignored:
            return None, None
        raise
    if numbers.ndim == 1 and np.any(numbers < 0) and np.all(np.abs(numbers) == 1.0):
        return None, numbers < 0
    return numbers, None


def _operation(one: Any) -> str:
    whole = isinstance(one, (float, np.floating)) and float(one).is_integer()
    word = str(int(one)) if whole else str(one).strip().lower()
    if word not in (*_MAKES, *_REMOVES):
        raise ValueError(f"what becomes of an edge is {one!r}, but it must be + or - (or add, remove)")
    return word


def of_table(table: Any, directed: Optional[bool], asked: dict[str, Any], weighted: bool) -> TimedColumns:
    """The columns of a table, found by the rules that files with a header are read by, and those of pairs where columns have no names."""
    table = convert.with_index(table)
    columns = convert.Columns.of(table, asked)
    given = columns.given
    if not columns.named:
        given = {**given, "time": given["time"] or columns.names[-1]}
    with columns.labeled():
        u, v, w, direction, time, operation, notes = _ergodict.timed_columns(
            columns.names, columns.rows(), **given, named=columns.named, weighted=weighted
        )
    if directed is not False and direction is not None:
        directed = columns.directed(direction, directed)
    weights, operations = (None if at is None else columns.complete(at) for at in (w, operation))
    if not columns.named and operations is None:
        weights, operations = _third(weights)
    for words in notes:
        warn(f"table: {words}")
    return TimedColumns(columns.complete(u), columns.complete(v), columns.series(time), weights, operations, directed)


def of_rows(data: Any) -> TimedColumns:
    """Rows of both ends and a time, with a weight before it where there are four."""
    if isinstance(data, np.ndarray):
        if data.ndim != 2 or data.shape[1] not in (3, 4):
            raise ValueError(f"the array is of shape {data.shape}, but it must be (m, 3) or (m, 4): both ends, a weight where there is one, and a time")
        return TimedColumns(data[:, 0], data[:, 1], data[:, -1], *_third(data[:, 2] if data.shape[1] == 4 else None))
    if not hasattr(data, "__iter__"):
        raise TypeError(f"{type(data).__name__} is no list of edges with times: expected a table, rows or the path of a file")
    rows = list(data)
    for at, row in enumerate(rows):
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) not in (3, 4) or len(row) != len(rows[0]):
            raise TypeError(f"row {at} is {row!r}, but it must be two ids and a time, or two ids, a weight and a time, as all others")
    if not rows:
        raise ValueError("there is no row, but at least one is needed")
    parts = [list(part) for part in zip(*rows)]
    return TimedColumns(parts[0], parts[1], parts[-1], *_third(parts[2] if len(parts) == 4 else None))


def _third(column: Any) -> tuple[Any, Any]:
    """A third column as weights, or as what becomes of edges: a bare sign is no number, so that it can be nothing else."""
    signs = column is not None and all(isinstance(one, str) and one in ("+", "-") for one in column)
    return (None, column) if signs else (column, None)
