#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the report `key_averages` with the entries of torch.profiler's key_averages() for the same program.

usage: key_averages.py [--same-run] PROF_REPORT TRACE.db AVERAGES.json

--same-run: the trace was imported from that very run of torch.profiler, so times are equal, too. Otherwise the
trace is of another run: names and calls are equal, GPU times agree within the noise of two runs, except
around collectives, which wait for the other rank. What differs needs a reason, or fails. AVERAGES.json.trace.json,
the trace of the run, tells what torch.profiler counts more than once.
"""
import argparse
import collections
import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys

CPU = {"cpu_op", "user_annotation", "cuda_runtime", "cuda_driver"}
GPU = {"kernel", "gpu_memcpy", "gpu_memset"}
NOISE = 0.35
# Overhead on another thread may take time from an entry by torch.profiler's account.
OVERLAP = 0.15
# Entries of which a reason is known in general, but not shown here: overhead of unknown threads.
MOST_UNEXPLAINED = 2

# Entries that only one of them has, or counts otherwise.
REASONS = (
    (
        r"Activity Buffer Request|Buffer Flush|Instrumentation|Resource",
        "overhead of torch.profiler",
    ),
    (
        r"Lazy Function Loading|Runtime Triggered Module Loading|Command Buffer Full|Unrecognized",
        "overhead, which -r overhead lists",
    ),
    (r"INVALID|cu[A-Z]", "driver calls: torch.profiler records few of them, some without a name"),
    (r"layer:|attrs_of:|step:|prof:|Model$", "ranges that prof_torch states"),
    (r"[A-Za-z0-9_]+:[a-z]*[A-Z:]|NCCL:|CCCL:", "ranges of libraries"),
    (
        r"cuda(DeviceSynchronize|ProfilerStart|ProfilerStop|GetDeviceCount|DeviceGetAttribute"
        r"|DeviceCanAccessPeer|ThreadExchangeStreamCaptureMode|Event.*|Stream.*)$",
        "calls of the profiler, and polls of NCCL's watchdog",
    ),
    (
        r"cuda(GetDevice|SetDevice|GetLastError|PeekAtLastError|GetFuncBySymbol|FreeHost|MemPoolDestroy"
        r"|GetDriverEntryPointByVersion|GetDeviceProperties(_v2)?)$",
        "not recorded by torch.profiler, or under another name",
    ),
)


def reason(name):
    return next((why for pattern, why in REASONS if re.match(pattern, name)), None)


def load(path):
    if not os.path.exists(path):
        path += ".gz"
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def of_torch(path):
    """Entries by name; user annotations have one entry more, for their time on the GPU, which is left out."""
    sums = collections.defaultdict(collections.Counter)
    for entry in load(path):
        if entry["is_user_annotation"] and entry["device"] == "CUDA":
            continue
        for word in ("calls", "cpu_us", "self_cpu_us", "cuda_us", "self_cuda_us"):
            sums[entry["name"]][word] += entry[word]
    return sums


def of_report(prof_report, trace):
    out = subprocess.run(
        [prof_report, "-r", "key_averages", "-f", "csv", trace],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    sums = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(io.StringIO(out)):
        entry = sums[row["op"]]
        entry["calls"] += int(row["calls"])
        for word, column in (
            ("cpu_us", "cpu_total_ns"),
            ("self_cpu_us", "self_cpu_ns"),
            ("cuda_us", "cuda_total_ns"),
            ("self_cuda_us", "self_cuda_ns"),
        ):
            entry[word] += int(row[column] or 0) / 1000
    return sums


class Excess:
    """What torch.profiler adds to entries, by name, at most, in us. An overhead event, such as the loading of
    a module, gets the kernels of the op around it once more, and takes its time from the call around it. A call
    whose correlation id happens to be an op's number gets that op's kernels."""

    def __init__(self, path):
        self.cuda = collections.Counter()
        self.self_cpu = collections.Counter()
        self.collective = set()  # names around collectives
        events = [e for e in load(path)["traceEvents"] if e.get("ph") == "X"]
        of_op = collections.Counter()
        waits = set()
        for event in events:
            if event.get("cat") in GPU:
                of_op[event["args"].get("External id")] += event["dur"]
                if event["name"].startswith("nccl"):
                    waits.add(event["args"]["correlation"])
        ops = {e["args"].get("External id") for e in events if e.get("cat") == "cpu_op"}
        overhead = [e for e in events if e.get("cat") == "overhead"]
        threads = collections.defaultdict(list)
        for event in events:
            if event.get("cat") in CPU:
                threads[event["pid"], event["tid"]].append(event)
        for on_thread in threads.values():
            self._add(on_thread + overhead, of_op, ops, waits)

    def _add(self, events, of_op, ops, waits):
        stack = []
        for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
            while stack and stack[-1]["ts"] + stack[-1]["dur"] <= event["ts"]:
                stack.pop()
            around = {e["name"] for e in stack}
            if event["cat"] == "overhead":
                ids = {e.get("args", {}).get("External id") for e in stack}
                for name in around:
                    self.self_cpu[name] += event["dur"]
                    self.cuda[name] += sum(of_op[number] for number in ids)
                continue
            stack.append(event)
            if not event["cat"].startswith("cuda_"):
                continue
            correlation = event["args"].get("correlation")
            if correlation in waits:
                self.collective |= around
            if correlation in ops:
                for name in around | {event["name"]}:
                    self.cuda[name] += of_op[correlation]


def is_between(value, low, high, share):
    """Also of low > high."""
    low, high = min(low, high), max(low, high)
    return low - 2 - share * abs(low) <= value <= high + 2 + share * abs(high)


def compare(args, problems):
    torch, ours = of_torch(args.averages), of_report(args.prof_report, args.trace)
    excess = Excess(args.averages + ".trace.json")
    explained, equal, exact = collections.Counter(), 0, 0
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
        exact += abs(one["cuda_us"] - other["cuda_us"]) < 0.01
        is_kernel = one["cpu_us"] == 0 and one["self_cuda_us"] > 0
        if is_kernel and not name.startswith("nccl"):
            gpu[0] += one["self_cuda_us"]
            gpu[1] += other["self_cuda_us"]
        share = 1e-6 if args.same_run else NOISE
        waits = name in excess.collective or name.startswith(("nccl", "c10d", "record_param"))
        # Asynchronous annotations have no time on the GPU in torch.profiler's table.
        if not (waits and not args.same_run) and not name.startswith("nccl:"):
            if not is_between(
                one["cuda_us"], other["cuda_us"], other["cuda_us"] + excess.cuda[name], share
            ):
                problems.append(
                    f"{name}: CUDA {one['cuda_us']:.3f} us by torch.profiler, "
                    f"{other['cuda_us']:.3f} by us"
                )
        # It also takes no time of theirs from what is around them.
        if args.same_run and not name.startswith(("nccl:", "record_param_comms")):
            if not is_between(one["cpu_us"], other["cpu_us"], other["cpu_us"], share):
                problems.append(
                    f"{name}: CPU {one['cpu_us']:.3f} us by torch.profiler, {other['cpu_us']:.3f} by us"
                )
            if not is_between(
                one["self_cpu_us"],
                other["self_cpu_us"] - excess.self_cpu[name],
                other["self_cpu_us"],
                OVERLAP,
            ):
                problems.append(
                    f"{name}: own CPU {one['self_cpu_us']:.3f} us by torch.profiler, "
                    f"{other['self_cpu_us']:.3f} by us"
                )
    print(
        f"{equal} names with equal calls, of {exact} the same time on the GPU to the ns; "
        f"{sum(explained.values())} others: {dict(explained)}"
    )
    print(
        f"kernels without collectives: {gpu[0] / 1000:.3f} ms by torch.profiler, {gpu[1] / 1000:.3f} ms by us"
    )
    return equal


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--same-run", action="store_true")
    parser.add_argument("prof_report")
    parser.add_argument("trace")
    parser.add_argument("averages")
    problems = []
    equal = compare(parser.parse_args(), problems)
    print("\n".join(problems[:60]))
    is_good = len(problems) <= MOST_UNEXPLAINED and equal > 200
    print("EQUAL" if is_good else f"DIFFERENT: {len(problems)}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
