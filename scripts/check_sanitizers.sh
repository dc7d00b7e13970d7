#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the unit and golden tests under ASan+UBSan, then under TSan. The system and install
# tests are left out: they load the collector into other programs, whose runtime must come first.
set -euo pipefail
cd "$(dirname "$0")/.."
for sanitizer in ${1:-asan tsan}; do
  echo "== $sanitizer"
  cmake --preset "$sanitizer" -G Ninja >/dev/null
  cmake --build "build-$sanitizer" -j "$(nproc)" --target sanitized_tests
  ctest --test-dir "build-$sanitizer" --output-on-failure -L 'unit|golden' -j "$(nproc)"
done
