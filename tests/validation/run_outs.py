#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run-outs of collapsing columns against their aspect ratio: sweeps the scene `column` and compares with experiments.

PHYSICS: (edge - r0)/r0 between the laws of Lube et al. and Lajeunesse et al. (A_column_laws.csv), widened by 15 %.
"""
import csv
import sys
from pathlib import Path

from sweeping import METHODS, arguments, done, sweep

ASPECTS = (0.5, 1, 2, 4)
WIDENED = 0.15
LAWS = ("axi_Lube2004", "axi_Lajeunesse2005")
TABLE = Path(__file__).resolve().parent.parent / "data" / "A_column_laws.csv"


def bands() -> dict[float, tuple[float, float]]:
    with open(TABLE, newline="", encoding="utf-8") as table:
        laws = {float(row["a=h0/r0"]): [float(row[law]) for law in LAWS] for row in csv.DictReader(table)}
    return {a: ((1 - WIDENED) * min(laws[a]), (1 + WIDENED) * max(laws[a])) for a in ASPECTS}


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--grains", type=int, default=20000)
    options = parser.parse_args()
    settings = ["aspect=" + ",".join(map(str, ASPECTS)), f"resolution.grains={options.grains}"]
    apart = 0
    for row in done(sweep(options.talus, "column", [options.method], settings, options.out, options.jobs)):
        aspect = float(row["aspect"])
        low, high = bands()[aspect]
        run_out = float(row["front.edge_m"]) / 0.1 - 1   # of columns with the scene's radius of 10 cm
        inside = low <= run_out <= high
        apart += not inside
        print(f"a = {aspect:g}: run-out {run_out:.2f} r0, {'in' if inside else 'OUT OF'} {low:.2f} to {high:.2f}")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
