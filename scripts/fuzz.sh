#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes every reader of untrusted input under ASan and UBSan, as many at a time as there are cores:
# the parsers of tests/fuzz, and `reports`, which is every report of damaged traces and streams
# (tests/adversary). Prints one line a reader. Each reader's seed is the time, and printed, so that
# every run tries other inputs; the same seed repeats them.
#
# usage: fuzz.sh [SECONDS [READER...]]     default: 3600 seconds each, all readers
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-3600}
shift || true
build=build-asan
cmake --preset asan -G Ninja >/dev/null
cmake --build $build -j "$(nproc)" --target fuzz_parsers fuzz_traces >&2
parsers=$build/bin/fuzz_parsers traces=$build/bin/fuzz_traces
seed=${PROF_FUZZ_SEED:-$(date +%s)}
readers=("$@")
[ $# -gt 0 ] || mapfile -t readers < <("$parsers" --list && echo reports)
echo "seed $seed"
# Scratch files in memory: most of a round would be writing them.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
export parsers traces seconds seed
# shellcheck disable=SC2016  # expanded by the shell that xargs starts
printf '%s\n' "${readers[@]}" | xargs -P "$(nproc)" -n 1 bash -o pipefail -c '
  if [ "$1" = reports ]; then
    "$traces" "$seconds" tests/golden/streams "$seed" | sed "s/^/reports: /"
  else
    "$parsers" "$seconds" tests/fuzz/corpus "$1" "$seed"
  fi' bash
