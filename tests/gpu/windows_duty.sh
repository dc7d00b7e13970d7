#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# ref-gpt with windows all the time: its memory, the disk and its step time must stay flat. Takes
# MINUTES (10), so it is no part of run_all.sh. Usage: windows_duty.sh BUILD_DIR OUT_DIR [MINUTES]
minutes=${3:-10}
. "$(dirname "$0")/lib.sh"
rm -f "$out"/duty-*.db
timeout $((minutes * 60 + 120)) "$bin/prof-run" --duty 3/100steps --max-size 200M -o "$out/duty-%n.db" -- \
  timeout -s INT $((minutes * 60)) "$bin/ref-gpt" --layers 2 --steps 100000000 --validation 0 \
  >"$out/duty.txt" 2>"$out/duty.err" &
run=$!
echo "| s | RSS (MiB) | files | MiB on disk |"
echo "|---|---|---|---|"
for ((second = 0; second < minutes * 60; second += 30)); do
  sleep 30
  pid=$(pgrep -f 'bin/ref-gpt' | tail -1)
  rss=$(awk '/VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status" 2>/dev/null)
  echo "| $((second + 30)) | ${rss:-} | $(ls "$out"/duty-*.db | wc -l) | $(du -cm "$out"/duty-*.db | tail -1 | cut -f1) |"
done
wait $run
tail -5 "$out/duty.err"
finish
