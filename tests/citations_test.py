#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""citations.py finds what is wrong with citations and bibliography, and lets pass what only looks like a citation."""
import tempfile
import unittest
from pathlib import Path

import citations

ENTRY = "@article{%s,\n  author = {A. Author},\n  title = {Of {Sand} and $\\mu(I)$},\n  year = 1999,\n}\n"


class Citations(unittest.TestCase):
    def check(self, source: str, bibliography: str) -> tuple[list[str], list[str]]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("src/dem/law.h", source), ("docs/references.bib", bibliography)):
                path = Path(folder, name)
                path.parent.mkdir(parents=True)
                path.write_text(text)
            return citations.check(Path(folder))

    def bracketed(self, inside: str) -> str:
        return f"// eq. 3 of [{inside}]\n"   # put together here, because this file is searched too

    def test_known_key(self) -> None:
        for inside in ("Author1999", "Author1999, eq. 3", "Author1999 §5.1"):
            self.assertEqual(self.check(self.bracketed(inside), ENTRY % "Author1999"), ([], []))

    def test_unknown_key(self) -> None:
        faults, _ = self.check("\n" + self.bracketed("Nobody2001b"), ENTRY % "Author1999")
        self.assertEqual(faults, ["src/dem/law.h:2: [" + "Nobody2001b] is not in docs/references.bib"])

    def test_each_key_in_a_bracket_counts(self) -> None:
        faults, notes = self.check(self.bracketed("Author1999, Nobody2001; Noone2002"), ENTRY % "Author1999")
        self.assertEqual((len(faults), notes), (2, []))

    def test_what_is_no_citation(self) -> None:
        for text in ("table[Axis2000]", "grid[0][Row1000]", "[kBlock1024]", "[a2000]", "[X1]", "[Author99]", "[see Author1999]", "[&]"):
            self.assertEqual(self.check(text, ENTRY % "Someone1999")[0], [], text)

    def test_duplicate(self) -> None:
        faults, _ = self.check(self.bracketed("Author1999"), 2 * (ENTRY % "Author1999"))
        self.assertEqual(faults, ["docs/references.bib:6: 'Author1999' stands on line 1 too"])

    def test_missing_and_empty_fields(self) -> None:
        bibliography = "@misc{Author1999,\n  title = {},\n  year = 1999\n}\n" + ENTRY % "Other2000"
        faults, _ = self.check(self.bracketed("Author1999") + self.bracketed("Other2000"), bibliography)
        self.assertEqual(faults, ["docs/references.bib:1: 'Author1999' has no author", "docs/references.bib:1: 'Author1999' has no title"])

    def test_key_that_cannot_be_cited(self) -> None:
        faults, _ = self.check("", ENTRY % "author:99")
        self.assertEqual(len(faults), 1)

    def test_unused_key_is_a_note(self) -> None:
        faults, notes = self.check("", ENTRY % "Author1999")
        self.assertEqual((faults, len(notes)), ([], 1))

    def test_missing_bibliography(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(citations.check(Path(folder))[0], ["docs/references.bib does not exist"])


if __name__ == "__main__":
    unittest.main()
