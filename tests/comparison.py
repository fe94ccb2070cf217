#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`talus compare` as a user starts it: the differences in its table against sums made here from exported grains, what its pictures
show, the same bytes for any number of threads, and what it says of runs that do not quite fit together."""
import argparse
import csv
import math
import os
import shutil
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

from pictures import read_png, run

DENSITY = 2600.0   # of the scene's sand [kg/m³]
LEAST_FRACTION = 0.01
SIZE = ["--size", "80x60", "--samples", "1"]
FILES = ("{}.png", "{}-plot.png", "{}-fields.png", "{}.csv")


def make_runs(talus: Path, folder: Path) -> None:
    def make(name: str, *changes: str, end: str = "0.1") -> None:
        sets = [word for change in (f"time.end={end}", 'output.fields=["stress"]', "resolution.grains=400", *changes) for word in ("--set", change)]
        run(talus, "run", "column", "--variant", "smoke", *sets, "--out", str(folder / name), "--no-preview", "-q")
    make("a")
    make("b", "aspect=1.5", "reach=0.5")
    make("c", "time.frames_per_second=37", end="0.06")
    shutil.copytree(folder / "a", folder / "twin")
    shutil.copytree(folder / "a", folder / "bare")
    (folder / "bare" / "scene.toml").unlink()


def grains(talus: Path, folder: Path, name: str, frame: int) -> list[dict[str, float]]:
    out = folder / "export" / name
    run(talus, "export", str(folder / name), "--to", "csv", "--frames", str(frame), "--out", str(out))
    with open(out / f"grains_{frame:06}.csv", encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def shares(position: float, low: float, cell: float, count: int) -> list[tuple[int, float]]:
    """Hat functions between the centres of cells."""
    s = min(max((position - low) / cell, 0.5), count - 0.5)
    return [(i, w) for i in range(count) if (w := 1 - abs(s - i - 0.5)) > 0]


def fields(table: list[dict[str, float]], row: dict[str, str]) -> dict[tuple, tuple[float, list[float], float]]:
    """Volume fraction, velocity and pressure of every cell that a grain reaches."""
    low, cell = ([float(row[f"{kind}_{a}_m"]) for a in "xyz"] for kind in ("lattice", "cell"))
    count, volume = [int(row[f"cells_{a}"]) for a in "xyz"], math.prod(cell)
    sums: dict[tuple, list[float]] = {}
    for grain in table:
        if any(grain[a] > low[i] + count[i] * cell[i] for i, a in enumerate("xyz")):   # beyond what the domains share; below is a wall
            continue
        for corner in product(*(shares(grain[a], low[i], cell[i], count[i]) for i, a in enumerate("xyz"))):
            weight = math.prod(w for _, w in corner)
            own = sums.setdefault(tuple(i for i, _ in corner), [0.0] * 5)
            for k, value in enumerate([1, *(grain[f"velocity_{a}"] for a in "xyz")]):
                own[k] += weight * grain["mass"] * value
            own[4] -= weight * grain["volume"] * sum(grain[f"stress_{a}{a}"] for a in "xyz") / 3
    return {at: (s[0] / DENSITY / volume, [p / s[0] for p in s[1:4]], s[4] / volume) for at, s in sums.items()}


def norms(name: str, one: dict, reference: dict) -> dict[str, float]:
    nothing, pairs = (0.0, [0.0] * 3, 0.0), []
    for at in sorted(set(one) | set(reference)):
        a, b = one.get(at, nothing), reference.get(at, nothing)
        held = (a[0] >= LEAST_FRACTION, b[0] >= LEAST_FRACTION)
        if name == "velocity" and all(held):
            pairs.append((math.dist(a[1], b[1]), math.hypot(*b[1])))
        elif name != "velocity" and any(held):
            k = 0 if name == "volume_fraction" else 2
            pairs.append((abs(a[k] - b[k]), abs(b[k])))
    sums = [sum(d for d, _ in pairs), sum(d * d for d, _ in pairs), sum(o for _, o in pairs), sum(o * o for _, o in pairs)]
    ratio = [0.0 if d == 0 else d / o if o > 0 else math.nan for d, o in zip(sums[:2], sums[2:])]
    return {"cells": len(pairs), "L1": sums[0] / len(pairs), "L2": math.sqrt(sums[1] / len(pairs)), "L1_relative": ratio[0], "L2_relative": math.sqrt(ratio[1])}


def check_differences(talus: Path, folder: Path) -> list[str]:
    run(talus, "compare", str(folder / "a"), str(folder / "b"), "--out", str(folder / "x.png"), "--lattice", "0.04", "--moments", "2", *SIZE, "-q")
    found, worst = [], 0.0
    with open(folder / "x.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if [row["run"] for row in rows] != ["b", "b"] or any(row["reference"] != "a" or row["method"] != "elastoplastic" for row in rows):
        found.append(f"rows of {rows}")
    for row, frames in zip(rows, (0, -1)):
        last = [max(int(p.stem.split("_")[1]) for p in (folder / name / "frames").glob("grains_*.vtp")) for name in "ab"]
        of_a, of_b = (fields(grains(talus, folder, name, frames if frames == 0 else last[i]), row) for i, name in enumerate("ab"))
        for name, unit in (("volume_fraction", ""), ("velocity", "_m_s"), ("pressure", "_Pa")):
            for what, value in norms(name, of_b, of_a).items():
                cell = row[f"{name}_{what}{unit if what in ('L1', 'L2') else ''}"]
                got = float(cell) if cell else math.nan
                apart = 0 if math.isnan(got) and math.isnan(value) else abs(got - value) / max(abs(value), 1e-12)
                worst = max(worst, apart)
                if not apart < 1e-6:   # the exported table has nine digits
                    found.append(f"{name} {what} at {row['moment_s']} s: {cell} instead of {value}")
    print(f"comparison: differences agree to {worst:.1e}")
    return found


def check_pictures(folder: Path) -> list[str]:
    found = []
    for pattern in FILES[:3]:
        width, height, channels, rows = read_png(folder / pattern.format("x"))
        colours = {bytes(row[channels * x:channels * x + 3]) for row in rows for x in range(width)}
        if min(width, height) < 100 or len(colours) < 50:
            found.append(f"{pattern.format('x')}: {width}x{height} pixels of {len(colours)} colours")
    return found


def check_equal(talus: Path, folder: Path) -> list[str]:
    found = []
    run(talus, "compare", str(folder / "a"), str(folder / "twin"), "--out", str(folder / "y.png"), *SIZE, "-q")
    with open(folder / "y.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found += [f"equal runs: {key} = {value}" for key, value in row.items() if ("_L1" in key or "_L2" in key) and value != "0"]
    for threads in ("1", "3"):
        run(talus, "compare", str(folder / "a"), str(folder / "b"), "--out", str(folder / f"t{threads}.png"), "--threads", threads, "--moments", "1", *SIZE, "-q")
    found += [f"{pattern.format('t')} of 1 and 3 threads differ" for pattern in FILES
              if (folder / pattern.format("t1")).read_bytes() != (folder / pattern.format("t3")).read_bytes()]
    return found


def check_remarks(talus: Path, folder: Path) -> list[str]:
    def said(*names: str, env: dict[str, str] | None = None) -> tuple[int, str]:
        result = subprocess.run([str(talus), "compare", *(str(folder / name) for name in names), "--out", str(folder / "z.png"), *SIZE, "-q"],
                                capture_output=True, text=True, check=False, env=env)
        return result.returncode, result.stderr
    found = []
    for names, code, texts in ((("a", "b"), 0, ("the domains differ", "beyond the cells that are compared")), (("a", "c"), 0, ("run 'c' has no frame at", "its nearest")),
                               (("a", "bare"), 0, ("captions go without settings",))):
        got, errors = said(*names)
        found += [f"{names}: exit code {got}, {errors}" for text in texts if got != code or text not in errors]
    got, errors = said("a", "b", env={**os.environ, "PATH": str(folder / "nowhere")})
    if got != 3 or "needs the program gnuplot" not in errors:
        found.append(f"without gnuplot: exit code {got}, {errors}")
    return found


def check_without_grains(talus: Path, folder: Path) -> list[str]:
    """Frames from which all grains have gone say nothing of the fields that a run writes."""
    for name in ("gone", "also"):
        run(talus, "run", "column", "--variant", "smoke", "--set", "resolution.grains=400", "--set", "gravity=[0,0,1000]", "--set", "time.end=0.04", "--out", str(folder / name), "--no-preview", "-q")
    run(talus, "compare", str(folder / "gone"), str(folder / "also"), "--out", str(folder / "gone.png"), *SIZE, "-q")
    with open(folder / "gone.csv", encoding="utf-8") as file:
        last = list(csv.DictReader(file))[-1]
    return [] if float(last["mass_kg"]) == 0 and "pressure_L1_Pa" not in last else [f"without grains: {last}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True)
    talus = parser.parse_args().talus.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_runs(talus, folder)
        found = check_differences(talus, folder) + check_pictures(folder) + check_equal(talus, folder) + check_remarks(talus, folder) + check_without_grains(talus, folder)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"comparison: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
