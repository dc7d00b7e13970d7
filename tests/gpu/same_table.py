#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Says whether traces have the same kernel table but for times, threads and streams.

Usage: same_table.py PROF_REPORT TRACE.db TRACE.db...
Exit status: 0 the same, 1 not.
"""
import json
import subprocess
import sys

# The name of the trace, ids that a run numbers anew, and what follows from times.
UNSTABLE = (
    "trace",
    "thread",
    "tid",
    "stream",
    "correlation",
    "tflop_per_s",
    "gb_per_s",
    "roofline_pct",
    "bound",
)


def table(report, trace):
    done = subprocess.run(
        [report, "-r", "kernels", "-f", "json", trace], capture_output=True, text=True, check=True
    )
    rows = json.loads(done.stdout)
    for row in rows:
        for key in [key for key in row if key in UNSTABLE or key.endswith("_ns")]:
            row.pop(key)
    return rows


def main():
    report, traces = sys.argv[1], sys.argv[2:]
    if len(traces) < 2:
        sys.exit(__doc__)
    first = table(report, traces[0])
    failed = not first
    print(f"{traces[0]}: {len(first)} kernels")
    for trace in traces[1:]:
        rows = table(report, trace)
        different = next((i for i, (a, b) in enumerate(zip(first, rows)) if a != b), None)
        if len(rows) != len(first):
            print(f"{trace}: {len(rows)} kernels, not {len(first)}")
        if different is not None:
            fields = [
                k for k in first[different] if first[different].get(k) != rows[different].get(k)
            ]
            print(f"{trace}: kernel {different} differs in {', '.join(fields)}:")
            for row in (first[different], rows[different]):
                print("   ", {key: row.get(key) for key in ["kernel", *fields]})
        if len(rows) != len(first) or different is not None:
            failed = True
        else:
            print(f"{trace}: the same")
    return 1 if failed else 0


sys.exit(main())
