#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# The L2's bandwidth, for analyzers/devices/limits.inc, and programs of many limits: no kernel beats
# its roofline unsaid, and FLOPs and bytes are known for 98 % of the GPU's time.
# Usage: limits.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
[ -x "$build/bench/l2_bandwidth" ] && "$build/bench/l2_bandwidth"
need_modules torch torch
package=$(cd "$here/../../tools/python" && pwd)
export PYTHONDONTWRITEBYTECODE=1
check "capture" env PYTHONPATH="$package" "$bin/prof-run" -q --force -o "$out/limits.db" -- \
  python3 -m prof_torch "$here/limits.py" run
check "limits" python3 "$here/limits.py" check "$bin/prof-report" "$out/limits.db"
mkdir -p "$out/keep" && gzip -c "$out/limits.db" >"$out/keep/limits.db.gz"
finish
