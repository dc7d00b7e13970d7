#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# ref-dlrm captured by prof-run, by LD_PRELOAD, by CUDA_INJECTION64_PATH and by a program that links
# libprof gives the same table except for times. Usage: three_ways.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
work=(--steps 2 --batch 4096)
rm -f "$out"/way_*.db
check "prof-run" "$bin/prof-run" -o "$out/way_run.db" -- "$bin/ref-dlrm" "${work[@]}" >"$out/way_run.txt"
check "LD_PRELOAD" env LD_PRELOAD="$inject" PROF_OUTPUT="$out/way_preload.db" "$bin/ref-dlrm" "${work[@]}" >"$out/way_preload.txt"
# With the driver's variable alone, NVTX needs its own variable too.
check "CUDA_INJECTION64_PATH" env CUDA_INJECTION64_PATH="$inject" NVTX_INJECTION64_PATH="$inject" \
  PROF_OUTPUT="$out/way_driver.db" "$bin/ref-dlrm" "${work[@]}" >"$out/way_driver.txt"
check "linked" "$programs/linked_dlrm" "$out/way_linked.db" "${work[@]}" >"$out/way_linked.txt"
"$bin/ref-dlrm" "${work[@]}" >"$out/way_bare.txt"
for way in run preload driver linked; do check "stdout, $way" cmp "$out/way_bare.txt" "$out/way_$way.txt"; done
check "same table" python3 "$here/same_table.py" "$bin/prof-report" "$out"/way_{run,preload,driver,linked}.db
finish
