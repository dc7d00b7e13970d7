#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes torch_NAME.jsonl.gz and torch_NAME.truth.jsonl.gz from two recordings of one training step.

usage: torch_listing.py LISTING.txt.gz KINETO.json.gz STREAM.jsonl.gz TRUTH.jsonl.gz

LISTING: tab-separated events in the order of the calls: "( tid text" a push, ") tid" a pop, "L tid correlation api
symbol" a launch, "K correlation start end stream grid block name" a kernel's record. The recorded step is inside the
push STEP. It has no host times: each event gets one, at least 100 ns after the one before and 1 us before the kernels
that it or a later event launches.
KINETO: the same step by torch.profiler (record_shapes), a Chrome trace. Its kernels come in the same order and name
the op that launched them; that is the truth. FLOPs are computed by the formulas of torch/csrc/profiler/util.cpp.
"""
import gzip
import json
import math
import re
import sys

RANGE_BLOCK = 256  # ids of ranges are given out in blocks, as the collector does
NUMBERED = re.compile(
    r"(?P<seq>, (?:seq|op_id) = )(?P<number>0|[1-9]\d*)|input_op_ids = \[(?P<inputs>.*)\]"
)


def split(text):
    """Template and numbers, as libprof/source/text_template.hpp."""
    numbers = []

    def take(match):
        if match["inputs"] is None:
            numbers.append(int(match["number"]))
            return match["seq"] + "\x01"

        def place(pair):
            if pair[0] == "(0,-1)":
                return pair[0]
            numbers.append(int(pair[1]))
            return "(\x01" + pair[2]

        return "input_op_ids = [" + re.sub(r"\((\d+)(,-?\d+\))", place, match["inputs"]) + "]"

    return NUMBERED.sub(take, text), numbers


class Listing:
    def __init__(self, path):
        with gzip.open(path, "rt") as file:
            events = [line.rstrip("\n").split("\t") for line in file]
        first = next(i for i, e in enumerate(events) if e[0] == "(" and e[2] == "STEP")
        step = events[first:]
        launched = {e[2] for e in step if e[0] == "L"}
        self.kernels = sorted(
            (e for e in events if e[0] == "K" and e[1] in launched),
            key=lambda e: (int(e[1]), int(e[2])),
        )
        self.calls = [e for e in step if e[0] in "()L"]
        self.times = self.host_times()

    def host_times(self):
        starts = {}
        for kernel in self.kernels:
            starts.setdefault(kernel[1], int(kernel[2]))
        latest, times = max(starts.values()), []
        for event in reversed(self.calls):
            latest -= 100
            if event[0] == "L" and event[2] in starts:
                latest = min(latest, starts[event[2]] - 1000)
            times.append(latest)
        return times[::-1]

    def records(self):
        yield {"format": "prof-stream", "version": 1}
        yield {"record": "meta", "key": "start_realtime_ns", "value": str(self.times[0] - 1000)}
        yield {"record": "domain", "id": 1}
        strings, threads, stacks, open_calls, blocks, seen = {}, {}, {}, {}, {"next": 1}, set()
        waiting = []

        def string(text):
            if text not in strings:
                strings[text] = len(strings) + 1
                waiting.append({"record": "string", "id": strings[text], "text": text})
            return strings[text]

        def new_id(thread):
            at = blocks.get(thread, 0)
            if at % RANGE_BLOCK == 0:
                at = blocks["next"] * RANGE_BLOCK
                blocks["next"] += 1
            blocks[thread] = at + 1
            return at

        for event, time in zip(self.calls, self.times):
            tid = int(event[1])
            if tid not in threads:
                threads[tid] = len(threads) + 1
                yield {"record": "thread", "id": threads[tid], "os_tid": tid}
            thread, stack = threads[tid], stacks.setdefault(tid, [])
            if event[0] == "(":
                text, numbers = split(event[2])
                range_ = {
                    "record": "range",
                    "id": new_id(thread),
                    "parent": stack[-1]["id"] if stack else 0,
                    "thread": thread,
                    "end_thread": thread,
                    "text": string(text),
                    "numbers": numbers,
                    "start_ns": time,
                }
                stack.append(range_)
            elif event[0] == ")":
                range_ = stack.pop()
                yield from waiting
                waiting.clear()
                yield {k: v for k, v in (range_ | {"end_ns": time}).items() if v not in (0, [])}
            elif (
                event[2] not in seen
            ):  # a driver's call inside a runtime's has the same correlation
                seen.add(event[2])
                call = {
                    "record": "api",
                    "correlation": int(event[2]),
                    "domain": "runtime" if event[3].startswith("cuda") else "driver",
                    "function": string(event[3]),
                    "thread": thread,
                    "stack": stack[-1]["id"] if stack else 0,
                    "start_ns": time,
                    "end_ns": time + 50,
                }
                yield from waiting
                waiting.clear()
                yield call
        for _, correlation, start, end, stream, grid, block, name in self.kernels:
            kernel = {
                "record": "kernel",
                "correlation": int(correlation),
                "context": 1,
                "stream": int(stream),
                "start_ns": int(start),
                "end_ns": int(end),
                "name": string(name),
                "grid": json.loads(f"[{grid}]"),
                "block": json.loads(f"[{block}]"),
            }
            yield from waiting
            waiting.clear()
            yield kernel
        yield {"record": "meta", "key": "ended", "value": "stop"}


def flops(op):
    """What torch's with_flops says, or None where it says nothing."""
    dims = op["args"].get("Input Dims", [])
    name = op["name"]
    if name == "aten::mm":
        return 2 * dims[0][0] * dims[0][1] * dims[1][1]
    if name == "aten::addmm":
        return 2 * dims[1][0] * dims[1][1] * dims[2][1]
    if name == "aten::bmm":
        return 2 * math.prod(dims[0]) * dims[1][2]
    if name in ("aten::mul", "aten::add"):
        return math.prod(dims[0])
    return None


def truth(path):
    with gzip.open(path, "rt") as file:
        events = json.load(file)["traceEvents"]
    ops = [
        e for e in events if e.get("cat") in ("cpu_op", "user_annotation") and e.get("ph") == "X"
    ]
    by_id = {e["args"]["External id"]: e for e in ops if e["args"].get("External id")}
    around = {}
    for tid in {e["tid"] for e in ops}:
        stack = []
        for op in sorted((e for e in ops if e["tid"] == tid), key=lambda e: (e["ts"], -e["dur"])):
            while stack and op["ts"] >= stack[-1]["ts"] + stack[-1]["dur"]:
                stack.pop()
            around[id(op)] = stack[-1] if stack else None
            stack.append(op)
    starts = {(e["tid"], e["ts"]): e for e in ops}  # of several at one time the innermost
    flows = [e for e in events if e.get("cat") == "fwdbwd"]
    forward = {}
    begins = {e["id"]: starts.get((e["tid"], e["ts"])) for e in flows if e["ph"] == "s"}
    for flow in flows:
        if flow["ph"] == "f":
            forward[id(starts.get((flow["tid"], flow["ts"])))] = begins.get(flow["id"])

    def outermost(op, aten_only=True):
        best = op
        while op is not None:
            if not aten_only or op["name"].startswith("aten::"):
                best = op
            op = around[id(op)]
        return best["name"]

    kernels = sorted(
        (e for e in events if e.get("cat") == "kernel"), key=lambda e: e["args"]["correlation"]
    )
    for kernel in kernels:
        op = by_id[kernel["args"]["External id"]]
        chain, at = [], op
        while at is not None:
            chain.append(at)
            at = around[id(at)]
        row = {
            "inner": op["name"],
            "outer": outermost(op),
            "dims": op["args"].get("Input Dims", []),
        }
        names = [e["name"] for e in chain]
        evaluated = next(
            (n for n in names if n.startswith("autograd::engine::evaluate_function: ")), None
        )
        if evaluated is not None:
            row["dir"] = "bprop"
            row["node"] = evaluated.split(": ", 1)[1]
            engine = next(e for e in chain if e["name"] == evaluated)
            node = next((e for e in chain if id(e) in forward), None) or next(
                (e for e in ops if around[id(e)] is engine and id(e) in forward), None
            )
            if node is not None and forward[id(node)] is not None:
                row["forward"] = forward[id(node)]["name"]
                row["forward_outer"] = outermost(forward[id(node)])
        elif any(n.startswith("Optimizer.") or n.startswith("aten::_amp_") for n in names):
            row["dir"] = "update"
        else:
            row["dir"] = "fprop"
        if flops(op) is not None:
            row["flops"] = flops(op)
        yield row


def write(path, rows):
    with open(path, "wb") as raw, gzip.GzipFile(
        filename="", mode="wb", fileobj=raw, mtime=0
    ) as file:
        for row in rows:
            file.write((json.dumps(row, separators=(",", ":")) + "\n").encode())


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    write(sys.argv[3], Listing(sys.argv[1]).records())
    write(sys.argv[4], truth(sys.argv[2]))
