#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every built-in scene with every method that takes it, with several numbers of threads: the same bytes each time.

`talus check` decides who takes a scene. The common scenes must run with all methods, every other one with at least one.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from run_directories import differences, promised_files, run_command

METHODS = ("elastoplastic", "nonsmooth", "dem", "guided")
COMMON = ("hourglass", "column", "heap", "silo", "drum", "chute", "wheel", "crater")
BAD_INPUT = 2   # exit code of `check`


def built_in_scenes(talus: Path) -> list[str]:
    listing = subprocess.run([talus, "scenes"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"^(\S+) ", listing, re.MULTILINE)


def takes(talus: Path, scene: str, method: str) -> bool:
    """A crash of `check` is neither yes nor no."""
    command = [talus, "check", scene, "--variant", "smoke", "--method", method]
    code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    if code not in (0, BAD_INPUT):
        raise SystemExit(f"exit code {code} from: {' '.join(map(str, command))}")
    return code == 0


def faults(talus: Path, scene: str, method: str, threads: list[int]) -> list[str]:
    """What is wrong with the runs of one scene by one method; nothing when they came to their end and are alike."""
    arguments = argparse.Namespace(talus=talus, scene=scene, method=method, variant="smoke", set=[])
    with tempfile.TemporaryDirectory() as folder:
        runs = {n: Path(folder, f"threads-{n}") for n in threads}
        for n, out in runs.items():
            result = subprocess.run(run_command(arguments, out, "--threads", str(n)), stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True, check=False)
            if result.returncode != 0:
                return [f"exit code {result.returncode} with {n} threads: {result.stderr.strip()}"]
        first, *others = runs
        if not promised_files(runs[first]):
            return ["nothing was written"]
        return [f"{first} against {n} threads: {line}" for n in others for line in differences(runs[first], runs[n])]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--talus", type=lambda text: Path(text).resolve(), required=True, help="the program")
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 3, 4], metavar="N,N,…")
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--scenes", nargs="+", help="these instead of all")
    arguments = parser.parse_args()
    alike = failed = 0
    for scene in arguments.scenes or built_in_scenes(arguments.talus):
        taken = [method for method in arguments.methods if takes(arguments.talus, scene, method)]
        refused = [method for method in arguments.methods if method not in taken]
        if not taken or (scene in COMMON and refused):
            failed += 1
            print(f"{scene}: refused by {', '.join(refused)}", flush=True)
        for method in taken:
            found = faults(arguments.talus, scene, method, arguments.threads)
            print(f"{scene} {method}: {'; '.join(found) or 'same'}", flush=True)
            alike, failed = alike + (not found), failed + bool(found)
    print(f"threads {arguments.threads}: {alike} pairs of scene and method alike, {failed} failed")
    return 1 if failed or not alike else 0


if __name__ == "__main__":
    sys.exit(main())
