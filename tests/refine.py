#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fine grains for finished runs: they are where the grains of the run were, frame by frame, with the same bytes for any
number of threads and when interrupted; a free body moves as it did."""
import argparse
import sys
from pathlib import Path

from run_directories import QUIET, Failure, call, differences, outcome, rows

FACTOR = 8
TIME_UP = 6


def check_centre_of_mass(run: Path, fine: Path, series: str) -> float:
    """Largest distance of the centres of mass over the frames, which both runs have at the same times."""
    coarse_rows, fine_rows = rows(run / series), rows(fine / series)
    if len(coarse_rows) != len(fine_rows) or any(abs(float(a["time_s"]) - float(b["time_s"])) > 1e-12 for a, b in zip(coarse_rows, fine_rows)):
        raise Failure(f"{fine} has frames at other times than {run}")
    worst = 0.0
    for a, b in zip(coarse_rows, fine_rows):
        if abs(float(a["mass_kg"]) - float(b["mass_kg"])) > 1e-5 * float(a["mass_kg"]):
            raise Failure(f"at {a['time_s']} s the mass is {b['mass_kg']} kg instead of {a['mass_kg']} kg")
        worst = max(worst, *(abs(float(a[f"com_{axis}_m"]) - float(b[f"com_{axis}_m"])) for axis in "xyz"))
    return worst


def check_poses(run: Path, fine: Path) -> None:
    for a, b in zip(rows(run / "frames" / "bodies.csv"), rows(fine / "frames" / "bodies.csv"), strict=True):
        if any(abs(float(a[key]) - float(b[key])) > 1e-9 for key in ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")):
            raise Failure(f"at {a['time_s']} s body {a['name']} is elsewhere")


def check_scene(talus: Path, scene: str, folder: Path, tolerance: float, left_out: set[str], *changes: str) -> None:
    run, fine = folder / scene, folder / f"{scene}-fine"
    call(talus, "run", scene, "--variant", "smoke", "--out", str(run), *changes, *QUIET)
    refine = ["refine", str(run), "--factor", str(FACTOR), *QUIET]
    said = call(talus, *refine, "--out", str(fine), "--threads", "1")
    if said.count("is left out:") != len(left_out):
        raise Failure(f"{scene}: {len(left_out)} probes are left out, but it says\n{said}")
    worst = max(check_centre_of_mass(run, fine, file.name) for file in run.glob("series*.csv"))
    print(f"{scene}: centres of mass differ by at most {1e3 * worst:.3f} mm")
    if worst > tolerance:
        raise Failure(f"{scene}: centres of mass differ by {worst} m, more than {tolerance} m")
    check_poses(run, fine)
    probes, kept = ({table.name for table in (folder / "probes").glob("*.csv")} for folder in (run, fine))
    if not left_out <= probes or kept != probes - left_out:
        raise Failure(f"{scene}: the probes {sorted(probes)} became {sorted(kept)}")
    call(talus, *refine, "--out", str(folder / f"{scene}-threads"), "--threads", "3")
    call(talus, *refine, "--out", str(folder / f"{scene}-resumed"), "--max-time", "0", expected=TIME_UP)
    call(talus, *refine, "--out", str(folder / f"{scene}-resumed"), "--resume", "--frames", "2")
    call(talus, "run", "--resume", str(folder / f"{scene}-resumed"), "--frames", "3", *QUIET)   # by its folder alone
    call(talus, *refine, "--out", str(folder / f"{scene}-resumed"), "--resume")
    for other in ("threads", "resumed"):
        found = differences(fine, folder / f"{scene}-{other}")
        if found:
            raise Failure(f"{scene}-{other}: " + "\n".join(found))
    call(talus, *refine, "--out", str(fine), expected=2)
    call(talus, *refine, "--out", str(run), expected=2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True, help="the program")
    talus = parser.parse_args().talus.resolve()

    def check(folder: Path) -> None:
        check_scene(talus, "column", folder, 2.5e-4, set(), "--set", "time.frames_per_second=100")
        check_scene(talus, "crater", folder, 2.5e-4, {"force.csv"}, "--set", "time.frames_per_second=100")
        check_scene(talus, "gate", folder, 2.5e-4, set(), "--set", "time.frames_per_second=100", "--set", "resolution.grains=12000")   # finer than smoke, whose slot is 2 cells wide
        call(talus, "run", "column", "--variant", "smoke", "--method", "nonsmooth", "--set", "nonsmooth.frames=split", "--set", "time.end=0.25", "--set", "resolution.grains=2000", "--out", str(folder / "split"), *QUIET)
        if "is split" not in call(talus, "refine", str(folder / "split"), *QUIET, expected=2):
            raise Failure("points that split cannot be refined, and nothing says so")
        call(talus, "refine", str(folder / "nothing"), *QUIET, expected=3)
        call(talus, "refine", f"{folder / 'column'}/", "--frames", "1", *QUIET)   # beside the run, not in it
        if not (folder / "column-refined" / "run.json").exists():
            raise Failure("DIR/ is not refined into DIR-refined")

    return outcome(check)


if __name__ == "__main__":
    sys.exit(main())
