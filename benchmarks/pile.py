#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figure 4 of Alduan, Tena and Otaduy 2009: 50,000 fine grains carried by 2,500 clumps against 50,000 clumps simulated in full, the same stretch of
the same scene one after the other. The paper was 11 times faster, Talus should be 25 times.

    benchmarks/pile.py build/release/talus [--threads 2] [--time 0.06] [--csv FILE]

Times are those inside the steps, without the packing at the start, frames, checkpoints and probes."""
import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

NOT_STEPS = {"packing", "frames", "checkpoint", "probes"}
SCENE = Path(__file__).resolve().parent.parent / "scenes" / "pile.toml"


def measure(talus: str, variant: list[str], threads: int, end: float, folder: Path) -> dict:
    subprocess.run([talus, "run", str(SCENE), *variant, "--set", "fall=0", "--set", f"time.end={end}", "--set", f"time.frames_per_second={1 / end}", "--threads", str(threads),
                    "--out", str(folder), "--no-preview", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    run = json.loads((folder / "run.json").read_text())
    run["step_s"] = sum(seconds for phase, seconds in run["phase_s"].items() if phase not in NOT_STEPS)
    return run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus", help="the program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--time", type=float, default=0.06, help="simulated [s]")
    parser.add_argument("--csv", type=Path, help="file to write the table to")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, variant in (("guided", []), ("coarse", ["--variant", "coarse"]), ("full", ["--variant", "full"])):
            run = measure(options.talus, variant, options.threads, options.time, Path(folder) / name)
            rows.append({"run": name, "grains": run["grains"], "steps": run["steps"], "step_s": round(run["step_s"], 3), "threads": options.threads, "simulated_s": options.time})
    for row in rows:
        row["times_faster_than_full"] = round(rows[-1]["step_s"] / row["step_s"], 1)
    writers = [csv.DictWriter(sys.stdout, rows[0].keys(), lineterminator="\n")]
    if options.csv:
        writers.append(csv.DictWriter(options.csv.open("w"), rows[0].keys(), lineterminator="\n"))
    for writer in writers:
        writer.writeheader()
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
