#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# What the capture of replays costs: graph_loop bare, with CUPTI's records alone, and under
# `prof-run`, alternating; then one long run. Prints microseconds a kernel, medians, bytes a kernel
# and memory. Usage: graph_overhead.sh BUILD_DIR OUT_DIR [PAIRS] [KERNELS] [KERNELS OF THE LONG RUN]
set -uo pipefail
build=$(cd "${1:?usage: graph_overhead.sh BUILD_DIR OUT_DIR}" && pwd)
mkdir -p "${2:?usage: graph_overhead.sh BUILD_DIR OUT_DIR}"
out=$(cd "$2" && pwd)
pairs=${3:-7}
kernels=${4:-2000000}
long=${5:-30000000}
loop=$build/bench/graph_loop
trace=$out/graph_loop.db
export LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}:/usr/local/cuda/lib64"
yardstick=$build/bench/libraw_cupti_inject.so
time_of() { sed -n 's/^us_per_kernel //p'; }
for _ in $(seq "$pairs"); do
  bare=$("$loop" "$kernels" | time_of)
  raw=$(CUDA_INJECTION64_PATH=$yardstick "$loop" "$kernels" | time_of)
  prof=$("$build/bin/prof-run" -q --force -o "$trace" -- "$loop" "$kernels" | time_of)
  whole=$("$build/bin/prof-run" -q --force --graph-trace graph -o "$out/whole.db" -- "$loop" \
    "$kernels" 2>/dev/null | time_of)
  echo "$bare $raw $prof $whole"
done | tee "$out/pairs.txt"
python3 - "$out/pairs.txt" <<'PY'
import statistics, sys
rows = [list(map(float, line.split())) for line in open(sys.argv[1])]
names = ["bare", "CUPTI's records alone", "prof-run", "prof-run --graph-trace graph"]
for column, name in enumerate(names):
    values = [row[column] for row in rows if len(row) > column]
    ratios = [row[column] / row[0] for row in rows if len(row) > column]
    if values:
        print(f"| {name} | {statistics.median(values):.3f} | {min(values):.3f} to {max(values):.3f} |"
              f" {statistics.median(ratios):.3f} x |")
PY
"$build/bin/prof-run" --force -o "$trace" -- "$loop" "$long"
bytes=$(stat -c %s "$trace")
echo "bytes a kernel: $(python3 -c "print(round($bytes / $long, 2))")"
"$build/bin/prof-report" -r ops --by layer "$trace" 2>&1 | tail -20
