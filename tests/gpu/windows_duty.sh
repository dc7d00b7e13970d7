#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# ref-gpt with windows all the time: its memory, the disk and its step time must stay flat. Takes
# MINUTES (10), so it is no part of run_all.sh. Usage: windows_duty.sh BUILD_DIR OUT_DIR [MINUTES]
minutes=${3:-10}
. "$(dirname "$0")/lib.sh"
gpt=("$bin/ref-gpt" --layers 2 --validation 0)
seconds=$(TIMEFORMAT=%R; { time "${gpt[@]}" --steps 2000 >/dev/null 2>&1; } 2>&1)
steps=$(awk "BEGIN {print int($minutes * 60 * 2000 / $seconds)}")
rm -f "$out"/duty-*.db
"$bin/prof-run" --duty 3/100steps --max-size 200M -o "$out/duty-%n.db" -- "${gpt[@]}" --steps "$steps" \
  >"$out/duty.txt" 2>"$out/duty.err" &
run=$!
echo "| s | windows until then | RSS (MiB) | files | MiB on disk |"
echo "|---|---|---|---|---|"
start=$SECONDS
while sleep 30 && pid=$(pgrep -f "^$bin/ref-gpt"); do
  rss=$(awk '/VmRSS/ {print int($2 / 1024)}' "/proc/$pid/status")
  newest=$(ls "$out" | sed -n 's/^duty-\([0-9]*\)\.db$/\1/p' | sort -n | tail -1)
  files=("$out"/duty-*.db)
  echo "| $((SECONDS - start)) | $newest | $rss | ${#files[@]} | $(du -cm "${files[@]}" | tail -1 | cut -f1) |"
done
check "the program's exit status" wait $run
grep -v ': wrote ' "$out/duty.err"
finish
