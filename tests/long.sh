#!/usr/bin/env bash
# All tests in every build and on every instruction set, then the fuzzers. This takes hours.
#   tests/long.sh
# Run it before a release, after an update of a compiler or of OpenBLAS, and after a change of kernels, of memory, of
# threads, or of the files in which a training is saved. .ci/run does a part of it for every change.
set -euo pipefail
cd "$(dirname "$0")/.."
third_party/install.sh --dev

echo "== all tests with g++, each file compiled by itself"
tests/run.sh build/long -DCMAKE_UNITY_BUILD=OFF -DREGARD_WERROR=ON

for instruction_set in baseline avx2 avx512; do
  echo "== all tests on $instruction_set"
  if REGARD_SIMD=$instruction_set build/long/apps/regard/regard --version >/dev/null; then
    REGARD_SIMD=$instruction_set ctest --test-dir build/long --output-on-failure
  else
    echo "this processor does not have it"
  fi
done

echo "== all tests with the OpenMP flavour of OpenBLAS"
library=$(find /usr/lib -path '*openblas-openmp/libopenblas.so.0' -print -quit)
[[ -n "$library" ]] || { echo "the OpenMP flavour of OpenBLAS is not installed" >&2; exit 1; }
LD_LIBRARY_PATH=$(dirname "$library") ctest --test-dir build/long --output-on-failure

echo "== all tests under AddressSanitizer and UBSan"
tests/run.sh build/long-sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DREGARD_SANITIZE=address,undefined \
  -DREGARD_WERROR=ON

echo "== all tests with clang++, optimised"
tests/run.sh build/long-clang -DCMAKE_CXX_COMPILER=clang++ -DREGARD_WERROR=ON

echo "== the engine, the layers and the models without OpenBLAS and OpenMP"
for options in "-DREGARD_OPENBLAS=OFF" "-DREGARD_OPENMP=OFF" "-DREGARD_OPENBLAS=OFF -DREGARD_OPENMP=OFF"; do
  cmake -S . -B build/long-door -DREGARD_WERROR=ON -DREGARD_OPENBLAS=ON -DREGARD_OPENMP=ON $options
  cmake --build build/long-door -j "$(nproc)"
  ctest --test-dir build/long-door --output-on-failure -R '^(autograd|nn|transformer)_.*tests'
done

echo "== a training step with clang++ and libc++"
tests/libcxx.sh build/long-libc++

echo "== a training step in node"
tests/node.sh build/long-node

echo "== without each room, and without all of them"
tests/without.sh all
tests/without.sh spine

echo "== all experiments, each for a few steps"
build/long/apps/regard/regard experiment all --quick --out build/long/experiments >build/long/experiments.log

echo "== the Python package as pip builds it"
python3 -m venv build/long-python
build/long-python/bin/pip install -q './apps/python[tests]'
build/long-python/bin/python tests/apps/python/run.py \
  "$(build/long-python/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')" build/long/apps/regard/regard

echo "== a training killed 24 times, a hundred times over"
for ((i = 0; i < 100; ++i)); do
  build/long/tests/program_tests "[kills]" >build/long/kills.log || { cat build/long/kills.log; exit 1; }
done

echo "== fuzzers, ten minutes each"
tests/fuzz.sh
