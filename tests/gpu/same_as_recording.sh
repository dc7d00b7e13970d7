#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Fresh captures of the reference programs' steps match the bundled recordings kernel by kernel:
# kernel, grid, block, layer, op, direction, M, N, K. Usage: same_as_recording.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
columns=step,kernel,grid,block,layer,op,dir,part,m,n,k
list() { "$bin/prof-report" --where 'step >= 0' -f csv -c $columns "$1" 2>/dev/null; }
command_of() {
  "$bin/prof-report" -f csv --sql "SELECT value FROM meta WHERE key = 'command_line'" "$1" 2>/dev/null |
    tail -1 | tr -d '"' | sed 's|^[^ ]*/||'
}
compare() {
  local words
  "$bin/prof-import" --force -o "$out/$1.recorded.db" "$here/../data/$1.jsonl.gz" || return
  read -ra words < <(command_of "$out/$1.recorded.db")
  "$bin/prof-run" -q --force -o "$out/$1.db" -- "$bin/${words[0]}" "${words[@]:1}" || return
  list "$out/$1.recorded.db" >"$out/$1.recorded.csv"
  list "$out/$1.db" >"$out/$1.csv"
  [ "$(wc -l <"$out/$1.csv")" -gt 40 ] && diff -u "$out/$1.recorded.csv" "$out/$1.csv"
}
for name in dlrm bert gpt gpt_graph gpt_steps dlrm_small bert_small gpt_small; do
  check "$name launches what is recorded" compare "$name"
done
finish
