#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# ref-gpt and PyTorch programs, whose steps run kernel by kernel and as graphs: each kernel has the
# same layer, op, direction, sizes and FLOPs either way. Usage: graph_models.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
package=$(cd "$here/../../tools/python" && pwd)
mkdir -p "$out/keep"
echo "| step | kernels | replayed | unattributed | replayed unattributed | cells that differ |"
echo "|---|---|---|---|---|---|"

small="--warmup 0 --layers 2 --steps 2 --validation 0"
"$bin/prof-run" -q --force -o "$out/gpt.db" -- "$bin/ref-gpt" $small >/dev/null 2>"$out/gpt.err"
"$bin/prof-run" -q --force -o "$out/gpt_graph.db" -- "$bin/ref-gpt" $small --graph >/dev/null \
  2>"$out/gpt_graph.err"
check "ref-gpt: the same with and without a graph" \
  python3 "$here/same_steps.py" "$bin/prof-report" "$out/gpt.db" 1 "$out/gpt_graph.db" 1 graph

if python3 -c 'import torch, transformers' 2>/dev/null; then
  for kind in train decode generate compiled; do
    trace=$out/$kind.db
    rm -f "$trace"
    check "$kind: runs" env PYTHONPATH="$package:$here" timeout 200 "$bin/prof-run" -q -o "$trace" -- \
      python3 -m prof_torch --steps off "$here/torch_graph.py" $kind \
      >"$out/$kind.txt" 2>"$out/$kind.err"
    [ -s "$trace" ] || { tail -5 "$out/$kind.err"; continue; }
    if [ $kind = compiled ] || [ $kind = generate ]; then
      "$bin/prof-report" -r ops --by origin,layer,op --step 2 "$trace" 2>&1 | head -40
    else
      check "$kind: the same with and without a graph" \
        python3 "$here/same_steps.py" "$bin/prof-report" "$trace" 1 "$trace" 2 graph
    fi
    gzip -c "$trace" >"$out/keep/$kind.db.gz"
  done
else
  echo "SKIPPED: PyTorch steps: no torch and transformers for python3" >&2
fi
finish
