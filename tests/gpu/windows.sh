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
    check "$kind, $between: runs" timeout 200 "$bin/prof-run" -q -f --capture "$spec" --between $between \
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

# 16 windows of 4 steps, one every 40, after 100 steps and before 100.
spans=$(for i in $(seq 0 15); do printf '%d..%d,' $((100 + 40 * i)) $((103 + 40 * i)); done)
echo "| step time (us) | before | in windows | between | after |"
echo "|---|---|---|---|---|"
for round in 1 2 3; do
  "$programs/windows" times 840 500 >"$out/times_bare_$round.txt"
  for between in light off; do
    timeout 200 "$bin/prof-run" -q -f --capture "steps:${spans%,}" --between $between -o "$out/times_$between.db" -- \
      "$programs/windows" times 840 500 >"$out/times_${between}_$round.txt" 2>>"$out/times.err"
  done
done
for name in bare light off; do
  python3 "$here/window_times.py" $name 100 103 16 40 "$out"/times_${name}_*.txt
done

if python3 -c 'import torch' 2>/dev/null; then
  check "PyTorch, whole: runs" env PYTHONPATH="$package" timeout 200 "$bin/prof-run" -q -f -o "$out/whole.db" -- \
    python3 -m prof_torch "$here/torch_steps.py" 14 2>"$out/whole.err"
  check "PyTorch, steps 10 to 12: runs" env PYTHONPATH="$package" timeout 200 "$bin/prof-run" -q -f \
    --capture steps:10..12 -o "$out/part.db" -- python3 -m prof_torch "$here/torch_steps.py" 14 2>"$out/part.err"
  cat "$out/part.err"
  rm -f "$out/own.db"
  check "prof_torch.capture: runs" env PYTHONPATH="$package" PROF_COLLECTOR="$inject" timeout 200 \
    python3 "$here/torch_steps.py" 14 capture "$out/own.db" 10 12 2>"$out/own_torch.err"
  cat "$out/own_torch.err"
  for step in 10 11 12; do
    for trace in part own; do
      check "PyTorch, $trace, step $step: as in the whole capture" python3 "$here/graph_steps.py" \
        "$bin/prof-report" "$out/whole.db" $step "$out/$trace.db" $step
    done
  done
else
  echo "SKIPPED: PyTorch steps: no torch for python3" >&2
fi
finish
