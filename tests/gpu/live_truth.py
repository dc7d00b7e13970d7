# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What torch.profiler says of each kernel of a program: op, direction and layer, from its record of
ops, the ranges that modules get here, and the sequence numbers that tie gradients to their ops."""
import bisect
import collections
import contextlib
import functools
import gzip
import json
import tempfile

import torch

LAYER, SCOPE = "layer:", "scope:"
NODE, OPTIMIZER = "autograd::engine::evaluate_function: ", "Optimizer."
is_recording = False


def scope(name):
    """Part of a step that torch.profiler cannot know: "closure" is no work of the optimizer around
    it, "update" is as good as the optimizer's."""
    if not is_recording:
        return contextlib.nullcontext()
    return torch.profiler.record_function(SCOPE + name)


def mark_layers(module):
    for path, part in module.named_modules():
        call = part.forward

        @functools.wraps(call)  # some look at its parameters
        def marked(*args, _call=call, _path=path, **kwargs):
            with torch.profiler.record_function(LAYER + _path):
                return _call(*args, **kwargs)

        part.forward = marked


def record(module, run, path):
    """Runs under torch.profiler, and writes what it says of each kernel, in order of launches."""
    global is_recording
    is_recording = True
    mark_layers(module)
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities, record_shapes=True) as profiler:
        run()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profiler.export_chrome_trace(file.name)
        with open(file.name, encoding="utf-8") as trace:
            events = json.load(trace)["traceEvents"]
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for row in Truth(events).kernels():
            out.write(json.dumps(row) + "\n")


class Slice:
    """An op, or a range, of a thread; `around` is the one that it is in."""

    def __init__(self, event, around):
        self.name, self.around = event["name"], around
        self.begin, self.end = event["ts"], event["ts"] + event["dur"]
        args = event.get("args", {})
        self.seq, self.forward_thread = args.get("Sequence number"), args.get("Fwd thread id", 0)
        self.thread = event["tid"]

    def path(self):
        """From the innermost out."""
        at = self
        while at is not None:
            yield at
            at = at.around


class Truth:
    def __init__(self, events):
        self.slices = collections.defaultdict(list)  # by thread, in order of time
        self.forward = collections.defaultdict(list)  # ops with a number, by number
        self.launches = {}
        self.work = []
        self.main_thread = None
        for event in sorted(
            (e for e in events if e.get("ph") == "X"), key=lambda e: (e["ts"], -e["dur"])
        ):
            self.take(event)

    def take(self, event):
        kind = event.get("cat")
        if kind in ("cpu_op", "user_annotation"):
            if self.main_thread is None:
                self.main_thread = event["tid"]
            known = self.slices[event["tid"]]
            around = known[-1] if known else None
            while around is not None and around.end <= event["ts"]:
                around = around.around
            made = Slice(event, around)
            known.append(made)
            if made.seq is not None and not made.forward_thread and kind == "cpu_op":
                self.forward[made.seq].append(made)
        elif kind in ("cuda_runtime", "cuda_driver"):
            self.launches[event["args"].get("correlation")] = event
        elif kind == "kernel":
            self.work.append(event)

    def slice_at(self, thread, time):
        known = self.slices[thread]
        at = bisect.bisect_right(known, time, key=lambda one: one.begin) - 1
        found = known[at] if at >= 0 else None
        while found is not None and found.end < time:
            found = found.around
        return found

    def forward_of(self, node):
        """The innermost op of that number that had begun before the node; None: not known. Threads
        count on their own. A node names its op's by torch's number, 1 for the main thread."""
        found = [
            op
            for op in self.forward.get(node.seq, ())
            if op.begin < node.begin
            and (op.thread == self.main_thread) == (node.forward_thread == 1)
        ]
        return found[-1] if found else None

    def kernels(self):
        rows = []
        for event in self.work:
            launch = self.launches.get(event["args"].get("correlation"))
            found = self.slice_at(launch["tid"], launch["ts"]) if launch else None
            rows.append(
                {
                    "ts": launch["ts"] if launch else event["ts"],
                    "kernel": event["name"],
                    "time_us": event["dur"],
                    **self.told(found),
                }
            )
        return sorted(rows, key=lambda row: row["ts"])

    def told(self, innermost):
        """Of the ranges around, the innermost that says something counts."""
        outer = None
        path = list(innermost.path()) if innermost is not None else []
        for at, one in enumerate(path):
            if one.name.startswith("aten::") or "::" in one.name and NODE not in one.name:
                outer = one.name
                continue
            if one.name.startswith(LAYER):  # in a node: what a checkpoint runs again
                is_again = any(around.name.startswith(NODE) for around in path[at:])
                return {
                    "op": outer,
                    "dir": "bprop" if is_again else "fprop",
                    "layer": one.name[len(LAYER) :],
                }
            if one.name.startswith(SCOPE):
                if one.name == SCOPE + "update":
                    return {"op": outer, "dir": "update", "layer": None}
                return {
                    "op": outer,
                    "dir": self.outside(outer),
                    "layer": self.layer_around(path[at:]),
                }
            if one.name.startswith(NODE):
                return self.told_of_node(outer, path[: at + 1])
            if one.name.startswith(OPTIMIZER):
                return {
                    "op": one.name.split("#")[-1].split(".")[0].lower()
                    if ".step#" in one.name
                    else "zero_grad",
                    "dir": "update",
                    "layer": None,
                }
        return {"op": outer, "dir": self.outside(outer), "layer": None}

    @staticmethod
    def outside(op):
        """The direction of an op outside of modules, nodes and optimizers."""
        if op == "aten::ones_like":  # from which a backward pass begins
            return "bprop"
        return "fprop" if op else None

    @staticmethod
    def layer_around(path):
        """The layer around a scope, up to an optimizer or a node."""
        for one in path:
            if one.name.startswith(LAYER):
                return one.name[len(LAYER) :]
            if one.name.startswith((OPTIMIZER, NODE)):
                break
        return ""

    def told_of_node(self, outer, path):
        node = next((one for one in reversed(path) if one.seq is not None), None)
        forward = self.forward_of(node) if node is not None else None
        if forward is None:
            return {"op": None, "inner_of_node": outer, "dir": "bprop", "layer": None}
        told = self.told(forward)
        return {"op": told["op"], "dir": "bprop", "layer": told["layer"]}
