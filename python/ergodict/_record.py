"""What a model says of itself: the only module that knows the keys of model headers."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._ergodict import NetworkModel
from ._settings import SCHEME, SETTINGS, NetworkParameters, OnlineParameters

#: What `lazy` is of the words in files; anything else is decided from the network.
_LAZY = {"yes": True, "no": False}

#: What ``windows_`` has of a window.
WINDOW = np.dtype([
    ("name", object), ("start", np.float64), ("end", np.float64), ("nodes", np.int64), ("edges", np.int64), ("came", np.int64),
    ("went", np.int64), ("steps", np.int64), ("change", np.float64), ("change_error", np.float64), ("error_before", np.float64),
    ("error_after", np.float64), ("continued", np.int64), ("restarted", np.int64), ("passed_over", object),
    ("null_low", np.float64), ("null_high", np.float64), ("critical", np.float64), ("p_value", np.float64), ("changed", np.bool_),
])

#: The largest p-value that is called a change.
LEVEL = 0.05


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Record:
    """The header of a model."""

    kind: str
    seed: int
    #: Settings of the online scheme, and of the run, by their keys.
    scheme: dict[str, Any]
    config: dict[str, Any]
    command: str
    #: The methods that learned, in their order; none of a model of the command line.
    methods: Optional[str]
    feature_names: Optional[list[str]]

    @classmethod
    def read(cls, told: dict[str, Any]) -> Record:
        """The record of a header."""
        run = _table(told["run"])
        return cls(
            kind=told["kind"], seed=told["seed"], scheme=told["parameters"], config=_table(run.get("config")),
            command=run.get("command", "factor"), methods=run.get("python"), feature_names=told.get("feature_names"),
        )

    def parameters(self, dictionary: object = None) -> dict[str, Any]:
        """The parameters of the estimator; `dictionary` is a set that no name describes."""
        return self._recorded(dictionary, "factor", OnlineParameters)

    def _recorded(self, dictionary: object, command: str, takes: type) -> dict[str, Any]:
        """What there is of the parameters that a class takes."""
        names = {name: setting.key for name, setting in SETTINGS[command].items() if name in inspect.signature(takes).parameters}
        run = {name: self.config[key] for name, key in names.items() if self.config.get(key) is not None}
        found = {name: self.scheme[key] for name, (key, *_) in SCHEME.items() if key in self.scheme}
        found["dictionary"] = found["dictionary"] if dictionary is None else dictionary
        penalty = self.scheme["lambda"]
        return {**run, **found, "alpha": penalty if isinstance(penalty, str) else penalty / 2.0, "random_state": self.seed}


@dataclass(frozen=True)
class NetworkRecord(Record):
    """The header of a model of networks."""

    f32: bool
    steps: int
    samples: int
    surrogate: float
    history: dict[str, npt.NDArray[Any]]
    k: int
    motif: str
    edges: list[tuple[int, int]]
    directed: bool
    weighted: bool
    chain: dict[str, Any]
    networks: list[dict[str, Any]]
    examples: list[list[dict[str, Any]]]
    dictionary: npt.NDArray[Any]
    dominance: npt.NDArray[np.float64]
    order: npt.NDArray[np.int64]

    @classmethod
    def of_model(cls, model: NetworkModel) -> NetworkRecord:
        """The record of a model."""
        told = model.header()
        base = Record.read(told)
        run, form = _table(told["run"]), told["network"]
        points = history(told["history"])
        last = float(points["surrogate"][-1:].sum())
        f32 = told["precision"] == "f32"
        dominance, order = model.dominance()
        return cls(
            **base.__dict__, f32=f32, dictionary=model.components.astype(np.float32 if f32 else np.float64, copy=False),
            dominance=dominance, order=order, steps=told["steps"], samples=told["samples"],
            surrogate=_table(run.get("results")).get("surrogate_per_sample", last), history=points, k=form["k"], motif=form["motif"],
            edges=[(int(a), int(b)) for a, b in form["edges"]], directed=form["directed"], weighted=form["weighted"],
            chain=_table(run.get("chain")), networks=run.get("networks") or [], examples=run.get("examples") or [],
        )

    @property
    def sampler(self) -> str:
        """The sampler that was used."""
        return str(self.config.get("sampler", "all motif samples"))

    @property
    def is_static(self) -> bool:
        """Whether all motif samples were learned from at once."""
        return bool(self.config.get("static"))

    def parameters(self, dictionary: object = None) -> dict[str, Any]:
        """The parameters of the estimator."""
        config = self.config
        init = config.get("init", "random")
        found: dict[str, Any] = {
            **self._recorded(dictionary, "network learn", NetworkParameters),
            "k": self.k, "motif": self.motif if self.motif in ("path", "star", "cycle", "complete") else self.edges,
            "lazy": _LAZY.get(str(config.get("lazy"))), "dtype": "float32" if self.f32 else "float64",
            "dict_init": init if init in ("random", "data") else "random",
        }
        if found.get("chains") == 1:
            # One chain is what learning takes unless said otherwise, and comparisons then take more.
            del found["chains"]
        if isinstance(found.get("steps"), list):
            # Of snapshots that were learned from for unequal times, the last is what would be gone on with.
            found["steps"] = found["steps"][-1]
        return found


@dataclass(frozen=True)
class OverTime:
    """What a model keeps of windows."""

    #: What their times are: ``numbers``, ``unix`` or ``dates``.
    times: str
    windows: npt.NDArray[Any]
    #: The windows whose dictionaries are kept.
    kept: list[int]
    dominances: npt.NDArray[np.float64]
    dictionaries: npt.NDArray[np.float32]

    @classmethod
    def read(cls, parts: tuple[dict[str, Any], npt.NDArray[np.float64], npt.NDArray[np.float32]]) -> OverTime:
        """Of what the extension gives."""
        told = parts[0]
        rows = np.array([_window(window) for window in told["windows"]], dtype=WINDOW)
        return cls(told["times"], rows, told["kept"], parts[1], parts[2])


def history(told: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """Points along the way, as ``history_`` has them."""

    def column(points: list[dict[str, Any]], key: str) -> npt.NDArray[Any]:
        return np.array([point[key] for point in points], dtype=np.int64 if key in ("t", "samples") else np.float64)

    points, gaps = told["points"], told.get("gaps") or []
    return {
        "step": column(points, "t"), **{key: column(points, key) for key in ("samples", "loss", "surrogate")},
        "gap_step": column(gaps, "t"), **{key: column(gaps, key) for key in ("gap", "change")},
    }


def _window(window: dict[str, Any]) -> tuple[Any, ...]:
    def number(key: str, part: str = "value") -> float:
        found = window.get(key)
        return float("nan") if found is None else float(found[part])

    start, end = window.get("span") or (float("nan"), float("nan"))
    differences = window.get("differences") or {"came": window["edges"], "went": 0}
    return (
        window["name"], start, end, window["nodes"], window["edges"], differences["came"], differences["went"], window["steps"],
        number("change"), number("change", "standard_error"), number("error_before"), number("error_after"),
        window["moved"]["continued"], window["moved"]["restarted"], window.get("passed_over") or "",
        *(number("null", part) for part in ("low", "high", "critical", "p_value")), number("null", "p_value") <= LEVEL,
    )
