"""The questions: which settings are tried on which networks, and what is measured of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from study import BASE, REBUILDING, Case, Study
from tool import Flags

#: Networks that most questions are asked on: small and dense, ego networks, co-authors, proteins.
FOUR = ("caltech", "facebook", "arxiv", "ppi")
#: All networks, for questions that are quick to answer.
ALL = (*FOUR, "mit", "enron")

#: Samplers, with how many of their steps lie between two patches.
SAMPLERS: dict[str, Flags] = {
    "exact": {"sampler": "exact", "every": 1},
    "exact, injective": {"sampler": "exact", "every": 1, "injective": True},
    "pivot": {"sampler": "pivot", "every": 1},
    "pivot-approx": {"sampler": "pivot-approx", "every": 1},
    "pivot-approx, every 10": {"sampler": "pivot-approx", "every": 10},
    "pivot-approx, every 100": {"sampler": "pivot-approx", "every": 100},
    "pivot-approx, every 100, injective": {"sampler": "pivot-approx", "every": 100, "injective": True},
    "glauber": {"sampler": "glauber", "every": 1},
    "glauber, every 1000": {"sampler": "glauber", "every": 1000},
}
LENGTHS = (5, 11, 21, 31, 51)
ATOMS = (1, 4, 9, 16, 25, 49, 81)
PENALTIES = (0, 0.1, 1, 3, 10)
BATCHES = ((10, 100), (30, 100), (100, 100), (300, 100), (1000, 100), (3000, 100), (1000, 10), (10, 1000))
SCHEDULES = ("balanced", "linear", "power:0.8", "constant:0.02", "constant:0.1")


def sampling(study: Study) -> Iterator[Case]:
    """What a homomorphism costs by each sampler, and what it is worth."""
    for network in study.over(ALL):
        for sampler in ("exact", "pivot", "pivot-approx", "glauber"):
            for seed in range(study.size.seeds):

                def measure(network: str = network, sampler: str = sampler, seed: int = seed) -> dict[str, Any]:
                    flags: Flags = {"k": BASE["k"], "sampler": sampler, "chains": 4}
                    few, many = (
                        study.tool.run("network", "sample", study.networks[network], seed=seed, count=count, **flags)
                        for count in (4, study.size.drawn)
                    )
                    rate = (study.size.drawn - 4) / max(many["cpu"] - few["cpu"], 1e-3)
                    times = {o["observable"]: o["autocorrelation_time"] for o in many["observables"]}
                    row = {"set_up": few["cpu"], "a_second": rate, "acceptance": many["acceptance"]}
                    row |= {f"time {name}": time for name, time in times.items()}
                    row |= {"r_hat": max(o["r_hat"] or 1.0 for o in many["observables"])}
                    slowest = max((time for time in times.values() if time is not None), default=1.0)
                    return row | {"effective_a_second": rate / max(slowest, 1.0)}

                yield Case("sampling", network, {"sampler": sampler}, seed, measure)


def places(study: Study) -> Iterator[Case]:
    """Where homomorphisms are: how many nodes they see, how many nodes make most of their places, how many are injective."""
    for network in study.over(ALL):
        for sampler in ("exact", "pivot-approx"):
            for k in LENGTHS:

                def measure(network: str = network, sampler: str = sampler, k: int = k) -> dict[str, Any]:
                    walks, count = study.folder / "walks.npy", min(study.size.drawn, 20_000)
                    flags: Flags = {"every": 1, "chains": 1} if sampler == "exact" else {"every": 100, "chains": 4}
                    source = study.networks[network]
                    seen = study.tool.run(
                        "network", "sample", source, k=k, count=count, sampler=sampler, o=walks, observables="density", **flags
                    )
                    x = np.load(walks)
                    visits = np.sort(np.unique(x, return_counts=True)[1])[::-1]
                    most = int(np.searchsorted(np.cumsum(visits), 0.9 * visits.sum()) + 1)
                    different = np.array([len(set(row)) for row in x.tolist()])
                    row = {"nodes": len(visits), "nodes_90": most, "different": float(different.mean())}
                    row |= {"injective": float((different == k).mean()), "density": seen["density"]["mean"]}
                    row |= {o["observable"]: o["mean"] for o in seen["observables"] if o["observable"] == "patch-density"}
                    return row

                yield Case("places", network, {"sampler": sampler, "k": k}, 0, measure)


def learning(
    question: str, settings: dict[str, Flags], laws: tuple[str, ...] = ("pivot-approx",), longer: bool = False
) -> Callable[[Study], Iterator[Case]]:
    """A question that is answered by dictionaries learned with one thing changed.

    Those that take longer are asked of fewer networks, and nothing is rebuilt.
    """

    def cases(study: Study) -> Iterator[Case]:
        for network in study.over(FOUR[:3] if longer else FOUR):
            for name, changed in settings.items():
                for seed in range(study.size.seeds):

                    def measure(network: str = network, changed: Flags = changed, seed: int = seed) -> dict[str, Any]:
                        ask = study.learned if longer else study.both
                        return ask(network, seed, laws, **changed)

                    yield Case(question, network, {question: name}, seed, measure)

    return cases


def samples(study: Study) -> Iterator[Case]:
    """How many homomorphisms a reconstruction needs."""
    for network in study.over(ALL):
        for count in (5_000, 20_000, 50_000, 200_000, 1_000_000):
            for seed in range(study.size.rebuilt):

                def measure(network: str = network, count: int = count, seed: int = seed) -> dict[str, Any]:
                    model = study.learn(network, seed)[1]
                    return study.rebuilt(network, model, REBUILDING + seed, samples=study.scaled(count))

                yield Case("samples", network, {"samples": count}, seed, measure)


def penalties_of_rebuilding(study: Study) -> Iterator[Case]:
    """What λ > 0 does to a reconstruction."""
    for network in study.over(("caltech", "facebook")):
        for penalty in (0, 0.1, 1, 3):
            for seed in range(study.size.rebuilt):

                def measure(network: str = network, penalty: float = penalty, seed: int = seed) -> dict[str, Any]:
                    flags: Flags = {"lambda": penalty}
                    return study.rebuilt(network, study.learn(network, seed)[1], **flags)

                yield Case("rebuilding lambda", network, {"lambda": penalty}, seed, measure)


def denoising(study: Study) -> Iterator[Case]:
    """How many walks denoising by reconstruction needs: AUC of S/(C + α) off the chain, α = 20 for each million walks."""
    for network in study.over(FOUR):
        for noise in ("add", "remove"):
            for count in (20_000, 50_000, 200_000, 500_000, 2_000_000):
                for seed in range(study.size.rebuilt):

                    def measure(
                        network: str = network, noise: str = noise, count: int = count, seed: int = seed
                    ) -> dict[str, Any]:
                        observed, truth = corrupted(study, network, noise, seed)
                        model, scores = study.learn(network, seed, observed)[1], study.folder / "scores.tsv"
                        walks = study.scaled(count)
                        flags: Flags = {"pairs": truth, "mode": "off-chain", "alpha": 20 * walks / 1e6, "samples": walks}
                        seeded: Flags = flags | {"seed": REBUILDING + seed, "model": model, "o": scores}
                        done = study.tool.run("network", "reconstruct", observed, **seeded)
                        counts = np.loadtxt(scores, usecols=3, skiprows=1, ndmin=1)
                        row = {"cpu": done["cpu"], "seen": float((counts > 0).mean()), "seen_20": float((counts >= 20).mean())}
                        for group in study.tool.run("evaluate", scores, truth)["groups"]:
                            column = "auc_degree" if group["negatives"] == "degree" else "auc"
                            row[column] = group["results"][0]["auc"]
                        return row

                    yield Case("denoising", network, {"noise": noise, "walks": count}, seed, measure)


def corrupted(study: Study, network: str, noise: str, seed: int) -> tuple[Path, Path]:
    """A network with half as many edges added or removed, and the pairs to score."""
    observed = study.folder / f"{network}-{noise}-{seed}.egr"
    truth = observed.with_suffix(".tsv")
    if not truth.exists():
        study.tool.run("network", "corrupt", study.networks[network], seed=seed, o=observed, truth=truth, **{noise: 0.5})
    return observed, truth


#: All questions by name.
QUESTIONS: dict[str, Callable[[Study], Iterator[Case]]] = {
    "sampling": sampling,
    "places": places,
    "sampler": learning("sampler", SAMPLERS, ("pivot-approx", "exact")),
    "k": learning("k", {str(k): {"k": k} for k in LENGTHS}),
    "r": learning("r", {str(r): {"r": r} for r in ATOMS}),
    "lambda": learning("lambda", {str(x): {"lambda": x} for x in PENALTIES}),
    "patches": learning(
        "patches",
        {f"{t} × {n}": {"steps": t, "batch": n} for t, n in BATCHES},
        longer=True,
    ),
    "schedule": learning(
        "schedule",
        {f"{name}, {t} steps": {"schedule": name, "steps": t} for name in SCHEDULES for t in (100, 1000)},
        longer=True,
    ),
    "samples": samples,
    "rebuilding lambda": penalties_of_rebuilding,
    "denoising": denoising,
}
