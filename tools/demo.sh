#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to sand in an hourglass: installs what is missing, builds, runs, says where to look.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

talus=build/release/talus
out=demo-hourglass

tools/install-deps.sh
echo "Building Talus (a few minutes the first time)."
cmake --preset release --log-level=WARNING
cmake --build --preset release --target talus

overwrite=()
if [[ -e $out ]]; then
    echo "$out is there from an earlier demo and will be overwritten."
    overwrite=(--overwrite)
fi
echo "Running the built-in scene 'hourglass' (up to 3 minutes on 2 cores)."
"$talus" run hourglass --out "$out" "${overwrite[@]}" >/dev/null

cat <<END

The hourglass has run. Everything it wrote is in $out/:
    preview.png   six moments of it; poster.png is the last one, plots.png the curves
    frames/       the grains at each moment; open frames/grains.vtp.series in ParaView
    series.csv    mass, energies and speeds over time, a row per frame
    run.json      what was run, how long it took, and where the time went
    scene.toml    the scene with every default written out; it can be run again

What to try next:
END
try() { printf '    %-66s %s\n' "$talus $1" "$2"; }
try "info $out" "a summary of this run"
try "render $out --video $out.mp4" "a film of it (needs ffmpeg)"
try "export $out --to csv" "its grains as tables (also: ply, npz)"
try "run column --variant smoke" "a collapsing column, in seconds"
try "scenes" "all built-in scenes"
try "new mine" "a scene of your own, mine.toml, to edit and run"
