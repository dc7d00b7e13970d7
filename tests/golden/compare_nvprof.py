#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the report nvprof, cell by cell, with what plain Python makes of made-up programs.

usage: compare_nvprof.py --bin DIR [--programs N] [--seed N]

The programs are those of compare_nsys.py: ranges that nest, overlap, are popped out of order or
never, and end on other threads. Here some calls launch several pieces of work, and some pops have
no push. A call is inside a range if it lies within the range's times on the range's thread.
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import golden_options
from compare_nsys import DOMAINS, KERNELS, PID, TIDS, Program

COPIES = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP"}


class NvprofProgram(Program):
    """With calls that launch several pieces of work, as graphs do, and pops without a push."""

    def __init__(self, seed):
        super().__init__(seed)
        self.lone_pops = self.random.choice((0, 0, 1, 7))

    def launch(self, thread):
        super().launch(thread)
        for _ in range(self.random.choice((0, 0, 0, 1, 2))):
            first = self.work[-1]
            if first["start"] is not None:
                again = dict(
                    first, start=first["end"] + 1, end=first["end"] + self.random.randint(2, 90)
                )
                self.work.append(again)

    def stream(self):
        if self.lone_pops:
            self.lines.append({"record": "loss", "what": "unbalanced_pop", "count": self.lone_pops})
        return super().stream()

    def name_of(self, work):
        if work["kind"] == "kernel":
            return KERNELS[work["name"]]
        return (
            "[CUDA memset]"
            if work["kind"] == "memset"
            else f"[CUDA memcpy {COPIES[work['copy_kind']]}]"
        )

    def invalid_markers(self):
        return self.lone_pops + sum(opened.time is None for opened in self.ranges)

    def lines_of(self, head, kind, items):
        """The lines of one type: sums by name, most time first."""
        times = {}
        for name, time in items:
            times.setdefault(name, []).append(time)
        total = sum(map(sum, times.values()))
        rows = [
            head
            | {
                "type": kind,
                "time_pct": 100 * sum(each) / total,
                "time_ns": sum(each),
                "calls": len(each),
                "avg_ns": sum(each) // len(each),
                "min_ns": min(each),
                "max_ns": max(each),
                "name": name,
            }
            for name, each in times.items()
        ]
        return sorted(rows, key=lambda row: (-row["time_ns"], row["name"]))

    def report(self):
        head = {
            "section": "process",
            "process": PID,
            "thread": None,
            "tid": None,
            "domain": None,
            "range": None,
            "trace": "trace.db",
            "rank": None,
        }
        rows = self.lines_of(
            head,
            "GPU activities",
            ((self.name_of(w), w["end"] - w["start"]) for w in self.timed_work()),
        )
        rows += self.lines_of(
            head,
            "API calls",
            ((c["function"], c["end"] - c["start"]) for c in self.calls if "depth" not in c),
        )
        groups = {}
        for opened in self.ranges:
            if opened.time is not None:
                groups.setdefault(
                    (opened.thread, opened.domain == 1, DOMAINS[opened.domain], opened.text), []
                ).append(opened)
        for (thread, _, domain, text), openings in sorted(groups.items()):
            head |= {
                "section": "nvtx",
                "thread": thread,
                "tid": TIDS[thread],
                "domain": domain or None,
                "range": text,
            }
            inside = [
                (opened, w) for opened in openings for w in self.work if opened.contains(w["call"])
            ]
            calls = {(opened.id, w["call"]["correlation"]): w["call"] for opened, w in inside}
            rows += self.lines_of(head, "Range", ((text, opened.time) for opened in openings))
            rows += self.lines_of(
                head,
                "GPU activities",
                (
                    (self.name_of(w), w["end"] - w["start"])
                    for _, w in inside
                    if w["start"] is not None
                ),
            )
            rows += self.lines_of(
                head, "API calls", ((c["function"], c["end"] - c["start"]) for c in calls.values())
            )
        return rows


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-12)
    return a == b


def main():
    parser = golden_options.parser_of(__doc__, source=False)
    parser.add_argument("--programs", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = cells = warnings = 0
    for seed in range(options.seed, options.seed + options.programs):
        program = NvprofProgram(seed)
        program.run(20 + 30 * (seed % 10))
        expected = program.report()
        with tempfile.TemporaryDirectory() as folder:

            def run(*command):
                return subprocess.run(
                    [options.bin.resolve() / command[0], *command[1:]],
                    cwd=folder,
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout

            (pathlib.Path(folder) / "stream.jsonl").write_text(program.stream())
            run("prof-import", "-o", "trace.db", "stream.jsonl")
            printed = json.loads(run("prof-report", "-r", "nvprof", "-f", "json", "trace.db"))
            found = list(golden_options.differences(expected, printed, same))
            table = run("prof-report", "-r", "nvprof", "trace.db")
        told = [int(count) for count in re.findall(r"Warning: Found (\d+) invalid", table)]
        count = program.invalid_markers()
        has_ranges = any(row["section"] == "nvtx" for row in expected)
        if told != ([count] if count and has_ranges else []):
            found.append(f"invalid range markers: {told}, expected {count}")
        warnings += len(told)
        cells += sum(len(row) for row in expected)
        failed += len(found)
        for line in found[:5]:
            print(f"seed {seed}: {line}")
    print(
        f"{cells} cells and {warnings} warnings of {options.programs} programs compared, {failed} differ"
    )
    return 1 if failed or not cells or not warnings else 0


if __name__ == "__main__":
    sys.exit(main())
