"""Warnings: what the command line warns of, in the same words, with a category to filter by."""

from __future__ import annotations

import json
import pathlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import ergodict
from ergodict import Network, NetworkDictionary, OnlineNMF


def heard(work: Callable[[], Any]) -> list[tuple[type[Warning], str]]:
    """The warnings of some work, with their categories."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()
    assert all(one.filename == __file__ for one in found), [one.filename for one in found]
    return [(one.category, str(one.message)) for one in found]


def warned(done: Any) -> list[str]:
    """The warnings of the command line."""
    return [line.partition("warning")[2].strip() for line in done.stderr.splitlines() if line.startswith("warning")]


@pytest.fixture
def hubs(tmp_path: pathlib.Path) -> pathlib.Path:
    """A clique with many pendant nodes, of which chains that keep to their law see little."""
    path = tmp_path / "hubs.txt"
    clique = [(u, v) for u in range(12) for v in range(u)]
    pendant = [(node, node % 12) for node in range(12, 2000)]
    path.write_text("".join(f"{u} {v}\n" for u, v in clique + pendant), encoding="utf-8")
    return path


def test_networks_that_are_hardly_seen_and_chains_that_have_not_converged(cli: Callable[..., Any], tmp_path: pathlib.Path, hubs: Any) -> None:
    model = NetworkDictionary(3, k=6, steps=4, sampler="glauber", random_state=0)
    found = heard(lambda: model.fit(hubs))
    assert {category for category, _ in found} == {ConvergenceWarning}
    words = [text for _, text in found]
    assert words[0] == 'most of hubs.txt is hardly seen; sampler="walk" sees more of it'
    assert words[1].startswith(("not converged (R̂ ", "too few effective draws")) and words[1].endswith(
        "; increase steps or every, or use another sampler"
    )
    said = warned(cli("network", "learn", hubs, "-k", 6, "-r", 3, "--steps", 4, "--sampler", "glauber", "--seed", 0, "-o", tmp_path / "m"))
    flags = [("sampler=\"walk\"", "--sampler walk"), ("increase steps", "increase --steps"), ("or every", "or --every"), ("another sampler", "another --sampler")]
    for keyword, flag in flags:
        words = [text.replace(keyword, flag) for text in words]
    assert said == words
    # Independent walks see it all.
    assert heard(lambda: NetworkDictionary(3, k=6, steps=4, random_state=0).fit("@karate")) == []


def test_weights_directions_and_components_that_are_left_out() -> None:
    (found,) = heard(lambda: NetworkDictionary(2, k=3, steps=2, random_state=0).fit("@lesmis"))
    assert found == (DataConversionWarning, "@lesmis: weights are ignored (weighted=True uses them)")
    assert heard(lambda: NetworkDictionary(2, k=3, steps=2, random_state=0).fit(Network("@lesmis", weighted=False))) == []
    assert heard(lambda: NetworkDictionary(2, k=3, steps=2, weighted=True, random_state=0).fit(Network("@lesmis"))) == []
    ((category, words),) = heard(lambda: NetworkDictionary(2, k=3, steps=2, random_state=0).fit([(0, 1), (1, 2), (2, 0), (5, 6)]))
    assert category is DataConversionWarning and words.startswith("the largest of 2 components is sampled: 3 of 5 nodes")
    arcs = Network([(0, 1, 2.0), (1, 2, 1.0), (2, 0, 1.0)], directed=True)
    ((category, words),) = heard(lambda: ergodict.denoise(arcs, method="l3"))
    assert category is DataConversionWarning and words.startswith("ignored by denoising: ") and "directions" in words and "weights" in words


def test_weights_are_ignored_by_comparisons_and_used_by_samplers(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    few = {"k": 3, "steps": 2, "samples": 100, "rewired": False, "random_state": 0}
    ignored = (DataConversionWarning, "@lesmis: weights are ignored (weighted=True uses them)")
    assert heard(lambda: ergodict.compare(["@lesmis", "@karate"], **few)) == [ignored]
    assert heard(lambda: ergodict.compare(["@lesmis", Network("@lesmis")], weighted=True, **few)) == []
    used = "weights are used: a walk takes an edge in proportion to its weight (weighted=False ignores them)"
    assert ergodict.sample("@lesmis", k=3, random_state=0).notes == [used]
    assert ergodict.sample(Network("@lesmis", weighted=False), k=3, random_state=0).notes == []
    lines = cli("network", "sample", "@lesmis", "-k", 3, "--count", 10, "-o", tmp_path / "x.npy").stderr
    assert "@lesmis: " + used.replace("weighted=False", "--unweighted") in lines
    for flag in ("--weighted", "--unweighted"):
        assert "weights are" not in cli("network", "sample", "@lesmis", flag, "-k", 3, "--count", 10, "-o", tmp_path / "x.npy").stderr


def test_comparisons_without_a_rewired_copy_have_the_reason(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    # Five nodes that all know each other are in no network that has these degrees by chance.
    clique = [(u, v) for u in range(5) for v in range(u)]
    for name, length in (("one.txt", 200), ("two.txt", 250)):
        edges = clique + [(node, node + 1) for node in range(4, length)]
        (tmp_path / name).write_text("".join(f"{u} {v}\n" for u, v in edges), encoding="utf-8")
    files = [tmp_path / "one.txt", tmp_path / "two.txt"]
    found = heard(lambda: ergodict.compare(files, motif="complete", k=5, steps=2, samples=50, random_state=0))
    assert [category for category, _ in found] == [UserWarning, UserWarning]
    said = cli(
        "network", "compare", *files, "--motif", "complete", "-k", 5, "--steps", 2, "--samples", 50, "--seed", 0, "-o", tmp_path / "t.tsv",
        "--json",
    )
    for (_, words), name in zip(found, ("one.txt", "two.txt")):
        assert words.startswith(f"{name}: no rewired copy to compare with: ") and words in said.stderr
    assert json.loads(said.stdout)["notes"] == [words for _, words in found]


def test_classifiers_that_hardly_know_their_own_labels(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "random.txt"
    Network.generate("er", n=50, edges=150, random_state=1).write(path)
    found = heard(lambda: ergodict.denoise(path, pairs="non-edges", random_state=0))
    said = warned(cli("network", "denoise", path, "--pairs", "non-edges", "-o", tmp_path / "s.tsv"))
    assert said and found == [(ConvergenceWarning, text) for text in said]


def test_nothing_learned_and_signs_that_are_lost() -> None:
    data = np.random.default_rng(0).random((30, 4))
    nothing = (ConvergenceWarning, "every code is zero, nothing was learned: the samples are zero, or alpha is too large")
    assert heard(lambda: OnlineNMF(2, alpha=100, random_state=0).fit(data)) == [nothing]
    assert heard(lambda: OnlineNMF(2, alpha=100, random_state=0).fit_stream([data])) == [nothing]
    assert nothing in heard(lambda: NetworkDictionary(2, k=3, steps=2, alpha=1e3, random_state=0).fit("@karate"))
    assert heard(lambda: OnlineNMF(2, alpha=100, random_state=0).partial_fit(data)) == [nothing]
    none = NetworkDictionary(2, k=3, steps=2, alpha=1e3, random_state=0)
    assert heard(lambda: none.partial_fit("@karate")) == [nothing]
    assert heard(lambda: none.partial_fit(steps=1)) == [nothing]
    assert heard(lambda: [*none.iter_fit(["@karate", "@kite"])]) == [nothing, nothing]
    static = NetworkDictionary(2, k=3, steps=2, alpha=1e3, static=True, random_state=0)
    assert heard(lambda: static.fit("@karate")) == [nothing]
    # Where something was learned there is nothing to say.
    some = NetworkDictionary(2, k=3, steps=2, random_state=0)
    assert heard(lambda: some.partial_fit("@karate")) == [] == heard(lambda: [*some.iter_fit(["@karate", "@kite"])])
    assert heard(lambda: NetworkDictionary(2, k=3, steps=2, static=True, random_state=0).fit("@karate")) == []
    signs = (UserWarning, 'the data has negative entries, which nonnegative atoms and codes cannot make: dictionary="ball" code="free" can')
    assert heard(lambda: OnlineNMF(2, random_state=0).fit(data - 0.5)) == [signs]
    assert heard(lambda: OnlineNMF(2, random_state=0).partial_fit(data - 0.5)) == [signs]


def test_files_that_may_be_read_otherwise_than_meant(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    import pandas as pd

    header, column = tmp_path / "header.csv", tmp_path / "column.csv"
    header.write_text("foo,bar\na,b\nc,d\ne,f\n", encoding="utf-8")
    column.write_text("source,target,score,year\na,b,1,2000\nc,d,2,2001\n", encoding="utf-8")
    text = 'header.csv: the first line, `foo`, `bar`, is read as an edge (header="yes" skips it as a header)'
    assert heard(lambda: Network(header)) == [(UserWarning, text)]
    assert "first line `foo`, `bar` read as an edge" in cli("network", "info", header).stderr
    ignored = "column `score` is ignored (weight=NAME uses it as weights)"
    assert heard(lambda: Network(column)) == [(UserWarning, f"column.csv: {ignored}")]
    assert "2 columns from `score` to `year` ignored" in cli("network", "info", column).stderr
    assert heard(lambda: Network(pd.read_csv(column))) == [(UserWarning, f"table: {ignored}")]
    for quiet in (lambda: Network(header, header="yes"), lambda: Network(column, weight="score"), lambda: Network("@karate")):
        assert heard(quiet) == []


def test_weights_that_are_wanted_have_to_be_there(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("0 1\n1 2\n2 3\n3 0\n", encoding="utf-8")
    model = NetworkDictionary(2, k=3, steps=2, weighted=True, random_state=0)
    with pytest.raises(AssertionError, match="has no weights, which are wanted"):
        cli("network", "learn", path, "--weighted", "-k", 3, "-r", 2, "--steps", 2, "-o", tmp_path / "m")
    for data, name in ((path, "plain.txt"), ("@karate", "@karate"), ([Network("@lesmis"), Network(path)], "plain.txt")):
        with pytest.raises(ValueError, match=f"{name}: has no weights, which are wanted"):
            model.fit(data)
        with pytest.raises(ValueError, match=f"{name}: has no weights, which are wanted"):
            ergodict.compare([data, "@lesmis"] if not isinstance(data, list) else data, k=3, steps=2, weighted=True)
    ones = tmp_path / "ones.txt"
    ones.write_text("0 1 1\n1 2 1\n2 3 1\n3 0 1\n", encoding="utf-8")
    assert model.fit(ones).n_steps_ == 2


def test_parts_of_networks_in_lists_are_said_once(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    parts = tmp_path / "parts.txt"
    parts.write_text("0 1\n1 2\n2 3\n3 4\n7 8\n", encoding="utf-8")
    note = 'parts.txt: the largest of 2 components is sampled: 5 of 7 nodes, 4 of 5 edges (component="all" takes all)'
    flags = ("-k", 3, "-r", 2, "--steps", 2, "-o", tmp_path / "m")
    assert note.replace('component="all"', "--component all") in cli("network", "learn", parts, "@karate", *flags).stderr
    model = NetworkDictionary(2, k=3, steps=2, random_state=0)
    of_parts = lambda work: [one for one in heard(work) if one[0] is DataConversionWarning]  # noqa: E731
    assert of_parts(lambda: model.fit([parts, "@karate"])) == [(DataConversionWarning, note)]
    assert of_parts(lambda: model.fit([parts, parts])) == [(DataConversionWarning, note + ", and the same of 1 more")]
    assert of_parts(lambda: model.transform([parts, "@karate"], n=10)) == [(DataConversionWarning, note)]
    assert of_parts(lambda: model.score([parts, "@karate"], n=10)) == [(DataConversionWarning, note)]
    compared = lambda: ergodict.compare([parts, "@karate"], n_components=2, k=3, steps=2, samples=100, random_state=0)  # noqa: E731
    assert of_parts(compared) == [(DataConversionWarning, note)]
