#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy in parallel over the product's C++ sources (not tests or CUDA sources).
#
# usage: check_tidy.sh BUILD_DIR [FILE...]     default: all files
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
shift || true
if [ ! -f "$build/compile_commands.json" ]; then
  echo "check_tidy: no $build/compile_commands.json; build first (make build)" >&2
  exit 1
fi
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(python3 - "$build" <<'PY'
import json, os, sys
root = os.getcwd()
known = {os.path.realpath(c["file"]) for c in json.load(open(os.path.join(sys.argv[1], "compile_commands.json")))}
for file in sorted(known):
    name = os.path.relpath(file, root)
    if name.endswith(".cpp") and name.split("/")[0] in ("libprof", "collectors", "analyzers", "tools"):
        print(name)
PY
)
fi
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p "$build" 2> >(grep -v 'warnings\? generated' >&2 || true)
echo "clang-tidy: ${#files[@]} files clean"
