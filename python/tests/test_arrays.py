"""Arrays of every layout give the same dictionary, and are read where they lie."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from ergodict import OnlineDictionary, OnlineNMF
from ergodict._ergodict import _address_of

X = np.random.default_rng(0).random((300, 10))


def learned(x: Any, **options: Any) -> np.ndarray:
    return OnlineNMF(4, batch_size=64, random_state=2, **options).fit(x).components_


def layouts(x: np.ndarray) -> dict[str, np.ndarray]:
    wide = np.zeros((x.shape[0], 25), x.dtype)
    wide[:, 3:13] = x
    gaps = np.zeros((x.shape[0], 20), x.dtype)
    gaps[:, ::2] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    record = np.zeros(x.shape, [("a", "i1"), ("x", x.dtype)])
    record["x"] = x
    return {
        "rows of a wider array": wide[:, 3:13],
        "every other row": np.repeat(x, 2, axis=0)[::2],
        "Fortran order": np.asfortranarray(x),
        "every other column": gaps[:, ::2],
        "backwards": x[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": frozen,
        "unaligned": record["x"],
        "byte-swapped": x.astype(x.dtype.newbyteorder()),
    }


VIEWED = {"rows of a wider array", "every other row", "read-only"}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", [{}, {"shuffle": True, "holdout": 0.1}], ids=["in order", "picked"])
def test_the_layout_makes_no_difference(dtype: type, options: dict[str, Any]) -> None:
    x = X.astype(dtype)
    want = learned(x, **options)
    assert want.dtype == dtype
    for name, other in layouts(x).items():
        np.testing.assert_array_equal(learned(other, **options), want, err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_read_where_they_lie(dtype: type) -> None:
    x = X.astype(dtype)
    assert _address_of(x) == x.ctypes.data
    for name, other in layouts(x).items():
        if name != "byte-swapped":
            assert _address_of(other) == (other.ctypes.data if name in VIEWED else None), name
    # What the estimators hand on is what they were given.
    seen = []

    class Spy:
        def fit(self, x: np.ndarray, *rest: object) -> None:
            seen.append(_address_of(x))
            raise StopIteration

        steps = 0

    class Watched(OnlineNMF):
        def _begin(self, *rest: Any) -> Any:
            return Spy()

    for other in (x, x[:, 2:7], x[::2]):
        with pytest.raises(StopIteration):
            Watched(2).fit(other)
        assert seen.pop() == other.ctypes.data


CHILD = """
import sys, numpy as np, psutil
from ergodict import OnlineNMF
OnlineNMF(1, random_state=0).fit(np.ones((300, 100), np.float32)).transform(np.ones((300, 100), np.float32))
x = np.load(sys.argv[1], mmap_mode="r")
x = x.T if sys.argv[2] == "F" else x
process = psutil.Process()
anonymous = lambda: process.memory_info().rss - process.memory_info().shared
before, most = anonymous(), 0
def look(*facts):
    global most
    most = max(most, anonymous())
model = OnlineNMF(1, batch_size=2000, max_iter=1, shuffle=False, random_state=0, callback=look).fit(x)
look()
print(most - before)
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_large_file_takes_no_memory_of_its_size(order: str, tmp_path: Path) -> None:
    path = tmp_path / "large.npy"
    shape = (50_000, 500) if order == "C" else (500, 50_000)
    file = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    file[:5] = 1.0
    del file
    done = subprocess.run([sys.executable, "-c", CHILD, path, order], capture_output=True, text=True, check=False)
    path.unlink()
    assert done.returncode == 0, done.stderr
    # The array has 100 MB; a minibatch of 2000 has 4.
    assert int(done.stdout) < 20e6


READING = """
import sys, numpy as np, psutil
from ergodict import OnlineNMF
model = OnlineNMF(1, random_state=0).fit(np.ones((300, 100), np.float32))
getattr(model, sys.argv[2])(np.ones((300, 100), np.float32))
x = np.load(sys.argv[1], mmap_mode="r")
process = psutil.Process()
most, stop = 0, False
anonymous = lambda: process.memory_info().rss - process.memory_info().shared
import threading
before = anonymous()
def look():
    global most
    while not stop:
        most = max(most, anonymous())
        # Without the lock; a copy of the file would take longer than this.
        threading.Event().wait(0.001)
looking = threading.Thread(target=look)
looking.start()
getattr(model, sys.argv[2])(x)
stop = True
looking.join()
print(most - before)
"""


@pytest.mark.parametrize("method", ["transform", "score"])
def test_transform_and_score_read_a_memory_map_where_it_lies(method: str, tmp_path: Path) -> None:
    path = tmp_path / "large.npy"
    file = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(250_000, 100))
    file[:5] = 1.0
    del file
    done = subprocess.run([sys.executable, "-c", READING, path, method], capture_output=True, text=True, check=False)
    path.unlink()
    assert done.returncode == 0, done.stderr
    # The array has 100 MB; codes and losses have 3.
    assert int(done.stdout) < 20e6


def test_transform_score_and_partial_fit_hand_on_what_they_were_given(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    model = OnlineNMF(2, random_state=0).fit(X)
    seen = []

    class Spy:
        def __init__(self, core: Any) -> None:
            self.core = core

        def __getattr__(self, name: str) -> Any:
            inner = getattr(self.core, name)
            if name not in ("transform", "losses", "step"):
                return inner

            def spied(x: Any, *rest: Any) -> Any:
                seen.append(_address_of(x))
                return inner(x, *rest)

            return spied

    model._core = Spy(model._core)
    for method in (model.transform, model.score, model.partial_fit):
        for part in (mapped, mapped[100:250], mapped[::2]):
            method(part)
            assert seen.pop() == part.ctypes.data, method


def misaligned(x: np.ndarray) -> np.ndarray:
    """The same numbers, one byte off, and contiguous."""
    raw = np.zeros(x.nbytes + 1, np.uint8)
    out = raw[1:].view(x.dtype).reshape(x.shape)
    out[...] = x
    assert not out.flags.aligned and out.flags.c_contiguous
    return out


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
def test_misaligned_sparse_matrices_are_read_as_others(part: str) -> None:
    csr = sparse.csr_array(X * (X > 0.7))
    other = csr.copy()
    setattr(other, part, misaligned(getattr(csr, part)))
    other.has_canonical_format = True
    np.testing.assert_array_equal(learned(other), learned(csr))
    with pytest.raises(ValueError, match="must be contiguous and aligned"):
        _address_of((other.data, other.indices, other.indptr, 10))


def test_misaligned_arrays_are_taken_everywhere() -> None:
    from ergodict import RBM, Ising, psnr, reconstruct_image

    rng = np.random.default_rng(1)
    a, b = rng.random((12, 12)), rng.random((12, 12))
    assert psnr(misaligned(a), misaligned(b)) == psnr(a, b)
    atoms = rng.random((4, 9))
    np.testing.assert_array_equal(reconstruct_image(misaligned(atoms), misaligned(a)), reconstruct_image(atoms, a))
    weights, visible, hidden = rng.normal(size=(9, 4)), rng.normal(size=9), rng.normal(size=4)
    given = [misaligned(one) for one in (weights, visible, hidden)]
    one, other = (RBM(*parts, every=90, random_state=0) for parts in (given, (weights, visible, hidden)))
    np.testing.assert_array_equal(one.frames(4), other.frames(4))
    one, other = (Ising(12, field=field, every=90, random_state=0) for field in (misaligned(a), a))
    np.testing.assert_array_equal(one.frames(4), other.frames(4))
    np.testing.assert_array_equal(learned(misaligned(X)), learned(X))
    start = rng.random((4, 10))
    np.testing.assert_array_equal(learned(X, dict_init=misaligned(start)), learned(X, dict_init=start))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_matrices_are_as_good_as_dense_ones(index: type, dtype: type) -> None:
    x = X.astype(dtype) * (X > 0.7)
    csr = sparse.csr_array(x)
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    tolerance = 1e-3 if dtype == np.float32 else 1e-7
    for options in ({}, {"shuffle": True, "max_iter": 2, "holdout": 0.2}, {"dict_init": "data"}):
        model = OnlineNMF(4, batch_size=64, random_state=2, code_tol=1e-8, **options).fit(csr)
        dense = OnlineNMF(4, batch_size=64, random_state=2, code_tol=1e-8, **options).fit(x)
        assert model.components_.dtype == dtype
        np.testing.assert_allclose(model.components_, dense.components_, atol=tolerance)
        np.testing.assert_allclose(model.transform(csr), dense.transform(x), atol=10 * tolerance)
        assert model.score(csr) == pytest.approx(dense.score(x), rel=1e-4)
    for other in (csr.tocsc(), csr.tocoo(), sparse.csr_matrix(csr)):
        np.testing.assert_array_equal(learned(other), learned(csr))


def test_duplicates_in_sparse_matrices_add_up() -> None:
    rows, columns, values = [0, 0, 1, 2], [1, 1, 2, 0], [1.0, 2.0, 3.0, 4.0]
    starts = np.array([0, 2, 3, 4])
    twice = sparse.csr_array((np.array(values), np.array(columns), starts), shape=(3, 3))
    once = sparse.coo_array((values, (rows, columns)), shape=(3, 3)).toarray()
    data = twice.data.copy()
    one, other = (OnlineNMF(2, random_state=0).fit(x) for x in (twice, sparse.csr_array(once)))
    np.testing.assert_array_equal(one.components_, other.components_)
    # Duplicates would have norms of their own, which only losses show.
    assert one.surrogate_ == other.surrogate_ and one.score(twice) == other.score(twice) == other.score(once)
    np.testing.assert_array_equal(twice.data, data)


def test_broken_sparse_matrices_are_refused() -> None:
    for part, at, value in [
        ("indices", 3, 99), ("indices", 3, -1), ("indptr", 5, 10**6), ("indptr", 5, -3)
    ]:
        csr = sparse.csr_array(X)
        getattr(csr, part)[at] = value
        csr.has_canonical_format = True
        with pytest.raises(ValueError, match="sparse"):
            OnlineNMF(2, random_state=0).fit(csr)


def test_missing_entries_are_left_out() -> None:
    x = X.copy()
    x[3, 4] = np.nan
    with pytest.raises(ValueError, match=r"row 3, column 4, counted from 0, is NaN or missing.*missing=True"):
        learned(x)
    x[3, 4], x[200, 0] = 1.0, np.inf
    for missing in (False, True):
        with pytest.raises(ValueError, match="row 200, column 0, counted from 0, is infinite: expected a finite number"):
            learned(x, missing=missing)
        with pytest.raises(ValueError, match="row 200"):
            OnlineNMF(4, random_state=0).fit(X).transform(x)
    x[x > 0.9] = np.nan
    model = OnlineNMF(4, missing=True, random_state=0).fit(x)
    assert np.isfinite(model.components_).all() and np.isfinite(model.transform(x)).all()
    # What a missing entry holds is never read.
    np.testing.assert_array_equal(learned(X, missing=True), learned(X))
    with pytest.raises(ValueError, match="sparse"):
        learned(sparse.csr_array(X), missing=True)


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (np.array([["a", "b"]]), ValueError),
        (np.array([[object()]]), TypeError),
        (X + 1j, ValueError),
        (np.zeros((0, 3)), ValueError),
        (np.zeros((3, 0)), ValueError),
        (X[0], ValueError),
        (X[None], ValueError),
        (np.float64(3.0), ValueError),
        (None, (TypeError, ValueError)),
        ("x.npy", (TypeError, ValueError)),
        (np.zeros(3, [("a", float)]), (TypeError, ValueError)),
    ],
)
def test_what_is_no_matrix_is_refused(bad: Any, error: Any) -> None:
    fitted = OnlineDictionary(2, random_state=0).fit(X)
    before = fitted.components_
    for method in (OnlineDictionary(2).fit, OnlineDictionary(2).partial_fit, fitted.partial_fit, fitted.transform, fitted.score):
        with pytest.raises(error):
            method(bad)
    np.testing.assert_array_equal(fitted.components_, before)


def test_other_features_are_refused() -> None:
    model = OnlineNMF(2, random_state=0).fit(X)
    for method in (model.partial_fit, model.transform, model.score):
        with pytest.raises(ValueError, match="9 features"):
            method(X[:, :9])
    with pytest.raises(ValueError, match="2 columns is needed"):
        model.inverse_transform(np.zeros((3, 4)))


def test_other_types_are_converted() -> None:
    single = OnlineNMF(3, random_state=0).fit(X.astype(np.float32))
    assert single.transform(X).dtype == np.float32
    assert single.partial_fit(X[:5]).components_.dtype == np.float32
    whole = OnlineNMF(3, random_state=0).fit((10 * X).astype(np.int16))
    np.testing.assert_array_equal(
        whole.components_, OnlineNMF(3, random_state=0).fit((10 * X).astype(np.int16).astype(float)).components_
    )


def test_arrays_larger_than_memory_are_refused() -> None:
    # One number that strides of zero make to more than any machine has.
    vast = np.broadcast_to(np.float64(1.0), (1 << 30, 1 << 20))
    fitted = OnlineNMF(2, random_state=0).fit(np.ones((4, 1 << 20)))
    for method in (OnlineNMF(2).partial_fit, fitted.partial_fit, OnlineNMF(2, batch_size=1 << 30).fit):
        with pytest.raises(MemoryError, match="would take about .* are available"):
            method(vast)
    tall = np.broadcast_to(np.float64(1.0), (1 << 45, 1))
    with pytest.raises(MemoryError, match="code fewer samples at a time"):
        OnlineNMF(1, random_state=0).fit(np.ones((4, 1))).transform(tall)
