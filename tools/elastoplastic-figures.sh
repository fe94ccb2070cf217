#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/methods/elastoplastic.md, after figures 10, 14 and 17 of [Klar2016]. A few minutes on 2 cores; needs gnuplot and ffmpeg.
#     tools/elastoplastic-figures.sh                all
#     tools/elastoplastic-figures.sh jiggle noise   these: noise, jiggle, cases
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
talus=${TALUS:-build/release/talus}
runs=build/elastoplastic-figures
pictures=docs/images/elastoplastic
mkdir -p "$runs" "$pictures"

wanted() { (($# == 1)) || [[ " ${*:2} " == *" $1 "* ]]; }
run() { "$talus" run "$@" --no-preview --quiet --overwrite >/dev/null; }
# plot NAME COMMANDS: docs/images/elastoplastic/NAME.png
plot() {
    gnuplot <<<"set terminal pngcairo size 640,320 font 'sans,10'; set output '$pictures/$1.png'; set datafile separator ','; set grid lc rgb '#dddddd'; set border lc rgb '#555555'
$2"
}
# stack FILE PICTURE…: one above the other, as a JPEG.
stack() {
    local out=$1 inputs=()
    shift
    for picture in "$@"; do inputs+=(-i "$picture"); done
    ffmpeg -loglevel error -y "${inputs[@]}" -filter_complex "vstack=inputs=$#" -q:v 4 "$out"
}

# slab_of_sand HALF_LENGTH HEIGHT END FRAMES_PER_SECOND: the scene of a two-dimensional case on a rough floor, without its grains.
slab_of_sand() {
    cat <<SCENE
method = "elastoplastic"
resolution = { size = "5 mm" }
[time]
end = $3
frames_per_second = $4
[domain]
min = [-$1, 0, 0]
max = [$1, 0, $2]
slab = "y"
x = "open"
z_min = { type = "wall", material = "rough" }
z_max = "open"
[[materials]]
name = "sand"
density = 2600
packing_fraction = 0.6
friction_angle_deg = 30
[[materials]]
name = "rough"
[[contacts]]
between = ["sand", "rough"]
friction = 1
SCENE
}

# Figure 17: sand is poured in two dimensions, and what its points keep of their velocity differs. Speeds half a second after the last
# of it left the spout, and the kinetic energy until then.
noise() {
    slab_of_sand 0.25 0.2 1.5 48 >"$runs/pour.toml"
    cat >>"$runs/pour.toml" <<'SCENE'
[[emitters]]
name = "spout"
material = "sand"
region = { type = "box", min = [-0.02, -1, 0.13], max = [0.02, 1, 0.15] }
velocity = [0, 0, -0.5]
rate_per_metre = 16
end = 1
[elastoplastic]
youngs_modulus = "100 kPa"
[camera]
view = "front"
SCENE
    local panels=()
    for transfer in pic apic aflip flip; do
        run "$runs/pour.toml" --set "elastoplastic.transfer=$transfer" --out "$runs/noise-$transfer"
        if [[ $transfer == pic ]]; then continue; fi
        "$talus" render "$runs/noise-$transfer" --out "$runs/noise-$transfer.png" --size 640x160 --samples 16 --colour-by velocity --map inferno --range 0:0.05 --camera 0,-3,0.04 --target 0,0,0.04 --fov 2 --background white --quiet >/dev/null
        panels+=("$runs/noise-$transfer.png")
    done
    stack "$pictures/noise.jpg" "${panels[@]}"
    plot noise_energy "set logscale y; set format y '10^{%T}'; set xlabel 'time [s]'; set ylabel 'kinetic energy [J]'; set key left bottom
        plot for [t in 'pic apic aflip flip'] '$runs/noise-'.t.'/series.csv' using 'time_s':'kinetic_energy_J' with lines lw 2 title t"
}

# Figure 10: how high the middle of a block is that drops on a floor, for four stiffnesses.
jiggle() {
    local stiffness
    for stiffness in "1 kPa" "10 kPa" "100 kPa" "1 MPa"; do
        run bounce --set "stiffness=$stiffness" --set "resolution.size==width/24" --out "$runs/jiggle-${stiffness// /-}"
    done
    plot jiggle "set xlabel 'time [s]'; set ylabel 'height of the middle [m]'; set key right top; set yrange [0:0.35]
        plot for [e in '1-kPa 10-kPa 100-kPa 1-MPa'] '$runs/jiggle-'.e.'/probes/middle.csv' using 'time_s':'position_z_mean_m' with lines lw 2 title e[1:strstrt(e, '-') - 1].' '.e[strstrt(e, '-') + 1:*]"
}

# Figure 14: a column collapses, its points coloured by the case of the return map, and where they lie in the plane of pressure and shear stress.
# Without bulk viscosity, which adds to the pressure and not to the strain that the return map judges.
cases() {
    slab_of_sand 0.4 0.26 0.2 20 >"$runs/cases.toml"
    cat >>"$runs/cases.toml" <<'SCENE'
[[grains]]
material = "sand"
region = { type = "box", min = [-0.1, -1, 0], max = [0.1, 1, 0.2] }
[elastoplastic]
bulk_viscosity = 0
k0 = 0.5
[output]
fields = ["id", "position", "velocity", "radius", "pressure", "shear_stress", "plastic_case"]
[camera]
view = "front"
SCENE
    run "$runs/cases.toml" --out "$runs/cases"
    "$talus" render "$runs/cases" --out "$runs/cases.png" --size 640x240 --samples 16 --colour-by plastic_case --camera 0,-3,0.09 --target 0,0,0.09 --fov 4.2 --background white --quiet >/dev/null
    ffmpeg -loglevel error -y -i "$runs/cases.png" -q:v 4 "$pictures/cases.jpg"
    "$talus" export "$runs/cases" --to csv --frames 4:4 --fields pressure,shear_stress,plastic_case --out "$runs/cases/export" >/dev/null
    plot cases_stress "set xlabel 'pressure [Pa]'; set ylabel 'square root of J_2 [Pa]'; set key left top; set xrange [-100:3000]; set yrange [-50:1800]
        file = system('ls $runs/cases/export/*.csv')
        of(c) = column('plastic_case') == c ? column('pressure') : NaN
        plot tan(pi/6)*x with lines lw 1.5 lc rgb 'black' title 'cone', \
            file using (of(1)):'shear_stress' with points pt 7 ps 0.35 lc rgb '#3a9d4b' title 'I, elastic', \
            file using (of(3)):'shear_stress' with points pt 7 ps 0.35 lc rgb '#2f66b3' title 'III, sliding', \
            file using (of(2)):'shear_stress' with points pt 7 ps 0.9 lc rgb '#c8352b' title 'II, parted'"
}

for figure in noise jiggle cases; do
    if wanted "$figure" "$@"; then
        echo "== $figure"
        "$figure"
    fi
done
ls -l "$pictures"
