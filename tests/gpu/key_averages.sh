#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# A mixture of experts on two GPUs, under torch.profiler and, in another run, under prof-run: the
# report key_averages has torch.profiler's names and calls, and its GPU times within the noise. The
# trace of torch.profiler itself, imported, has its times, too. Usage: key_averages.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
python3 -c 'import torch.distributed as d, sys; sys.exit(not d.is_nccl_available())' 2>/dev/null ||
  skip "no torch with NCCL for python3"
gpus=$(nvidia-smi -L | grep -c '^GPU')
[ "$gpus" -ge 2 ] || skip "one GPU: a mixture of experts needs two"
package=$(cd "$here/../../tools/python" && pwd)
report=$bin/prof-report
port=29600
# ranks NAME COMMAND...: the command once for each rank; NAME stands for %n in its words.
ranks() {
  local name=$1 rank
  shift
  port=$((port + 1))
  for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port PYTHONPATH=$package timeout 120 \
      "${@//%n/$name.$rank}" >"$out/$name.$rank.txt" 2>"$out/$name.$rank.err" &
  done
  wait
}

ranks torch python3 "$here/torch_moe.py" --averages "$out/%n.json"
ranks ours "$bin/prof-run" -q --force --api all -o "$out/%n.db" -- python3 -m prof_torch "$here/torch_moe.py"
for rank in 0 1; do
  check "rank $rank: same results" cmp "$out/torch.$rank.txt" "$out/ours.$rank.txt"
  check "rank $rank: as torch.profiler, two runs" \
    python3 "$here/key_averages.py" "$report" "$out/ours.$rank.db" "$out/torch.$rank.json"
  rm -f "$out/import.$rank.db"
  "$bin/prof-import" -o "$out/import.$rank.db" "$out/torch.$rank.json.trace.json"
  check "rank $rank: as torch.profiler, its own run imported" \
    python3 "$here/key_averages.py" --same-run "$report" "$out/import.$rank.db" "$out/torch.$rank.json"
done
"$report" -r key_averages --top 30 "$out/ours.0.db"
finish
