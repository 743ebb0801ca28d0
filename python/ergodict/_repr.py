"""Rich representations in notebooks: tables and small pictures as HTML, made here so that they need no other package."""

from __future__ import annotations

import base64
import itertools
import math
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

#: Atoms that a picture shows at most.
MOST_ATOMS = 24
#: Pixels along a side of a picture from which on it is thinned.
MOST_PIXELS = 256
#: Pixels that a small picture is enlarged to, at most.
WIDTH = 400
#: Rows of a table that are shown.
HEAD = 10

_STYLE = "font-family:sans-serif;font-size:90%"
_CELL = "padding:1px 8px;text-align:left;border:none"


class EstimatorRepr:
    """A mixin before scikit-learn's own: its view of the parameters, and below it what was learned."""

    def _repr_html_(self) -> str:
        return estimator_html(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        from sklearn import get_config

        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_()
        return bundle


def estimator_html(estimator: Any) -> str:
    """scikit-learn's view of the parameters, and when fitted the facts and a picture of the atoms."""
    from sklearn.utils import estimator_html_repr

    parameters = str(estimator_html_repr(estimator))
    learned = getattr(estimator, "components_", None)
    if learned is None:
        return parameters
    from .plot._figure import order_of, shaped

    atoms = np.asarray(getattr(estimator, "atoms_", learned), dtype=np.float64)
    facts: list[tuple[str, object]] = [("atoms", f"{len(atoms)} of {math.prod(atoms.shape[1:])} numbers")]
    for name, attribute in (
        ("steps", "n_steps_"),
        ("surrogate per sample", "surrogate_"),
        ("held-out loss", "held_out_loss_"),
        ("seed", "seed_"),
    ):
        value = getattr(estimator, attribute, None)
        if value is not None and np.ndim(value) == 0:
            facts.append((name, value))
    explained = getattr(estimator, "explained_", None)
    if isinstance(explained, dict):
        atoms_share, mean_share = (f"{100 * explained[one]:.3g} %" for one in ("atoms", "mean_sample"))
        facts.insert(1, ("explained", f"{atoms_share} (mean sample alone: {mean_share})"))
    order = order_of(estimator, len(atoms), None)[:MOST_ATOMS]
    picture = montage(shaped(atoms, None)[order])
    more = f" (the first {len(order)} of {len(atoms)})" if len(order) < len(atoms) else ""
    words = (
        f"atoms, the most dominant first{more}"
        if getattr(estimator, "dominance_", None) is not None
        else f"atoms{more}"
    )
    below = _image(picture, words, words)
    shapes = getattr(estimator, "shapes_", None)
    if shapes is not None:
        columns: dict[str, list[Any]] = {
            "atom": order.tolist(), "dominance": [f"{estimator.dominance_[atom]:.3f}" for atom in order],
            "shape": [shapes[atom] for atom in order],
        }
        below += table_html("", columns, rows=5)
    return parameters + _block("", facts, below)


def chain_html(chain: Any) -> str:
    """The parameters of a chain, and its present configuration."""
    facts: list[tuple[str, object]] = [*chain._shown()]
    facts += [("random_state", chain.seed_), ("updates", chain.updates)]
    if chain.acceptance_ is not None:
        facts.append(("acceptance", f"{chain.acceptance_:.3f}"))
    rows, cols = chain.shape
    words = f"the configuration of {rows}×{cols} sites after {chain.updates} updates"
    return _block(type(chain).__name__, facts, _image(lattice_pixels(chain.state), words))


def patches_html(patches: Any) -> str:
    """The parameters of a stream of patches, and its first image."""
    from ._image import shaped

    sizes = ", ".join(f"{rows}×{cols}" for _, rows, cols, _ in patches._images)
    names = ("size", "n", "sampling", "boundary", "color")
    facts: list[tuple[str, object]] = [("images", f"{len(patches._images)} of {sizes} pixels")]
    facts += [(name, getattr(patches, name)) for name in names]
    facts.append(("random_state", patches.seed_))
    image = shaped(*patches._images[0])
    step = -(-max(image.shape[0], image.shape[1], 1) // MOST_PIXELS)
    pixels = np.round(255 * np.clip(image[::step, ::step], 0, 1)).astype(np.uint8)
    return _block("ImagePatches", facts, _image(pixels, "the first image that patches are cut from"))


def network_html(network: Any) -> str:
    """The facts of a network, and the first of its nodes."""
    facts: list[tuple[str, object]] = [("nodes", network.n_nodes), ("edges", network.n_edges)]
    for name, attribute in (("directed", "is_directed"), ("weighted", "is_weighted")):
        if hasattr(network, attribute):
            facts.append((name, "yes" if getattr(network, attribute) else "no"))
    if hasattr(network, "__iter__"):
        first = ", ".join(_plain(one) for one in itertools.islice(network, 8))
        facts.append(("first nodes", first + (", …" if network.n_nodes > 8 else "")))
    return _block("Network", facts, "")


def table_html(
    title: str,
    columns: Mapping[str, Sequence[Any]],
    facts: Iterable[tuple[str, object]] = (),
    rows: int = HEAD,
) -> str:
    """The first rows of a table, such as reconstructed pairs or denoising scores, with facts above it."""
    count = max((len(column) for column in columns.values()), default=0)
    header = "".join(
        f'<th style="{_CELL};border-bottom:1px solid">{escape(str(name))}</th>' for name in columns
    )
    lines = []
    for i in range(min(rows, count)):
        cells = (
            f'<td style="{_CELL}">{_text(column[i]) if i < len(column) else ""}</td>'
            for column in columns.values()
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    rest = f"<div>and {count - rows} more rows</div>" if count > rows else ""
    table = f'<table style="border-collapse:collapse"><thead><tr>{header}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    return _block(title, facts, table + rest if columns else "")


def _block(title: str, facts: Iterable[tuple[str, object]], below: str) -> str:
    """A title, a table of facts, and what is below."""
    lines = [
        f'<tr><th style="{_CELL};font-weight:normal;opacity:.7">{escape(str(name))}</th><td style="{_CELL}">{escape(_plain(value)) if name == "note" else _text(value)}</td></tr>'
        for name, value in facts
    ]
    head = f"<div><b>{escape(title)}</b></div>" if title else ""
    table = (
        f'<table style="border-collapse:collapse"><tbody>{"".join(lines)}</tbody></table>' if lines else ""
    )
    return f'<div style="{_STYLE}">{head}{table}{below}</div>'


def _text(value: object) -> str:
    """A value in a cell, short and escaped."""
    text = _plain(value)
    return escape(text if len(text) <= 80 else text[:79] + "…")


def _plain(value: object) -> str:
    """A value in characters that an HTML document may hold."""
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.6g}"
    try:
        text = str(value)
    except Exception:  # an id's own __str__ may fail, and a notebook must not for it
        text = f"<{type(value).__name__}>"
    # Characters that no HTML document may hold, lone surrogates among them, which ids can have.
    return "".join(
        c if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _image(pixels: npt.NDArray[np.uint8], words: str, caption: str = "") -> str:
    """A picture as an element of its own, enlarged without smoothing where it is small."""
    rows, cols = pixels.shape[:2]
    scale = max(1, min(8, WIDTH // max(rows, cols, 1)))
    data = base64.b64encode(png(pixels)).decode("ascii")
    below = f'<div style="opacity:.7">{escape(caption)}</div>' if caption else ""
    return (
        f'<img alt="{escape(words)}" width="{cols * scale}" height="{rows * scale}" '
        f'style="image-rendering:pixelated;border:1px solid #ccc;max-width:none" src="data:image/png;base64,{data}"/>{below}'
    )


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A PNG file of 8 bits: gray (rows, cols) or color (rows, cols, 3)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, cols = pixels.shape[:2]
    color = 2 if pixels.ndim == 3 else 0
    lines = np.ascontiguousarray(pixels, dtype=np.uint8).reshape(rows, -1)
    # Each line begins with its filter, none.
    data = np.hstack([np.zeros((rows, 1), np.uint8), lines]).tobytes()
    header = struct.pack(">IIBBBBB", cols, rows, 8, color, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(data, 9))
        + chunk(b"IEND", b"")
    )


def montage(atoms: npt.NDArray[np.float64], columns: Optional[int] = None) -> npt.NDArray[np.uint8]:
    """Atoms of shape (r, rows, cols) or (r, rows, cols, 3) side by side: ink on paper, or gray in the middle where there are both signs."""
    count, rows, cols = atoms.shape[:3]
    wide = columns or max(1, min(count, 8 if cols <= 4 * rows else 1))
    high = -(-count // wide)
    gap = 1 if max(rows, cols) < 24 else 2
    shape = (high * (rows + gap) - gap, wide * (cols + gap) - gap)
    sheet = np.full(shape if atoms.ndim == 3 else (*shape, 3), 255, dtype=np.uint8)
    signed = bool(np.any(atoms < 0))
    for i, atom in enumerate(np.nan_to_num(atoms)):
        most = float(np.abs(atom).max()) or 1.0
        shade = atom / most
        shade = 0.5 - shade / 2 if signed else 1 - shade
        # Of colors more is lighter; of ink darker.
        shade = 1 - shade if atoms.ndim == 4 else shade
        row, col = divmod(i, wide)
        at = (
            slice(row * (rows + gap), row * (rows + gap) + rows),
            slice(col * (cols + gap), col * (cols + gap) + cols),
        )
        sheet[at] = np.round(255 * np.clip(shade, 0, 1)).astype(np.uint8)
    return sheet


def lattice_pixels(state: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """A configuration in shades of gray, thinned when it is large."""
    step = -(-max(*state.shape, 1) // MOST_PIXELS)
    values = np.asarray(state[::step, ::step], dtype=np.float64)
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 1.0)
    shades = 255 * (high - values) / (high - low)
    return np.round(shades).astype(np.uint8)


def imported_pandas() -> Any:
    """The package pandas, for `to_pandas`."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas needs pandas: pip install ergodict[networks]") from error
    return pandas
