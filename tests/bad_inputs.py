#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every case of tests/bad and compares exit code and stderr with what the case expects, to the letter.

A case is an entry at the top level of the folder:
    NAME.toml   a scene, by default given to `talus check {scene}`
    NAME/       files of a case with more than a scene; they are copied to {tmp}, {scene} is scene.toml there
    NAME.case   a command line without a scene
What it expects stands in comments before anything else, in NAME/ in a file called `case`:
    # expect-exit: 2
    # expect: NAME.toml:7:1: unknown key 'dtt'; did you mean 'dt'?     a line of stderr; repeated for several, in order
    # command: run {scene} --out {tmp}/out -q                          instead of check {scene}
    # before: {talus} run {scene} --out out && rm out/run.json         what the shell does in {tmp} first; it must succeed
    # leaves: out/run.json out/frames/*                                what a failing command may leave behind in {tmp}
{tmp} is a folder that is empty at first and where the command runs. In stderr a path into it, or to the case, is
compared without its folder, and amounts of memory are compared as {memory}: they differ between machines.
"""
import argparse
import difflib
import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

TIMEOUT_S = 20
DIRECTIVE = re.compile(r"#\s*(expect-exit|expect|command|before|leaves):\s?(.*)")
MEMORY = re.compile(r"(needs about|this machine has) [\d.e+]+ [kMGTP]?(B|bytes)\b")
BUG = 1   # an exit code that no case may expect


@dataclass
class Expectation:
    exit_code: int | None = None
    lines: list[str] = field(default_factory=list)


@dataclass
class Case:
    path: Path      # the entry in tests/bad
    expected: Expectation
    command: str
    before: str
    leaves: list[str]

    @property
    def directives(self) -> Path:
        return self.path / "case" if self.path.is_dir() else self.path


@dataclass
class Outcome:
    actual: Expectation
    leftovers: list[str]


def read_case(path: Path) -> Case:
    case = Case(path, Expectation(), "check {scene}", "", [])
    for line in case.directives.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            break
        if match := DIRECTIVE.match(line):
            name, value = match[1], match[2].rstrip()
            if name == "expect-exit":
                case.expected.exit_code = int(value)
            elif name == "expect":
                case.expected.lines.append(value)
            elif name == "command":
                case.command = value
            elif name == "before":
                case.before = value
            else:
                case.leaves += value.split()
    return case


def find_cases(folder: Path, names: Iterable[str]) -> list[Case]:
    """All entries, or those named (with or without their ending)."""
    wanted = set(names)
    entries = [path for path in sorted(folder.iterdir()) if path.is_dir() or path.suffix in {".toml", ".case"}]
    if unknown := wanted - {path.name for path in entries} - {path.stem for path in entries}:
        raise SystemExit(f"no such case: {', '.join(sorted(unknown))}")
    return [read_case(path) for path in entries if not wanted or wanted & {path.name, path.stem}]


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def fill_in(text: str, values: dict[str, Path], quote: Callable[[str], str] = str) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", quote(str(value)))
    return text


def execute(talus: Path, case: Case) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        tmp = Path(folder).resolve()
        scene = case.path.resolve()
        if case.path.is_dir():
            shutil.copytree(case.path, tmp, dirs_exist_ok=True)
            scene = tmp / "scene.toml"
        environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
        if case.before:
            script = fill_in(case.before.replace("{talus} run ", "{talus} run --no-preview "), {"talus": talus.resolve(), "scene": scene, "tmp": tmp}, shlex.quote)
            prepared = subprocess.run(["sh", "-c", script], cwd=tmp, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                                      timeout=TIMEOUT_S, check=False)
            if prepared.returncode != 0:
                return Outcome(Expectation(None, ["what comes before has failed:", *prepared.stderr.decode().splitlines()]), [])
        before = files_in(tmp)
        command = [fill_in(word, {"scene": scene, "tmp": tmp}) for word in shlex.split(case.command)]
        if command[:1] == ["run"]:
            command.insert(1, "--no-preview")   # pictures take time, and have cases of their own
        try:
            result = subprocess.run([str(talus.resolve()), *command], cwd=tmp, env=environment, stdin=subprocess.DEVNULL,
                                    capture_output=True, timeout=TIMEOUT_S, check=False)
            code, errors = result.returncode, result.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            code, errors = None, f"still running after {TIMEOUT_S} s"
        for prefix in (tmp, case.path.resolve().parent):
            errors = errors.replace(f"{prefix}/", "")
        errors = MEMORY.sub(r"\1 {memory}", errors)
        after = files_in(tmp) if code != 0 else before
        leftovers = [name for name in sorted(after - before) if ".tmp" not in Path(name).name
                     and not any(fnmatch.fnmatch(name, pattern) for pattern in case.leaves)]
    return Outcome(Expectation(code, [line.rstrip() for line in errors.splitlines()]), leftovers)


def as_text(expectation: Expectation) -> list[str]:
    code = expectation.exit_code
    crashed = f" (signal {-code})" if code is not None and code < 0 else ""
    return [f"# expect-exit: {code}{crashed}", *(f"# expect: {line}".rstrip() for line in expectation.lines)]


def faults(case: Case, outcome: Outcome) -> list[str]:
    found = []
    if case.expected.exit_code is None:
        found.append("the case has no '# expect-exit:' line")
    if case.expected.exit_code == BUG:
        found.append("exit code 1 is a bug in Talus and cannot be expected")
    if case.expected != outcome.actual:
        found += difflib.unified_diff(as_text(case.expected), as_text(outcome.actual), "expected", "actual", lineterm="")
    return found + [f"left behind: {name}" for name in outcome.leftovers]


def rewrite(case: Case, actual: Expectation) -> None:
    """Puts what was seen at the top of the case; its other lines stay."""
    lines = case.directives.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not ((match := DIRECTIVE.match(line)) and match[1].startswith("expect"))]
    case.directives.write_text("\n".join([*as_text(actual), *kept]) + "\n", encoding="utf-8")


def update(talus: Path, case: Case) -> Case:
    """A scene's line numbers move with the number of expected lines, hence the second turn."""
    for _ in range(2):
        outcome = execute(talus, case)
        code = outcome.actual.exit_code
        if code is None or code < 0 or code == BUG or case.expected == outcome.actual:
            break   # a crash is never what is wanted
        rewrite(case, outcome.actual)
        case = read_case(case.path)
    return case


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="cases to run; all without")
    parser.add_argument("--talus", type=Path, required=True, help="the program")
    parser.add_argument("--cases", type=Path, default=Path(__file__).resolve().parent / "bad", help="folder of the cases")
    parser.add_argument("--update", action="store_true", help="write what is seen into the cases; read the difference before committing")
    parser.add_argument("--without", nargs="+", default=[], metavar="COMMAND", help="leave out cases of these commands, which the program was built without")
    arguments = parser.parse_args()
    failed = 0
    cases = [case for case in find_cases(arguments.cases, arguments.names) if case.command.split()[:1] not in [[name] for name in arguments.without]]
    for case in cases:
        if arguments.update:
            case = update(arguments.talus, case)
        if found := faults(case, execute(arguments.talus, case)):
            failed += 1
            print(f"FAILED {case.path.name}: talus {case.command}", *(f"    {line}" for line in found), sep="\n")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
