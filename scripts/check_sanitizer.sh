#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the unit, golden, adversary and system tests under ASan+UBSan, or those whose
# threads share state, including system tests, under TSan. The install and C API tests are excluded:
# they load the collector into programs built without a sanitizer, whose runtime would have to be
# loaded first. So are sweeps, which compare every report with every other one or with what the docs
# print, on recordings that other tests read, too.
#
# usage: check_sanitizer.sh tsan|asan
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  tsan) target=threaded_tests labels=threaded ;;
  asan) target=sanitized_tests labels='unit|golden|adversary|system' ;;
  *)
    echo "usage: check_sanitizer.sh tsan|asan" >&2
    exit 2
    ;;
esac
have_report=OFF
# Threads are the capture's, and half of this build would be what reads its traces: prof-report is
# another build's.
if [ "$1" = tsan ] && [ -x build/bin/prof-report ]; then
  have_report=ON
  mkdir -p build-tsan/bin
  ln -sf ../../build/bin/prof-report build-tsan/bin/prof-report
fi
cmake --preset "$1" -G Ninja -DPROF_TESTS_HAVE_REPORT=$have_report >/dev/null
cmake --build "build-$1" -j "$(nproc)" --target "$target"
ctest --test-dir "build-$1" --output-on-failure -L "$labels" -LE sweep -E capi_test -j $((3 * $(nproc)))
