#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# FLOPs and bytes of programs that are counted by hand (hand_counted.py). Each program is a check of
# its own; what it recorded is printed.
# Usage: hand_counted.sh BUILD_DIR OUT_DIR [PROGRAM...]
. "$(dirname "$0")/lib.sh"
shift 2
need_modules torch torch
programs=("$@")
[ ${#programs[@]} -gt 0 ] || mapfile -t programs < <(python3 "$here/hand_counted.py" list)
package=$(cd "$here/../../tools/python" && pwd)
export PYTHONDONTWRITEBYTECODE=1
for name in "${programs[@]}"; do
  echo "== $name"
  check "capture $name" env PYTHONPATH="$package" "$bin/prof-run" -q --force -o "$out/$name.db" \
    -- python3 -m prof_torch "$here/hand_counted.py" run "$name"
  check "$name" python3 "$here/hand_counted.py" check "$name" "$bin/prof-report" "$out/$name.db"
  [ -f "$out/$name.db" ] && mkdir -p "$out/keep" && gzip -c "$out/$name.db" >"$out/keep/$name.db.gz"
done
finish
