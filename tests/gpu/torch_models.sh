#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# BERT, GPT-2, ResNet-50 and a DLRM in PyTorch under `prof-run python3 -m prof_torch`: every kernel
# has an op and a direction, at least 99 % of the GPU time a layer and shapes, products have the
# FLOPs that torch counts; the program's own output and status. Without the helper: the same number
# of kernels. Usage: torch_models.sh BUILD_DIR OUT_DIR [MODEL...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules "torch, torchvision and transformers" "torch, torchvision, transformers"
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(bert gpt2 resnet50 dlrm)
package=$(cd "$here/../../tools/python" && pwd)
size=${TORCH_MODELS_SIZE-}  # --small: for a quick look
work=$here/torch_models.py

declare -A arguments=(
  [bert]="--amp fp16 --steps 2"
  [gpt2]="--amp bf16 --attention sdpa --optimizer fused --clip --steps 2"
  [resnet50]="--amp fp16 --channels-last --optimizer sgd --steps 2"
  [dlrm]="--optimizer sgd --steps 2"
)
kernels() { "$bin/prof-report" -r kernels -f csv -c idx "$1" 2>/dev/null | tail -n +2 | wc -l; }

for model in "${models[@]}"; do
  command=("$work" $size ${arguments[$model]} "$model")
  rm -f "$out/$model".* "$out/${model}_bare".*
  python3 "${command[@]}" --status 5 >"$out/$model.alone" 2>/dev/null
  PYTHONPATH=$package "$bin/prof-run" -o "$out/$model.db" -- python3 -m prof_torch "${command[@]}" --status 5 \
    >"$out/$model.txt" 2>"$out/$model.err"
  check "$model: status" test $? = 5
  check "$model: stdout untouched" cmp "$out/$model.alone" "$out/$model.txt"
  check "$model: nothing from the helper on stderr" test "$(grep -c '^prof_torch' "$out/$model.err")" = 0
  tail -1 "$out/$model.err"
  python3 "${command[@]}" --flops "$out/$model.json" >"$out/$model.profiled" 2>/dev/null
  check "$model: attribution" python3 "$here/torch_attribution.py" "$bin/prof-report" "$out/$model.db" --flops "$out/$model.json"
  "$bin/prof-report" -r layers "$out/$model.db" 2>"$out/$model.notes" >"$out/$model.layers"
  head -12 "$out/$model.layers" | cut -c1-150
  check "$model: no helper" "$bin/prof-run" -q -o "$out/${model}_bare.db" -- python3 "${command[@]}" >/dev/null 2>&1
  check "$model: every kernel listed" python3 "$here/torch_attribution.py" "$bin/prof-report" "$out/${model}_bare.db" --kernels-alone
  check "$model: as many kernels as with the helper" test "$(kernels "$out/${model}_bare.db")" = "$(kernels "$out/$model.db")"
done
finish
