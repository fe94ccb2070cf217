#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a scene with several numbers of threads; frames, probes and series must be the same in every byte."""
import argparse
import sys
import tempfile
from pathlib import Path

from run_directories import add_scene_arguments, differences, promised_files, run_command, run_to_the_end


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scene_arguments(parser)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 3], metavar="N,N,…")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = {threads: Path(folder, f"threads-{threads}") for threads in arguments.threads}
        for threads, out in runs.items():
            run_to_the_end(run_command(arguments, out, "--threads", str(threads)))
        first, *others = runs
        found = [f"{first} against {other} threads: {line}" for other in others for line in differences(runs[first], runs[other])]
        count = len(promised_files(runs[first]))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"same bits: {arguments.scene}, threads {arguments.threads}, {count} files, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
