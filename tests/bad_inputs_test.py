#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bad_inputs.py, run with a small script in the place of talus."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "bad_inputs.py"

# check SCENE: an error for each line that starts with "bad", with its place; otherwise a behaviour by name.
FAKE = f"""#!{sys.executable} -S
import os, pathlib, sys
command, *arguments = sys.argv[1:]
if command == "check":
    lines = pathlib.Path(arguments[0]).read_text().splitlines()
    wrong = [number for number, line in enumerate(lines, start=1) if line.startswith("bad")]
    for number in wrong:
        print(f"{{arguments[0]}}:{{number}}:1: bad line", file=sys.stderr)
    sys.exit(2 if wrong else 0)
elif command == "litter":
    for name in arguments:
        pathlib.Path(name).write_text("")
    sys.exit(5)
elif command == "crash":
    os.kill(os.getpid(), 11)
elif command == "bug":
    sys.exit(1)
elif command == "big":
    sys.exit(print(f"needs about {{arguments[0]}} GB and this machine has 1e+03 bytes", file=sys.stderr) or 2)
print(f"unknown command '{{command}}'", file=sys.stderr)
sys.exit(2)
"""


class BadInputs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.talus = Path(folder.name, "talus")
        self.talus.write_text(FAKE)
        self.talus.chmod(0o755)
        self.cases = Path(folder.name, "bad")

    def write(self, name: str, text: str) -> Path:
        path = self.cases / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_cases(self, *more: str) -> tuple[int, str]:
        command = [sys.executable, str(SCRIPT), "--talus", str(self.talus), "--cases", str(self.cases), *more]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout

    def expect(self, code: int, *texts: str) -> None:
        actual, output = self.run_cases()
        self.assertEqual(actual, code, output)
        for text in texts:
            self.assertIn(text, output)

    def test_scene_with_two_errors(self) -> None:
        self.write("two.toml", "# expect-exit: 2\n# expect: two.toml:5:1: bad line\n# expect: two.toml:6:1: bad line\n\nbad\nbad\n")
        self.expect(0, "1 passed, 0 failed")

    def test_other_message(self) -> None:
        self.write("one.toml", "# expect-exit: 2\n# expect: one.toml:3:1: good line\nbad\n")
        self.expect(1, "-# expect: one.toml:3:1: good line", "+# expect: one.toml:3:1: bad line", "0 passed, 1 failed")

    def test_message_too_many(self) -> None:
        self.write("one.toml", "# expect-exit: 2\nbad\n")
        self.expect(1, "+# expect: one.toml:2:1: bad line")

    def test_other_exit_code(self) -> None:
        self.write("fine.toml", "# expect-exit: 2\n")
        self.expect(1, "-# expect-exit: 2", "+# expect-exit: 0")

    def test_command_line_without_scene(self) -> None:
        self.write("typo.case", "# command: rum 'a b'\n# expect-exit: 2\n# expect: unknown command 'rum'\n")
        self.expect(0)

    def test_directory(self) -> None:
        self.write("mesh/case", "# expect-exit: 2\n# expect: scene.toml:1:1: bad line\n")
        self.write("mesh/scene.toml", "bad\n")
        self.expect(0)

    def test_before_prepares_the_folder(self) -> None:
        self.write("late.case", "# before: echo bad > made.toml && ! {talus} check made.toml 2> {tmp}/log\n"
                                "# command: check made.toml\n# expect-exit: 2\n# expect: made.toml:1:1: bad line\n")
        self.expect(0)

    def test_before_that_fails(self) -> None:
        self.write("early.case", "# before: echo oops >&2; false\n# command: check made.toml\n# expect-exit: 2\n")
        self.expect(1, "what comes before has failed", "oops")

    def test_memory_of_any_machine(self) -> None:
        self.write("big.case", "# command: big 12.3\n# expect-exit: 2\n# expect: needs about {memory} and this machine has {memory}\n")
        self.expect(0)

    def test_files_left_behind(self) -> None:
        self.write("litter.case", "# command: litter {tmp}/frame.vtp frame.vtp.tmp other\n# expect-exit: 5\n# leaves: oth*\n")
        self.expect(1, "left behind: frame.vtp\n")
        self.assertNotIn("left behind: other", self.run_cases()[1])
        self.write("litter.case", "# command: litter {tmp}/frame.vtp\n# expect-exit: 5\n# leaves: frame.vtp\n")
        self.expect(0)

    def test_crash_and_bug_are_never_expected(self) -> None:
        self.write("crash.case", "# command: crash\n# expect-exit: 2\n")
        self.write("bug.case", "# command: bug\n# expect-exit: 1\n")
        self.expect(1, "signal 11", "cannot be expected", "0 passed, 2 failed")
        before = (self.cases / "crash.case").read_text()
        self.assertEqual(self.run_cases("--update")[0], 1)
        self.assertEqual((self.cases / "crash.case").read_text(), before)

    def test_missing_expectation(self) -> None:
        self.write("none.toml", "")
        self.expect(1, "no '# expect-exit:' line")

    def test_no_cases_is_a_failure(self) -> None:
        self.cases.mkdir()
        self.expect(1, "0 passed, 0 failed")

    def test_update_follows_moving_lines(self) -> None:
        scene = self.write("two.toml", "# command: check {scene}\n# a reason\nbad\nx = 1\nbad\n")
        self.assertEqual(self.run_cases("--update")[0], 0)
        self.assertEqual(scene.read_text(), "# expect-exit: 2\n# expect: two.toml:6:1: bad line\n# expect: two.toml:8:1: bad line\n"
                                            "# command: check {scene}\n# a reason\nbad\nx = 1\nbad\n")
        self.expect(0)

    def test_only_named_cases(self) -> None:
        self.write("one.toml", "# expect-exit: 0\n")
        self.write("two.toml", "# expect-exit: 2\n")
        self.assertEqual(self.run_cases("one"), (0, "1 passed, 0 failed\n"))


if __name__ == "__main__":
    unittest.main()
