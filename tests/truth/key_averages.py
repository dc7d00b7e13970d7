#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""On recorded traces of torch.profiler, the report `key_averages` is what the events themselves add up to.

usage: key_averages.py BIN_DIR TRACE.json.gz...

The sums are made here from the JSON alone: nesting from the times of each thread, GPU work by the call
that launched it. Times in the JSON are multiples of a nanosecond, as in trace.db.
"""
import collections
import csv
import gzip
import io
import json
import pathlib
import subprocess
import sys
import tempfile

CPU = {"cpu_op", "user_annotation", "cuda_runtime", "cuda_driver"}
WORDS = ("calls", "cpu_total_ns", "self_cpu_ns", "cuda_total_ns", "self_cuda_ns")


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def nested(events):
    """Each event of a thread with those around it, outermost first."""
    stack = []
    for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        while stack and stack[-1]["ts"] + stack[-1]["dur"] <= event["ts"]:
            stack.pop()
        yield event, list(stack)
        stack.append(event)


def expected(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
    sums = collections.defaultdict(lambda: dict.fromkeys(WORDS, 0))
    around_call, joined = {}, set()
    threads = collections.defaultdict(list)
    for event in events:
        if event.get("cat") in CPU:
            threads[event["pid"], event["tid"]].append(event)
    for on_thread in threads.values():
        children = collections.defaultdict(list)
        for event, around in nested(on_thread):
            if around:
                children[id(around[-1])].append(event)
            time, own = nanoseconds(event["dur"]), sums[event["name"]]
            own["calls"] += 1
            own["cpu_total_ns"] += time
            own["self_cpu_ns"] += time
            if around:
                sums[around[-1]["name"]]["self_cpu_ns"] -= time
            if event["cat"].startswith("cuda_"):
                ops = [e for e in around if not e["cat"].startswith("cuda_")]
                around_call.setdefault(event["args"]["correlation"], ops)
        # An op that does nothing but call one of its name is one call.
        for event in on_thread:
            inside = children[id(event)]
            if len(inside) == 1 and inside[0]["name"] == event["name"]:
                joined.add(id(inside[0]))
                sums[event["name"]]["calls"] -= 1
                sums[event["name"]]["cpu_total_ns"] -= nanoseconds(inside[0]["dur"])
    for event in events:
        if event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        ops, time = around_call.get(event["args"]["correlation"], []), nanoseconds(event["dur"])
        for op in ops:
            if id(op) not in joined:
                sums[op["name"]]["cuda_total_ns"] += time
        if ops:
            sums[ops[-1]["name"]]["self_cuda_ns"] += time
        if event["cat"] == "kernel":
            own = sums[event["name"]]
            own["calls"] += 1
            own["cuda_total_ns"] += time
            own["self_cuda_ns"] += time
    return sums


def reported(bin_dir, path):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.db"
        subprocess.run(
            [bin_dir / "prof-import", "-o", trace, path], check=True, capture_output=True
        )
        done = subprocess.run(
            [bin_dir / "prof-report", "-r", "key_averages", "-f", "csv", trace],
            check=True,
            capture_output=True,
            text=True,
        )
    return {row["op"]: row for row in csv.DictReader(io.StringIO(done.stdout))}


def differences(bin_dir, path):
    found = reported(bin_dir, path)
    for name, sums in expected(path).items():
        if name not in found:
            yield f"{path.name}: no entry '{name}'"
            continue
        for word in WORDS:
            if int(found[name][word]) != sums[word]:
                yield f"{path.name}: {name}: {word} is {found[name][word]}, not {sums[word]}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bin_dir, *paths = map(pathlib.Path, sys.argv[1:])
    found = [line for path in paths for line in differences(bin_dir, path)]
    print("\n".join(found[:40]) or f"key averages agree on {len(paths)} traces")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
