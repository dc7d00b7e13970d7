#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Bus bandwidths that reports state of collectives, against those that nccl-tests measures: of
# nccl-tests' own runs (one process, two GPUs, by one thread or two), and of the same collectives
# by torch in two processes. Usage: NCCL_TESTS_SOURCE=FOLDER nccl_bandwidth.sh BUILD_DIR OUT_DIR
# FOLDER holds the sources (github.com/NVIDIA/nccl-tests), which are compiled here.
. "$(dirname "$0")/lib.sh"
shift 2
[ "$(nvidia-smi -L | grep -c '^GPU')" -ge 2 ] || skip "one GPU: bandwidths between GPUs need two"
source=${NCCL_TESTS_SOURCE:-}
[ -e "$source/src/common.cu" ] || skip "NCCL_TESTS_SOURCE is no folder of nccl-tests' sources"
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || skip "no nvcc"
export PYTHONPATH=$(cd "$here/../../tools/python" && pwd) PYTHONDONTWRITEBYTECODE=1
tests=(all_reduce all_gather reduce_scatter alltoall sendrecv)
mkdir -p "$out/keep" "$out/made"
made=$out/made

# torch's NCCL, if there is one: both are then measured with the same.
wheel=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0])' 2>/dev/null)
library=
for folder in "$wheel"/lib /usr/local/cuda/lib* /usr/lib/*; do
  [ -n "$library" ] || [ ! -e "$folder/libnccl.so.2" ] || library=$folder/libnccl.so.2
done
[ -n "$library" ] || skip "no libnccl.so.2"
include=$wheel/include
[ -e "$include/nccl.h" ] || include=$(dirname "$library")/../include
export LD_LIBRARY_PATH=$(dirname "$library"):$LD_LIBRARY_PATH

compile() {
  "$nvcc" -O2 -std=c++17 --extended-lambda -arch=native -DNCCL_OS_LINUX -I"$include" \
    -I"$source/src" -I"$source/os" -c "$source/$1" -o "$made/$(basename "${1%.*}").o"
}
export -f compile
export nvcc include source made
build_tests() {
  local name parts=(src/common.cu src/util.cu src/timer.cc os/linux.cc verifiable/verifiable.cu)
  printf '%s\n' "${parts[@]}" $(printf 'src/%s.cu ' "${tests[@]}") |
    xargs -P "$(nproc)" -I {} bash -c 'compile {}' || return
  for name in "${tests[@]}"; do
    "$nvcc" -arch=native "$made"/{"$name",common,util,timer,linux,verifiable}.o \
      -Xlinker "$library" -o "$made/${name}_perf" || return
  done
}
check "nccl-tests compile" build_tests >"$out/keep/compile.txt" 2>&1
[ $failures = 0 ] || { tail -n 5 "$out/keep/compile.txt"; finish; }

sizes=(-b 1M -e 256M -f 4 -n 40 -w 5 -c 0)
rm -f "$out"/*.db "$out"/*.txt
for name in "${tests[@]}"; do
  perf=$made/${name}_perf
  check "$name" timeout 60 "$perf" "${sizes[@]}" -g 2 >"$out/$name.bare.txt" 2>&1
  check "$name, captured" timeout 60 "$bin/prof-run" -q -o "$out/$name.group.db" -- \
    "$perf" "${sizes[@]}" -g 2 >"$out/$name.group.txt" 2>&1
  check "$name, captured, a thread for each GPU" timeout 60 \
    "$bin/prof-run" -q -o "$out/$name.threads.db" -- \
    "$perf" "${sizes[@]}" -t 2 -g 1 >"$out/$name.threads.txt" 2>&1
done

by_torch() {
  local rank status=0 pids=() port=$((28000 + RANDOM % 1000))
  for rank in 0 1; do
    RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
      timeout -k 5 100 "$bin/prof-run" -q -o "$out/torch.$rank.db" -- \
      python3 -m prof_torch "$here/nccl_bandwidth_torch.py" >"$out/torch.$rank.txt" 2>&1 &
    pids+=($!)
  done
  for rank in 0 1; do wait "${pids[rank]}" || status=1; done
  return $status
}
has_torch='import torch.distributed as d, sys; sys.exit(not d.is_nccl_available())'
if python3 -c "$has_torch" 2>/dev/null; then
  check "torch" by_torch
else
  echo "SKIPPED: no torch with NCCL for python3" >&2
fi
check "bandwidths are those of nccl-tests" \
  python3 "$here/nccl_bandwidth.py" "$bin/prof-report" "$out" >"$out/keep/bandwidth.md"
cat "$out/keep/bandwidth.md"
finish
