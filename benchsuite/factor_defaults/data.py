"""Data sets of the study: those that ship in Python packages, and generated ones."""

from __future__ import annotations

import inspect
import json
import pkgutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """Samples to learn from and to judge by, the number of atoms, and the penalty of signed problems (0: nonnegative)."""

    train: Any
    test: Array
    atoms: int
    alpha: float = 0.0

    @property
    def dense(self) -> Array:
        """The samples to learn from as an array."""
        return self.train.toarray() if hasattr(self.train, "toarray") else self.train


def split(X: Any, atoms: int, seed: int, alpha: float = 0.0, share: float = 0.2, most: int = 1000) -> Problem:
    """Holds out a fifth of the samples, at most a thousand, drawn at random; the rest stays in its order."""
    n = X.shape[0]
    out = np.zeros(n, bool)
    out[np.random.default_rng(1000 + seed).permutation(n)[: min(int(share * n), most)]] = True
    test = X[np.flatnonzero(out)]
    return Problem(X[np.flatnonzero(~out)], test.toarray() if hasattr(test, "toarray") else test, atoms, alpha)


def patches(pictures: list[Array], side: int, count: int, seed: int) -> Array:
    """Windows at random positions of pictures, row by row."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        picture = pictures[random.integers(len(pictures))]
        i, j = (random.integers(picture.shape[axis] - side + 1) for axis in (0, 1))
        rows.append(picture[i : i + side, j : j + side].ravel())
    return np.array(rows)


def photographs(*names: str) -> list[Array]:
    """Grey pictures of scikit-image in [0, 1]."""
    from skimage import color, data, util

    def grey(name: str) -> Array:
        picture = util.img_as_float(getattr(data, name)())
        return color.rgb2gray(picture) if picture.ndim == 3 else picture

    return [grey(name) for name in names]


def docstrings(packages: list[str]) -> list[str]:
    """What the functions and classes of packages say of themselves, in a process of its own: what else is imported would add to them."""
    done = subprocess.run([sys.executable, __file__, *packages], check=True, capture_output=True, text=True)
    return list(json.loads(done.stdout))


def collect(packages: list[str]) -> list[str]:
    """The docstrings, as they are in this process."""
    found: dict[str, str] = {}
    for package in packages:
        names = [package]
        if hasattr(root := import_module(package), "__path__"):
            modules = (module.name for module in pkgutil.iter_modules(root.__path__))
            names += [f"{package}.{name}" for name in modules if "test" not in name and not name.startswith("_")]
        for name in names:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    members = vars(import_module(name))
            except Exception:  # what cannot be imported has no docstrings here
                continue
            for key, value in sorted(members.items(), key=lambda item: item[0]):
                if not key.startswith("_") and callable(value):
                    text = inspect.getdoc(value) or ""
                    if len(text) > 200:
                        found.setdefault(text, key)
    return list(found)


PACKAGES = ["numpy", "scipy.stats", "scipy.signal", "scipy.optimize", "scipy.linalg", "scipy.ndimage", "scipy.special", "scipy.sparse",
            "scipy.spatial", "scipy.interpolate", "scipy.cluster", "scipy.integrate", "sklearn"]  # fmt: skip


def text(kind: str, packages: list[str]) -> Any:
    """Words of docstrings, as counts or TF-IDF."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    how = {"counts": CountVectorizer, "tfidf": TfidfVectorizer}[kind]
    words = how(stop_words="english", min_df=5, max_features=3000, token_pattern=r"[a-z]{3,}")
    return words.fit_transform(docstrings(packages)).astype(np.float64)


def spectra(seed: int, count: int = 2000, d: int = 400, parts: int = 10) -> Array:
    """Mixtures of substances, each a handful of peaks, on a baseline with shot noise."""
    random = np.random.default_rng(seed)
    x = np.linspace(0, 1, d)

    def peaks() -> Array:
        at, wide, high = random.random(6), random.uniform(0.004, 0.02, 6), random.exponential(1.0, 6)
        return (high[:, None] / (1 + ((x - at[:, None]) / wide[:, None]) ** 2)).sum(axis=0)

    pure = np.array([peaks() for _ in range(parts)])
    amounts = random.dirichlet(np.full(parts, 0.3), count) * random.lognormal(0, 0.3, (count, 1))
    clean = amounts @ pure + 0.2 * random.random((count, 1)) * (1 - 0.5 * x)
    return random.poisson(400 * clean) / 400.0


def ising(seed: int, temperature: float, size: int = 96, side: int = 12, count: int = 10_000) -> Array:
    """Windows of spins 0 and 1 of the Ising model, by checkerboard heat bath."""
    random = np.random.default_rng(seed)
    spins = random.integers(0, 2, (size, size)) * 2 - 1
    colors = np.indices((size, size)).sum(axis=0) % 2
    frames = []
    for sweep in range(600):
        for color in (0, 1):
            field = sum(np.roll(spins, shift, axis) for shift in (-1, 1) for axis in (0, 1))
            up = random.random((size, size)) < 1 / (1 + np.exp(-2 * field / temperature))
            spins = np.where(colors == color, 2 * up - 1, spins)
        if sweep >= 200 and sweep % 20 == 0:
            frames.append((spins + 1) / 2.0)
    return patches(frames, side, count, seed)


def network(seed: int, k: int = 12, count: int = 8000) -> Array:
    """Patches of random walks on a network of blocks with hubs."""
    random = np.random.default_rng(seed)
    n = 400
    block, hub = np.arange(n) // 40, random.pareto(2.0, n) + 0.5
    chance = np.where(block[:, None] == block[None], 0.25, 0.008) * np.minimum(np.sqrt(np.outer(hub, hub)), 3)
    upper = np.triu(random.random((n, n)) < chance, 1)
    A = upper | upper.T
    neighbors = [np.flatnonzero(row) for row in A]
    start = np.flatnonzero(A.any(axis=1))
    rows = []
    for _ in range(count):
        walk = [int(random.choice(start))]
        while len(walk) < k:
            walk.append(int(random.choice(neighbors[walk[-1]])))
        rows.append(A[np.ix_(walk, walk)].ravel())
    return np.array(rows, dtype=np.float64)


def planted(seed: int, n: int = 6000, d: int = 100, atoms: int = 30, signed: bool = False) -> Array:
    """Sparse combinations of random atoms, and noise."""
    random = np.random.default_rng(seed)
    W = random.standard_normal((atoms, d)) if signed else random.random((atoms, d)) * (random.random((atoms, d)) < 0.2)
    H = random.exponential(1.0, (n, atoms)) * (random.random((n, atoms)) < 0.12)
    if signed:
        H *= random.choice([-1, 1], H.shape)
        return H @ W / np.sqrt(d) * 3 + 0.1 * random.standard_normal((n, d))
    return H @ W + 0.05 * random.random((n, d))


def centered(X: Array) -> Array:
    """Patches without their means, scaled so that an entry has variance one on average."""
    X = X - X.mean(axis=1, keepdims=True)
    return X / X.std()


def digits() -> Array:
    """The handwritten digits of scikit-learn in [0, 1]."""
    from sklearn.datasets import load_digits

    return load_digits().data / 16.0


def faces() -> Array:
    """The faces, and as many other windows, of scikit-image."""
    from skimage.data import lfw_subset

    return lfw_subset().reshape(200, -1).astype(np.float64)


def table(name: str) -> Array:
    """A table of scikit-learn, columns divided by their means."""
    from sklearn import datasets

    X = getattr(datasets, f"load_{name}")().data
    return X / X.mean(axis=0)


#: The data sets that settings were chosen on.
CHOSEN_ON: dict[str, Callable[[int], Problem]] = {
    "digits": lambda seed: split(digits(), 16, seed),
    "photo patches": lambda seed: split(patches(photographs("camera", "coins", "astronaut"), 8, 20_000, seed), 32, seed),
    "word counts": lambda seed: split(text("counts", PACKAGES), 20, seed),
    "TF-IDF": lambda seed: split(text("tfidf", PACKAGES), 20, seed),
    "faces": lambda seed: split(faces(), 25, seed),
    "spectra": lambda seed: split(spectra(seed), 10, seed),
    "Ising patches": lambda seed: split(ising(seed, 2.26), 36, seed),
    "network patches": lambda seed: split(network(seed), 16, seed),
    "planted": lambda seed: split(planted(seed), 30, seed),
    "signed patches": lambda seed: split(centered(patches(photographs("camera", "coins", "astronaut"), 8, 20_000, seed)), 64, seed, 1.0),
    "signed planted": lambda seed: split(planted(seed, signed=True), 30, seed, 0.3),
}
#: Those that were looked at once, at the end.
HELD_BACK: dict[str, Callable[[int], Problem]] = {
    "texture patches": lambda seed: split(patches(photographs("brick", "grass", "gravel"), 10, 12_000, seed), 40, seed),
    "tumor table": lambda seed: split(table("breast_cancer"), 6, seed),
    "library TF-IDF": lambda seed: split(text("tfidf", ["skimage", "matplotlib", "asyncio", "email", "unittest", "logging", "multiprocessing", "xml",
                                                        "concurrent", "json", "argparse", "pathlib", "http", "inspect", "ast", "typing"]), 12, seed),
    "warm Ising patches": lambda seed: split(ising(seed, 3.5, side=10), 25, seed),
    "page patches": lambda seed: split(patches(photographs("page", "coffee"), 8, 15_000, seed), 24, seed),
    "wine table": lambda seed: split(table("wine"), 4, seed),
    "wide network patches": lambda seed: split(network(seed + 100, k=20, count=6000), 24, seed),
    "small planted": lambda seed: split(planted(seed + 100, n=1500, d=60, atoms=20), 20, seed),
    "wide signed planted": lambda seed: split(planted(seed + 100, n=4000, d=80, atoms=60, signed=True), 60, seed, 0.3),
    "signed texture": lambda seed: split(centered(patches(photographs("gravel", "chelsea"), 8, 12_000, seed)), 96, seed, 1.0),
}  # fmt: skip

if __name__ == "__main__":
    json.dump(collect(sys.argv[1:]), sys.stdout)
