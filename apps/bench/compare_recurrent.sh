# Measures the training of recurrent models. compare.sh sources this file.

recurrent_kinds=(none luong bahdanau) recurrent_widths=(256 64)
# The presets of regard with the settings that make them the models of pytorch_recurrent.py.
declare -A recurrent=(
  [none]="--preset cho2014 --set model.attention.fixed_context=false"
  [luong]="--preset luong2015 --set model.cell=gru --set model.attention.input_feeding=false"
  [bahdanau]="--preset bahdanau2015")

# measure_recurrent: trains with regard and PyTorch in turn, on the same batches.
measure_recurrent() {
  local kind width i batches=()
  rm -f "$work/figures/recurrent."*
  if [[ $has_torch ]]; then
    batches=(--batches "$work/batches.recurrent")
    run on_two "$torch" "$here/pytorch_train.py" --source "$corpus/train.en" --target "$corpus/train.de" \
      "${batches[@]}" --preset none --width 64 --steps 1 --warmup-steps 0
  fi
  for ((i = 1; i <= runs; ++i)); do
    say "recurrent training, run $i of $runs"
    for width in "${recurrent_widths[@]}"; do
      for kind in "${recurrent_kinds[@]}"; do measure_recurrent_pair "$kind" "$width" "${batches[@]}"; done
    done
  done
}

# measure_recurrent_pair KIND WIDTH [--batches FILE]: one run of each program. The models must have equally many
# parameters.
measure_recurrent_pair() {
  local kind=$1 width=$2 name=recurrent.$1.$2 steps=10 warmup=3 ours task
  shift 2
  [[ -z $quick ]] || steps=1 warmup=1
  task=(--source "$corpus/train.en" --target "$corpus/train.de" --dropout 0.3 --steps "$steps" --warmup-steps "$warmup"
    --threads 2)
  # shellcheck disable=SC2086  # several options
  run on_two "$regard" bench train ${recurrent[$kind]} --set "model.d_model=$width" \
    --set training.gradient_clip_norm=1 "${task[@]}" "$@"
  record "$name.regard" training 2
  record "$name.share" share 2
  record "$name.memory" "peak memory" 3
  ours=$(parameters)
  [[ $has_torch ]] || return 0
  run on_two "$torch" "$here/pytorch_train.py" --preset "$kind" --width "$width" --clip-norm 1 "${task[@]}" ||
    die "PyTorch failed; see $log"
  [[ $ours == "$(parameters)" ]] || die "$kind has $ours parameters in regard and $(parameters) in PyTorch"
  record "$name.pytorch" training 2
  record "$name.pytorch.memory" "peak memory" 3
}

# parameters: the number of parameters in the last output.
parameters() { sed -n 's/.* \([0-9,]*\) parameters.*/\1/p' <<< "$output" | head -n 1 | tr -d ,; }

print_recurrent() {
  local kind width name
  echo "| recurrent training, width | regard, tokens/s | share of the floor | PyTorch, eager | ratio | peak memory, GB | PyTorch's | ratio |"
  echo "|---|---|---|---|---|---|---|---|"
  for width in "${recurrent_widths[@]}"; do
    for kind in "${recurrent_kinds[@]}"; do
      name=recurrent.$kind.$width
      echo "| $kind, $width | $(median "$name.regard") | $(median "$name.share") % | $(median "$name.pytorch") | $(ratio "$(median "$name.regard")" "$(median "$name.pytorch")") | $(median "$name.memory") | $(median "$name.pytorch.memory") | $(ratio "$(median "$name.memory")" "$(median "$name.pytorch.memory")") |"
    done
  done
  echo
}
