#!/usr/bin/env bash
# Installs what is missing, builds, runs all tests.
#   tests/run.sh [BUILD_DIR [CMAKE_OPTION ...]]     BUILD_DIR is build/ unless given
# A new BUILD_DIR compiles several files as one (CMAKE_UNITY_BUILD), with Ninja if it is there. An old one keeps
# its settings.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true

third_party/install.sh
if [[ ! -e "$build/CMakeCache.txt" ]]; then
  set -- -DCMAKE_UNITY_BUILD=ON "$@"
  # make builds several targets one after another, and then one processor often waits.
  if command -v ninja >/dev/null; then set -- -G Ninja "$@"; fi
fi
cmake -S . -B "$build" -DREGARD_GUESTS=all "$@" -DREGARD_TESTS=ON
cmake --build "$build" -j "$(nproc)"
# Two programs at a time: much of their work is on one thread.
ctest --test-dir "$build" --output-on-failure -j 2
