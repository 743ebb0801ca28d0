"""The scripts of the gallery run and draw."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[2] / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))


def test_there_is_a_gallery() -> None:
    assert len(SCRIPTS) >= 5, f"no scripts in {GALLERY}"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_draws_its_picture(script: Path, tmp_path: Path) -> None:
    import matplotlib.image

    # One thread for numpy, so that several tests at once do not get into each other's way; warnings count as they do for tests.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    (picture,) = tmp_path.iterdir()
    assert picture.name == f"{script.stem}.png"
    pixels = matplotlib.image.imread(picture)
    # Something was drawn: more than a handful of shades.
    assert min(pixels.shape[:2]) > 150 and len(set(pixels[..., 0].ravel().tolist())) > 20
