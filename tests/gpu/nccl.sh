#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Programs that call NCCL: a C++ program without annotations, then torch.distributed with two
# processes, without and with prof_torch. Every call has its op with the program's byte counts and
# plausible bandwidths. With one GPU: only that NCCL's copies have their ops. Usage: nccl.sh
# BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
package=$(cd "$here/../../tools/python" && pwd)
gpus=$(nvidia-smi -L | grep -c '^GPU')
# Where no NCCL is installed, torch's may be.
wheel=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib")' 2>/dev/null)
export LD_LIBRARY_PATH="$LD_LIBRARY_PATH${wheel:+:$wheel}"
report=$bin/prof-report
compare() { python3 "$here/nccl_calls.py" "$report" "$@"; }

rm -f "$out"/*.db
"$bin/prof-run" -q -o "$out/one.db" -- "$programs/nccl_plain" 1 65536 >"$out/one.txt"
status=$?
[ $status = 77 ] && exit 77
check "1 rank: status" test $status = 0
check "1 rank: calls" compare "$out/one.txt" "$out/one.db"
if [ "$gpus" -lt 2 ]; then
  echo "SKIPPED: one GPU: kernels of NCCL, and bandwidths, need two" >&2
  [ "$failures" = 0 ] && exit 77
  finish
fi

check "2 ranks: status" "$bin/prof-run" -q -o "$out/two.db" -- "$programs/nccl_plain" 2 >"$out/two.txt"
check "2 ranks: calls" compare "$out/two.txt" "$out/two.db"
"$report" -r ops -c op,params,calls,kernels,time_us,alg_gb_per_s,bus_gb_per_s "$out/two.db" 2>/dev/null

python3 -c 'import torch.distributed as d, sys; sys.exit(not d.is_nccl_available())' 2>/dev/null || {
  echo "SKIPPED: no torch with NCCL for python3: torch.distributed was not tested" >&2
  finish
}
port=29500
for kind in bare helper; do
  port=$((port + 1))
  command=(python3 "$here/nccl_torch.py")
  [ $kind = helper ] && command=(python3 -m prof_torch "$here/nccl_torch.py")
  for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port PYTHONPATH=$package timeout 120 \
      "$bin/prof-run" -q -o "$out/$kind.$rank.db" -- "${command[@]}" >"$out/$kind.$rank.txt" 2>"$out/$kind.$rank.err" &
  done
  wait
  check "torch, $kind: calls" compare "$out/$kind.0.txt" "$out/$kind.0.db"
done
check "torch, helper: buckets of gradients are all_reduce in the backward pass" \
  test "$("$report" -f csv -c op,dir,kernel "$out/helper.0.db" 2>/dev/null | grep -c '^all_reduce,bprop,ncclDevKernel')" = 5
finish
