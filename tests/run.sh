#!/usr/bin/env bash
# Installs what is missing, builds, runs all tests.
#   tests/run.sh [BUILD_DIR [CMAKE_OPTION ...]]     BUILD_DIR is build/ unless given
# A new BUILD_DIR compiles several files as one (CMAKE_UNITY_BUILD). An old one keeps its setting.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true

third_party/install.sh
[[ -e "$build/CMakeCache.txt" ]] || set -- -DCMAKE_UNITY_BUILD=ON "$@"
cmake -S . -B "$build" "$@" -DREGARD_TESTS=ON
cmake --build "$build" -j "$(nproc)"
# Two programs at a time: much of their work is on one thread.
ctest --test-dir "$build" --output-on-failure -j 2
