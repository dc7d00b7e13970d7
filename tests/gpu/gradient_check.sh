#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# A reference program's gradient check passes, and fails if any single gradient term is omitted.
#
# usage: gradient_check.sh PATH/TO/ref-MODEL
set -u

if [ $# -ne 1 ]; then
  echo "usage: $0 PATH/TO/ref-MODEL" >&2
  exit 2
fi
program=$1
failures=0

if ! output=$("$program" --check); then
  echo "FAIL: the check fails with no term left out:"
  printf '%s\n' "$output" | grep -v PASS
  exit 1
fi

terms=$("$program" --list-gradient-terms) || exit 1
count=0
for term in $terms; do
  count=$((count + 1))
  output=$("$program" --check --drop-gradient "$term" 2>&1)
  code=$?
  # Exit code 1 alone could be a crash or a missing GPU: the verdict must be there too.
  if [ "$code" -ne 1 ] || ! printf '%s\n' "$output" | grep -q '^check FAILED'; then
    echo "FAIL: without $term the check ended with code $code:"
    printf '%s\n' "$output" | tail -n 3
    failures=$((failures + 1))
  fi
done

if [ "$count" -lt 10 ]; then
  echo "FAIL: only $count gradient terms listed"
  exit 1
fi
echo "$count gradient terms left out one by one, $failures not noticed"
[ "$failures" -eq 0 ]
