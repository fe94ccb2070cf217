#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, runs the tests. Exit code 0: all passed; 1: something failed; 2: bad usage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<END
Usage: tools/test.sh [--sanitize] [--long]
    --sanitize   also with ASan and UBSan, and with TSan
    --long       also the long studies
END
}

presets=(release)
labels=(--label-exclude '^long$')
for argument in "$@"; do
    case $argument in
        --sanitize) presets=(release asan tsan) ;;
        --long) labels=() ;;
        -h | --help) usage; exit 0 ;;
        *) echo "test.sh: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
    esac
done

# TSan of GCC 12 cannot place its shadow memory under the address randomisation of newer kernels.
fixed_addresses=()
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp"

run_preset() {
    local launcher=()
    if [[ $1 == tsan ]]; then launcher=("${fixed_addresses[@]}"); fi
    echo "== $1: build"
    cmake --preset "$1" --log-level=WARNING && "${launcher[@]}" cmake --build --preset "$1" || return 1
    echo "== $1: tests"
    "${launcher[@]}" ctest --test-dir "build/$1" --output-on-failure --parallel 2 "${labels[@]}"
}

tools/install-deps.sh
failed=()
for preset in "${presets[@]}"; do
    run_preset "$preset" || failed+=("$preset")
done

if ((${#failed[@]} > 0)); then
    echo "FAILED: ${failed[*]}"
    exit 1
fi
echo "All passed: ${presets[*]}"
