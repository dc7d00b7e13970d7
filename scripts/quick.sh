#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs what an edit below DIR breaks first: the unit tests that are linked with it; if
# prof-report is, the text cases and the golden cases, of which those are left out that took 0.6 s
# or more in the last `make test`; if the collector is, the system tests of doors and of the folder.
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
    for case in tests/golden/*.case; do
      name=golden_$(basename "$case" .case)
      grep -qsE "^$name [0-9]+ (0\.[6-9]|[1-9])" "$build/Testing/Temporary/CTestCostData.txt" ||
        tests+=("$name")
    done
  fi
  if is_linked_into tests/analyzers_cases; then
    programs+=(tests/analyzers_cases)
    tests+=('analyzers_cases\..*')
  fi
  if is_linked_into lib/libprof_inject.so && [ "$library" != "${library#collectors}" ]; then
    programs+=(lib/libprof_inject.so bin/prof-run bin/prof-report tests/system/script_app
      standin_cuda standin_cupti13 standin_nvml)
    tests+=(system.doors "system.$(basename "$library")")
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
