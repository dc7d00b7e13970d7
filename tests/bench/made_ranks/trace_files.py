# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A rank's items and their times as a stream of records, and as a trace by prof-import."""
import base64
import dataclasses
import json
import struct
import subprocess

from .program import COMPUTE_STREAM, INPUT_BYTES, count_blocks, of_stage
from .recording import filled
from .simulation import CALL_NS

START_NS = 1_795_400_000_000_000_000
NCCL_DOMAIN = 3
INIT_SCHEMA, CALL_SCHEMA = 16777218, 16777225
LIBRARY_WORDS = {
    "all_reduce": "AllReduce",
    "all_gather": "AllGather",
    "reduce_scatter": "ReduceScatter",
    "all_to_all": "AlltoAll",
    "send": "Send",
    "recv": "Recv",
}
KERNELS = {
    "all_reduce": "AllReduce_Sum_bf16_RING_LL",
    "all_gather": "AllGather_RING_LL",
    "reduce_scatter": "ReduceScatter_Sum_bf16_RING_LL",
}
# NCCL's counts of these are one rank's part.
IN_PARTS = ("all_gather", "reduce_scatter", "all_to_all")
LOAD_TEXT = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


@dataclasses.dataclass
class Identity:
    rank: int
    local_rank: int
    world: int
    host: int
    offset_ns: int = 0  # of its host's clock
    drift: float = 0.0  # of a second
    ids: str = "record"  # what the trace states of collectives: record (sequences, too), nvtx, none
    first_step: int = 0
    last_step: int = 0  # not included


def communicator(group, members):
    return (
        0x9E3779B97F4A7C15
        * (1 + 977 * members[0] + {"data": 1, "tensor": 2, "pipe": 3, "expert": 4}[group])
    ) % 2**63


class Stream:
    """Writes the records of one rank."""

    def __init__(self, out, step, layout, items, times, sizes, identity):
        self.out, self.step, self.layout, self.items, self.times = out, step, layout, items, times
        self.sizes, self.identity = sizes, identity
        self.stage, self.blocks = layout.place(identity.rank)[2], count_blocks(step)
        self.strings = {}
        self.scale = 1 + identity.drift
        self.base = START_NS + identity.offset_ns
        self.range_id = 0
        self.open = []  # (key, id, parent, start, text or record)
        self.sequences = {}

    def write(self, **record):
        self.out.write(json.dumps(record, separators=(",", ":")) + "\n")

    def clock(self, time_ns):
        return self.base + int(time_ns * self.scale)

    def text(self, text):
        known = self.strings.get(text)
        if known is None:
            known = self.strings[text] = len(self.strings) + 1
            self.write(record="string", id=known, text=text)
        return known

    def header(self):
        own = self.identity
        self.out.write('{"format":"prof-stream","version":1}\n')
        meta = {
            "start_realtime_ns": str(self.base),
            "host": f"node{own.host}",
            "boot_id": f"boot-{own.host}",
            "env.RANK": str(own.rank),
            "env.LOCAL_RANK": str(own.local_rank),
            "env.WORLD_SIZE": str(own.world),
            "env.TORCHELASTIC_RUN_ID": "made",
            "pid": str(1000 + own.local_rank),
            "ended": "exit",
        }
        for key, value in meta.items():
            self.write(record="meta", key=key, value=value)
        self.write(record="thread", id=1, os_tid=1000 + own.local_rank, name=self.text("python3"))
        self.write(record="domain", id=1)
        self.write(record="domain", id=NCCL_DOMAIN, name=self.text("NCCL"))
        self.write(
            record="clock_sync", realtime_ns=self.base, monotonic_ns=10**12, cupti_ns=self.base
        )
        self.write(**{**self.step.device, "device": own.local_rank, "uuid": f"GPU-{own.rank:08x}"})

    def communicators(self):
        """Their creation, as NCCL's ranges state it."""
        if self.identity.ids == "none":
            return
        kinds = {0: "uint64", 8: "size", 12: "int", 16: "int"}
        for schema, fields in (
            (INIT_SCHEMA, {"NCCL communicator ID": 0, "No. of ranks": 8, "Rank": 12}),
            (CALL_SCHEMA, {"NCCL communicator ID": 0, "Message size [bytes]": 8, "Peer rank": 16}),
        ):
            types = {**kinds, 8: "int" if schema == INIT_SCHEMA else "size"}
            listed = [
                {"name": name, "type": types[offset], "offset": offset, "array": 0, "flags": 0}
                for name, offset in fields.items()
            ]
            self.write(
                record="payload_schema",
                domain=NCCL_DOMAIN,
                schema=schema,
                fields_json=json.dumps(listed),
            )
        for group in dict.fromkeys(item.group for item in self.items if item.kind == "collective"):
            members = self.layout.group(self.identity.rank, group)
            payload = struct.pack(
                "<Qii",
                communicator(group, members),
                len(members),
                members.index(self.identity.rank),
            )
            self.push(("init", group), "ncclCommInitRank", 0, NCCL_DOMAIN, (INIT_SCHEMA, payload))
            self.pop(500)

    def push(self, key, what, launch_ns, domain=1, payload=None):
        self.range_id += 1
        parent = self.open[-1][1] if self.open else 0
        if payload:
            self.write(
                record="payload_blob",
                range=self.range_id,
                domain=domain,
                schema=payload[0],
                bytes_base64=base64.b64encode(payload[1]).decode(),
            )
        self.open.append((key, self.range_id, parent, launch_ns - 400, what, domain))

    def pop(self, end_ns):
        _, number, parent, start_ns, what, domain = self.open.pop()
        record = {
            "record": "range",
            "id": number,
            "parent": parent,
            "thread": 1,
            "end_thread": 1,
            "domain": domain,
        }
        if isinstance(what, dict):
            text = filled(self.step.strings.get(what.get("text", 0), ""), what.get("numbers", []))
            text = of_stage(text, self.stage, self.blocks)
        else:
            text = what
        self.write(
            **record, text=self.text(text), start_ns=self.clock(start_ns), end_ns=self.clock(end_ns)
        )

    def enter(self, path, launch_ns, last_end_ns):
        """Closes what is not on the path and opens what is missing."""
        same = 0
        while same < len(path) and same < len(self.open) and self.open[same][0] == path[same][0]:
            same += 1
        while len(self.open) > same:
            self.pop(last_end_ns)
        for key, what in path[same:]:
            self.push(key, what, launch_ns)

    def path(self, number, item):
        """The step's range, and the item's."""
        stack = [(("step", number), f"step:{number}")]
        for place in item.stack:
            stack.append(
                (
                    (number, item.copy, place),
                    place if isinstance(place, str) else self.step.ranges[place],
                )
            )
        return stack

    def records(self):
        self.header()
        self.communicators()
        own, count = self.identity, len(self.items)
        correlation, last_end = 10, 0
        for number in range(own.first_step, own.last_step):
            for at, item in enumerate(self.items):
                if item.kind not in ("load", "work", "collective"):
                    continue
                index = number * count + at
                launch = self.times.launch[index]
                correlation += 1
                self.enter(self.path(number, item), launch, last_end)
                last_end = self.times.end[index] if item.kind == "load" else launch + CALL_NS
                if item.kind == "load":
                    self.push("load", LOAD_TEXT, launch)
                    self.pop(last_end)
                elif item.kind == "collective":
                    self.collective(item, index, correlation, last_end, self.sizes[at], number)
                else:
                    self.work(item, index, correlation)
        while self.open:
            self.pop(last_end)

    def work(self, item, index, correlation):
        if item.work == "input":
            function = "cudaMemcpyAsync"
            record = {
                "record": "memcpy",
                "copy_kind": 1,
                "source": "pinned",
                "destination": "device",
                "async": True,
                "bytes": INPUT_BYTES,
            }
        else:
            function = item.work.function
            record = {**item.work.record}
            if "name" in record:
                record["name"] = self.text(self.step.strings[record["name"]])
        self.launch(function, index, correlation)
        self.write(
            **{
                **record,
                "correlation": correlation,
                "context": 1,
                "device": self.identity.local_rank,
                "stream": COMPUTE_STREAM,
                "start_ns": self.clock(self.times.start[index]),
                "end_ns": self.clock(self.times.end[index]),
            }
        )

    def launch(self, function, index, correlation):
        launch = self.times.launch[index]
        self.write(
            record="api",
            correlation=correlation,
            function=self.text(function),
            thread=1,
            stack=self.open[-1][1],
            start_ns=self.clock(launch),
            end_ns=self.clock(launch + CALL_NS),
        )

    def collective(self, item, index, correlation, end_ns, size, step):
        own = self.identity
        members = self.layout.group(own.rank, item.group)
        number = communicator(item.group, members)
        peer = members.index(own.rank) + item.peer if item.group == "pipe" else None
        sequence = self.sequences.get(item.group)
        if sequence is None:  # those of the steps before the window count
            of_step = sum(
                1 for one in self.items if one.kind == "collective" and one.group == item.group
            )
            sequence = of_step * step
        self.sequences[item.group] = sequence + 1
        size = int(size) // (len(members) if item.op in IN_PARTS else 1)
        launch = self.times.launch[index]
        if own.ids == "none":
            attributes = {
                "v": 1,
                "mod": "prof",
                "op": item.op,
                "attrs": {"ranks": len(members), "message_bytes": size},
            }
            self.push(("call", correlation), json.dumps(attributes), launch)
        else:
            payload = struct.pack("<QQi", number, size, peer or 0)
            function = f"nccl{LIBRARY_WORDS[item.op]}"
            self.push(("call", correlation), function, launch, NCCL_DOMAIN, (CALL_SCHEMA, payload))
        self.launch("cuLaunchKernelExC", index, correlation)
        if own.ids == "record":
            stated = {
                "record": "collective",
                "correlation": correlation,
                "communicator": number,
                "rank": members.index(own.rank),
                "ranks": len(members),
                "bytes": size,
                "operation": self.text(LIBRARY_WORDS[item.op]),
            }
            stated.update({"peer": peer} if item.group == "pipe" else {"sequence": sequence})
            self.write(**stated)
        name = f"ncclDevKernel_{KERNELS.get(item.op, 'SendRecv')}(ncclDevKernelArgsStorage<4096ul>)"
        self.write(
            record="kernel",
            correlation=correlation,
            context=1,
            device=own.local_rank,
            stream=item.stream,
            start_ns=self.clock(self.times.start[index]),
            end_ns=self.clock(self.times.end[index]),
            name=self.text(name),
            grid=[24, 1, 1],
            block=[544, 1, 1],
            registers_per_thread=96,
        )
        self.pop(end_ns)


def write_trace(path, bin_dir, *stream):
    """One rank's trace.db."""
    text = path.with_suffix(".jsonl")
    with open(text, "w") as out:
        Stream(out, *stream).records()
    subprocess.run(
        [bin_dir / "prof-import", text, "-o", path, "--force"], check=True, capture_output=True
    )
    text.unlink()
