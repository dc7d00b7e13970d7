#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# prof_torch is python3, with real torch: programs with modules of their own that have names of the
# standard library's print and return what they do alone (where torch cannot do with such a module,
# they fail alike); threads and exit handlers after the end of the main module have layers.
# Usage: torch_python.sh BUILD_DIR OUT_DIR
. "$(dirname "$0")/lib.sh"
need_modules torch torch
PYTHONPATH=$(cd "$here/../../tools/python" && pwd)
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1

# run FILE COMMAND...: its output and status in FILE.txt, its messages in FILE.err.
run() {
  local file=$1
  shift
  "$@" >"$file.txt" 2>"$file.err"
  echo "status $?" >>"$file.txt"
}
has_layers() {
  "$bin/prof-report" -f csv -c layer "$1" | sort -u >"$1.layers"
  for layer in early late last; do grep -qx "$layer" "$1.layers" || return 1; done
}

worked=()
for name in time signal json argparse locale gettext queue string secrets select ctypes types; do
  folder=$out/$name
  mkdir -p "$folder"
  cp "$here/torch_python.py" "$folder/program.py"
  [ $name = time ] || printf 'me = "is the program'"'"'s own"\n' >"$folder/$name.py"
  run "$folder/alone" python3 "$folder/program.py" $name -m x
  run "$folder/ours" "$bin/prof-run" -q --force -o "$folder/trace.db" -- \
    python3 -m prof_torch "$folder/program.py" $name -m x
  check "own $name.py: output and status" diff "$folder/alone.txt" "$folder/ours.txt"
  [ "$(tail -1 "$folder/alone.txt")" = "status 7" ] || continue
  worked+=("$name")
  check "own $name.py: messages" diff "$folder/alone.err" "$folder/ours.err"
  check "own $name.py: layers of the late work" has_layers "$folder/trace.db"
done
echo "torch works with the program's own: ${worked[*]}"
check "torch works with some" test ${#worked[@]} -gt 1
finish
