#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Measures what every report of prof-report costs, and prints a Markdown table.

Each report is a process of its own that writes to /dev/null, one at a time. A cell has the CPU
seconds (user and system) of the fastest run, and the peak of resident memory over the runs. On a
shared machine CPU seconds vary much less than wall seconds.
"""
import argparse
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

SAVE = "--save"


@dataclass
class Cost:
    cpu_s: float
    wall_s: float
    peak_mb: float
    finished: bool


def listed_reports(program):
    """The names of the reports, in the order of --list."""
    text = subprocess.run(
        [program, "--list", "-f", "json"], check=True, capture_output=True, text=True
    ).stdout
    return [entry["report"] for entry in json.loads(text) if "report" in entry]


def run_once(command, timeout_s):
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    killed = threading.Event()

    def kill():
        killed.set()
        process.kill()

    timer = threading.Timer(timeout_s, kill)
    timer.start()
    errors = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - begin
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 and not killed.is_set():
        sys.exit(f"{shlex.join(command)}: exit status {process.returncode}\n{errors}")
    return Cost(
        usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss * 1024 / 1e6, not killed.is_set()
    )


def measure(make_command, options):
    """The fastest of several runs; a long report runs once."""
    best = run_once(make_command(), options.timeout)
    for _ in range(options.runs - 1):
        if not best.finished or best.wall_s > options.long:
            break
        cost = run_once(make_command(), options.timeout)
        best = Cost(
            min(best.cpu_s, cost.cpu_s),
            min(best.wall_s, cost.wall_s),
            max(best.peak_mb, cost.peak_mb),
            cost.finished,
        )
    return best


def measure_save(trace, options):
    """--save changes the trace, so each run has a copy."""
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        copy = Path(folder, "trace.db")

        def fresh():
            shutil.copyfile(trace, copy)
            return [options.program, str(copy), SAVE]

        return measure(fresh, options)


def measure_case(case, trace, options):
    if case == SAVE:
        return measure_save(trace, options)
    arguments = shlex.split(case) if case.startswith("-") else ["-r", *shlex.split(case)]
    return measure(lambda: [options.program, trace, *arguments], options)


def cells_of(cost, options):
    # A child's peak is never below what this process had when it started the child.
    floor_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    peak = f"{cost.peak_mb:.0f}" if cost.peak_mb > floor_mb else f"< {floor_mb:.0f}"
    if not cost.finished:
        cpu, wall, peak = f"> {cost.cpu_s:.0f}", f"> {options.timeout:g}", f"> {cost.peak_mb:.0f}"
    else:
        cpu, wall = f"{cost.cpu_s:.2f}", f"{cost.wall_s:.2f}"
    return [cpu, wall, peak] if options.wall else [cpu, peak]


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="prof-report")
    parser.add_argument("traces", nargs="+", help="a column each; made by repeat_step.py")
    parser.add_argument("--reports", help="only these, separated by ','; also --save")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="ARGUMENTS",
        help="a row more: a report and its options, such as 'kernels --top 9'",
    )
    parser.add_argument("--runs", type=int, default=3, help="runs of each report (%(default)s)")
    parser.add_argument(
        "--long",
        type=float,
        default=10,
        metavar="SECONDS",
        help="a report that takes longer runs once (%(default)s)",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=600,
        metavar="SECONDS",
        help="wall seconds until a report is stopped (%(default)s)",
    )
    parser.add_argument("--wall", action="store_true", help="print wall seconds, too")
    parser.add_argument("--scratch", help="folder for copies of traces, for --save")
    return parser.parse_args()


def main():
    options = parse_arguments()
    cases = (
        options.reports.split(",")
        if options.reports is not None
        else [*listed_reports(options.program), SAVE]
    )
    cases = [case for case in cases if case] + options.also
    parts = ["CPU s", *(["wall s"] if options.wall else []), "MB"]
    names = [Path(trace).stem for trace in options.traces]
    print_row(["report", *(f"{name}, {part}" for name in names for part in parts)])
    print_row(["---"] + ["---:"] * (len(names) * len(parts)))
    for case in cases:
        row = [f"`{case}`"]
        for trace in options.traces:
            print(f"{case}: {trace}", file=sys.stderr, flush=True)
            row += cells_of(measure_case(case, trace, options), options)
        print_row(row)


if __name__ == "__main__":
    main()
