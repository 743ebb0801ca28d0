"""Runs the blocks of one page of the guide in the current folder: Python in one namespace, each session in a shell of its own.

Standard input is a JSON object: `page`, and `blocks` with `language`, `line` and `text`. What sessions print goes to the file that is
named as the argument, a JSON list with a string for each block.
"""

import json
import subprocess
import sys
import types


def main() -> int:
    """Runs all blocks, to the first that fails."""
    work = json.load(sys.stdin)
    # A module that is known as one, so that what a page defines can be pickled.
    module = sys.modules["guide"] = types.ModuleType("guide")
    printed = []
    for block in work["blocks"]:
        if block["language"] == "python":
            # Padded, so that a traceback names the line of the page.
            exec(compile("\n" * block["line"] + block["text"], work["page"], "exec"), module.__dict__)
            printed.append("")
            continue
        shell = ["bash", "-c", block["text"]]
        done = subprocess.run(shell, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        printed.append(done.stdout.decode(errors="replace"))
        if done.returncode != 0:
            place = f"{work['page']}:{block['line']}"
            print(f"{printed[-1].rstrip()}\n{place}: the last command shown failed (exit code {done.returncode})")
            return 1
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(printed, file)
    return 0


sys.exit(main())
