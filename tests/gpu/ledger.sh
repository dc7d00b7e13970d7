#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Every reference workload at two sizes: the report of a captured step equals the workload's own
# ledger, op by op, and the products that reached cuBLAS and cuBLASLt match the ledger. Usage:
# ledger.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
compare=$here/../ledger
shim=$programs/libblas_calls.so

# one NAME PROGRAM OPTIONS...: a size of a workload.
one() {
  local name=$1 program=$2 first=1
  shift 2
  [ "$program" = ref-gpt ] && first=0 # it counts from 0: "Train step 0"
  local step=("$bin/$program" --warmup 0 --steps 1 "$@")
  local ledger=$out/$name.ledger.json trace=$out/$name.db report=$out/$name.report.json calls=$out/$name.calls.jsonl
  check "$name: states its ledger" "$bin/$program" "$@" --ledger "$ledger"
  check "$name: capture" "$bin/prof-run" --force -o "$trace" -- "${step[@]}" >"$out/$name.txt"
  "$bin/prof-report" -r gpu -f json --step $first "$trace" >"$report" 2>/dev/null
  check "$name: report equals ledger" python3 "$compare/compare_ledger.py" "$ledger" "$report"
  rm -f "$calls"
  check "$name: run with the shim" env LD_PRELOAD="$shim" BLAS_CALLS_FILE="$calls" "${step[@]}" >"$out/$name.shim.txt"
  check "$name: the same loss with the shim" diff "$out/$name.txt" "$out/$name.shim.txt"
  # Calls before the step (a validation pass) are not in its ledger.
  check "$name: library calls equal ledger" python3 "$compare/compare_calls.py" --last "$ledger" "$calls"
}

one bert ref-bert
one bert_small ref-bert --batch 2 --length 32 --hidden 64 --heads 4 --intermediate 128 --layers 3 --vocabulary 512 --max-positions 64
one dlrm ref-dlrm
one dlrm_small ref-dlrm --batch 96 --embeddings 5 --embedding-rows 20 --dim 16 --bottom 32,24,16 --top 48,32,24,1
one gpt ref-gpt
one gpt_small ref-gpt --batch 2 --seq 64 --layers 2 --channels 64 --heads 2 --vocab 500 --padded-vocab 512 --gelu-fusion 0 --validation 0
finish
