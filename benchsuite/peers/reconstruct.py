"""Peers of network dictionary learning and of reconstruction: ndlearn, by the authors of the paper, on SNAP Facebook.

    v/bin/python benchsuite/peers/reconstruct.py [--data DIR] [--steps T] [--samples N] [--json]

Environment, input and threads are those of networks.py. One run of each, CPU time of the process, loading excluded:

- learning: `NetDictLearner.train_dict`, k = 21, 25 atoms, T = 100 minibatches of 100 patches, all of them in one step a
  minibatch (`sub_iterations=2` is one step: its loop starts at 1), approximate pivot;
- reconstruction: `NetDictLearner.reconstruct` with that dictionary and the same chain, 500 homomorphisms; what so
  many more take is a proportion.

What is not as in ours, and cannot be asked for: its penalty is that of scikit-learn, of half the square, so alpha = 1/2 is λ = 1;
its weights are 1/(2t − 1); a dictionary is updated from the statistics before its minibatch; every atom is also there reversed in
reconstruction (ours has that as an option, measured beside). What can be asked for is: no pair left out, no history, and no
checkpoints (with them it returns what was saved last, not what came after). Both loops start afresh at a uniform node every
20 rounds, learning by its default, reconstruction because its speed depends on where it is. The seeds fix its run only
together with PYTHONHASHSEED, as it draws from sets of strings.
"""

import argparse
import contextlib
import pathlib
import random
import tempfile

import networks  # first: it sets the number of threads before numpy is imported
import numpy as np

ATOMS = 25
BATCH = 100
RESTART = 20  # homomorphisms from one uniform start to the next: its `neighbors` searches a list of nodes, so its speed depends on where it is


def learn_and_reconstruct(table, file, steps, samples):
    import ndl

    with networks.silence():
        learner = ndl.NetDictLearner(
            networks.load_ndlearn(file),
            n_components=ATOMS,
            MCMC_iterations=steps,
            sub_iterations=2,
            sample_size=BATCH,
            k=networks.K,
            alpha=0.5,
            is_glauber_dict=False,
            is_glauber_recons=False,
            ONMF_subsample=False,
        )
        w, cpu, wall = networks.once(lambda: learner.train_dict(verbose=False), 0, repeats=1)
    check(w)
    unit = f"one of {steps} minibatches of {BATCH} patches"
    table.add("ndlearn", "learning", unit, steps, cpu, wall, f"{cpu:.2f} s in all; approximate pivot, f64", network="facebook")

    def reconstruct():
        options = {"jump_every": RESTART, "if_save_history": False, "ckpt_epoch": None, "omit_folded_edges": False, "verbose": False}
        return learner.reconstruct(recons_iter=samples, **options)

    with networks.silence():
        rebuilt, cpu, wall = networks.once(reconstruct, 0, repeats=1)
    note = f"{cpu:.2f} s in all, {len(rebuilt.wtd_edges):,} ordered pairs; approximate pivot, λ = 0, {2 * ATOMS} atoms (reversed too), f64"
    table.add("ndlearn", "reconstruction", f"one of {samples} homomorphisms", samples, cpu, wall, note, network="facebook")


def check(w):
    """That what was timed did learn: atoms of the right shape, in the unit ball, not all zero."""
    norms = np.linalg.norm(w, axis=0)
    if w.shape != (networks.K**2, ATOMS) or not (w >= 0).all() or norms.max() > 1 + 1e-9 or norms.max() < 0.1:
        raise SystemExit(f"ndlearn made no dictionary: shape {w.shape}, norms up to {norms.max()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder with facebook.txt.gz")
    parser.add_argument("--steps", type=int, default=100, help="minibatches (default 100)")
    parser.add_argument("--samples", type=int, default=500, help="homomorphisms of the reconstruction (default 500)")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of Markdown")
    options = parser.parse_args()
    random.seed(1)
    np.random.seed(1)
    table = networks.Table(options.json)
    with tempfile.TemporaryDirectory() as place:
        facebook = networks.Facebook(networks.find_data(options.data), pathlib.Path(place))
        with contextlib.chdir(place):  # reconstruct makes a folder where it is
            learn_and_reconstruct(table, facebook.file, options.steps, options.samples)
    if not options.json:
        table.markdown()


if __name__ == "__main__":
    main()
