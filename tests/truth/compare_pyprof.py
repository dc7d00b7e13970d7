#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what libprof makes of a file with what PyProf made of the same one, kernel by kernel: order, names,
times, grids, blocks, device, stream and thread must be equal, and the op must be one of those that PyProf's
markers name around the kernel. Prints how many directions and FLOPs agree, and each kind of difference.

usage: compare_pyprof.py BIN_FOLDER FILE NET.dict [TABLE.csv]

FILE: the input of `python -m pyprof.parse`. NET.dict: its output. TABLE.csv: of `pyprof.prof --csv` with the
column flops."""
import ast
import collections
import csv
import pathlib
import subprocess
import sys
import tempfile

COLUMNS = "kernel,time_ns,grid,block,device,stream,tid,dir,op,flops,provenance"
EQUAL = ("time_ns", "grid", "block", "device", "stream", "tid")


def rows_of_libprof(folder, file):
    with tempfile.TemporaryDirectory() as scratch:
        trace = f"{scratch}/t.db"
        subprocess.run(
            [f"{folder}/prof-import", file, "-o", trace], check=True, capture_output=True
        )
        table = subprocess.run(
            [f"{folder}/prof-report", "-f", "csv", "-c", COLUMNS, trace],
            check=True,
            capture_output=True,
            text=True,
        )
    return list(csv.DictReader(table.stdout.splitlines()))


def rows_of_pyprof(path):
    for line in pathlib.Path(path).read_text().splitlines():
        row = ast.literal_eval(line)
        row.update(
            time_ns=row["kDuration"],
            grid=",".join(map(str, row["grid"])),
            block=",".join(map(str, row["block"])),
        )
        yield row


def plain(name):
    """`__iadd__`, `add_` and `AddBackward0` are all `add`."""
    name = name.split(",")[0].split("Backward")[0].lower().strip("_").rsplit("::", 1)[-1]
    return {"iadd": "add", "imul": "mul", "isub": "sub", "truediv": "div"}.get(name, name)


def names_of_pyprof(row):
    return {plain(name) for name in row["op"] + row["seqMarker"]}


def main():
    folder, file, parsed, *table = sys.argv[1:]
    ours, theirs = rows_of_libprof(folder, file), list(rows_of_pyprof(parsed))
    costs = (
        [row["FLOPs"] for row in csv.DictReader(open(table[0]))] if table else [None] * len(theirs)
    )
    counts, failed = collections.Counter(), []
    if len(ours) != len(theirs):
        failed.append(f"{len(ours)} kernels, {len(theirs)} of PyProf")
    for number, (our, their, cost) in enumerate(zip(ours, theirs, costs), 1):
        for column in EQUAL:
            if our[column] != str(their[column]):
                failed.append(f"kernel {number}: {column} {our[column]}, of PyProf {their[column]}")
        if not our["kernel"].endswith(their["kShortName"]):
            failed.append(f"kernel {number}: {our['kernel']}, of PyProf {their['kShortName']}")
        if our["op"] not in names_of_pyprof(their):
            counts[f"op {our['op']}, of PyProf {' '.join(their['op'])}"] += 1
        else:
            counts["equal ops"] += 1
        same = (
            "equal directions"
            if our["dir"] == their["dir"]
            else f"direction {our['dir']} of {our['op']}, of PyProf {their['dir']}"
        )
        counts[same] += 1
        if cost is not None:
            counts[cost_words(our, float(cost))] += 1
    for what, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:6} {what}")
    for line in failed:
        print(line, file=sys.stderr)
    print(f"{len(ours)} kernels, {len(failed)} differences in what both measure")
    return 1 if failed else 0


def cost_words(our, theirs):
    mine = float(our["flops"]) if our["flops"] else None
    if mine == theirs:
        return "equal FLOPs"
    if mine is None:
        return f"FLOPs unknown, of PyProf {'0' if theirs == 0 else 'some'}"
    return (
        "FLOPs where PyProf has 0" if theirs == 0 else f"other FLOPs than PyProf's of {our['op']}"
    )


if __name__ == "__main__":
    sys.exit(main())
