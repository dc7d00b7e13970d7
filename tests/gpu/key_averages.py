#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the report `key_averages` with the entries of torch.profiler's key_averages() for the same program.

usage: key_averages.py [--same-run] PROF_REPORT TRACE.db AVERAGES.json

--same-run: the trace was imported from that very run of torch.profiler, so times are equal, too. Otherwise the
trace is of another run: names and calls are equal, GPU times agree within the noise of two runs. Every
name that differs is listed with its reason; one without a reason fails.
"""
import argparse
import collections
import csv
import io
import json
import subprocess
import sys

# The profiler's own work and what it alone sees, or hides.
REASONS = (
    ("Activity Buffer Request", "overhead of torch.profiler"),
    ("Buffer Flush", "overhead of torch.profiler"),
    ("Instrumentation", "overhead of torch.profiler"),
    ("Lazy Function Loading", "overhead, which -r overhead lists"),
    ("Runtime Triggered Module Loading", "overhead, which -r overhead lists"),
    ("Command Buffer Full", "overhead, which -r overhead lists"),
    ("Resource", "overhead of torch.profiler"),
    ("Unrecognized", "overhead of a kind that torch.profiler does not know"),
    ("layer:", "layers that prof_torch states"),
    ("attrs_of:", "arguments that prof_torch states"),
    ("step:", "steps that prof_torch states"),
    ("NCCL:", "ranges of NCCL itself"),
)


def reason(name):
    return next((why for start, why in REASONS if name.startswith(start)), None)


def of_torch(path):
    """Entries by name; user annotations have one entry more, for their time on the GPU, which is left out."""
    sums = collections.defaultdict(collections.Counter)
    with open(path, encoding="utf-8") as file:
        for entry in json.load(file):
            if entry["is_user_annotation"] and entry["device"] == "CUDA":
                continue
            for word in ("calls", "cpu_us", "self_cpu_us", "cuda_us", "self_cuda_us"):
                sums[entry["name"]][word] += entry[word]
    return sums


def of_report(prof_report, trace):
    out = subprocess.run([prof_report, "-r", "key_averages", "-f", "csv", trace], check=True,
                         capture_output=True, text=True).stdout
    sums = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(io.StringIO(out)):
        entry = sums[row["op"]]
        entry["calls"] += int(row["calls"])
        for word, column in (("cpu_us", "cpu_total_ns"), ("self_cpu_us", "self_cpu_ns"),
                             ("cuda_us", "cuda_total_ns"), ("self_cuda_us", "self_cuda_ns")):
            entry[word] += int(row[column] or 0) / 1000
    return sums


def is_near(one, other, share):
    return abs(one - other) <= 2 + share * max(abs(one), abs(other))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--same-run", action="store_true")
    parser.add_argument("prof_report")
    parser.add_argument("trace")
    parser.add_argument("averages")
    args = parser.parse_args()
    torch, ours = of_torch(args.averages), of_report(args.prof_report, args.trace)
    problems, explained, equal = [], collections.Counter(), 0
    gpu = [0.0, 0.0]
    for name in sorted(set(torch) | set(ours)):
        one, other = torch.get(name), ours.get(name)
        if one is None or other is None or one["calls"] != other["calls"]:
            calls = [None if e is None else e["calls"] for e in (one, other)]
            why = reason(name)
            if why is None:
                problems.append(f"{name}: calls {calls[0]} by torch.profiler, {calls[1]} by us")
            explained[why] += 1
            continue
        equal += 1
        gpu[0] += one["self_cuda_us"]
        gpu[1] += other["self_cuda_us"]
        words = ("cpu_us", "self_cpu_us", "cuda_us", "self_cuda_us") if args.same_run else ("cuda_us",)
        for word in words:
            if not is_near(one[word], other[word], 0.001 if args.same_run else 0.25):
                problems.append(f"{name}: {word} {one[word]:.3f} by torch.profiler, {other[word]:.3f} by us")
    print(f"{equal} names with equal calls; {sum(explained.values())} others: {dict(explained)}")
    print(f"GPU time {gpu[0] / 1000:.3f} ms by torch.profiler, {gpu[1] / 1000:.3f} ms by us")
    print("\n".join(problems[:60]))
    print("EQUAL" if not problems and equal > 100 else f"DIFFERENT: {len(problems)}")
    return 1 if problems or equal <= 100 else 0


if __name__ == "__main__":
    sys.exit(main())
