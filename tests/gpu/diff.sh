#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Report diff on captures of a live program: of the same program nothing differs, of one with a layer
# that takes 5 % longer that layer alone. Usage: diff.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
captures=4
slow=5
# changed FILES...: prints the rows of what changed, the largest difference first.
changed() {
  local table
  table=$("$bin/prof-report" -f csv -c change,layer,op,diff_pct -r diff "$@" 2>"$out/diff.err") &&
    grep -q '^period,' <<<"$table" || { cat "$out/diff.err"; return 1; }
  grep -E '^(slower|faster|kernel|moved|added|removed),' <<<"$table" || true
}
nothing_changed() {
  local rows
  rows=$(changed "$@") || { printf '%s\n' "$rows"; return 1; }
  [ -z "$rows" ] || { printf '%s\n' "$rows"; return 1; }
}
that_layer_changed() {
  local rows
  rows=$(changed "$@") || { printf '%s\n' "$rows"; return 1; }
  printf '%s\n' "$rows"
  [ "$(printf '%s\n' "$rows" | wc -l)" = 3 ] || return 1
  printf '%s\n' "$rows" | awk -F, -v layer="block.$slow" \
    '$1 != "slower" || $2 != layer || $4 < 3.5 || $4 > 6.5 { bad = 1 } END { exit bad }'
}

base=() new=()
for ((i = 0; i < captures; ++i)); do
  base+=("$out/base$i.db") new+=("$out/new$i.db")
  check "captured $i" "$bin/prof-run" -q --force -o "${base[i]}" -- "$programs/diff"
  check "captured $i, one layer slower" "$bin/prof-run" -q --force -o "${new[i]}" -- "$programs/diff" $slow
done
for ((i = 0; i < captures; ++i)); do
  for ((j = i + 1; j < captures; ++j)); do
    check "captures $i and $j are the same" nothing_changed "${base[i]}" "${base[j]}"
    check "slower captures $i and $j are the same" nothing_changed "${new[i]}" "${new[j]}"
  done
  check "captures $i: the slower layer" that_layer_changed "${base[i]}" "${new[i]}"
done
check "two captures a side are the same" nothing_changed \
  --base "${base[@]:0:2}" --new "${base[@]:2:2}"
check "four captures a side: the slower layer" that_layer_changed \
  --base "${base[@]}" --new "${new[@]}"
check "the step is not 5 % longer" "$bin/prof-report" -r diff --fail-above 5% "${base[0]}" "${new[0]}"
mkdir -p "$out/keep"
cp "${base[@]}" "${new[@]}" "$out/keep/"
finish
