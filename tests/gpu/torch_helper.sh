#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# prof_torch on real torch: programs of many kinds give the same with and without it; convolutions and
# pooling have the FLOPs of the results that torch made. Usage: torch_helper.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
need_modules torch torch
package=$(cd "$here/../../tools/python" && pwd)
export PYTHONPATH=$package
check "the same with and without the helper" python3 "$here/torch_helper.py" 2>"$out/helper.err"
rm -f "$out"/shapes.*
check "a step of many shapes" "$bin/prof-run" -q -o "$out/shapes.db" -- python3 -m prof_torch "$here/torch_shapes.py" "$out/shapes.json"
check "FLOPs of convolutions and pooling" python3 "$here/torch_shapes.py" --check "$bin/prof-report" "$out/shapes.db" "$out/shapes.json"
finish
