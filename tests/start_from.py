#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --from DIR`: the grains and free bodies of another run go on with all their state; what cannot be taken over as it is
comes from the last frame, and the run says why."""
import argparse
import json
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


def in_plate(row: dict[str, str]) -> bool:
    return all(low <= float(row[axis]) <= high for axis, (low, high) in zip("xyz", PLATE))


def pose(run: Path, last: bool) -> list[float]:
    stone = [row for row in rows(run / "frames" / "bodies.csv") if row["name"] == "stone"]
    row = stone[-1 if last else 0]
    return [float(row[key]) for key in ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")]


def check_same_state(talus: Path, bed: Path, next_run: Path) -> None:
    before, after = frame(talus, bed, 2), frame(talus, next_run, 0)
    covered = {number for number, row in before.items() if in_plate(row)}
    if not covered:
        raise Failure("no grain of the bed lies where the plate is: nothing is shown")
    if before.keys() - covered != after.keys():
        raise Failure(f"{len(before.keys() - after.keys())} grains were taken out; {len(covered)} lie where the plate is")
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
    check_same_state(talus, bed, next_run)
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
                           (("--set", 'bodies.stone.name="pebble"',), "its bodies and walls are not the first of this scene"),
                           (("--set", "elastoplastic.youngs_modulus=1e6"), "the settings of the method differ in elastoplastic.youngs_modulus")):
        said = call(talus, "run", str(DATA / "on_the_bed.toml"), "--from", str(bed), "--frames", "0", "--out", str(folder / "other"), "--overwrite", *QUIET, *change)
        if f"not the state of the checkpoint: {reason}" not in said:
            raise Failure(f"{change}: said\n{said}\ninstead of '{reason}'")
    carried = folder / "carried"
    call(talus, "run", "column", "--variant", "smoke", "--method", "guided", "--frames", "0", "--out", str(carried), *QUIET)
    said = call(talus, "run", str(DATA / "on_the_bed.toml"), "--from", str(carried), "--out", str(folder / "other"), expected=2)
    if "were carried by guides" not in said:
        raise Failure(f"said\n{said}")
    call(talus, "run", str(DATA / "on_the_bed.toml"), "--from", f"{bed}@1", "--frames", "0", "--out", str(folder / "other"), "--overwrite", *QUIET)
    taken = json.loads((folder / "other" / "run.json").read_text())
    if taken["started_from"] != f"{bed}, frame 1" or any("not the state" in warning for warning in taken["warnings"]):
        raise Failure(f"a frame that was asked for: {taken['started_from']}, {taken['warnings']}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True, help="the program")
    talus = parser.parse_args().talus.resolve()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for method in METHODS:
                check_method(talus, method, Path(folder))
            check_obstacles(talus, Path(folder))
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
