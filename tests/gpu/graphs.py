# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what graphs.cu says of its kernels with a trace of it.

usage: graphs.py [--any-layer] PROF_REPORT EXPECTED.json KIND TRACE...
Prints a line of a table; ends with 1 if a kernel is missing or in a wrong layer
or step.
"""
import collections
import csv
import io
import json
import subprocess
import sys

COLUMNS = "step,kernel,grid,layer,launch_layer,origin,provenance,launch"


def rows_of(report, traces):
    done = subprocess.run(
        [report, "-r", "kernels", "-f", "csv", "-c", COLUMNS, *traces],
        capture_output=True,
        text=True,
        check=True,
    )
    notes = [line for line in done.stderr.splitlines() if "warning" in line]
    rows = csv.DictReader(io.StringIO(done.stdout))
    return [row for row in rows if "marked" in row["kernel"] and row["origin"] == "graph"], notes


def main():
    any_layer = sys.argv[1] == "--any-layer"
    if any_layer:
        del sys.argv[1]
    report, expected_file, kind = sys.argv[1:4]
    with open(expected_file, encoding="utf-8") as file:
        expected = json.load(file)
    rows, notes = rows_of(report, sys.argv[4:])
    slot = lambda row: int(row["grid"].strip("[]").split(",")[0])
    counts = collections.Counter(slot(row) for row in rows)
    wanted = {int(one): count for one, count in expected["counts"].items()}
    missing = sum((collections.Counter(wanted) - counts).values())
    extra = sum((counts - collections.Counter(wanted)).values())
    layer_ok = [row for row in rows if row["layer"] == f"L{slot(row)}"]
    no_layer = [row for row in rows if row["layer"] in ("", "serve")]
    wrong_layer = len(rows) - len(layer_ok) - len(no_layer)
    without_launch = [row for row in rows if not row["launch"]]
    by_step = collections.defaultdict(list)
    for row in rows:
        if row["step"]:
            by_step[int(row["step"])].append(slot(row))
    wrong_steps = 0
    for step, slots in expected["steps"].items():
        surplus = collections.Counter(by_step[int(step)]) - collections.Counter(slots)
        wrong_steps += sum(surplus.values())
    inherited = sum("layer=inherited" in row["provenance"] for row in rows)
    print(
        f"| {kind} | {sum(wanted.values())} | {len(rows)} | {inherited} | {wrong_layer} |"
        f" {len(no_layer)} | {wrong_steps} | {len(without_launch)} |"
    )
    for note in notes:
        print(f"  {note}")
    return 1 if missing or extra or wrong_layer or wrong_steps or no_layer and not any_layer else 0


if __name__ == "__main__":
    sys.exit(main())
