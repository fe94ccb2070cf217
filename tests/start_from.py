#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --from DIR`: the grains and free bodies of another run go on with all their state; what cannot be taken over as it is
comes from the last frame, and the run says why."""
import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

from run_directories import QUIET, Failure, call, differences, rows

DATA = Path(__file__).parent / "data"
METHODS = ("dem", "elastoplastic", "nonsmooth")
TIME_UP = 6
PLATE = ((0.1275, 0.1725), (0.05, 0.15), (0.04, 0.1))   # x, y, z at the start [m]


def frame(talus: Path, run: Path, number: int) -> dict[str, dict[str, str]]:
    """The grains of a frame by their ids, each a row of texts that give its numbers exactly."""
    call(talus, "export", str(run), "--to", "csv", "--frames", str(number))
    return {row["id"]: row for row in rows(run / "export" / f"grains_{number:06d}.csv")}


def from_plate(row: dict[str, str]) -> float:
    """Distance of the grain's centre from the plate; 0 inside."""
    return math.hypot(*(max(low - float(row[axis]), 0, float(row[axis]) - high) for axis, (low, high) in zip("xyz", PLATE)))


def pose(run: Path, last: bool) -> list[float]:
    stone = [row for row in rows(run / "frames" / "bodies.csv") if row["name"] == "stone"]
    row = stone[-1 if last else 0]
    return [float(row[key]) for key in ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")]


def check_same_state(talus: Path, bed: Path, next_run: Path, solid: bool) -> None:
    before, after = frame(talus, bed, 2), frame(talus, next_run, 0)
    reach = max(float(row["radius"]) for row in before.values()) if solid else 0.0   # of grains that may not even touch
    covered = {number for number, row in before.items() if from_plate(row) <= reach}
    if not covered:
        raise Failure("no grain of the bed lies where the plate is: nothing is shown")
    if before.keys() - covered != after.keys():
        raise Failure(f"{len(before.keys() - after.keys())} grains were taken out; {len(covered)} lie where the plate is")
    if not any(f"left out {len(covered)} grains where bodies stand now" in text for text in json.loads((next_run / "run.json").read_text())["warnings"]):
        raise Failure("nothing is said of the grains that were taken out")
    for number, row in after.items():
        changed = [name for name in row if name != "birth_time" and row[name] != before[number][name]]
        if changed:
            raise Failure(f"grain {number}: {', '.join(changed)} not as before")
        if abs(float(row["birth_time"]) - float(before[number]["birth_time"]) + 0.1) > 1e-6:
            raise Failure(f"grain {number} was born at {row['birth_time']}")
    if pose(bed, True) != pose(next_run, False):
        raise Failure("the stone is elsewhere")


def check_method(talus: Path, method: str, folder: Path) -> None:
    bed, next_run = folder / f"bed-{method}", folder / f"next-{method}"
    common = ("--method", method, *QUIET)
    call(talus, "run", str(DATA / "bed.toml"), *common, "--out", str(bed))
    command = ("run", str(DATA / "on_the_bed.toml"), *common, "--from", str(bed))
    call(talus, *command, "--out", str(next_run), "--threads", "1")
    taken = json.loads((next_run / "run.json").read_text())["started_from"]
    if taken != f"{bed}, checkpoint at 0.1 s":
        raise Failure(f"started from '{taken}'")
    check_same_state(talus, bed, next_run, method == "dem")
    call(talus, *command, "--out", str(folder / "threads"), "--overwrite", "--threads", "3")
    call(talus, *command, "--out", str(folder / "resumed"), "--overwrite", "--max-time", "0", expected=TIME_UP)
    call(talus, "run", "--resume", "--out", str(folder / "resumed"), *QUIET)
    for other in ("threads", "resumed"):
        if found := differences(next_run, folder / other):
            raise Failure(f"{other}: " + "\n".join(found))
    print(f"{method}: the state went on, with the same bytes for 1 and 3 threads and when interrupted")


def check_obstacles(talus: Path, folder: Path) -> None:
    bed = folder / "bed-elastoplastic"
    for change, reason in ((("--method", "nonsmooth"), "its method is elastoplastic"),
                           (("--precision", "double"), "its precision is another"),
                           (("--set", "resolution.size=0.025"), "its grains have another size: write resolution.size = 0.02"),
                           (("--set", "domain.max=[0.2, 0.2, 0.15]"), "its domain is another"),
                           (("--set", 'materials.sand.name="quartz"',), "its materials are not the first of this scene"),
                           (("--set", "materials.sand.density=2700"), "its 'sand' has another density"),
                           (("--set", 'bodies.stone.name="pebble"',), "its bodies and walls are not the first of this scene"),
                           (("--set", "elastoplastic.youngs_modulus=1e6"), "the settings of the method differ in elastoplastic.youngs_modulus")):
        said = call(talus, "run", str(DATA / "on_the_bed.toml"), "--from", str(bed), "--frames", "0", "--out", str(folder / "other"), "--overwrite", *QUIET, *change)
        if f"not the state of the checkpoint: {reason}" not in said:
            raise Failure(f"{change}: said\n{said}\ninstead of '{reason}'")
        if "the settings of the method" in reason and "grains lie inside bodies and are left out" not in said:
            raise Failure(f"nothing is said of grains of the frame that are left out:\n{said}")
    carried = folder / "carried"
    call(talus, "run", "column", "--variant", "smoke", "--method", "guided", "--frames", "0", "--out", str(carried), *QUIET)
    said = call(talus, "run", str(DATA / "on_the_bed.toml"), "--from", str(carried), "--out", str(folder / "other"), expected=2)
    if "were carried by guides" not in said:
        raise Failure(f"said\n{said}")
    call(talus, "run", str(DATA / "on_the_bed.toml"), "--from", f"{bed}@1", "--frames", "0", "--out", str(folder / "other"), "--overwrite", *QUIET)
    taken = json.loads((folder / "other" / "run.json").read_text())
    if taken["started_from"] != f"{bed}, frame 1" or any("not the state" in warning for warning in taken["warnings"]):
        raise Failure(f"a frame that was asked for: {taken['started_from']}, {taken['warnings']}")


def check_moved_body(talus: Path, folder: Path) -> None:
    """A body of the same name that stands elsewhere: grains make room for it."""
    bed, moved = folder / "bed-dem", folder / "moved"
    call(talus, "run", str(DATA / "bed.toml"), "--method", "dem", *QUIET, "--out", str(folder / "kept"), "--from", str(bed), "--frames", "0")
    call(talus, "run", str(DATA / "bed.toml"), "--method", "dem", *QUIET, "--out", str(moved), "--from", str(bed), "--set", "bodies.peg.position=[0.06, 0.14, 0.06]")
    before, kept, after = frame(talus, bed, 2), frame(talus, folder / "kept", 0), frame(talus, moved, 0)
    if before.keys() - kept.keys():   # the scene fills its region again, where there is room
        raise Failure("grains were taken out though no body has changed")
    if not 0 < len(before.keys() - after.keys()) < len(before) / 2:
        raise Failure(f"{len(before.keys() - after.keys())} of {len(before)} grains taken out for a peg among them")
    energies = [float(row["kinetic_energy_J"]) for row in rows(moved / "series.csv")]
    mass = float(rows(moved / "series.csv")[0]["mass_kg"])
    if max(energies) > mass * 9.81 * 0.02:   # what falls into the hole that the peg left
        raise Failure(f"grains are thrown: {max(energies)} J")


def check_soft_bed(talus: Path, folder: Path) -> None:
    """Grains so soft that those of a frame overlap by more than is allowed in a table: their state goes on, the frame alone does not."""
    bed = folder / "soft"
    soft = ("--method", "dem", "--set", "dem.youngs_modulus=2e4", *QUIET)
    call(talus, "run", str(DATA / "bed.toml"), *soft, "--out", str(bed))
    call(talus, "run", str(DATA / "on_the_bed.toml"), *soft, "--from", str(bed), "--out", str(folder / "softer"), "--max-time", "0", expected=TIME_UP)
    call(talus, "run", "--resume", "--out", str(folder / "softer"), *QUIET)
    said = call(talus, "run", str(DATA / "on_the_bed.toml"), *soft, "--set", "dem.step_fraction=0.08", "--from", str(bed), "--out", str(folder / "softest"), expected=2)
    if "of a radius" not in said or "does not go on here: the settings of the method differ" not in said or (folder / "softest").exists():
        raise Failure(f"said\n{said}")


def check_clumps(talus: Path, folder: Path) -> None:
    """Clumps of a frame lie as they lay."""
    bed, turned = folder / "clumps", folder / "turned"
    clumps = ("--method", "dem", "--set", 'dem.templates="tetra4"', *QUIET)
    call(talus, "run", str(DATA / "bed.toml"), *clumps, "--out", str(bed))
    call(talus, "run", str(DATA / "on_the_bed.toml"), *clumps, "--from", f"{bed}@2", "--set", "bodies.plate.position=[0.15, 0.1, 0.25]", "--out", str(turned))
    before, after = frame(talus, bed, 2), frame(talus, turned, 0)
    for (number, old), new in zip(sorted(before.items(), key=lambda item: int(item[0])), (row for _, row in sorted(after.items(), key=lambda item: int(item[0])))):
        apart = max(abs(float(old[name]) - float(new[name])) for name in ("orientation_x", "orientation_y", "orientation_z", "orientation_w", "x", "y", "z"))
        if apart > 1e-6 or abs(float(old["angular_velocity_x"]) - float(new["angular_velocity_x"])) > 1e-3 * (1 + abs(float(old["angular_velocity_x"]))):
            raise Failure(f"grain {number} does not lie as it lay")
    mass = float(rows(turned / "series.csv")[0]["mass_kg"])
    if (most := max(float(row["kinetic_energy_J"]) for row in rows(turned / "series.csv"))) > 0.1 * mass * 9.81 * 0.02:   # a tenth of a fall by a grain
        raise Failure(f"clumps are thrown: {most} J of {mass} kg")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True, help="the program")
    talus = parser.parse_args().talus.resolve()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for method in METHODS:
                check_method(talus, method, Path(folder))
            check_obstacles(talus, Path(folder))
            check_moved_body(talus, Path(folder))
            check_soft_bed(talus, Path(folder))
            check_clumps(talus, Path(folder))
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
