#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""On a terminal a run draws a bar that ends with its line, coloured unless NO_COLOR is set; elsewhere it prints plain lines."""
import os
import pty
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TALUS = Path(sys.argv.pop(1)).resolve()
BAR_BEGINS, COLOUR = "\r\x1b[K[", "\x1b[33m"


class ProgressOfARun(unittest.TestCase):
    def on_terminal(self, **changes: str) -> str:
        """What a run writes to stderr where that is a terminal."""
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | changes
        try:
            reader, terminal = pty.openpty()
        except OSError as error:   # a container without /dev/pts
            self.skipTest(str(error))
        with tempfile.TemporaryDirectory() as folder:
            command = [str(TALUS), "run", "column", "--variant", "smoke", "--set", "time.end=0.3", "--no-preview", "--out", f"{folder}/out"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal, env=environment)
            os.close(terminal)
            pieces = []
            try:
                while piece := os.read(reader, 65536):
                    pieces.append(piece)
            except OSError:   # how a terminal says that its other side is closed
                pass
            os.close(reader)
            self.assertEqual(process.wait(), 0)
        return b"".join(pieces).decode().replace("\r\n", "\n")

    def test_bar(self) -> None:
        text = self.on_terminal()
        bar, *rest = text.split("\n")
        drawn = bar.split(BAR_BEGINS)
        self.assertGreater(len(drawn), 2, text)   # at least where it begins and where it ends, however quick the run is
        self.assertTrue(all(piece.startswith(COLOUR) for piece in drawn[1:]), text)
        for part in ("frame 0/15", " 0/0.3 s", " grains"):
            self.assertIn(part, drawn[1])
        for part in ("frame 15/15", "0.3/0.3 s", " grains", "grain-steps/s", "ETA 0:00"):
            self.assertIn(part, drawn[-1])
        self.assertEqual(rest[:2], ["done", "where the time went"])

    def test_no_colour(self) -> None:
        text = self.on_terminal(NO_COLOR="1")
        self.assertGreater(text.count(BAR_BEGINS), 1)
        self.assertNotIn("\x1b[3", text)
        self.assertNotIn("\x1b[0m", text)

    def test_plain_lines(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = [str(TALUS), "run", "column", "--variant", "smoke", "--set", "time.end=0.3", "-v", "--no-preview", "--out", f"{folder}/out"]
            text = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True).stderr
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\r", text)
        self.assertTrue(text.startswith("frame ") or text.startswith("done\n"), text)


if __name__ == "__main__":
    unittest.main()
