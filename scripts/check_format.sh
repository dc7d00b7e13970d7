#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Fails if clang-format would change a source file; --fix applies the changes.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run --Werror)
if [ "${1:-}" = --fix ]; then
  mode=(-i)
fi
find libprof collectors analyzers tools reference_models tests -name node_modules -prune -o \
  \( -name '*.hpp' -o -name '*.h' -o -name '*.cpp' -o -name '*.c' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 clang-format "${mode[@]}"
echo "format: clean"
