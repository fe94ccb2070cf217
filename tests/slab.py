#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two-dimensional cases: a slab as wide as the method chooses is the same run, to the byte, as a periodic domain of that width
written by hand; so it is with other threads and when interrupted; one twice as wide runs out as far; totals are per metre."""
import argparse
import sys
import tomllib
from pathlib import Path

from run_directories import QUIET, Failure, call, differences, outcome, rows

SCENE = Path(__file__).parent / "data" / "slab.toml"
TIME_UP = 6
# Largest difference of run-outs between one and two widths; the run-out is that of the front with 90 % of the mass behind it. Grains of
# dem are packed at random, a hundred to a layer: run-outs scatter by 5 %, so that means over seeds are compared.
WIDER = {"elastoplastic": 0.03, "nonsmooth": 0.03, "dem": 0.08, "guided": 0.08}
SEEDS = {"elastoplastic": [1], "nonsmooth": [1], "dem": [1, 2, 3], "guided": range(1, 13)}
BLOCK = 0.1   # width of the block before it runs out [m]


def run_out(directory: Path) -> float:
    return float(rows(directory / "probes" / "front.csv")[-1]["mass_front_m"]) - 0.9 * BLOCK


def check_totals(directory: Path, width: float) -> None:
    """Mass of the slab over its width, and once at rest the floor carries it."""
    mass = float(rows(directory / "series.csv")[-1]["mass_kg"]) / width
    probe = float(rows(directory / "probes" / "all.csv")[-1]["mass_kg_per_m"])
    if abs(probe / mass - 1) > 1e-6:
        raise Failure(f"{directory.name}: the probe has {probe} kg/m, the series {mass} kg/m")
    carried = [-float(row["force_z_N_per_m"]) for row in rows(directory / "probes" / "floor.csv")[-2:]]
    weight = 9.81 * mass
    if not all(0.7 * weight < force < 1.3 * weight for force in carried):
        raise Failure(f"{directory.name}: the floor carries {carried} N/m of {weight} N/m")


def check_method(talus: Path, method: str, folder: Path) -> None:
    text = SCENE.read_text()
    slab, hand = folder / f"{method}", folder / f"{method}-hand"
    run = ["run", str(SCENE), "--method", method, *QUIET]
    call(talus, *run, "--out", str(slab), "--threads", "1")
    extent = tomllib.loads((slab / "scene.toml").read_text())["domain"]["max"]
    by_hand = folder / f"{method}.toml"
    by_hand.write_text(text.replace('slab = "y"', 'y = "periodic"').replace("max = [0.5, 0, 0.25]", f"max = {extent}"))
    call(talus, "run", str(by_hand), "--method", method, *QUIET, "--out", str(hand), "--threads", "3")
    found = [line for line in differences(slab, hand) if "probes/floor" not in line and "probes/all" not in line]   # those are per metre
    call(talus, *run, "--out", str(folder / f"{method}-resumed"), "--max-time", "0", expected=TIME_UP)
    call(talus, *run, "--out", str(folder / f"{method}-resumed"), "--resume", "--frames", "3")
    call(talus, *run, "--out", str(folder / f"{method}-resumed"), "--resume")
    found += differences(slab, folder / f"{method}-resumed")
    if found:
        raise Failure(f"{method}: " + "\n".join(found))
    check_totals(slab, extent[1])

    narrow = mean_run_out(talus, run, method, folder, extent[1], 1)
    wide = mean_run_out(talus, run, method, folder, extent[1], 2)
    apart = abs(wide / narrow - 1)
    print(f"{method}: {extent[1]} m wide, runs out by {narrow:.4f} m, twice as wide by {wide:.4f} m, {100 * apart:.2f} % apart")
    if apart > WIDER[method]:
        raise Failure(f"{method}: a slab twice as wide runs out {100 * apart:.1f} % apart")


def mean_run_out(talus: Path, run: list[str], method: str, folder: Path, width: float, times: int) -> float:
    grains = tomllib.loads(SCENE.read_text())["resolution"]["grains"]
    outs = []
    for seed in SEEDS[method]:
        out = folder / f"{method}-{times}-{seed}"
        call(talus, *run, "--out", str(out), "--set", f"seed={seed}", "--set", f"domain.max=[0.5, {times * width}, 0.25]", "--set", f"resolution.grains={times * grains}")
        outs.append(run_out(out))
    return sum(outs) / len(outs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True, help="the program")
    parser.add_argument("--method", required=True)
    arguments = parser.parse_args()
    return outcome(lambda folder: check_method(arguments.talus.resolve(), arguments.method, folder))


if __name__ == "__main__":
    sys.exit(main())
