"""Rich representations: well-formed, escaped, and showing what is there."""

from __future__ import annotations

import base64
import io
import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import ergodict
from ergodict import RBM, XY, CellularPotts, Ising, Network, Potts
from ergodict._repr import (
    EstimatorRepr,
    estimator_html,
    lattice_pixels,
    montage,
    network_html,
    png,
    table_html,
)

HOSTILE = "<script>alert('&\"')</script>"
VOID = {"img", "input", "br", "hr", "meta", "link"}


class Checked(HTMLParser):
    """Elements that are opened are closed, in the right order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes what is not open"

    def handle_data(self, data: str) -> None:
        self.text += data


def checked(html: str) -> Checked:
    html.encode("utf-8")
    parser = Checked()
    parser.feed(html)
    parser.close()
    assert not parser.open, f"never closed: {parser.open}"
    return parser


def picture(parser: Checked) -> np.ndarray:
    """The pixels of the picture in a page."""
    from PIL import Image

    (source,) = [attrs["src"] for tag, attrs in parser.seen if tag == "img"]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(source.removeprefix("data:image/png;base64,")))))


@pytest.mark.parametrize(
    "chain",
    [
        Ising((7, 11), random_state=0),
        Potts(9, random_state=0),
        XY(9, random_state=0),
        CellularPotts(12, cells=3, random_state=0),
        RBM(size=5, random_state=0),
    ],
)
def test_chains_show_their_parameters_and_their_configuration(chain: Any) -> None:
    next(chain)
    parser = checked(chain._repr_html_())
    assert (
        type(chain).__name__ in parser.text
        and "temperature" in parser.text
        and str(chain.updates) in parser.text
    )
    np.testing.assert_array_equal(picture(parser), lattice_pixels(chain.state))
    assert picture(parser).shape == chain.shape


def test_lattices_are_ink_where_spins_are_up_and_large_ones_are_thinned() -> None:
    assert lattice_pixels(np.array([[1, -1], [-1, 1]])).tolist() == [[0, 255], [255, 0]]
    assert lattice_pixels(np.array([[0, 1]])).tolist() == [[255, 0]]
    assert max(lattice_pixels(np.zeros((1000, 300), dtype=np.int8)).shape) <= 256


def test_pictures_are_png_files() -> None:
    from PIL import Image

    for pixels in (
        np.arange(12, dtype=np.uint8).reshape(3, 4) * 20,
        np.arange(36, dtype=np.uint8).reshape(3, 4, 3) * 7,
    ):
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(png(pixels)))), pixels)


def test_montages_hold_each_atom() -> None:
    atoms = np.random.default_rng(0).random((10, 3, 4))
    sheet = montage(atoms, columns=4)
    assert sheet.shape == (3 * 4 - 1, 4 * 5 - 1)
    part = sheet[4:7, 5:9]
    np.testing.assert_array_equal(part, np.round(255 * (1 - atoms[5] / atoms[5].max())).astype(np.uint8))
    signed = montage(np.array([[[0.0, 2.0, -2.0]]]))
    assert signed.tolist() == [[128, 0, 255]]
    assert montage(np.full((1, 2, 2), np.nan)).shape == (2, 2)
    assert montage(np.ones((2, 3, 3, 3))).shape == (3, 7, 3)


class Estimator(EstimatorRepr, BaseEstimator):
    """Stands for one that may be fitted."""

    def __init__(self, label: str = HOSTILE) -> None:
        self.label = label


def test_estimators_keep_the_view_of_scikit_learn_and_add_what_they_learned() -> None:
    from sklearn import config_context

    estimator = Estimator()
    before = checked(estimator._repr_html_())
    assert not [tag for tag, _ in before.seen if tag == "img"] and "Estimator" in before.text
    estimator.components_ = np.random.default_rng(0).random((30, 9))
    estimator.dominance_ = np.linspace(0, 1, 30)
    estimator.n_steps_, estimator.seed_ = 17, 5
    html = estimator._repr_html_()
    parser = checked(html)
    assert "Estimator" in parser.text and "30 of 9 numbers" in parser.text and "17" in parser.text
    assert "the first 24 of 30" in parser.text
    # The most dominant is the last.
    first = picture(parser)[:3, :3]
    atom = estimator.components_[29].reshape(3, 3)
    np.testing.assert_array_equal(first, np.round(255 * (1 - atom / atom.max())).astype(np.uint8))
    assert HOSTILE not in html
    assert estimator._repr_mimebundle_()["text/html"].count("<img") == 1
    with config_context(display="text"):
        assert "text/html" not in estimator._repr_mimebundle_()
    estimator.atoms_ = np.zeros((30, 4, 4))
    assert "30 of 16 numbers" in checked(estimator_html(estimator)).text


def test_networks_show_facts_with_names_escaped() -> None:
    network = Network([(HOSTILE, "b"), ("b", "c\x00\ud800"), ("c\x00\ud800", HOSTILE)])
    html = network_html(network)
    parser = checked(html)
    assert HOSTILE not in html and HOSTILE in parser.text and "\ud800" not in html and "\x00" not in html
    assert re.search(r"nodes\s*3", parser.text) and re.search(r"edges\s*3", parser.text)


def test_tables_show_their_head_escaped() -> None:
    class Rude:
        def __str__(self) -> str:
            raise RuntimeError("no")

    columns = {HOSTILE: [HOSTILE, Rude(), 3, *range(20)], "score": np.linspace(0, 1, 23)}
    html = table_html("Scores <of> pairs", columns, [("method", HOSTILE)])
    parser = checked(html)
    assert HOSTILE not in html and "<script" not in html and "Scores <of> pairs" in parser.text
    assert (
        len([tag for tag, _ in parser.seen if tag == "tr"]) == 1 + 1 + 10
        and "and 13 more rows" in parser.text
    )
    assert "0.0454545" in parser.text and "Rude" in parser.text
    checked(table_html("", {}))


def test_every_object_that_people_look_at_shows_itself() -> None:
    from ergodict import NetworkDictionary, OnlineNMF, denoise

    network = Network([("a", HOSTILE), (HOSTILE, "b"), ("b", "a"), ("b", "c")])
    rows = ergodict.TimedEdges([("a", HOSTILE, 0), (HOSTILE, "b", 5), ("b", "c", 9)])
    in_time = [rows, rows.windows(windows=2)]
    atoms = OnlineNMF(n_components=2, random_state=0).fit(np.random.default_rng(0).random((20, 9)))
    motifs = NetworkDictionary(n_components=2, k=3, steps=2, random_state=0).fit(network)
    shown = [network, atoms, motifs, motifs.reconstruct(network, samples=100, random_state=0)]
    shown += [denoise(network, method="jaccard"), ergodict.ChangingNetwork(network), *in_time]
    for one in shown:
        html = one._repr_html_()
        assert "<script>alert" not in html, type(one)
    pages = [checked(one._repr_html_()) for one in (network, *shown[3:])]
    assert all(HOSTILE in page.text for page in pages[:4])
    assert "common neighbors" in pages[2].text and "2 windows" in pages[-1].text and "rows" in pages[-2].text
    assert "shape" in checked(motifs._repr_html_()).text
    for learned in (atoms, motifs):
        assert "image/png;base64" in learned._repr_mimebundle_()["text/html"]


def test_samplers_comparisons_and_evaluations_are_tables_in_notebooks() -> None:
    sampler = ergodict.sample("@karate", k=3, sampler="glauber", random_state=1)
    sampler.draw(7)
    page = sampler._repr_html_()
    assert "<table" in page and "glauber" in page and "path of 3 nodes" in page and ">7<" in page
    compared = ergodict.compare(["@karate", "@karate"], n_components=2, k=3, steps=3, samples=200, random_state=0)
    page = compared._repr_html_()
    assert page.count("<tr>") >= 3 and "2. @karate" in page and f"{compared.matrix[0, 1]:.3g}" in page and "±" in page and compared.finding in page
    found = ergodict.evaluate([0.9, 0.8, 0.3, 0.7, 0.2, 0.1], [1, 1, 1, 0, 0, 0])
    assert "<table" in found._repr_html_() and "0.888889" in found._repr_html_()
    assert "p-value" in checked(found.against(found)._repr_html_()).text


def test_streams_of_image_patches_are_shown_with_their_image() -> None:
    from ergodict import ImagePatches

    for color in (False, True):
        patches = ImagePatches([np.zeros((600, 5)), "@tessellation"], (4, 5), 9, color=color, random_state=3)
        shown = patches._repr_html_()
        assert "2 of 600×5, 240×240 pixels" in shown and "<td" in shown and "data:image/png;base64," in shown
        assert "(4, 5)" in shown and ">3<" in shown


def test_notes_of_samplers_are_whole() -> None:
    drawn = ergodict.sample(Network([(0, 1), (1, 2), (2, 3), (5, 6)]), k=3, random_state=0)
    assert drawn.notes and max(map(len, drawn.notes)) > 80
    text = checked(drawn._repr_html_()).text
    assert all(note in text for note in drawn.notes)
