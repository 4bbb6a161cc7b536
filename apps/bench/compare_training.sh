# Measures training. compare.sh sources this file.

# failure[NAME]: the reason why a kind of PyTorch training failed; unset if it did not.
declare -A failure

# train_regard NAME FIELD OPTION ...: one run of regard on two processors. Keeps field FIELD of its line "training".
train_regard() {
  local name=$1 field=$2
  run on_two "$regard" bench train "${@:3}" --threads 2
  record "$name.regard" training "$field"
  record "$name.share" share 2
  record "$name.batching" batching 6
  record "$name.memory" "peak memory" 3
  parameters=$(parameters)
}

# train_pytorch NAME FIELD SCRIPT OPTION ...: one run of PyTorch. The model must have as many parameters as regard's.
train_pytorch() {
  local name=$1 field=$2 code=0
  [[ $has_torch ]] || return 0
  run on_two "$torch" "$here/$3" "${@:4}" --threads 2 || code=$?
  ((code == 0)) || return $code
  [[ $parameters == "$(parameters)" ]] || die "$name: $parameters parameters in regard, $(parameters) in PyTorch"
  record "$name" training "$field"
  record "$name.memory" "peak memory" 3
}

# parameters: the number of parameters in the last output.
parameters() { sed -n 's/.* \([0-9,]*\) parameters.*/\1/p' <<< "$output" | head -n 1 | tr -d ,; }

# make_batches FILE OPTION ...: with PyTorch, which cuts batches for a padded model, sets `batches` to the option that makes
# regard read them.
make_batches() {
  batches=()
  [[ $has_torch ]] || return 0
  batches=(--batches "$1")
  run on_two "$torch" "$here/pytorch_train.py" "${@:2}" "${batches[@]}" --steps 1 --warmup-steps 0
}

corpus_options() { task=(--source "$corpus/train.en" --target "$corpus/train.de" --dropout "$1"); }

# measure_training PRESET DROPOUT: trains with regard and PyTorch in turn, on the same batches.
measure_training() {
  local preset=$1 steps=20 warmup=5 i task batches
  [[ $preset == tiny ]] || steps=4 warmup=1
  [[ -z $quick ]] || steps=1 warmup=1
  rm -f "$work/figures/$preset".{regard,share,batching,memory,one_thread,{eager,bfloat16,compiled}{,.memory}}
  corpus_options "$2"
  task+=(--preset "$preset")
  make_batches "$work/batches.$preset" "${task[@]}"
  task+=(--steps "$steps" --warmup-steps "$warmup")
  for ((i = 1; i <= runs; ++i)); do
    say "training, $preset, run $i of $runs"
    train_regard "$preset" 2 "${task[@]}" "${batches[@]}"
    measure_kind "$preset" eager
    measure_kind "$preset" bfloat16 --bfloat16
    measure_kind "$preset" compiled --compile --compile-limit "${compile_limit:-900}"
    [[ $preset == base ]] || continue
    run on_one "$regard" bench train "${task[@]}" "${batches[@]}" --threads 1
    record base.one_thread training 2
  done
}

# measure_kind PRESET KIND OPTION ...: trains with PyTorch. bfloat16 and torch.compile do not work on every machine. If
# one fails, the figure stays empty and the kind is not tried again. Eager PyTorch must work.
measure_kind() {
  local name=$1.$2 kind=$2 code=0
  [[ -z ${failure[$name]:-} ]] || return 0
  train_pytorch "$name" 2 pytorch_train.py "${task[@]}" "${@:3}" || code=$?
  ((code != 0)) || return 0
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

# The recurrent models of pytorch_recurrent.py, as presets of regard with settings.
recurrent_kinds=(none luong bahdanau) recurrent_widths=(256 64)
declare -A recurrent=(
  [none]="--preset cho2014 --set model.attention.fixed_context=false"
  [luong]="--preset luong2015 --set model.cell=gru --set model.attention.input_feeding=false"
  [bahdanau]="--preset bahdanau2015")

measure_recurrent() {
  local kind width i task batches size=(--steps 10 --warmup-steps 3)
  [[ -z $quick ]] || size=(--steps 1 --warmup-steps 1)
  rm -f "$work/figures/recurrent."*
  corpus_options 0.3
  make_batches "$work/batches.recurrent" "${task[@]}" --preset none --width 64
  task+=("${size[@]}")
  for ((i = 1; i <= runs; ++i)); do
    say "recurrent training, run $i of $runs"
    for width in "${recurrent_widths[@]}"; do
      for kind in "${recurrent_kinds[@]}"; do
        # shellcheck disable=SC2086  # several options
        train_regard "recurrent.$kind.$width" 2 ${recurrent[$kind]} --set "model.d_model=$width" \
          --set training.gradient_clip_norm=1 "${task[@]}" "${batches[@]}"
        train_pytorch "recurrent.$kind.$width.pytorch" 2 pytorch_train.py --preset "$kind" --width "$width" \
          --clip-norm 1 "${task[@]}" || die "PyTorch failed; see $log"
      done
    done
  done
}

caption_presets=(xu2015 vit)

# measure_captions: trains with regard, PyTorch and PyTorch with its layout channels_last in turn, on random images.
measure_captions() {
  local preset i task=(--image-size 64 --batch-images 32)
  if [[ $quick ]]; then task+=(--steps 1 --warmup-steps 1); else task+=(--steps 20 --warmup-steps 3); fi
  rm -f "$work/figures/captions."*
  for ((i = 1; i <= runs; ++i)); do
    say "training with images, run $i of $runs"
    for preset in "${caption_presets[@]}"; do
      train_regard "captions.$preset" 4 --preset "$preset" "${task[@]}"
      train_pytorch "captions.$preset.pytorch" 4 pytorch_captions.py --preset "$preset" "${task[@]}" &&
        train_pytorch "captions.$preset.pytorch.last" 4 pytorch_captions.py --preset "$preset" --channels-last "${task[@]}" ||
        die "PyTorch failed; see $log"
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

# explained NAME: the failure in brackets; nothing if there was none.
explained() { [[ -z ${failure[$1]:-} ]] || echo " (${failure[$1]})"; }

print_training() {
  local preset ours fastest name kind figure
  head_row "training (tokens/s: source + target, no padding)" regard against ratio
  for preset in tiny base; do
    ours=$(median "$preset.regard")
    row "$preset: share of the floor" "$ours tokens/s" "the products alone" "$(median "$preset.share") %"
    fastest= name="PyTorch float32, not measured"
    for kind in eager compiled; do
      if larger "$(median "$preset.$kind")" "$fastest"; then
        fastest=$(median "$preset.$kind") name="PyTorch float32, $kind"
      fi
    done
    row "$preset: $name$(explained "$preset.compiled")" "$ours" "$fastest" "$(ratio "$ours" "$fastest")"
    for kind in eager compiled; do
      [[ $name == *"$kind" || -z $(median "$preset.$kind") ]] ||
        row "$preset: PyTorch float32, $kind" "" "$(median "$preset.$kind")" ""
    done
    figure=$(median "$preset.bfloat16")
    row "$preset: PyTorch autocast to bfloat16 (regard in float32)$(explained "$preset.bfloat16")" "$ours" \
      "${figure:-${failure[$preset.bfloat16]:+-}}" "$(ratio "$ours" "$figure")"
    row "$preset: making a batch, share of a step" "$(median "$preset.batching") %" "" ""
  done
  compared "base: peak memory, GB (against PyTorch, eager)" base.memory base.eager.memory
  compared "base: two threads against one" base.regard base.one_thread
  echo
}

# compared TEXT NAME1 NAME2: a row with two figures and their ratio.
compared() { row "$1" "$(median "$2")" "$(median "$3")" "$(ratio "$(median "$2")" "$(median "$3")")"; }

print_recurrent() {
  local kind width name
  head_row "recurrent training, width" "regard, tokens/s" "PyTorch, eager" ratio "share of the floor" \
    "peak memory, GB" "PyTorch's"
  for width in "${recurrent_widths[@]}"; do
    for kind in "${recurrent_kinds[@]}"; do
      name=recurrent.$kind.$width
      row "$kind, $width" "$(median "$name.regard")" "$(median "$name.pytorch")" \
        "$(ratio "$(median "$name.regard")" "$(median "$name.pytorch")")" "$(median "$name.share") %" \
        "$(median "$name.memory")" "$(median "$name.pytorch.memory")"
    done
  done
  echo
}

print_captions() {
  local preset name
  head_row "training with images" "regard, ms per step" "PyTorch, eager" ratio "PyTorch, channels_last" ratio \
    "share of the floor" "peak memory, GB" "PyTorch's"
  for preset in "${caption_presets[@]}"; do
    name=captions.$preset
    row "$preset" "$(median "$name.regard")" "$(median "$name.pytorch")" \
      "$(ratio "$(median "$name.pytorch")" "$(median "$name.regard")")" "$(median "$name.pytorch.last")" \
      "$(ratio "$(median "$name.pytorch.last")" "$(median "$name.regard")")" "$(median "$name.share") %" \
      "$(median "$name.memory")" "$(median "$name.pytorch.memory")"
  done
  echo
}
