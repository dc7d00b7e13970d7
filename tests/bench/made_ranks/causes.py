# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What makes a rank late, and what that adds to the items of its step."""
import dataclasses

from .program import INPUT_BYTES

COPY_BYTES_PER_NS = 25.0


@dataclasses.dataclass
class Cause:
    """`kind`: host, gpu, copy, clocks, sizes, load or link (make_ranks.py says what they are)."""

    rank: int
    kind: str
    ms: float = 0.0  # host, gpu, copy: for each microbatch; load
    factor: float = 1.0  # clocks, sizes, link
    layer: str = ""
    op: str = ""
    dir: str = ""
    peer: int = -1  # link: between the two alone
    of_host: bool = False  # link: of the rank's host to other hosts

    def is_at(self, item):
        places = {
            "copy": item.work == "input",
            "load": item.kind == "load",
            "link": item.kind == "collective",
        }
        if self.kind in places:
            return places[self.kind]
        return (
            item.kind == "work"
            and item.work != "input"
            and (not self.layer or item.layer == self.layer)
            and (not self.op or item.word == self.op)
            and (not self.dir or item.direction == self.dir)
        )

    def slows(self, members, gpus_per_host):
        """Whether a collective of these ranks needs the slow link."""
        if self.kind != "link":
            return False
        if self.of_host:
            own = [member // gpus_per_host == self.rank // gpus_per_host for member in members]
            return any(own) and not all(own)
        return self.rank in members and (self.peer < 0 or self.peer in members)


class Plan:
    """Of a rank: how long its items take by themselves, with its causes."""

    def __init__(self, items, causes, gpu_scale, speed):
        self.items = items
        self.sleep, self.gpu, self.bytes = [0] * len(items), [0.0] * len(items), [0.0] * len(items)
        done = set()  # a sleep is before the first work of its place, once in a microbatch
        for at, item in enumerate(items):
            self.bytes[at] = item.bytes
            if item.kind == "work":
                is_copy = item.work == "input"
                self.gpu[at] = (
                    INPUT_BYTES / COPY_BYTES_PER_NS
                    if is_copy
                    else item.work.gpu_ns * gpu_scale / speed
                )
            for number, cause in enumerate(causes):
                if cause.kind == "sizes" and item.group == "expert":
                    self.bytes[at] = item.bytes * cause.factor
                if not cause.is_at(item):
                    continue
                if cause.kind in ("clocks", "sizes"):
                    self.gpu[at] *= cause.factor
                elif (number, item.copy) not in done:
                    done.add((number, item.copy))
                    if cause.kind in ("host", "load"):
                        self.sleep[at] += int(cause.ms * 1e6)
                    else:
                        self.gpu[at] += cause.ms * 1e6


def is_anywhere(cause, layout, programs):
    items = programs[layout.place(cause.rank)[2]] if cause.rank < layout.ranks else []
    return any(cause.is_at(item) for item in items)
