#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`talus sweep`: a row for every combination, as single runs have it; failed cases are rows; an interrupted sweep goes on to the same table."""
import argparse
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run_directories import Failure, call, rows

SCENE = ("column", "--variant", "smoke", "--set", "resolution.grains=1000,2000", "--set", "materials.sand.friction_angle_deg=20:40:20", "--method", "elastoplastic,nonsmooth")
INTERRUPTED = 130


def table_of(folder: Path) -> list[dict[str, str]]:
    """Without the wall time, which is never twice the same."""
    return [{key: value for key, value in row.items() if key != "wall_s"} for row in rows(folder / "sweep.csv")]


def check_rows(folder: Path) -> None:
    table = table_of(folder)
    if [row["case"] for row in table] != [f"{i:03d}" for i in range(1, 9)] or any(row["exit_code"] != "0" for row in table):
        raise Failure(f"rows are {table}")
    combinations = {(row["method"], row["resolution.grains"], row["materials.sand.friction_angle_deg"]) for row in table}
    if len(combinations) != 8:
        raise Failure(f"only {len(combinations)} combinations")
    for row in table:
        results = json.loads((folder / row["case"] / "results.json").read_text())
        if float(row["front.front_m"]) != results["front"]["front"]["value"]:
            raise Failure(f"case {row['case']}: {row['front.front_m']} in the table, {results['front']['front']['value']} in its run")
        record = json.loads((folder / row["case"] / "run.json").read_text())
        if record["method"] != row["method"] or record["grains"] != int(row["grains"]):
            raise Failure(f"case {row['case']} is another run than its row says")
    if (folder / "sweep.png").read_bytes()[:4] != b"\x89PNG":
        raise Failure("there is no plot")


def check_failed_cases(talus: Path, folder: Path) -> None:
    said = call(talus, "sweep", "-q", "column", "--variant", "smoke", "--set", "resolution.grains=1000,-5", "--out", str(folder))
    table = table_of(folder)
    if [row["exit_code"] for row in table] != ["0", "2"] or "it must be between" not in table[1]["message"] or "1 of 2 cases failed" not in said:
        raise Failure(f"a case that cannot be read: {table}\n{said}")


def check_interruption(talus: Path, whole: Path, folder: Path) -> None:
    """After the first row, so that some cases are done and some are not."""
    sweep = subprocess.Popen([str(talus), "sweep", *SCENE, "--jobs", "2", "--out", str(folder), "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while sweep.poll() is None and not (folder / "sweep.csv").exists():
        time.sleep(0.01)
    while sweep.poll() is None and not table_of(folder):
        time.sleep(0.01)
    sweep.send_signal(signal.SIGINT)
    if sweep.wait() not in (INTERRUPTED, 0):
        raise Failure(f"exit code {sweep.returncode} of an interrupted sweep")
    call(talus, "sweep", "-q", "--resume", "--out", str(folder), "--jobs", "2")
    if table_of(folder) != table_of(whole):
        raise Failure("the resumed sweep has another table")
    call(talus, "sweep", "-q", "column", "--set", "seed=1,2", "--resume", "--out", str(folder), expected=2)
    call(talus, "sweep", "-q", *SCENE, "--out", str(folder), expected=2)


def check_changed_scene(talus: Path, folder: Path) -> None:
    """Goes on from any folder, but not with another scene; a second sweep leaves the folder of the first alone."""
    scene = folder / "short.toml"
    folder.mkdir()
    scene.write_bytes(subprocess.check_output([str(talus), "check", "column", "--variant", "smoke", "--set", "resolution.grains=500", "--set", "time.end=0.02", "--resolved"]))
    subprocess.run([str(talus), "sweep", "-q", "short.toml", "--set", "seed=1,2", "--out", "sweep"], cwd=folder, check=True, capture_output=True)
    sweep = folder / "sweep"
    whole = table_of(sweep)
    record = json.loads((sweep / "sweep.json").read_text())
    record["cases"][1] = None
    (sweep / "sweep.json").write_text(json.dumps(record))
    text = scene.read_text()
    scene.write_text(text.replace("density = 2600", "density = 2700"))
    if "has changed since the sweep" not in call(talus, "sweep", "-q", "--resume", "--out", str(sweep), expected=2):
        raise Failure("a sweep went on with another scene")
    scene.write_text(text.replace("end = 0.02", "end = 0.03"))
    call(talus, "sweep", "-q", "--resume", "--out", str(sweep), expected=2)
    scene.write_text(text)
    (sweep / "002" / "scene.toml").unlink()   # of the run that is there; it is done again
    lock = os.open(sweep, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    call(talus, "sweep", "-q", "--overwrite", str(scene), "--set", "seed=1,2", "--out", str(sweep), expected=2)
    os.close(lock)
    if not (sweep / "001" / "run.json").exists():
        raise Failure("a sweep was removed while another one was at it")
    call(talus, "sweep", "-q", "--resume", str(sweep))
    if table_of(sweep) != whole:
        raise Failure(f"gone on with from another folder: {table_of(sweep)}, not {whole}")


def check_stale_run(talus: Path, folder: Path) -> None:
    """A case that cannot begin has no numbers of a run that was in its folder before."""
    call(talus, "sweep", "-q", "column", "--variant", "smoke", "--set", "resolution.grains=500", "--set", "time.end=0.02,0.03", "--out", str(folder))
    record = json.loads((folder / "sweep.json").read_text())
    record["variations"][0]["values"][1] = "0"
    record["cases"][1] = None
    (folder / "sweep.json").write_text(json.dumps(record))
    call(talus, "sweep", "-q", "--resume", "--out", str(folder))
    row = table_of(folder)[1]
    if (row["exit_code"], row["grains"], row["steps"], row["front.front_m"]) != ("2", "0", "0", ""):
        raise Failure(f"a case that could not begin has numbers: {row}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True, help="the program")
    talus = parser.parse_args().talus.resolve()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            call(talus, "sweep", "-q", *SCENE, "--jobs", "2", "--out", str(folder / "whole"))
            check_rows(folder / "whole")
            check_failed_cases(talus, folder / "failed")
            check_changed_scene(talus, folder / "changed")
            check_stale_run(talus, folder / "stale")
            check_interruption(talus, folder / "whole", folder / "interrupted")
            call(talus, "sweep", "-q", *SCENE, "--overwrite", "--out", str(folder / "interrupted"))
            check_rows(folder / "interrupted")
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
