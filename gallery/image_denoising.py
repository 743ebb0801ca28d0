"""An image denoised by a dictionary of its own patches.

    python gallery/image_denoising.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from ergodict import denoise_image, psnr, read_image

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(4)
clean = read_image("@tessellation")
noisy = clean + 0.15 * random.normal(size=clean.shape)

denoised, facts = denoise_image(noisy, return_info=True)

figure = plt.figure(figsize=(10, 2.8), layout="constrained")
axes = figure.subplots(1, 4)
pictures = [
    ("clean", clean),
    (f"noisy, {psnr(noisy, clean):.1f} dB", noisy),
    (f"denoised, {psnr(denoised, clean):.1f} dB", denoised),
    ("what was removed", noisy - denoised + 0.5),
]
for ax, (title, picture) in zip(axes, pictures):
    ax.imshow(picture[:120, :120], cmap="gray", vmin=0, vmax=1)
    ax.set_title(title)
    ax.axis("off")
figure.savefig(folder / "image_denoising.png", dpi=64)

print(f"{facts['patches']} patches of {facts['atoms_per_patch']:.1f} atoms each, noise estimated at {facts['sigma']:.3f}")
