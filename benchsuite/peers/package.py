"""The Python package's side of `cargo xtask peers --python`: the minibatches of a case, one pass, CPU time of the loop alone.

  package.py tiny DATA                              writes the case `tiny`: minibatches so small that the call is what they cost
  package.py run DATA CASE PRECISION METHOD W.npy [WARM STEPS [SWEEPS]]   METHOD is partial_fit or fit; prints a JSON line, and leaves
                                                    the dictionary, d x r; STEPS are timed after WARM, over the minibatches again and again

The files are those of the peers: `CASE_train.npy` has shape (minibatches, d, n), `CASE_W0.npy` (d, r).
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

# Enough calls of a few microseconds each for a clock of 1 ms.
TINY = {"minibatches": 50_000, "d": 4, "n": 1, "r": 2}


def tiny(data):
    """A planted dictionary of two atoms."""
    random = np.random.default_rng(5)
    atoms = random.random((TINY["d"], TINY["r"]))
    codes = random.exponential(2.0, (TINY["minibatches"], TINY["r"], TINY["n"]))
    first = random.random((TINY["d"], TINY["r"]))
    np.save(data / "tiny_train.npy", (atoms @ codes).astype(np.float32))
    np.save(data / "tiny_W0.npy", first / np.linalg.norm(first, axis=0))


def run(data, case, precision, method, out, warm=0, steps=None, sweeps=1):
    """One pass in the setting of `benchsuite step` as `cargo xtask peers` calls it."""
    from ergodict import OnlineNMF

    dtype = {"f32": np.float32, "f64": np.float64}[precision]
    train, first = np.load(data / f"{case}_train.npy"), np.load(data / f"{case}_W0.npy")
    n = train.shape[2]
    steps = len(train) if steps is None else steps
    minibatches = [np.ascontiguousarray(x.T, dtype=dtype) for x in train]
    estimator = OnlineNMF(
        n_components=first.shape[1],
        alpha=0.5,
        schedule="constant:0.5",
        dict_init=np.ascontiguousarray(first.T, dtype=dtype),
        dict_sweeps=sweeps,
        batch_size=n,
        max_iter=1,
        shuffle=False,
        random_state=0,
    )
    minibatches = [minibatches[step % len(minibatches)] for step in range(warm + steps)]
    whole = np.concatenate(minibatches) if method == "fit" else None
    # What scikit-learn looks up at its first check of an array, once a process, is no part of learning.
    OnlineNMF(n_components=1, max_iter=1).fit(np.ones((2, 2), dtype=dtype))
    begin = wall, cpu = time.perf_counter(), time.process_time()
    if whole is not None:
        estimator.fit(whole)
    else:
        for step, x in enumerate(minibatches):
            if step == warm:
                wall, cpu = time.perf_counter(), time.process_time()
            estimator.partial_fit(x)
    end = time.perf_counter(), time.process_time()
    wall, cpu, per_step = end[0] - wall, end[1] - cpu, 1e3 * (end[1] - begin[1]) / (warm + steps)
    np.save(out, estimator.components_.T.astype(np.float64))
    line = {"case": case, "precision": precision, "method": method, "steps": steps, "cpu": cpu, "wall": wall, "cpu_ms_all": per_step}
    print(json.dumps(line))


if __name__ == "__main__":
    match sys.argv[1:]:
        case "tiny", folder:
            tiny(Path(folder))
        case "run", folder, name, bits, how, file, *counts:
            numbers = [None if count == "auto" else int(count) for count in counts]
            run(Path(folder), name, bits, how, file, *numbers)
        case _:
            sys.exit(__doc__)
