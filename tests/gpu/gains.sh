#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Gains that the report `advice` states, against those that removing the waste brings: programs with
# a waste and without it in turns, without a profiler, then a capture with the waste. Programs start
# side by side and take turns on the GPU; all of them take about seven minutes.
# Usage: gains.sh BUILD_DIR OUT_DIR [all | MODEL WASTE...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules "torch, torchvision and transformers" "torch, torchvision, transformers"
[ $# -gt 0 ] || set -- gpt2 attention gpt2 alignment llama attention llama norm llama inner \
  resnet layout
if [ "$1" = all ]; then
  mapfile -t programs_of < <(python3 "$here/removals.py" --list)
else
  programs_of=()
  while [ $# -gt 1 ]; do
    programs_of+=("$1 $2")
    shift 2
  done
fi
package=$(cd "$here/../../tools/python" && pwd)
rm -f "$out"/*.pair "$out"/*.db

# What is measured comes first: programs wait for each other by the lock.
measure() {
  [ "$2" = none ] || timeout 300 python3 "$here/removals.py" "$1" "$2" --pairs 5 \
    --alone "$out/lock" >"$out/$1-$2.pair" 2>"$out/$1-$2.log" || echo "FAILED: measure $1 $2"
}
capture() {
  PYTHONPATH=$package timeout 300 "$bin/prof-run" -q --force -o "$out/$1-$2.db" -- python3 \
    -m prof_torch "$here/removals.py" "$1" "$2" --steps 12 --alone "$out/lock" >>"$out/$1-$2.log" 2>&1 ||
    echo "FAILED: capture $1 $2"
}
export -f measure capture
export here out bin package
printf '%s\n' "${programs_of[@]}" | xargs -P "${SIDE_BY_SIDE:-6}" -L 1 bash -c 'measure "$@"' _
printf '%s\n' "${programs_of[@]}" | xargs -P "${SIDE_BY_SIDE:-6}" -L 1 bash -c 'capture "$@"' _
cat "$out"/*.pair >"$out/pairs.jsonl"
check "gains are as stated" python3 "$here/gains.py" "$bin/prof-report" "$out" --least 80
finish
