"""Networks, and what is hidden of them: `ergodict network corrupt` makes the observed network and the truth."""

from __future__ import annotations

import csv
import hashlib
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from program import Program, keys

#: Names of the table, and where the networks come from: `@NAME`, a command of `network generate`, a file, or `FILE:N` for N nodes around one of its nodes.
NETWORKS = {
    "karate": "@karate",
    "lesmis": "@lesmis",
    "quakers": "quaker-edges.csv",
    "small world": "generate ws --nodes 400 --neighbors 8 --rewired 0.1",
    "blocks": "generate sbm --sizes 50,50,50,50,50,50 --within 0.15 --between 0.01",
    "preferential": "generate ba --nodes 400 --joins 3",
    "asoiaf": "asoiaf-all-edges.csv",
    "Caltech": "fb100_Caltech36.txt.gz",
    "CollegeMsg": "CollegeMsg.txt.gz",
    "CAIDA 1500": "snap_as-caida20071105.txt.gz:1500",
    "ppi 1500": "ppi_pathways.txt.gz:1500",
    "arxiv 1500": "arxiv.txt.gz:1500",
    "facebook 1500": "facebook.txt.gz:1500",
    "Haverford": "fb100_Haverford76.txt.gz",
}
QUICK = ("karate", "lesmis", "quakers")

#: Most nodes of a network of which all non-edges are ranked.
RANKED = 2000


@dataclass
class Case:
    """What is known of a network, and what was hidden."""

    network: str
    share: float
    seed: int
    nodes: int
    edges: np.ndarray
    #: All non-edges of the observed network, or the pairs of the truth where they are too many.
    pairs: np.ndarray
    whole: bool
    #: Places among `pairs` of the hidden edges, and of the negatives.
    hidden: np.ndarray
    uniform: np.ndarray
    matched: np.ndarray
    #: The file of the observed network.
    observed: Path

    @property
    def digest(self) -> str:
        """Of what a method is given: the same pairs of the same network have the same scores."""
        return hashlib.sha256(self.edges.tobytes() + self.pairs.tobytes()).hexdigest()[:16]

    @property
    def missing(self) -> float:
        """The number of hidden edges, by their share."""
        return len(self.edges) * self.share / (1.0 - self.share)


def prepare(name: str, program: Program, data: Path | None, folder: Path) -> Path | None:
    """The network as an edge list of numbers; nothing if its file is not there."""
    source = NETWORKS.get(name, name)
    if source.startswith("@"):
        given: str | Path = source
    elif source.startswith("generate "):
        given = folder / "generated.txt"
        program.run("network", *source.split(), "--seed", 7, "-o", given)
    else:
        file = (data or Path()) / source.split(":")[0]
        if not file.is_file():
            return None
        given = folder / file.name
        text = file.read_bytes()
        # A table of a spreadsheet program of old: lines end with CR.
        given.write_bytes(text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if file.suffix == ".csv" else text)
    listed = folder / "listed.txt"
    program.run("network", "convert", given, "--unweighted", "--undirected", "-o", listed)
    number: dict[str, int] = {}
    edges = np.array([[number.setdefault(end, len(number)) for end in row] for row in rows(listed)])
    if ":" in source:
        edges = ball(len(number), edges, int(source.split(":")[1]))
    plain = folder / f"{name.replace(' ', '-').replace('/', '-').replace(':', '-')}.txt"
    np.savetxt(plain, edges, fmt="%d", delimiter="\t")
    return plain


def rows(file: Path) -> list[list[str]]:
    """Ends of the edges of a list that the program wrote."""
    with file.open(newline="") as text:
        lines = [line for line in text if not line.startswith("#")]
    found = [row[:2] for row in csv.reader(lines, delimiter="\t")]
    return found[1:] if found[0] == ["source", "target"] else found


def ball(nodes: int, edges: np.ndarray, most: int) -> np.ndarray:
    """The edges among the first nodes of a breadth-first search from the node in the middle of the list."""
    neighbors: list[list[int]] = [[] for _ in range(nodes)]
    for u, v in edges.tolist():
        neighbors[u].append(v)
        neighbors[v].append(u)
    start = nodes // 2
    number, queue = {start: 0}, deque([start])
    while queue and len(number) < most:
        for v in sorted(neighbors[queue.popleft()]):
            if v not in number and len(number) < most:
                number[v] = len(number)
                queue.append(v)
    return np.array([(number[u], number[v]) for u, v in edges.tolist() if u in number and v in number])


def hide(name: str, plain: Path, program: Program, share: float, seed: int, folder: Path) -> Case:
    """One case. Nodes are numbered as they come in the observed network, which is connected."""
    observed, truth = folder / "observed.txt", folder / "truth.tsv"
    program.run("network", "corrupt", plain, "--remove", share, "--seed", seed, "-o", observed, "--truth", truth)
    number: dict[str, int] = {}
    edges = np.array([[number.setdefault(end, len(number)) for end in row] for row in rows(observed)])
    nodes = len(number)
    # The program is given the same numbers.
    np.savetxt(observed, edges, fmt="%d", delimiter="\t")
    with truth.open(newline="") as text:
        table = list(csv.DictReader((line for line in text if not line.startswith("#")), delimiter="\t"))
    ends = np.array([(number[row["u"]], number[row["v"]]) for row in table])
    kind = np.array([row["kind"] for row in table])
    whole = nodes <= RANKED
    if whole:
        u, v = np.triu_indices(nodes, 1)
        pairs = np.c_[u, v]
        pairs = pairs[~np.isin(keys(pairs, nodes), keys(edges, nodes))]
    else:
        _, first = np.unique(keys(ends, nodes), return_index=True)
        pairs = np.sort(ends[np.sort(first)], axis=1)
    order = np.argsort(keys(pairs, nodes))
    place = order[np.searchsorted(keys(pairs, nodes)[order], keys(ends, nodes))]
    assert (keys(pairs[place], nodes) == keys(ends, nodes)).all(), "a pair of the truth is an edge"
    by_kind = [place[kind == word] for word in ("deleted", "uniform", "degree")]
    if not all(map(len, by_kind)):
        raise RuntimeError(f"the truth of {name} has pairs of the kinds {', '.join(sorted(set(kind)))}: deleted, uniform and degree are needed")
    return Case(name, share, seed, nodes, edges, pairs, whole, *by_kind, observed)
