#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Feeds every reader of foreign files with damaged ones: tools/fuzz.sh [seconds for each, default 60].
# Needs clang (apt-get install clang libclang-rt-14-dev). Findings are left in build/fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}

cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz --parallel 2
mkdir -p build/fuzz/findings
failed=()
for source in tests/fuzz/*.cpp; do
    name=$(basename "$source" .cpp)
    mkdir -p "build/fuzz/corpus/$name"   # grows; the seeds stay as they are
    echo "== $name, $seconds s"
    build/fuzz/tests/fuzz/fuzz_"$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -verbosity=0 -print_funcs=0 \
        -artifact_prefix="build/fuzz/findings/$name-" "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" || failed+=("$name")
done
if ((${#failed[@]} > 0)); then
    echo "fuzz: findings in ${failed[*]}; see build/fuzz/findings" >&2
    exit 1
fi
echo "No findings."
