#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# What the program waits for, against CUPTI's own records of waits in a second run: types, contexts,
# streams and their numbers. A stream that is captured waits for nothing.
# Usage: waits.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
check "recorded by CUPTI" env RAW_CUPTI_COUNTS="$out/cupti.json" \
  CUDA_INJECTION64_PATH="$build/bench/libraw_cupti_inject.so" "$programs/waits"
for mode in launch none; do
  check "recorded, --api $mode" "$bin/prof-run" -q --force --api $mode -o "$out/$mode.db" -- "$programs/waits"
  check "--api $mode: as CUPTI records them" python3 "$here/same_waits.py" "$bin/prof-report" "$out/$mode.db" "$out/cupti.json"
done
check "recorded with a capture" "$bin/prof-run" -q --force -o "$out/captured.db" -- "$programs/waits" captured
check "no waits in a capture" python3 "$here/same_waits.py" "$bin/prof-report" "$out/captured.db" "$out/cupti.json"
"$bin/prof-report" -r sync "$out/launch.db" | head -20
finish
