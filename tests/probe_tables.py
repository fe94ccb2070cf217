#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a scene with every kind of probe; what their tables have in common with each other and with series.csv must agree."""
import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

from run_directories import add_scene_arguments, run_command, run_to_the_end

AXES = ("x", "y", "z")


def table(path: Path) -> list[dict[str, float]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [{name: float(cell) if cell else float("nan") for name, cell in row.items()} for row in csv.DictReader(file)]


def relative(a: float, b: float, scale: float) -> float:
    return abs(a - b) / scale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scene_arguments(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        run_to_the_end(run_command(arguments, out))
        series, probes = table(out / "series.csv"), {path.stem: table(path) for path in (out / "probes").iterdir()}
        results = json.loads((out / "results.json").read_text(encoding="utf-8"))

    found: list[tuple[str, float, float]] = []   # what, how far off, allowed
    cells = len(probes["lattice"]) // len(series)
    for k, row in enumerate(series):
        whole, lattice = probes["all"][k], probes["lattice"][k * cells:(k + 1) * cells]
        filled = [cell for cell in lattice if cell["mass_kg"] > 0]
        mass = row["mass_kg"]
        found += [("times", abs(row["time_s"] - whole["time_s"]) + abs(row["time_s"] - lattice[-1]["time_s"]), 0),
                  ("mass of the region", relative(whole["mass_kg"], mass, mass), 1e-12),
                  ("mass on the lattice", relative(sum(cell["mass_kg"] for cell in lattice), mass, mass), 1e-12),
                  ("kinetic energy", relative(whole["kinetic_energy_J"], row["kinetic_energy_J"], row["kinetic_energy_J"] or 1), 1e-12)]
        for axis in AXES:
            momentum, speed = whole[f"momentum_{axis}_kg_m_s"], row["max_speed_m_s"] or 1
            on_cells = sum(cell["mass_kg"] * cell[f"velocity_{axis}_m_s"] for cell in filled)
            found += [(f"momentum {axis} on the lattice", relative(on_cells, momentum, mass * speed), 1e-12),
                      (f"centre of mass {axis}", abs(whole[f"com_{axis}_m"] - row[f"com_{axis}_m"]), 1e-12)]
    # The floor and gravity change the momentum of grains that touch nothing else: Δp = ∫ (m g − F) dt.
    mass, end = series[-1]["mass_kg"], probes["floor"][-1]["time_s"]
    impulse = sum(row["force_z_N"] * (row["time_s"] - before["time_s"]) for before, row in zip(probes["floor"], probes["floor"][1:]))
    momentum = -9.81 * mass * end - impulse
    at_end = next(row for row in probes["all"] if abs(row["time_s"] - end) < 1e-9)["momentum_z_kg_m_s"]
    found.append(("impulse on the floor", relative(momentum, at_end, mass), 1e-4))   # the method counts in float
    found.append(("result of the floor", 0 if results["floor"]["weight"]["samples"] > 0 else 1, 0))

    wrong = [f"{what}: off by {off:.3g}, allowed {allowed:g}" for what, off, allowed in found if not off <= allowed]
    worst = {}
    for what, off, _ in found:
        worst[what] = max(off, worst.get(what, 0))
    print(*wrong, *(f"{what}: {off:.2g}" for what, off in worst.items()), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
