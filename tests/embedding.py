#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that embeds Talus gets the flags that the headers need, and none of Talus's own warnings."""
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(embedder LANGUAGES C CXX)
foreach(part TESTS BENCHMARKS EXAMPLES)
  set(TALUS_BUILD_${part} OFF CACHE BOOL "")
endforeach()
add_subdirectory(%s talus EXCLUDE_FROM_ALL)
add_executable(embedder main.cpp)
target_link_libraries(embedder PRIVATE talus_scene)
"""


def flags(talus: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "CMakeLists.txt").write_text(PROJECT % talus.as_posix(), encoding="utf-8")
        (folder / "main.cpp").write_text("int main() {}\n", encoding="utf-8")
        build = folder / "build"
        subprocess.run(["cmake", "-G", "Ninja", "-S", str(folder), "-B", str(build), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"],
                       stdout=subprocess.DEVNULL, check=True)
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        return next(shlex.split(entry["command"]) for entry in commands if entry["file"].endswith("/main.cpp") and "embedder.dir" in entry["command"])


def main() -> int:
    given = flags(Path(sys.argv[1]).resolve())
    wrong = [f"the embedder is given {flag}" for flag in given if flag.startswith("-W")]
    wrong += [f"the embedder lacks {flag}" for flag in ("-ffp-contract=off", "-march=x86-64-v3") if flag not in given]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
