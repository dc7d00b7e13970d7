#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Kernels of CUDA graphs of every kind are all recorded, each in the layer of its node and in the
# step of its launch. Usage: graphs.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
kinds="captured added children clones conditional loops memory updates parameters again threads"
echo "| graphs | ran | recorded | inherited | wrong layer | no layer | wrong step | no launch |"
echo "|---|---|---|---|---|---|---|---|"
for kind in $kinds; do
  base=$out/graphs_$kind
  rm -f "$base.db"
  check "$kind: capture" timeout 60 "$bin/prof-run" -q -o "$base.db" -- "$programs/graphs" "$kind" \
    >"$base.json" 2>"$base.err"
  check "$kind: layers and steps" python3 "$here/graphs.py" "$bin/prof-report" "$base.json" \
    "$kind" "$base.db"
done
# Graphs that are made and changed between captures: a capture for each launch.
for kind in ${kinds/ threads/}; do
  base=$out/windows_$kind
  rm -rf "$base"
  mkdir "$base"
  stride=1
  [ "$kind" = updates ] && stride=50
  check "$kind in windows: captures" env WINDOW_STRIDE=$stride WINDOW_OUTPUT="$base/" timeout 120 \
    "$programs/graph_windows" "$kind" >"$base.json" 2>"$base.err"
  check "$kind in windows: layers and steps" python3 "$here/graphs.py" "$bin/prof-report" \
    "$base.json" "$kind, in windows" "$base"/*.db
done
# Windows of prof-run, one for each step. With "off" the graphs' layers are not known, nor can CUPTI
# record the bodies of conditional nodes then.
for between in light off; do
  for kind in captured children conditional loops; do
    [ $between = off ] && [[ $kind =~ ^(conditional|loops)$ ]] && continue
    base=$out/steps_${between}_$kind
    check "$kind, $between: windows" timeout 120 "$bin/prof-run" -q --force --capture "nvtx:step:*" \
      --between $between -o "$base.db" -- "$programs/graphs" "$kind" >"$base.json" 2>"$base.err"
    layers=()
    [ $between = off ] && layers=(--any-layer)
    check "$kind, $between: what ran" python3 "$here/graphs.py" "${layers[@]}" "$bin/prof-report" \
      "$base.json" "$kind, $between" "$base.db"
  done
done
# Recorded as a whole, each launch is a row.
for kind in captured children conditional updates threads; do
  base=$out/whole_$kind
  check "$kind, whole: capture" timeout 60 "$bin/prof-run" -q --force --graph-trace graph \
    -o "$base.db" -- "$programs/graphs" "$kind" >"$base.json" 2>"$base.err"
  check "$kind, whole: launches" python3 "$here/whole_graphs.py" "$bin/prof-report" "$base.db"
done
# The program's own result is the same without a profiler.
alone=${kinds/ threads/}  # whose steps are counted in any order
"$programs/graphs" $alone >"$out/bare.json"
"$bin/prof-run" -q --force -o "$out/all.db" -- "$programs/graphs" $alone >"$out/all.json"
check "all kinds: stdout untouched" cmp "$out/bare.json" "$out/all.json"
mkdir -p "$out/keep"
cp "$out"/graphs_*.db "$out"/graphs_*.json "$out"/windows_*.json "$out/keep/" 2>/dev/null
finish
