#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes docs/scene-reference.md anew from the keys that the program knows.
set -eu
cd "$(dirname "$0")/.."
cmake --preset release > /dev/null
cmake --build build/release --target unit_scene
TALUS_UPDATE_REFERENCE=1 build/release/tests/unit_scene --gtest_filter=Reference.PageInTheManualIsCurrent
