"""Reports: the pages that the command line writes, of results that Python holds."""

from __future__ import annotations

import html
import pathlib
import pickle
import re
from collections.abc import Callable
from typing import Any

import networkx
import numpy as np
import pytest

import ergodict
from ergodict import ImagePatches, Ising, NetworkDictionary, OnlineNMF, TimedEdges


def timeless(path: pathlib.Path) -> str:
    """A page without what it says of times."""
    return re.sub(r"<div><dt>time</dt>.*?</div>\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture
def network_file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "lesmis.csv"
    u, v, _ = ergodict.Network("@lesmis").to_edges()
    path.write_text("".join(f"{one},{two}\n" for one, two in zip(u, v)), encoding="utf-8")
    return path


def test_the_page_of_a_network_dictionary_is_that_of_the_command_line(
    cli: Callable[..., Any], tmp_path: pathlib.Path, network_file: pathlib.Path
) -> None:
    own, theirs = tmp_path / "own.html", tmp_path / "theirs.html"
    for network in ("@karate", network_file):
        model = NetworkDictionary(5, k=6, steps=15, random_state=3).fit(network)
        assert model.report(own) == own
        cli("network", "learn", network, "-k", 6, "-r", 5, "--steps", 15, "--seed", 3, "-o", tmp_path / "m", "--report", theirs)
        assert timeless(own) == timeless(theirs)
    # Loaded, it is the same; another title is a heading.
    again = NetworkDictionary.load(tmp_path / "m")
    assert timeless(again.report(tmp_path / "again.html")) == timeless(own)
    assert "<h1>Misérables</h1>" in again.report(own, title="Misérables").read_text(encoding="utf-8")


def test_the_page_of_a_network_is_that_of_the_command_line(
    cli: Callable[..., Any], tmp_path: pathlib.Path, network_file: pathlib.Path
) -> None:
    own, theirs = tmp_path / "own.html", tmp_path / "theirs.html"
    for network in ("@lesmis", network_file):
        assert ergodict.Network(network).report(own) == own
        cli("network", "info", network, "--report", theirs)
        assert timeless(own) == timeless(theirs)
    for name, network in (("network", ergodict.Network(networkx.path_graph(5))), ("path", ergodict.Network([(0, 1), (2, 3)]))):
        page = network.report(own, name=None if name == "network" else name).read_text(encoding="utf-8")
        # No command reads what is in memory.
        assert f"<h1>{'Network' if name == 'network' else f'Network {name}'}</h1>" in page and "What to try next" not in page
    with pytest.raises(ValueError, match="would be overwritten"):
        ergodict.Network(network_file).report(network_file)


def test_results_of_a_network_that_was_read_before_have_its_name(tmp_path: pathlib.Path, network_file: pathlib.Path) -> None:
    before = NetworkDictionary(3, k=4, steps=3, random_state=0).fit(ergodict.Network(network_file)).report(tmp_path / "before.html")
    at_once = NetworkDictionary(3, k=4, steps=3, random_state=0).fit(network_file).report(tmp_path / "at_once.html")
    assert "Latent motifs of lesmis" in timeless(before) and timeless(before) == timeless(at_once)


def test_the_page_of_a_network_in_time_is_that_of_the_command_line(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    rows = tmp_path / "rows.csv"
    rng = np.random.default_rng(0)
    lines = [f"{u},{v},{t}" for t in range(60) for u, v in rng.integers(0, 20, (6, 2)) if u != v]
    rows.write_text("\n".join(["source,target,time", *lines]) + "\n", encoding="utf-8")
    model = NetworkDictionary(3, k=3, steps=5, null_permutations=0, random_state=1).fit(TimedEdges(rows).windows(windows=3))
    own, theirs = model.report(tmp_path / "own.html"), tmp_path / "theirs.html"
    cli(
        "network", "learn", rows, "--timestamps", "--windows", 3, "-k", 3, "-r", 3, "--steps", 5, "--null-permutations", 0, "--seed", 1,
        "-o", tmp_path / "m", "--report", theirs,
    )
    assert "Change from window to window" in timeless(own) and timeless(own) == timeless(theirs)


def test_the_page_of_denoising_is_that_of_the_command_line(
    cli: Callable[..., Any], tmp_path: pathlib.Path, network_file: pathlib.Path
) -> None:
    own, theirs = tmp_path / "own.html", tmp_path / "theirs.html"
    cases: list[tuple[list[str], dict[str, Any]]] = [
        ([], {}),
        (["--pairs", "non-edges", "--share", "0.2"], {"pairs": "non-edges", "share": 0.2}),
        (["--method", "l3", "--top", "7", "--noise", "added"], {"method": "l3", "top": 7, "noise": "added"}),
    ]
    for words, keywords in cases:
        found = ergodict.denoise(network_file, random_state=2, **keywords)
        assert found.report(own) == own
        cli("network", "denoise", network_file, *words, "--seed", 2, "-o", tmp_path / "scores.tsv", "--report", theirs)
        assert timeless(own) == timeless(theirs), words
        assert timeless(pickle.loads(pickle.dumps(found)).report(own)) == timeless(theirs)


def test_the_page_of_a_comparison_is_that_of_the_command_line(
    cli: Callable[..., Any], tmp_path: pathlib.Path, network_file: pathlib.Path
) -> None:
    found = ergodict.compare(["@karate", network_file, "@kite"], k=5, steps=10, samples=500, random_state=4)
    own, theirs = found.report(tmp_path / "own.html"), tmp_path / "theirs.html"
    cli(
        "network", "compare", "@karate", network_file, "@kite", "-k", 5, "--steps", 10, "--samples", 500, "--seed", 4,
        "-o", tmp_path / "t", "--report", theirs,
    )
    assert timeless(own) == timeless(theirs)
    assert timeless(pickle.loads(pickle.dumps(found)).report(own)) == timeless(theirs)


def test_the_page_of_a_reconstruction_is_that_of_the_command_line(
    cli: Callable[..., Any], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The command on the page has the model as it was typed.
    monkeypatch.chdir(tmp_path)
    learned, theirs = "m.safetensors", tmp_path / "theirs.html"
    NetworkDictionary(4, k=5, steps=10, random_state=3).fit("@karate").save(learned)
    model = NetworkDictionary.load(learned)
    for words, keywords in (([], {}), (["--mode", "off-motif", "--threshold", "0.3"], {"mode": "off-motif", "threshold": 0.3})):
        own = model.reconstruct("@karate", samples=3000, **keywords).report(tmp_path / "own.html")
        cli(
            "network", "reconstruct", "@karate", "--model", learned, "--samples", 3000, "--seed", 3, *words,
            "-o", tmp_path / "t.tsv", "--report", theirs,
        )
        assert timeless(own) == timeless(theirs)
    # Of a dictionary in memory, pickled, and of some pairs.
    rebuilt = NetworkDictionary(4, k=5, steps=10, random_state=3).fit("@karate").reconstruct("@karate", samples=500, pairs=[(1, 2), (1, 34)])
    page = pickle.loads(pickle.dumps(rebuilt)).report(tmp_path / "some.html").read_text(encoding="utf-8")
    assert "Reconstruction of @karate" in page and "--pairs pairs.tsv" in page
    # A pickle has no finished model, but knows what was learned from.
    assert "of nothing" not in page and "of nothing" not in rebuilt.report(tmp_path / "some.html").read_text(encoding="utf-8")


def test_the_page_of_an_evaluation_is_that_of_the_command_line(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    observed, truth = ergodict.Network("@lesmis", weighted=False).corrupt(add=0.5, random_state=0)
    lines = "".join(f"{u}\t{v}\t{int(label)}\n" for u, v, label in zip(truth["u"], truth["v"], truth["label"]))
    (tmp_path / "labels.tsv").write_text(lines, encoding="utf-8")
    found = {}
    for name, method in (("one", "ensemble"), ("two", "adamic-adar")):
        table = ergodict.denoise(observed, method=method, random_state=1).to_pandas()
        table.to_csv(tmp_path / f"{name}.tsv", sep="\t", index=False)
        found[name] = ergodict.evaluate(table, truth)
    own, theirs = tmp_path / "own.html", tmp_path / "theirs.html"
    assert found["one"].report(own, {"two": found["two"]}, name="one") == own
    cli("evaluate", tmp_path / "one.tsv", tmp_path / "two.tsv", tmp_path / "labels.tsv", "--report", theirs)

    def shown(path: pathlib.Path) -> str:
        """A page without names of files and the command, which arrays have not."""
        text = re.sub(r"<div><dt>input</dt>.*?</div>\n", "", timeless(path), flags=re.DOTALL)
        return re.sub(r"<section[^>]*>\s*<h2[^>]*>Reproduce.*?</section>", "", text, flags=re.DOTALL).replace(".tsv", "")

    assert "Reliability" in shown(own) and "Compared with one" in shown(own)
    assert re.findall(r"<svg.*?</svg>", shown(own), re.DOTALL) == re.findall(r"<svg.*?</svg>", shown(theirs), re.DOTALL)
    assert re.findall(r"<table.*?</table>", shown(own), re.DOTALL) == re.findall(r"<table.*?</table>", shown(theirs), re.DOTALL)
    assert "Reproduce" not in own.read_text(encoding="utf-8")
    # Pickled, it is the same; other pairs are refused.
    assert pickle.loads(pickle.dumps(found["one"])).report(tmp_path / "again.html", {"two": found["two"]}, name="one").read_text() == own.read_text()
    with pytest.raises(ValueError, match="labels are others"):
        found["one"].report(own, {"x": ergodict.evaluate([1.0, 0.5, 0.2, 0.0], [1, 1, 0, 0])})
    with pytest.raises(ValueError, match="two evaluations are called one"):
        found["one"].report(own, {"one": found["two"]}, name="one")


def test_the_page_of_a_sample_is_that_of_the_command_line(
    cli: Callable[..., Any], tmp_path: pathlib.Path, network_file: pathlib.Path
) -> None:
    own, theirs = tmp_path / "own.html", tmp_path / "theirs.html"
    cases: list[tuple[Any, list[Any], dict[str, Any], dict[str, Any]]] = [
        ("@karate", [], {}, {}),
        (network_file, ["--sampler", "pivot", "--chains", 3, "--every", 2], {"sampler": "pivot", "chains": 3, "every": 2}, {}),
        ("@karate", ["--observables", "density,conditional-density,macc"], {}, {"observables": ["density", "conditional-density", "macc"]}),
    ]
    for network, words, sampling, asked in cases:
        sampler = ergodict.sample(network, k=4, random_state=5, **sampling)
        assert sampler.report(own, n=600, **asked) == own and sampler.n_drawn == 600
        cli("network", "sample", network, "-k", 4, "--count", 600, "--seed", 5, *words, "-o", tmp_path / "x.tsv", "--report", theirs)
        assert timeless(own) == timeless(theirs), words
    # What was drawn before is not shown, and no command makes what comes after it.
    assert "Reproduce" in own.read_text(encoding="utf-8")
    assert "Reproduce" not in sampler.report(own, n=100).read_text(encoding="utf-8")
    motif = ergodict.sample("@karate", motif=[(0, 1), (1, 2), (1, 3)], random_state=0)
    assert "Reproduce" not in motif.report(own, n=50).read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="which would be overwritten"):
        ergodict.sample(network_file, k=3, random_state=0).report(network_file, n=10)


def test_the_page_of_a_simulation_is_that_of_the_command_line(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    own, theirs = tmp_path / "own.html", tmp_path / "theirs.html"
    cases: list[tuple[Any, list[Any]]] = [
        (Ising(size=12, temperature=3.0, every=200, burn_in=1000, random_state=2), ["--size", 12, "--temperature", 3, "--every", 200, "--burn-in", 1000, "--updates", 20_000]),
        (ergodict.XY(size=8, every=64, update="wolff", random_state=2), ["--model", "xy", "--size", 8, "--every", 64, "--update", "wolff", "--updates", 6400]),
        (ergodict.Potts(size=(8, 10), states=4, every=80, start="ordered", random_state=2), ["--model", "potts", "--states", 4, "--size", "8x10", "--every", 80, "--start", "ordered", "--updates", 8000]),
    ]
    for chain, words in cases:
        assert chain.report(own, n=100) == own
        cli("spins", "simulate", *words, "--seed", 2, "-o", tmp_path / "x.npy", "--report", theirs)
        assert timeless(own) == timeless(theirs), words
        # The next states are others, which no command begins with.
        assert "Reproduce" in own.read_text(encoding="utf-8")
        assert "Reproduce" not in chain.report(own, n=10, observables="energy").read_text(encoding="utf-8")
    changed = Ising(size=8, random_state=0)
    changed.state = np.ones((8, 8))
    assert "Reproduce" not in changed.report(own, n=10).read_text(encoding="utf-8")
    graph = Ising(graph="@karate", every=34, random_state=0)
    assert "Reproduce" not in graph.report(own, n=10).read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="observables is empty"):
        changed.report(own, observables=[])


def test_the_page_of_a_matrix_is_that_of_the_command_line(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    data = np.random.default_rng(0).random((80, 9))
    np.save(tmp_path / "x.npy", data)
    cli("factor", tmp_path / "x.npy", "-r", 3, "--seed", 1, "-o", tmp_path / "cli.safetensors")
    cli("report", tmp_path / "cli.safetensors", "-o", tmp_path / "theirs.html")
    loaded = ergodict.load(tmp_path / "cli.safetensors")
    assert timeless(loaded.report(tmp_path / "own.html")) == timeless(tmp_path / "theirs.html")
    # Learned here, it is what the command line makes of its file.
    model = OnlineNMF(3, random_state=1).fit(data)
    model.save(tmp_path / "py.safetensors")
    cli("report", tmp_path / "py.safetensors", "-o", tmp_path / "theirs.html")
    assert timeless(model.report(tmp_path / "own.html")) == timeless(tmp_path / "theirs.html")


def test_the_pages_of_images_and_spins_are_those_of_the_command_line(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    patches = ImagePatches("@tessellation", 6, n=50, random_state=0)
    OnlineNMF(5, random_state=0).fit_stream(patches, steps=5).save(tmp_path / "image.safetensors")
    own, theirs = tmp_path / "own.html", tmp_path / "theirs.html"
    ergodict.reconstruct_image(tmp_path / "image.safetensors", "@tessellation", stride=6, report=own)
    cli(
        "image", "reconstruct", tmp_path / "image.safetensors", "@tessellation", "--stride", 6, "-o", tmp_path / "r.png", "--report", theirs
    )
    assert timeless(own) == timeless(theirs)
    for by, flags in (({"model": tmp_path / "image.safetensors"}, ["--model", tmp_path / "image.safetensors"]), ({"patch": 5}, ["--patch", 5])):
        ergodict.denoise_image("@tessellation-noisy", stride=5, report=own, **by)
        cli("image", "denoise", "@tessellation-noisy", *flags, "--stride", 5, "-o", tmp_path / "r.png", "--report", theirs)
        assert timeless(own) == timeless(theirs)
    ising = Ising(size=20, every=400, random_state=0)
    spins = OnlineNMF(4, random_state=0).fit_stream(ising.minibatches(5, 40, steps=4))
    assert "atoms of 5×5 sites" in spins.report(own).read_text(encoding="utf-8")
    spins.save(tmp_path / "spins.safetensors")
    state = next(ising)
    np.save(tmp_path / "state.npy", state)
    ergodict.reconstruct_spins(tmp_path / "spins.safetensors", state, report=own)
    cli("spins", "reconstruct", tmp_path / "spins.safetensors", tmp_path / "state.npy", "-o", tmp_path / "r.npy", "--report", theirs)
    assert timeless(own).replace("configuration.npy", "state.npy") == timeless(theirs)
    # What is in memory has a page as well.
    ergodict.reconstruct_image(OnlineNMF(2, random_state=0).fit(np.ones((9, 16))), np.ones((12, 12)), report=own)
    assert "Reconstruction of an image" in own.read_text(encoding="utf-8")


def test_ids_of_any_kind_are_shown_as_they_are(tmp_path: pathlib.Path) -> None:
    club = networkx.relabel_nodes(networkx.karate_club_graph(), lambda node: ("member", node))
    page = ergodict.denoise(networkx.Graph(club.edges), method="l3").report(tmp_path / "p.html").read_text(encoding="utf-8")
    assert "('member', " in html.unescape(page)
    # Scores by a dictionary have a page, too.
    model = NetworkDictionary(3, k=4, steps=5, random_state=0).fit("@karate")
    page = model.denoise("@karate", samples=500).report(tmp_path / "p.html").read_text(encoding="utf-8")
    assert "scored by dictionary" in page and "Reproduce" not in page


def test_what_was_read_is_not_overwritten_and_nothing_is_left_of_errors(tmp_path: pathlib.Path, network_file: pathlib.Path) -> None:
    before = network_file.read_bytes()
    model = NetworkDictionary(3, k=4, steps=3, random_state=0).fit(network_file)
    found = ergodict.denoise(network_file, method="l3")
    compared = ergodict.compare([network_file, "@kite"], n_components=2, k=4, steps=3, samples=200, random_state=0)
    for result in (model, found, pickle.loads(pickle.dumps(found)), compared, model.reconstruct(network_file, samples=200)):
        with pytest.raises(ValueError, match="would be overwritten"):
            result.report(network_file)
    assert network_file.read_bytes() == before
    model.save(tmp_path / "m.safetensors")
    loaded = NetworkDictionary.load(tmp_path / "m.safetensors")
    for result in (loaded, loaded.reconstruct("@karate", samples=200)):
        with pytest.raises(ValueError, match="would be overwritten"):
            result.report(tmp_path / "m.safetensors")
    loaded = ergodict.load(tmp_path / "m.safetensors")
    there = sorted(path.name for path in tmp_path.iterdir())
    for place in (tmp_path, tmp_path / "no" / "page.html"):
        with pytest.raises((ValueError, OSError)):
            model.report(place)
        with pytest.raises((ValueError, OSError)):
            ergodict.reconstruct_image(np.eye(9), np.ones((12, 12)), report=place)
    with pytest.raises(TypeError):
        found.report(7)  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == there


def test_pages_of_pictures_and_estimators_spare_what_was_read(tmp_path: pathlib.Path) -> None:
    rng = np.random.default_rng(0)
    model, image = tmp_path / "model.safetensors", tmp_path / "image.npy"
    picture = rng.random((12, 12))
    np.save(image, picture)
    patches = np.lib.stride_tricks.sliding_window_view(picture, (4, 4)).reshape(-1, 16)
    ergodict.OnlineNMF(3, random_state=0).fit(patches).save(model)
    before = model.read_bytes()
    loaded = ergodict.OnlineNMF.load(model)
    with pytest.raises(ValueError, match="would be overwritten"):
        loaded.report(model)
    with pytest.raises(ValueError, match="would be overwritten"):
        ergodict.reconstruct_image(model, picture, patch=4, report=model)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        ergodict.reconstruct_image(model, picture, patch=4, report=tmp_path / "none" / "page.html")
    assert model.read_bytes() == before
    assert loaded.report(tmp_path / "page.html").exists()
