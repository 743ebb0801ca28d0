"""An image freed of noise by a dictionary that was learned from the noisy image itself.

    python gallery/image_denoising.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from ergodict import ImagePatches, OnlineDictionary, denoise_image, noise_level, psnr, read_image

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
folder.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(4)
clean = read_image("@tessellation")
noisy = clean + 0.15 * random.normal(size=clean.shape)

model = OnlineDictionary(n_components=128, alpha=0.3, random_state=4)
model.fit_stream(ImagePatches(noisy, size=8, n=200, random_state=4), steps=100)
denoised, facts = denoise_image(model, noisy, sigma=0.15, stride=2, return_info=True)

figure = plt.figure(figsize=(10, 2.8), layout="constrained")
axes = figure.subplots(1, 4)
pictures = [
    ("clean", clean),
    (f"noisy, {psnr(noisy, clean):.1f} dB", noisy),
    (f"denoised, {psnr(denoised, clean):.1f} dB", denoised),
    ("what was taken away", noisy - denoised + 0.5),
]
for ax, (title, picture) in zip(axes, pictures):
    ax.imshow(picture[:120, :120], cmap="gray", vmin=0, vmax=1)
    ax.set_title(title)
    ax.axis("off")
figure.savefig(folder / "image_denoising.png", dpi=64)

print(f"{facts['patches']} patches, the noise estimated without being told {noise_level(noisy):.3f}")
