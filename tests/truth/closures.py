#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded training steps of torch.profiler, changed so that each optimizer's step begins where the step
before it ends: as if the program ran its passes inside it, as a closure. Every kernel must stay what it
is. Only ops outside of autograd's nodes that autograd does not number are then the optimizer's: nothing
tells them from its own.

usage: closures.py PROF_IMPORT PROF_REPORT TRACE.json.gz...
"""
import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile

COLUMNS = "dir,part,layer,op,op_inner,params,flops,bytes,kernel,provenance"
# The kernels of each recording that are not numbered: new tensors, loss scaling (the first two), clipping.
NOT_NUMBERED = {"torch_bert": 7, "torch_dlrm": 20, "torch_gpt2_steps": 120}


def with_closures(trace):
    events = trace["traceEvents"]
    steps = [
        event
        for event in events
        if event.get("cat") == "user_annotation" and event["name"].startswith("Optimizer.step#")
    ]
    steps.sort(key=lambda event: event["ts"])
    begin = min(event["ts"] for event in events if event.get("cat") == "cpu_op") - 1
    for event in steps:
        end = event["ts"] + event["dur"]
        event["ts"], event["dur"], begin = begin, end - begin, end + 0.001
    return len(steps)


def rows_of(tools, trace, folder, name):
    source, made = os.path.join(folder, name + ".json"), os.path.join(folder, name + ".db")
    with open(source, "w", encoding="utf-8") as file:
        json.dump(trace, file)
    subprocess.run([tools[0], "-o", made, source], check=True, capture_output=True)
    return json.loads(
        subprocess.run(
            [tools[1], "-f", "json", "-c", COLUMNS, made],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ).stdout
    )


def is_taken_for_the_optimizers(before, after):
    """An op outside of layers and nodes that is the optimizer's now."""
    return (
        before["dir"] != "bprop"
        and not before["layer"]
        and after["dir"] == "update"
        and after["op_inner"] == before["op_inner"]
    )


def check(tools, path):
    name = os.path.basename(path).partition(".")[0]
    with gzip.open(path, "rt", encoding="utf-8") as file:
        trace = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        before = rows_of(tools, trace, folder, "before")
        steps = with_closures(trace)
        after = rows_of(tools, trace, folder, "after")
    pairs = list(zip(before, after))
    differ = [(one, other) for one, other in pairs if one != other]
    taken = [pair for pair in differ if is_taken_for_the_optimizers(*pair)]
    other = [pair for pair in differ if pair not in taken]
    print(
        f"{name}: {len(pairs)} kernels in {steps} steps, {len(taken)} not numbered, "
        f"{len(other)} others differ"
    )
    kinds = collections.Counter(
        tuple(f"{key}: {one[key]} -> {two[key]}" for key in one if one[key] != two[key])
        for one, two in other
    )
    for kind, count in kinds.most_common(10):
        print(f"  {count} x {', '.join(kind)}")
    has_passes = {row["dir"] for row in after} >= {"fprop", "bprop", "update"}
    return (
        len(before) == len(after)
        and steps > 0
        and has_passes
        and not other
        and len(taken) == NOT_NUMBERED[name]
    )


def main():
    tools, traces = sys.argv[1:3], sys.argv[3:]
    return 0 if all([check(tools, path) for path in traces]) else 1


if __name__ == "__main__":
    sys.exit(main())
