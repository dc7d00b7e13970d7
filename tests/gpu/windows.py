# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what windows.cu says of its parts with a trace of its windows.

usage: windows.py PROF_REPORT EXPECTED.json KIND TRACE...
Prints a line of a table; ends with 1 if a window lacks a kernel or has another's.
"""
import collections
import csv
import io
import json
import subprocess
import sys

GRAPH = 4095  # The grid of the graph's kernels.


def main():
    report, expected_file, kind = sys.argv[1:4]
    with open(expected_file, encoding="utf-8") as file:
        expected = json.load(file)
    done = subprocess.run(
        [
            report,
            "-r",
            "kernels",
            "-f",
            "csv",
            "-c",
            "trace,capture,grid,layer,step,launch,origin",
            *sys.argv[4:],
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [row for row in csv.DictReader(io.StringIO(done.stdout))]
    slot = lambda row: int(row["grid"].strip("[]").split(",")[0])
    parts = collections.Counter(slot(row) for row in rows if slot(row) != GRAPH)
    wanted = {int(part): count for part, count in expected["inside"].items()}
    missing = sum((collections.Counter(wanted) - parts).values())
    extra = sum((parts - collections.Counter(wanted)).values())
    # A part is one window.
    windows = collections.defaultdict(set)
    for row in rows:
        if slot(row) != GRAPH:
            windows[row["trace"], row["capture"]].add(slot(row))
    mixed = sum(len(found) != 1 for found in windows.values())
    graph_rows = [row for row in rows if slot(row) == GRAPH]
    replayed = expected["replays_inside"] * 3
    unlaunched = sum(not row["launch"] for row in rows)
    wrong_layer = sum("made" not in row["layer"] for row in graph_rows)
    print(
        f"| {kind} | {len(windows)} | {sum(wanted.values()) + replayed} | {len(rows)} | {missing + max(0, replayed - len(graph_rows))} |"
        f" {extra + max(0, len(graph_rows) - replayed)} | {mixed} | {unlaunched} | {wrong_layer if graph_rows else ''} |"
    )
    for line in done.stderr.splitlines():
        if "warning" in line and "without a layer" not in line:
            print("  " + line)
    return (
        1
        if missing
        or extra
        or mixed
        or unlaunched
        or wrong_layer
        or len(graph_rows) != replayed
        or len(windows) != len(wanted)
        else 0
    )


sys.exit(main())
