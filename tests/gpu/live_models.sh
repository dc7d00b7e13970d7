#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Steps of many kinds of models (live_models.py) under `prof-run python3 -m prof_torch`, against
# torch.profiler, kernel by kernel, and against the program's own clock. A model whose packages are
# missing is skipped, loudly. Usage: live_models.sh BUILD_DIR OUT_DIR [MODEL...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules torch torch
models=("$@")
[ ${#models[@]} -gt 0 ] || mapfile -t models < <(python3 "$here/live_models.py" --list)
package=$(cd "$here/../../tools/python" && pwd)
mkdir -p "$out/keep"

# What torch.profiler says needs no GPU of its own: several at a time.
record() {
  python3 "$here/live_models.py" "$1" --truth "$out/$1.truth.gz" >"$out/$1.log" 2>&1
  [ $? = 77 ] && echo skipped >"$out/$1.skipped"
  return 0
}
capture() {
  [ -e "$out/$1.skipped" ] && return
  PYTHONPATH=$package "$bin/prof-run" -q -o "$out/$1.db" -- python3 -m prof_torch \
    "$here/live_models.py" "$1" --clock "$out/$1.json" >>"$out/$1.log" 2>&1
}
judge() {
  local status
  if [ -e "$out/$1.skipped" ]; then
    tail -1 "$out/$1.log"
    return 0
  fi
  "$bin/prof-report" -r summary "$out/$1.db" >"$out/keep/$1.summary" 2>&1
  python3 "$here/live_check.py" "$bin/prof-report" "$out/$1.db" "$out/$1.truth.gz" "$out/$1.json" \
    >"$out/$1.checked" 2>&1
  status=$?
  [ $status = 0 ] || tail -3 "$out/$1.log"
  head -1 "$out/$1.checked" >>"$out/keep/table.md"
  cat "$out/$1.checked"
  return $status
}

rm -f "$out/keep/table.md"
export -f record capture
export here out bin package
printf '%s\n' "${models[@]}" | xargs -P 8 -I {} bash -c 'record {}'
printf '%s\n' "${models[@]}" | xargs -P "${CAPTURES:-1}" -I {} bash -c 'capture {}'
for model in "${models[@]}"; do check "$model" judge "$model"; done
finish
