#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Two ranks of a training step (ranks_torch.py), one of them late for a known reason, and clean
# ones: report `stragglers` must name that rank, where and why it is late, and none of the clean.
# Needs two GPUs. Usage: ranks.sh BUILD_DIR OUT_DIR [CASE...]
# A CASE is WAY-FAULT-RANK, "ddp-sleep-1", or WAY-clean-REPETITION; with "-windows" the two ranks
# capture steps that are the same only in part, with "-nccl" NCCL numbers its calls (--trace nccl).
. "$(dirname "$0")/lib.sh"
shift 2
[ "$(nvidia-smi -L | grep -c '^GPU')" -ge 2 ] || skip "one GPU: several ranks need two"
need_modules "torch for python3" torch
export PYTHONPATH=$(cd "$here/../../tools/python" && pwd) PYTHONDONTWRITEBYTECODE=1
export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2
readonly limit_s=90  # of a run

cases=("$@")
if [ ${#cases[@]} = 0 ]; then
  for way in ddp fsdp pipeline experts tensor; do
    late=1
    for fault in sleep work copy; do
      cases+=("$way-$fault-$late-nccl")
      [ $way = pipeline ] || late=$((1 - late))  # rank 0 has another stage
    done
  done
  cases+=(experts-experts-1 ddp-sleep-1 fsdp-sleep-1-windows fsdp-sleep-1-windows-nccl)
  for way in ddp fsdp pipeline experts tensor; do cases+=("$way-clean-1" "$way-clean-2-nccl"); done
fi

# A port for each run: that of the last one may still be in use.
port=$((29600 + RANDOM % 1000))
# run_pair CASE: writes CASE.0.db and CASE.1.db. One that fails ends the other, which would wait.
run_pair() {
  local case=$1 way fault number words rank pids=() captures=() traced=() status=0 options=()
  IFS=- read -r way fault number words <<<"$case"
  [ "$fault" = clean ] || options=(--fault "$fault" --rank "$number")
  [[ $words != *nccl* ]] || traced=(--trace nccl)
  if [[ $words == *windows* ]]; then
    options+=(--steps 20)
    captures=(--capture=steps:3..13 --capture=steps:8..18)
  fi
  port=$((port + 1))
  for rank in 0 1; do
    RANK=$rank LOCAL_RANK=$rank MASTER_PORT=$port timeout -k 5 $limit_s \
      "$bin/prof-run" -q --force -o "$out/$case.$rank.db" "${traced[@]}" \
      ${captures[rank]:-} -- \
      python3 -m prof_torch "$here/ranks_torch.py" "$way" "${options[@]}" \
      >"$out/$case.$rank.txt" 2>&1 &
    pids+=($!)
  done
  wait -n "${pids[@]}" || { status=1; kill "${pids[@]}" 2>/dev/null; }
  for rank in 0 1; do wait "${pids[rank]}" || status=1; done
  [ $status = 0 ] || tail -n 5 "$out/$case".?.txt
  return $status
}

mkdir -p "$out/keep"
rm -f "$out"/keep/table.md "$out"/*.db
for case in "${cases[@]}"; do check "$case: runs" run_pair "$case" </dev/null; done
for case in "${cases[@]}"; do
  check "$case" python3 "$here/ranks_check.py" "$case" "$bin/prof-report" "$out/$case".{0,1}.db \
    >"$out/keep/$case.txt" 2>&1
  head -1 "$out/keep/$case.txt" | tee -a "$out/keep/table.md"
done
finish
