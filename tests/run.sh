#!/usr/bin/env bash
# Installs what is missing, builds, runs all tests.
#   tests/run.sh [BUILD_DIR [CMAKE_OPTION ...]]     BUILD_DIR is build/ unless given
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true

third_party/install.sh
cmake -S . -B "$build" "$@" -DREGARD_TESTS=ON
cmake --build "$build" -j "$(nproc)"
ctest --test-dir "$build" --output-on-failure
