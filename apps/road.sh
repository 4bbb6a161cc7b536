#!/usr/bin/env bash
# The road to attention on one toy: a decoder without attention, Bahdanau's, Luong's and the Transformer, with about
# the same number of parameters, the same data and the same seed. Takes some minutes.
#   apps/road.sh [DIRECTORY]                      default: build/road
#   apps/road.sh DIRECTORY NAME KEY=VALUE ...     trains one model more, with these settings, and prints its row
# Example:
#   apps/road.sh build/road luong-local_p model.preset=luong2015 model.cell=gru model.bidirectional=true \
#       model.d_model=88 model.attention.window=local_p
set -euo pipefail
out=$(realpath -m "${1:-$(dirname "$0")/../build/road}")
cd "$(dirname "$0")/.."
source apps/several_models.sh
regard=build/apps/regard/regard
[[ -x $regard ]] || { echo "road: $regard is missing; run apps/demo.sh first, or build it" >&2; exit 1; }

$regard toy sentences --test 4000 --out "$out/toy" >/dev/null

# name, then the settings that differ from apps/configs/sentences.json
models=(
  "no-attention model.preset=cho2014 model.d_model=90"
  "bahdanau model.preset=bahdanau2015 model.d_model=88"
  "luong model.preset=luong2015 model.cell=gru model.bidirectional=true model.d_model=88"
  "transformer model.preset=toy"
)
[[ $# -gt 1 ]] && models=("${*:2}")
# Words of the source, without the mark of the language.
ranges=("1 4" "5 6" "7 8" "9 99")

train() {  # name, settings
  as_settings "${@:2}"
  $regard train apps/configs/sentences.json --set data.source="$out/toy/train.source" \
    --set data.target="$out/toy/train.target" --set data.validation_source="$out/toy/validation.source" \
    --set data.validation_target="$out/toy/validation.target" --set model.dropout=0.05 "${settings[@]}" \
    --set training.threads=2 --out "$out/$1" >"$out/$1.log"
}

by_length() {  # name of a model: BLEU and exact match for each range of lengths
  local range
  for range in "${ranges[@]}"; do
    paste "$out/toy/test.source" "$out/toy/test.target" |
      awk -F '\t' -v range="$range" -v prefix="$out/part" '
        BEGIN { split(range, limits, " ") }
        { words = split($1, ignored, " ") - 1 }
        words >= limits[1] && words <= limits[2] { print $1 > (prefix ".source"); print $2 > (prefix ".target") }'
    $regard evaluate "$out/$1" --source "$out/part.source" --reference "$out/part.target" >"$out/part.scores"
    printf '  %5.1f %5.1f' "$(value BLEU "$out/part.scores")" "$(value 'exact match' "$out/part.scores")"
  done
}

printf '%-13s %10s %9s %8s' model parameters tokens/s minutes
for range in "${ranges[@]}"; do printf '  %11s' "$(sed 's/9 99/9 or more/; s/\([0-9]\) \([0-9]\)$/\1 to \2/' <<<"$range") words"; done
printf '\n%43s' ''
for range in "${ranges[@]}"; do printf '  %5s %5s' BLEU exact; done
printf '\n'
for entry in "${models[@]}"; do
  read -r name changes <<<"$entry"
  # shellcheck disable=SC2086
  train "$name" $changes
  speed=$(logged "$name" tokens_per_second | awk '{ sum += $1 } END { printf "%.0f", sum / NR }')
  printf '%-13s %10s %9s %8s' "$name" "$(parameters "$name")" "$speed" "$(minutes "$name")"
  by_length "$name"
  printf '\n'
done

(( $# > 1 )) && exit
sentence=$(grep -m 1 '^>>fr<< .* .* .* .* .* .* .*' "$out/toy/test.source")
for entry in "${models[@]}"; do
  name=${entry%% *}
  printf '\n%s\n' "$name"
  if [[ $name == no-attention ]]; then
    $regard translate "$out/$name" <<<"$sentence"
    echo "(no attention: there is nothing to draw)"
  else
    $regard translate "$out/$name" --attention <<<"$sentence"
  fi
done
