#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# A program that counts its own launches through every API finds exactly its counts in the trace, in
# every --api mode. Usage: count_launches.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
for api in launch all none; do
  trace=$out/counts_$api.db
  rm -f "$trace"
  check "capture, api $api" "$bin/prof-run" --api $api -o "$trace" -- "$programs/count_launches" 100 >"$out/counts_$api.json"
  check "counts, api $api" python3 "$here/check_counts.py" "$out/counts_$api.json" "$trace"
done
# Bare and captured runs print the same.
"$programs/count_launches" 100 >"$out/counts_bare.json"
check "stdout untouched" cmp "$out/counts_bare.json" "$out/counts_launch.json"
check "report" "$bin/prof-report" -r gpu -f csv "$out/counts_launch.db" >"$out/counts_report.csv"
# A longer run: a million launches, none lost.
check "capture, long" "$bin/prof-run" -o "$out/counts_long.db" --force -- "$programs/count_launches" 40000 >"$out/counts_long.json"
check "counts, long" python3 "$here/check_counts.py" "$out/counts_long.json" "$out/counts_long.db"
ls -l "$out/counts_long.db"
rm -f "$out/counts_long.db"
finish
