#!/usr/bin/env bash
# Trains a recurrent model with each score and window for 20 epochs and prints one table. Takes hours. It may be
# interrupted at any time: the same command goes on where it stopped.
#   apps/bench/scores_and_windows.sh CORPUS OUT
# CORPUS: a directory with train, val and test_2016_flickr, each .en and .de. OUT: a directory for the models.
set -euo pipefail
[[ $# -eq 2 ]] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 1; }
corpus=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/../.."
regard=build/apps/regard/regard
[[ -x $regard ]] || { echo "$regard is missing; build regard first" >&2; exit 1; }
for part in train val test_2016_flickr; do
  for side in en de; do
    [[ -f $corpus/$part.$side ]] || { echo "$corpus/$part.$side is missing" >&2; exit 1; }
  done
done

runs=("dot global" "scaled_dot global" "linear_concat global" "location global" "cosine global"
      "dot local_m" "general local_m" "additive local_m" "dot local_p" "general local_p" "additive local_p")
echo "${#runs[@]} trainings of 20 epochs each, on $(nproc) processors, into $out:"
for run in "${runs[@]}"; do
  read -r score window <<<"$run"
  name=$score-$window
  state="not begun"
  [[ -d $out/$name ]] && state="begun"
  [[ -f $out/$name.scores ]] && state="finished"
  printf '  %-24s %s\n' "$name" "$state"
done

for run in "${runs[@]}"; do
  read -r score window <<<"$run"
  name=$score-$window
  [[ -f $out/$name.scores ]] && continue
  $regard train apps/configs/multi30k-recurrent.json --set data.source="$corpus/train.en" \
    --set data.target="$corpus/train.de" --set data.validation_source="$corpus/val.en" \
    --set data.validation_target="$corpus/val.de" --set training.epochs=20 --set model.attention.score="$score" \
    --set model.attention.window="$window" --out "$out/$name"
  $regard evaluate "$out/$name" --source "$corpus/test_2016_flickr.en" --reference "$corpus/test_2016_flickr.de" \
    --tokeniser none >"$out/$name.scores.part"
  mv "$out/$name.scores.part" "$out/$name.scores"
done

printf '\n%-14s %-8s %10s %15s %10s\n' score window parameters "validation BLEU" "test BLEU"
for run in "${runs[@]}"; do
  read -r score window <<<"$run"
  name=$score-$window
  printf '%-14s %-8s %10s %15s %10s\n' "$score" "$window" \
    "$($regard inspect "$out/$name" | awk '$1 == "all" { print $NF }')" \
    "$(awk -F '"bleu":' 'NF > 1 { split($2, a, /[,}]/); if (a[1] > best) best = a[1] } END { printf "%.2f", best }' \
      "$out/$name/metrics.jsonl")" \
    "$(awk '$1 == "BLEU" { print $2; exit }' "$out/$name.scores")"
done
