#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""On every recording, what prof-report chooses, orders and sums up is what Python makes of all kernels.

usage: choices_agree.py BIN_DIR DATA_DIR
"""
import csv
import fnmatch
import io
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile


class Trace:
    def __init__(self, bin_dir, recording, path):
        self.name, self.report, self.path = recording.name, bin_dir / "prof-report", path
        subprocess.run(
            [bin_dir / "prof-import", "-o", path, recording], check=True, capture_output=True
        )
        self.kernels = self.rows()

    def rows(self, *options):
        done = subprocess.run(
            [self.report, "-f", "csv", *options, self.path],
            capture_output=True,
            text=True,
            check=True,
        )
        return list(csv.DictReader(io.StringIO(done.stdout)))


def quantile(values, fraction):
    """As numpy.percentile by default."""
    ordered = sorted(values)
    place = fraction * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def statistics_of(times):
    return {
        "median_ns": statistics.median(times),
        "p95_ns": quantile(times, 0.95),
        "stddev_ns": statistics.stdev(times) if len(times) > 1 else 0.0,
        "min_ns": min(times),
        "max_ns": max(times),
        "mean_ns": statistics.fmean(times),
    }


def check_statistics(trace):
    keys = ("op", "dir", "tc", "grid")
    groups = {}
    for row in trace.kernels:
        if row["time_ns"]:
            groups.setdefault(tuple(row[key] for key in keys), []).append(int(row["time_ns"]))
    words = ",".join(keys) + ",kernels,median_ns,p95_ns,stddev_ns,min_ns,max_ns,mean_ns"
    rows = trace.rows("-r", "ops", "-c", words)
    found = {tuple(row[key] for key in keys): row for row in rows}
    for key, times in groups.items():
        for word, expected in statistics_of(times).items():
            if not math.isclose(float(found[key][word]), expected, rel_tol=1e-9, abs_tol=1e-9):
                yield f"{key}: {word} is {found[key][word]}, not {expected}"
    if len(found) < len(groups):
        yield f"{len(found)} groups instead of {len(groups)}"


def check_filters(trace):
    ops = sorted({row["op"] for row in trace.kernels if row["op"]})
    patterns = [ops[0], ops[-1][:2] + "*"] if ops else ["*"]
    options = [option for pattern in patterns for option in ("--op", pattern)]
    expected = [
        row
        for row in trace.kernels
        if any(fnmatch.fnmatchcase(row["op"], one) for one in patterns) and row["op"]
    ]
    if trace.rows(*options) != expected:
        yield f"{options}: other kernels than those of Python"
    shapes = trace.rows("-r", "ops", *options, "--by", "kernel")
    if sum(int(row["kernels"]) for row in shapes) != len(expected):
        yield f"{options}: a roll-up has other kernels than the list"
    steps = [int(row["step"]) for row in trace.kernels if row["step"]]
    if steps:
        last = [row for row in trace.kernels if row["step"] == str(max(steps))]
        if trace.rows("--step", "last") != last:
            yield f"--step last is not step {max(steps)}"


def check_lines(trace):
    slow = [row for row in trace.kernels if row["time_ns"] and int(row["time_ns"]) > 5000]
    if trace.rows("--where", "time_us > 5") != slow:
        yield "--where: other kernels than those of Python"
    ordered = sorted(slow, key=lambda row: -int(row["time_ns"]))  # Stable, as prof-report is.
    if trace.rows("--where", "time_ns > 5000", "--sort", "time_us", "--top", "7") != ordered[:7]:
        yield "--sort and --top: other lines than those of Python"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bin_dir, data = map(pathlib.Path, sys.argv[1:])
    recordings = sorted(f for f in data.glob("*.jsonl.gz") if ".truth." not in f.name)
    found = [] if recordings else [f"no recordings in {data}"]
    for recording in recordings:
        with tempfile.TemporaryDirectory() as folder:
            trace = Trace(bin_dir, recording, pathlib.Path(folder) / "trace.db")
            for check in (check_statistics, check_filters, check_lines):
                found += [f"{trace.name}: {difference}" for difference in check(trace)]
    print("\n".join(found) or f"choices agree on {len(recordings)} recordings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
