#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flow out of silos against the width of their outlets: sweeps the scene `silo` and fits Q = c (D - k h)^n, h the grid spacing or grain.

PHYSICS: n = 2.5 +- 0.1 over at least four openings, with k of at most 2 cells (or grains: 3, as experiments have 1 to 2).
"""
import argparse
import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

SIZE = 0.005                       # of cells or grains [m]
OPENINGS = [6, 7.5, 9.5, 12]       # in cells
EXPONENT, TOLERANCE = 2.5, 0.1


def fit(openings: list[float], flows: list[float]) -> tuple[float, float, float]:
    """(k, n, rms of the logarithms): for every k a line through the logarithms; the best k leaves least."""
    best = (0.0, 0.0, math.inf)
    y = [math.log(q) for q in flows]
    for step in range(0, int(200 * (min(openings) - 0.5))):
        k = step / 200
        x = [math.log(d - k) for d in openings]
        mx, my = sum(x) / len(x), sum(y) / len(y)
        n = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)
        rms = math.sqrt(sum((b - my - n * (a - mx)) ** 2 for a, b in zip(x, y)) / len(x))
        if rms < best[2]:
            best = (k, n, rms)
    return best


def sweep(talus: str, method: str, openings: list[float], more: list[str], folder: Path, jobs: int) -> list[tuple[float, float]]:
    """Runs the openings, with more keys of the scene set; (D in cells, Q in kg/s) of each."""
    own = [part for key in more for part in ("--set", key)]
    subprocess.run([talus, "sweep", "silo", "--method", method, "--set", "outlet=" + ",".join(str(SIZE * d) for d in openings), "--set", f"resolution.size={SIZE}", "--set", "radius==1.5*outlet",
                    "--set", "fill_height==2.5*outlet", "--set", f"wall={3 * SIZE}", "--set", "open_at=0.2", "--set", "steady_from==open_at+4*sqrt(outlet/9.81)",
                    "--set", "steady_to==open_at+10*sqrt(outlet/9.81)", "--set", "time.end==steady_to", *own, "--out", str(folder), "--jobs", str(jobs), "--quiet"], check=True)
    with open(folder / "sweep.csv", newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    if failed := [row for row in rows if row["exit_code"] != "0"]:
        sys.exit(f"{len(failed)} of {len(rows)} runs failed: {failed[0]['message']}")
    return [(float(row["outlet"]) / SIZE, float(row["outflow.Q_kg_s"])) for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--talus", required=True)
    parser.add_argument("--method", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most-k", type=float, default=2, help="cells or grains")
    parser.add_argument("--openings", default=",".join(map(str, OPENINGS)), help="in cells, at least four, separated by commas")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the scene, for all openings: elastoplastic.relaxation_time=0.01")
    options = parser.parse_args()
    openings = [float(d) for d in options.openings.split(",")]
    if len(openings) < 4:
        parser.error("a law with k and n wants at least four openings")
    with tempfile.TemporaryDirectory() as folder:
        points = sweep(options.talus, options.method, openings, options.set, Path(folder) / "sweep", options.jobs)
    k, n, rms = fit([d for d, _ in points], [q for _, q in points])
    for d, q in points:
        print(f"  outlet {d:4.1f} cells: {q:.4f} kg/s")
    print(f"{options.method}: n = {n:.3f}, k = {k:.2f} cells, {100 * rms:.2f} % rms")
    good = abs(n - EXPONENT) <= TOLERANCE and k <= options.most_k
    print("passed" if good else f"FAILED: n = {EXPONENT} +- {TOLERANCE} with k of at most {options.most_k:g} is wanted")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
