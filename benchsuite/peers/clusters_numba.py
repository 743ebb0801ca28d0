"""Wolff and Swendsen-Wang updates of the Ising model in numba, beside the same rows of `cargo xtask bench spins`.

Both on a torus at the critical temperature, with an inlined xorshift64* and a probability of 32 bits (ours is exact to 64): a stack and spins that
are flipped as they join for Wolff, trees with halved paths for Swendsen-Wang. One thread. Prints million sites per second of CPU time that are
changed (Wolff) or drawn (Swendsen-Wang), median of the repeats.
"""

import argparse
import time

import numpy as np
from numba import njit, uint64


@njit(inline="always")
def advance(x):
    x ^= x >> uint64(12)
    x ^= x << uint64(25)
    x ^= x >> uint64(27)
    return x


@njit(inline="always")
def high(x):
    return np.int64((x * uint64(2685821657736338717)) >> uint64(32))


@njit(boundscheck=False)
def wolff(spins, steps, limit, state, stack, parents):
    rows, cols = spins.shape
    x = state[0]
    changed = 0
    for _ in range(steps):
        x = advance(x)
        seed = (high(x) * (rows * cols)) >> 32
        old = spins[seed // cols, seed % cols]
        spins[seed // cols, seed % cols] = -old
        stack[0] = seed
        top = 1
        changed += 1
        while top:
            top -= 1
            site = stack[top]
            row, col = site // cols, site % cols
            up = row - 1 if row > 0 else rows - 1
            down = row + 1 if row + 1 < rows else 0
            left = col - 1 if col > 0 else cols - 1
            right = col + 1 if col + 1 < cols else 0
            for i, j in ((up, col), (down, col), (row, left), (row, right)):
                if spins[i, j] == old:
                    x = advance(x)
                    if high(x) < limit:
                        spins[i, j] = -old
                        stack[top] = i * cols + j
                        top += 1
                        changed += 1
    state[0] = x
    return changed


@njit(inline="always")
def root(parents, site):
    while parents[site] != site:
        parents[site] = parents[parents[site]]
        site = parents[site]
    return site


@njit(boundscheck=False)
def swendsen_wang(spins, steps, limit, state, flips, parents):
    rows, cols = spins.shape
    x = state[0]
    for _ in range(steps):
        for site in range(rows * cols):
            parents[site] = site
        for row in range(rows):
            down = row + 1 if row + 1 < rows else 0
            for col in range(cols):
                right = col + 1 if col + 1 < cols else 0
                for i, j in ((down, col), (row, right)):
                    if spins[i, j] == spins[row, col]:
                        x = advance(x)
                        if high(x) < limit:
                            a, b = root(parents, row * cols + col), root(parents, i * cols + j)
                            if a < b:
                                parents[b] = a
                            else:
                                parents[a] = b
        for site in range(rows * cols):
            own = root(parents, site)
            if own == site:
                x = advance(x)
                flips[site] = 1 - 2 * (high(x) & 1)
            spins[site // cols, site % cols] *= flips[own]
    state[0] = x
    return steps * rows * cols


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sides", default="64,512")
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    temperature = 2 / np.log(1 + np.sqrt(2))
    limit = int((1 - np.exp(-2 / temperature)) * 2**32)
    generator = np.random.default_rng(1)
    for side in map(int, options.sides.split(",")):
        for loop in (wolff, swendsen_wang):
            spins = generator.choice(np.array([-1, 1], dtype=np.int8), (side, side))
            state = generator.integers(1, 2**63, 1).astype(np.uint64)
            first, second = np.empty(side * side, dtype=np.int64), np.empty(side * side, dtype=np.int64)
            steps = max(10_000_000 // side**2, 8)
            loop(spins, 300, limit, state, first, second)
            rates, energy = [], []
            for _ in range(options.repeats):
                start = time.process_time()
                sites = loop(spins, steps, limit, state, first, second)
                rates.append(sites / 1e6 / (time.process_time() - start))
                energy.append(-np.mean(spins * (np.roll(spins, 1, 0) + np.roll(spins, 1, 1)), dtype=float))
            print(
                f"{loop.__name__}, {side}×{side}: {np.median(rates):.1f} million sites/s (best {max(rates):.1f}); "
                f"energy {np.mean(energy):.3f}, -1.414 on an infinite lattice"
            )


if __name__ == "__main__":
    main()
