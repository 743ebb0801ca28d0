"""Chains of other spin systems in numba and numpy, beside the same rows of `cargo xtask bench spins`: Potts by random scan, the XY model by Metropolis and by
Wolff's reflections, restricted Boltzmann machines by block Gibbs.

One thread. Prints million updates (Wolff: sites changed, Boltzmann machines: units drawn) per second of CPU time, median of the repeats. The loops have an
inlined xorshift64* with 32 bits for each decision; that of the XY model proposes an angle within 1 of the old one and keeps cosines and sines.
"""

import argparse
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"

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


@njit(inline="always")
def fraction(x):
    return high(x) * 2.0**-32


@njit(boundscheck=False)
def potts(labels, updates, states, table, state):
    rows, cols = labels.shape
    x = state[0]
    weights = np.empty(states)
    for _ in range(updates):
        x = advance(x)
        site = (high(x) * (rows * cols)) >> 32
        row, col = site // cols, site % cols
        up = row - 1 if row > 0 else rows - 1
        down = row + 1 if row + 1 < rows else 0
        left = col - 1 if col > 0 else cols - 1
        right = col + 1 if col + 1 < cols else 0
        a, b, c, d = labels[up, col], labels[down, col], labels[row, left], labels[row, right]
        total = 0.0
        for k in range(states):
            total += table[(a == k) + (b == k) + (c == k) + (d == k)]
            weights[k] = total
        x = advance(x)
        at = fraction(x) * total
        k = 0
        while weights[k] <= at:
            k += 1
        labels[row, col] = k
    state[0] = x
    return updates


@njit(boundscheck=False)
def xy_metropolis(cos, sin, angles, updates, beta, state):
    rows, cols = angles.shape
    x = state[0]
    for _ in range(updates):
        x = advance(x)
        site = (high(x) * (rows * cols)) >> 32
        row, col = site // cols, site % cols
        up = row - 1 if row > 0 else rows - 1
        down = row + 1 if row + 1 < rows else 0
        left = col - 1 if col > 0 else cols - 1
        right = col + 1 if col + 1 < cols else 0
        hx = cos[up, col] + cos[down, col] + cos[row, left] + cos[row, right]
        hy = sin[up, col] + sin[down, col] + sin[row, left] + sin[row, right]
        x = advance(x)
        angle = angles[row, col] + 2.0 * fraction(x) - 1.0
        c, s = np.cos(angle), np.sin(angle)
        gain = beta * ((c - cos[row, col]) * hx + (s - sin[row, col]) * hy)
        x = advance(x)
        if gain >= 0.0 or fraction(x) < np.exp(gain):
            angles[row, col], cos[row, col], sin[row, col] = angle, c, s
    state[0] = x
    return updates


@njit(boundscheck=False)
def xy_wolff(cos, sin, angles, steps, beta, state, stack, joined):
    rows, cols = angles.shape
    x = state[0]
    changed = 0
    for _ in range(steps):
        x = advance(x)
        phi = 2.0 * np.pi * fraction(x)
        rx, ry = np.cos(phi), np.sin(phi)
        x = advance(x)
        seed = (high(x) * (rows * cols)) >> 32
        stack[0], joined[seed] = seed, True
        count, at = 1, 0
        while at < count:
            site = stack[at]
            at += 1
            row, col = site // cols, site % cols
            own = rx * cos[row, col] + ry * sin[row, col]
            up = row - 1 if row > 0 else rows - 1
            down = row + 1 if row + 1 < rows else 0
            left = col - 1 if col > 0 else cols - 1
            right = col + 1 if col + 1 < cols else 0
            for i, j in ((up, col), (down, col), (row, left), (row, right)):
                if not joined[i * cols + j]:
                    strength = 2.0 * beta * own * (rx * cos[i, j] + ry * sin[i, j])
                    if strength > 0.0:
                        x = advance(x)
                        if fraction(x) < 1.0 - np.exp(-strength):
                            joined[i * cols + j] = True
                            stack[count] = i * cols + j
                            count += 1
        for k in range(count):
            row, col = stack[k] // cols, stack[k] % cols
            joined[stack[k]] = False
            angle = 2.0 * phi + np.pi - angles[row, col]
            angles[row, col], cos[row, col], sin[row, col] = angle, np.cos(angle), np.sin(angle)
        changed += count
    state[0] = x
    return changed


def boltzmann(weights, visible, steps, random):
    """Block Gibbs of all chains at once by products."""
    for _ in range(steps):
        hidden = (random.random((len(visible), weights.shape[1])) < 1 / (1 + np.exp(-(visible @ weights)))).astype(float)
        visible = (random.random(visible.shape) < 1 / (1 + np.exp(-(hidden @ weights.T)))).astype(float)
    return visible


def report(name, work, repeats):
    work()
    rates = []
    for _ in range(repeats):
        start = time.process_time()
        done = work()
        rates.append(done / 1e6 / (time.process_time() - start))
    print(f"{name}: {np.median(rates):.1f} million/s (best {max(rates):.1f})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    random = np.random.default_rng(1)
    side = 200
    state = random.integers(1, 2**63, 1).astype(np.uint64)
    for states in (3, 10):
        labels = random.integers(0, states, (side, side)).astype(np.int8)
        table = np.exp(np.arange(5) * np.log(1 + np.sqrt(states)))
        report(f"potts, {states} states, {side}×{side}", lambda: potts(labels, 2_000_000, states, table, state), repeats)
    angles = random.uniform(-np.pi, np.pi, (side, side))
    cos, sin = np.cos(angles), np.sin(angles)
    report(f"xy, metropolis, {side}×{side}", lambda: xy_metropolis(cos, sin, angles, 2_000_000, 1 / 0.9, state), repeats)
    stack, joined = np.empty(side * side, dtype=np.int64), np.zeros(side * side, dtype=np.bool_)
    xy_wolff(cos, sin, angles, 300, 1 / 0.9, state, stack, joined)
    report(f"xy, wolff, {side}×{side}", lambda: xy_wolff(cos, sin, angles, 250, 1 / 0.9, state, stack, joined), repeats)
    for visible, hidden in ((784, 64), (784, 500)):
        weights = 0.05 * random.normal(size=(visible, hidden))
        for chains in (1, 64):
            steps = max(1, 2_000_000 // (chains * (visible + hidden) * (1 if chains > 1 else 4)))
            units = random.integers(0, 2, (chains, visible)).astype(float)

            def work():
                boltzmann(weights, units, steps, random)
                return steps * chains * (visible + hidden)

            report(f"rbm, {visible}×{hidden}, {chains} chains (numpy products)", work, repeats)


if __name__ == "__main__":
    main()
