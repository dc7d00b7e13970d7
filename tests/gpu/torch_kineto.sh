#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Four models in PyTorch, captured by prof-run with prof_torch and, in another run, by
# torch.profiler, whose trace is imported: kernel by kernel the same op, direction, shapes, M, N, K
# and forward links; each difference has a reason, and no data type that the capture claims is wrong
# (tests/truth/compare_import.py).
# Usage: torch_kineto.sh BUILD_DIR OUT_DIR [MODEL...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules "torch, torchvision and transformers" "torch, torchvision, transformers"
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(bert gpt2 resnet50 dlrm)
package=$(cd "$here/../../tools/python" && pwd)

declare -A arguments=(
  [bert]="--amp fp16"
  [gpt2]="--amp bf16 --attention sdpa --optimizer fused --clip"
  [resnet50]="--amp fp16 --channels-last --optimizer sgd"
  [dlrm]="--optimizer sgd"
)
both() {
  local command=("$here/torch_models.py" --small --steps 4 ${arguments[$1]} "$1")
  PYTHONPATH=$package "$bin/prof-run" -q --force -o "$out/$1.db" -- python3 -m prof_torch "${command[@]}"
  python3 "${command[@]}" --kineto "$out/$1.json"
}
for model in "${models[@]}"; do
  both "$model" >"$out/$model.txt" 2>&1 &
done
wait
for model in "${models[@]}"; do
  check "$model: imported as captured" python3 "$here/../truth/compare_import.py" \
    "$bin/prof-import" "$bin/prof-report" "$out/$model.json" "$out/$model.db"
done
finish
