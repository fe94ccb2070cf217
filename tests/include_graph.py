#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the sources keep to the layers: who may include whom, where heavy headers may stand, how folders are called.

Prints a line per fault and exits 1 if there is one. The drawing of the layers in docs/architecture.md must be that of the sources; --draw puts it there.
"""
import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

METHODS = ("dem", "elastoplastic", "nonsmooth", "upsampling")   # mpm is what two of them share
INCLUDES: dict[str, tuple[str, ...]] = {   # a folder may also include what these include
    "core": (),
    "geometry": ("core",),
    "world": ("geometry",),
    "dem": ("world",),
    "mpm": ("world",),
    "upsampling": ("world",),
    "io": ("world",),
    "elastoplastic": ("mpm",),
    "nonsmooth": ("mpm",),
    "scene": (*METHODS, "io"),
    "run": ("scene", "io"),
    "render": ("io",),
    "study": ("run", "render"),
    "cli": ("study",),
    "python": ("study",),
}
HEAVY = re.compile(r"(toml\+\+/|CLI/|muParser|hdf5|H5|nlohmann/|(oneapi/)?tbb[/.]|embree\d*/|Eigen/|unsupported/Eigen/)")
EMPTY_NAMES = {"utils", "util", "common", "helpers", "helper", "misc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
PAGE = "docs/architecture.md"
SPDX = "SPDX-License-Identifier: Apache-2.0"
CODE_FOLDERS = ("src", "python", "tests", "benchmarks", "examples", "tools", "cmake")
CODE_SUFFIXES = {".h", ".cpp", ".py", ".sh", ".cmake"}


@dataclass(frozen=True)
class Include:
    source: Path    # relative to the root, as all paths here
    line: int
    name: str       # as written
    quoted: bool

    @property
    def place(self) -> str:
        return f"{self.source}:{self.line}"


def allowed(layer: str) -> set[str]:
    """The layer itself and all that it may include."""
    return {layer}.union(*(allowed(below) for below in INCLUDES[layer]))


def layer_of(source: Path) -> str:
    return source.parts[1] if source.parts[0] == "src" else source.parts[0]


def sources(root: Path) -> list[Path]:
    return sorted(path.relative_to(root) for folder in ("src", "python") for path in (root / folder).rglob("*")
                  if path.suffix in {".h", ".cpp"})


def includes(root: Path, source: Path) -> Iterator[Include]:
    for number, line in enumerate((root / source).read_text(encoding="utf-8").splitlines(), start=1):
        if match := INCLUDE.match(line):
            yield Include(source, number, match[1] or match[2], quoted=match[1] is not None)


def check_include(root: Path, include: Include) -> Iterator[str]:
    if not include.quoted:
        if include.source.suffix == ".h" and HEAVY.match(include.name):
            yield f"{include.place}: <{include.name}> is heavy and belongs in a .cpp file"
        return
    parts = Path(include.name).parts
    if "." in parts or ".." in parts or len(parts) < 2:
        yield f"{include.place}: write \"{include.name}\" from src/, as \"folder/file.h\""
        return
    # A header may be configured from FILE.in at build time.
    if not any((root / "src" / name).is_file() for name in (include.name, include.name + ".in")):
        yield f"{include.place}: src/{include.name} does not exist"
    layer = layer_of(include.source)
    if layer in INCLUDES and parts[0] not in allowed(layer):
        yield f"{include.place}: {layer} may not include {parts[0]} (only {', '.join(sorted(allowed(layer)))})"


def check_folders(root: Path) -> Iterator[str]:
    for folder in sorted((root / "src").iterdir()):
        if folder.is_dir() and folder.name not in INCLUDES:
            yield f"src/{folder.name}: no such layer; a new one needs its row in tests/include_graph.py"
    for top in CODE_FOLDERS:
        for path in sorted((root / top).rglob("*")):
            if path.is_dir() and path.name.lower() in EMPTY_NAMES:
                yield f"{path.relative_to(root)}: a folder says what is in it; '{path.name}' does not"


def check_licences(root: Path) -> Iterator[str]:
    for top in CODE_FOLDERS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in CODE_SUFFIXES or path.name == "CMakeLists.txt":
                opening = path.read_text(encoding="utf-8").splitlines()[:2]   # a script starts with its interpreter
                if not any(SPDX in line for line in opening):
                    yield f"{path.relative_to(root)}:1: the first line should be '{SPDX}' in a comment"


def check_cycles(graph: dict[Path, list[Path]]) -> Iterator[str]:
    done: set[Path] = set()
    trail: list[Path] = []

    def visit(source: Path) -> Iterator[str]:
        if source in trail:
            cycle = [*trail[trail.index(source):], source]
            yield f"{source}: includes itself: {' -> '.join(str(path) for path in cycle)}"
        elif source not in done:
            trail.append(source)
            for target in graph.get(source, []):
                yield from visit(target)
            done.add(trail.pop())

    for source in sorted(graph):
        yield from visit(source)


def check(root: Path) -> list[str]:
    faults: list[str] = []
    graph: dict[Path, list[Path]] = defaultdict(list)
    for source in sources(root):
        for include in includes(root, source):
            faults += check_include(root, include)
            if include.quoted:
                graph[source].append(Path("src", include.name))
    faults += check_cycles(dict(graph))
    return [*faults, *check_folders(root), *check_licences(root), *([] if faults else check_drawing(root))]


def drawing(root: Path) -> str:
    """The folders as they include each other, for Mermaid; an edge that longer ways stand for is left out."""
    below: dict[str, set[str]] = defaultdict(set)
    for source in sources(root):
        below[layer_of(source)].update(parts[0] for include in includes(root, source) if include.quoted and len(parts := Path(include.name).parts) > 1)
    direct = {layer: targets - {layer} for layer, targets in below.items()}

    def reached(layer: str) -> set[str]:
        return direct.get(layer, set()).union(*(reached(target) for target in direct.get(layer, set())))

    edges = [f"    {layer} --> {target}" for layer, targets in sorted(direct.items())
             for target in sorted(targets - set().union(*(reached(other) for other in targets)))]
    return "\n".join(["```mermaid", "graph TD", *edges, "```"])


def check_drawing(root: Path) -> Iterator[str]:
    page = root / PAGE
    if page.is_file() and drawing(root) not in page.read_text(encoding="utf-8"):
        yield f"{PAGE}: the drawing of the layers is not that of the sources; tests/include_graph.py --draw puts it there"


def draw(root: Path) -> None:
    page = root / PAGE
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"```mermaid.*?```", lambda _: drawing(root), text, count=1, flags=re.DOTALL), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="of the repository")
    parser.add_argument("--draw", action="store_true", help=f"put the drawing into {PAGE}")
    arguments = parser.parse_args()
    if arguments.draw:
        draw(arguments.root)
    faults = check(arguments.root)
    for fault in faults:
        print(fault)
    print(f"include graph: {len(sources(arguments.root))} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
