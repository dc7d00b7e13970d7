#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# An ordinary PyTorch script under prof-run: its own status and output, every kernel that Kineto counts
# in a run of its own, and a clear line where the script uses torch.profiler itself.
# Usage: torch.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
python3 -c 'import torch, torchvision, transformers' 2>/dev/null || {
  echo "SKIPPED: no torch, torchvision and transformers for python3" >&2
  exit 77
}
rm -f "$out"/torch*.db
check "script under prof-run" "$bin/prof-run" -o "$out/torch.db" -- python3 "$here/torch_work.py" 5 >"$out/torch.txt" 2>"$out/torch.err"
cat "$out/torch.err"
check "stdout is the script's" test "$(grep -cE '^(resnet|bert) ' "$out/torch.txt")" = 2 -a "$(wc -l <"$out/torch.txt")" = 2
check "kineto's count" python3 "$here/torch_count_kineto.py" "$out/torch.json" 5
check "counts" python3 "$here/check_counts.py" "$out/torch.json" "$out/torch.db"
check "report" "$bin/prof-report" "$out/torch.db" >"$out/torch_report.txt"
# torch.profiler inside: the script runs on with its own status; one line and a loss row say what happened.
"$bin/prof-run" -o "$out/torch_inside.db" -- python3 "$here/torch_profiler_inside.py" >"$out/torch_inside.txt" 2>"$out/torch_inside.err"
status=$?
cat "$out/torch_inside.err"
check "status is the script's" test $status = 9
check "script's own profiler works" grep -q 'own profiler saw True' "$out/torch_inside.txt"
check "one line names the cause" test "$(grep -c '^prof: .*profiler' "$out/torch_inside.err")" -ge 1
check "loss row" python3 - "$here/../system" "$out/torch_inside.db" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import trace_db
losses = trace_db.Trace(sys.argv[2]).losses()
print(losses)
sys.exit(0 if "taken_over" in losses or "launch_without_record" in losses else 1)
PYTHON
finish
