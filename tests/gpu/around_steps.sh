#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Steps stay what they are in a plain range, or with a teacher before each: models under `prof-run
# python3 -m prof_torch` in three forms (around_program.py; around_check.py says what is checked).
# CAPTURES at a time (8) share the GPU's memory. OUT_DIR/keep has the table, what is advised, and
# traces of what is wrong. A model whose packages are missing is skipped, loudly.
# Usage: around_steps.sh BUILD_DIR OUT_DIR [MODEL...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules torch torch
captures=${CAPTURES:-8}
most_kept=6000000  # bytes of traces
export OMP_NUM_THREADS=2 GPU_MEMORY_SHARE=$(printf '0.%03d' $((900 / captures)))
export PYTHONPATH=$(cd "$here/../../tools/python" && pwd)
mapfile -t models < <(python3 "$here/around_program.py" --list)
wanted=$(tr ' ' '|' <<<"$*")
[ $# = 0 ] || mapfile -t models < <(printf '%s\n' "${models[@]}" | grep -E "^($wanted) ")
[ ${#models[@]} -gt 0 ] || { echo "no such model: $*" >&2; exit 2; }
mkdir -p "$out/keep"
rm -f "$out"/*.{db,checked,advice.json,skipped,status} "$out"/keep/*

# one MODEL TEXT FORM...: runs and checks it; a form whose program fails does not stop the others.
one() {
  local name=$1 text=$2 status=0 form made=()
  for form in "${@:3}"; do
    timeout 150 "$bin/prof-run" -q -o "$out/$name.$form.db" -- python3 -m prof_torch \
      "$here/around_program.py" "$name" "$form" >"$out/$name.$form.log" 2>&1
    case $? in
      0) made+=("$form") ;;
      77)
        touch "$out/$name.skipped"
        tail -1 "$out/$name.$form.log"
        return
        ;;
      *)
        echo "| $name | $form | - | - | - | PROGRAM FAILED |"
        tail -15 "$out/$name.$form.log" | sed 's/^/  /'
        status=1
        ;;
    esac
  done
  if [ "${made[0]:-}" = plain ]; then
    python3 "$here/around_check.py" "$bin/prof-report" "$out" "$name" "$text" "${made[@]}" 2>&1 ||
      status=1
  fi
  [ $status = 0 ] && rm -f "$out/$name".*.db
  echo $status >"$out/$name.status"
}
judge() {
  tee -a "$out/keep/table.md" <"$out/$1.checked"
  [ -e "$out/$1.skipped" ] || [ "$(cat "$out/$1.status" 2>/dev/null)" = 0 ]
}
# Those of the first models that are wrong, as far as there is room.
keep_traces() {
  local trace kept=0
  for trace in "$out"/*.db; do
    [ -e "$trace" ] || continue
    gzip -9 <"$trace" >"$out/packed"
    kept=$((kept + $(stat -c %s "$out/packed")))
    [ "$kept" -le $most_kept ] || break
    mv "$out/packed" "$out/keep/$(basename "$trace").gz"
  done
}

export -f one
export here out bin
printf '%s\n' "${models[@]}" |
  xargs -P "$captures" -I {} bash -c 'set -- {}; one "$@" >"$out/$1.checked"'
echo "| model | form | steps | kernels a step | in no step | |" | tee "$out/keep/table.md"
echo "|---|---|---|---|---|---|" | tee -a "$out/keep/table.md"
for model in "${models[@]}"; do check "${model%% *}" judge "${model%% *}"; done
cat "$out"/*.advice.json 2>/dev/null | gzip -9 >"$out/keep/advice.jsonl.gz"
keep_traces
skipped=$(ls "$out"/*.skipped 2>/dev/null | wc -l)
right=$((${#models[@]} - skipped - failures))
echo "${#models[@]} models: $right right, $failures wrong, $skipped skipped"
finish
