#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heaps of `dem` stand at the friction angle of their material to three degrees (the gate of PHYSICS section 1): the scene `heap` as a user runs it, or small heaps
poured as `talus calibrate` pours them."""
import argparse
import json
import sys
from pathlib import Path

from run_directories import QUIET, Failure, call, outcome

GATE = 3   # degrees
SMALL = ("--variant", "steady", *(word for text in ("resolution.size== foot/14", "gap== 0.043*foot", "full=1.8", "time.end=2.6", "dem.step_fraction=0.1") for word in ("--set", text)))   # as in study/calibration.cpp


def angle_of(talus: Path, out: Path, shape: str, asked: float, more: tuple[str, ...]) -> float:
    sets = [word for text in (f"angle={asked}", f"dem.templates={shape}") for word in ("--set", text)]
    call(talus, "run", "heap", "--method", "dem", *more, *sets, "--out", str(out), *QUIET)
    return json.loads((out / "results.json").read_text())["heap"]["angle"]["value"]


def check(arguments: argparse.Namespace, folder: Path) -> None:
    wrong = []
    for shape in arguments.shapes.split(","):
        for asked in map(float, arguments.angles.split(",")):
            found = angle_of(arguments.talus.resolve(), folder / f"{shape}-{asked:g}", shape, asked, SMALL if arguments.small else ())
            print(f"{shape}: {asked:g} degrees asked for, {found:.1f} found", flush=True)
            if not abs(found - asked) <= GATE:
                wrong.append(f"a heap of {shape} stands at {found:.1f} degrees instead of {asked:g}")
    if wrong:
        raise Failure("\n".join(wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True)
    parser.add_argument("--shapes", default="sphere,tetra4,octa6,cube8,bcc9")
    parser.add_argument("--angles", default="25,30,34")
    parser.add_argument("--small", action="store_true", help="heaps of 1,900 grains")
    arguments = parser.parse_args()
    return outcome(lambda folder: check(arguments, folder))


if __name__ == "__main__":
    sys.exit(main())
