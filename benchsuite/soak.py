"""Mixed commands under random kills, full disks, limits of file size and memory, and two processes at once.

    python benchsuite/soak.py --program target/release/ergodict --minutes 60 [--seed 0] [--write]

Each round takes a command and a hazard. Whatever happens, an output is absent or has the digest of the run that was left alone, an exit code of 0
means that it is there, other codes are those of the guide, and the run that is resumed without the hazard ends in the same bytes. Exits with 1 if
that was violated. Linux; disks that fill up need the right to mount a tmpfs, and rounds with them are counted as skipped without it.
"""

import argparse
import collections
import datetime
import hashlib
import pathlib
import platform
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# A command, its outputs, and whether it has a checkpoint. They take some tenths of a second to a few seconds.
CASES = [
    ("network learn @lesmis -k 6 -r 6 --steps 60 --rewired-copies 0 -o out.safetensors", True),
    ("network sample @lesmis -k 6 --count 60000 -o out.npy", True),
    ("network reconstruct @karate --model m.safetensors --samples 60000 -o out.tsv", True),
    ("network denoise @karate --method adamic-adar -o out.tsv", True),
    ("network convert big.txt --memory 1M -o out.egr", False),
    ("spins simulate --size 24 --updates 3e6 --every 2e4 -o out.npy", True),
    ("spins scan --size 8 --temperatures 3 --sweeps 400 -o out.csv", True),
    ("spins learn --size 16 --patch 4 --updates 20000 --every 500 -r 4 -o out.safetensors", True),
    ("factor x.csv -r 4 --batch 4 --epochs 30 --shuffle -o out.safetensors", True),
    ("image reconstruct i.safetensors @tessellation -o out.png", True),
    ("image denoise @tessellation-noisy --gray --stride 2 -o out.png", True),
    ("image learn @tessellation --patch 6 --patches 50 -r 4 --steps 60 -o out.safetensors", True),
]
HAZARDS = ["kill", "interrupt", "file size", "full disk", "memory", "two at once"]
# Done, a problem that was asked about, bad input (also: no memory, no room), stopped.
CODES = {0, 1, 2, 130, 143}


class Violation(Exception):
    """A promise that was not kept."""


def digest(path):
    return hashlib.blake2b(path.read_bytes()).hexdigest()[:16]


class Round:
    """A command in a folder of its own."""

    def __init__(self, program, words, checkpoint, folder, shared):
        self.folder = folder
        self.words = words.split()
        self.out = self.words[-1]
        state = ["--checkpoint", "state", "--checkpoint-every", "0", "--resume"] if checkpoint else []
        if "convert" in self.words:
            state = ["--resume"]
        self.command = [program, *self.words, *state, "--seed", "1", "-j", "1", "--quiet"]
        for file in shared.iterdir():
            shutil.copy2(file, folder / file.name)
        self.errors = []

    def start(self, prepare=None):
        return subprocess.Popen(
            self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            preexec_fn=prepare, text=True, errors="replace",
        )

    def end(self, process, limit=300):
        try:
            _, talk = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Violation(f"no end within {limit} s") from None
        self.errors.append(talk.strip()[-300:])
        return process.returncode

    def check(self, code, expected, killed=False):
        path = self.folder / self.out
        if path.exists() and digest(path) != expected:
            raise Violation(f"exit code {code}, and the output is neither absent nor right")
        if code == 0 and not path.exists():
            raise Violation("exit code 0 without an output")
        if code < 0 and not killed:
            raise Violation(f"died by signal {signal.Signals(-code).name}")
        if code >= 0 and code not in CODES:
            raise Violation(f"exit code {code}, which the guide does not list")
        left = [file.name for file in self.folder.iterdir() if file.name.endswith(".partial")]
        if left and not killed:
            raise Violation(f"left {', '.join(left)}")


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def disturb(hazard, one, seconds, expected, chance):
    """A run under a hazard; what came of it."""
    if hazard in ("kill", "interrupt"):
        ends = collections.Counter()
        for _ in range(chance.randint(1, 4)):
            process = one.start()
            time.sleep(chance.random() * seconds * 1.1)
            process.send_signal(signal.SIGKILL if hazard == "kill" else signal.SIGINT)
            code = one.end(process)
            # A signal that arrives before the program listens ends it as it ends any other.
            early = hazard == "interrupt" and code == -signal.SIGINT
            one.check(code, expected, killed=hazard == "kill" or early)
            ends["finished" if code == 0 else "stopped"] += 1
            if code == 0:
                break
        return "finished" if ends["finished"] else "stopped"
    if hazard == "two at once":
        first = one.start()
        time.sleep(chance.random() * seconds)
        second = one.start()
        codes = [one.end(first), one.end(second)]
        for code in codes:
            one.check(code, expected)
        return "both finished" if codes == [0, 0] else "one refused"
    if hazard == "file size":
        prepare = limited(resource.RLIMIT_FSIZE, int(10 ** chance.uniform(2, 5.5)))
    elif hazard == "memory":
        prepare = limited(resource.RLIMIT_AS, int(10 ** chance.uniform(8, 8.8)))
    else:
        prepare = None
    code = one.end(one.start(prepare))
    # Without memory for its first threads and stacks, a process ends as the system has it.
    one.check(code, expected, killed=hazard == "memory" and code == -signal.SIGABRT)
    return "finished" if code == 0 else "refused"


def prepare(program, shared, chance):
    """Inputs that the commands share."""
    (shared / "x.csv").write_text("\n".join(",".join(f"{chance.random():.6f}" for _ in range(6)) for _ in range(80)) + "\n")
    edges = (f"{chance.randrange(3000)} {chance.randrange(3000)}" for _ in range(60000))
    (shared / "big.txt").write_text("\n".join(edges) + "\n")
    for model in (
        "network learn @karate -k 5 -r 4 --steps 20 --rewired-copies 0 --seed 1 --quiet -o m.safetensors",
        "image learn @tessellation -r 16 --patch 6 --steps 20 --seed 1 --quiet -o i.safetensors",
    ):
        subprocess.run([program, *model.split()], cwd=shared, check=True, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="the table to benchsuite/runs/<date>/soak.md")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    base = pathlib.Path(tempfile.mkdtemp(prefix="ergodict-soak-"))
    shared = base / "shared"
    shared.mkdir()
    prepare(arguments.program, shared, chance)

    references = {}
    for words, checkpoint in CASES:
        folder = base / f"reference-{len(references)}"
        folder.mkdir()
        one, start = Round(arguments.program, words, checkpoint, folder, shared), time.monotonic()
        code = one.end(one.start())
        if code != 0:
            sys.exit(f"`{words}` fails when left alone ({code}): {one.errors}")
        references[words] = (digest(folder / one.out), time.monotonic() - start)
        shutil.rmtree(folder)

    mounts = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(shared)], capture_output=True).returncode == 0
    if mounts:
        subprocess.run(["umount", str(shared)], check=True)
    counts, violations = collections.Counter(), []
    end, start = time.monotonic() + 60 * arguments.minutes, time.monotonic()
    rounds = 0
    while time.monotonic() < end:
        words, checkpoint = chance.choice(CASES)
        hazard = chance.choice(HAZARDS)
        expected, seconds = references[words]
        folder = base / f"round-{rounds}"
        folder.mkdir()
        rounds += 1
        mounted = False
        try:
            if hazard == "full disk":
                if not mounts:
                    counts[hazard, "skipped"] += 1
                    continue
                inputs = sum(file.stat().st_size + 4096 for file in shared.iterdir())
                size = inputs + 8192 + int(10 ** chance.uniform(3, 5.5))
                subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
                mounted = True
            one = Round(arguments.program, words, checkpoint, folder, shared)
            try:
                counts[hazard, disturb(hazard, one, seconds, expected, chance)] += 1
                if mounted:
                    subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)
                if not (folder / one.out).exists() or checkpoint and (folder / "state").exists():
                    code = one.end(one.start())
                    one.check(code, expected)
                    if code != 0:
                        raise Violation(f"is not resumed: exit code {code}")
                    counts[hazard, "resumed to the same bytes"] += 1
            except Violation as violation:
                counts[hazard, "VIOLATED"] += 1
                violations.append(f"`{words}`, {hazard}: {violation}; it said: {' | '.join(one.errors[-2:])}")
                print(violations[-1], file=sys.stderr, flush=True)
        finally:
            if mounted:
                subprocess.run(["umount", str(folder)], check=True)
            shutil.rmtree(folder)
    minutes = (time.monotonic() - start) / 60
    shutil.rmtree(base)

    outcomes = sorted({outcome for _, outcome in counts})
    lines = [
        "# Soak", "",
        f"`benchsuite/soak.py`, {minutes:.0f} minutes, seed {arguments.seed}, {platform.machine()}, {rounds} rounds of {len(CASES)} commands.", "",
        "| hazard | " + " | ".join(outcomes) + " |", "|---|" + "---|" * len(outcomes),
    ]
    for hazard in HAZARDS:
        lines.append(f"| {hazard} | " + " | ".join(str(counts[hazard, outcome]) for outcome in outcomes) + " |")
    lines += ["", f"{len(violations)} violations."] + [f"- {violation}" for violation in violations]
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.write:
        folder = pathlib.Path(__file__).parent / "runs" / datetime.date.today().isoformat()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "soak.md").write_text(text)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
