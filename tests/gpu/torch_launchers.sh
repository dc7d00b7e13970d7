#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Training programs that save a checkpoint when a signal comes, under torchrun, timeout, a session
# whose terminal goes, taskset, and suspended as they exit: the same status, output and checkpoints
# with and without prof-run, and no kernel lost. Usage: torch_launchers.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
need_modules torch torch
python3 -B "$here/torch_launchers.py" "$bin" "$out" | tee "$out/rows.txt"
check "launchers of training programs" [ "${PIPESTATUS[0]}" = 0 ]
finish
