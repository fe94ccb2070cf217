#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scene with meshes in millimetres, as bodies and as regions of all kinds, and a height field from a file: its run can be moved, run again, resumed and overwritten.

The folder of the run holds all that the scene names, so the sources are removed before the second run.
"""
import argparse
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from run_directories import QUIET, differences

SCENE = """
time = { end = 0.1, frames_per_second = 40 }
resolution = { grains = 2000 }
[[materials]]
name = "sand"
[[grains]]
material = "sand"
region = { type = "box", min = [0.1, 0.1, 0.15], max = [0.9, 0.9, 0.3] }
[[bodies]]
name = "blade"
position = [0.5, 0.5, 0.31]
motion = { type = "spin", rate = 2.0 }
shape = { type = "mesh", file = "cad/blade.stl", scale = "mm" }
[[bodies]]
name = "ground"
shape = { type = "height_field", file = "ground.csv", spacing = 0.1 }
[[bodies]]
name = "ring"
shape = { type = "difference", from = { type = "torus", radius = 0.2, tube_radius = 0.05, position = [0.5, 0.5, 0.4] },
          minus = [{ type = "mesh", file = "more/blade.stl", scale = 0.001, position = [0.5, 0.5, 0.4] }] }
[[sinks]]
name = "bin"
region = { type = "mesh", file = "bin.stl", scale = "mm", voxel = 0.01, position = [0.2, 0.2, 0] }
[[emitters]]
name = "spout"
material = "sand"
region = { type = "mesh", file = "bin.stl", scale = "mm", voxel = 0.01, position = [0.8, 0.8, 0.1] }
rate = 20
[[forces]]
type = "wind"
velocity = [3, 0, 0]
region = { type = "mesh", file = "bin.stl", scale = "mm", voxel = 0.01, position = [0.5, 0.5, 0.1] }
[[probes]]
name = "corner"
type = "region"
region = { type = "mesh", file = "bin.stl", scale = "mm", voxel = 0.01, position = [0.8, 0.2, 0.1] }
[[stages]]
name = "fall"
until = { mass = { region = { type = "mesh", file = "bin.stl", scale = "mm", voxel = 0.01, position = [0.5, 0.8, 0.1] }, above = 500 }, at_most = 0.05 }
[[stages]]
name = "on"
""".replace(",\n         ", ",")   # TOML wants an inline table in one line

FACES = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)]


def stl(low: tuple[float, float, float], high: tuple[float, float, float]) -> str:
    corners = [(x, y, z) for z in (low[2], high[2]) for y in (low[1], high[1]) for x in (low[0], high[0])]
    facets = ["facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % corners[i] for i in face) + "endloop\nendfacet\n"
              for face in FACES]
    return "solid\n" + "".join(facets) + "endsolid\n"


def write_sources(folder: Path) -> None:
    (folder / "cad").mkdir()
    (folder / "more").mkdir()
    (folder / "cad/blade.stl").write_text(stl((-150, -10, 0), (150, 10, 60)))
    (folder / "more/blade.stl").write_text(stl((-300, -20, -100), (300, 20, 100)))   # another file of that name
    (folder / "bin.stl").write_text(stl((-100, -100, 0), (100, 100, 200)))
    (folder / "ground.csv").write_text("\n".join(
        ",".join(f"{0.05 + 0.03 * math.sin(0.7 * i) * math.cos(0.5 * j):.4f}" for i in range(11)) for j in range(11)))
    (folder / "scene.toml").write_text(SCENE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talus", required=True)
    talus = str(Path(parser.parse_args().talus).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sources(folder)

        def run(*arguments: str) -> str:
            done = subprocess.run([talus, *arguments], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"talus {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
            return done.stdout

        sizes = run("check", "scene.toml")
        assert "body     blade: 0.3 x 0.02 x 0.06 m" in sizes, sizes
        metres = subprocess.run([talus, "check", "scene.toml", "--set", "bodies.blade.shape.scale=1"], cwd=folder, capture_output=True, text=True, check=True)
        assert "body 'blade' measures 300 m, over 100 times the length of the domain" in metres.stderr, metres.stderr
        assert 'write scale = "mm"' in metres.stderr, metres.stderr
        small = subprocess.run([talus, "check", "scene.toml", "--set", "bodies.blade.shape.scale=um"], cwd=folder, capture_output=True, text=True, check=True)
        assert "body 'blade' measures 0.0003 m, less than 1/100 of the length of the domain" in small.stderr, small.stderr
        run("run", "scene.toml", "--out", "first", "--threads", "1", *QUIET)
        names = sorted(path.name for path in (folder / "first/assets").iterdir())
        assert names == ["bin.stl", "blade-2.stl", "blade.stl", "ground.csv"], names
        moving = sorted(path.name for path in (folder / "first/frames").glob("bodies_0*.vtp"))
        assert moving == [f"bodies_{n:06}.vtp" for n in range(5)], moving
        for once in ("bodies_fixed.vtp", "body_blade.vtp", "body_ground.vtp", "body_ring.vtp", "bodies.vtp.series"):
            assert (folder / "first/frames" / once).exists(), once

        shutil.move(folder / "first", folder / "moved")
        for source in ("cad", "more"):
            shutil.rmtree(folder / source)
        (folder / "ground.csv").unlink()
        (folder / "bin.stl").unlink()
        run("run", "moved/scene.toml", "--out", "again", "--threads", "3", *QUIET)
        if found := differences(folder / "moved", folder / "again"):
            sys.exit(f"the run of its own scene.toml differs: {found}")
        run("run", "--resume", "--out", "moved", "--set", "time.end=0.15", *QUIET)
        run("run", "again/scene.toml", "--out", "whole", "--set", "time.end=0.15", *QUIET)
        if found := differences(folder / "moved", folder / "whole"):
            sys.exit(f"the resumed run differs: {found}")

        # Rerun in place with a mesh less: what the run wrote goes, what the user put there stays.
        text = (folder / "again/scene.toml").read_text()
        (folder / "again/assets/mine.stl").write_text("mine")
        (folder / "again/scene.toml").write_text(re.sub(r'\[\[bodies\]\]\nname = "ring"\n(?:.+\n)*', "", text))
        run("run", "again/scene.toml", "--out", "again", "--overwrite", *QUIET)
        names = sorted(path.name for path in (folder / "again/assets").iterdir())
        assert names == ["bin.stl", "blade.stl", "ground.csv", "mine.stl"], names
        assert not (folder / "again/frames/body_ring.vtp").exists()
    print("moved, run again, resumed and overwritten: the same bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
