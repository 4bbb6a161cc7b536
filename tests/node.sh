#!/usr/bin/env bash
# Builds the library with emscripten on a Debian, for WebAssembly without OpenBLAS and OpenMP, and runs a training step
# in node. Its first loss must be that of the same program on this machine.
#   tests/node.sh [BUILD_DIR]     BUILD_DIR is build/node unless given
# fmt, nlohmann/json and zlib are built from Debian's sources, below BUILD_DIR.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/node}"/sources
build=$(realpath "${1:-build/node}")
prefix=$build/prefix

third_party/install.sh --node

# apt in a world of its own, which knows sources.
cd "$build/sources"
if [[ ! -e "$build/complete" ]]; then
  mkdir -p apt/lists/partial
  echo "deb-src http://deb.debian.org/debian $(. /etc/os-release && echo "$VERSION_CODENAME") main" >apt/sources.list
  apt_get=(apt-get -qq -o Dir::State="$PWD/apt" -o Dir::Cache="$PWD/apt" -o Dir::Etc::sourcelist="$PWD/apt/sources.list"
           -o Dir::Etc::sourceparts=- -o APT::Sandbox::User="$(id -un)")
  "${apt_get[@]}" update
  "${apt_get[@]}" source --download-only fmtlib nlohmann-json3 zlib
  for archive in *.orig.tar.*; do tar xf "$archive"; done
  for source in fmtlib-* json-*; do
    emcmake cmake -S "$source" -B "build-$source" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_CXX_FLAGS=-fexceptions -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DFMT_TEST=OFF -DFMT_DOC=OFF -DJSON_BuildTests=OFF
    cmake --build "build-$source" -j "$(nproc)" --target install
  done
  (cd zlib-* && emconfigure ./configure --static --prefix="$prefix" && emmake make libz.a install)
  touch "$build/complete"
fi
cd - >/dev/null

options=(-DREGARD_OPENBLAS=OFF -DREGARD_OPENMP=OFF -DREGARD_GUESTS=none -DREGARD_APPS=OFF -DREGARD_TESTS=OFF
         -DREGARD_PYTHON=OFF)
emcmake cmake -S . -B "$build" "${options[@]}" -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_CXX_FLAGS="-msimd128 -fexceptions"
cmake -S . -B "$build/native" "${options[@]}"
libraries=(transformer/libregard_transformer.a nn/libregard_nn.a autograd/libregard_autograd.a autograd/libregard_common.a)
for folder in "$build" "$build/native"; do
  cmake --build "$folder" -j "$(nproc)" --target regard_transformer regard_nn regard_autograd regard_common
done
em++ -std=c++20 -O1 -msimd128 -fexceptions -sSINGLE_FILE -sALLOW_MEMORY_GROWTH -I. -I"$prefix/include" \
  apps/examples/train_step.cpp "${libraries[@]/#/$build/}" "$prefix"/lib/lib{fmt,z}.a -o "$build/train_step.js"
g++ -std=c++20 -O1 -I. apps/examples/train_step.cpp "${libraries[@]/#/$build/native/}" -lfmt -lz -o "$build/train_step"
node "$build/train_step.js" | tee "$build/losses"
"$build/train_step" | tee -a "$build/losses"
awk -F '[ ,]+' '{ difference = $2 - loss; loss = $2 } END { exit NR != 2 || difference > 1e-5 || difference < -1e-5 }' \
  "$build/losses" || { echo "node.sh: the first losses differ" >&2; exit 1; }
