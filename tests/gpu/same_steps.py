# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares two steps that do the same, kernel by kernel. Of the other one only the kernels of that
origin count, if one is given: a replay of a graph has launches beside it.

usage: same_steps.py PROF_REPORT ONE.db STEP OTHER.db STEP [ORIGIN [RANGE]]
Only work inside of ranges RANGE, if given; ORIGIN may be empty. Both steps have the same kernels in the same order, with the same layer, op, direction, part, sizes
and FLOPs. Prints a line of a table.
"""
import csv
import io
import subprocess
import sys

COLUMNS = [
    "kernel",
    "layer",
    "op",
    "op_inner",
    "dir",
    "part",
    "params",
    "m",
    "n",
    "k",
    "batch",
    "flops",
    "bytes",
    "share",
]


def rows_of(report, trace, step, origin, inside):
    text = subprocess.run(
        [
            report,
            "-r",
            "kernels",
            "-f",
            "csv",
            "-c",
            ",".join(COLUMNS + ["origin", "start_ns"]),
            "--step",
            step,
            *inside,
            trace,
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    if origin:
        rows = [row for row in rows if row["origin"] == origin]
    return sorted(rows, key=lambda row: int(row["start_ns"]))


def main():
    report, one_file, one_step, other_file, other_step = sys.argv[1:6]
    origin = sys.argv[6] if len(sys.argv) > 6 else ""
    inside = ["--range", sys.argv[7]] if len(sys.argv) > 7 else []
    ones = rows_of(report, one_file, one_step, None, inside)
    others = rows_of(report, other_file, other_step, origin, inside)
    different = dict.fromkeys(COLUMNS, 0)
    first = {}
    for number, (one, other) in enumerate(zip(ones, others)):
        for column in COLUMNS:
            if one[column] != other[column]:
                different[column] += 1
                first.setdefault(
                    column,
                    f"{number}: {one['kernel'][:60]}: {column}"
                    f" {one[column]!r}, other {other[column]!r}",
                )
    of_others = sum(not (row["layer"] and row["op"] and row["dir"]) for row in others)
    of_ones = sum(not (row["layer"] and row["op"] and row["dir"]) for row in ones)
    counts = ", ".join(f"{column} {count}" for column, count in different.items() if count)
    print(f"| {len(ones)} | {len(others)} | {of_ones} | {of_others} | {counts or 'none'} |")
    for line in first.values():
        print(f"  {line}")
    return 0 if len(ones) == len(others) > 0 and not counts else 1


if __name__ == "__main__":
    sys.exit(main())
