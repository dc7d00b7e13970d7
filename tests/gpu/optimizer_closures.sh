#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Optimizers that run the forward and backward pass in their step (closures of AdamW, LBFGS, SAM, several in
# one, a trainer as Lightning's and Lightning itself), and wrappers (GradScaler, accelerate, hooks,
# accumulation): every kernel has the op, layer, direction, step and provenance that it has where the
# passes run outside. By prof_torch, observed and with emit_nvtx; by torch's emit_nvtx alone; by
# torch.profiler, imported. Usage: optimizer_closures.sh BUILD_DIR OUT_DIR [PROGRAM...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules torch torch
PYTHONPATH=$(cd "$here/../../tools/python" && pwd)
export PYTHONPATH
trace() {  # MODE PROGRAM
  local file=$out/$2.$1
  local program=("$here/optimizer_programs.py" "$2" "$file.json")
  local capture=("$bin/prof-run" -q --force -o "$file.db" -- python3)
  case $1 in
    observed) "${capture[@]}" -m prof_torch "${program[@]}" ;;
    marked) "${capture[@]}" -m prof_torch --emit-nvtx "${program[@]}" ;;
    nvtx) "${capture[@]}" "${program[@]}" --nvtx ;;
    kineto) rm -f "$file.db"
      python3 "${program[@]}" --kineto "$file.kineto.json" &&
        "$bin/prof-import" -o "$file.db" "$file.kineto.json" ;;
  esac
}
echo "| mode | program | kernels | of the optimizer | |"
echo "|---|---|---|---|---|"
for mode in observed marked nvtx kineto; do
  read -r -a programs <<<"$(python3 "$here/optimizer_closures.py" list $mode)"
  [ $# = 0 ] || programs=(loop loop_scaled loop_autocast "$@")
  running=0
  for program in "${programs[@]}"; do
    trace $mode "$program" >"$out/$program.$mode.txt" 2>&1 || echo "$program fails: $(tail -1 "$out/$program.$mode.txt")" >&3 &
    running=$((running + 1))
    [ $((running % 4)) != 0 ] || wait
  done
  wait
  check "$mode: as outside of the optimizer" python3 "$here/optimizer_closures.py" check "$bin/prof-report" "$out" $mode "${programs[@]}"
done
finish
