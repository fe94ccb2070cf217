#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Averaged fields of one scene and one material by all four methods: `talus compare` of a flow and of a bed at rest against `elastoplastic`.

`guided` has no stress, so its pressure is not compared. Prints the differences as the table of docs/four-methods.md; fails where a run fails or its
fields are farther apart than they were when the table was written.
"""
import csv
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from sweeping import METHODS, arguments, done, sweep

FIELDS = {"volume_fraction": ("", 1.0), "velocity": ("_m_s", 1e3), "pressure": ("_Pa", 1.0)}   # ending of columns, factor to what is printed


@dataclass(frozen=True)
class Case:
    scene: str
    settings: tuple[str, ...]
    time: float      # [s]
    cell: float      # of the lattice [m]
    bounds: dict[str, float]   # of the L1 difference over the mean, as many as are told apart from rest


CASES = {
    "column, flowing": Case("column", ("resolution.grains=12000",), 10 / 48, 0.025, {"volume_fraction": 0.25, "velocity": 0.3, "pressure": 0.65}),
    "column, at rest": Case("column", ("resolution.grains=12000",), 40 / 48, 0.025, {"volume_fraction": 0.35, "pressure": 0.65}),
    "silo, shut": Case("silo", ("resolution.size==outlet/8", "open_at=0.6", "steady_from=0.1", "steady_to=0.5", "time.end=0.5"), 11 / 24, 0.015, {"volume_fraction": 0.15, "pressure": 1.1}),
}


def named(run: Path, method: str) -> str:
    """The run under the name of its method, which pictures and tables show."""
    link = run.with_name(method)
    if not link.is_symlink():
        link.symlink_to(run.name)
    return str(link)


def compared(talus: str, case: Case, folder: Path, jobs: int) -> dict[str, dict[str, str]]:
    """The row of each method but the first; pressures from a comparison without `guided`."""
    stressed = [method for method in METHODS if method != "guided"]
    runs = folder / case.scene
    done(sweep(talus, case.scene, stressed, [*case.settings, 'output.fields=["stress"]'], runs / "stressed", jobs))
    done(sweep(talus, case.scene, METHODS, case.settings, runs / "all", jobs))
    rows = {}
    for name, methods in (("all", METHODS), ("stressed", stressed)):
        out = folder / f"{case.scene}-{case.time:.3f}-{name}.png"
        directories = [named(runs / name / f"{i + 1:03d}", method) for i, method in enumerate(methods)]
        subprocess.run([talus, "compare", *directories, "--times", str(case.time), "--lattice", str(case.cell), "--slice", "y", "--size", "64x48", "--samples", "1", "--out", str(out), "--quiet"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with open(out.with_suffix(".csv"), newline="", encoding="utf-8") as table:
            for row in csv.DictReader(table):
                rows.setdefault(row["method"], {}).update(row)
    return rows


def cell(row: dict[str, str], field: str) -> str:
    """L1 and L2, and L1 over the mean."""
    ending, factor = FIELDS[field]
    if not row.get(f"{field}_L1{ending}"):
        return "—"
    l1, l2, relative = (float(row[f"{field}_{norm}"]) for norm in (f"L1{ending}", f"L2{ending}", "L1_relative"))
    part = f" ({100 * relative:.0f} %)" if relative < 1 else ""
    return f"{factor * l1:.3g}, {factor * l2:.3g}{part}"


def main() -> int:
    options = arguments(__doc__).parse_args()
    beyond = []
    print("| | | volume fraction | velocity [mm/s] | pressure [Pa] |\n| --- | --- | --- | --- | --- |")
    for name, case in CASES.items():
        for method, row in compared(options.talus, case, options.out, options.jobs).items():
            print(f"| {name} | `{method}` | " + " | ".join(cell(row, field) for field in FIELDS) + " |", flush=True)
            beyond += [f"{name}, {method}: {field}" for field, bound in case.bounds.items() if row.get(f"{field}_L1_relative") and float(row[f"{field}_L1_relative"]) > bound]
    print(f"farther apart than before: {', '.join(beyond) or 'none'}")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
