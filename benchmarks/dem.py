#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the peer scenes with Talus and with Debian's LAMMPS (two processes) side by side, and compares speed and positions.

    benchmarks/dem.py --peers FOLDER [--install] [--scenes bed_spring,…] [--precision float|double] [--yade STEPS] [--csv FILE]
    benchmarks/dem.py --peers FOLDER --sizes [--csv FILE]

FOLDER holds the states (bed_relaxed, clumps_midv, hgr6v, each as .csv.gz and .lmp.gz), the scripts in.*.lmp and *_yade.py, and hourglass.stl.
Both codes run 400 steps of 1e-5 s from the same state, one after the other, and again the other way round; the ratio is that of the faster
runs. The difference of positions is the root mean square over all spheres of |Talus - LAMMPS| over that of the way they moved. The walls of
`hourglass` are a cylinder and cones in both codes; those of `hourglass_mesh` are triangles in Talus and in Yade, the others in LAMMPS, and so
are positions not compared. Yade has laws of its own and is timed for that many steps after a first one. With --sizes the bed of law (18) is
run with 1e4, 1e5 and 1e6 spheres, Talus alone.
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
          "clumps": ("clumps_midv", "in.clumps.lmp", "nohist"), "hourglass": ("hgr6v", "in.hourglass_region.lmp", "nohist"),
          "hourglass_mesh": ("hgr6v", "in.hourglass_region.lmp", "nohist")}
YADE = {"bed_spring": "bed_yade.py", "clumps": "clumps_yade.py", "hourglass_mesh": "hourglass_yade.py"}
GATES = {"bed_spring": 2.0, "bed_capped": 3.0, "clumps": 3.5, "hourglass": 4.0, "hourglass_mesh": 4.0}
MOST_DIFFERENCE = 0.01
MOST_BYTES = 250   # per sphere
SIZES = {"1e4": ("--share", "0.33"), "1e5": ("--copies", "1"), "1e6": ("--copies", "10")}


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


def talus_line(arguments: argparse.Namespace, scene: str, folder: Path, steps: int, *more: str) -> str:
    state = SCENES[scene][0]
    unpack(arguments.peers / f"{state}.csv.gz", folder / f"{state}.csv")
    command = [str(arguments.program.resolve()), scene, f"{state}.csv", "--steps", str(steps), "--threads", "2", "--precision", arguments.precision,
               "--skin", str(arguments.skin), "--mesh", str((arguments.peers / "hourglass.stl").resolve()), *more]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def figure(line: str, name: str) -> float:
    return float(re.search(re.escape(name) + r" (\S+)", line)[1])


def run_yade(arguments: argparse.Namespace, scene: str, folder: Path) -> float | None:
    if not arguments.yade or scene not in YADE or not shutil.which("yade"):
        return None
    mesh = [str((arguments.peers / "hourglass.stl").resolve())] if scene == "hourglass_mesh" else []
    command = ["yade", "-j", "2", "-n", "-x", str((arguments.peers / YADE[scene]).resolve()), f"{SCENES[scene][0]}.csv", *mesh, "1", str(arguments.yade)]
    text = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    found = re.search(r"rate=(\S+)", text)
    return float(found[1]) if found else None


def print_sizes(arguments: argparse.Namespace, folder: Path) -> list[dict[str, str]]:
    """Steps are so many that all sizes take about as long; the figure is that of the faster of two runs."""
    rows = []
    print("bed of law (18): ns per sphere and step on 2 cores, bytes per sphere")
    for size, option in SIZES.items():
        lines = [talus_line(arguments, "bed_capped", folder, max(20, int(2e7 / float(size))), *option) for _ in range(2)]
        line = max(lines, key=lambda text: figure(text, "M_sphere_steps/s"))
        rows.append({"spheres": f"{figure(line, 'spheres'):.0f}", "ns_per_sphere_step": f"{1e3 / figure(line, 'M_sphere_steps/s'):.1f}",
                     "bytes_per_sphere": f"{figure(line, 'bytes/sphere'):.0f}"})
        print("  ".join(rows[-1].values()), flush=True)
    return rows


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


def compare(arguments: argparse.Namespace, folder: Path) -> list[dict[str, str]]:
    rows = []
    print(f"{'scene':<16}{'Yade':>7}{'LAMMPS':>9}{'Talus':>9}{'ratio':>8}{'gate':>6}{'apart':>9}   M sphere-steps/s on 2 cores, {arguments.precision}; apart: of the rms motion")
    for scene in arguments.scenes.split(","):
        lammps, talus, line = 0.0, 0.0, ""
        for turn in range(arguments.rounds):
            for code in (("lammps", "talus") if turn % 2 == 0 else ("talus", "lammps")):
                if code == "lammps":
                    lammps = max(lammps, run_lammps(arguments, scene, folder))
                else:
                    text = talus_line(arguments, scene, folder, arguments.steps, "--out", f"{scene}.csv")
                    if (speed := figure(text, "M_sphere_steps/s")) > talus:
                        talus, line = speed, text
        yade = run_yade(arguments, scene, folder)
        apart = None if scene == "hourglass_mesh" else difference(scene, folder)
        print(f"{scene:<16}{'-' if yade is None else f'{yade:.2f}':>7}{lammps:>9.2f}{talus:>9.2f}{talus / lammps:>8.2f}{GATES[scene]:>6.1f}"
              f"{'-' if apart is None else f'{apart:.5f}':>9}   {line}", flush=True)
        rows.append({"scene": scene, "precision": arguments.precision, "steps": arguments.steps, "yade_Msps": "" if yade is None else f"{yade:.2f}",
                     "lammps_Msps": f"{lammps:.2f}", "talus_Msps": f"{talus:.2f}", "ratio": f"{talus / lammps:.2f}",
                     "apart_of_rms_motion": "" if apart is None else f"{apart:.5f}", "bytes_per_sphere": f"{figure(line, 'bytes/sphere'):.0f}"})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, required=True)
    parser.add_argument("--program", type=Path, default=Path("build/release/benchmarks/dem"))
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--skin", type=float, default=0.1, help="over the diameter of a sphere")
    parser.add_argument("--precision", default="float", choices=("float", "double"))
    parser.add_argument("--install", action="store_true", help="install the Debian packages lammps and yade first")
    parser.add_argument("--yade", type=int, default=0, help="steps that Yade is timed for; 0: it is left out")
    parser.add_argument("--sizes", action="store_true", help="cost against size instead")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--folder", type=Path, help="keeps states and results here")
    arguments = parser.parse_args()
    if arguments.install:
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "lammps", "yade"], check=True)
    if not arguments.sizes and not shutil.which("lmp"):
        print("LAMMPS is not installed: run with --install, or apt-get install lammps", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows = print_sizes(arguments, folder) if arguments.sizes else compare(arguments, folder)
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    for row in rows:
        if float(row["bytes_per_sphere"]) > MOST_BYTES:
            print(f"more than {MOST_BYTES} bytes per sphere: {row}")
    return 0 if all(float(row.get("apart_of_rms_motion") or 0) <= MOST_DIFFERENCE for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
