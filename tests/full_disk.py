#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a scene where no file may grow beyond a limit, as on a full disk: exit code 5, nothing half under its final name,
and the same bytes once there is room."""
import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from run_directories import add_scene_arguments, cut_off, differences, faults_after_going_on, run_command, run_to_the_end

LIMITS = (0, 1_000, 5_000, 100_000, 500_000)   # [bytes]: run.json, scene.toml, first checkpoint, frame, later checkpoint


def run_within(limit: int, command: list[str]) -> subprocess.CompletedProcess[str]:
    # Python ignores SIGXFSZ, and so does the program then: what it gets is an error from write().
    return subprocess.run(command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)), restore_signals=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)


def problems(arguments: argparse.Namespace, whole: Path, out: Path, limit: int) -> list[str]:
    command = run_command(arguments, out)
    result = run_within(limit, command)
    found = []
    if result.returncode != 5 or not result.stderr.startswith("cannot write '"):
        found.append(f"exit code {result.returncode}: {result.stderr}")
    found += [f"{path.name} is cut off" for path in cut_off(out)]
    found += [f"{path} is left over" for path in out.rglob(".*.tmp-*")]
    record = out / "run.json"
    if record.exists() and limit >= 1_000:   # where the record itself has room
        told = json.loads(record.read_text(encoding="utf-8"))
        if told["status"] != "failed" or "cannot write" not in told.get("failure", ""):
            found.append(f"run.json says {told['status']}: {told.get('failure')}")
    return found + faults_after_going_on(command, whole, out)


def words_without_room(arguments: argparse.Namespace, whole: Path, out: Path) -> list[str]:
    """A run whose words nobody can read, because its log fills a disk, goes on."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [word for word in run_command(arguments, out) if word not in ("-q", "--quiet")]
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=full, check=False)
    return [f"exit code {result.returncode} of a run with a full stderr"] if result.returncode != 0 else differences(whole, out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scene_arguments(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        run_to_the_end(run_command(arguments, whole))
        found = [f"{limit} bytes: {line}" for limit in LIMITS for line in problems(arguments, whole, Path(folder, str(limit)), limit)]
        found += words_without_room(arguments, whole, Path(folder, "words"))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"full disk: {arguments.scene}, {len(LIMITS)} limits, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
