#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes docs/gallery.md and its pictures: runs built-in scenes with few grains and draws one moment of each. Half an hour on 2 cores.
#     tools/gallery.sh            all
#     tools/gallery.sh drum heap  these; the page is written anew from all pictures that are there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
talus=build/release/talus
runs=build/gallery
pictures=docs/images/gallery
mkdir -p "$runs" "$pictures"

# scene | options of talus run | options of talus render
entries=(
    "hourglass|--set resolution.grains=40000 --set time.end=1|"
    "column|--set resolution.grains=30000 --set elastoplastic.start=poisson|--view iso"
    "heap|--set resolution.size=\"=foot/14\"|"
    "silo|--set time.end=1.4|--clip y>0"
    "drum|--set resolution.size=\"=radius/14\" --set time.end=3|"
    "chute|--set resolution.grains=15000|"
    "gate|--set time.end=2|"
    "wheel|--set resolution.grains=40000|"
    "crater|--set resolution.grains=60000|--clip y>0"
    "splash|--set resolution.grains=60000 --set time.end=0.12|"
    "castle|--set resolution.grains=60000 --set time.end=0.3|"
    "notch|--set resolution.grains=60000|"
    "bounce||"
    "butterfly|--set resolution.grains=60000|--view top"
    "rake|--set resolution.grains=60000|"
    "shovel|--set resolution.grains=60000|"
    "avalanche|--set time.end=1.4|"
    "ball_drop|--set time.end=0.6|"
    "bulldozer||"
    "conveyor|--set time.end=4|"
    "rings||"
    "pile|--set time.end=0.8|"
    "rocket|--set time.end=0.4|"
    "popcorn|--set time.end=1.2|"
)

wanted() { (($# == 1)) || [[ " ${*:2} " == *" $1 "* ]]; }

for entry in "${entries[@]}"; do
    IFS='|' read -r scene run render <<<"$entry"
    if ! wanted "$scene" "$@"; then continue; fi
    echo "== $scene"
    eval "$talus run $scene $run --no-preview --quiet --overwrite --out $runs/$scene" >/dev/null
    eval "$talus render $runs/$scene --size 480x360 --samples 24 --quiet --out $runs/$scene.png ${render//>/\\>}" >/dev/null
    ffmpeg -loglevel error -y -i "$runs/$scene.png" -q:v 3 "$pictures/$scene.jpg"
done

{
    echo "# Gallery"
    echo
    echo "Built-in scenes, each with the command that ran it. Made by \`tools/gallery.sh\`."
    for entry in "${entries[@]}"; do
        IFS='|' read -r scene run render <<<"$entry"
        [[ -f $pictures/$scene.jpg ]] || continue
        echo
        echo "## $scene"
        echo
        sed -n '1s/^# *//p' "scenes/$scene.toml"
        echo
        echo "![$scene](images/gallery/$scene.jpg)"
        echo
        echo '```sh'
        echo "talus run $scene${run:+ $run}"
        echo '```'
    done
} >docs/gallery.md
