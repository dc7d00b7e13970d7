#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# FLOPs of products, convolutions and attention, forward and backward, of a dozen PyTorch models
# against torch's FlopCounterMode in another run: equal to the FLOP. What was counted and captured
# is left in OUT_DIR/keep; flop_counter.py compares it again, on any machine.
# Usage: flop_counter.sh BUILD_DIR OUT_DIR [MODEL...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules "torch with FlopCounterMode, torchvision and transformers" \
  "torch, torchvision, transformers, torch.utils.flop_counter"
package=$(cd "$here/../../tools/python" && pwd)
export PYTHONDONTWRITEBYTECODE=1
keep=$out/keep
rm -rf "$keep"
mkdir -p "$keep"
check "counting" timeout 140 python3 "$here/flop_models.py" --count "$keep/counts.json" "$@" \
  >"$keep/counted.txt" 2>"$keep/counted.err"
check "capture" env PYTHONPATH="$package" timeout 140 "$bin/prof-run" -q --force -o "$out/flops.db" -- \
  python3 -m prof_torch --steps off "$here/flop_models.py" "$@" \
  >"$keep/captured.txt" 2>"$keep/captured.err"
cut -d' ' -f1,2 "$keep/counted.txt" >"$out/counted.names"
cut -d' ' -f1,2 "$keep/captured.txt" >"$out/captured.names"
check "the same models ran" diff "$out/counted.names" "$out/captured.names"
"$bin/prof-report" -r kernels -f json "$out/flops.db" >"$keep/kernels.json" 2>"$keep/report.err"
gzip -f "$keep/counts.json" "$keep/kernels.json"
gzip -c "$out/flops.db" >"$keep/flops.db.gz"
check "equal to the FLOP" python3 "$here/flop_counter.py" \
  "$keep/counts.json.gz" "$keep/kernels.json.gz" >"$keep/compared.txt"
cat "$keep/compared.txt"
finish
