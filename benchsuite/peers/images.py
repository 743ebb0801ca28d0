"""Denoising of photographs and textures that come with Python packages: ours beside other methods, on the same noise.

    python benchsuite/peers/images.py [--package FOLDER] [--noise 0.05,0.1,0.2] [--images camera,brick] [--methods ergodict;BM3D] [--side 256] [--quick]

A line of JSON for each image, noise and method; the last line has the tables.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

#: Settings were chosen on these; in gray but for those whose names end in "-color".
CHOSEN = ["camera", "astronaut", "coffee", "brick", "coins", "grass", "moon", "china", "astronaut-color", "china-color"]
#: These were looked at once, at the end.
HELD_BACK = ["chelsea", "gravel", "rocket", "flower", "motorcycle", "ihc", "retina", "hubble", "hopper", "chelsea-color", "flower-color"]
#: The middle of an image, at most so many pixels along a side.
SIDE = 512


def files() -> dict[str, Path]:
    """Where the images are."""
    import matplotlib
    import skimage
    import sklearn

    data = Path(skimage.__file__).parent / "data"
    own = {n: data / f"{n}.png" for n in ("camera", "astronaut", "coffee", "brick", "coins", "grass", "moon", "chelsea", "gravel", "ihc")}
    own |= {"rocket": data / "rocket.jpg", "motorcycle": data / "motorcycle_left.png", "retina": data / "retina.jpg"}
    own |= {"hubble": data / "hubble_deep_field.jpg", "hopper": Path(matplotlib.get_data_path()) / "sample_data/grace_hopper.jpg"}
    return own | {n: Path(sklearn.__file__).parent / f"datasets/images/{n}.jpg" for n in ("china", "flower")}


def load(name: str, side: int) -> np.ndarray:
    """The middle of an image, from 0 to 1."""
    from skimage import io

    image = io.imread(files()[name.removesuffix("-color")]).astype(np.float64) / 255
    if image.ndim == 3:
        image = image[..., :3]
        if not name.endswith("-color"):
            image = image @ np.array([0.2126, 0.7152, 0.0722])
    rows, cols = (max(0, (n - side) // 2) for n in image.shape[:2])
    return np.ascontiguousarray(image[rows : rows + side, cols : cols + side])


def ergodict(noisy: np.ndarray, sigma: float) -> np.ndarray:
    """Ours, with everything by default but the noise level."""
    from ergodict import denoise_image

    return denoise_image(noisy, sigma)


def ergodict_blind(noisy: np.ndarray, sigma: float) -> np.ndarray:
    """Ours with everything by default."""
    from ergodict import denoise_image

    return denoise_image(noisy)


def sklearn_omp(noisy: np.ndarray, sigma: float) -> np.ndarray:
    """The textbook with scikit-learn's atoms: patches less their mean, pursuit to 64 (1.1 sigma)^2, plain mean over all positions."""
    from sklearn.decomposition import MiniBatchDictionaryLearning
    from sklearn.feature_extraction.image import extract_patches_2d
    from sklearn.linear_model import orthogonal_mp_gram

    train = extract_patches_2d(noisy, (8, 8), max_patches=20_000, random_state=0).reshape(-1, 64)
    train = train - train.mean(axis=1, keepdims=True)
    learner = MiniBatchDictionaryLearning(128, alpha=1.2 * sigma, batch_size=256, max_iter=2, fit_algorithm="cd", random_state=0)
    atoms = learner.fit(train).components_
    atoms = atoms[np.linalg.norm(atoms, axis=1) > 1e-9]
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    gram = atoms @ atoms.T
    windows = np.lib.stride_tricks.sliding_window_view(noisy, (8, 8))
    sums, counts = np.zeros_like(noisy), np.zeros_like(noisy)
    for i in range(windows.shape[0]):
        x = windows[i].reshape(-1, 64)
        mean = x.mean(axis=1, keepdims=True)
        x = x - mean
        codes = orthogonal_mp_gram(gram, atoms @ x.T, tol=64 * (1.1 * sigma) ** 2, norms_squared=(x**2).sum(axis=1))
        patches = (codes.T.reshape(len(x), -1) @ atoms + mean).reshape(-1, 8, 8)
        for j, patch in enumerate(patches):
            sums[i : i + 8, j : j + 8] += patch
            counts[i : i + 8, j : j + 8] += 1
    return sums / counts


def nl_means(noisy: np.ndarray, sigma: float) -> np.ndarray:
    """Nonlocal means of scikit-image, as its gallery has them."""
    from skimage.restoration import denoise_nl_means

    axis = -1 if noisy.ndim == 3 else None
    settings = {"patch_size": 5, "patch_distance": 6, "h": 0.8 * sigma, "sigma": sigma, "fast_mode": True}
    return denoise_nl_means(noisy, channel_axis=axis, **settings)


def bm3d(noisy: np.ndarray, sigma: float) -> np.ndarray:
    """BM3D of its authors' package."""
    import bm3d as package

    return package.bm3d_rgb(noisy, sigma) if noisy.ndim == 3 else package.bm3d(noisy, sigma)


METHODS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "ergodict": ergodict,
    "ergodict, σ estimated": ergodict_blind,
    "scikit-learn atoms, OMP": sklearn_omp,
    "nl_means": nl_means,
    "BM3D": bm3d,
}
#: What has no way with colors.
GRAY_ONLY = {"scikit-learn atoms, OMP"}


def psnr(image: np.ndarray, clean: np.ndarray) -> float:
    return float(-10 * np.log10(np.mean((image - clean) ** 2)))


def table(title: str, names: list[str], rows: list[dict[str, Any]], methods: list[str], noises: list[float]) -> str:
    """PSNR of each image and method, their means, and the time."""
    lines = [f"### {title}", "", "| image | σ | noisy | " + " | ".join(methods) + " |", "|---" * (3 + len(methods)) + "|"]
    found = {(row["image"], row["sigma"], row["method"]): row for row in rows}
    for sigma in noises:
        for name in names:
            cells = [found.get((name, sigma, method)) for method in methods]
            noisy = next((cell["noisy"] for cell in cells if cell), None)
            if noisy is not None:
                best = max(cell["psnr"] for cell in cells if cell)
                texts = [("**{:.2f}**" if cell["psnr"] == best else "{:.2f}").format(cell["psnr"]) if cell else "–" for cell in cells]
                lines.append(f"| {name} | {sigma} | {noisy:.2f} | " + " | ".join(texts) + " |")
        gray = [name for name in names if not name.endswith("-color")]
        for which, group in (("gray", gray), ("color", [name for name in names if name not in gray])):
            means = []
            for method in methods:
                values = [found[name, sigma, method]["psnr"] for name in group if (name, sigma, method) in found]
                means.append(f"{np.mean(values):.2f}" if values and len(values) == len(group) else "–")
            if group:
                lines.append(f"| *mean, {which}* | {sigma} | | " + " | ".join(means) + " |")
    speed = [[row["cpu"] / row["megapixels"] for row in rows if row["method"] == method and row["image"] in names] for method in methods]
    lines.append("| *CPU s per megapixel, median* | | | " + " | ".join(f"{np.median(s):.1f}" if s else "–" for s in speed) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--package")
    parser.add_argument("--noise", default="0.05,0.1,0.2")
    parser.add_argument("--images", default=",".join(CHOSEN + HELD_BACK))
    parser.add_argument("--methods", default=";".join(METHODS))
    parser.add_argument("--side", type=int, default=SIDE)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.package:
        sys.path.insert(0, options.package)
    noises = [float(s) for s in options.noise.split(",")]
    names, methods, side = options.images.split(","), options.methods.split(";"), options.side
    if options.quick:
        noises, names, side = [0.1], names[:2], 128
    rows: list[dict[str, Any]] = []
    for name in names:
        clean = load(name, side)
        for sigma in noises:
            noisy = clean + sigma * np.random.default_rng([len(name), round(1000 * sigma)]).normal(size=clean.shape)
            for method in methods:
                if name.endswith("-color") and method in GRAY_ONLY:
                    continue
                start = time.process_time()
                denoised = METHODS[method](noisy, sigma)
                cpu = time.process_time() - start
                row = {"image": name, "sigma": sigma, "method": method, "psnr": psnr(denoised, clean), "noisy": psnr(noisy, clean)}
                row |= {"cpu": cpu, "megapixels": clean.shape[0] * clean.shape[1] / 1e6, "held_back": name in HELD_BACK}
                rows.append(row)
                print(json.dumps(row), flush=True)
    parts = [("Chosen on", [n for n in names if n in CHOSEN]), ("Held back", [n for n in names if n in HELD_BACK])]
    page = "\n\n".join(table(title, group, rows, methods, noises) for title, group in parts if group)
    packages = {p: importlib.metadata.version(p) for p in ("numpy", "scikit-image", "scikit-learn", "bm3d")}
    print(json.dumps({"about": {"packages": packages, "side": side}, "page": page + "\n"}))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
