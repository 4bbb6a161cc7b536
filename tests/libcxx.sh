#!/usr/bin/env bash
# Builds the library with clang++ and libc++, and runs a training step. Its first loss must be that of the same program with
# g++ and libstdc++. fmt is used as headers, because the distribution's library of it needs libstdc++.
#   tests/libcxx.sh [BUILD_DIR]     BUILD_DIR is build/libc++ unless given
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/libc++}
third_party/install.sh --dev

libraries=(transformer/libregard_transformer.a nn/libregard_nn.a autograd/libregard_autograd.a autograd/libregard_common.a)
loss() {  # COMPILER FLAGS: the first loss
  cmake -S . -B "$build/$1" -DCMAKE_CXX_COMPILER="$1" -DCMAKE_CXX_FLAGS="$2" -DREGARD_GUESTS=none -DREGARD_APPS=OFF \
    -DREGARD_TESTS=OFF -DREGARD_PYTHON=OFF -DREGARD_WERROR=ON >&2
  cmake --build "$build/$1" -j "$(nproc)" --target regard_transformer regard_nn regard_autograd regard_common >&2
  $1 -std=c++20 -O1 $2 -I. apps/examples/train_step.cpp "${libraries[@]/#/$build/$1/}" -lz -fopenmp -o "$build/$1/train_step"
  "$build/$1/train_step" | sed 's/^loss \([0-9.]*\),.*/\1/'
}
with_libcxx=$(loss clang++ "-stdlib=libc++ -DFMT_HEADER_ONLY")
with_libstdcxx=$(loss g++ -DFMT_HEADER_ONLY)
echo "first loss: $with_libcxx with libc++, $with_libstdcxx with libstdc++"
awk -v a="$with_libcxx" -v b="$with_libstdcxx" 'BEGIN { exit a - b > 1e-5 || b - a > 1e-5 || a == "" }' ||
  { echo "libcxx.sh: the first losses differ" >&2; exit 1; }
