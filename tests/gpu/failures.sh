#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# The real driver and CUPTI when profiling cannot work or fails: the program continues unharmed.
# Usage: failures.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
app=("$programs/count_launches" 20)
"${app[@]}" >"$out/plain.json"

# No GPU visible to the program.
CUDA_VISIBLE_DEVICES= "$bin/prof-run" -o "$out/none.db" --force -- "${app[@]}" >"$out/none.txt" 2>"$out/none.err"
check "no device: the program's own status" test $? = 77
check "no device: the line tells what CUDA says" grep -q "does not start here (.*error 100)" "$out/none.err"
cat "$out/none.err"

# Output folder missing, without prof-run's own check.
LD_PRELOAD="$inject" PROF_OUTPUT=/nowhere/x.db "${app[@]}" >"$out/nowhere.json" 2>"$out/nowhere.err"
check "no folder: status" test $? = 0
check "no folder: stdout" cmp "$out/plain.json" "$out/nowhere.json"
check "no folder: one line" test "$(grep -c '^prof:' "$out/nowhere.err")" = 1
cat "$out/nowhere.err"

# Another subscriber first.
CUDA_INJECTION64_PATH="$build/bench/libraw_cupti_inject.so" RAW_CUPTI_SUBSCRIBE=1 LD_PRELOAD="$inject" PROF_OUTPUT="$out/held.db" \
  "${app[@]}" >"$out/held.json" 2>"$out/held.err"
check "injection held by another: status" test $? = 0
check "injection held by another: stdout" cmp "$out/plain.json" "$out/held.json"
check "injection held by another: one line" test "$(grep -c '^prof:' "$out/held.err")" = 1
cat "$out/held.err"

# Killed in the middle: the file can be read.
rm -f "$out/killed.db"
"$bin/prof-run" -o "$out/killed.db" -- "$programs/count_launches" 10000000 >/dev/null 2>&1 &
runner=$!
sleep 6
pkill -KILL -P $runner 2>/dev/null
kill -KILL $runner 2>/dev/null
wait $runner 2>/dev/null
check "killed: readable" "$bin/prof-report" -r layers "$out/killed.db" >"$out/killed.txt" 2>&1
head -5 "$out/killed.txt"
rm -f "$out/killed.db"
finish
