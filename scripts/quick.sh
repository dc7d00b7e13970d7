#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs what an edit below DIR breaks first: the unit tests that are linked with it, and,
# if prof-report is, the golden cases that take less than 0.6 s, as the last `make test` measured.
#
# usage: quick.sh BUILD DIR JOBS
set -euo pipefail
build=$1
dir=${2%/}
jobs=$3
if [ ! -d "$dir" ]; then
  echo "quick: '$dir': no such folder; make quick DIR=analyzers/ops" >&2
  exit 2
fi

# The folder's library is that of the nearest folder above which makes one.
library=$dir
while [ "$library" != . ] && ! compgen -G "$build/$library/CMakeFiles/*.dir" >/dev/null; do
  library=$(dirname "$library")
done
is_linked_into() { ninja -C "$build" -t inputs "$1" 2>/dev/null | grep "^$library/" >/dev/null; }

tests=() programs=()
if [ "$library" != . ]; then
  for program in $(ninja -C "$build" -t targets all | sed -n 's|^\(tests/[a-z_]*_test\): CXX_EXECUTABLE.*|\1|p'); do
    is_linked_into "$program" || continue
    programs+=("$program")
    tests+=("$(basename "$program")")
  done
  if is_linked_into bin/prof-report; then
    programs+=(bin/prof-report bin/prof-import)
    mapfile -t cases < <(awk 'NF == 3 && $1 ~ /^golden_/ && $3 > 0 && $3 < 0.6 { print $1 }' \
      "$build/Testing/Temporary/CTestCostData.txt" 2>/dev/null || true)
    tests+=("${cases[@]}" analyzers_cases)
  fi
fi
[ "${dir#tools/python}" = "$dir" ] || tests+=('python\.(unit|torch|trace).*')
[ "${dir#tools/web}" = "$dir" ] || exec scripts/check_web.sh "$build/bin/prof-report"
if [ ${#tests[@]} -eq 0 ]; then
  echo "quick: '$dir': no test is linked with it; make test runs all" >&2
  exit 2
fi

cmake --build "$build" -j "$jobs" ${programs:+--target "${programs[@]}"}
names=$(IFS='|'; echo "${tests[*]}")
exec ctest --test-dir "$build" --output-on-failure -j "$((2 * jobs))" -R "^($names)$"
