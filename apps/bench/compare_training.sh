# Measures training and long sentences. compare.sh sources this file.

# failure[PRESET.KIND]: the reason why this kind of PyTorch training failed; unset if it did not.
declare -A failure

# measure_training PRESET DROPOUT: trains with regard and PyTorch in turn, on the same batches.
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
    measure_pytorch "$preset" compiled "${task[@]}" "${size[@]}" --compile --compile-limit "${compile_limit:-900}"
  done
}

# measure_pytorch PRESET KIND OPTION ...: trains with PyTorch. bfloat16 and torch.compile do not work on every
# machine. If one fails, the figure stays empty and the kind is not tried again. Eager PyTorch must work.
measure_pytorch() {
  local name=$1.$2 kind=$2 code=0
  shift 2
  [[ -z ${failure[$name]:-} ]] || return 0
  run on_two "$torch" "$here/pytorch_train.py" "$@" --threads 2 || code=$?
  if ((code == 0)); then
    record "$name" training 2
    record "$name.memory" "peak memory" 3
    return
  fi
  case $kind in
    compiled) failure[$name]=$(grep -m 1 '^torch.compile failed' <<< "$output" || echo "torch.compile failed, see $log") ;;
    bfloat16) failure[$name]="bfloat16 failed, see $log" ;;
    *) die "PyTorch failed; see $log" ;;
  esac
  # A signal. SIGILL, an illegal instruction: the processor has instructions that a virtual machine may not use.
  ((code <= 128)) || failure[$name]="$kind ended with SIG$(kill -l "$code")"
  say "PyTorch, ${failure[$name]}; its figure stays empty"
  rm -f "$work/figures/$name"{,.memory}
}

# explained PRESET.KIND: the failure in brackets; nothing if there was none.
explained() { [[ -z ${failure[$1]:-} ]] || echo " (${failure[$1]})"; }

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
  local preset fastest name kind figure
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
    echo "| $preset: $name$(explained "$preset.compiled") | $(median "$preset.regard") | $fastest | $(ratio "$(median "$preset.regard")" "$fastest") |"
    for kind in eager compiled; do
      [[ $name == *"$kind" || -z $(median "$preset.$kind") ]] ||
        echo "| $preset: PyTorch float32, $kind | | $(median "$preset.$kind") | |"
    done
    figure=$(median "$preset.bfloat16")
    echo "| $preset: PyTorch autocast to bfloat16 (regard in float32)$(explained "$preset.bfloat16") | $(median "$preset.regard") | ${figure:-${failure[$preset.bfloat16]:+-}} | $(ratio "$(median "$preset.regard")" "$figure") |"
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
