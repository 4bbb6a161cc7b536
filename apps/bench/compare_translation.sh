# Measures translation, latency and start. compare.sh sources this file.

# Briefly trained models translate poorly, and a few translations do not end. The same limit on the length for all
# programs keeps these few from dominating the figures. The longest reference has 35 tokens.
longest=50
regard_search=(--length-penalty power --alpha 1 --max-length-ratio 0 --max-length-constant "$longest")
ctranslate2_search=(--alpha 1 --max-length "$longest")
declare -A model batch_tokens training

# Trains the wanted models that were neither given nor trained by an earlier run. base is pre-norm, because a post-norm
# model has not learnt to end a sentence after so few steps.
prepare_models() {
  model=([tiny]=${tiny_model:-$work/tiny} [base]=${base_model:-$work/base})
  local common=(--set "data.source=$corpus/train.en" --set "data.target=$corpus/train.de" --set training.batch_tokens=1024
    --set validation.metric=loss)
  training=([tiny]="--set training.epochs=3 --set training.warmup_steps=400"
            [base]="--set model.preset=base --set model.norm=pre --set model.dropout=0.1 --set training.epochs=0
                    --set training.steps=300 --set training.learning_rate=0.001 --set training.warmup_steps=100")
  local preset
  for preset in tiny base; do
    wanted "$preset-translation" || { [[ $preset == tiny ]] && wanted start; } || continue
    [[ ! -f ${model[$preset]}/weights.safetensors ]] || continue
    say "training a $preset model for some minutes, to translate with"
    # shellcheck disable=SC2086  # several options
    run on_two "$regard" train apps/configs/multi30k-tiny.json "${common[@]}" ${training[$preset]} \
      --out "${model[$preset]}" --overwrite || die "the training failed; see $log"
  done
  sentences=$work/sentences few=$work/few_sentences
  if [[ $quick ]]; then head -n 100 "$corpus/$test"; else cat "$corpus/$test"; fi > "$sentences"
  head -n 200 "$sentences" > "$few"
}

# translate_regard PRESET OPTION ..., translate_ctranslate2 PRESET OPTION ...: one run of each program.
translate_regard() {
  local preset=$1
  shift
  run on_two "$regard" bench translate "${model[$preset]}" "${regard_search[@]}" --threads 2 --runs 1 "$@"
}
translate_ctranslate2() {
  local preset=$1
  shift
  run on_two "$ctranslate2" "$here/ctranslate2_translate.py" "${model[$preset]}" "${ctranslate2_search[@]}" \
    --threads 2 --runs 1 "$@"
}

# choose_batch NAME COMMAND ...: finds the batch size with which a program translates fastest.
choose_batch() {
  local name=$1 size
  shift
  batch_tokens[$name]=2048
  [[ -z $quick ]] || return 0
  for size in 512 1024 2048 4096 8192; do
    "$@" --source "$few" --beam 5 --batch-tokens "$size"
    echo "$(awk '/^translating/ { print $2 }' <<< "$output") $size"
  done > "$work/trial"
  batch_tokens[$name]=$(sort -g "$work/trial" | awk 'END { print $2 }')
}

measure_translation() {
  local preset=$1 i way source=$sentences
  [[ $preset == tiny ]] || source=$few  # base takes 20 times longer per sentence
  rm -f "$work/figures/$preset".{regard.sentences,regard.tokens,regard.latency,ctranslate2}*
  [[ $quick ]] || say "translation, $preset: trying batch sizes"
  choose_batch "$preset.regard" translate_regard "$preset"
  if [[ $has_ctranslate2 ]]; then
    for way in 1 2; do choose_batch "$preset.ctranslate2.$way" translate_ctranslate2 "$preset" --batches-at-a-time "$way"; done
  fi
  for ((i = 1; i <= runs; ++i)); do
    say "translation, $preset, run $i of $runs"
    translate_regard "$preset" --source "$source" --beam 5 --output "$work/$preset.beam.regard" \
      --batch-tokens "${batch_tokens[$preset.regard]}"
    record "$preset.regard.sentences" translating 2
    record "$preset.regard.tokens" translating 4
    translate_regard "$preset" --source "$source" --beam 1 --output "$work/$preset.greedy.regard" --one-at-a-time
    record "$preset.regard.latency" latency 2
    [[ $has_ctranslate2 ]] || continue
    for way in 1 2; do
      translate_ctranslate2 "$preset" --source "$source" --beam 5 --output "$work/$preset.beam.ctranslate2" \
        --batches-at-a-time "$way" --batch-tokens "${batch_tokens[$preset.ctranslate2.$way]}"
      record "$preset.ctranslate2.$way.sentences" translating 2
      record "$preset.ctranslate2.$way.tokens" translating 4
    done
    translate_ctranslate2 "$preset" --source "$source" --beam 1 --output "$work/$preset.greedy.ctranslate2" \
      --one-at-a-time
    record "$preset.ctranslate2.latency" latency 2
  done
}

# Measures the time from the start of the process to its first translation.
measure_start() {
  local i begin sentence translation
  sentence=$(head -n 1 "$corpus/$test")
  say "start"
  rm -f "$work/figures/start"
  for ((i = 0; i < 20; ++i)); do
    begin=$EPOCHREALTIME
    read -r translation < <(on_two "$regard" translate "${model[tiny]}" --threads 2 <<< "$sentence")
    [[ -n $translation ]] || die "regard translated nothing"
    echo "$begin $EPOCHREALTIME" | awk '{ printf "%.1f\n", 1e3 * ($2 - $1) }' >> "$work/figures/start"
  done
}

print_translation() {
  local preset ours theirs way best=1
  echo "| translation ($(wc -l < "$sentences") sentences; base: $(wc -l < "$few")) | regard | CTranslate2, float32 | ratio | same translations |"
  echo "|---|---|---|---|---|"
  for preset in tiny base; do
    ours=$(median "$preset.regard.sentences") theirs=
    for way in 1 2; do
      if larger "$(median "$preset.ctranslate2.$way.sentences")" "$theirs"; then
        theirs=$(median "$preset.ctranslate2.$way.sentences") best=$way
      fi
    done
    echo "| $preset, beam 5, sentences/s | $ours | $theirs${theirs:+ (batches at a time: $best)} | $(ratio "$ours" "$theirs") | ${theirs:+$(share "$work/$preset.beam.regard" "$work/$preset.beam.ctranslate2") %} |"
    echo "| $preset, beam 5, tokens/s of translation | $(median "$preset.regard.tokens") | $(median "$preset.ctranslate2.$best.tokens") | $(ratio "$(median "$preset.regard.tokens")" "$(median "$preset.ctranslate2.$best.tokens")") | |"
    ours=$(median "$preset.regard.latency") theirs=$(median "$preset.ctranslate2.latency")
    echo "| $preset, greedy, one sentence at a time, ms | $ours | $theirs | $(ratio "$ours" "$theirs") | ${theirs:+$(share "$work/$preset.greedy.regard" "$work/$preset.greedy.ctranslate2") %} |"
  done
  echo "| tiny, start of \`regard translate\` to the first sentence, ms | $(median start) | | | |"
  echo
  local tried="the fastest of 512 to 8192"
  [[ -z $quick ]] || tried="not tried out"
  echo "Batch sizes in source tokens, $tried: $(for name in "${!batch_tokens[@]}"; do
    printf '%s %s; ' "$name" "${batch_tokens[$name]}"; done | sed 's/; $//')."
}
