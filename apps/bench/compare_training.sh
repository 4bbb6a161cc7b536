# Training and long sentences, for compare.sh, which sources this file.

declare -A compile_failure

# measure_training PRESET DROPOUT: regard and PyTorch in turn, on the same batches.
measure_training() {
  local preset=$1 dropout=$2 steps=20 warmup=5 i batches=()
  [[ $preset == tiny ]] || steps=4 warmup=1
  [[ -z $quick ]] || steps=1 warmup=1
  rm -f "$work/figures/$preset".{regard,share,batching,memory,one_thread,{eager,bfloat16,compiled}{,.memory}}
  local task=(--preset "$preset" --source "$corpus/train.en" --target "$corpus/train.de" --dropout "$dropout")
  local size=(--steps "$steps" --warmup-steps "$warmup")
  if [[ $has_torch ]]; then
    batches=(--batches "$work/batches.$preset")
    run on_two "$torch" "$here/pytorch_train.py" "${task[@]}" "${batches[@]}" --steps 1 --warmup-steps 0
  fi
  for ((i = 1; i <= runs; ++i)); do
    say "training, $preset, run $i of $runs"
    run on_two "$regard" bench train "${task[@]}" "${batches[@]}" "${size[@]}" --threads 2
    record "$preset.regard" training 2
    record "$preset.share" share 2
    record "$preset.batching" batching 6
    record "$preset.memory" "peak memory" 3
    if [[ $preset == base ]]; then
      run on_one "$regard" bench train "${task[@]}" "${batches[@]}" "${size[@]}" --threads 1
      record base.one_thread training 2
    fi
    [[ $has_torch ]] || continue
    measure_pytorch "$preset" eager "${task[@]}" "${size[@]}"
    measure_pytorch "$preset" bfloat16 "${task[@]}" "${size[@]}" --bfloat16
    [[ -n ${compile_failure[$preset]:-} ]] || measure_pytorch "$preset" compiled "${task[@]}" "${size[@]}" \
      --compile --compile-limit "${compile_limit:-900}"
  done
}

# measure_pytorch PRESET KIND OPTION ...
measure_pytorch() {
  local preset=$1 kind=$2
  shift 2
  if run on_two "$torch" "$here/pytorch_train.py" "$@" --threads 2; then
    record "$preset.$kind" training 2
    record "$preset.$kind.memory" "peak memory" 3
  elif [[ $kind == compiled ]]; then
    compile_failure[$preset]=$(grep -m 1 '^torch.compile failed' <<< "$output" || echo "torch.compile failed, see $log")
    rm -f "$work/figures/$preset.compiled"
  else
    die "PyTorch failed; see $log"
  fi
}

long_max=8192
[[ -z $quick ]] || long_max=1024

measure_long_sentences() {
  local i length
  rm -f "$work/figures/long."*
  for ((i = 1; i <= runs; ++i)); do
    say "long sentences, run $i of $runs"
    run on_two "$regard" bench long --threads 2 --max-length "$long_max" ${quick:+--seconds 0}
    for ((length = 128; length <= long_max; length *= 2)); do
      record "long.$length.ms" " *$length " 2
      record "long.$length.speed" " *$length " 3
      record "long.$length.memory" " *$length " 4
      record "long.$length.bytes" " *$length " 5
    done
  done
}

print_machine() {
  local processor
  processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  echo "$processor, processors $cpus, two threads; medians of $runs runs. $("$regard" --version | awk '
    /^OpenBLAS/ { blas = $2 " " $3 } /^core/ { core = $2 } /^instructions/ { simd = $2 }
    END { print blas ", core " core ", " simd }')."
  echo
}

print_training() {
  local preset fastest name kind
  echo "| training (tokens/s: source + target, no padding) | regard | against | ratio |"
  echo "|---|---|---|---|"
  for preset in tiny base; do
    echo "| $preset: share of the floor | $(median "$preset.regard") tokens/s | the products alone | $(median "$preset.share") % |"
    fastest= name="PyTorch float32, not measured"
    for kind in eager compiled; do
      if larger "$(median "$preset.$kind")" "$fastest"; then
        fastest=$(median "$preset.$kind") name="PyTorch float32, $kind"
      fi
    done
    echo "| $preset: $name${compile_failure[$preset]:+ (${compile_failure[$preset]})} | $(median "$preset.regard") | $fastest | $(ratio "$(median "$preset.regard")" "$fastest") |"
    for kind in eager compiled; do
      [[ $name == *"$kind" || -z $(median "$preset.$kind") ]] ||
        echo "| $preset: PyTorch float32, $kind | | $(median "$preset.$kind") | |"
    done
    echo "| $preset: PyTorch autocast to bfloat16 (regard in float32) | $(median "$preset.regard") | $(median "$preset.bfloat16") | $(ratio "$(median "$preset.regard")" "$(median "$preset.bfloat16")") |"
    echo "| $preset: making a batch, share of a step | $(median "$preset.batching") % | | |"
  done
  echo "| base: peak memory, GB (against PyTorch, eager) | $(median base.memory) | $(median base.eager.memory) | $(ratio "$(median base.memory)" "$(median base.eager.memory)") |"
  echo "| base: two threads against one | $(median base.regard) | $(median base.one_thread) | $(ratio "$(median base.regard)" "$(median base.one_thread)") |"
  echo
}

print_long_sentences() {
  local length
  echo "| one encoder layer of base, forward and backward: length | ms | GFLOP/s | tensors, MB | bytes a token |"
  echo "|---|---|---|---|---|"
  for ((length = 128; length <= long_max; length *= 2)); do
    echo "| $length | $(median "long.$length.ms") | $(median "long.$length.speed") | $(median "long.$length.memory") | $(median "long.$length.bytes") |"
  done
  echo
}
