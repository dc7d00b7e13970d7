#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what prof-report says of the steps of tests/gpu/planted.py with what the program says.

usage: answers.py PROF_REPORT TRACE.db TIMES.json
"""
import csv
import io
import json
import statistics
import subprocess
import sys

FIRST = 3  # steps before it warm up
STATES = ("computing", "collective", "copying", "idle")


def rows(report, trace, *arguments):
    done = subprocess.run(
        [report, "-f", "csv", *arguments, trace], check=True, capture_output=True, text=True
    )
    return list(csv.DictReader(io.StringIO(done.stdout)))


def swept(work, begin, end):
    """How long each state lasts between two times, by counting what runs at each change."""
    changes = []
    for row in work:
        kind = 2 if row["kind"] != "kernel" else 1 if "nccl" in row["kernel"] else 0
        first, last = int(row["start_ns"]), int(row["start_ns"]) + int(row["time_ns"])
        if last > begin and first < end:
            changes += [(max(first, begin), kind, 1), (min(last, end), kind, -1)]
    changes.sort()
    running, times, now = [0, 0, 0], [0, 0, 0, 0], begin
    for time, kind, change in changes + [(end, 0, 0)]:
        state = next((i for i in range(3) if running[i]), 3)
        times[state] += time - now
        now = time
        running[kind] += change
    return times


def main():
    report, trace, times_path = sys.argv[1:]
    with open(times_path, encoding="utf-8") as file:
        told = json.load(file)
    problems = []
    steps = [
        row
        for row in rows(report, trace, "--sql", "SELECT * FROM step_times")
        if FIRST <= int(row["step"]) < len(told["gpu_ms"]) - 1
    ]
    period = statistics.median(int(row["period_ns"]) / 1e6 for row in steps)
    timer = statistics.median(told["gpu_ms"][int(row["step"])] for row in steps)
    print(f"{told['cause']}: period {period:.3f} ms, the program's timer {timer:.3f} ms")
    if abs(period / timer - 1) > 0.01:
        problems.append("the period is not that of the program's timer")
    work = rows(report, trace, "-r", "gpu", "-c", "start_ns,time_ns,kind,kernel")
    for row in steps:
        begin = int(row["start_ns"])
        expected = swept(work, begin, begin + int(row["period_ns"]))
        found = [int(row[state + "_ns"]) for state in STATES]
        if found != expected:
            problems.append(f"step {row['step']}: {found}, by a sweep {expected}")
    causes = {cause: 0.0 for cause in ("host", "synchronize", "allocate", "launch")}
    for row in rows(
        report,
        trace,
        "--sql",
        "SELECT step, cause, sum(time_ns) AS ns "
        "FROM device_times WHERE state = 'idle' GROUP BY 1, 2",
    ):
        if row["step"] and FIRST <= int(row["step"]) < len(told["gpu_ms"]) - 1:
            causes[row["cause"]] = causes.get(row["cause"], 0) + int(row["ns"]) / 1e6 / len(steps)
    print("  idle, ms a step:", {cause: round(time, 3) for cause, time in sorted(causes.items())})
    problems += wrong_causes(told, causes, steps, timer)
    for problem in problems:
        print(" ", problem)
    return 1 if problems else 0


def wrong_causes(told, causes, steps, timer):
    """What is not as planted."""
    cause = told["cause"]
    planted = statistics.median(told["planted_ms"][FIRST:]) if told["planted_ms"] else 0
    idle = sum(causes.values())
    named = max(("host", "synchronize", "allocate", "launch"), key=lambda word: causes[word])
    copying = statistics.mean(int(row["copying_ns"]) / 1e6 for row in steps)
    if cause == "none":
        return [] if idle < 0.05 * timer else ["idle, though nothing is planted"]
    if cause == "sleep":
        is_near = abs(causes["host"] / planted - 1) < 0.1
        return [] if is_near else [f"host {causes['host']:.3f} ms, planted {planted:.3f} ms"]
    if cause in ("item", "synchronize"):
        return [] if causes["synchronize"] > 0.1 else ["no time by waiting calls"]
    if cause == "pageable":
        return [] if copying > 1 else ["no exposed copy"]
    expected = {"malloc": "allocate", "loader": "host", "launch": "launch"}[cause]
    return [] if named == expected else [f"{named} is the largest cause, not {expected}"]


if __name__ == "__main__":
    sys.exit(main())
