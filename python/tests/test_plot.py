"""Pictures: they return axes, and draw the data they should."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse
from matplotlib.colors import to_hex

from ergodict import Ising, Network, NetworkDictionary, Potts, plot
from ergodict.plot._figure import COLORS


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """No figure is left open, and none of the pictures may show itself."""
    shown = plt.show
    plt.show = lambda *_, **__: pytest.fail("a picture showed itself")  # type: ignore[assignment]
    yield
    plt.show = shown
    # One is drawn, as errors show only then; all of them would take most of the time.
    if plt.get_fignums():
        plt.figure(plt.get_fignums()[-1]).canvas.draw()
    plt.close("all")


class Fitted:
    """What the pictures look at in an estimator."""

    def __init__(self, atoms: np.ndarray, **more: Any) -> None:
        self.components_ = atoms.reshape(len(atoms), -1)
        self.__dict__.update(more)

    def get_params(self) -> dict[str, Any]:
        return {}


def drawn(ax: Any) -> np.ndarray:
    return np.asarray(ax.images[0].get_array())


def test_atoms_are_drawn_by_dominance_with_it_in_the_title() -> None:
    atoms = np.random.default_rng(0).random((5, 9))
    model = Fitted(atoms, dominance_=np.array([0.1, 0.4, 0.05, 0.25, 0.2]))
    cells = plot.atoms(model)
    assert [cell.get_title() for cell in cells] == ["0.400", "0.250", "0.200", "0.100", "0.050"]
    for cell, index in zip(cells, [1, 3, 4, 0, 2]):
        np.testing.assert_array_equal(drawn(cell), atoms[index].reshape(3, 3))
    chosen = plot.atoms(model, order=[2, 0], shape=(1, 9))
    np.testing.assert_array_equal(drawn(chosen[0]), atoms[2][None])
    assert len(plot.atoms(model, n=2)) == 2 and len(chosen) == 2
    # Without dominance as they are, and without a title.
    cells = plot.atoms(atoms)
    np.testing.assert_array_equal(drawn(cells[2]), atoms[2].reshape(3, 3))
    assert cells[2].get_title() == ""


def test_atoms_of_both_signs_have_white_at_zero_and_colors_are_colors() -> None:
    signed = np.random.default_rng(0).normal(size=(3, 16))
    for cell in plot.atoms(signed):
        low, high = cell.images[0].get_clim()
        assert low == -high < 0
    assert plot.atoms(np.abs(signed))[0].images[0].get_clim()[0] == 0
    assert drawn(plot.atoms(np.random.default_rng(0).random((2, 48)))[0]).shape == (4, 4, 3)
    assert drawn(plot.atoms(np.ones((2, 7)))[0]).shape == (1, 7)
    assert drawn(plot.atoms(np.ones((2, 3, 5)))[0]).shape == (3, 5)


@pytest.mark.parametrize(
    ("motif", "own"),
    [
        ("path", [(0, 1), (1, 2), (2, 3)]),
        ("star", [(0, 1), (0, 2), (0, 3)]),
        ([(0, 2), (1, 3)], [(0, 2), (1, 3)]),
        ("cycle", [(0, 1), (1, 2), (2, 3), (0, 3)]),
        ("complete", [(i, j) for i in range(4) for j in range(i + 1, 4)]),
    ],
)
def test_atoms_of_networks_are_graphs_whose_own_edges_have_their_color(
    motif: Any, own: list[tuple[int, int]]
) -> None:
    matrix = np.full((1, 4, 4), 0.5)
    model = Fitted(matrix, atoms_=matrix, motif_=motif, dominance_=[1.0])
    (cell,) = plot.atoms(model, kind="graph")
    places = np.asarray(cell.collections[-1].get_offsets())
    assert places.shape == (4, 2)
    counts = {
        to_hex(lines.get_color()[0][:3]).upper(): len(lines.get_segments()) for lines in cell.collections[:-1]
    }
    assert counts.get(COLORS[0], 0) == len(own) and counts.get(COLORS[1], 0) == 6 - len(own)
    mine = next(
        lines for lines in cell.collections[:-1] if to_hex(lines.get_color()[0][:3]).upper() == COLORS[0]
    )
    ends = {
        tuple(sorted(int(np.argmin(np.linalg.norm(places - end, axis=1))) for end in line))
        for line in mine.get_segments()
    }
    assert ends == {tuple(sorted(edge)) for edge in own}
    with pytest.raises(ValueError, match="no matrices between nodes"):
        plot.atoms(np.ones((2, 3, 5)), kind="graph")


def test_given_axes_are_used_and_no_others_are_made() -> None:
    figure, both = plt.subplots(1, 2)
    cells = plot.atoms(np.ones((4, 9)), ax=both[0])
    assert len(both[0].child_axes) == 4 and all(cell.figure is figure for cell in cells)
    assert plot.dominance([0.5, 0.5], ax=both[1]) is both[1]
    _, four = plt.subplots(2, 2)
    assert list(plot.atoms(np.ones((3, 4)), ax=four)) == list(four.ravel()[:3]) and not four[1, 1].axison
    _, one = plt.subplots()
    assert len(plot.reconstruction(np.eye(3), np.eye(3), ax=one)) == 3
    assert plt.get_fignums() == [1, 2, 3]
    with pytest.raises(ValueError, match="ax has 4 axes, but 5 are needed"):
        plot.atoms(np.ones((5, 4)), ax=four)


def test_history_draws_loss_and_surrogate() -> None:
    points = np.array(
        [(1, 10, 3.0, 2.5), (2, 20, 2.0, 2.2)],
        dtype=[("t", int), ("samples", int), ("loss", float), ("surrogate", float)],
    )
    for given in (
        points,
        {name: points[name] for name in points.dtype.names},
        Fitted(np.ones((1, 1)), history_=points),
    ):
        ax = plot.history(given)
        lines = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
        assert lines == {"loss": [[1, 3.0], [2, 2.0]], "surrogate": [[1, 2.5], [2, 2.2]]}
    with pytest.raises(ValueError, match="no history"):
        plot.history({"a": [1]})
    with pytest.raises(ValueError, match="fit it first"):
        plot.history(SimpleNamespace(get_params=dict))


def test_lattices_and_frames_are_the_configurations() -> None:
    chain = Ising((6, 9), every=20, random_state=0)
    np.testing.assert_array_equal(drawn(plot.lattice(chain)), chain.state)
    potts = Potts(7, states=5, random_state=0)
    ax = plot.lattice(potts)
    np.testing.assert_array_equal(drawn(ax), potts.state)
    assert len(ax.figure.axes) == 2, "labels have a color bar"
    many = np.arange(36).reshape(6, 6)
    np.testing.assert_array_equal(drawn(plot.lattice(many)), many)
    states = chain.frames(10)
    cells = plot.frames(states, n=4)
    assert [cell.get_title() for cell in cells] == ["frame 0", "frame 3", "frame 6", "frame 9"]
    np.testing.assert_array_equal(drawn(cells[2]), states[6])
    for bad in (np.ones(3), np.ones((2, 2, 2))):
        with pytest.raises(ValueError):
            plot.lattice(bad)


def test_reconstructions_show_both_and_the_error() -> None:
    rng = np.random.default_rng(0)
    for shape in ((5, 6), (5, 6, 3)):
        given, again = rng.random(shape), rng.random(shape)
        first, second, third = plot.reconstruction(given, again)
        np.testing.assert_array_equal(drawn(first), given)
        np.testing.assert_array_equal(drawn(second), again)
        off = np.abs(again - given)
        np.testing.assert_allclose(drawn(third), off if off.ndim == 2 else off.max(axis=2))
        assert (
            third.get_title() == f"relative error {np.linalg.norm(again - given) / np.linalg.norm(given):.3f}"
        )
        assert third.child_axes[0].get_ylabel() == "off by"
    with pytest.raises(ValueError, match="must be the same"):
        plot.reconstruction(np.ones((2, 3)), np.ones((3, 2)))


def test_roc_curves_have_their_area() -> None:
    ax = plot.roc(([0.0, 0.5, 1.0], [0.0, 1.0, 1.0]))
    assert ax.lines[1].get_xydata().tolist() == [[0, 0], [0.5, 1], [1, 1]]
    assert ax.get_legend_handles_labels()[1] == ["AUC 0.750"]
    ax = plot.roc(
        {"a": SimpleNamespace(fpr=[0, 1], tpr=[0, 1], auc=0.625), "b": {"fpr": [0, 0, 1], "tpr": [0, 1, 1]}}
    )
    assert ax.get_legend_handles_labels()[1] == ["a, AUC 0.625", "b, AUC 1.000"]
    with pytest.raises(TypeError, match="ROC curve"):
        plot.roc(3)
    with pytest.raises(ValueError, match="as many"):
        plot.roc(([0, 1], [0, 0.5, 1]))


def test_adjacency_is_the_matrix_or_the_mean_of_its_blocks() -> None:
    network = Network("@karate")
    ax = plot.adjacency(network)
    np.testing.assert_array_equal(drawn(ax), network.to_scipy().toarray())
    assert len(ax.figure.axes) == 1, "two values need no color bar"
    # Blocks of 3×3, of which the last have one row or column.
    large = scipy.sparse.random(1501, 1501, density=0.01, random_state=0, format="csr")
    ax = plot.adjacency(large)
    padded = np.full((1503, 1503), np.nan)
    padded[:1501, :1501] = large.toarray()
    np.testing.assert_allclose(drawn(ax), np.nanmean(padded.reshape(501, 3, 501, 3), axis=(1, 3)), atol=1e-12)
    assert len(ax.figure.axes) == 2
    assert ax.images[0].get_extent() == [-0.5, 1500.5, 1500.5, -0.5]


def test_comparisons_have_names_and_numbers() -> None:
    values = np.array([[0.9, 0.25], [0.5, 1.0]])
    ax = plot.compare(values, ["a", "<b>"])
    np.testing.assert_array_equal(drawn(ax), values)
    assert [text.get_text() for text in ax.texts] == ["0.90", "0.25", "0.50", "1.00"]
    assert (
        [label.get_text() for label in ax.get_xticklabels()]
        == ["a", "<b>"]
        == [label.get_text() for label in ax.get_yticklabels()]
    )
    pandas = pytest.importorskip("pandas")
    ax = plot.compare(pandas.DataFrame(values, index=["x", "y"], columns=["u", "v"]))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["u", "v"]
    assert not plot.compare(np.ones((20, 20))).texts
    result = SimpleNamespace(matrix=values, names=["k", "l"], measure="jaccard")
    ax = plot.compare(result)
    np.testing.assert_array_equal(drawn(ax), values)
    assert ax.figure.axes[1].get_ylabel() == "jaccard" and ax.get_ylabel() == "dictionary"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["k", "l"]


def test_dominance_falls() -> None:
    ax = plot.dominance(Fitted(np.ones((3, 1)), dominance_=[0.2, 0.5, 0.3]))
    assert [bar.get_height() for bar in ax.patches] == [0.5, 0.3, 0.2]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "0"]


def test_traces_and_autocorrelations_are_of_the_series() -> None:
    series = Ising(8, every=30, random_state=0).record(200)
    top, bottom = plot.trace(series, every=30)
    np.testing.assert_array_equal(top.lines[0].get_ydata(), series["energy"])
    np.testing.assert_array_equal(bottom.lines[0].get_xdata(), 30 * np.arange(1, 201))
    assert bottom.get_xlabel() == "updates"
    _, one = plt.subplots()
    assert plot.trace(series, ax=one) is one and len(one.lines) == 2
    assert len(plot.trace(np.stack([series["energy"], series["magnetization"]])).lines) == 2
    ax = plot.autocorrelation(series["energy"], lags=3)
    x = series["energy"] - series["energy"].mean()
    expected = [np.dot(x[: len(x) - k], x[k:]) / np.dot(x, x) for k in range(4)]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), expected, rtol=1e-9)
    assert ax.get_legend().get_texts()[0].get_text().startswith("τ = ")
    # Bartlett's band at lags 1 to 3.
    edges = ax.collections[0].get_paths()[0].vertices
    for lag in (1, 2, 3):
        error = np.sqrt((1 + 2 * np.sum(np.square(expected[1:lag]))) / len(x))
        assert edges[edges[:, 0] == lag, 1].max() == pytest.approx(1.96 * error)
    with pytest.raises(ValueError, match="constant"):
        plot.autocorrelation(np.ones(100))


@pytest.mark.parametrize("bad", [np.array(["a", "b"]).reshape(1, 2), 3, np.ones(4), np.ones((0, 3)), None])
def test_what_is_no_atoms_is_refused(bad: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        plot.atoms(bad)


def test_orders_and_shapes_that_do_not_fit_are_refused() -> None:
    for arguments in ({"order": [9]}, {"order": [[0]]}, {"order": [0.5]}, {"shape": (2, 2)}, {"shape": (9,)}):
        with pytest.raises(ValueError):
            plot.atoms(np.ones((3, 9)), **arguments)


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install ergodict\[plot\]"):
        plot.atoms(np.ones((2, 4)))


@pytest.mark.parametrize("part", ["_atoms", "_curves", "_matrices", "_pictures"])
def test_the_examples_of_the_parts_run(part: str) -> None:
    import doctest
    import importlib

    done = doctest.testmod(importlib.import_module(f"ergodict.plot.{part}"))
    assert done.attempted > 3 and not done.failed


def test_atoms_of_networks_have_numbers_shapes_and_a_common_scale() -> None:
    atoms = np.zeros((2, 4, 4))
    atoms[0][0, 1], atoms[1][2, 3] = 0.5, 0.25
    more = {"atoms_": atoms, "motif_": [(0, 1), (1, 2), (2, 3)], "dominance_": [0.25, 0.75], "shapes_": ["hub at node 2", "clique (nodes 1–3)"]}
    model = Fitted(atoms, **more)
    cells = plot.atoms(model)
    assert [cell.get_title() for cell in cells] == ["atom 1, 0.750\nclique\n(nodes 1–3)", "atom 0, 0.250\nhub at node 2"]
    assert [cell.images[0].get_clim() for cell in cells] == [(0, 0.5), (0, 0.5)]
    figure = cells[0].figure
    assert len(figure.axes) == 3 and figure.axes[-1].get_ylabel() == "entry of the atom"
    cells = plot.atoms(model, kind="graph")
    assert len(cells[0].figure.legends) == 1 and len(cells[0].figure.axes) == 2
    # In axes that are given there is no room for either.
    _, given = plt.subplots(1, 2)
    for kind in ("matrix", "graph"):
        plot.atoms(model, kind=kind, ax=given)
    assert not given[0].figure.legends and len(given[0].figure.axes) == 2


def test_graphs_of_atoms_have_their_nodes_along_the_motif_and_no_weak_edges() -> None:
    matrix = np.zeros((1, 6, 6))
    matrix[0, 0, 1:] = [1.0, 0.5, 0.2, 0.09, 0.0]
    model = Fitted(matrix, atoms_=matrix, motif_=[(i, i + 1) for i in range(5)], motif_name_="path")

    def edges(threshold: float) -> int:
        (cell,) = plot.atoms(model, kind="graph", threshold=threshold)
        return sum(len(lines.get_segments()) for lines in cell.collections[:-1])

    assert [edges(threshold) for threshold in (0.0, 0.1, 0.2, 0.6, 1.0)] == [4, 3, 3, 1, 1]
    (cell,) = plot.atoms(model, kind="graph")
    places = np.asarray(cell.collections[-1].get_offsets())
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    # Neighbors on the path are equally far apart, and its ends farther.
    assert np.allclose(steps, steps[0]) and np.linalg.norm(places[0] - places[-1]) > 1.2 * steps[0]
    for wrong in ({"kind": "tree"}, {"threshold": -0.1}, {"threshold": 2}):
        with pytest.raises(ValueError):
            plot.atoms(model, **wrong)  # type: ignore[arg-type]


def test_titles_of_graphs_are_whole() -> None:
    model = NetworkDictionary(9, k=10, steps=20, random_state=0).fit("@lesmis")
    for kind in ("graph", "matrix"):
        cells = plot.atoms(model, kind=kind)
        figure = cells[0].figure
        figure.canvas.draw()
        boxes = [cell.title.get_window_extent(figure.canvas.get_renderer()) for cell in cells]
        assert max(box.y1 for box in boxes) < figure.bbox.height and min(box.x0 for box in boxes) > 0, kind
