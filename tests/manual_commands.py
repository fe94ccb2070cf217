#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every `talus` command in README, manual and help succeeds, and every one in the header of a built-in scene is understood.

Commands of a block run one after the other in a folder of their own. What earlier text has made is given to them: scenes that the page shows
or `talus new` writes, and runs. So that all takes a minute, runs and pictures are made small: built-in scenes in their variant `smoke`, others with
few grains. In headers of scenes `run` becomes `check`; of a sweep each value is checked."""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from run_directories import TINY_DRUM, TINY_HEAP

ROOT = Path(__file__).resolve().parent.parent
READ_A_RUN = {"info", "export", "render", "compare", "refine"}
FEW_GRAINS = "resolution.grains=600"


def blocks(page: str) -> list[list[str]]:
    """The commands of each block of a page; in a block without language those lines that begin with `talus` or `$ talus`."""
    found = []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```", page, re.S | re.M):
        if match[1] not in ("", "sh"):
            continue
        lines = [line.strip().removeprefix("$ ") for line in match[2].splitlines()]
        commands = [line for line in lines if re.match(r"(source <\()?talus ", line) and "…" not in line]
        if commands:
            found.append(commands)
    return found


def shown_scenes(page: str) -> dict[str, str]:
    """Scenes that a page tells to save under a name."""
    return {match[1]: match[2] for match in re.finditer(r"Save this as `(\S+\.toml)`:\s*```toml\n(.*?)```", page, re.S)}


def header_commands(scene: str) -> list[str]:
    return [match[1] for match in re.finditer(r"^#   (talus .*)$", scene, re.M)]


def option(arguments: list[str], name: str) -> str | None:
    return arguments[arguments.index(name) + 1] if name in arguments else None


def positionals(arguments: list[str]) -> list[str]:
    """What comes before the first option: in the manual, scenes and runs always do."""
    first_option = next((i for i, argument in enumerate(arguments) if argument.startswith("-")), len(arguments))
    return arguments[:first_option]


def with_option(arguments: list[str], name: str, value: str) -> list[str]:
    if name in arguments:
        at = arguments.index(name)
        return arguments[: at + 1] + [value] + arguments[at + 2 :]
    return arguments + [name, value]


def made_small(arguments: list[str]) -> list[str]:
    """The same command with less to do."""
    command, rest = arguments[0], arguments[1:]
    if command in ("run", "sweep") and positionals(rest):
        large = [i for i, a in enumerate(rest) if a.strip('"').startswith(("resolution.", "time.end=") if not rest[0].endswith(".toml") else "resolution.")]
        rest = [a for i, a in enumerate(rest) if i not in large and i + 1 not in large]
        rest = rest + ["--set", FEW_GRAINS] if rest[0].endswith(".toml") else with_option(rest, "--variant", "smoke")
    if command == "run" and "--resume" not in rest:
        rest += ["--no-preview"]
    if command == "calibrate":
        rest = [*with_option(rest, "--tolerance", "50"), *(TINY_DRUM if "drum" in rest else TINY_HEAP)]
    if command in ("render", "compare"):
        rest = with_option(with_option(rest, "--size", "64x48"), "--samples", "1")
    return [command, *rest]


class Manual(unittest.TestCase):
    talus = Path()

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.run_talus(cls.folder, "new", "mine")
        small = ["--set", FEW_GRAINS, "--set", "time.frames_per_second=50", "--no-preview", "--quiet"]
        cls.run_talus(cls.folder, "run", "mine.toml", "--out", "points", "--set", 'output.fields=["pressure"]', *small)
        cls.run_talus(cls.folder, "run", "mine.toml", "--out", "spheres", "--method", "dem", "--set", "time.end=0.1", *small)

    @classmethod
    def run_talus(cls, folder: Path, *arguments: str) -> None:
        subprocess.run([cls.talus, *arguments], cwd=folder, check=True, capture_output=True, text=True)

    def give(self, folder: Path, arguments: list[str], scenes: dict[str, str]) -> None:
        """Puts scenes and runs that a command names and that are not there into its folder."""
        command, named = arguments[0], positionals(arguments[1:])
        runs = named if command in READ_A_RUN else []
        if command == "run" and "--resume" in arguments:
            after = [*arguments, ""][arguments.index("--resume") + 1]
            runs = runs + [option(arguments, "--out") if not after or after.startswith("-") else after]
        if "--from" in arguments:
            runs = runs + [option(arguments, "--from")]
        for run in runs:
            if run and not (folder / run).exists():
                shutil.copytree(self.folder / ("spheres" if run.endswith("-dem") else "points"), folder / run)
        for scene in named if command in ("run", "check", "sweep") else []:
            if scene.endswith(".toml") and not (folder / scene).exists():
                (folder / scene).write_text(scenes.get(scene) or (self.folder / "mine.toml").read_text())

    def play(self, block: list[str], scenes: dict[str, str]) -> None:
        """`talus` is a script in PATH that makes a command small and then calls the program."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "bin").mkdir()
            wrapper = folder / "bin" / "talus"
            wrapper.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(__file__)} --as {shlex.quote(str(self.talus))} "$@"\n')
            wrapper.chmod(0o755)
            for command in block:
                words = shlex.split(command, comments=True)
                if words[0] == "talus":
                    self.give(folder, words[1:], scenes)
                environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
                done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, env=environment)
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")

    def test_pages(self) -> None:
        count = 0
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            text = page.read_text(encoding="utf-8")
            for block in blocks(text):
                if self.without_pictures and any(re.search(r"talus (render|compare)", command) for command in block):
                    continue
                count += len(block)
                with self.subTest(page=str(page.relative_to(ROOT)), block=block[0]):
                    self.play(block, shown_scenes(text))
        self.assertGreater(count, 40 if self.without_pictures else 50)

    def test_headers_of_scenes(self) -> None:
        count = 0
        for scene in sorted((ROOT / "scenes").glob("*.toml")):
            for command in header_commands(scene.read_text(encoding="utf-8")):
                with self.subTest(scene=scene.stem, command=command):
                    count += 1
                    self.check_header(shlex.split(command, comments=True)[1:])
        self.assertGreater(count, 70)

    def check_header(self, words: list[str]) -> None:
        command, rest = words[0], words[1:]
        if command == "render":
            return   # of runs that take minutes; the pages have its options
        self.assertIn(command, ("run", "sweep"))
        if "--out" in rest:
            rest = rest[: rest.index("--out")] + rest[rest.index("--out") + 2 :]
        cases = [rest]
        if command == "sweep":
            key, values = (option(rest, "--set") or "").split("=", 1)
            cases = [with_option(rest, "--set", f"{key}={value}") for value in values.split(",")]
        for case in cases:
            self.run_talus(self.folder, "check", *case)


class OfTheTestItself(unittest.TestCase):
    def test_blocks(self) -> None:
        page = "a\n```sh\ntalus run x   # why\nls\n```\n```\n$ talus info x\nstatus talus\n```\n```toml\ntalus = 1\n```\n"
        self.assertEqual(blocks(page), [["talus run x   # why"], ["talus info x"]])

    def test_made_small(self) -> None:
        self.assertEqual(made_small(["run", "drum", "--set", "speed=1"]), ["run", "drum", "--set", "speed=1", "--variant", "smoke", "--no-preview"])
        self.assertEqual(made_small(["run", "a.toml", "--set", "resolution.grains=1e6"]), ["run", "a.toml", "--set", FEW_GRAINS, "--no-preview"])
        self.assertEqual(made_small(["run", "drum", "--set", "time.end=3"]), ["run", "drum", "--variant", "smoke", "--no-preview"])
        self.assertEqual(made_small(["render", "a", "--size", "9x9"]), ["render", "a", "--size", "64x48", "--samples", "1"])
        self.assertEqual(made_small(["run", "--resume", "--out", "a"]), ["run", "--resume", "--out", "a"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as"]:
        program, *given = sys.argv[2:]
        os.execv(program, [program, *made_small(given)])
    parser = argparse.ArgumentParser()
    parser.add_argument("--talus", required=True, type=Path)
    parser.add_argument("--without-pictures", action="store_true")
    chosen, others = parser.parse_known_args()
    Manual.talus, Manual.without_pictures = chosen.talus.resolve(), chosen.without_pictures
    unittest.main(argv=[sys.argv[0], *others])
