#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a run at random moments, resumes it each time, and compares it with one that was left alone.

A run that ends before all kills are spent is compared and begun again, so that the moments spread over the whole run.
"""
import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run_directories import add_scene_arguments, cut_off, differences, run_command, run_to_the_end

NO_CHECKPOINT = 3   # exit code of --resume


class Failure(Exception):
    pass


class Victim:
    """A run in `out` that can be killed and carried on with."""

    def __init__(self, arguments: argparse.Namespace, out: Path) -> None:
        self.arguments = arguments
        self.out = out
        self.kills = 0
        self.resumed = 0
        self.restarts = 0

    def attempt(self, mode: list[str], seconds: float | None) -> int | None:
        """Exit code, or None if it was killed after `seconds`."""
        process = subprocess.Popen(run_command(self.arguments, self.out, *mode), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            _, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.kills += 1
            self.check_whole_files()
            return None
        if process.returncode not in (0, NO_CHECKPOINT):
            raise Failure(f"exit code {process.returncode} after {self.kills} kills: {' '.join(process.args)}\n{errors}")
        self.check_whole_files()
        return process.returncode

    def checkpoints(self) -> list[Path]:
        return [path for path in (self.out / "checkpoint").glob("*") if ".tmp" not in path.name]

    def check_whole_files(self) -> None:
        """What stands under its final name is whole, whenever the kill came."""
        for path in self.out.glob("*.json"):
            try:
                json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise Failure(f"{path.name} is broken after kill {self.kills}: {error}") from error
        for path in cut_off(self.out):
            raise Failure(f"{path.name} is cut off after kill {self.kills}")

    def start_afresh(self, seconds: float | None) -> int | None:
        """--overwrite refuses a directory without run.json: what the kill left of it is removed as a user would."""
        if self.out.exists() and not (self.out / "run.json").exists():
            shutil.rmtree(self.out)
        return self.attempt(["--overwrite"] if self.out.exists() else [], seconds)

    def carry_on(self, seconds: float | None) -> bool:
        """True when the run has come to its end."""
        if not self.out.exists():
            code = self.start_afresh(seconds)
        else:
            had_checkpoint = bool(self.checkpoints())
            code = self.attempt(["--resume"], seconds)
            self.resumed += code != NO_CHECKPOINT
            if code == NO_CHECKPOINT:
                if had_checkpoint:
                    raise Failure(f"after {self.kills} kills --resume finds no usable checkpoint, but one was written")
                self.restarts += 1
                code = self.start_afresh(seconds)
        if code == NO_CHECKPOINT:
            raise Failure("exit code 3 from a run that was not resumed")
        return code == 0


def torture(arguments: argparse.Namespace, folder: Path) -> str:
    whole = folder / "whole"
    start = time.monotonic()
    run_to_the_end(run_command(arguments, whole))
    duration = time.monotonic() - start

    moments = random.Random(arguments.seed)
    victim = Victim(arguments, folder / "killed")
    compared = 0
    while victim.kills < arguments.kills or compared == 0:
        # A third of the run on average: most runs survive several kills, and some die before the first checkpoint.
        seconds = moments.uniform(0.0, 2 / 3 * duration) if victim.kills < arguments.kills else None
        if victim.carry_on(seconds) or (victim.kills >= arguments.kills and victim.carry_on(None)):
            if found := differences(whole, victim.out):
                raise Failure("\n".join([f"after {victim.kills} kills:", *found]))
            compared += 1
            shutil.rmtree(victim.out)
    return f"{victim.kills} kills, {victim.resumed} resumed, {victim.restarts} begun again, {compared} runs the same as the whole one"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_scene_arguments(parser)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(f"kill and resume: {arguments.scene}: {torture(arguments, Path(folder))}")
        except Failure as failure:
            print(f"kill and resume: {arguments.scene}: {failure}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
