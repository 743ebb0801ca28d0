"""Images in Python: the minibatches and the reconstructions of the command line, however an image is given."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ergodict import ImagePatches, OnlineNMF, denoise_image, noise_level, psnr, read_image, reconstruct_image


@pytest.fixture
def picture(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """A small picture in color, as a file and as an array."""
    from PIL import Image

    array = np.random.default_rng(3).integers(0, 256, size=(24, 31, 3), dtype=np.uint8)
    Image.fromarray(array).save(tmp_path / "p.png")
    return tmp_path / "p.png", array


def moments(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and B of one step under one atom of ones without penalty: they identify the minibatch."""
    w = np.ones((x.shape[1], 1)) / np.sqrt(x.shape[1])
    h = np.maximum(w.T @ x.T, 0)
    return h @ h.T, h @ x


@pytest.mark.parametrize("sampling", ["independent", "walk"])
@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("boundary", ["periodic", "free"])
def test_minibatches_are_those_the_command_line_learns_from(
    cli: Any, tmp_path: Path, picture: Any, sampling: str, color: bool, boundary: str
) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    path, array = picture
    stream = ImagePatches(
        array, size=(4, 5), n=60, sampling=sampling, color=color, boundary=boundary, random_state=7
    )
    x = next(stream)
    assert x.shape == (60, 20 * (3 if color else 1))
    w, out = tmp_path / "w.npy", tmp_path / "m.safetensors"
    np.save(w, np.ones((x.shape[1], 1)) / np.sqrt(x.shape[1]))
    flags = [
        "--sampling",
        "iid" if sampling == "independent" else "walk",
        "--boundary",
        boundary,
        f"--color={str(color).lower()}",
    ]
    cli(
        "image",
        "learn",
        path,
        "--patch",
        "4x5",
        "--patches",
        60,
        "--steps",
        1,
        "-r",
        1,
        "--lambda",
        0,
        "--init",
        w,
        "--seed",
        7,
        *flags,
        "-o",
        out,
    )
    found, (a, b) = safetensors.load_file(out), moments(x)
    np.testing.assert_allclose(found["A"], a, rtol=1e-9)
    np.testing.assert_allclose(found["B"], b, rtol=1e-9)


def test_the_dictionary_learned_is_that_of_the_command_line(cli: Any, tmp_path: Path, picture: Any) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    path, array = picture
    model = OnlineNMF(n_components=7, alpha=0.5, schedule="balanced", code_tol=1e-6, dict_tol=1e-3, random_state=4)
    model.fit_stream(ImagePatches(array, size=5, n=30, sampling="walk", random_state=4), steps=8)
    out, rebuilt = tmp_path / "m.safetensors", tmp_path / "r.png"
    flags = ["--patches", 30, "--steps", 8, "--sampling", "walk", "--seed", 4]
    cli("image", "learn", path, "-r", 7, "--patch", 5, *flags, "-o", out)
    np.testing.assert_array_equal(model.components_, safetensors.load_file(out)["W"].T)
    done = json.loads(cli("image", "reconstruct", out, path, "-o", rebuilt, "--json").stdout)
    assert reconstruct_image(model, array, return_info=True)[1]["psnr"] == done["psnr"]


def test_an_image_is_the_same_however_it_is_given(picture: Any, tmp_path: Path) -> None:
    from PIL import Image

    path, array = picture
    for color in (False, True):
        expected = read_image(path, color)
        for other in (
            str(path),
            array,
            Image.open(path),
            array.astype(np.uint16) * 257,
            array[:, ::-1][:, ::-1],
            np.asfortranarray(array),
        ):
            np.testing.assert_array_equal(read_image(other, color), expected)
        np.testing.assert_allclose(read_image(array / 255, color), expected, atol=1e-7)
    gray = array[..., 0]
    Image.fromarray(gray).save(tmp_path / "g.png")
    for color in (False, True):
        np.testing.assert_array_equal(read_image(gray, color), read_image(tmp_path / "g.png", color))
    alpha = np.dstack([array, gray])
    Image.fromarray(alpha).save(tmp_path / "a.png")
    for color in (False, True):
        np.testing.assert_array_equal(read_image(alpha, color), read_image(tmp_path / "a.png", color))
    paletted = Image.fromarray(array).quantize(16)
    paletted.save(tmp_path / "q.png")
    np.testing.assert_array_equal(read_image(paletted, True), read_image(tmp_path / "q.png", True))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint32, np.int16, np.int8, ">u4", None])
def test_integers_of_other_types_are_taken_by_their_range(dtype: Any) -> None:
    from PIL import Image

    small = np.array([[0, 100], [127, 1]])
    want = read_image(small.astype(np.uint8))
    np.testing.assert_array_equal(read_image(small.tolist() if dtype is None else small.astype(dtype)), want)
    np.testing.assert_array_equal(read_image(Image.fromarray(small.astype(np.int32))), want)
    assert read_image([[255, 0]]).tolist() == [[1.0, 0.0]]
    assert read_image(np.array([[65535]], ">u2")).tolist() == [[1.0]]
    for bad in ([[256, 0]], [[-1, 0]], Image.fromarray(np.array([[0, 65535]], np.int32))):
        with pytest.raises(ValueError, match=r"the image has integers from -?\d+ to \d+, but int.. is taken from 0 \(black\) to 255"):
            read_image(bad)


def test_floats_that_leave_the_range_stay_as_they_are() -> None:
    values = np.array([[-0.5, 0.2], [0.7, 1.5]])
    np.testing.assert_array_equal(read_image(values), values.astype(np.float32))


@pytest.mark.parametrize("flags", [[], ["--color"], ["--f32", "--code", "free", "--dictionary", "ball"]])
def test_reconstructions_are_those_of_the_command_line(
    cli: Any, tmp_path: Path, flags: list[str], picture: Any
) -> None:
    path, array = picture
    model, out = tmp_path / "m.safetensors", tmp_path / "r.png"
    cli(
        "image",
        "learn",
        path,
        "-r",
        10,
        "--patch",
        5,
        "--patches",
        80,
        "--steps",
        4,
        "--seed",
        2,
        *flags,
        "-o",
        model,
    )
    for more, alpha, stride in (([], 0.0, None), (["--stride", "3", "--lambda", "0.2"], 0.1, 3)):
        done = json.loads(cli("image", "reconstruct", model, path, *more, "-o", out, "--json").stdout)
        rebuilt, info = reconstruct_image(model, array, alpha=alpha, stride=stride, return_info=True)
        assert (info["psnr"], info["relative_error"]) == (done["psnr"], done["relative_error"])
        assert (info["stride"], info["patches"]) == (done["stride"], done["patches"])
        written = read_image(out, rebuilt.ndim == 3)
        np.testing.assert_array_equal(
            np.round(np.clip(rebuilt.astype(np.float32).astype(float), 0, 1) * 255), np.round(written * 255.0)
        )
    for more, sigma in (([], None), (["--sigma", 0.2], 0.2), (["--sigma", 0], 0.0)):
        for flags, by in ((["--model", model], {"model": model}), (["--gray", "--patch", 5, "-r", 20], {"patch": 5, "n_components": 20, "color": False})):
            done = json.loads(cli("image", "denoise", path, *more, *flags, "-o", out, "--json").stdout)
            freed, info = denoise_image(array, sigma, return_info=True, **by)
            assert (info["psnr"] if sigma != 0 else None, info["sigma"], info["patches"]) == (
                done["psnr"],
                done["sigma"],
                done["patches"],
            )
            again = denoise_image(array, sigma, n_jobs=2, **by)
            np.testing.assert_array_equal(freed, again)


def test_atoms_in_arrays_reconstruct_as_those_in_model_files(cli: Any, tmp_path: Path, picture: Any) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    path, array = picture
    model = tmp_path / "m.safetensors"
    for flags, more in (([], {}), (["--color", "--patch", "4x6"], {"patch": (4, 6)})):
        (
            cli(
                "image",
                "learn",
                path,
                "-r",
                8,
                "--patch",
                5,
                "--patches",
                50,
                "--steps",
                3,
                *flags,
                "-o",
                model,
            )
            if not more
            else cli("image", "learn", path, "-r", 8, "--patches", 50, "--steps", 3, *flags, "-o", model)
        )
        atoms = safetensors.load_file(model)["W"].T
        np.testing.assert_array_equal(
            reconstruct_image(atoms, array, **more), reconstruct_image(model, array)
        )


def test_pickles_go_on_to_the_same_bytes_and_steps_end_it() -> None:
    for sampling in ("independent", "walk"):
        stream = ImagePatches(
            "@tessellation", size=6, n=9, sampling=sampling, steps=4, dtype=np.float32, random_state=1
        )
        assert next(stream).dtype == np.float32
        again = pickle.loads(pickle.dumps(stream))
        rest, others = list(stream), list(again)
        assert len(rest) == len(others) == 3
        np.testing.assert_array_equal(rest, others)
        with pytest.raises(StopIteration):
            next(stream)


def test_several_images_are_one_stream() -> None:
    dark, light = np.zeros((9, 9)), np.ones((30, 30))
    means = next(ImagePatches([dark, light], size=3, n=2000, random_state=0)).mean(axis=1)
    # Corners are drawn in proportion to their number: 900 of 981.
    assert abs(means.mean() - 900 / 981) < 4.5 * np.sqrt(0.917 * 0.083 / 2000)


def test_noise_is_estimated_and_freed_of() -> None:
    rng = np.random.default_rng(0)
    clean = np.tile(np.linspace(0.2, 0.8, 64), (64, 1))
    noisy = clean + 0.1 * rng.normal(size=clean.shape)
    assert noise_level(noisy) == pytest.approx(0.1, rel=0.15)
    planes = np.stack(
        [np.ones((6, 6)), np.tile(np.arange(6) - 2.5, (6, 1)), np.tile(np.arange(6) - 2.5, (6, 1)).T]
    ).reshape(3, -1)
    planes /= np.linalg.norm(planes, axis=1, keepdims=True)
    for more in ({}, {"model": planes}, {"sigma": 0.1, "stride": 2}):
        freed = denoise_image(noisy, **more)
        assert psnr(freed, clean) > psnr(noisy, clean) + 6
    # Colors together: better than each alone would be, and of the same shape.
    colors = np.stack([noisy, clean + 0.1 * rng.normal(size=clean.shape), clean + 0.1 * rng.normal(size=clean.shape)], axis=2)
    freed, info = denoise_image(colors, return_info=True, n_components=64)
    assert freed.shape == colors.shape and info["components"].shape == (64, 192)
    assert psnr(freed, np.stack([clean] * 3, axis=2)) > psnr(noisy, clean) + 6
    # Gray stored as color is denoised as gray, and stored as it was.
    gray = denoise_image(noisy)
    for channels in (3, 4):
        stored = np.concatenate([np.repeat(noisy[..., None], 3, axis=2), np.ones((64, 64, 1))], axis=2)[..., :channels]
        np.testing.assert_array_equal(denoise_image(stored), np.repeat(gray[..., None], 3, axis=2))
    assert denoise_image(colors, color=False, sigma=0.06).shape == clean.shape


def test_an_image_without_noise_stays_nearly_as_it_is() -> None:
    clean = read_image("@tessellation")[:64, :64]
    np.testing.assert_array_equal(denoise_image(clean, 0.0), clean)
    assert psnr(denoise_image(clean, 1e-3), clean) > 58


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ImagePatches(np.ones((5, 9)), size=6), "the patch is 6×6, but at most 5×9"),
        (lambda: ImagePatches(np.ones((5, 9)), size=0), "a side must be from 1"),
        (
            lambda: ImagePatches(np.where(np.arange(81).reshape(9, 9) == 22, np.nan, 0.5), size=3),
            "the pixel in row 2, column 4, counted from 0, is nan: expected finite numbers",
        ),
        (lambda: ImagePatches(np.full((9, 9), 1e300), size=3), "is 1e\\+300: expected finite numbers"),
        (lambda: ImagePatches(np.ones((0, 9))), "the image is 9×0, but it must have at least one pixel"),
        (lambda: ImagePatches(np.ones(9)), "1 axes"),
        (lambda: ImagePatches(np.ones((9, 9, 7))), "7 channels"),
        (lambda: ImagePatches(-np.ones((9, 9), dtype=int)), "the image has integers from -1 to -1, but int64 is taken from 0"),
        (lambda: ImagePatches([]), "images"),
        (
            lambda: ImagePatches("@tesselation"),
            "there is no embedded image of that name: they are @tessellation and @tessellation-noisy",
        ),
        (lambda: ImagePatches(np.ones((9, 9)), n=0), "n is 0"),
        (
            lambda: ImagePatches(np.ones((9, 9)), sampling="iid"),
            "sampling is 'iid', but it must be independent or walk",
        ),
        (
            lambda: denoise_image(np.ones((9, 9)), -1.0),
            "sigma is -1, but it must be a number that is not negative",
        ),
        (
            lambda: denoise_image(np.ones((9, 9)), float("nan")),
            "sigma is NaN, but it must be a number that is not negative",
        ),
        (
            lambda: denoise_image(np.linspace(0, 1, 81).reshape(9, 9), 25),
            "sigma is 25, but no noise is as large in an image whose values are 0 to 1",
        ),
        (lambda: denoise_image(np.ones((5, 9))), "the patch is 8×8, but at most 5×9"),
        (lambda: denoise_image(np.ones((9, 9)), 0.1, stride=9), "the stride is 9"),
        (lambda: denoise_image(np.ones((9, 9)), n_components=0), "n_components"),
        (
            lambda: reconstruct_image(np.eye(9), np.ones((9, 9)), alpha=-1),
            "alpha is -1.0, but it must be a number that is not negative",
        ),
        (lambda: reconstruct_image(np.eye(9), np.ones((2, 2))), "the patch is 3×3, but at most 2×2"),
        (lambda: reconstruct_image(np.eye(10), np.ones((9, 9))), "no squares"),
        (lambda: reconstruct_image(np.eye(18), np.ones((9, 9)), patch=3), "2 numbers for each pixel"),
        (lambda: reconstruct_image(np.full((2, 9), np.inf), np.ones((9, 9))), "finite"),
        (lambda: reconstruct_image(np.ones((0, 9)), np.ones((9, 9))), "at least one"),
        (lambda: reconstruct_image(np.eye(9), np.ones((9, 9)), stride=0), "the stride is 0"),
        (lambda: psnr(np.ones((2, 2)), np.ones((2, 3))), "shape"),
    ],
)
def test_what_cannot_be_is_refused_in_words(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_files_that_are_no_images_and_other_objects_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"no image")
    with pytest.raises(ValueError, match="is not an image of a known format"):
        ImagePatches(tmp_path / "x.png")
    with pytest.raises(FileNotFoundError):
        ImagePatches(tmp_path / "y.png")
    for bad in (np.array([["a"]]), np.ones((3, 3), dtype=complex), object()):
        with pytest.raises(TypeError):
            ImagePatches(bad)
    with pytest.raises((MemoryError, ValueError)):
        next(ImagePatches(np.ones((30, 30)), n=10**13))
