#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# An ordinary PyTorch script under prof-run: its own status and output, and every kernel that Kineto
# counts in a separate run; and a script that uses torch.profiler itself: CUPTI refuses the second
# profiler, the script continues, and the trace is complete. Usage: torch.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
need_modules "torch, torchvision and transformers" "torch, torchvision, transformers"
rm -f "$out"/torch*.db
check "script under prof-run" "$bin/prof-run" -o "$out/torch.db" -- python3 "$here/torch_work.py" 5 >"$out/torch.txt" 2>"$out/torch.err"
cat "$out/torch.err"
check "stdout is the script's" test "$(grep -cE '^(resnet|bert) ' "$out/torch.txt")" = 2 -a "$(wc -l <"$out/torch.txt")" = 2
check "kineto's count" python3 "$here/torch_count_kineto.py" "$out/torch.json" 5
check "counts" python3 "$here/check_counts.py" "$out/torch.json" "$out/torch.db"
check "report" "$bin/prof-report" "$out/torch.db" >"$out/torch_report.txt"
# torch.profiler inside: what it sees when nobody else profiles, then the same script under prof-run.
python3 "$here/torch_profiler_inside.py" >"$out/torch_alone.txt" 2>/dev/null
alone=$(sed -n 's/^own profiler saw \([0-9]*\) of .*/\1/p' "$out/torch_alone.txt")
check "the script's profiler alone" test "${alone:-0}" -gt 100
"$bin/prof-run" -o "$out/torch_inside.db" -- python3 "$here/torch_profiler_inside.py" >"$out/torch_inside.txt" 2>"$out/torch_inside.err"
status=$?
cat "$out/torch_inside.err"
check "status is the script's" test $status = 9
check "the script's output" grep -q '^own profiler saw' "$out/torch_inside.txt"
kernels=$("$bin/prof-report" -f csv -c idx "$out/torch_inside.db" 2>/dev/null | tail -n +2 | wc -l)
check "every kernel in the trace: three times $alone" test "$kernels" = $((3 * alone))
check "no loss" grep -q ' 0 lost' "$out/torch_inside.err"
finish
