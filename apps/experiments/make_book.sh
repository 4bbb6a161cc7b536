#!/usr/bin/env bash
# Runs what is missing in the results of the book, straight into them, and writes the book. The seeds of the verdicts come
# first, then fresh ones. This takes hours, but it may be interrupted at any time: the same command goes on, and each
# finished training is a line of results/ID.jsonl that can be committed.
#   apps/experiments/make_book.sh [ID...]      experiments or chapters, such as A1 B; all unless given
#   FRESH=201 apps/experiments/make_book.sh A1 fresh seeds from 201 on, for a claim that was changed after the first ones
set -euo pipefail
cd "$(dirname "$0")/../.."
regard=build/apps/regard/regard
results=apps/experiments/results

for seed in 1 "${FRESH:-101}"; do
  "$regard" experiment "${@:-all}" --out "$results" --first-seed "$seed"
done
"$regard" experiment --book apps/experiments/README.md
