#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Interrupts a run by signals and by --max-time: exit code, run.json, and the same bytes after --resume."""
import argparse
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from run_directories import Failure, add_scene_arguments, differences, outcome, run_command, run_to_the_end

TIMEOUT_S = 60
LONGER = ("--set", "time.end=0.3")   # than the smoke variant, so that the signal comes before the end


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not path.exists():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            raise Failure(f"{path.name} did not come; exit code {process.wait()}")
        time.sleep(0.005)


def interrupted(command: list[str], out: Path, *signals: signal.Signals) -> int:
    """Exit code of a run that gets all signals at once after its first frames."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(out / "frames" / "grains_000002.vtp", process)
    process.send_signal(signal.SIGSTOP)   # so that the second does not come after the first has had its effect
    for number in signals:
        process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    return process.wait(TIMEOUT_S)


def expect(name: str, expected: object, actual: object) -> None:
    if expected != actual:
        raise Failure(f"{name}: {actual}, not {expected}")


def check(arguments: argparse.Namespace, folder: Path) -> None:
    whole = folder / "whole"
    run_to_the_end(run_command(arguments, whole, *LONGER))
    cases = {
        "SIGINT": (130, "interrupted", (signal.SIGINT,)),
        "SIGTERM": (143, "interrupted", (signal.SIGTERM,)),
        "both": (143, "running", (signal.SIGINT, signal.SIGTERM)),   # stopped at once, without a last word
        "max-time": (6, "interrupted", ()),
    }
    for name, (code, status, signals) in cases.items():
        out = folder / name
        command = run_command(arguments, out, *LONGER)
        if signals:
            actual = interrupted(command, out, *signals)
        else:
            actual = subprocess.run([*command, "--max-time", "0.1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    timeout=TIMEOUT_S, check=False).returncode
        expect(f"{name}: exit code", code, actual)
        expect(f"{name}: status", status, json.loads((out / "run.json").read_text(encoding="utf-8"))["status"])
        # by the scene as before, by the folder alone, by the folder in the place of the scene: what a user would try
        alone = [str(arguments.talus.resolve()), "run", "--no-preview", "-q", "--resume"]
        run_to_the_end({"SIGINT": [*alone, "--out", str(out)], "SIGTERM": [*alone, str(out)]}.get(name, [*command, "--resume"]))
        expect(f"{name}: status after --resume", "done", json.loads((out / "run.json").read_text(encoding="utf-8"))["status"])
        expect(f"{name}: differences after --resume", [], differences(whole, out))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_scene_arguments(parser)
    arguments = parser.parse_args()
    return outcome(lambda folder: check(arguments, folder))


if __name__ == "__main__":
    sys.exit(main())
