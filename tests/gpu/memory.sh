#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Allocations and releases against a program's own count: operations and bytes of each layer and
# kind of memory, the peak, and the balance of threads that pass addresses on to each other. Then
# torch's blocks, by address and size. At last what the records cost: times are printed, not judged.
# Usage: memory.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
record() { "$bin/prof-run" -q --force --trace "$1" -o "$out/$2.db" -- "${@:3}"; }
rows_of() { "$bin/prof-report" -f csv --sql 'SELECT count(*) FROM allocations' "$1" 2>/dev/null | tail -1; }

check "the program alone" "$programs/memory" >"$out/alone.json"
check "recorded" record memory memory "$programs/memory" >"$out/memory.json"
check "the same output" cmp "$out/alone.json" "$out/memory.json"
check "as the program counts" python3 "$here/memory.py" "$bin/prof-report" "$out/memory.db" "$out/memory.json"
check "run without the word" record no-memory without "$programs/memory" >/dev/null
check "no allocations without the word" test "$(rows_of "$out/without.db")" = 0
"$bin/prof-report" -r allocations "$out/memory.db"
check "released as if of a pool" record memory no-pool "$programs/memory" no-pool
lost=$("$bin/prof-report" -r losses -f csv -c count --where "word = 'release_not_recorded'" "$out/no-pool.db" 2>/dev/null | tail -1)
check "counted" test "$lost" = 3

for words in no-memory memory no-memory memory; do
  echo "--trace $words:"
  check "timed, $words" record $words timed "$programs/memory" 20000
done

if python3 -c 'import torch' 2>/dev/null; then
  check "torch recorded" record memory torch python3 "$here/memory_torch.py" "$out/torch.json"
  check "torch's blocks" python3 "$here/memory_torch_blocks.py" "$bin/prof-report" "$out/torch.db" "$out/torch.json"
  "$bin/prof-report" -r allocations -c memory,layer,op,function,count,bytes,releases,peak_bytes "$out/torch.db"
else
  echo "no torch for python3: its blocks are not compared"
fi
finish
