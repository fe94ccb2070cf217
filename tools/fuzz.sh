#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets (clang, libFuzzer, ASan, UBSan) and runs each for a while.
#   tools/fuzz.sh [SECONDS [TARGET...]]     default: 600 s for every target; 0 only replays the corpus
# New inputs stay in build/fuzz/corpus/TARGET, findings in build/fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-600}
shift || true
cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz --target fuzzers
targets=("$@")
if ((${#targets[@]} == 0)); then
    for program in build/fuzz/tests/fuzz/fuzz_*; do
        [[ -x $program && ! -d $program ]] && targets+=("${program##*/fuzz_}")
    done
fi
mkdir -p build/fuzz/findings
for target in "${targets[@]}"; do
    program=build/fuzz/tests/fuzz/fuzz_$target
    seeds=tests/fuzz/corpus/$target
    [[ $target == scene ]] && seeds="$seeds tests/bad"   # not scenes/: volumes of lathes are slow under the sanitizers
    grown=build/fuzz/corpus/$target
    mkdir -p "$grown"
    options=(-timeout=100 -rss_limit_mb=4096 -max_len=16384 -artifact_prefix="build/fuzz/findings/$target-" -print_final_stats=1)
    [[ $target == scene ]] && options+=("-dict=tests/fuzz/scene.dict")
    echo "== $target: $seconds s"
    if ((seconds > 0)); then
        # shellcheck disable=SC2086   # several folders
        "$program" "${options[@]}" -max_total_time="$seconds" "$grown" $seeds 2>"build/fuzz/$target.log" || { tail -30 "build/fuzz/$target.log"; exit 1; }
        tail -12 "build/fuzz/$target.log" | grep -E "Done|stat::number_of_executed|cov:" || true
    else
        # shellcheck disable=SC2086
        "$program" "${options[@]}" -runs=0 "$grown" $seeds 2>"build/fuzz/$target.log" || { tail -30 "build/fuzz/$target.log"; exit 1; }
    fi
done
