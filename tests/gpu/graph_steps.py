# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares two steps that do the same: one launched kernel by kernel, one the replay of a graph.

usage: graph_steps.py PROF_REPORT EAGER.db STEP GRAPH.db STEP
Both steps have the same kernels in the same order, with the same layer, op, direction, part, sizes
and FLOPs. Prints a line of the table in docs/graphs.md.
"""
import csv
import io
import subprocess
import sys

COLUMNS = ["kernel", "layer", "op", "op_inner", "dir", "part", "params", "m", "n", "k", "batch", "flops",
           "bytes", "share"]


def rows_of(report, trace, step, is_graph):
    text = subprocess.run(
        [report, "-r", "kernels", "-f", "csv", "-c", ",".join(COLUMNS + ["origin", "start_ns"]),
         "--step", step, trace], capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    if is_graph:
        rows = [row for row in rows if row["origin"] == "graph"]
    return sorted(rows, key=lambda row: int(row["start_ns"]))


def main():
    report, eager_file, eager_step, graph_file, graph_step = sys.argv[1:6]
    eager = rows_of(report, eager_file, eager_step, False)
    replayed = rows_of(report, graph_file, graph_step, True)
    different = dict.fromkeys(COLUMNS, 0)
    first = {}
    for number, (one, other) in enumerate(zip(eager, replayed)):
        for column in COLUMNS:
            if one[column] != other[column]:
                different[column] += 1
                first.setdefault(column, f"{number}: {one['kernel'][:60]}: {column}"
                                         f" {one[column]!r}, replayed {other[column]!r}")
    unattributed = sum(not (row["layer"] and row["op"] and row["dir"]) for row in replayed)
    of_eager = sum(not (row["layer"] and row["op"] and row["dir"]) for row in eager)
    counts = ", ".join(f"{column} {count}" for column, count in different.items() if count)
    print(f"| {len(eager)} | {len(replayed)} | {of_eager} | {unattributed} | {counts or 'none'} |")
    for line in first.values():
        print(f"  {line}")
    return 0 if len(eager) == len(replayed) > 0 and not counts else 1


if __name__ == "__main__":
    sys.exit(main())
