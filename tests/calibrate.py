#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`talus calibrate` with heaps and drums far too small: the tables that it prints are those of the nearest heap, it goes on where it was, and says where it
cannot reach the angle."""
import argparse
import csv
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from run_directories import TINY_DRUM, TINY_HEAP, Failure, outcome


def calibrate(talus: Path, out: Path, *more: str, expected: int, tiny: tuple[str, ...] = TINY_HEAP) -> tuple[str, str]:
    result = subprocess.run([str(talus), "calibrate", "--template", "sphere", *tiny, "--out", str(out), *more], capture_output=True, text=True, check=False)
    if result.returncode != expected:
        raise Failure(f"exit code {result.returncode} instead of {expected}: {result.stderr}")
    return result.stdout, result.stderr


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise Failure(what)


def check(talus: Path, folder: Path) -> None:
    options = ("--angle", "20", "--tolerance", "15", "--density", "2500", "--bulk-density", "1500")
    printed, said = calibrate(talus, folder / "a", *options, expected=0)
    scene = tomllib.loads(printed)
    with (folder / "a" / "calibration.csv").open() as file:
        heaps = list(csv.DictReader(file))
    best = min(heaps, key=lambda heap: abs(float(heap["angle_deg"]) - 20))
    expect(abs(float(best["angle_deg"]) - 20) <= 15, f"heaps at {[heap['angle_deg'] for heap in heaps]}")
    expect(abs(scene["dem"]["rolling_friction"] / float(best["rolling_friction"]) - 1) < 1e-2, printed)
    expect(scene["materials"][0]["bulk_density"] == 1500 and scene["dem"]["templates"] == "sphere", printed)
    expect((folder / "a" / "material.toml").read_text() == printed, "material.toml is not what was printed")
    expect(said.count("heap ") == len(heaps), said)
    frames = sorted((folder / "a").rglob("*.vtp"))
    times = [path.stat().st_mtime_ns for path in frames]
    expect(calibrate(talus, folder / "a", *options, "--resume", expected=0)[0] == printed, "another result after --resume")
    expect([path.stat().st_mtime_ns for path in frames] == times, "heaps were poured again")
    calibrate(talus, folder / "a", *options, expected=2)   # the folder is not empty
    (folder / "a" / "mine.txt").write_text("kept")
    expect(calibrate(talus, folder / "a", *options, "--overwrite", expected=0)[0] == printed, "another result after --overwrite")
    expect((folder / "a" / "mine.txt").exists(), "--overwrite took a file that is not its own")
    check_interrupted(talus, folder / "c", options, printed)
    calibrate(talus, folder / "none", *options, "--resume", expected=3)
    _, said = calibrate(talus, folder / "b", "--angle", "59", "--most-runs", "1", expected=4)
    expect("no heap of 'sphere' came within 1 degrees of 59" in said, said)
    check_drum(talus, folder / "drum")


def check_interrupted(talus: Path, out: Path, options: tuple[str, ...], printed: str) -> None:
    command = [str(talus), "calibrate", "--template", "sphere", *TINY_HEAP, "--out", str(out), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (out / "01" / "sweep.json").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
    expect(process.returncode == 130, f"exit code {process.returncode} after Ctrl-C")
    expect(calibrate(talus, out, *options, "--resume", expected=0)[0] == printed, "another result after Ctrl-C and --resume")


def check_drum(talus: Path, out: Path) -> None:
    printed, said = calibrate(talus, out, "--by", "drum", "--angle", "45", "--tolerance", "10", expected=0, tiny=TINY_DRUM)
    expect("drum 1: contact friction" in said and printed.startswith("# In a drum the bed slopes by "), said + printed)
    expect("friction_angle_deg" not in tomllib.loads(printed)["materials"][0], "the slope in a drum is not the angle of repose")
    with (out / "calibration.csv").open() as file:
        slopes = [float(row["angle_deg"]) for row in csv.DictReader(file)]
    expect(any(abs(slope - 45) <= 10 for slope in slopes), f"drums at {slopes}")
    with (out / "01" / "sweep.csv").open() as file:
        expect(float(next(csv.DictReader(file))["bed.slope_deg"]) == slopes[0], "not the slope of the bed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True)
    arguments = parser.parse_args()
    return outcome(lambda folder: check(arguments.talus.resolve(), folder))


if __name__ == "__main__":
    sys.exit(main())
