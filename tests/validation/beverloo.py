#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flow out of silos against the width of their outlets: sweeps the scene `silo` and fits Q = c (D - k h)^n, h the grid spacing or grain.

PHYSICS: n = 2.5 +- 0.1 over at least four openings, with k of at most 2 cells (or grains: 3, as experiments have 1 to 2), and flows that change by less than 3 % from the
first to the second half of the window. Silos are three outlets wide. Flows of grids are smooth; those of `dem` scatter by 3.4 % from 360 grains to the next, so that each silo of `dem` runs until some 5,000 grains have left, and n is given with its error.
"""
import argparse
import csv
import math
import random
import statistics
import sys
from pathlib import Path

from sweeping import METHODS, arguments, done, sweep

SIZE = 0.005                       # of cells or grains [m]
OPENINGS = [6, 7.5, 9.5, 12]       # in cells
OPENINGS_OF_GRAINS = [6, 8, 11, 15]
GRAINS = 5000                      # that leave in the window, of dem
# How few nodes lie in an opening of a few cells depends on where it lies on the grid: with its middle on a node an opening of 6 cells has 0.88 of the nodes of its area, one of 12
# cells 0.96. With its middle off any node or line of nodes, at these parts of a cell, the four have 0.98 to 1.00. The bottom lies on nodes.
OFF_NODES = (0.125, 0.375)
MOST_DRIFT = 0.03
# Flows of `elastoplastic` scatter from one sqrt(D/g) to the next, by 2.5 % at 6 cells and 0.8 % at 12, as the number of points in an opening makes them: windows are so many
# of these long that the mean of every opening is known alike, within half a percent.
SCATTER_OF_WINDOWS = 0.005
FALLS, FALLS_OF = 6, 0.06          # as many for outlets of this width [m] and wider
SCATTER = 0.034 * math.sqrt(360 / GRAINS)   # of a flow of dem
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


def error_of_exponent(openings: list[float], flows: list[float], scatter: float) -> float:
    """Spread of n over flows that scatter by so much."""
    rng = random.Random(1)
    return statistics.stdev(fit(openings, [q * math.exp(rng.gauss(0, scatter)) for q in flows])[1] for _ in range(100))


def windows(method: str, filled: float) -> list[str]:
    """How high silos are filled, those of grids in outlets, and when flow is looked at."""
    if method != "dem":
        longer = f"*max(1,({FALLS_OF}/outlet)^1.5)" if method == "elastoplastic" else ""
        return [f"fill_height=={filled}*outlet", "open_at=0.2", "steady_from==open_at+4*sqrt(outlet/9.81)", f"steady_to==steady_from+{FALLS}{longer}*sqrt(outlet/9.81)"]
    sinks = f"{GRAINS * SIZE ** 3}/(2.25*pi*outlet^2)"                            # of the fill, while those grains leave
    flow = f"(0.55*sqrt(9.81)*(outlet-{1.3 * SIZE})^2.5)"                         # as volume, by Beverloo's law
    first = 10 * math.sqrt(SIZE / 9.81)                                           # until it is steady
    return [f"fill_height==max(1.7*outlet,{20 * SIZE})+{sinks}+{first}*{flow}/(2.25*pi*outlet^2)", "open_at=0.2", f"steady_from==open_at+{first}",
            f"steady_to==open_at+{first}+{sinks}*2.25*pi*outlet^2/{flow}"]


def placed(method: str) -> list[str]:
    """Where silos of `elastoplastic` lie on the grid."""
    if method != "elastoplastic":
        return ["radius==1.5*outlet"]
    faces = [f"domain.min[{axis}]==-radius-wall-{SIZE * part}" for axis, part in enumerate(OFF_NODES)]
    return [f"radius=={SIZE}*ceil(1.5*outlet/{SIZE}-0.001)", f"drop==wall+{SIZE}*ceil(outlet/{SIZE}-0.001)", *faces, "probes.outflow.rate=192"]


def drift_of(folder: Path, outlet: float) -> float:
    """Flow in the second half of the window over that in the first, less 1."""
    with open(folder / "probes" / "outflow.csv", newline="", encoding="utf-8") as table:
        samples = [(float(row["time_s"]), float(row["mass_flow_kg_s"])) for row in csv.DictReader(table) if row["mass_flow_kg_s"]]
    fall = math.sqrt(outlet / 9.81)
    start = 0.2 + 4 * fall
    end = start + FALLS * max(1, (FALLS_OF / outlet) ** 1.5) * fall
    middle = 0.5 * (start + end)
    return statistics.mean(q for t, q in samples if middle < t <= end) / statistics.mean(q for t, q in samples if start < t <= middle) - 1


def flows_of(options: argparse.Namespace, openings: list[float]) -> list[tuple[float, float, float]]:
    """Runs the openings; (D in cells, Q in kg/s, its drift) of each."""
    settings = ["outlet=" + ",".join(str(SIZE * d) for d in openings), f"resolution.size={SIZE}", f"wall={3 * SIZE}", *placed(options.method), *windows(options.method, options.filled or (4.5 if options.method == "elastoplastic" else 2.5)), "time.end==steady_to", *options.set]
    flows = []
    for row in done(sweep(options.talus, "silo", [options.method], settings, options.out, options.jobs)):
        outlet = float(row["outlet"])
        drift = drift_of(options.out / row["case"], outlet) if options.method == "elastoplastic" else 0.0
        flows.append((outlet / SIZE, float(row["outflow.Q_kg_s"]), drift))
    return flows


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--most-k", type=float, help="cells or grains; 2 and 3 unless given")
    parser.add_argument("--filled", type=float, help="height of the fill in outlets, of grids; 2.5 unless given, 4.5 for elastoplastic, whose windows are longer")
    parser.add_argument("--openings", help="in cells or grains, at least four, separated by commas")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the scene, for all openings: elastoplastic.flow_relaxation_time=0.01129")
    options = parser.parse_args()
    grains = options.method == "dem"
    most_k = options.most_k or (3 if grains else 2)
    wanted = [float(d) for d in options.openings.split(",")] if options.openings else OPENINGS_OF_GRAINS if grains else OPENINGS
    if len(wanted) < 4:
        parser.error("a law with k and n wants at least four openings")
    points = flows_of(options, wanted)
    openings, flows = [d for d, _, _ in points], [q for _, q, _ in points]
    k, n, rms = fit(openings, flows)
    for d, q, drift in points:
        print(f"  outlet {d:4.1f} cells: {q:.4f} kg/s" + (f", drift {100 * drift:+.1f} %" if drift else ""))
    scatter = {"dem": SCATTER, "elastoplastic": SCATTER_OF_WINDOWS}.get(options.method)
    error = f" +- {error_of_exponent(openings, flows, scatter):.2f}" if scatter else ""
    print(f"{options.method}: n = {n:.3f}{error}, k = {k:.2f} cells, {100 * rms:.2f} % rms")
    good = abs(n - EXPONENT) <= TOLERANCE and k <= most_k and all(abs(drift) < MOST_DRIFT for _, _, drift in points)
    print("passed" if good else f"FAILED: n = {EXPONENT} +- {TOLERANCE} with k of at most {most_k:g}, and drift below {100 * MOST_DRIFT:g} %, is wanted")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
