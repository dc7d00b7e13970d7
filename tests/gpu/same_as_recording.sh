#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# A fresh capture of ref-dlrm's step matches the bundled recording kernel by kernel: kernel, grid,
# block, layer, op, direction, M, N, K. Usage: same_as_recording.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
columns=kernel,grid,block,layer,op,dir,part,m,n,k
list() { "$bin/prof-report" --step 1 -f csv -c $columns "$1" 2>/dev/null; }
check "import the recording" "$bin/prof-import" --force -o "$out/recorded.db" "$here/../data/dlrm.jsonl.gz"
check "capture" "$bin/prof-run" --force -o "$out/fresh.db" -- "$bin/ref-dlrm"
list "$out/recorded.db" >"$out/recorded.csv"
list "$out/fresh.db" >"$out/fresh.csv"
check "has kernels" test "$(wc -l <"$out/recorded.csv")" -gt 100
check "the same list of kernels" diff -u "$out/recorded.csv" "$out/fresh.csv"
finish
