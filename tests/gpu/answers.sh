#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Steps and idle time of PyTorch programs with a cause planted in each step: the period is that of
# the program's own timers, the shares are those of an independent sweep over the GPU work, and the
# cause is named with its length. Usage: answers.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
need_modules torch torch
PYTHONPATH=$(cd "$here/../../tools/python" && pwd)
export PYTHONPATH
for cause in none sleep item synchronize pageable malloc loader launch; do
  check "$cause: runs" "$bin/prof-run" -q --force -o "$out/$cause.db" -- \
    python3 -m prof_torch "$here/planted.py" "$cause" --times "$out/$cause.json"
  check "$cause: period, shares and cause" \
    python3 "$here/answers.py" "$bin/prof-report" "$out/$cause.db" "$out/$cause.json"
done
finish
