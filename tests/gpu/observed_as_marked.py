# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a step whose ops were observed says all that one marked by emit_nvtx says, and how much more.

usage: observed_as_marked.py PROF_REPORT MARKED.db OBSERVED.db STEP
"""
import sys

from same_steps import COLUMNS, rows_of


def main():
    report, marked_file, observed_file, step = sys.argv[1:]
    marked, observed = (
        rows_of(report, path, step, None, []) for path in (marked_file, observed_file)
    )
    lost, gained = 0, 0
    for one, other in zip(marked, observed):
        for column in COLUMNS:
            if one[column] == other[column]:
                continue
            if one[column] == "":
                gained += 1
            else:
                lost += 1
                print(f"{one['kernel'][:50]}: {column} {one[column]!r}, observed {other[column]!r}")
    print(f"| {len(marked)} | {len(observed)} | {lost} | {gained} |")
    return 0 if len(marked) == len(observed) > 0 and lost == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
