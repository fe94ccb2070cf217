#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes docs/gallery.md and its pictures: runs built-in scenes with few grains and draws one moment of each, and the picture that opens the
# README: one hourglass by four methods. An hour on 2 cores.
#     tools/gallery.sh            all
#     tools/gallery.sh drum heap  these; the page is written anew from all pictures that are there
#     tools/gallery.sh methods    the four methods alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
talus=${TALUS:-build/release/talus}
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
    "statue|--set time.end=2|"
    "zb05|--set time.end=0.6|"
    "writing||--view top"
    "digging|--set time.end=1.3|"
    "tower|--set time.end=0.35|"
    "treasure|--set time.end=1.2|"
    "anisotropic|--set time.end=0.6|"
)
methods=(elastoplastic nonsmooth dem guided)

# The same hourglass by every method, a row each, at the same moments; the fine grains of guided are five times as many.
four_methods() {
    local method directories=()
    for method in "${methods[@]}"; do
        local grains=30000
        if [[ $method == guided ]]; then grains=150000; fi
        "$talus" run hourglass --method "$method" --set resolution.grains=$grains --set time.end=1.25 --no-preview --quiet --overwrite --out "$runs/$method" >/dev/null
        directories+=("$runs/$method")
    done
    "$talus" compare "${directories[@]}" --times 0.2,0.5,0.8,1.2 --size 230x290 --samples 24 --out "$runs/methods.png" >/dev/null
    ffmpeg -loglevel error -y -i "$runs/methods.png" -q:v 4 docs/images/methods.jpg
}

wanted() { (($# == 1)) || [[ " ${*:2} " == *" $1 "* ]]; }

if wanted methods "$@"; then four_methods; fi
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
