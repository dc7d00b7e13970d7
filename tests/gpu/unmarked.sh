#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Programs that mark no steps (unmarked_programs.py): prof-report finds the loop of each that has
# one, with the period of the program's own clock, and none in the others. A program whose packages
# are missing is skipped, loudly. Usage: unmarked.sh BUILD_DIR OUT_DIR [PROGRAM...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules torch torch
names=("$@")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(python3 "$here/unmarked_programs.py" --list)
mkdir -p "$out/keep"

capture() {
  "$bin/prof-run" -q -o "$out/$1.db" -- python3 "$here/unmarked_programs.py" "$1" \
    "$out/$1.json" >"$out/$1.log" 2>&1
  [ $? = 77 ] && touch "$out/$1.skipped"
  return 0
}
judge() {
  if [ -e "$out/$1.skipped" ]; then
    tail -1 "$out/$1.log"
    return 0
  fi
  "$bin/prof-report" -r summary "$out/$1.db" >"$out/keep/$1.summary" 2>&1
  python3 "$here/unmarked_check.py" "$bin/prof-report" "$out/$1.db" "$out/$1.json" \
    >"$out/$1.checked" 2>&1
  local status=$?
  [ $status = 0 ] || tail -3 "$out/$1.log"
  cat "$out/$1.checked" | tee -a "$out/keep/table.md"
  return $status
}

rm -f "$out/keep/table.md"
export -f capture
export here out bin
printf '%s\n' "${names[@]}" | xargs -P "${CAPTURES:-2}" -I {} bash -c 'capture {}'
for name in "${names[@]}"; do check "$name" judge "$name"; done
finish
