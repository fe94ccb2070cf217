#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures at which angle heaps of each kind of grain stand, and prints the rows of src/dem/friction_table.cpp.

Runs the scene `heap` with method dem for a list of coefficients of friction, then of rolling friction:

    tools/measure-repose.py --talus build/release/talus [--shapes sphere,tetra4] [--out FOLDER]

The heaps are small and the grains soft (1 MPa), so that a row takes a minute or two; angles are good to about three degrees.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SHAPES = ("sphere", "tetra4", "octa6", "cube8", "bcc9")
# Friction, rolling friction. Spheres without rolling friction roll away; clumps need it only for steep heaps.
STEPS = {"sphere": [(0.5, 0.05), (0.5, 0.1), (0.5, 0.15), (0.52, 0.21), (0.6, 0.3), (0.7, 0.5)]}
CLUMP_STEPS = [(0.1, 0.0), (0.2, 0.0), (0.4, 0.0), (0.8, 0.3)]


def measure(arguments: argparse.Namespace, shape: str, friction: float, rolling: float, folder: Path) -> float:
    out = folder / f"{shape}-{friction:g}-{rolling:g}"
    settings = [f"resolution.size== foot/{arguments.grains}", f"dem.templates={shape}", f"dem.contact_friction={friction}",
                f"dem.rolling_friction={rolling}", "dem.youngs_modulus=1e6", f"full={arguments.full}", f"time.end={2 * arguments.full}",
                "angle=28", "gap== 0.15*foot"]
    sets = [word for setting in settings for word in ("--set", setting)]
    command = [str(arguments.talus), "run", "heap", "--method", "dem", *sets, "--out", str(out), "--overwrite", "--no-preview", "-q",
               "--threads", str(arguments.threads)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads((out / "results.json").read_text())["heap"]["angle"]["value"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--talus", type=Path, default=Path("build/release/talus"))
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--out", type=Path, help="keeps the runs here")
    parser.add_argument("--grains", type=float, default=14, help="diameters in the radius of the heap")
    parser.add_argument("--full", type=float, default=1.2, help="seconds of pouring")
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for shape in arguments.shapes.split(","):
            rows = []
            for friction, rolling in STEPS.get(shape, CLUMP_STEPS):
                angle = measure(arguments, shape, friction, rolling, arguments.out or Path(temporary))
                print(f"{shape}: friction {friction:g}, rolling {rolling:g}: {angle:.1f} degrees", file=sys.stderr, flush=True)
                rows.append(f"{{{angle:.1f}, {friction:g}, {rolling:g}}}")
            print(f"constexpr Row k{shape.capitalize()}[] = {{{', '.join(rows)}}};", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
