#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# prof-run --trace cudnn: every wrapped form of cuDNN and graphs of its backend are recorded as they
# were called, in CUDA graphs and out; what a call costs; the convolutions of ResNet-50 and a U-Net
# in PyTorch without a helper are those that prof_torch sees. Usage: cudnn.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
calls=$programs/cudnn_calls
[ -e "$calls" ] || skip "cudnn_calls is not built: no cuDNN here"
check_calls() { python3 "$here/cudnn_calls.py" "$@"; }
run=("$bin/prof-run" -q --force --trace cudnn,no-device)

for mode in plain graph; do
  words=()
  [ $mode = graph ] && words=(graph)
  "$calls" "${words[@]}" >"$out/$mode.bare" 2>"$out/$mode.bare.err"
  check "$mode: bare status" test $? = 7
  "${run[@]}" -o "$out/$mode.db" -- "$calls" "${words[@]}" >"$out/$mode.txt" 2>"$out/$mode.err"
  check "$mode: status" test $? = 7
  check "$mode: stdout untouched" cmp "$out/$mode.bare" "$out/$mode.txt"
  check "$mode: stderr untouched" cmp "$out/$mode.bare.err" "$out/$mode.err"
  cat "$out/$mode.err"
  check "$mode: call by call" check_calls calls "$bin/prof-report" "$out/$mode.txt" "$out/$mode.db"
done

pairs=${CUDNN_PAIRS-9}
for ((i = 0; i < pairs; ++i)); do
  "$bin/prof-run" -q --force --trace no-device -o "$out/rate.db" -- "$calls" rate 20000
  "${run[@]}" -o "$out/rate.db" -- "$calls" rate 20000
  LD_PRELOAD=$build/lib/libprof_cudnn.so "$calls" rate 20000
  "$calls" rate 20000
done >"$out/rates.txt"
check "cost" check_calls rates "$out/rates.txt"
rm -f "$out/rate.db"

python3 -c 'import torch, torchvision' 2>/dev/null || {
  echo "SKIPPED: no torch and torchvision for python3" >&2
  finish
}
package=$(cd "$here/../../tools/python" && pwd)
declare -A programs_of=(
  [resnet50]="$here/torch_models.py ${TORCH_MODELS_SIZE-} --amp fp16 --channels-last --steps 2 resnet50"
  [resnet50_fp32]="$here/torch_models.py ${TORCH_MODELS_SIZE-} --steps 2 resnet50"
  [unet]="$here/cudnn_unet.py --steps 2"
)
for model in resnet50 resnet50_fp32 unet; do
  command=(${programs_of[$model]})
  "${run[@]}" -o "$out/$model.calls.db" -- python3 "${command[@]}" >"$out/$model.calls.txt" 2>"$out/$model.calls.err"
  check "$model: calls" test $? = 0
  PYTHONPATH=$package "$bin/prof-run" -q --force -o "$out/$model.helper.db" -- python3 -m prof_torch "${command[@]}" \
    >"$out/$model.helper.txt" 2>"$out/$model.helper.err"
  check "$model: helper" test $? = 0
  check "$model: same output" cmp "$out/$model.calls.txt" "$out/$model.helper.txt"
  check "$model: convolutions" check_calls convolutions "$bin/prof-report" "$out/$model.calls.db" "$out/$model.helper.db"
  PYTHONPATH=$package "${run[@]}" -o "$out/$model.both.db" -- python3 -m prof_torch "${command[@]}" >"$out/$model.both.txt" 2>&1
  check "$model: convolutions, both" check_calls convolutions "$bin/prof-report" "$out/$model.both.db" "$out/$model.helper.db"
done
finish
