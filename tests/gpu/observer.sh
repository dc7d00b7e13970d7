#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# PyTorch's ops as libprof_torch.so observes them: all that emit_nvtx tells and more, of a transformer;
# programs of many kinds give the same; a functional convolution has FLOPs.
# Usage: observer.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
need_modules torch torch
PYTHONPATH=$(cd "$here/../../tools/python" && pwd)
export PYTHONPATH
capture=("$bin/prof-run" -q --force -o)
nothing_said() { ! grep -E '^(prof_torch|prof|Exception in aoti)' "$1"; }
check "marked: runs" "${capture[@]}" "$out/marked.db" -- python3 -m prof_torch --emit-nvtx "$here/torch_steps.py" 6
check "observed: runs" "${capture[@]}" "$out/observed.db" -- python3 -m prof_torch "$here/torch_steps.py" 6 2>"$out/observed.err"
check "observed: nothing on stderr" nothing_said "$out/observed.err"
echo "| kernels, marked | observed | facts lost | gained |"
echo "|---|---|---|---|"
check "a step: all that emit_nvtx tells" python3 "$here/observed_as_marked.py" "$bin/prof-report" "$out/marked.db" "$out/observed.db" 4
check "odd tensors alone: runs" python3 "$here/torch_odd.py" >"$out/alone.txt" 2>"$out/alone.err"
check "odd tensors observed: runs" "${capture[@]}" "$out/odd.db" -- python3 -m prof_torch "$here/torch_odd.py" >"$out/odd.txt" 2>"$out/odd.err"
check "odd tensors: the same output" diff "$out/alone.txt" "$out/odd.txt"
grep -v ': wrote' "$out/odd.err" | head -5
check "odd tensors: nothing on stderr" nothing_said "$out/odd.err"
"$bin/prof-report" -r ops --op 'conv*' -c op,dir,calls,gflop "$out/odd.db" | head -8
check "a functional convolution has FLOPs" test -n "$("$bin/prof-report" -f csv -c flops --op 'conv2d' --dir fprop "$out/odd.db" 2>/dev/null | tail -n +2 | grep '[1-9]')"
check "programs of many kinds, observed" "${capture[@]}" "$out/helper.db" -- python3 "$here/torch_helper.py" 2>"$out/helper.err"
check "programs of many kinds: nothing on stderr" nothing_said "$out/helper.err"
mkdir -p "$out/keep"
cp "$out"/*.err "$out"/*.txt "$out/keep/"
finish
