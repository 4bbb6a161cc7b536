#!/usr/bin/env bash
# Runs all experiments again and writes the book from their results. Takes hours. If it is interrupted, the same command
# goes on.
#   apps/experiments/make_book.sh [DIR]     DIR is build/experiments unless given
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-build/experiments}

build/apps/regard/regard experiment all --out "$out"
for results in "$out"/*/results.json; do
  id=$(basename "$(dirname "$results")")
  mkdir -p "apps/experiments/results/$id"
  cp "$results" "apps/experiments/results/$id/"
done
build/apps/regard/regard experiment --book apps/experiments/README.md
