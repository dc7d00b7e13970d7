# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Captures that have N of one thing, as record streams (docs/formats/stream.md).

Each shape has a number of records in proportion to N, so that what a program does with it may take
N log N.
"""
import json
from dataclasses import dataclass
from typing import Callable

START = 1_700_000_000_000_000_000
RANGES_OF_A_BLOCK = 256  # docs/formats/stream.md: a block of ids belongs to one thread
STEP_NS = 10_000
NEVER = 0


def op_text(name, direction, rows, columns):
    shape = [
        {"name": word, "role": role, "type": "tensor", "shape": [rows, columns], "dtype": "float16"}
        for word, role in (("x", "in"), ("y", "out"))
    ]
    return json.dumps(
        {"v": 1, "mod": "prof", "op": name, "dir": direction, "args": shape}, separators=(",", ":")
    )


class Stream:
    """Writes records; a record's time is what the stream's clock says."""

    def __init__(self, file):
        self._file = file
        self._strings = {}
        self._threads = {}  # the next range id, and how many are left in its block
        self._blocks = 0
        self.now = START
        self._correlation = 0
        file.write('{"format":"prof-stream","version":1}\n')
        self.write("meta", key="start_realtime_ns", value=str(START))
        self.write("device", device=0, name="NVIDIA H200", compute_major=9, sm_count=132)

    def write(self, record, **fields):
        self._file.write(json.dumps({"record": record, **fields}, separators=(",", ":")) + "\n")

    def text(self, text):
        if text not in self._strings:
            self._strings[text] = len(self._strings) + 1
            self.write("string", id=self._strings[text], text=text)
        return self._strings[text]

    def thread(self, number):
        if number not in self._threads:
            self._threads[number] = [0, 0]
            self.write("thread", id=number, os_tid=1000 + number)
        return number

    def later(self, ns=STEP_NS):
        self.now += ns
        return self.now

    def next_range(self, thread=1):
        own = self._threads[self.thread(thread)]
        if own[1] == 0:
            own[:] = [1 + self._blocks * RANGES_OF_A_BLOCK, RANGES_OF_A_BLOCK]
            self._blocks += 1
        own[0] += 1
        own[1] -= 1
        return own[0] - 1

    def range(self, number, text, start, end, parent=0, thread=1, **more):
        """A range whose end is NEVER is still open at the end of the capture."""
        times = {"start_ns": start} if end == NEVER else {"start_ns": start, "end_ns": end}
        inside = {"parent": parent} if parent else {}
        self.write(
            "range",
            id=number,
            thread=thread,
            end_thread=thread,
            text=self.text(text),
            **times,
            **inside,
            **more,
        )

    def call(self, function="cudaLaunchKernel", stack=0, thread=1):
        self._correlation += 1
        self.write(
            "api",
            correlation=self._correlation,
            function=self.text(function),
            thread=self.thread(thread),
            start_ns=self.now,
            end_ns=self.now + 1000,
            **({"stack": stack} if stack else {}),
        )
        return self._correlation

    def kernel(self, correlation, name="_Z6kernelPf", stream=7, **more):
        self.write(
            "kernel",
            correlation=correlation,
            context=1,
            stream=stream,
            start_ns=self.now + 2000,
            end_ns=self.now + 5000,
            name=self.text(name),
            grid=[8, 1, 1],
            block=[128, 1, 1],
            **more,
        )

    def launch(self, stack=0, thread=1, **kernel):
        self.later()
        self.kernel(self.call(stack=stack, thread=thread), **kernel)

    def launch_in(self, texts, thread=1, **kernel):
        """A launch in ranges of these texts, the outermost first."""
        begin = self.later()
        numbers = [self.next_range(thread) for _ in texts]
        self.launch(stack=numbers[-1], thread=thread, **kernel)
        end = self.later()
        for depth in reversed(range(len(texts))):
            self.range(
                numbers[depth],
                texts[depth],
                begin,
                end,
                parent=numbers[depth - 1] if depth else 0,
                thread=thread,
            )

    def end(self):
        self.write("meta", key="ended", value="stop")


def kernels(stream, n):
    for _ in range(n):
        stream.launch()


def streams(stream, n):
    for number in range(n):
        stream.launch(stream=number + 7)


def threads(stream, n):
    for number in range(1, n + 1):
        stream.launch_in(["layer:worker", op_text("relu", "fprop", 8, 8)], thread=number)


def nested(stream, n, text, end):
    """Ranges inside each other, with a launch in each."""
    begins, parent, numbers = [], 0, []
    for _ in range(n):
        begins.append(stream.later())
        numbers.append(stream.next_range())
        stream.launch(stack=numbers[-1])
    for number, begin in zip(numbers, begins):
        stream.range(number, text, begin, end(stream.now, begin), parent=parent)
        parent = number


def open_nested(stream, n):
    nested(stream, n, "part", lambda now, begin: NEVER)


def closed_nested(stream, n):
    # The innermost one ends first.
    nested(
        stream, n, "layer:part", lambda now, begin: now + 10 * STEP_NS + (START + 10**12 - begin)
    )


def open_process_ranges(stream, n):
    for _ in range(n):
        begin = stream.later()
        stream.range(stream.next_range(), "request", begin, NEVER, kind="start_end")
        stream.launch()


def overlapping_process_ranges(stream, n):
    for _ in range(n):
        begin = stream.later()
        stream.range(stream.next_range(), "request", begin, begin + n * STEP_NS, kind="start_end")
        stream.launch()


def layers(stream, n):
    for number in range(n):
        name = "".join("abcdefghij"[int(digit)] for digit in str(number))  # numbers add up
        stream.launch_in(["layer:" + name, op_text("relu", "fprop", 8, 8)])


def ops(stream, n):
    for number in range(n):
        stream.launch_in(
            ["layer:one", op_text(f"op_{number}" if number % 2 else "relu", "fprop", number + 1, 8)]
        )


def calls_of_an_op(stream, n):
    for _ in range(n):
        stream.launch_in(["layer:one", op_text("relu", "fprop", 8, 8)])


def steps(stream, n):
    for number in range(n):
        stream.launch_in([f"step:{number}", "layer:one", op_text("relu", "bprop", 8, 8)])


def node(stream, number, graph, stack=0):
    stream.write(
        "graph_node",
        graph_node=(graph << 32) + number,
        graph=graph,
        thread=1,
        time_ns=stream.later(),
        **({"stack": stack} if stack else {}),
    )
    return (graph << 32) + number


def graph_nodes(stream, n):
    """A graph of N nodes, launched twice."""
    layer, begin = stream.next_range(), stream.now
    stream.thread(1)
    nodes = [node(stream, number, 1, layer) for number in range(n)]
    stream.range(layer, "layer:graph", begin, stream.later())
    for _ in range(2):
        stream.later()
        call = stream.call("cudaGraphLaunch")
        for one in nodes:
            stream.later()
            stream.kernel(call, graph_node=one, graph=1, origin="graph")


def graphs(stream, n):
    """Graphs of one node."""
    stream.thread(1)
    for graph in range(1, n + 1):
        one = node(stream, 0, graph)
        stream.later()
        stream.kernel(stream.call("cudaGraphLaunch"), graph_node=one, graph=graph, origin="graph")


def texts(stream, n):
    for number in range(n):
        name = f"kernel_{number}"
        stream.launch_in([f"request {number} of a user"], name=f"_Z{len(name)}{name}Pf")


def allocations(stream, n):
    """Half of them are never released."""
    for number in range(n):
        stream.launch()
        for operation in ("allocate", "release")[: 1 + number % 2]:
            stream.write(
                "allocation",
                correlation=stream.call("cudaMalloc"),
                operation=operation,
                memory="device",
                device=0,
                context=1,
                time_ns=stream.later(),
                address=4096 * (number + 1),
                bytes=1000,
            )


def os_calls(stream, n):
    for number in range(n):
        stream.launch()
        stream.write(
            "os_call",
            thread=1,
            function=stream.text(f"read{number % 9}"),
            start_ns=stream.now,
            end_ns=stream.later(),
        )


def marks(stream, n):
    for number in range(n):
        stream.launch()
        stream.write("mark", thread=1, text=stream.text(f"mark {number}"), time_ns=stream.now)


def captures(stream, n):
    """Windows of a launch each."""
    for number in range(1, n + 1):
        begin = stream.later()
        stream.launch()
        stream.write(
            "capture",
            number=number,
            start_ns=begin,
            end_ns=stream.later(),
            opener="step 1",
            closer="step 1",
        )


def device_states(stream, n):
    for number in range(n):
        stream.launch()
        stream.write(
            "device_state",
            time_ns=stream.now,
            sm_clock_mhz=1000 + number % 900,
            memory_clock_mhz=3201,
            power_mw=690000,
            temperature_c=60,
            throttle_reasons=0,
            memory_used_bytes=10**9,
        )


@dataclass(frozen=True)
class Shape:
    name: str
    fill: Callable[[Stream, int], None]
    files: int = 0  # N is this many times smaller, and counts traces; 0: one trace of N things.


SHAPES = [
    Shape("kernels", kernels),
    Shape("streams", streams),
    Shape("threads", threads),
    Shape("ranges that never close, nested", open_nested),
    Shape("ranges that close, nested", closed_nested),
    Shape("ranges of the process that never close", open_process_ranges),
    Shape("ranges of the process that overlap", overlapping_process_ranges),
    Shape("layers", layers),
    Shape("ops of other names and shapes", ops),
    Shape("calls of one op", calls_of_an_op),
    Shape("steps", steps),
    Shape("nodes of a graph", graph_nodes),
    Shape("graphs", graphs),
    Shape("distinct texts", texts),
    Shape("allocations", allocations),
    Shape("operating system calls", os_calls),
    Shape("marks", marks),
    Shape("windows", captures),
    Shape("states of a device", device_states),
    Shape("processes", lambda stream, n: steps(stream, 3), files=100),
]


def write_stream(shape, n, path):
    with open(path, "w", encoding="utf-8") as file:
        stream = Stream(file)
        stream.thread(1)
        shape.fill(stream, n)
        stream.end()
