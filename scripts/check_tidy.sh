#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy in parallel over the product's C++ sources (not tests or CUDA sources), in unity
# batches: headers are read once for many files. The static analyzer takes a batch's sources for
# headers, which it checks only on request; it gives up a function after fewer steps than by
# default (225,000), which takes five times as long and finds nothing more.
#
# usage: check_tidy.sh [FILE...]     default: all files
set -euo pipefail
cd "$(dirname "$0")/.."
build=build-tidy
cmake --preset tidy -G Ninja >/dev/null
if [ $# -gt 0 ]; then
  sources=("$@")
  cmake --preset tidy -G Ninja -DCMAKE_UNITY_BUILD=OFF -B $build/single >/dev/null
  build=$build/single
else
  mapfile -t sources < <(python3 - $build <<'PY'
import json, os, sys
commands = json.load(open(os.path.join(sys.argv[1], "compile_commands.json")))
# What is made while building is nobody's writing, and nothing is built here; fmt's functions are fmt's.
batches = {c["file"] for c in commands if os.path.exists(c["file"]) and "/prof_fmt.dir/" not in c["file"]}
# The largest first, so that all cores have work until the end.
for file in sorted(batches, key=lambda file: -os.path.getsize(file)):
    if file.endswith((".cpp", ".cxx")):
        print(file)
PY
)
fi
analyzer=(-analyzer-opt-analyze-headers -analyzer-config max-nodes=5000)
options=(--quiet --extra-arg=-Wno-unknown-warning-option -p "$build")
for option in "${analyzer[@]}"; do
  options+=(--extra-arg=-Xclang "--extra-arg=$option")
done
# A batch includes .cpp files. The wrappers of a library's functions are one template for each of
# hundreds of functions: that of cuFFT is analyzed for all.
check() {
  local checks=-bugprone-suspicious-include
  case $1 in
    */cufft/wrappers.cpp) ;;
    */wrappers.cpp) checks+=,-clang-analyzer-* ;;
  esac
  clang-tidy "--checks=$checks" "${@:2}" "$1"
}
export -f check
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 1 bash -c 'check "${@: -1}" "${@:1:$#-1}"' check "${options[@]}" \
  2> >(grep -v 'warnings\? generated' >&2 || true)
echo "clang-tidy: clean (${#sources[@]} batches or files)"
