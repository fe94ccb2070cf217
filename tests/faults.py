#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a scene in which calls fail: every write, rename and flush of a file, and a spread of allocations. The exit code says what happened,
nothing is half under its final name, the last checkpoint can be used, and what comes of it is the same to the byte. Where the clock of the day
jumps, nothing happens at all."""
import argparse
import errno
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from run_directories import add_scene_arguments, cut_off, faults_after_going_on, run_command, run_to_the_end

FILES, USAGE = 5, 2          # exit codes; 0 without memory: a library did with less
MOST_ALLOCATIONS = 30        # of those that a run makes, as many are tried
JUMPS = (-100_000_000, -3600, 3600, 100_000_000)   # of the clock [s]


class Faults:
    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.library, self.folder = arguments.library.resolve(), folder
        self.command = lambda out, *more: run_command(arguments, out, "--threads", "1", *arguments.more.split(), *more)
        self.whole = folder / "whole"
        run_to_the_end(self.command(self.whole))

    def run(self, fault: str, out: Path) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"LD_PRELOAD": str(self.library), "TALUS_FAULT": fault, "TALUS_FAULT_COUNT": str(self.folder / "counts.json")}
        return subprocess.run(self.command(out), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)

    def counts(self) -> dict[str, int]:
        """How many calls of each kind a run makes."""
        self.run("count", self.folder / "counted")
        return json.loads((self.folder / "counts.json").read_text())

    def problems(self, fault: str, expected: set[int]) -> list[str]:
        out = self.folder / fault.replace(":", "-").replace("+", "p")
        result = self.run(fault, out)
        found = []
        if result.returncode not in expected:
            found.append(f"exit code {result.returncode}: {result.stderr}")
        elif result.returncode != 0 and ("bug in Talus" in result.stderr or not result.stderr.strip()):
            found.append(f"says '{result.stderr.strip()}'")
        found += [f"{path.name} is cut off" for path in cut_off(out)]
        found += [f"{path} is left over" for path in out.rglob(".*.tmp-*")]
        found += faults_after_going_on(self.command(out), self.whole, out)
        return [f"{fault}: {line}" for line in found]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scene_arguments(parser)
    parser.add_argument("--library", type=Path, required=True, help="of tests/faults/faults.c")
    parser.add_argument("--kind", choices=("files", "memory", "clock"), required=True)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th call")
    parser.add_argument("--more", default="", help="further options of talus run")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = Faults(arguments, Path(folder))
        counts = faults.counts()
        found = []
        total = counts[arguments.kind]
        expected = {"files": {FILES}, "memory": {0, USAGE, FILES}, "clock": {0}}[arguments.kind]
        if arguments.kind == "clock":
            tried = [f"clock:{1 + total // (2 + k)}:{jump}" for k, jump in enumerate(JUMPS)]
        elif arguments.kind == "files":
            tried = [f"files:{n}{'+' if n % 2 else ''}:{errno.ENOSPC if n % 3 else errno.EIO}" for n in range(1, total + 1, arguments.every)]
        else:
            tried = [f"memory:{1 + n * (total - 1) // (MOST_ALLOCATIONS - 1)}" for n in range(MOST_ALLOCATIONS)]
        if total < 20:
            found.append(f"only {total} calls: are they seen?")
        for fault in tried:
            found += faults.problems(fault, expected)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"faults: {arguments.scene}, {len(tried)} of {total} calls ({arguments.kind}), {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
