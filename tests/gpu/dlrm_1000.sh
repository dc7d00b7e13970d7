#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# ref-dlrm over 1,000 steps: nothing lost, every step the same, and as many kernels of each name as a
# bare CUPTI client counts in a run of its own. Usage: dlrm_1000.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
work=(--steps 1000 --batch 2048)
trace=$out/dlrm_1000.db
rm -f "$trace"
check "capture" "$bin/prof-run" -o "$trace" -- "$bin/ref-dlrm" "${work[@]}"
check "count by bare CUPTI" env CUDA_INJECTION64_PATH="$build/bench/libraw_cupti_inject.so" \
  RAW_CUPTI_COUNTS="$out/dlrm_1000.json" "$bin/ref-dlrm" "${work[@]}"
check "counts" python3 "$here/check_counts.py" "$out/dlrm_1000.json" "$trace"
check "steps alike" python3 "$here/steps_alike.py" "$bin/prof-report" "$trace" 1000
ls -l "$trace"
rm -f "$trace"
finish
