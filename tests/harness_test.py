#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill_resume.py and same_bits.py accept a program that keeps its promises and catch one that breaks them.

The program is a small script that writes a run directory; TALUS_FAULT names the promise that it breaks.
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent
FRAMES = 6

FAKE = f"""#!{sys.executable} -S
import json, os, pathlib, sys, time
arguments = sys.argv[1:]
fault = os.environ.get("TALUS_FAULT", "")
out = pathlib.Path(arguments[arguments.index("--out") + 1])
threads = arguments[arguments.index("--threads") + 1] if "--threads" in arguments else "2"
checkpoint = out / "checkpoint" / "a"

def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text)
    temporary.rename(path)

def frame(text):
    appended = '<AppendedData encoding="raw">\\n_' + chr(len(text)) + 7 * chr(0) + text
    return '<DataArray offset="0"/>' + appended + ("" if fault == "vtp" else "\\n</AppendedData>\\n</VTKFile>\\n")

start, rows = 0, []
if "--resume" in arguments:
    if not checkpoint.exists() or fault == "checkpoint":
        sys.exit(3)
    start, rows = json.loads(checkpoint.read_text())
elif out.exists() and any(out.iterdir()) and "--overwrite" not in arguments:
    sys.exit(2)
elif (out / "run.json").exists():
    checkpoint.unlink(missing_ok=True)
for number in range(start, {FRAMES}):
    write(out / "run.json", '{{"status":' if fault == "json" else '{{"status": "running"}}')
    time.sleep(0.02)
    rows.append(f"{{number}},{{start if fault == 'resume' else threads if fault == 'threads' else 0}}")
    write(out / "frames" / f"grains_{{number:06}}.vtp", frame(rows[-1]))
    write(out / "series.csv", "\\n".join(rows))
    write(checkpoint, json.dumps([number + 1, rows]))
write(out / "run.json", '{{"status": "done"}}')
"""


class Harness(unittest.TestCase):
    def run_script(self, script: str, fault: str, *more: str) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory() as folder:
            talus = Path(folder, "talus")
            talus.write_text(FAKE)
            talus.chmod(0o755)
            return subprocess.run([sys.executable, str(TESTS / script), "--talus", str(talus), "--scene", "column", *more],
                                  env=os.environ | {"TALUS_FAULT": fault}, capture_output=True, text=True, check=False)

    def expect(self, script: str, fault: str, code: int, text: str, *more: str) -> None:
        result = self.run_script(script, fault, *more)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertIn(text, result.stdout)

    def test_same_bits(self) -> None:
        self.expect("same_bits.py", "", 0, f"{FRAMES + 1} files, 0 differences")

    def test_bits_that_depend_on_threads(self) -> None:
        self.expect("same_bits.py", "threads", 1, "1 against 2 threads: differs: series.csv from byte 2")

    def test_resume(self) -> None:
        self.expect("kill_resume.py", "", 0, "8 kills", "--kills", "8")

    def test_resume_with_other_bits(self) -> None:
        self.expect("kill_resume.py", "resume", 1, "differs: series.csv", "--kills", "8")

    def test_lost_checkpoint(self) -> None:
        self.expect("kill_resume.py", "checkpoint", 1, "no usable checkpoint, but one was written", "--kills", "8")

    def test_broken_file_under_its_final_name(self) -> None:
        self.expect("kill_resume.py", "json", 1, "run.json is broken", "--kills", "8")

    def test_frame_cut_off(self) -> None:
        self.expect("kill_resume.py", "vtp", 1, "is cut off", "--kills", "8")


if __name__ == "__main__":
    unittest.main()
