# Measures the training of models that read images. compare.sh sources this file.

caption_presets=(xu2015 vit)

# measure_captions: trains with regard, PyTorch and PyTorch with its layout channels_last in turn, on random images.
measure_captions() {
  local preset i task ours
  rm -f "$work/figures/captions."*
  task=(--image-size 64 --batch-images 32 --steps 20 --warmup-steps 3 --threads 2)
  [[ -z $quick ]] || task=(--image-size 64 --batch-images 32 --steps 1 --warmup-steps 1 --threads 2)
  for ((i = 1; i <= runs; ++i)); do
    say "training with images, run $i of $runs"
    for preset in "${caption_presets[@]}"; do
      run on_two "$regard" bench train --preset "$preset" "${task[@]}"
      record "captions.$preset.regard" training 4
      record "captions.$preset.share" share 2
      record "captions.$preset.memory" "peak memory" 3
      ours=$(parameters)
      [[ $has_torch ]] || continue
      run on_two "$torch" "$here/pytorch_captions.py" --preset "$preset" "${task[@]}" ||
        die "PyTorch failed; see $log"
      [[ $ours == "$(parameters)" ]] || die "$preset has $ours parameters in regard and $(parameters) in PyTorch"
      record "captions.$preset.pytorch" training 4
      record "captions.$preset.pytorch.memory" "peak memory" 3
      run on_two "$torch" "$here/pytorch_captions.py" --preset "$preset" --channels-last "${task[@]}" ||
        die "PyTorch failed; see $log"
      record "captions.$preset.pytorch.last" training 4
    done
  done
}

print_captions() {
  local preset name
  echo "| training with images | regard, ms per step | share of the floor | PyTorch, eager | ratio | PyTorch, channels_last | ratio | peak memory, GB | PyTorch's |"
  echo "|---|---|---|---|---|---|---|---|---|"
  for preset in "${caption_presets[@]}"; do
    name=captions.$preset
    echo "| $preset | $(median "$name.regard") | $(median "$name.share") % | $(median "$name.pytorch") | $(ratio "$(median "$name.pytorch")" "$(median "$name.regard")") | $(median "$name.pytorch.last") | $(ratio "$(median "$name.pytorch.last")" "$(median "$name.regard")") | $(median "$name.memory") | $(median "$name.pytorch.memory") |"
  done
  echo
}
