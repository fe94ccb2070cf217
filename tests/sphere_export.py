#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A heap of tetra4 clumps, exported sphere by sphere: every clump is a rigid tetrahedron where its grain is."""
import argparse
import csv
import itertools
import math
import subprocess
import sys
import tempfile
from pathlib import Path

SCENE = """
method = "dem"
time = { end = 0.06, frames_per_second = 50 }
domain = { min = [0, 0, 0], max = [0.3, 0.3, 0.3] }
resolution = { size = 0.03 }
[dem]
templates = [{ shape = "tetra4", spacing = 0.7 }]
[[materials]]
name = "stone"
[[grains]]
material = "stone"
region = { type = "box", size = [0.2, 0.2, 0.1], position = [0.15, 0.15, 0.06] }
velocity = [1, 0, -1]
"""


def rows(path: Path) -> list[dict[str, float]]:
    with path.open(newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def vector(row: dict[str, float], names: tuple[str, str, str]) -> tuple[float, ...]:
    return tuple(row[name] for name in names)


PLACE, SPEED = ("x", "y", "z"), ("velocity_x", "velocity_y", "velocity_z")


def minus(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(p - q for p, q in zip(a, b))


def length(a: tuple[float, ...]) -> float:
    return math.sqrt(sum(p * p for p in a))


def mean(vectors: list[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(sum(v[axis] for v in vectors) / len(vectors) for axis in range(3))


def check(grains: list[dict[str, float]], spheres: list[dict[str, float]]) -> tuple[float, float]:
    """Worst departures, of places over the radius of a sphere and of velocities [m/s]."""
    assert len(spheres) == 4 * len(grains), (len(spheres), len(grains))
    place = speed = 0.0
    spinning = 0
    for i, grain in enumerate(grains):
        clump = spheres[4 * i:4 * i + 4]
        assert [s["id"] for s in clump] == [grain["id"]] * 4 and [s["sphere"] for s in clump] == [0, 1, 2, 3]
        radius = clump[0]["radius"]
        assert all(s["radius"] == radius for s in clump)
        place = max(place, length(minus(mean([vector(s, PLACE) for s in clump]), vector(grain, PLACE))) / radius)
        speed = max(speed, length(minus(mean([vector(s, SPEED) for s in clump]), vector(grain, SPEED))))
        for s in clump:   # the field radius is that of the sphere that holds the grain
            place = max(place, abs(length(minus(vector(s, PLACE), vector(grain, PLACE))) + radius - grain["radius"]) / radius)
        for a, b in itertools.combinations(clump, 2):
            apart, faster = minus(vector(a, PLACE), vector(b, PLACE)), minus(vector(a, SPEED), vector(b, SPEED))
            place = max(place, abs(length(apart) - 0.7 * 2 * radius) / radius)
            speed = max(speed, abs(sum(p * q for p, q in zip(apart, faster))) / length(apart))   # neither nearer nor further
            spinning += length(faster) > 0.05
    assert spinning > len(grains) / 4, "hardly a grain turns: the test does not see velocities of spheres"
    return place, speed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True)
    talus = parser.parse_args().talus
    with tempfile.TemporaryDirectory() as folder:
        scene, out = Path(folder) / "tetra.toml", Path(folder) / "out"
        scene.write_text(SCENE)
        subprocess.run([talus, "run", scene, "--out", out, "-q", "--no-preview"], check=True, stdout=subprocess.DEVNULL)
        for name, option in (("grains", []), ("spheres", ["--spheres"])):
            subprocess.run([talus, "export", out, "--to", "csv", "--frames", "3", "--out", Path(folder) / name, *option], check=True, stdout=subprocess.DEVNULL)
        place, speed = check(rows(Path(folder) / "grains" / "grains_000003.csv"), rows(Path(folder) / "spheres" / "grains_000003.csv"))
    print(f"sphere export: places to {place:.1e} radii, velocities to {speed:.1e} m/s")
    return 0 if place < 2e-5 and speed < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
