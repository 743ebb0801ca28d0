"""Networks in time: edges with times, windows, networks that change, and what is learned from them."""

from __future__ import annotations

import datetime
import pickle
from typing import Any

import networkx as nx
import numpy as np
import pytest
from test_network_dictionary import contents, small

import ergodict
from ergodict import ChangingNetwork, Network, NetworkDictionary, TimedEdges, plot


def switching(windows: int = 8, at: int = 5, nodes: int = 40) -> list[tuple[int, int, float]]:
    """A ring lattice that becomes cliques of ten in a row, seen once in each window."""
    ring, cliques = nx.watts_strogatz_graph(nodes, 4, 0), nx.connected_caveman_graph(nodes // 10, 10)
    return [(u, v, float(t)) for t in range(windows) for u, v in (ring if t < at else cliques).edges]


# Networks that change.


def test_a_changing_network_is_what_its_edges_make() -> None:
    rng = np.random.default_rng(0)
    makers: list[Any] = [int, str, lambda i: f"n{i}", lambda i: (i, "x"), lambda i: i if i % 2 else str(i)]
    for make in makers:
        changing = ChangingNetwork()
        edges: dict[frozenset[int], float] = {}
        for _ in range(60):
            u, v = (int(i) for i in rng.integers(0, 12, 2))
            key = frozenset((u, v))
            if key in edges and rng.random() < 0.5:
                changing.remove(make(u), make(v))
                del edges[key]
            elif u != v:
                weight = float(rng.integers(1, 4))
                changing.insert([(make(u), make(v), weight)])
                edges[key] = weight
        now = changing.snapshot()
        nodes = {make(i) for i in range(12) if make(i) in now.nodes}
        pairs = [(*(make(i) for i in key), weight) for key, weight in edges.items()]
        assert now == Network(pairs, nodes=nodes), make(1)
        assert now is changing.snapshot() and changing.n_nodes == len(nodes)
        again = pickle.loads(pickle.dumps(changing))
        assert again.snapshot() == now and again.version == changing.version
        again.insert(make(0), make(99))
        assert again.snapshot().n_edges == now.n_edges + 1 and changing.snapshot() is now


def test_a_batch_is_applied_whole_or_not_at_all() -> None:
    changing = ChangingNetwork([(0, 1), (1, 2)])
    before, version = changing.snapshot(), changing.version
    for bad in (
        {"insert": [(5, 6), (6, 7, -1.0)]}, {"remove": [(0, 1), (0, 2)]}, {"insert": [(3, 4)], "remove": [(2, 1), (1, 2)]},
        {"insert": [(5, 6, float("nan"))]},
    ):
        with pytest.raises(ValueError):
            changing.apply(**bad)
        assert changing.snapshot() == before and changing.version == version, bad
    changing.apply(insert=[(2, 3)], remove=nx.path_graph(2).edges)
    assert changing.snapshot() == Network([(1, 2), (2, 3)], nodes=[0])
    for edges in (np.array([[7, 8]]), [(7, 8)], nx.Graph([(7, 8)]), nx.Graph([(7, 8)]).edges(data=True), Network([(7, 8)]), iter([(7, 8)])):
        other = ChangingNetwork()
        other.insert(edges)
        assert other.snapshot() == Network([(7, 8)]), type(edges)
    with pytest.raises(TypeError):
        changing.insert([1, 2, 3])
    with pytest.raises(ValueError, match="weight"):
        changing.insert([(0, 1, 2.0)], weight=3.0)
    assert changing.weight(1, 2) == 1.0 and changing.weight("a", "b") == changing.weight(0, 99) == 0.0
    assert ergodict.as_network(changing) == changing.snapshot()


def test_what_is_refused_leaves_no_trace() -> None:
    refused: list[Any] = [("a", "b", -1.0), ((1, 2), "z", -1.0), (7, 8, -1.0), ([1], 2, 1.0)]
    for first in ([], [(3, 1), (1, 2)], [("c", "d")], [((9, 9), 4), (4, "q")]):
        changing, twin = ChangingNetwork(first or None), ChangingNetwork(first or None)
        for edge in refused:
            with pytest.raises((ValueError, TypeError)):
                changing.insert([edge])
        assert changing._kind == twin._kind and changing._numbers == twin._numbers and changing.version == twin.version
        for one in (changing, twin):
            one.insert(first or [(5, 6)])
            one.insert("z", (1, 2))
        assert changing.snapshot().nodes == twin.snapshot().nodes and changing.snapshot() == twin.snapshot()
    with pytest.raises(ValueError, match=r"from \(0, 'x'\) to 5"):
        ChangingNetwork([((0, "x"), 1)]).remove((0, "x"), 5)


@pytest.mark.parametrize("make", [int, lambda i: (i, "x")], ids=["integers", "objects"])
def test_networks_that_were_left_are_let_go(make: Any) -> None:
    def ring(turn: int) -> Any:
        # Ids that are objects come in another order each time.
        graph = nx.relabel_nodes(nx.circulant_graph(40, [1, 1 + turn % 3]), lambda i: make((i + 5 * turn) % 40))
        return Network(list(graph.edges))

    model = small(k=3, steps=2, chains=5, sampler="pivot", score_patches=50).fit(ring(0))
    whole = small(k=3, steps=2, chains=5, sampler="pivot", score_patches=50).fit([ring(turn) for turn in range(12)], snapshots=True)
    again, sizes = model, []
    for turn in range(1, 12):
        model.partial_fit(ring(turn))
        # Whoever comes from a pickle each time learns the same.
        again = pickle.loads(pickle.dumps(again)).partial_fit(ring(turn)) if turn > 1 else pickle.loads(pickle.dumps(model))
        assert len(model._named) == len(model._arguments["networks"]) == len(again._named) == 2
        sizes.append(len(pickle.dumps((model._named, model._arguments["plan"]["spans"], model._arguments["plan"]["more"]))))
    assert sizes[-1] <= 1.2 * sizes[1], sizes
    for one in (model, again):
        assert np.array_equal(one.components_, whole.components_) and one.n_steps_ == 24
        assert repr(one.windows_[["came", "went", "steps", "change", "continued"]].tolist()) == repr(whole.windows_[["came", "went", "steps", "change", "continued"]].tolist())
        assert [told["nodes"] for told in one.networks_] == [40, 40] and len(one.examples()) == 4
        assert {node for found in one.examples() for example in found for node in example["nodes"]} <= {make(i) for i in range(40)}
    score = model.change_score(ring(0))
    assert np.isfinite(score["change"]) and len(model._named) == 2
    assert pickle.loads(pickle.dumps(model)).change_score(ring(0))["change"] == score["change"]


@pytest.mark.parametrize("make", [int, lambda i: (i, "x")], ids=["integers", "objects"])
def test_learning_goes_on_with_a_network_that_changes(make: Any) -> None:
    ring = nx.relabel_nodes(nx.cycle_graph(12), make)
    changing = ChangingNetwork(ring)
    model = small(k=3, steps=4, sampler="pivot", chains=10).fit(changing)
    model.partial_fit(changing, steps=2)
    assert model.n_steps_ == 6 and not hasattr(model, "windows_")
    changing.apply(remove=[(make(0), make(1)), (make(6), make(7))], insert=[(make(0), make(6)), (make(1), make(7))])
    model.partial_fit(changing, steps=3)
    assert model.n_steps_ == 9
    first, last = model.windows_
    assert (first["continued"], first["restarted"], last["came"], last["went"]) == (0, 0, 2, 2)
    assert last["continued"] + last["restarted"] == 10 and last["continued"] > 0
    assert np.isfinite(last["change"]) and np.isfinite(last["error_after"]) and np.isnan(first["change"])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.partial_fit(steps=2).components_, model.partial_fit(steps=2).components_)
    assert model.windows_["steps"].tolist() == [6, 5] == again.windows_["steps"].tolist()


# Edges with times.


def test_times_are_taken_however_they_come() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    days = np.array(["2004-05-03", "2004-05-01", "2004-05-02"], dtype="datetime64[D]")
    table = pandas.DataFrame({"a": [1, 2, 3], "b": [2, 3, 4], "when": days})
    given: list[Any] = [
        table, polars.from_pandas(table), table.assign(when=pandas.to_datetime(table["when"]).dt.tz_localize("UTC")),
        [(u, v, str(t)) for u, v, t in zip([1, 2, 3], [2, 3, 4], days)],
        [(u, v, t.astype(datetime.datetime)) for u, v, t in zip([1, 2, 3], [2, 3, 4], days)],
    ]
    for rows in (*map(TimedEdges, given), TimedEdges.from_columns([1, 2, 3], [2, 3, 4], days)):
        assert rows.times.tolist() == np.sort(days).astype("datetime64[ms]").tolist()
        windows = rows.windows("1d")
        assert [one.network.nodes for one in windows] == [[2, 3], [3, 4], [1, 2]]
        assert windows[0].start == np.datetime64("2004-05-01") and windows[-1].name.startswith("2004-05-03 to")
    numbers = TimedEdges(np.array([[1, 2, 0.5, 7.0], [2, 3, 2.0, 3.0]]))
    assert numbers.times.tolist() == [3.0, 7.0] and numbers.windows(windows=1)[0].network.weight(1, 2) == 0.5
    assert TimedEdges([("b", "a", 1), ("10", "9", 2)]).windows(windows=1)[0].network.nodes == ["10", "9", "a", "b"]
    mixed = TimedEdges([((1, 2), "a", 1), ("a", 7, 2), (7, (1, 2), 3)])
    assert [one.network.nodes for one in mixed.windows(windows=2)] == [[(1, 2), "a"], [(1, 2), "a", 7]]
    assert [one.network.nodes for one in pickle.loads(pickle.dumps(mixed.windows(windows=2)))] == [[(1, 2), "a"], [(1, 2), "a", 7]]
    removed = TimedEdges.from_columns([0, 1, 0], [1, 2, 1], [0, 1, 2], removes=[False, False, True]).windows(1)
    assert [one.network.n_edges for one in removed] == [1, 2, 1]
    later = [(u, v, t + 1e9) for u, v, t in switching(3, 3, 10)]
    assert [one.network.n_edges for one in TimedEdges(later).windows(datetime.timedelta(seconds=1))] == [20, 20, 20]


def test_tables_and_rows_are_read_as_files_are(tmp_path: Any) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "rows.csv"

    def edges(rows: TimedEdges) -> Any:
        return [[(u, v, w) for u, v, w in one.network.to_networkx().edges(data="weight")] for one in rows.windows(1.0)], rows.is_directed

    tables: list[dict[str, Any]] = [
        {"source": [1, 2, 1], "target": [2, 3, 2], "op": ["+", "add", "remove"], "time": [0.0, 1.0, 2.0]},
        {"source": [1, 2, 1], "target": [2, 3, 2], "Action": [1, 1, -1], "time": [0.0, 1.0, 2.0]},
        {"source": [1, 2, 1], "target": [2, 3, 2], "weight": [1, 1, -1], "time": [0.0, 1.0, 2.0]},
        {"source": [1, 2, 3], "target": [2, 3, 4], "date": [0.0, 1.0, 2.0], "time": [9.0, 8.0, 7.0]},
        {"t": [9.0, 8.0, 7.0], "to": [2, 3, 4], "from": [1, 2, 3], "timestamp": [0.0, 1.0, 2.0], "count": [1.0, 2.0, 0.5]},
        {"w": [1, 2, 3], "v": [2, 3, 4], "year": [0, 1, 2]},
        {"edge weight": [2.0, 3.0, 1.0], "a": [1, 2, 3], "b": [2, 3, 4], "epoch": [0, 1, 2]},
    ]
    for columns in tables:
        table = pandas.DataFrame(columns)
        table.to_csv(path, index=False)
        assert edges(TimedEdges(table)) == edges(TimedEdges(path)), list(columns)
    assert [len(one) for one in edges(TimedEdges(pandas.DataFrame(tables[0])))[0]] == [1, 2, 1]
    for signs in ([1, 1, -1], ["+", "+", "-"]):
        rows: list[Any] = [(u, v, sign, t) for u, v, sign, t in zip([1, 2, 1], [2, 3, 2], signs, [0.0, 1.0, 2.0])]
        path.write_text("".join(f"{u} {v} {sign} {t}\n" for u, v, sign, t in rows))
        assert edges(TimedEdges(rows)) == edges(TimedEdges(path)) == edges(TimedEdges(pandas.DataFrame(tables[0])))
        assert [len(one) for one in edges(TimedEdges(rows, weighted=False))[0]] == [1, 2, 1]
    assert edges(TimedEdges(np.array([[1, 2, 1, 0.0], [2, 3, 1, 1.0], [1, 2, -1, 2.0]]))) == edges(TimedEdges(path))
    with pytest.raises(ValueError, match="perhaps"):
        TimedEdges(pandas.DataFrame({**tables[0], "op": ["+", "perhaps", "-"]}))
    with pytest.raises(ValueError):
        TimedEdges([(1, 2, -1.0, 0.0), (2, 3, -2.0, 1.0)])
    # Who names a column means it.
    assert len(edges(TimedEdges(pandas.DataFrame(tables[3]), time="time"))[0]) == 3
    assert TimedEdges(pandas.DataFrame(tables[3]), time="time").times.tolist() == [7.0, 8.0, 9.0]


def test_what_is_no_time_is_refused() -> None:
    for bad in ([(0, 1, "yesterday")], [(0, 1, float("nan"))], [(0, 1, np.datetime64("NaT"))], []):
        with pytest.raises(ValueError):
            TimedEdges(bad)
    for wrong in ([(0, 1)], [(0, 1, 2), (0, 1, 2, 3)], 7, [(0, 1, None)]):
        with pytest.raises(TypeError):
            TimedEdges(wrong)
    rows = TimedEdges([(0, 1, 0.0), (1, 2, 9.0)])
    for unit in ("1s", "7d", datetime.timedelta(seconds=1)):
        with pytest.raises(ValueError, match="neither seconds since 1970 nor dates"):
            rows.windows(unit)
    with pytest.raises(ValueError, match="look like milliseconds since 1970.* 86400000"):
        TimedEdges([(0, 1, 1.7e12), (1, 2, 1.71e12)]).windows("1d")
    for bad_window in ({"window": -1}, {"window": "7 parsecs"}, {"windows": 0}, {"stride": 1.0}, {"window": 1, "windows": 3}, {"window": 1e-9}):
        with pytest.raises(ValueError):
            rows.windows(**bad_window)
    with pytest.raises(TypeError):
        rows.windows(windows=2.5)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        ergodict.read_timestamps("no/such/file.txt")


# Learning over time.


def test_windows_are_learned_from_as_the_command_line_does(cli: Any, tmp_path: Any) -> None:
    path, saved, theirs = tmp_path / "rows.txt", tmp_path / "ours.safetensors", tmp_path / "theirs.safetensors"
    path.write_text("".join(f"{u} {v} {t}\n" for u, v, t in switching()))
    flags = ["-k", 4, "-r", 4, "--steps", 3, "--batch", 20, "--score-patches", 100, "--seed", 3, "-q", "-o", theirs]
    for parameters, words in (({}, []), ({"windows": 4}, ["--windows", 4]), ({"window": 2.0, "stride": 1.0, "cumulative": True}, ["--window", 2.0, "--stride", 1.0, "--cumulative"])):
        rows = ergodict.read_timestamps(path)
        model = NetworkDictionary(4, k=4, steps=3, batch_size=20, score_patches=100, random_state=3).fit(rows.windows(**parameters))
        model.save(saved)
        cli("network", "learn", path, "--timestamps", *words, *flags)
        (ours, our_tensors), (their, their_tensors) = contents(saved), contents(theirs)
        assert our_tensors == their_tensors
        assert ours["over_time"] == their["over_time"]
        assert {**their["run"]["config"], **ours["run"]["config"]} == their["run"]["config"]
    loaded = NetworkDictionary.load(theirs)
    assert np.array_equal(loaded.dominances_, model.dominances_, equal_nan=True)
    assert repr(loaded.windows_.tolist()) == repr(model.windows_.tolist()) and loaded.score_patches == 100
    # The windows one by one are the same networks, and a list of them is one of snapshots.
    many = [window.network for window in rows.windows(windows=4)]
    for at, network in enumerate(many):
        network.write(tmp_path / f"{at}.txt")
    model = NetworkDictionary(4, k=4, steps=3, batch_size=20, score_patches=100, random_state=3).fit(many, snapshots=True)
    model.save(saved)
    cli("network", "learn", *(tmp_path / f"{at}.txt" for at in range(4)), "--snapshots", *flags)
    assert contents(saved)[1] == contents(theirs)[1]


def test_the_change_score_finds_when_a_ring_became_cliques() -> None:
    model = NetworkDictionary(6, k=5, steps=20, batch_size=50, sampler="pivot", injective=True, schedule="constant:0.1", random_state=0)
    seen = []
    for window in model.iter_fit(TimedEdges(switching(8, 5, 60)).windows(windows=8)):
        seen.append((window["name"], window["change"]))
    windows = model.windows_
    assert len(seen) == 8 and [name for name, _ in seen] == windows["name"].tolist()
    change, error = windows["change"], windows["change_error"]
    assert np.isnan(change[0]) and int(np.nanargmax(change)) == 5
    assert change[5] > 10 * error[5] and change[5] > 1.0
    # Before and after nothing happens, within what chance does; six standard errors are for five looks at errors that are estimates themselves.
    for quiet in (1, 2, 3, 4, 7):
        assert abs(change[quiet]) < min(6 * error[quiet], 0.2), (quiet, change[quiet], error[quiet])
    dictionaries = model.dictionaries_
    assert dictionaries.shape == (8, 6, 5, 5) and model.dictionary_windows_.tolist() == list(range(8))
    moved = np.linalg.norm(np.diff(dictionaries.reshape(8, -1), axis=0), axis=1)
    assert int(np.argmax(moved[1:])) + 1 == 4, moved
    assert np.allclose(model.dominances_.sum(axis=1), 1.0) and np.all(windows["continued"][1:] + windows["restarted"][1:] == 1)
    # Whoever leaves in the middle goes on later.
    half = NetworkDictionary(6, k=5, steps=20, batch_size=50, sampler="pivot", injective=True, schedule="constant:0.1", random_state=0)
    for at, _ in enumerate(half.iter_fit(TimedEdges(switching(8, 5, 60)).windows(windows=8))):
        if at == 2:
            break
    again = pickle.loads(pickle.dumps(half)).partial_fit()
    assert np.array_equal(again.components_, model.components_) and np.array_equal(again.dominances_, model.dominances_)
    # One window after the other, from outside.
    live = NetworkDictionary(6, k=5, steps=20, batch_size=50, sampler="pivot", injective=True, schedule="constant:0.1", random_state=0)
    for one in TimedEdges(switching(8, 5, 60)).windows(windows=8):
        live.partial_fit(one)
    assert np.array_equal(live.components_, model.components_)
    assert np.array_equal(live.windows_["change"], change, equal_nan=True)


def test_windows_stay_however_they_are_gone_on_with(tmp_path: Any) -> None:
    saved = tmp_path / "m.safetensors"
    for start, kind in (("2004-05-01", "dates"), (1_083_369_600.0, "unix"), (0.0, "numbers")):
        moment = np.datetime64(start, "ms") if kind == "dates" else start
        days = [np.timedelta64(int(t), "D") if kind == "dates" else t * 86400.0 for *_, t in switching(6, 3, 20)]
        rows = TimedEdges.from_columns(*zip(*((u, v, moment + day) for (u, v, _), day in zip(switching(6, 3, 20), days))))
        windows = rows.windows(86400 if kind == "numbers" else "1d")
        assert windows[0].kind == kind and len(windows) == 6
        model = small(k=4, steps=3, sampler="pivot").fit(windows)

        def told(one: NetworkDictionary) -> Any:
            return one._over_time().times, one.windows_["start"].tolist(), one.windows_["name"].tolist()

        assert told(model)[0] == kind and np.all(np.isfinite(model.windows_["start"]))
        # One at a time, also from a pickle; those of a list.
        live = small(k=4, steps=3, sampler="pivot")
        for window in windows:
            live = pickle.loads(pickle.dumps(live.partial_fit(window)))
        assert told(live) == told(model) == told(small(k=4, steps=3, sampler="pivot").fit(list(windows), snapshots=True))
        assert np.array_equal(live.components_, model.components_)
        # A model that was loaded has its windows still.
        half = small(k=4, steps=3, sampler="pivot").fit(list(windows)[:4], snapshots=True)
        half.save(saved)
        loaded = NetworkDictionary.load(saved)
        for window in windows[4:]:
            loaded.partial_fit(window, steps=3)
        assert told(loaded) == told(model) and loaded.n_steps_ == model.n_steps_ == 18
        assert repr(loaded.windows_[:4].tolist()) == repr(half.windows_.tolist())
        assert loaded.windows_["steps"].tolist() == [3] * 6 and np.isfinite(loaded.windows_["change"][5])
        assert loaded.dictionary_windows_.tolist() == list(range(6)) and np.array_equal(loaded.dictionaries_[:4], half.dictionaries_)
        assert len(loaded.dominances_) == 6 and len(loaded.chain_["mixing"]) == 2
        thawed = pickle.loads(pickle.dumps(loaded))
        assert np.array_equal(thawed.partial_fit("@karate").components_, loaded.partial_fit("@karate").components_)
        assert repr(thawed.windows_.tolist()) == repr(loaded.windows_.tolist()) and len(loaded.windows_) == 7
        # Twice, too, and what is saved says how.
        loaded.save(saved)
        assert contents(saved)[0]["run"]["config"]["steps"] == [12, 3, 3, loaded.steps]
        assert len(NetworkDictionary.load(saved).partial_fit("@kite", steps=1).windows_) == 8
    with pytest.raises(ValueError, match="next window"):
        NetworkDictionary.load(saved).partial_fit(["@kite", "@karate"])


def test_a_network_is_scored_without_being_learned_from() -> None:
    lattice, cliques = nx.watts_strogatz_graph(60, 4, 0), nx.connected_caveman_graph(6, 10)
    model = NetworkDictionary(6, k=5, steps=20, batch_size=50, sampler="pivot", injective=True, schedule="constant:0.1", random_state=0).fit(lattice)
    before = model.components_.copy()
    other, same = model.change_score(cliques), model.change_score(lattice)
    assert other["change"] > 10 * other["change_error"] and other["change"] > 1.0
    assert abs(same["change"]) < min(6 * same["change_error"], 0.2) and same["came"] == same["went"] == 0
    assert np.array_equal(model.components_, before) and model.n_steps_ == 20 and not hasattr(model, "windows_")
    # Learning from it gives the same warning.
    model.partial_fit(cliques)
    assert model.windows_[-1]["change"] == other["change"] and model.n_steps_ == 40


def test_windows_without_room_are_passed_over() -> None:
    rows = [*switching(2, 2, 20), (0, 1, 2.0), *((u, v, 4.0) for u, v, _ in switching(1, 1, 20))]
    model = small(k=5, steps=3).fit(TimedEdges(rows).windows(1.0))
    told = model.windows_
    assert told["passed_over"][3] == "has no edge" and len(told) == 5
    assert np.isnan(told["change"][3]) and np.isfinite(told["change"][4]) and model.n_steps_ == 3 * np.sum(told["passed_over"] == "")
    with pytest.raises(ValueError, match="no window can be learned from"):
        small(k=5, injective=True).fit(TimedEdges([(0, 1, 0.0), (2, 3, 9.0)]))
    with pytest.raises(AttributeError):
        small().fit("@karate").windows_
    with pytest.raises(ValueError, match="score_patches is 5"):
        small(score_patches=5).fit("@karate")
    with pytest.raises(ValueError, match="static"):
        small(static=True).fit(TimedEdges(rows))


def test_pictures_of_time_are_drawn() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    model = small(k=5, steps=3).fit(TimedEdges(switching(6, 4, 20)).windows(windows=6))
    axes = plot.change(model)
    assert len(axes.lines[1].get_xdata()) == 5
    axes = plot.dominance_over_time(model, atoms=2)
    assert axes.get_legend_handles_labels()[1][-1] == "the other 2"
    cells = plot.dictionary_over_time(model, atoms=3, windows=3)
    assert cells.shape == (3, 3) and np.allclose(cells[-1, 0].images[0].get_array(), model.dictionaries_[-1, np.nanargmax(np.nanmax(model.dominances_, axis=0))])
    with pytest.raises(ValueError, match="windows_"):
        plot.change(small().fit("@karate"))
    with pytest.raises(ValueError, match="axes are needed"):
        plot.dictionary_over_time(model, atoms=3, windows=3, ax=cells[:2])
    pyplot.close("all")


def test_moments_in_different_time_zones_are_compared_as_moments() -> None:
    paris, noon = datetime.timezone(datetime.timedelta(hours=2)), datetime.datetime(2004, 5, 1, 12, 30)
    times = [noon, noon.replace(tzinfo=datetime.timezone.utc), noon.replace(hour=14, tzinfo=paris)]
    rows = TimedEdges([(0, n + 1, time) for n, time in enumerate(times)])
    assert rows.times.tolist() == [noon] * 3
