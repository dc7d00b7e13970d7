# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a trace of prof-run --graph-trace graph: a row for each launch of a graph, with a time and
the number of its nodes, and no kernels of graphs.

usage: whole_graphs.py PROF_REPORT TRACE
"""
import csv
import io
import sqlite3
import subprocess
import sys


def main():
    report, trace = sys.argv[1:3]
    (launches,) = (
        sqlite3.connect(trace)
        .execute(
            "SELECT count(*) FROM api_call a JOIN api_function f ON f.id = a.function_id"
            " JOIN string s ON s.id = f.name_id WHERE a.depth = 0 AND s.text LIKE 'cu%GraphLaunch'"
        )
        .fetchone()
    )
    done = subprocess.run(
        [report, "-f", "csv", "-c", "kernel,origin,graph_nodes,time_ns", trace],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["origin"] == "graph"]
    wrong = [
        row
        for row in rows
        if not row["kernel"].startswith("[CUDA graph ")
        or not row["graph_nodes"]
        or not row["time_ns"]
    ]
    print(f"{launches} launches, {len(rows)} rows, {len(wrong)} wrong {wrong[:3]}")
    return 0 if launches == len(rows) and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
