#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Gains that the report `advice` states, against those that removing the waste brings: programs with
# a waste and without it in turns, without a profiler, then a capture with the waste.
# Usage: gains.sh BUILD_DIR OUT_DIR [MODEL WASTE...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules "torch, torchvision and transformers" "torch, torchvision, transformers"
[ $# -gt 0 ] || set -- gpt2 attention gpt2 alignment llama attention llama norm llama inner \
  resnet layout
rm -f "$out/pairs.jsonl"
while [ $# -gt 1 ]; do
  python3 "$here/removals.py" "$1" "$2" --pairs 5 >>"$out/pairs.jsonl" 2>"$out/$1-$2.log"
  check "$1 $2: captured" "$bin/prof-run" -q --force -o "$out/$1-$2.db" -- \
    python3 -m prof_torch "$here/removals.py" "$1" "$2"
  shift 2
done
check "gains are as stated" python3 "$here/gains.py" "$bin/prof-report" "$out" --least 80
finish
