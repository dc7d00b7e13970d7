#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the unit, golden, adversary and system tests under ASan+UBSan, and those whose
# threads share state, including system tests, under TSan. The install and C API tests are excluded:
# they load the collector into programs built without a sanitizer, whose runtime would have to be
# loaded first.
#
# usage: check_sanitizers.sh [tsan|asan]     default: both
set -euo pipefail
cd "$(dirname "$0")/.."
check() {
  local sanitizer=$1 target=$2 labels=$3
  echo "== $sanitizer"
  cmake --preset "$sanitizer" -G Ninja >/dev/null
  cmake --build "build-$sanitizer" -j "$(nproc)" --target "$target"
  ctest --test-dir "build-$sanitizer" --output-on-failure -L "$labels" -E capi_test -j "$(nproc)"
}
case ${1:-both} in
  tsan) check tsan threaded_tests threaded ;;
  asan) check asan sanitized_tests 'unit|golden|adversary|system' ;;
  both)
    check tsan threaded_tests threaded
    check asan sanitized_tests 'unit|golden|adversary|system'
    ;;
  *)
    echo "usage: check_sanitizers.sh [tsan|asan]" >&2
    exit 2
    ;;
esac
