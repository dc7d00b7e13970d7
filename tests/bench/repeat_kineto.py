#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a large trace of torch.profiler from a recorded step, to measure prof-import's time and memory.

usage: repeat_kineto.py STEP.kineto.json.gz KERNELS OUT.json
       repeat_kineto.py --measure PROF_IMPORT STEP.kineto.json.gz KERNELS FOLDER

The step is repeated, each copy later and with numbers of its own, until there are KERNELS kernels. --measure
also imports it and prints time, peak memory and the trace's size; fails above 300 MB."""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

NUMBERS = ("External id", "correlation", "Sequence number", "Ev Idx")
MOST_BYTES = 300_000_000


def repeat(source, kernels, out):
    """Returns the number of kernels written."""
    with gzip.open(source, "rt") as file:
        trace = json.load(file)
    events = trace.pop("traceEvents")
    spans = [event for event in events if event.get("ph") == "X"]
    others = [event for event in events if event.get("ph") != "X"]
    each = sum(event["cat"] == "kernel" for event in spans)
    length = max(e["ts"] + e["dur"] for e in spans) - min(e["ts"] for e in spans) + 1000
    above = {
        key: 1 + max((e["args"][key] for e in spans if key in e.get("args", {})), default=0)
        for key in NUMBERS
    }
    copies = -(-kernels // each)
    with open(out, "w") as file:
        file.write(json.dumps(trace)[:-1] + ',"traceEvents":[\n')
        file.write(",\n".join(json.dumps(event) for event in others))
        for copy in range(copies):
            for event in spans:
                args = {
                    key: value + copy * above[key] if key in NUMBERS else value
                    for key, value in event.get("args", {}).items()
                }
                moved = dict(event, ts=round(event["ts"] + copy * length, 3), args=args)
                file.write(",\n" + json.dumps(moved))
        file.write("\n]}\n")
    return copies * each


def measure(program, source, kernels, folder):
    big, trace = folder / "big.kineto.json", folder / "big.db"
    # In a process of its own: a child's peak includes its parent's memory at the start.
    made = subprocess.run(
        [sys.executable, __file__, source, str(kernels), big],
        check=True,
        text=True,
        capture_output=True,
    ).stdout.strip()
    begin = time.monotonic()
    child = subprocess.Popen([program, "--force", "-o", trace, big])
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - begin
    peak = usage.ru_maxrss * 1024
    if status != 0:
        return 1
    print(
        f"{made}, {big.stat().st_size / 1e9:.2f} GB: {seconds:.0f} s, "
        f"peak {peak / 1e6:.0f} MB, trace {trace.stat().st_size / 1e6:.0f} MB"
    )
    os.remove(big)
    os.remove(trace)
    return 0 if peak <= MOST_BYTES else 1


def main():
    if sys.argv[1] == "--measure":
        program, source, kernels, folder = sys.argv[2:]
        return measure(program, source, int(kernels), pathlib.Path(folder))
    source, kernels, out = sys.argv[1:]
    print(f"{repeat(source, int(kernels), out):,} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
