#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of include_graph.py fires on a small bad tree, and none on a good one."""
import tempfile
import unittest
from itertools import permutations
from pathlib import Path

import include_graph

GOOD = {
    "src/core/vec.h": "#include <cmath>\n",
    "src/world/method.h": '#include "core/vec.h"\n#include "geometry/shape.h"\n',
    "src/geometry/shape.h": '#include "core/vec.h"\n',
    "src/mpm/points.h": '#include "world/method.h"\n',
    "src/elastoplastic/step.h": '#include "core/vec.h"\n#include "mpm/points.h"\n',
    "src/scene/reader.cpp": '#include "elastoplastic/step.h"\n#include <toml++/toml.h>\n',
    "src/run/version.h.in": "",
    "src/run/loop.cpp": '#include "run/version.h"\n',
    "src/cli/main.cpp": '#include "scene/reader.h"\n',
    "src/scene/reader.h": "",
}


class IncludeGraph(unittest.TestCase):
    def faults(self, changes: dict[str, str], licence: bool = True) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (GOOD | changes).items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                marked = licence or name not in changes
                path.write_text((f"// {include_graph.SPDX}\n" if marked else "") + text)
            return include_graph.check(Path(folder))

    def expect_one(self, changes: dict[str, str], *parts: str, licence: bool = True) -> None:
        faults = self.faults(changes, licence)
        self.assertEqual(len(faults), 1, faults)
        for part in parts:
            self.assertIn(part, faults[0])

    def test_good_tree_has_no_faults(self) -> None:
        self.assertEqual(self.faults({}), [])

    def test_upward_include(self) -> None:
        self.expect_one({"src/core/up.h": '#include "world/method.h"\n'}, "src/core/up.h:2", "core may not include world")

    def test_method_includes_method(self) -> None:
        self.expect_one({"src/dem/pairs.h": '#include "mpm/points.h"\n'}, "dem may not include mpm")

    def test_method_includes_io(self) -> None:
        self.expect_one({"src/dem/pairs.h": '#include "io/frames.h"\n', "src/io/frames.h": ""}, "dem may not include io")

    def test_table_keeps_methods_apart(self) -> None:
        for method, other in permutations((*include_graph.METHODS, "scene", "io"), 2):
            if method in include_graph.METHODS:
                self.assertNotIn(other, include_graph.allowed(method))

    def test_top_layer_may_include_all(self) -> None:
        self.assertEqual(include_graph.allowed("cli"), set(include_graph.INCLUDES) - {"python"})

    def test_missing_file(self) -> None:
        self.expect_one({"src/world/body.h": '#include "core/vex.h"\n'}, "src/core/vex.h does not exist")

    def test_relative_include(self) -> None:
        self.expect_one({"src/world/body.h": '#include "../core/vec.h"\n'}, "src/world/body.h:2", "from src/")

    def test_include_without_folder(self) -> None:
        self.expect_one({"src/world/body.h": '#include "method.h"\n'}, "from src/")

    def test_heavy_headers_in_a_header(self) -> None:
        for name in ("toml++/toml.h", "CLI/CLI.hpp", "muParser.h", "hdf5.h", "H5Cpp.h", "nlohmann/json.hpp", "tbb/task_arena.h",
                     "oneapi/tbb.h", "oneapi/tbb/task_arena.h", "embree3/rtcore.h", "Eigen/Dense"):
            with self.subTest(name):
                self.expect_one({"src/io/out.h": f"#include <{name}>\n"}, "belongs in a .cpp file")
                self.assertEqual(self.faults({"src/io/out.cpp": f"#include <{name}>\n"}), [])

    def test_cycle(self) -> None:
        self.expect_one({"src/world/a.h": '#include "world/b.h"\n', "src/world/b.h": '#include "world/c.h"\n',
                         "src/world/c.h": '#include "world/a.h"\n'},
                        "src/world/a.h -> src/world/b.h -> src/world/c.h -> src/world/a.h")

    def test_names_that_say_nothing(self) -> None:
        for folder in ("src/world/utils", "tests/common", "tools/helpers", "src/dem/misc"):
            with self.subTest(folder):
                self.expect_one({f"{folder}/x.h": ""}, folder)

    def test_unknown_layer(self) -> None:
        self.expect_one({"src/fluid/a.h": ""}, "src/fluid: no such layer")

    def test_missing_licence(self) -> None:
        self.expect_one({"src/core/bare.h": "#pragma once\n"}, "src/core/bare.h:1", licence=False)
        self.expect_one({"tools/bare.sh": "#!/bin/bash\n"}, "tools/bare.sh:1", licence=False)

    def test_licence_may_follow_the_interpreter(self) -> None:
        script = f"#!/bin/bash\n# {include_graph.SPDX}\n"
        self.assertEqual(self.faults({"tools/fine.sh": script}, licence=False), [])

    def test_drawing_leaves_out_what_longer_ways_stand_for(self) -> None:
        edges = ("cli --> scene", "elastoplastic --> mpm", "geometry --> core", "mpm --> world", "scene --> elastoplastic", "world --> geometry")
        drawn = "\n".join(["```mermaid", "graph TD", *(f"    {edge}" for edge in edges), "```"])
        self.assertEqual(self.faults({include_graph.PAGE: f"# Layers\n{drawn}\n"}), [])
        self.expect_one({include_graph.PAGE: drawn.replace("    mpm --> world\n", "")}, include_graph.PAGE, "--draw")


if __name__ == "__main__":
    unittest.main()
