#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that Talus is built with, as far as they are missing.
set -euo pipefail

packages=(
    g++                   # compiler
    cmake                 # build description
    ninja-build           # build
    ccache                # unchanged files are not compiled twice
    pkg-config            # finds the libraries that bring no CMake files
    git                   # history
    libeigen3-dev         # small linear algebra
    libhwy-dev            # SIMD
    libtbb-dev            # threads
    libtomlplusplus-dev   # scene files
    libmuparser-dev       # expressions in scenes
    libcli11-dev          # command line
    libfmt-dev            # text
    nlohmann-json3-dev    # run.json, results.json, schema
    libhdf5-dev           # checkpoints
    zlib1g-dev            # compressed frames, which VTK reads
    libembree-dev         # rays of pictures, nearest triangle of a mesh
    libtinyobjloader-dev  # OBJ meshes
    libtinygltf-dev       # glTF meshes
    libpng-dev            # pictures
    libopenexr-dev        # pictures in linear light
    libfreetype-dev       # letters in pictures
    fonts-dejavu-core     # their font
    gnuplot-nox           # plots of a run
    ffmpeg                # videos
    clang                 # fuzzing (tools/fuzz.sh)
    libgtest-dev          # tests
    libbenchmark-dev      # benchmarks
    python3               # checks of the tree, tests of the program
    python3-numpy         # tests of exported files
)

fail() {
    echo "install-deps: $*" >&2
    exit 1
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    fail "this is not a Debian system; install the equivalents of: ${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
    echo "All ${#packages[@]} packages are there."
    exit 0
fi

as_root=()
if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "run this as root, or install sudo; missing: ${missing[*]}"
    as_root=(sudo)
fi
echo "Installing ${#missing[@]} of ${#packages[@]} packages: ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update --quiet=2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends "${missing[@]}"
