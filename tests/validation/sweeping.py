# SPDX-License-Identifier: Apache-2.0
"""Runs `talus sweep` for the studies and reads its table."""
import argparse
import csv
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

METHODS = ("elastoplastic", "nonsmooth", "dem", "guided")


def arguments(doc: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--talus", required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder for the runs; what is there already is not run again")
    parser.add_argument("--jobs", type=int, default=2)
    return parser


def sweep(talus: str, scene: str, methods: Iterable[str], settings: Iterable[str], folder: Path, jobs: int) -> list[dict[str, str]]:
    """The rows of all cases, failed ones too; a folder that holds the sweep already is gone on with."""
    words = ["--resume"] if (folder / "sweep.csv").exists() else [scene, "--method", ",".join(methods), *(word for text in settings for word in ("--set", text))]
    subprocess.run([talus, "sweep", *words, "--out", str(folder), "--jobs", str(jobs), "--quiet"], stdout=subprocess.DEVNULL, check=True)
    with open(folder / "sweep.csv", newline="", encoding="utf-8") as table:
        return list(csv.DictReader(table))


def done(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The same rows, or the end of the study where one failed."""
    if failed := [row for row in rows if row["exit_code"] != "0"]:
        sys.exit(f"{len(failed)} of {len(rows)} runs failed: {failed[0]['message']}")
    return rows
