"""A sampler of one's own as the stream: particles on a lattice that do not touch, crowded enough to take sides.

    python gallery/own_chain.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from ergodict import OnlineNMF, plot

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
folder.mkdir(parents=True, exist_ok=True)


def hard_core(size, fugacity, random):
    """A Gibbs sampler of the hard-core gas: no two neighbors are both taken. Ten lines, and any other chain would do."""
    state = np.zeros((size, size), dtype=bool)
    even = np.indices(state.shape).sum(axis=0) % 2 == 0
    while True:
        for sites in (even, ~even):
            free = ~sum(np.roll(state, step, axis) for step in (-1, 1) for axis in (0, 1)).astype(bool)
            taken = random.random(state.shape) < fugacity / (1 + fugacity)
            state = np.where(sites, free & taken, state)
        rows, columns = random.integers(size - 8, size=(2, 50))
        windows = np.lib.stride_tricks.sliding_window_view(state, (8, 8))
        yield windows[rows, columns].reshape(50, 64).astype(float), state


# Above a fugacity of about 3.8 one of the two sublattices wins.
random = np.random.default_rng(6)
figure = plt.figure(figsize=(9, 6.4), layout="constrained")
for part, fugacity in zip(figure.subfigures(1, 2), [1.0, 4.5]):
    chain = hard_core(80, fugacity, random)
    for _, (_, state) in zip(range(100), chain):
        pass
    model = OnlineNMF(n_components=9, random_state=6).fit_stream((patches for patches, _ in chain), steps=200)

    part.suptitle(f"fugacity {fugacity}: {state.mean():.0%} of the sites are taken")
    lattice, atoms = part.subfigures(2, 1)
    plot.lattice(np.where(state, 1, -1), ax=lattice.subplots())
    plot.atoms(model, shape=(8, 8), ax=atoms.subplots(3, 3))
figure.savefig(folder / "own_chain.png", dpi=70)
