#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints the words of README.md and the pages of docs: written by hand, generated, page. A word has a
# letter or a digit. Generated are pages that say so in their first lines, tables between
# `<!-- NAME table -->` and its end, those of tests/bench/ranks_truth.py, and blocks of text, which
# programs print.
# usage: count_words.sh [--most N]: fails if more than N are by hand
set -euo pipefail
cd "$(dirname "$0")/.."

most=0
if [ "${1:-}" = --most ]; then most=$2; fi
git ls-files README.md 'docs/*.md' | xargs awk -v most="$most" '
  FNR == 1 {
    whole = made = 0
    inside = printout = 0
    pages[++count] = FILENAME
  }
  FNR <= 3 && /Generated |as `prof-fleet tables` prints it/ { whole = 1 }
  /^\| ranks \| way \| collectives \|/ { made = 1 }
  !/^\|/ { made = 0 }
  /^<!-- [a-z]+ table -->$/ { inside = 1 }
  /^```/ { printout = /^```text$/ }
  {
    words = 0
    for (i = 1; i <= NF; ++i) words += $i ~ /[A-Za-z0-9]/
    if (whole || inside || made || printout) generated[FILENAME] += words
    else by_hand[FILENAME] += words
  }
  /^<!-- end of [a-z]+ table -->$/ { inside = 0 }
  END {
    for (i = 1; i <= count; ++i) {
      printf "%7d %7d %s\n", by_hand[pages[i]], generated[pages[i]], pages[i]
      total_by_hand += by_hand[pages[i]]
      total_generated += generated[pages[i]]
    }
    printf "%7d %7d by hand, generated\n", total_by_hand, total_generated
    if (most && total_by_hand > most) {
      printf "words: %d too many by hand\n", total_by_hand - most > "/dev/stderr"
      exit 1
    }
  }'
