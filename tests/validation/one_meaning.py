#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One scene and one material through all four methods: each result against the mean of the methods (PHYSICS: within 15 %).

Every scene is a sweep over methods without a table of any method; a case that fails is a failure of the comparison.
"""
import argparse
import csv
import subprocess
import sys
from pathlib import Path

METHODS = ("elastoplastic", "nonsmooth", "dem", "guided")
GATE = 0.15
# scene: (result that is compared, settings: as many grains as one core runs in minutes with the slowest method)
SCENES = {
    "column": ("front.edge_m", ["resolution.grains=15000"]),
    "heap": ("heap.angle_deg", ["resolution.size==foot/14"]),
    "silo": ("outflow.Q_kg_s", []),
    "drum": ("bed.slope_deg", ["resolution.size==radius/14"]),
    "hourglass": ("neck.Q_kg_s", ["resolution.grains=10000"]),
}


def sweep(talus: str, scene: str, settings: list[str], folder: Path, jobs: int) -> dict[str, dict[str, str]]:
    """The row of each method; a folder that holds the sweep already is gone on with."""
    words = ["--resume"] if (folder / "sweep.csv").exists() else [scene, "--method", ",".join(METHODS), *(word for text in settings for word in ("--set", text))]
    subprocess.run([talus, "sweep", *words, "--out", str(folder), "--jobs", str(jobs), "--quiet"],
                   stdout=subprocess.DEVNULL, check=True)
    with open(folder / "sweep.csv", newline="", encoding="utf-8") as table:
        return {row["method"]: row for row in csv.DictReader(table)}


def judge(scene: str, result: str, rows: dict[str, dict[str, str]]) -> bool:
    """Prints the departures from the mean; whether all methods ran and stand within the gate."""
    if failed := [f"{method}: {row['message']}" for method, row in rows.items() if row["exit_code"] != "0"]:
        print(f"{scene}: {'; '.join(failed)}")
        return False
    values = {method: float(row[result]) for method, row in rows.items()}
    mean = sum(values.values()) / len(values)
    print(f"{scene} {result}: mean {mean:.4g}; " + ", ".join(f"{method} {value:.4g} ({100 * (value / mean - 1):+.1f} %)" for method, value in values.items()), flush=True)
    return len(values) == len(METHODS) and all(abs(value / mean - 1) <= GATE for value in values.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--talus", required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder for the runs; what is there already is not run again")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
    options = parser.parse_args()
    apart = [scene for scene in options.scenes
             if not judge(scene, SCENES[scene][0], sweep(options.talus, scene, SCENES[scene][1], options.out / scene, options.jobs))]
    print(f"more than {100 * GATE:.0f} % from the mean: {', '.join(apart) or 'none'}")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
