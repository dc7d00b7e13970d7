#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Windows hold exactly what was launched in them, by the program's own count; steps of a PyTorch
# program are the same in a window and in a whole capture; what windows cost, and the time between
# them. Usage: windows.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
package=$(cd "$here/../../tools/python" && pwd)
parts=200
even=$(seq -s, 2 2 $parts)
echo "| trigger, between | windows | launched | recorded | missing | of other parts | mixed | no launch | wrong layer |"
echo "|---|---|---|---|---|---|---|---|---|"
for between in light off; do
  for kind in steps nvtx profiler graphs; do
    [ "$between $kind" = "off graphs" ] && continue
    case $kind in
      steps | graphs) spec=steps:$even ;;
      nvtx) spec=nvtx:decode ;;
      profiler) spec=cuda-profiler-api ;;
    esac
    base=$out/${kind}_$between
    check "$kind, $between: runs" timeout 200 "$bin/prof-run" -q --force --capture "$spec" --between $between \
      -o "$base.db" -- "$programs/windows" $kind $parts >"$base.json" 2>"$base.err"
    cat "$base.err"
    check "$kind, $between: kernels" python3 "$here/windows.py" "$bin/prof-report" "$base.json" \
      "$kind, $between" "$base.db"
  done
done
rm -f "$out"/own-*.db
check "a file for each: runs" timeout 200 "$bin/prof-run" -q --capture "steps:$even" -o "$out/own-%n.db" -- \
  "$programs/windows" steps $parts >"$out/own.json" 2>"$out/own.err"
check "a file for each: kernels" python3 "$here/windows.py" "$bin/prof-report" "$out/own.json" \
  "steps, files of their own" "$out"/own-*.db
"$programs/windows" graphs $parts >"$out/bare.json"
check "the program's own counts are the same" cmp "$out/bare.json" "$out/graphs_light.json"

# times NAME ROUNDS PERIOD COMMAND...: 15 windows of 5 steps, one every PERIOD, after 200 steps.
# Bare runs are without prof_torch, too.
times() {
  local name=$1 rounds=$2 period=$3 spans round between run word bare=()
  shift 3
  for word in "$@"; do [[ $word =~ ^(-m|prof_torch)$ ]] || bare+=("$word"); done
  spans=$(for i in $(seq 0 14); do printf '%d..%d,' $((200 + period * i)) $((204 + period * i)); done)
  for ((round = 1; round <= rounds; round++)); do
    for between in bare light off; do
      run=("$bin/prof-run" -q --force --capture "steps:${spans%,}" --between $between -o "$out/times.db" -- "$@")
      [ $between = bare ] && run=("${bare[@]}")
      timeout 200 "${run[@]}" >"$out/times_${name}_${between}_$round.txt" 2>>"$out/times.err"
    done
  done
  for between in bare light off; do
    python3 "$here/window_times.py" "$name, $between" 200 5 15 "$period" "$out"/times_"${name}_$between"_*.txt
  done
}
echo "| step time (us) | before | in windows | just after one | between | after |"
echo "|---|---|---|---|---|---|"
times launches 7 100 "$programs/windows" times 1900 500

if python3 -c 'import torch' 2>/dev/null; then
  check "PyTorch, whole: runs" env PYTHONPATH="$package" timeout 200 "$bin/prof-run" -q --force -o "$out/whole.db" -- \
    python3 -m prof_torch "$here/torch_steps.py" 14 2>"$out/whole.err"
  check "PyTorch, steps 10 to 12: runs" env PYTHONPATH="$package" timeout 200 "$bin/prof-run" -q --force \
    --capture steps:10..12 -o "$out/part.db" -- python3 -m prof_torch "$here/torch_steps.py" 14 2>"$out/part.err"
  cat "$out/part.err"
  rm -f "$out/own.db"
  check "prof_torch.capture: runs" env PYTHONPATH="$package" PROF_COLLECTOR="$inject" timeout 200 \
    python3 "$here/torch_steps.py" 14 capture "$out/own.db" 10 12 2>"$out/own_torch.err"
  cat "$out/own_torch.err"
  for step in 10 11 12; do
    for trace in part own; do
      check "PyTorch, $trace, step $step: as in the whole capture" python3 "$here/same_steps.py" \
        "$bin/prof-report" "$out/whole.db" $step "$out/$trace.db" $step
    done
  done
  check "PyTorch, backward alone: runs" env PYTHONPATH="$package" timeout 200 "$bin/prof-run" -q --force \
    --capture nvtx:backward#11..13 -o "$out/back.db" -- python3 -m prof_torch --mark always \
    "$here/torch_steps.py" 14 2>"$out/back.err"
  cat "$out/back.err"
  for step in 10 11 12; do
    check "PyTorch, backward alone, step $step: as in the whole capture" python3 "$here/same_steps.py" \
      "$bin/prof-report" "$out/whole.db" $step "$out/back.db" $step "" backward
  done
  PYTHONPATH="$package" times PyTorch 3 60 python3 -m prof_torch "$here/torch_steps.py" 1200 times
else
  echo "SKIPPED: PyTorch steps: no torch for python3" >&2
fi
mkdir -p "$out/keep"
cp "$out"/times_*.txt "$out"/*.err "$out/keep/"
finish
