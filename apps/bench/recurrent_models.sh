#!/usr/bin/env bash
# Trains recurrent models on a corpus, one after another, and prints one table. Takes hours. It may be interrupted at
# any time: the same command goes on where it stopped.
#   apps/bench/recurrent_models.sh papers|scores CORPUS OUT
# papers: the models of the papers and mixtures with the Transformer. scores: Bahdanau's model of width 64 with each
# score and window, 20 epochs, and Sutskever's model, 10 epochs.
# CORPUS: a directory with train, val and test_2016_flickr, each .en and .de, cut into subwords with subword-nmt.
# OUT: a directory for the models.
set -euo pipefail
[[ $# -eq 3 && $1 =~ ^(papers|scores)$ ]] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 1; }
corpus=$(realpath "$2")
mkdir -p "$3"
out=$(realpath "$3")
cd "$(dirname "$0")/../.."
source apps/several_models.sh
regard=build/apps/regard/regard
[[ -x $regard ]] || { echo "$regard is missing; build regard first" >&2; exit 1; }
for part in train val test_2016_flickr; do
  for side in en de; do
    [[ -f $corpus/$part.$side ]] || { echo "$corpus/$part.$side is missing" >&2; exit 1; }
  done
done

# name, then the settings that differ from apps/configs/multi30k-recurrent.json
runs=()
if [[ $1 == papers ]]; then
  luong="model.preset=luong2015 model.cell=gru model.bidirectional=true model.d_model=256"
  luong+=" training.learning_rate=0.001 training.steps=13380"
  transformer="model.encoder=transformer model.encoder_layers=3 model.d_ff=512 model.heads=4 model.norm=pre"
  transformer+=" model.dropout.sublayer=0.3 training.learning_rate=0.001 training.warmup_steps=1500"
  runs+=("bahdanau" "luong $luong" "luong-no-feeding $luong model.attention.input_feeding=false"
    "transformer-encoder $transformer" "sutskever-reversed model.preset=sutskever2014"
    "sutskever model.preset=sutskever2014 model.reverse_source=false")
else
  small="model.d_model=64 model.dropout.embedding=0.1 model.dropout.sublayer=0.2"
  for window in global local_m local_p; do
    scores=(dot general additive)
    [[ $window == global ]] && scores+=(scaled_dot linear_concat location cosine)
    for score in "${scores[@]}"; do
      runs+=("$score-$window $small training.steps=8920 model.attention.score=$score model.attention.window=$window")
    done
  done
  small+=" training.steps=4460 model.preset=sutskever2014"
  runs+=("sutskever-64-reversed $small" "sutskever-64 $small model.reverse_source=false")
fi

echo "${#runs[@]} trainings on $(nproc) processors, into $out:"
for run in "${runs[@]}"; do
  name=${run%% *}
  state="not begun"
  [[ -d $out/$name ]] && state="begun"
  [[ -f $out/$name.scores ]] && state="finished"
  printf '  %-24s %s\n' "$name" "$state"
done

# evaluate NAME PART: prints the scores of a model on a part of the corpus.
evaluate() {
  $regard evaluate "$out/$1" --source "$corpus/$2.en" --reference "$corpus/$2.de" --tokeniser none
}

for run in "${runs[@]}"; do
  read -r name changes <<<"$run"
  # shellcheck disable=SC2086  # several settings
  as_settings $changes
  [[ -f $out/$name.scores ]] && continue
  $regard train apps/configs/multi30k-recurrent.json --set data.source="$corpus/train.en" \
    --set data.target="$corpus/train.de" --set data.validation_source="$corpus/val.en" \
    --set data.validation_target="$corpus/val.de" "${settings[@]}" --out "$out/$name"
  evaluate "$name" val >"$out/$name.validation"
  evaluate "$name" test_2016_flickr >"$out/$name.scores.part"
  mv "$out/$name.scores.part" "$out/$name.scores"
done

# by_length FILE: the rows of an evaluation below "reference words".
by_length() { awk 'below { printf "%s %s  ", $1, $3 } /^reference words/ { below = 1 }' "$1"; }

printf '\n%-24s %10s %8s %11s %6s  %s\n' model parameters minutes validation test "test, by words of the reference"
for run in "${runs[@]}"; do
  name=${run%% *}
  printf '%-24s %10s %8s %11s %6s  %s\n' "$name" "$(parameters "$name")" "$(minutes "$name")" \
    "$(value BLEU "$out/$name.validation")" "$(value BLEU "$out/$name.scores")" "$(by_length "$out/$name.scores")"
done
