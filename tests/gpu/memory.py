#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a trace has the allocations that memory.cu has counted. Usage: memory.py PROF_REPORT TRACE COUNTS"""
import csv
import io
import json
import subprocess
import sys

THREADS = 8 * 200  # Pairs of cudaMalloc and cudaFree outside of the layers, of 2 MiB each.
BLOCK = 2 << 20


def rows(report, trace, *options):
    table = subprocess.run(
        [report, "-f", "csv", *options, trace], check=True, capture_output=True, text=True
    ).stdout
    return list(csv.DictReader(io.StringIO(table)))


def main():
    report, trace, counts = sys.argv[1:]
    with open(counts, encoding="utf-8") as file:
        expected = json.load(file)
    peak = expected.pop("peak")
    failures = []

    def compare(what, found, wanted):
        if found != wanted:
            failures.append(f"{what}: {found}, the program counts {wanted}")

    found = {}
    for row in rows(
        report,
        trace,
        "-r",
        "allocations",
        "-c",
        "layer,memory,count,bytes,releases," "released_bytes,unknown_releases",
    ):
        sums = [int(row[word] or 0) for word in ("count", "bytes", "releases", "released_bytes")]
        if row["layer"]:
            found.setdefault(row["layer"], {})[row["memory"]] = sums
        elif row["memory"] == "device":
            compare("threads", sums, [THREADS, THREADS * BLOCK, THREADS, THREADS * BLOCK])
        compare(f"unknown releases of {row['layer']} {row['memory']}", row["unknown_releases"], "0")
    compare("layers", found, expected)
    live = rows(
        report,
        trace,
        "--sql",
        "SELECT max(live_bytes) AS peak, min(live_bytes) AS least, "
        "(SELECT live_bytes FROM allocations WHERE memory = 'device' "
        " ORDER BY start_ns DESC LIMIT 1) AS last FROM allocations WHERE memory = 'device'",
    )
    compare("the peak", int(live[0]["peak"]), peak)
    compare("what is left", int(live[0]["last"]), 0)
    unknown = rows(
        report,
        trace,
        "--sql",
        "SELECT count(*) AS n FROM allocations WHERE function IS "
        "NULL AND memory NOT LIKE '%static' OR operation IS NULL OR device IS NULL",
    )
    compare("rows without a call, an operation or a device", int(unknown[0]["n"]), 0)
    for line in failures:
        print("memory.py: " + line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
