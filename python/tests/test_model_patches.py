"""What atoms are patches of goes with the estimator: from streams into files, from files into estimators."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ergodict
from ergodict import XY, CellularPotts, ImagePatches, Ising, OnlineDictionary, OnlineNMF, Potts, reconstruct_image, reconstruct_spins

Cli = Callable[..., subprocess.CompletedProcess[str]]


def header(path: Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        told = json.loads(json.loads(file.read(size))["__metadata__"]["ergodict"])
    assert len(told.pop("digest")) == 64  # of all that is in the file, also of what differs on purpose
    return told


@pytest.fixture
def picture(tmp_path: Path) -> tuple[Path, np.ndarray]:
    from PIL import Image

    array = np.random.default_rng(3).integers(0, 256, size=(24, 31, 3), dtype=np.uint8)
    Image.fromarray(array).save(tmp_path / "p.png")
    return tmp_path / "p.png", array


@pytest.mark.parametrize("color", [False, True])
def test_an_estimator_loaded_from_a_model_of_images_keeps_its_patch(
    cli: Cli, tmp_path: Path, picture: Any, color: bool
) -> None:
    path, array = picture
    model = tmp_path / "m.safetensors"
    flags = ["--color"] if color else []
    cli("image", "learn", path, "-r", 5, "--patch", "3x12", "--boundary", "free", "--patches", 40, "--steps", 5, "-o", model, *flags)
    want = reconstruct_image(model, array)
    loaded = ergodict.load(model)
    for one in (loaded, copy.copy(loaded), pickle.loads(pickle.dumps(loaded))):
        np.testing.assert_array_equal(reconstruct_image(one, array), want)
    # Also after it has learned more, and is written again.
    loaded.partial_fit(np.ones((4, loaded.n_features_in_)))
    loaded.save(tmp_path / "n.safetensors")
    np.testing.assert_array_equal(
        reconstruct_image(loaded, array), reconstruct_image(tmp_path / "n.safetensors", array)
    )
    cli("image", "reconstruct", tmp_path / "n.safetensors", path, "-o", tmp_path / "again.png")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("color", [False, True])
def test_a_stream_of_image_patches_makes_a_model_of_images(
    cli: Cli, tmp_path: Path, picture: Any, color: bool, dtype: Any
) -> None:
    path, array = picture
    patches = ImagePatches(array, (4, 6), 40, boundary="free", color=color, dtype=dtype, random_state=1)
    ours, theirs = tmp_path / "ours.safetensors", tmp_path / "theirs.safetensors"
    estimator = OnlineNMF(5, alpha=0.5, schedule="balanced", code_tol=1e-6, dict_tol=1e-3, random_state=1).fit_stream(patches, steps=4)
    for one in (estimator, pickle.loads(pickle.dumps(estimator))):
        one.save(ours)
        flags = (["--color"] if color else []) + (["--f32"] if dtype == np.float32 else [])
        cli("image", "learn", path, "-r", 5, "--patch", "4x6", "--boundary", "free", "--patches", 40, "--steps", 4, "--seed", 1, "-o", theirs, *flags)
        said, saying = header(ours), header(theirs)
        assert (said["kind"], said["patch"]) == (saying["kind"], saying["patch"]) and said["kind"] == "image"
        done = [json.loads(cli("image", "reconstruct", m, path, "-o", tmp_path / "r.png", "--json").stdout) for m in (ours, theirs)]
        assert done[0]["psnr"] == done[1]["psnr"]
        info = reconstruct_image(one, array, return_info=True)[1]
        assert info["psnr"] == pytest.approx(done[0]["psnr"], rel=1e-12)
    cli("report", ours, "-o", tmp_path / "page.html")


@pytest.mark.parametrize(
    ("chain", "spins"),
    [
        (lambda: Ising(18, every=500, random_state=0), None),
        (lambda: Ising(18, every=500, boundary="free", random_state=0), "signed"),
        (lambda: Potts(12, states=4, every=500, random_state=0), None),
        (lambda: CellularPotts(18, cells=4, every=500, random_state=0), None),
        (lambda: XY(12, every=500, random_state=0), None),
    ],
)
def test_minibatches_of_a_chain_make_a_model_of_spins(cli: Cli, tmp_path: Path, chain: Any, spins: Any) -> None:
    walk, model, frames, out = chain(), *(tmp_path / name for name in ("m.safetensors", "t.npy", "r.npy"))
    estimator = OnlineDictionary(6, random_state=0).fit_stream(walk.minibatches((3, 4), 50, steps=5, spins=spins))
    estimator.save(model)
    assert header(model)["kind"] == "spins"
    np.save(frames, walk.frames(1))
    cli("spins", "reconstruct", model, frames, "--lambda", 0.1, "-o", out)
    for one in (estimator, ergodict.load(model), model):
        rebuilt = reconstruct_spins(one, np.load(frames)[-1], alpha=0.05)
        np.testing.assert_array_equal(rebuilt.reshape(np.load(out).shape), np.load(out))
    cli("report", model, "-o", tmp_path / "page.html")


def test_an_estimator_loaded_from_a_model_of_spins_keeps_its_alphabet(cli: Cli, tmp_path: Path) -> None:
    model = tmp_path / "m.safetensors"
    cli("spins", "learn", "--model", "potts", "--size", 12, "--boundary", "free", "-r", 6, "--patch", "3x4", "--patches", 60, "--every", 500, "--updates", 5000, "-o", model)
    # A configuration that does not determine the number of labels.
    lattice = np.zeros((12, 12), dtype=np.int8)
    np.testing.assert_array_equal(reconstruct_spins(ergodict.load(model), lattice), reconstruct_spins(model, lattice))


def test_a_fit_of_something_else_forgets_the_patch() -> None:
    patches = ImagePatches("@tessellation", (2, 8), 20, random_state=0)
    estimator = OnlineNMF(2, random_state=0).fit_stream(patches, steps=2)
    image = np.random.default_rng(0).random((9, 9))
    narrow = reconstruct_image(estimator, image)
    estimator.fit(next(patches))
    # Squares of 4, as for any 16 numbers.
    assert not np.array_equal(reconstruct_image(estimator, image), narrow)
    np.testing.assert_array_equal(reconstruct_image(estimator, image), reconstruct_image(estimator, image, patch=4))
