#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Fails if clang-format or, for Python, black would change a source file; --fix applies the changes.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run --Werror)
python_mode=(--check)
if [ "${1:-}" = --fix ]; then
  mode=(-i)
  python_mode=()
fi
find libprof collectors analyzers tools reference_models tests -name node_modules -prune -o \
  \( -name '*.hpp' -o -name '*.h' -o -name '*.cpp' -o -name '*.c' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 clang-format "${mode[@]}"
# Programs without .py begin with its name.
{
  git ls-files '*.py'
  git grep -lI '^#!/usr/bin/env python3' -- ':!*.py' ':!*.md' || true
} | sort -u | xargs black --quiet --line-length 100 --skip-magic-trailing-comma "${python_mode[@]}" ||
  { echo "format: black would change Python; scripts/check_format.sh --fix does" >&2; exit 1; }
echo "format: clean"
