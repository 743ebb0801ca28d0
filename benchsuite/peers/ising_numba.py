"""Random-scan Gibbs updates of the Ising model in numba, beside `cargo xtask bench spins`.

Three loops of the same chain on a torus: an inlined xorshift64* with one word for site and spin and thresholds by neighbor
sum (the fastest we could write), an inlined xorshift128+ with two words, and numba's own np.random. One thread.
Prints million updates per second of CPU time, median of the repeats.
"""

import argparse
import time

import numpy as np
from numba import njit, uint64


def thresholds(temperature):
    """p(+1)·2^64 for sums of neighbors from -4 to 4."""
    p = 1.0 / (1.0 + np.exp(-2.0 / temperature * np.arange(-4, 5)))
    return np.array([min(int(x * 2.0**64), 2**64 - 1) for x in p], dtype=np.uint64)


@njit(inline="always")
def neighbors(spins, row, col, rows, cols):
    up = row - 1 if row > 0 else rows - 1
    down = row + 1 if row + 1 < rows else 0
    left = col - 1 if col > 0 else cols - 1
    right = col + 1 if col + 1 < cols else 0
    return spins[up, col] + spins[down, col] + spins[row, left] + spins[row, right]


@njit(boundscheck=False)
def one_word(spins, count, table, state):
    """xorshift64*: 32 bits of the word pick the row and column, the other 32 are compared (less exact than ours)."""
    rows, cols = spins.shape
    x = state[0]
    short = (table >> uint64(32)).astype(np.int64)
    for _ in range(count):
        x ^= x >> uint64(12)
        x ^= x << uint64(25)
        x ^= x >> uint64(27)
        word = x * uint64(2685821657736338717)
        place = (word >> uint64(32)) * uint64(rows)
        row = np.int64(place >> uint64(32))
        col = np.int64(((place & uint64(0xFFFFFFFF)) * uint64(cols)) >> uint64(32))
        total = neighbors(spins, row, col, rows, cols)
        below = np.int64(word & uint64(0xFFFFFFFF)) < short[total + 4]
        spins[row, col] = 2 * np.int8(below) - 1
    state[0] = x


@njit(boundscheck=False)
def two_words(spins, count, table, state):
    """xorshift128+: one word for the site, one for the spin."""
    rows, cols = spins.shape
    s0, s1 = state[0], state[1]
    for _ in range(count):
        a, b = s0, s1
        s0 = b
        a ^= a << uint64(23)
        s1 = a ^ b ^ (a >> uint64(18)) ^ (b >> uint64(5))
        word = s1 + b
        place = (word >> uint64(32)) * uint64(rows)
        row = np.int64(place >> uint64(32))
        col = np.int64(((word & uint64(0xFFFFFFFF)) * uint64(cols)) >> uint64(32))
        a, b = s0, s1
        s0 = b
        a ^= a << uint64(23)
        s1 = a ^ b ^ (a >> uint64(18)) ^ (b >> uint64(5))
        total = neighbors(spins, row, col, rows, cols)
        spins[row, col] = 2 * np.int8(s1 + b < table[total + 4]) - 1
    state[0], state[1] = s0, s1


@njit(boundscheck=False)
def numpy_random(spins, count, table, state):
    """np.random.random and randint of numba (Mersenne twister), with probabilities looked up."""
    rows, cols = spins.shape
    p = table.astype(np.float64) / 2.0**64
    for _ in range(count):
        row, col = np.random.randint(0, rows), np.random.randint(0, cols)
        total = neighbors(spins, row, col, rows, cols)
        spins[row, col] = 1 if np.random.random() < p[total + 4] else -1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=200)
    parser.add_argument("--temperature", type=float, default=2.26)
    parser.add_argument("--updates", type=int, default=4_000_000)
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    table = thresholds(options.temperature)
    generator = np.random.default_rng(1)
    for loop in (one_word, two_words, numpy_random):
        spins = generator.choice(np.array([-1, 1], dtype=np.int8), (options.side, options.side))
        state = generator.integers(1, 2**63, 2).astype(np.uint64)
        loop(spins, 1000, table, state)
        loop(spins, options.updates, table, state)
        rates = []
        for _ in range(options.repeats):
            start = time.process_time()
            loop(spins, options.updates, table, state)
            rates.append(options.updates / 1e6 / (time.process_time() - start))
        print(f"{loop.__name__}: {np.median(rates):.1f} million updates/s (best {max(rates):.1f})")


if __name__ == "__main__":
    main()
