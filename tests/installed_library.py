#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs Talus to a temporary place and builds the example program against it, outside the tree, with find_package."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
find_package(talus 0.1 REQUIRED)
add_executable(step_a_scene step_a_scene.cpp)
target_link_libraries(step_a_scene PRIVATE talus::talus)
"""


def call(*command: str | Path) -> str:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"exit code {result.returncode} from: {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def main() -> int:
    build, source = Path(sys.argv[1]), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prefix, project = folder / "prefix", folder / "outside"
        call("cmake", "--install", build, "--prefix", prefix)
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        shutil.copy(source / "examples" / "step_a_scene.cpp", project)
        call("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        call("cmake", "--build", project / "build")
        printed = call(project / "build" / "step_a_scene")
        version = call(prefix / "bin" / "talus", "--version")
        targets = "".join(path.read_text(encoding="utf-8") for path in prefix.rglob("talusTargets*.cmake"))
    wrong = []
    if not re.search(r"^highest of \d+ grains: 0\.\d+ m$", printed, re.MULTILINE):
        wrong.append(f"the example printed:\n{printed}")
    if not version.strip():
        wrong.append("the installed program has no version")
    if str(source) in targets:
        wrong.append("the installed files point into the source tree")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
