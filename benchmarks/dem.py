#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the peer scenes with Talus and with Debian's LAMMPS (two processes) side by side, and compares speed and positions.

    benchmarks/dem.py --peers FOLDER [--install] [--scenes bed_spring,bed_capped,clumps] [--precision float|double] [--csv FILE]

FOLDER holds the states (bed_relaxed, clumps_midv, each as .csv.gz and .lmp.gz) and the scripts in.bed.lmp and in.clumps.lmp. Both codes run
400 steps of 1e-5 s from the same state, one after the other, and again the other way round; the ratio is that of the faster runs. The
difference of positions is the root mean square over all spheres of |Talus - LAMMPS| over that of the way they moved.
"""
import argparse
import csv
import gzip
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCENES = {"bed_spring": ("bed_relaxed", "in.bed.lmp", "hist"), "bed_capped": ("bed_relaxed", "in.bed.lmp", "nohist"),
          "clumps": ("clumps_midv", "in.clumps.lmp", "nohist")}
GATES = {"bed_spring": 2.0, "bed_capped": 3.0, "clumps": 3.5}
MOST_DIFFERENCE = 0.01


def unpack(source: Path, target: Path) -> None:
    if not target.exists():
        with gzip.open(source, "rb") as packed, target.open("wb") as plain:
            shutil.copyfileobj(packed, plain)


def run_lammps(arguments: argparse.Namespace, scene: str, folder: Path) -> float:
    """M sphere-steps/s; leaves the positions in SCENE.dump."""
    state, script, model = SCENES[scene]
    unpack(arguments.peers / f"{state}.lmp.gz", folder / f"{state}.lmp")
    wrapper = folder / f"{scene}.in"
    wrapper.write_text(f"include {(arguments.peers / script).resolve()}\n"
                       f"write_dump all custom {scene}.dump id x y z modify sort id format float %.15g\n")
    command = ["mpirun", "--allow-run-as-root", "-np", "2", "lmp", "-in", wrapper.name, "-var", "data", f"{state}.lmp", "-var", "model", model,
               "-var", "relax", "0", "-var", "steps", str(arguments.steps)]
    log = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    seconds, _, steps, atoms = re.findall(r"Loop time of (\S+) on (\d+) procs for (\d+) steps with (\d+) atoms", log)[-1]
    return float(atoms) * float(steps) / float(seconds) / 1e6


def run_talus(arguments: argparse.Namespace, scene: str, folder: Path) -> tuple[float, str]:
    state = SCENES[scene][0]
    unpack(arguments.peers / f"{state}.csv.gz", folder / f"{state}.csv")
    command = [str(arguments.program.resolve()), scene, f"{state}.csv", "--steps", str(arguments.steps), "--threads", "2",
               "--precision", arguments.precision, "--skin", str(arguments.skin), "--out", f"{scene}.csv"]
    line = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
    return float(re.search(r"M_sphere_steps/s (\S+)", line)[1]), line


def read_csv(path: Path, first: int, skip: int) -> list[tuple[float, ...]]:
    with path.open() as file:
        return [tuple(float(cell) for cell in line.split(",")[first:first + 3]) for line in list(file)[skip:]]


def difference(scene: str, folder: Path) -> float:
    start = read_csv(folder / f"{SCENES[scene][0]}.csv", 1, 1)
    talus = read_csv(folder / f"{scene}.csv", 0, 0)
    with (folder / f"{scene}.dump").open() as file:
        lammps = [tuple(float(cell) for cell in line.split()[1:4]) for line in list(file)[9:]]
    assert len(start) == len(talus) == len(lammps)
    moved = sum(math.dist(a, b) ** 2 for a, b in zip(start, lammps))
    apart = sum(math.dist(a, b) ** 2 for a, b in zip(talus, lammps))
    return math.sqrt(apart / moved)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--program", type=Path, default=Path("build/release/benchmarks/dem"))
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--skin", type=float, default=0.1, help="over the diameter of a sphere")
    parser.add_argument("--precision", default="float", choices=("float", "double"))
    parser.add_argument("--install", action="store_true", help="install the Debian package lammps first")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--folder", type=Path, help="keeps states and results here")
    arguments = parser.parse_args()
    if arguments.install:
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "lammps"], check=True)
    if not shutil.which("lmp"):
        print("LAMMPS is not installed: run with --install, or apt-get install lammps", file=sys.stderr)
        return 3
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{'scene':<12}{'LAMMPS':>9}{'Talus':>9}{'ratio':>8}{'gate':>6}{'apart':>9}   M sphere-steps/s on 2 cores, {arguments.precision}; apart: of the rms motion")
        for scene in arguments.scenes.split(","):
            lammps, talus, line = 0.0, 0.0, ""
            for turn in range(arguments.rounds):
                for code in (("lammps", "talus") if turn % 2 == 0 else ("talus", "lammps")):
                    if code == "lammps":
                        lammps = max(lammps, run_lammps(arguments, scene, folder))
                    else:
                        speed, text = run_talus(arguments, scene, folder)
                        if speed > talus:
                            talus, line = speed, text
            apart = difference(scene, folder)
            print(f"{scene:<12}{lammps:>9.2f}{talus:>9.2f}{talus / lammps:>8.2f}{GATES[scene]:>6.1f}{apart:>9.5f}   {line}", flush=True)
            rows.append({"scene": scene, "precision": arguments.precision, "steps": arguments.steps, "lammps_Msps": f"{lammps:.2f}",
                         "talus_Msps": f"{talus:.2f}", "ratio": f"{talus / lammps:.2f}", "apart_of_rms_motion": f"{apart:.5f}"})
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    return 0 if all(float(row["apart_of_rms_motion"]) <= MOST_DIFFERENCE for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
