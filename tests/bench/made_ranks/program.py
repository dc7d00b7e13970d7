# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a rank executes in a step: the recorded work in microbatches, with collectives between its parts."""
import dataclasses
import itertools
import re

COMPUTE_STREAM = 7
STREAMS = {"data": 20, "tensor": 21, "expert": 22, "pipe_in": 23, "pipe_out": 24}
INPUT_BYTES = 4 << 20
BLOCK = re.compile(r"h\.\d+$")
NUMBERS = re.compile(r"(\bh\.|^Layer )(\d+)")


@dataclasses.dataclass
class Layout:
    """Ranks by their place: tensor ranks are neighbors, then those of data, then the stages of the pipeline."""

    data: int = 1
    tensor: int = 1
    pipe: int = 1
    expert: bool = False  # all-to-all between the ranks of a data group
    shard: bool = False  # FSDP: each rank of a data group keeps a part of the weights
    microbatches: int = 1
    exposed: bool = False  # collectives run on the computing stream, and nothing beside them

    @property
    def ranks(self):
        return self.data * self.tensor * self.pipe

    def place(self, rank):
        return (
            rank // self.tensor % self.data,
            rank % self.tensor,
            rank // (self.tensor * self.data),
        )

    def rank(self, data, tensor, pipe):
        return (pipe * self.data + data) * self.tensor + tensor

    def group(self, rank, kind):
        """The ranks of its communicator of that kind, in their order there."""
        data, tensor, pipe = self.place(rank)
        if kind == "tensor":
            return [self.rank(data, t, pipe) for t in range(self.tensor)]
        if kind == "pipe":
            return [self.rank(data, tensor, p) for p in range(self.pipe)]
        return [self.rank(d, tensor, pipe) for d in range(self.data)]


@dataclasses.dataclass
class Item:
    """`stack`: ranges as in recording.Work; texts stand for made ones.

    `kind`: "load": the host waits for data; "work"; "collective"; "wait": the compute stream waits for the collective
    `waits_for`; "join": for all collectives; "sync": the host waits for the compute stream.
    """

    kind: str
    stack: tuple = ()
    copy: int = 0  # of the microbatch, so that each has ranges of its own
    work: object = None
    group: str = ""  # "data", "tensor", "expert", "pipe"
    op: str = ""
    bytes: int = 0
    stream: int = COMPUTE_STREAM
    is_async: bool = False  # the compute stream does not wait for it
    peer: int = 0  # stages further on in the pipeline
    waits_for: int = 0  # index of a collective in the step
    # Of the work: what causes are planted by.
    layer: str = ""
    word: str = ""
    direction: str = ""


def schedule(stage, stages, microbatches):
    """1F1B: ("F" or "B", microbatch) in the order of the stage."""
    warm = min(stages - stage - 1, microbatches)
    order = [("F", i) for i in range(warm)]
    for i in range(microbatches - warm):
        order += [("F", warm + i), ("B", i)]
    return order + [("B", i) for i in range(microbatches - warm, microbatches)]


def top(layer, parts):
    return ":".join(layer.split(":")[:parts])


def is_block(work):
    return BLOCK.match(top(work.layer, 1))


def units(works):
    """What FSDP wraps: each block, and what is between blocks."""

    def unit(work):
        return top(work.layer, 1) if is_block(work) else ""

    return [list(part) for _, part in itertools.groupby(works, unit)]


def count_blocks(step):
    return len({top(work.layer, 1) for work in step.works if is_block(work)})


def of_stage(text, stage, blocks):
    """A layer or a text of the recorded step, as it is in a stage: each has blocks of its own."""
    return NUMBERS.sub(lambda found: f"{found[1]}{int(found[2]) + stage * blocks}", text)


def part_of_stage(works, has_begin, has_end):
    """What is before the first block is in one stage alone, and so is what is behind the last one."""
    at = [i for i, work in enumerate(works) if is_block(work)]
    if not at:
        return works
    return works[0 if has_begin else at[0] : len(works) if has_end else at[-1] + 1]


class Builder:
    def __init__(self, step, layout, stage, sizes):
        self.layout, self.stage, self.sizes = layout, stage, sizes
        self.blocks = count_blocks(step)
        directions = [w.direction for w in step.works]
        first = directions.index("bprop") if "bprop" in directions else len(directions)
        last = len(directions) - directions[::-1].index("bprop") if "bprop" in directions else first
        ends = stage == 0, stage == layout.pipe - 1
        self.forward = part_of_stage(step.works[:first], *ends)
        self.backward = part_of_stage(step.works[first:last], *reversed(ends))
        self.update = step.works[last:]
        self.order = schedule(stage, layout.pipe, layout.microbatches)
        self.items = []

    def collective(self, group, op, stack, copy, stream="", **more):
        """Its index."""
        stream = (
            COMPUTE_STREAM if self.layout.exposed and group != "pipe" else STREAMS[stream or group]
        )
        self.items.append(
            Item(
                "collective",
                stack,
                copy,
                group=group,
                op=op,
                stream=stream,
                bytes=self.sizes[group],
                **more,
            )
        )
        return len(self.items) - 1

    def wait_for(self, index):
        self.items.append(Item("wait", waits_for=index))

    def works(self, works, copy, is_last=False):
        """With the collectives of their layers."""
        for i, work in enumerate(works):
            after = works[i + 1] if i + 1 < len(works) else None
            before = works[i - 1] if i else None
            part = top(work.layer, 2)
            is_expert = self.layout.expert and ":mlp" in part
            around = tuple(work.stack[:1])
            if is_expert and (before is None or top(before.layer, 2) != part):
                self.collective("expert", "all_to_all", around, copy)
            self.items.append(
                Item(
                    "work",
                    work.stack,
                    copy,
                    work,
                    word=work.op,
                    direction=work.direction,
                    layer=of_stage(work.layer, self.stage, self.blocks),
                )
            )
            ends_part = after is None or top(after.layer, 2) != part
            if is_expert and ends_part:
                self.collective("expert", "all_to_all", around, copy)
            if self.layout.tensor > 1 and ends_part and (":mlp" in part or ":attn" in part):
                self.collective("tensor", "all_reduce", around, copy)
            ends_layer = after is None or top(after.layer, 1) != top(work.layer, 1)
            if is_last and self.layout.data > 1 and ends_layer:
                self.collective(
                    "data", "all_reduce", around, copy, is_async=not self.layout.exposed
                )

    def sharded_works(self, works, copy, is_forward):
        """With gathered weights: those of a unit while the one before it runs; gradients are scattered beside it."""
        parts, exposed = units(works), self.layout.exposed
        around = [tuple(part[0].stack[:1]) for part in parts]

        def gather(i):
            return self.collective("data", "all_gather", around[i], copy, is_async=not exposed)

        gathered = None if exposed else gather(0)
        for i, part in enumerate(parts):
            if exposed:
                gather(i)
            else:
                following = gather(i + 1) if i + 1 < len(parts) else None
                self.wait_for(gathered)
                gathered = following
            self.works(part, copy)
            if not is_forward:
                self.collective("data", "reduce_scatter", around[i], copy, is_async=not exposed)

    def microbatch(self, what, i):
        is_forward = what == "F"
        copy = 2 * i + (not is_forward)
        works = self.forward if is_forward else self.backward
        if is_forward and self.stage == 0:
            self.items.append(
                Item("work", ("layer:inputs",), copy, "input", layer="inputs", word="copy")
            )
        if self.layout.shard and self.layout.data > 1:
            self.sharded_works(works, copy, is_forward)
        else:
            self.works(works, copy, is_last=not is_forward and i == self.layout.microbatches - 1)

    def receive(self, at):
        """Posts the receive for a microbatch of the order; its index, or None."""
        if at >= len(self.order):
            return None
        what, i = self.order[at]
        peer = -1 if what == "F" else 1
        if not 0 <= self.stage + peer < self.layout.pipe:
            return None
        return self.collective(
            "pipe", "recv", (), 2 * i + (what == "B"), "pipe_in", peer=peer, is_async=True
        )

    def send(self, at):
        what, i = self.order[at]
        peer = 1 if what == "F" else -1
        if not 0 <= self.stage + peer < self.layout.pipe:
            return None
        return self.collective(
            "pipe", "send", (), 2 * i + (what == "B"), "pipe_out", peer=peer, is_async=True
        )

    def build(self):
        """Transfers between stages: exposed, computing waits for the send and for what is received next; if not, the
        next receive is posted a microbatch ahead, and sends run beside computing."""
        if self.stage == 0:
            self.items.append(Item("load"))
        exposed = self.layout.exposed
        received, sent = self.receive(0), None
        for at, (what, i) in enumerate(self.order):
            following = None if exposed else self.receive(at + 1)
            for one in (received, sent if exposed else None):
                if one is not None:
                    self.wait_for(one)
            self.microbatch(what, i)
            sent = self.send(at)
            received = self.receive(at + 1) if exposed else following
        self.items.append(Item("join"))
        self.works(self.update, 2 * self.layout.microbatches)
        self.items.append(Item("sync"))
        return self.items


def build(step, layout, stage, sizes):
    return Builder(step, layout, stage, sizes).build()
