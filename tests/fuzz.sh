#!/usr/bin/env bash
# Searches with libFuzzer for bytes over which a reader stumbles.
#   tests/fuzz.sh [SECONDS [TARGET ...]]     600 seconds each of settings, vocabulary and
#                                            corpus, and those of guests
# What it finds goes to build/fuzz/found; put it into inputs/TARGET beside TARGET.cpp once the fault is mended.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
shift || true
targets=("$@")
((${#targets[@]})) || targets=($(sed -n 's/^regard_fuzz(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt tests/apps/*/CMakeLists.txt))

third_party/install.sh --dev
cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo -DREGARD_FUZZ=ON \
    -DREGARD_SANITIZE=address,undefined
cmake --build build/fuzz -j "$(nproc)" --target "${targets[@]/#/fuzz_}"
mkdir -p build/fuzz/found
for target in "${targets[@]}"; do
  echo "== $target, $seconds seconds"
  mkdir -p "build/fuzz/corpus/$target"
  "$(find build/fuzz/tests -name "fuzz_$target" -type f)" -max_total_time="$seconds" -max_len=65536 -timeout=10 \
      -print_final_stats=1 -print_funcs=0 -artifact_prefix="build/fuzz/found/$target-" -verbosity=0 \
      "build/fuzz/corpus/$target" "$(find tests -path "*/inputs/$target")"
done
