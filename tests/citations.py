#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every citation (a key, Author1999, opening a bracket) has its entry in docs/references.bib.

Also that each entry is whole and stands there once. Keys that nobody cites are named, but are no fault.
"""
import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BIBLIOGRAPHY = Path("docs/references.bib")
FOLDERS = ("src", "python", "tests", "docs", "scenes", "benchmarks", "examples", "tools")
SUFFIXES = {".h", ".cpp", ".py", ".sh", ".md", ".toml", ".cmake", ".txt"}
REQUIRED_FIELDS = ("author", "title", "year")
KEY = re.compile(r"\b[A-Z][A-Za-z]+[12][0-9]{3}[a-z]?\b")
# Brackets that open with a key; not those of an index, which follow a name or another bracket.
CITATION = re.compile(rf"(?<![\w\])])\[({KEY.pattern}[^\[\]]*)\]")
ENTRY = re.compile(r"^@(\w+)\s*\{\s*([^,\s]+)\s*,", re.MULTILINE)
FIELD = re.compile(r"^\s*(\w+)\s*=\s*(?:\{(.*)\}|\"(.*)\"|(\w+))\s*,?\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    key: str
    line: int
    fields: dict[str, str]


@dataclass(frozen=True)
class Citation:
    key: str
    place: str   # file:line


def read_bibliography(text: str) -> list[Entry]:
    """Entries with one field per line, as docs/references.bib is written."""
    starts = [*ENTRY.finditer(text)]
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return [Entry(start[2], text.count("\n", 0, start.start()) + 1,
                  {name.lower(): (braced or quoted or bare).strip()
                   for name, braced, quoted, bare in FIELD.findall(text[start.end():end])})
            for start, end in zip(starts, ends)]


def citations(root: Path) -> Iterator[Citation]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                    for inside in CITATION.findall(line):
                        for key in KEY.findall(inside):
                            yield Citation(key, f"{path.relative_to(root)}:{number}")


def check(root: Path) -> tuple[list[str], list[str]]:
    """(faults, notes)"""
    path = root / BIBLIOGRAPHY
    if not path.is_file():
        return [f"{BIBLIOGRAPHY} does not exist"], []
    faults: list[str] = []
    lines: dict[str, int] = {}
    for entry in read_bibliography(path.read_text(encoding="utf-8")):
        place = f"{BIBLIOGRAPHY}:{entry.line}"
        if entry.key in lines:
            faults.append(f"{place}: '{entry.key}' stands on line {lines[entry.key]} too")
        lines.setdefault(entry.key, entry.line)
        if not KEY.fullmatch(entry.key):
            faults.append(f"{place}: '{entry.key}' cannot be cited; a key is a name and a year, as Author1999")
        faults += [f"{place}: '{entry.key}' has no {field}" for field in REQUIRED_FIELDS if not entry.fields.get(field)]
    cited = list(citations(root))
    faults += [f"{citation.place}: [{citation.key}] is not in {BIBLIOGRAPHY}" for citation in cited if citation.key not in lines]
    unused = sorted(set(lines) - {citation.key for citation in cited})
    notes = [f"{BIBLIOGRAPHY}:{lines[key]}: note: nobody cites '{key}'" for key in unused]
    return faults, notes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="of the repository")
    faults, notes = check(parser.parse_args().root)
    for line in (*notes, *faults):
        print(line)
    print(f"citations: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
