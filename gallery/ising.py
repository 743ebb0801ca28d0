"""The Ising model below, at and above its critical temperature, and what a dictionary learned while it runs makes of it.

    python gallery/ising.py [FOLDER]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from ergodict import Ising, OnlineNMF, plot

folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)
folder.mkdir(parents=True, exist_ok=True)
figure = plt.figure(figsize=(10, 7), layout="constrained")

for part, temperature in zip(figure.subfigures(1, 3), [1.5, 2.26, 5.0]):
    # Six cluster updates of the lattice from state to state, and two hundred to forget the start.
    sites = 100 * 100
    chain = Ising(100, temperature=temperature, update="swendsen-wang", every=6 * sites, burn_in=200 * sites, random_state=2)
    model = OnlineNMF(n_components=16, random_state=2)
    model.fit_stream(chain.minibatches(patch=12, n=200), steps=60)

    part.suptitle(f"temperature {temperature}: energy {chain.measure('energy'):.2f}")
    lattice, atoms = part.subfigures(2, 1)
    plot.lattice(chain.state, ax=lattice.subplots())
    plot.atoms(model, shape=(12, 12), ax=atoms.subplots(4, 4))

figure.savefig(folder / "ising.png", dpi=70)
