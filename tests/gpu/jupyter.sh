#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# The cell magic %%prof with real torch and a real capture: cells of training steps in one process,
# each with a report of its own steps. Usage: jupyter.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
need_modules torch torch
python3 -c "import IPython" 2>/dev/null || echo "IPython is missing: a stand-in runs the cells" >&2
export PROF_COLLECTOR=$inject PROF_REPORT=$bin/prof-report PYTHONPATH=$here/../../tools/python
check "cells" timeout 200 python3 "$here/jupyter.py" "$out" >"$out/jupyter.txt" 2>"$out/jupyter.err"
cat "$out/jupyter.txt" "$out/jupyter.err"
grep '^ok: ' "$out/jupyter.txt" >&3
check "the trace has the cell's steps and layers" test "$("$bin/prof-report" -f csv \
  --sql "SELECT count(DISTINCT step), sum(layer = 'fc1') > 0 FROM attributed_kernels" \
  "$out/cell.db" 2>/dev/null | tail -1)" = 6,1
finish
