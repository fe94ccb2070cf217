# SPDX-License-Identifier: Apache-2.0
"""What tests of the program share: starting `talus run`, and comparing what two runs wrote."""
import argparse
import csv
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

APPENDED, TRAILER = b'<AppendedData encoding="raw">\n_', b"\n</AppendedData>\n</VTKFile>\n"
QUIET = ("--no-preview", "-q")   # for runs of which only the files matter
# For calibrate.
TINY_HEAP = tuple(word for text in ("resolution.size== foot/6", "foot=0.05", "full=0.3", "time.end=0.6") for word in ("--set", text))
TINY_DRUM = tuple(word for text in ("resolution.size== radius/7", "time.end=0.8", "steady_from=0.6") for word in ("--set", text))
NO_CHECKPOINT = 3   # exit code of --resume
PROMISED = ("frames", "probes", "series.csv", "flows.csv")   # byte-identical for the same run; the rest may tell the time


class Failure(Exception):
    """What a test of the program found wrong."""


def outcome(check: Callable[[Path], None]) -> int:
    """Runs check(folder) in a folder of its own and says what failed; the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            check(Path(folder))
        except Failure as failure:
            print(failure)
            return 1
    return 0


def call(talus: Path, *arguments: str, expected: int = 0) -> str:
    """Runs `talus ARGUMENTS`, which must leave with that exit code; what it says on stderr."""
    result = subprocess.run([str(talus), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != expected:
        raise Failure(f"exit code {result.returncode} instead of {expected} from: talus {' '.join(arguments)}\n{result.stderr}")
    return result.stderr


def rows(table: Path) -> list[dict[str, str]]:
    with table.open(newline="") as file:
        return list(csv.DictReader(file))


def add_scene_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--talus", type=Path, required=True, help="the program")
    parser.add_argument("--scene", required=True, help="built-in name or path")
    parser.add_argument("--method", help="instead of the scene's own")
    parser.add_argument("--variant", default="smoke")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as of talus run")


def run_command(arguments: argparse.Namespace, out: Path, *more: str) -> list[str]:
    method = ["--method", arguments.method] if arguments.method else []
    sets = [word for text in arguments.set for word in ("--set", text)]
    return [str(arguments.talus.resolve()), "run", arguments.scene, "--variant", arguments.variant, *method, *sets,
            "--out", str(out), "--no-preview", "-q", *more]


def run_to_the_end(command: Sequence[str]) -> None:
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"exit code {result.returncode} from: {' '.join(command)}\n{result.stderr}")


def promised_files(directory: Path) -> dict[str, Path]:
    files = [path for name in PROMISED for path in (directory / name, *(directory / name).rglob("*")) if path.is_file()]
    files += directory.glob("series.*.csv")   # of the stages before a new clock
    return {str(path.relative_to(directory)): path for path in files}


def differences(expected: Path, actual: Path) -> list[str]:
    """A line for each file that is missing, too many, or not the same in every byte."""
    files, others = promised_files(expected), promised_files(actual)
    if not any(name.startswith("frames/") for name in files) or "series.csv" not in files:
        return [f"{expected} holds no frames or no series.csv: nothing to compare"]
    found = [f"missing: {name}" for name in sorted(files.keys() - others.keys())]
    found += [f"too many: {name}" for name in sorted(others.keys() - files.keys())]
    for name in sorted(files.keys() & others.keys()):
        a, b = files[name].read_bytes(), others[name].read_bytes()
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            found.append(f"differs: {name} from byte {at} ({len(a)} and {len(b)} bytes)")
    return found


def is_whole(frame: bytes) -> bool:
    """The last array that the header names ends where the trailer begins, and the file with that."""
    header, found, data = frame.partition(APPENDED)
    offsets = [int(text) for text in re.findall(rb'offset="(\d+)"', header)]
    if not found or not offsets:
        return False
    number = lambda at: int.from_bytes(data[at:at + 8], "little")
    begin = max(offsets)
    if b" compressor=" not in header:
        return data[begin + 8 + number(begin):] == TRAILER
    blocks = number(begin)   # their number, two sizes, what each takes up, and they themselves
    return blocks < len(data) and data[begin + 8 * (3 + blocks) + sum(number(begin + 8 * (3 + b)) for b in range(blocks)):] == TRAILER


def cut_off(directory: Path) -> list[Path]:
    """Frames under their final name that are not whole."""
    return [path for path in sorted((directory / "frames").glob("grains_*.vtp")) if not is_whole(path.read_bytes())]


def faults_after_going_on(command: Sequence[str], whole: Path, out: Path) -> list[str]:
    """Resumes a run that ended badly, or starts it again where it left no checkpoint: what then is not as in the whole run."""
    resumed = subprocess.run([*command, "--resume"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if resumed.returncode == NO_CHECKPOINT:
        if list((out / "checkpoint").glob("*.h5")):
            return ["--resume cannot use the checkpoint"]
        run_to_the_end([*command, "--overwrite"] if (out / "run.json").exists() else command)
    elif resumed.returncode != 0:
        return [f"exit code {resumed.returncode} from --resume: {resumed.stderr}"]
    return differences(whole, out)
