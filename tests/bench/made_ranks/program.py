# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a rank executes in a step: the recorded work in microbatches, with collectives between its parts."""
import dataclasses

COMPUTE_STREAM = 7
STREAMS = {"data": 20, "tensor": 21, "expert": 22, "pipe_in": 23, "pipe_out": 24}
INPUT_BYTES = 4 << 20


@dataclasses.dataclass
class Layout:
    """Ranks by their place: tensor ranks are neighbors, then those of data, then the stages of the pipeline."""
    data: int = 1
    tensor: int = 1
    pipe: int = 1
    expert: bool = False  # all-to-all between the ranks of a data group
    microbatches: int = 1

    @property
    def ranks(self):
        return self.data * self.tensor * self.pipe

    def place(self, rank):
        return rank // self.tensor % self.data, rank % self.tensor, rank // (self.tensor * self.data)

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
    """Work, a collective, or a wait. `stack`: ranges as in recording.Work; texts stand for made ones."""
    kind: str  # "work", "collective", "join": the compute stream waits for all collectives, "sync": the host does
    stack: tuple = ()
    copy: int = 0  # of the microbatch, so that each has ranges of its own
    work: object = None
    group: str = ""  # "data", "tensor", "expert", "pipe"
    op: str = ""
    bytes: int = 0
    stream: int = COMPUTE_STREAM
    is_async: bool = False
    peer: int = 0  # stages further on in the pipeline
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


class Builder:
    def __init__(self, step, layout, stage, sizes):
        self.step, self.layout, self.stage, self.sizes = step, layout, stage, sizes
        directions = [w.direction for w in step.works]
        first = directions.index("bprop") if "bprop" in directions else len(directions)
        last = len(directions) - directions[::-1].index("bprop") if "bprop" in directions else first
        self.forward, self.backward = step.works[:first], step.works[first:last]
        self.update = step.works[last:]
        self.items = []

    def collective(self, group, op, stack, copy, **more):
        stream = more.pop("stream", STREAMS.get(group))
        self.items.append(Item("collective", stack, copy, group=group, op=op, stream=stream,
                               bytes=self.sizes[group], **more))

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
            self.items.append(Item("work", work.stack, copy, work, layer=work.layer, word=work.op,
                                   direction=work.direction))
            ends_part = after is None or top(after.layer, 2) != part
            if is_expert and ends_part:
                self.collective("expert", "all_to_all", around, copy)
            if self.layout.tensor > 1 and ends_part and (":mlp" in part or ":attn" in part):
                self.collective("tensor", "all_reduce", around, copy)
            ends_layer = after is None or top(after.layer, 1) != top(work.layer, 1)
            if is_last and self.layout.data > 1 and ends_layer:
                self.collective("data", "all_reduce", around, copy, is_async=True)

    def build(self):
        stages, count = self.layout.pipe, self.layout.microbatches
        for what, i in schedule(self.stage, stages, count):
            is_forward = what == "F"
            copy = 2 * i + (not is_forward)
            from_stage = -1 if is_forward else 1
            if 0 <= self.stage + from_stage < stages:
                self.collective("pipe", "recv", (), copy, peer=from_stage, stream=STREAMS["pipe_in"])
            elif is_forward:
                self.items.append(Item("work", ("layer:inputs",), copy, "input", layer="inputs", word="copy"))
            self.works(self.forward if is_forward else self.backward, copy,
                       is_last=not is_forward and i == count - 1)
            if 0 <= self.stage - from_stage < stages:
                self.collective("pipe", "send", (), copy, peer=-from_stage, stream=STREAMS["pipe_out"], is_async=True)
        self.items.append(Item("join"))
        self.works(self.update, 2 * count)
        self.items.append(Item("sync"))
        return self.items


def build(step, layout, stage, sizes):
    return Builder(step, layout, stage, sizes).build()
