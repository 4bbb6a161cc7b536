#!/usr/bin/env bash
# Builds the library with emscripten on a Debian, for WebAssembly without OpenBLAS and OpenMP, and runs a training step
# in node. Its first loss must be that of the same program on this machine.
#   tests/node.sh [BUILD_DIR]     BUILD_DIR is build/node unless given
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/node}"
build=$(realpath "${1:-build/node}")
source third_party/wasm.sh "$build"

options=(-DREGARD_OPENBLAS=OFF -DREGARD_OPENMP=OFF -DREGARD_GUESTS=none -DREGARD_APPS=OFF -DREGARD_TESTS=OFF
         -DREGARD_PYTHON=OFF)
emcmake cmake -S . -B "$build" "${options[@]}" -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_CXX_FLAGS="$wasm_flags"
cmake -S . -B "$build/native" "${options[@]}"
libraries=(transformer/libregard_transformer.a nn/libregard_nn.a autograd/libregard_autograd.a autograd/libregard_common.a)
for folder in "$build" "$build/native"; do
  cmake --build "$folder" -j "$(nproc)" --target regard_transformer regard_nn regard_autograd regard_common
done
em++ -std=c++20 -O1 $wasm_flags -sSINGLE_FILE -sALLOW_MEMORY_GROWTH -I. -I"$prefix/include" \
  apps/examples/train_step.cpp "${libraries[@]/#/$build/}" "$prefix"/lib/lib{fmt,z}.a -o "$build/train_step.js"
g++ -std=c++20 -O1 -I. apps/examples/train_step.cpp "${libraries[@]/#/$build/native/}" -lfmt -lz -o "$build/train_step"
node "$build/train_step.js" | tee "$build/losses"
"$build/train_step" | tee -a "$build/losses"
awk -F '[ ,]+' '{ difference = $2 - loss; loss = $2 } END { exit NR != 2 || difference > 1e-5 || difference < -1e-5 }' \
  "$build/losses" || { echo "node.sh: the first losses differ" >&2; exit 1; }
