#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that was built without pictures runs scenes all the same, and says what is missing where a picture is asked for."""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", type=Path, required=True)
    parser.add_argument("--reason", required=True, help="why there are no pictures")
    arguments = parser.parse_args()
    talus, found = arguments.talus.resolve(), []
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out"

        def start(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([str(talus), *words], capture_output=True, text=True, check=False)

        ran = start("run", "column", "--variant", "smoke", "--set", "resolution.grains=300", "--frames", "1", "--out", str(out), "-q")
        if ran.returncode != 0 or ran.stderr:
            found.append(f"run: exit code {ran.returncode}, {ran.stderr}")
        found += [f"{picture} was made" for picture in ("preview.png", "poster.png", "plots.png") if (out / picture).exists()]
        expected = f"this Talus makes no pictures: {arguments.reason}; install the packages of tools/install-deps.sh and build it again\n"
        for command in (("render", str(out)), ("compare", str(out), str(out))):
            result = start(*command)
            if result.returncode != 2 or result.stderr != expected:
                found.append(f"{command[0]}: exit code {result.returncode}, {result.stderr}")
    print(*found, sep="\n", end="\n" if found else "")
    print(f"without pictures: {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
