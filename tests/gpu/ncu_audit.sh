#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# The FLOPs and bytes that libprof models for a training step, against what Nsight Compute counts
# for the same kernels in another run: the reference models and four PyTorch models. What was
# captured and counted is left in OUT_DIR/keep; `ncu_audit.py report OUT_DIR/keep` judges it again,
# on any machine. AUDIT_MODELS names some models, AUDIT_SECONDS limits the whole run.
# Usage: ncu_audit.sh BUILD_DIR OUT_DIR [MODEL...]
. "$(dirname "$0")/lib.sh"
shift 2
models=("$@")
all="ref_dlrm ref_bert ref_gpt torch_bert torch_gpt2 torch_dlrm torch_resnet50"
[ ${#models[@]} -gt 0 ] || read -ra models <<<"${AUDIT_MODELS:-$all}"
limit=${AUDIT_SECONDS:-1100}  # for all models together
per_model=${AUDIT_MODEL_SECONDS:-300}
most=${AUDIT_KERNELS:-1500}  # of a model
export PYTHONDONTWRITEBYTECODE=1

ncu=$(command -v ncu) || ncu=
for place in /usr/local/cuda/bin/ncu /opt/nvidia/nsight-compute/*/ncu; do
  [ -z "$ncu" ] && [ -x "$place" ] && ncu=$place
done
[ -n "$ncu" ] || skip "no ncu: the audit needs Nsight Compute"
audit=(python3 "$here/ncu_audit.py")
package=$(cd "$here/../../tools/python" && pwd)
keep=$out/keep
rm -rf "$keep"
mkdir -p "$keep"
has_torch=1
python3 -c 'import torch, torchvision, transformers' 2>/dev/null || has_torch=0

# Which of the wanted metrics this ncu and this GPU have.
"$ncu" --version | tail -2
timeout 60 "$ncu" --query-metrics >"$keep/query.txt" 2>&1 ||
  timeout 60 "$ncu" --query-metrics --chip gh100 >"$keep/query.txt" 2>&1
metrics=$("${audit[@]}" metrics <"$keep/query.txt")
gzip -f "$keep/query.txt"
echo "metrics: $metrics"

columns=$(cd "$here" && python3 -c 'from silicon import units; print(",".join(units.COLUMNS))')
declare -A commands=(
  # Tensors that exceed the L2 cache several times, and few layers: each kernel is replayed.
  [ref_dlrm]="$bin/ref-dlrm --warmup 0 --steps 1 --embeddings 6 --embedding-rows 1000000\
 --batch 65536"
  [ref_bert]="$bin/ref-bert --warmup 0 --steps 1 --layers 1 --batch 64 --length 512"
  [ref_gpt]="$bin/ref-gpt --warmup 0 --steps 1 --layers 2 --batch 16 --validation 0"
  [torch_bert]="$here/torch_models.py bert --amp fp16 --layers 2 --batch 32"
  [torch_gpt2]="$here/torch_models.py gpt2 --amp bf16 --attention sdpa --optimizer fused --clip\
 --layers 2 --batch 16"
  [torch_dlrm]="$here/torch_models.py dlrm --optimizer sgd --layers 6 --batch 32768"
  [torch_resnet50]="$here/torch_models.py resnet50 --amp fp16 --channels-last --optimizer sgd\
 --batch 160"
)

# one NAME STEP: captures the model, then profiles the kernels of that step.
one() {
  local name=$1 step=$2 base=$keep/$1 skipped count left
  local command capture=() range=()
  read -ra command <<<"${commands[$name]}"
  rm -f "$out/$name.db"
  if [[ $name == torch_* ]]; then
    command=("${command[@]}" --steps 2 --mark-last range)
    capture=(env PYTHONPATH="$package" "$bin/prof-run" -q -o "$out/$name.db" --
      python3 -m prof_torch --steps off)
  else
    capture=("$bin/prof-run" -q -o "$out/$name.db" --)
  fi
  check "$name: capture" timeout 90 "${capture[@]}" "${command[@]}" \
    >"$out/$name.txt" 2>"$out/$name.err"
  [ -s "$out/$name.db" ] || { tail -5 "$out/$name.err"; return; }
  local report=("$bin/prof-report" -f csv "$out/$name.db")
  "${report[@]}" -r kernels -c "$columns" >"$base.trace.csv" 2>/dev/null
  "${report[@]}" --sql "SELECT name, l2_bytes FROM device" >"$keep/device.csv" 2>/dev/null
  read -r skipped count < <("${audit[@]}" plan "$base.trace.csv" "$step" "$most")
  [ -n "${count:-}" ] || { check "$name: has step $step" false; tail -5 "$out/$name.err"; return; }
  echo "$step $most" >"$base.step"
  if [[ $name == torch_* ]]; then
    command=(python3 "${command[@]::${#command[@]}-1}" profiler)
    range=(--profile-from-start off --launch-count "$most")
  else
    range=(--launch-skip "$skipped" --launch-count "$count")
  fi
  left=$((limit - SECONDS))
  [ "$left" -gt 15 ] || { check "$name: time left" false; return; }
  local start=$SECONDS
  timeout -k 5 "$((left < per_model ? left : per_model))" \
    "$ncu" --csv --page raw --print-units base --metrics "$metrics" --cache-control all \
    --clock-control none --replay-mode kernel "${range[@]}" "${command[@]}" \
    >"$base.ncu.csv" 2>"$keep/$name.ncu.err"
  local status=$?
  echo "$name: $count kernels of step $step after $skipped others;" \
    "ncu took $((SECONDS - start)) s, status $status"
  if grep -q ERR_NVGPUCTRPERM "$base.ncu.csv" "$keep/$name.ncu.err"; then
    skip "ncu may not read the GPU's counters here (ERR_NVGPUCTRPERM)"
  fi
  if [ $status != 0 ]; then
    grep -hE '^==(ERROR|WARNING)|[Ee]rror' "$base.ncu.csv" "$keep/$name.ncu.err" | head -5
  fi
  check "$name: counted" grep -q '^"ID"' "$base.ncu.csv"
  gzip -f "$base.trace.csv" "$base.ncu.csv"
  gzip -c "$out/$name.db" >"$base.db.gz"
}

for name in "${models[@]}"; do
  if [[ $name == torch_* ]]; then
    if [ $has_torch = 0 ]; then
      echo "SKIPPED: $name: no torch, torchvision and transformers for python3" >&2
      continue
    fi
    one "$name" 1
  elif [ "$name" = ref_gpt ]; then
    one "$name" 0 # it counts from 0: "Train step 0"
  else
    one "$name" 1
  fi
done
check "model and counters agree" \
  "${audit[@]}" report --markdown "$keep/audit.md" "$keep" >"$keep/audit.txt"
cat "$keep/audit.txt"
gzip -f "$keep/units.csv"
finish
