#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One scene and one material through all four methods: each result against the mean of the methods (PHYSICS: within 15 %).

Every scene is a sweep over methods without a table of any method, over several seeds where single runs scatter; a case that fails is a failure
of the comparison.
"""
import sys
from statistics import fmean

from sweeping import METHODS, arguments, sweep

GATE = 0.15
RADIUS = 0.1   # of columns [m]
# scene: (result that is compared, settings: as many grains as one core runs in minutes with the slowest method)
SCENES = {
    "column": ("front.edge_m", ["resolution.grains=15000"]),   # as run-out
    "heap": ("heap.angle_deg", ["seed=1:2"]),
    "silo": ("outflow.Q_kg_s", []),
    "drum": ("bed.slope_deg", ["resolution.size==radius/14"]),
    "hourglass": ("neck.Q_kg_s", ["resolution.grains=10000"]),
}


def judge(scene: str, result: str, rows: list[dict[str, str]]) -> bool:
    """Prints the departures from the mean; whether all methods ran and stand within the gate."""
    if failed := [f"{row['method']}: {row['message']}" for row in rows if row["exit_code"] != "0"]:
        print(f"{scene}: {'; '.join(failed)}")
        return False
    values = {method: fmean(float(row[result]) for row in rows if row["method"] == method) for method in METHODS}
    if scene == "column":
        values = {method: edge / RADIUS - 1 for method, edge in values.items()}
    mean = fmean(values.values())
    print(f"{scene} {result}: mean {mean:.4g}; " + ", ".join(f"{method} {value:.4g} ({100 * (value / mean - 1):+.1f} %)" for method, value in values.items()), flush=True)
    return all(abs(value / mean - 1) <= GATE for value in values.values())


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
    options = parser.parse_args()
    apart = []
    for scene in options.scenes:
        result, settings = SCENES[scene]
        rows = sweep(options.talus, scene, METHODS, settings, options.out / scene, options.jobs)
        if not judge(scene, result, rows):
            apart.append(scene)
    print(f"more than {100 * GATE:.0f} % from the mean: {', '.join(apart) or 'none'}")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
