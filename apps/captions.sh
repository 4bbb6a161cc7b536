#!/usr/bin/env bash
# Captions of images of one to five shapes: a decoder without attention, with soft attention, with hard attention, and a
# Transformer, on the same convolutional network, data and seed. Takes some minutes.
#   apps/captions.sh [DIRECTORY]     default: build/captions; a directory that is there is replaced
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/captions}
source apps/several_models.sh
regard=build/apps/regard/regard
[[ -x $regard ]] || { echo "captions: $regard is missing; run apps/demo.sh first, or build it" >&2; exit 1; }

$regard toy scenes --out "$out/scenes" --train 24000 --overwrite
scenes=$out/scenes
for count in 1 2 3 4 5; do  # the test set by number of objects
  paste "$scenes/test.regions.jsonl" "$scenes/test.tsv" |
    awk -F '\t' -v count="\"objects\":$count," 'index($1, count)' >"$out/part"
  cut -f 1 "$out/part" >"$scenes/test.$count.regions.jsonl"
  cut -f 2- "$out/part" >"$scenes/test.$count.tsv"
done
rm "$out/part"

# name, then the settings that differ from apps/configs/scenes-attention.json
models=(
  "no-attention model.attention.kind=none"
  "soft"
  "hard model.attention.kind=hard model.attention.hard.mean_steps=2400 model.attention.hard.mean_share=0.3
    model.attention.hard.reward_weight=0.1 model.attention.hard.entropy_weight=0"
  "transformer model.decoder=transformer model.heads=4 model.d_ff=256 model.decoder_layers=2 model.norm=pre
    training.learning_rate=0.0015"
)

train() {  # name, settings
  as_settings "${@:2}"
  $regard train apps/configs/scenes-attention.json --set data.tsv="$scenes/train.tsv" \
    --set data.validation_tsv="$scenes/validation.tsv" "${settings[@]}" --set training.threads=2 \
    --out "$out/$1" --overwrite >"$out/$1.log"
}

evaluate() {  # name, part of the test set ("" or ".3"); without --regions if the model has no attention
  local arguments=(--tsv "$scenes/test$2.tsv")
  [[ $1 == no-attention ]] || arguments+=(--regions "$scenes/test$2.regions.jsonl")
  $regard evaluate "$out/$1" "${arguments[@]}" >"$out/scores"
}

echo
printf '%-13s %10s %8s %7s   exact match with' model parameters minutes exact
printf '\n%42s' ''
for count in 1 2 3 4 5; do printf ' %6s' "$count"; done
printf ' objects %9s\n' pointing
for entry in "${models[@]}"; do
  read -r -d '' name changes <<<"$entry" || true  # 1 at the end of the text
  # shellcheck disable=SC2086
  train "$name" $changes
  evaluate "$name" ""
  pointing=$(value pointing "$out/scores")
  printf '%-13s %10s %8s %7s ' "$name" "$(parameters "$name")" "$(minutes "$name")" "$(value 'exact match' "$out/scores")"
  for count in 1 2 3 4 5; do
    evaluate "$name" ".$count"
    printf ' %6s' "$(value 'exact match' "$out/scores")"
  done
  printf ' %17s\n' "${pointing:--}"
done
rm "$out/scores"

for count in 2 5; do
  line=$(head -n 1 "$scenes/test.$count.tsv")
  image=$scenes/${line%%$'\t'*}
  printf '\n%s\n%-13s %s\n' "$image" reference "${line#*$'\t'}"
  for entry in "${models[@]}"; do
    printf '%-13s %s\n' "${entry%% *}" "$($regard translate "$out/${entry%% *}" "$image")"
  done
done

rm -rf "$out/attention"
$regard translate "$out/soft" "$image" --attention-images "$out/attention" >/dev/null
printf '\nWhere the decoder with soft attention looked for each word: %s\n' "$out"/attention/*/sheet.png
