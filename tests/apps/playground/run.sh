#!/usr/bin/env bash
# Tests the playground: its engine in node, against the program; then its page in Chromium.
#   tests/apps/playground/run.sh [REGARD]     REGARD is build/apps/regard/regard unless given
# Skipped if emscripten or node is missing; the page, if Selenium or Chromium is.
set -euo pipefail
cd "$(dirname "$0")/../../.."
regard=$(realpath "${1:-build/apps/regard/regard}")
for program in emcc node; do
  command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 0; }
done
apps/playground/build.sh
echo '{"type": "module"}' >build/package.json  # so that node reads worker.js as a module
node tests/apps/playground/engine_test.mjs build/playground "$regard"
python3 tests/apps/playground/page_test.py build/playground || [[ $? -eq 77 ]]  # skipped
