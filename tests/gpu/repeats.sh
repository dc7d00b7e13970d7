#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Steps without marks (prof_torch --mark-every): each kernel has the layer, op, direction, sizes and
# cost that it has in a capture of its own in which all steps are marked. Usage: repeats.sh
# BUILD_DIR OUT_DIR [MODEL...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules "torch, torchvision and transformers" "torch, torchvision, transformers"
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(bert gpt2 resnet50 dlrm)

declare -A arguments=([bert]="--amp fp16" [gpt2]="--amp bf16 --attention sdpa --optimizer fused --clip"
  [resnet50]="--amp bf16 --channels-last --optimizer sgd" [dlrm]="--optimizer sgd")

capture() { # MODEL FILE OPTIONS
  local model=$1 file=$2
  shift 2
  "$bin/prof-run" -q --force -o "$file" -- python3 -m prof_torch "$@" "$here/torch_models.py" \
    --small --steps 9 ${arguments[$model]} "$model" >/dev/null 2>"$file.err"
}
steps_of() { # FILE CONDITION: how many steps
  "$bin/prof-report" -f csv --sql "SELECT count(*) AS n FROM step_times WHERE $2" "$1" | tail -1
}

for model in "${models[@]}"; do
  all=$out/$model-all.db some=$out/$model-some.db
  check "$model: captured" capture "$model" "$all"
  check "$model: captured with some marks" capture "$model" "$some" --mark-every 4
  # Marked: 0 to 2, 4, 8; 3, 5, 6 and 7 repeat one of them, whole.
  check "$model: four steps repeat others" test "$(steps_of "$some" 'repeats = kernels AND kernels > 0')" = 4
  check "$model: no step repeats where all are marked" test "$(steps_of "$all" 'repeats > 0')" = 0
  for step in 3 6; do
    check "$model: step $step is what it is with marks" \
      python3 "$here/same_steps.py" "$bin/prof-report" "$all" $step "$some" $step
  done
  ls -l "$all" "$some" | awk '{print $5, $9}'
done
finish
