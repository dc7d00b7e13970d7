#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the reports of Nsight Systems (docs/other_tools.md), cell by cell, with what plain Python
makes of made-up programs.

usage: compare_nsys.py --bin DIR [--programs N] [--seed N]

A program is a list of events on three threads: ranges of two domains that nest, overlap, are popped
out of order or never, ranges of the process that end on the same thread or another one, calls inside
calls, kernels, copies and sets. The expectations know nothing of stacks, ids and aliases: a call is
inside a range if it lies within the range's times on the range's thread.
"""
import collections
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import golden_options

EPOCH = 1_795_219_157_000_000_000  # the trace's start; all other times are relative to it
PID = 4000
TIDS = {1: 4000, 2: 4001, 3: 4002}
DOMAINS = {1: "", 2: "lib"}
KERNELS = {
    "gemm": "gemm",
    "_Z4reluPfi": "relu(float*, int)",
    "_Z3addIfEvT_": "void add<float>(float)",
}
COPIES = {1: "Host-to-Device", 2: "Device-to-Host", 8: "Device-to-Device", 10: "Peer-to-Peer"}


class Range:
    def __init__(self, kind, thread, domain, text, start):
        self.kind, self.thread, self.domain, self.text, self.start = (
            kind,
            thread,
            domain,
            text,
            start,
        )
        self.end = self.end_thread = self.id = self.row_id = None
        self.outer = []  # openings around it, outermost first

    @property
    def name(self):
        return f"{DOMAINS[self.domain]}:{self.text}"

    @property
    def style(self):
        return "PushPop" if self.kind == "push_pop" else "StartEnd"

    @property
    def time(self):
        return None if self.end is None else self.end - self.start

    def contains(self, call):
        if self.kind == "start_end" and (self.end is None or self.end_thread != self.thread):
            return False
        return (
            self.thread == call["thread"]
            and self.start <= call["start"]
            and (self.end is None or call["end"] <= self.end)
        )


class Program:
    """Runs at random, and writes itself down twice: as a stream, and as plain facts."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.now = 0
        self.stacks = {thread: [] for thread in TIDS}
        self.next_id = {thread: 256 * (thread - 1) + (thread == 1) for thread in TIDS}
        self.next_correlation = 1
        self.strings = {}
        self.lines = [
            {"format": "prof-stream", "version": 1},
            {"record": "meta", "key": "start_realtime_ns", "value": str(EPOCH)},
            {"record": "meta", "key": "pid", "value": str(PID)},
            {"record": "domain", "id": 1},
        ]
        self.lines.append({"record": "domain", "id": 2, "name": self.string("lib")})
        for thread, tid in TIDS.items():
            self.lines.append({"record": "thread", "id": thread, "os_tid": tid})
        self.ranges, self.aliases, self.calls, self.work = [], [], [], []
        self.process_ranges = []

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = len(self.strings) + 1
            self.lines.append({"record": "string", "id": self.strings[text], "text": text})
        return self.strings[text]

    def later(self, most=50):
        self.now += self.random.randint(1, most)
        return self.now

    def new_id(self, thread):
        self.next_id[thread] += 1
        return self.next_id[thread] - 1

    def push(self, thread):
        opened = Range(
            "push_pop",
            thread,
            self.random.choice((1, 1, 2)),
            self.random.choice("abcd"),
            self.later(),
        )
        opened.id = opened.row_id = self.new_id(thread)
        opened.outer = list(self.stacks[thread])
        self.stacks[thread].append(opened)
        opened.parent_row = opened.outer[-1].row_id if opened.outer else 0
        self.ranges.append(opened)

    def pop(self, thread):
        stack = self.stacks[thread]
        domain = self.random.choice((1, 1, 2))
        of_domain = [opened for opened in stack if opened.domain == domain]
        if not of_domain:
            return
        at = stack.index(of_domain[-1])
        closed = stack.pop(at)
        closed.end, closed.end_thread = self.later(), thread
        below = stack[at - 1].row_id if at > 0 else 0
        for opened in stack[at:]:  # the stack below them has changed
            opened.row_id = self.new_id(thread)
            self.aliases.append(
                {"id": opened.row_id, "parent": below, "alias_of": opened.id, "of": opened}
            )
            below = opened.row_id

    def start(self, thread):
        opened = Range("start_end", thread, 1, self.random.choice("abxy"), self.later())
        opened.id, opened.parent_row = self.new_id(thread), 0
        self.ranges.append(opened)
        self.process_ranges.append(opened)

    def end(self, thread):
        if self.process_ranges:
            closed = self.process_ranges.pop(self.random.randrange(len(self.process_ranges)))
            closed.end, closed.end_thread = self.later(), thread

    def call(self, thread, function):
        call = {
            "correlation": self.next_correlation,
            "function": function,
            "thread": thread,
            "start": self.later(),
        }
        self.next_correlation += self.random.randint(1, 3)
        call["stack"] = self.stacks[thread][-1].row_id if self.stacks[thread] else 0
        if self.random.random() < 0.2:
            inner = dict(call, function="cuInner", start=self.later(), depth=1)
            inner["end"] = self.later()
            self.calls.append(inner)
        call["end"] = self.later()
        self.calls.append(call)
        return call

    def launch(self, thread):
        kind = self.random.choice(("kernel", "kernel", "kernel", "memcpy", "memset"))
        function = {
            "kernel": self.random.choice(("cudaLaunchKernel", "cuLaunchKernel")),
            "memcpy": "cudaMemcpyAsync",
            "memset": "cudaMemsetAsync",
        }[kind]
        call = self.call(thread, function)
        work = {
            "kind": kind,
            "call": call,
            "start": call["end"] + self.random.randint(-10, 200),
            "device": self.random.choice((0, 0, 1)),
        }
        work["end"] = work["start"] + self.random.randint(1, 500)
        if self.random.random() < 0.05:
            work["start"] = work["end"] = None  # times that CUPTI could not tell
        if kind == "kernel":
            work["name"] = self.random.choice(list(KERNELS))
        else:
            work["bytes"] = self.random.choice((1, 4096, 5_000_000, 26_214_400))
            work["copy_kind"] = self.random.choice(list(COPIES))
        self.work.append(work)

    def run(self, events):
        steps = (
            self.push,
            self.push,
            self.push,
            self.pop,
            self.pop,
            self.start,
            self.end,
            self.launch,
            self.launch,
            self.launch,
            lambda thread: self.call(thread, "cudaMalloc"),
        )
        for _ in range(events):
            self.random.choice(steps)(self.random.choice((1, 1, 2, 3)))

    def stream(self):
        for opened in self.ranges:
            record = {
                "record": "range",
                "id": opened.id,
                "parent": opened.parent_row,
                "kind": opened.kind,
                "thread": opened.thread,
                "domain": opened.domain,
                "text": self.string(opened.text),
                "start_ns": EPOCH + opened.start,
            }
            if opened.end is not None:
                record |= {"end_ns": EPOCH + opened.end, "end_thread": opened.end_thread}
            self.lines.append(record)
        for alias in self.aliases:
            opened = alias["of"]
            self.lines.append(
                {
                    "record": "range",
                    "id": alias["id"],
                    "parent": alias["parent"],
                    "alias_of": alias["alias_of"],
                    "kind": "alias",
                    "thread": opened.thread,
                    "domain": opened.domain,
                    "text": self.string(opened.text),
                    "start_ns": EPOCH + opened.start,
                }
                | ({"end_ns": EPOCH + opened.end} if opened.end else {})
            )
        for call in self.calls:
            self.lines.append(
                {
                    "record": "api",
                    "correlation": call["correlation"],
                    "depth": call.get("depth", 0),
                    "function": self.string(call["function"]),
                    "thread": call["thread"],
                    "stack": call["stack"],
                    "start_ns": EPOCH + call["start"],
                    "end_ns": EPOCH + call["end"],
                }
            )
        for work in self.work:
            record = {
                "record": work["kind"],
                "correlation": work["call"]["correlation"],
                "device": work["device"],
                "context": 1,
                "stream": 7,
            }
            if work["start"] is not None:
                record |= {"start_ns": EPOCH + work["start"], "end_ns": EPOCH + work["end"]}
            if work["kind"] == "kernel":
                record |= {
                    "name": self.string(work["name"]),
                    "grid": [2, 3, 4],
                    "block": [32, 1, 1],
                }
            else:
                record["bytes"] = work["bytes"]
            if work["kind"] == "memcpy":
                record |= {
                    "copy_kind": work["copy_kind"],
                    "source": "pinned",
                    "destination": "device",
                }
            if work["kind"] == "memset":
                record["memory"] = "device"
            self.lines.append(record)
        self.lines.append({"record": "meta", "key": "ended", "value": "exit"})
        return "".join(json.dumps(line) + "\n" for line in self.lines)

    # What the reports must say.

    def timed_work(self):
        return [work for work in self.work if work["start"] is not None]

    def nvtx_sum(self, kind=None):
        groups = collections.defaultdict(list)
        for opened in self.ranges:
            if opened.time is not None and kind in (None, opened.kind):
                groups[opened.name, opened.style].append(opened.time)
        rows = shares(
            [
                {"range": name, "style": style} | summary(times, "instances")
                for (name, style), times in groups.items()
            ]
        )
        rows.sort(key=lambda row: (-row["total_ns"], row["range"], row["style"]))
        return (
            rows
            if kind is None
            else [{k: v for k, v in row.items() if k != "style"} for row in rows]
        )

    def nvtx_pushpop_trace(self):
        rows = []
        for opened in (r for r in self.ranges if r.kind == "push_pop"):
            children = [r for r in self.ranges if r.kind == "push_pop" and r.outer[-1:] == [opened]]
            inside = (
                None if any(c.time is None for c in children) else sum(c.time for c in children)
            )
            path = "".join(f":{r.id}" for r in opened.outer + [opened])
            rows.append(
                {
                    "start_ns": opened.start,
                    "end_ns": opened.end,
                    "time_ns": opened.time,
                    "child_ns": inside,
                    "own_ns": None if None in (opened.time, inside) else opened.time - inside,
                    "name": opened.name,
                    "pid": PID,
                    "tid": TIDS[opened.thread],
                    "level": len(opened.outer),
                    "children": len(children),
                    "range_id": opened.id,
                    "parent_id": opened.outer[-1].id if opened.outer else None,
                    "path": path,
                    "name_tree": "--" * len(opened.outer) + opened.name,
                    "trace": "trace.db",
                    "rank": None,
                }
            )
        return sorted(rows, key=lambda row: row["start_ns"])

    def nvtx_kern_sum(self):
        groups, openings = collections.defaultdict(list), collections.defaultdict(set)
        for work in self.timed_work():
            if work["kind"] != "kernel":
                continue
            around = [
                opened
                for opened in self.ranges
                if opened.end is not None and opened.contains(work["call"])
            ]
            for opened in around or [None]:
                key = (
                    opened and opened.name,
                    opened and opened.style,
                    work["call"]["thread"],
                    KERNELS[work["name"]],
                )
                groups[key].append(work["end"] - work["start"])
                openings[key].add(opened and opened.id)
        rows = []
        for (name, style, thread, kernel), times in groups.items():
            rows.append(
                {
                    "range": name,
                    "style": style,
                    "pid": PID,
                    "tid": TIDS[thread],
                    "ranges": len(openings[name, style, thread, kernel]) if name else None,
                }
                | summary(times, "kernels")
                | {"kernel": kernel, "trace": "trace.db", "rank": None}
            )
        return sorted(
            rows,
            key=lambda row: (
                -row["total_ns"],
                row["range"] or "",
                row["kernel"],
                row["tid"],
                row["style"] or "",
            ),
        )

    def projections(self):
        rows = []
        for opened in self.ranges:
            inside = [work for work in self.work if opened.contains(work["call"])]
            timed = [work for work in inside if work["start"] is not None]
            if not inside:
                continue
            start = min((work["start"] for work in timed), default=None)
            rows.append(
                {
                    "name": opened.name,
                    "proj_start_ns": start,
                    "proj_ns": max(work["end"] for work in timed) - start if timed else None,
                    "start_ns": opened.start,
                    "time_ns": opened.time,
                    "style": opened.style,
                    "pid": PID,
                    "tid": TIDS[opened.thread],
                    "gpu_ops": len(inside),
                    "range_id": opened.id,
                    "opened": opened,
                    "first": min(work["call"]["start"] for work in inside),
                }
            )
        for row in rows:
            on_stack, opened = row["style"] == "PushPop", row["opened"]
            row["level"] = len(opened.outer) if on_stack else None
            row["parent_id"] = opened.outer[-1].id if opened.outer else None
            row["path"] = "".join(f":{r.id}" for r in opened.outer + [opened]) if on_stack else None
        for row in rows:
            children = [child for child in rows if child["opened"].outer[-1:] == [row["opened"]]]
            # A child may outlive its parent, and launch nothing before that.
            children = [
                child
                for child in children
                if row["opened"].end is None or child["first"] <= row["opened"].end
            ]
            row["children"] = len(children) if row["style"] == "PushPop" else None
        return rows

    def nvtx_gpu_proj_trace(self):
        rows = [
            {k: v for k, v in row.items() if k not in ("opened", "first")}
            | {"trace": "trace.db", "rank": None}
            for row in self.projections()
        ]
        return sorted(
            rows,
            key=lambda row: (
                row["proj_start_ns"] is not None,
                row["proj_start_ns"] or 0,
                row["start_ns"],
            ),
        )

    def nvtx_gpu_proj_sum(self):
        groups = collections.defaultdict(list)
        for row in self.projections():
            if row["proj_ns"] is not None and row["time_ns"] is not None:
                groups[row["name"], row["style"]].append(row)
        rows = []
        for (name, style), group in groups.items():
            row = {"range": name, "style": style} | summary(
                [r["proj_ns"] for r in group], "instances"
            )
            row["proj_ns"] = row.pop("total_ns")
            row |= {
                "range_ns": sum(r["time_ns"] for r in group),
                "gpu_ops": sum(r["gpu_ops"] for r in group),
            }
            row["avg_gpu_ops"] = statistics.fmean(r["gpu_ops"] for r in group)
            row["avg_level"] = (
                statistics.fmean(r["level"] for r in group) if style == "PushPop" else None
            )
            row["avg_children"] = (
                statistics.fmean(r["children"] for r in group) if style == "PushPop" else None
            )
            rows.append(row)
        return sorted(rows, key=lambda row: (-row["proj_ns"], row["range"], row["style"]))

    def operation(self, work):
        if work["kind"] == "kernel":
            return KERNELS[work["name"]]
        return (
            "[CUDA memset]"
            if work["kind"] == "memset"
            else f"[CUDA memcpy {COPIES[work['copy_kind']]}]"
        )

    def by_name(self, items, count, label="name"):
        groups = collections.defaultdict(list)
        for name, time in items:
            groups[name].append(time)
        rows = shares([{label: name} | summary(times, count) for name, times in groups.items()])
        return sorted(rows, key=lambda row: (-row["total_ns"], row[label]))

    def cuda_api_sum(self):
        return self.by_name(
            (
                (call["function"], call["end"] - call["start"])
                for call in self.calls
                if "depth" not in call
            ),
            "calls",
        )

    def cuda_gpu_kern_sum(self):
        return self.by_name(
            (
                (self.operation(w), w["end"] - w["start"])
                for w in self.timed_work()
                if w["kind"] == "kernel"
            ),
            "instances",
        )

    def cuda_gpu_mem_time_sum(self):
        return self.by_name(
            (
                (self.operation(w), w["end"] - w["start"])
                for w in self.timed_work()
                if w["kind"] != "kernel"
            ),
            "count",
            "operation",
        )

    def categories(self, with_calls):
        items = [
            (
                ("CUDA_KERNEL" if w["kind"] == "kernel" else "MEMORY_OPER", self.operation(w)),
                w["end"] - w["start"],
            )
            for w in self.timed_work()
        ]
        if with_calls:
            items += [
                (("CUDA_API", call["function"]), call["end"] - call["start"])
                for call in self.calls
                if "depth" not in call
            ]
        rows = self.by_name(items, "instances")
        for row in rows:
            row["category"], row["operation"] = row.pop("name")
        return rows

    def cuda_gpu_sum(self):
        return self.categories(False)

    def cuda_api_gpu_sum(self):
        return self.categories(True)

    def cuda_gpu_mem_size_sum(self):
        groups = collections.defaultdict(list)
        for work in self.work:
            if work["kind"] != "kernel":
                groups[self.operation(work)].append(work["bytes"])
        rows = []
        for operation, sizes in groups.items():
            row = summary(sizes, "count")
            rows.append(
                {"operation": operation, "count": row["count"]}
                | {
                    f"{word}_mb": row[f"{word}_ns"] / 1e6
                    for word in ("total", "avg", "med", "min", "max", "stddev")
                }
            )
        return sorted(rows, key=lambda row: (-row["total_mb"], row["operation"]))

    def cuda_kern_exec_sum(self):
        groups = collections.defaultdict(list)
        for work in self.timed_work():
            if work["kind"] == "kernel":
                call = work["call"]
                groups[
                    call["thread"], work["device"], call["function"], KERNELS[work["name"]]
                ].append(work)
        rows = []
        for (thread, device, api, kernel), group in groups.items():
            row = {
                "pid": PID,
                "tid": TIDS[thread],
                "device": device,
                "count": len(group),
                "api": api,
                "kernel": kernel,
                "trace": "trace.db",
                "rank": None,
            }
            queues = [w["start"] - w["call"]["end"] for w in group if w["start"] > w["call"]["end"]]
            phases = {
                "t": [max(w["end"], w["call"]["end"]) - w["call"]["start"] for w in group],
                "q": queues,
                "a": [w["call"]["end"] - w["call"]["start"] for w in group],
                "k": [w["end"] - w["start"] for w in group],
            }
            row["queued"] = len(queues)
            for phase, times in phases.items():
                values = (
                    summary(times, "n")
                    if times
                    else dict.fromkeys(("avg_ns", "med_ns", "min_ns", "max_ns", "stddev_ns"))
                )
                row |= {
                    f"{phase}_{word}": values[word]
                    for word in ("avg_ns", "med_ns", "min_ns", "max_ns", "stddev_ns")
                }
            rows.append((-sum(phases["t"]), kernel, api, thread, device, row))
        return [row for *_, row in sorted(rows, key=lambda row: row[:-1])]

    def cuda_kern_exec_trace(self):
        rows = []
        for work in self.timed_work():
            if work["kind"] != "kernel":
                continue
            call, queued = work["call"], work["start"] > work["call"]["end"]
            rows.append(
                {
                    "api_start_ns": call["start"],
                    "api_ns": call["end"] - call["start"],
                    "queue_start_ns": call["end"] if queued else None,
                    "queue_ns": work["start"] - call["end"] if queued else None,
                    "kernel_start_ns": work["start"],
                    "kernel_ns": work["end"] - work["start"],
                    "total_ns": max(work["end"], call["end"]) - call["start"],
                    "pid": PID,
                    "tid": TIDS[call["thread"]],
                    "device": work["device"],
                    "api": call["function"],
                    "grid": "   2    3    4",
                    "block": "  32    1    1",
                    "kernel": KERNELS[work["name"]],
                    "trace": "trace.db",
                    "rank": None,
                }
            )
        return sorted(rows, key=lambda row: row["api_start_ns"])


def summary(values, count):
    return {
        "total_ns": sum(values),
        count: len(values),
        "avg_ns": sum(values) / len(values),
        "med_ns": statistics.median(values),
        "min_ns": min(values),
        "max_ns": max(values),
        "stddev_ns": statistics.stdev(values) if len(values) > 1 else 0.0,
    }


def shares(rows):
    total = sum(row["total_ns"] for row in rows)
    return [row | {"time_pct": 100 * row["total_ns"] / total} for row in rows]


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
    return a == b


def main():
    parser = golden_options.parser_of(__doc__, source=False)
    parser.add_argument("--programs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = cells = 0
    for seed in range(options.seed, options.seed + options.programs):
        program = Program(seed)
        program.run(20 + 20 * (seed % 10))
        reports = {
            name: getattr(program, name)()
            for name in (
                "nvtx_sum",
                "nvtx_pushpop_trace",
                "nvtx_kern_sum",
                "nvtx_gpu_proj_sum",
                "nvtx_gpu_proj_trace",
                "cuda_api_sum",
                "cuda_api_gpu_sum",
                "cuda_gpu_kern_sum",
                "cuda_gpu_sum",
                "cuda_gpu_mem_time_sum",
                "cuda_gpu_mem_size_sum",
                "cuda_kern_exec_sum",
                "cuda_kern_exec_trace",
            )
        }
        reports["nvtx_pushpop_sum"] = program.nvtx_sum("push_pop")
        reports["nvtx_startend_sum"] = program.nvtx_sum("start_end")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "stream.jsonl").write_text(program.stream())
            subprocess.run(
                [options.bin.resolve() / "prof-import", "-o", "trace.db", "stream.jsonl"],
                cwd=folder,
                check=True,
                capture_output=True,
            )
            for report, expected in reports.items():
                done = subprocess.run(
                    [options.bin.resolve() / "prof-report", "-r", report, "-f", "json", "trace.db"],
                    cwd=folder,
                    check=True,
                    capture_output=True,
                )
                cells += sum(len(row) for row in expected)
                printed = json.loads(done.stdout)
                for line in golden_options.differences(expected, printed, same, report):
                    failed += 1
                    if failed <= 20:
                        print(f"seed {seed}: {line}")
    print(f"{cells} cells of {options.programs} programs compared, {failed} differ")
    return 1 if failed or not cells else 0


if __name__ == "__main__":
    sys.exit(main())
