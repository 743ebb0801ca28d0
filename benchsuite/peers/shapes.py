"""The peers' side of `cargo xtask peers --shapes`: planted sparse codes of any shape, and SPAMS in its steady state.

  shapes.py data DATA CASE COUNT         writes COUNT minibatches, a test set and a first dictionary; CASE is D-N-R-NONZEROS
  shapes.py spams DATA CASE PRECISION WARM STEPS W.npy   SPAMS fed one minibatch a call; prints a JSON line
  shapes.py score PEERS DATA CASE W.npy… held-out objective of each dictionary by the exact coder of the peers; prints a JSON line

The files are those of the peers: `CASE_train.npy` has shape (minibatches, d, n), `CASE_W0.npy` (d, r).
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

LAMBDA = 1.0
# Samples of the test set: few, as the exact coder costs r² a sweep and sample.
HELD_OUT = 256


def data(folder, case, count):
    """Sparse nonnegative atoms of norm one; each sample has NONZEROS of them with codes 1 + Exp(2), and noise."""
    d, n, r, nonzeros = map(int, case.split("-"))
    random = np.random.default_rng([d, n, r, nonzeros])
    kept = random.random((d, r)) < max(0.05, min(1.0, 8.0 / d))
    kept[random.integers(d, size=r), np.arange(r)] = True
    atoms = random.random((d, r)) * kept
    atoms /= np.linalg.norm(atoms, axis=0)

    def minibatch(samples):
        codes = np.zeros((r, samples))
        for code in codes.T:
            code[random.choice(r, nonzeros, replace=False)] = 1.0 + random.exponential(2.0, nonzeros)
        noisy = atoms @ codes + 0.02 * random.standard_normal((d, samples))
        return np.maximum(noisy, 0.0).astype(np.float32)

    np.save(folder / f"{case}_train.npy", np.stack([minibatch(n) for _ in range(count)]))
    np.save(folder / f"{case}_test.npy", minibatch(HELD_OUT)[None])
    first = random.random((d, r))
    np.save(folder / f"{case}_W0.npy", first / np.linalg.norm(first, axis=0))


def spams(folder, case, precision, warm, steps, out):
    """One sweep over the atoms a call, which is all that SPAMS does."""
    import spams as peer

    dtype = {"f32": np.float32, "f64": np.float64}[precision]
    train = [np.asfortranarray(x, dtype=dtype) for x in np.load(folder / f"{case}_train.npy", mmap_mode="r")]
    dictionary = np.asfortranarray(np.load(folder / f"{case}_W0.npy"), dtype=dtype)
    settings = {
        "numThreads": 1,
        "posAlpha": True,
        "posD": True,
        "modeD": peer.spams_wrap.L2,
        "lambda1": LAMBDA / 2,
        "mode": peer.spams_wrap.PENALTY,
        "clean": False,
        "verbose": False,
        "batchsize": train[0].shape[1],
    }
    state, all_cpu = None, time.process_time()
    for step in range(warm + steps):
        if step == warm:
            cpu = time.process_time()
        x = train[step % len(train)]
        dictionary, state = peer.trainDL(x, return_model=True, model=state, D=dictionary, iter=1, **settings)
    end = time.process_time()
    np.save(out, np.asarray(dictionary, dtype=np.float64))
    line = {"case": case, "precision": precision, "cpu_ms": 1e3 * (end - cpu) / steps}
    print(json.dumps({**line, "cpu_ms_all": 1e3 * (end - all_cpu) / (warm + steps)}))


def score(peers, folder, case, dictionaries):
    """Objective per unit of the squared data, less is better."""
    sys.path.insert(0, peers)
    import bench_peers

    x = np.concatenate(list(np.load(folder / f"{case}_test.npy").astype(float)), 1)
    scores = []
    for file in dictionaries:
        w = np.maximum(np.load(file).astype(float), 0.0)
        norms = np.linalg.norm(w, axis=0)
        w /= np.where(norms > 0, norms, 1.0)
        h = bench_peers.code(w, x, LAMBDA, maxit=3000)
        scores.append((((x - w @ h) ** 2).sum() + LAMBDA * h.sum()) / (x**2).sum())
    print(json.dumps({"case": case, "objectives": scores}))


if __name__ == "__main__":
    match sys.argv[1:]:
        case "data", folder, name, minibatches:
            data(Path(folder), name, int(minibatches))
        case "spams", folder, name, bits, before, counted, file:
            spams(Path(folder), name, bits, int(before), int(counted), file)
        case "score", peers, folder, name, *files:
            score(peers, Path(folder), name, files)
        case _:
            sys.exit(__doc__)
