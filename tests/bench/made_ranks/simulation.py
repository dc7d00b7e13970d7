# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""When each rank launches and runs its items: hosts and streams in order, collectives when all ranks have come."""
import collections
import dataclasses
import random
from array import array

from .program import INPUT_BYTES

LAUNCH_NS = 3_000  # from a call to the start of what it launches on an idle GPU
CALL_NS = 1_500
LINK_BYTES_PER_NS = 200.0
LINK_LATENCY_NS = 12_000
COPY_BYTES_PER_NS = 25.0
# Multiples of the message that each link carries, as nccl-tests counts them.
ONCE = lambda n: 1  # noqa: E731
TRAFFIC = {"all_reduce": lambda n: 2 * (n - 1) / n, "all_to_all": lambda n: (n - 1) / n}


@dataclasses.dataclass
class Cause:
    """What makes a rank late: `kind` is host, gpu, copy, clocks or sizes."""
    rank: int
    kind: str
    ms: float = 0.0  # host, gpu, copy: for each microbatch
    factor: float = 1.0  # clocks, sizes
    layer: str = ""
    op: str = ""
    dir: str = ""

    def is_at(self, item):
        return ((not self.layer or item.layer == self.layer) and (not self.op or item.word == self.op) and
                (not self.dir or item.direction == self.dir))


@dataclasses.dataclass
class Noise:
    gpu: float = 0.01  # of a kernel's time
    host: float = 0.10  # of the time between launches
    rank: float = 0.003  # of the time of all kernels of a rank
    pauses: float = 0.0005  # of launches
    pause_ns: float = 60_000


@dataclasses.dataclass
class Times:
    """Of a rank, by item over all steps."""
    launch: array
    start: array
    end: array


class Plan:
    """Of a rank: what its items add by its causes."""

    def __init__(self, items, causes, gpu_scale, speed):
        self.items = items
        self.sleep, self.gpu, self.bytes = [0] * len(items), [0.0] * len(items), [0.0] * len(items)
        done = set()  # a sleep is before the first work of its place, once in a microbatch
        for at, item in enumerate(items):
            self.bytes[at] = item.bytes
            if item.kind != "work":
                continue
            is_copy = item.work == "input"
            self.gpu[at] = INPUT_BYTES / COPY_BYTES_PER_NS if is_copy else item.work.gpu_ns * gpu_scale / speed
            for number, cause in enumerate(causes):
                if cause.kind == "copy" and is_copy:
                    self.gpu[at] += cause.ms * 1e6
                if is_copy or not cause.is_at(item):
                    continue
                if cause.kind in ("clocks", "sizes"):
                    self.gpu[at] *= cause.factor
                once = (number, item.copy)
                if cause.kind in ("host", "gpu") and once not in done:
                    done.add(once)
                    if cause.kind == "host":
                        self.sleep[at] += int(cause.ms * 1e6)
                    else:
                        self.gpu[at] += cause.ms * 1e6
        for cause in causes:
            if cause.kind == "sizes":
                for at, item in enumerate(items):
                    if item.group == "expert":
                        self.bytes[at] = item.bytes * cause.factor


def is_anywhere(cause, layout, programs):
    items = programs[layout.place(cause.rank)[2]] if cause.rank < layout.ranks else []
    return any(item.kind == "work" and cause.is_at(item) for item in items)


class Instance:
    """A collective of all its members, in which each has yet to come or has come."""

    def __init__(self, members, op):
        self.members, self.op = members, op
        self.ready = {}  # rank -> (time, index of its item, bytes, stream)


class Machine:
    def __init__(self, layout, programs, causes, noise, steps, seed, gpu_scale):
        self.layout, self.noise, self.steps = layout, noise, steps
        self.random = random.Random(seed)
        self.factors = [self.random.gauss(0, 1) for _ in range(1 << 14)]
        self.plans, self.times = [], []
        for rank in range(layout.ranks):
            own = [cause for cause in causes if cause.rank == rank]
            plan = Plan(programs[layout.place(rank)[2]], own, gpu_scale, 1 + self.random.gauss(0, noise.rank))
            self.plans.append(plan)
            self.times.append(Times(*(array("q", bytes(8 * len(plan.items) * steps)) for _ in range(3))))
        self.instances = {}
        self.waiting = collections.defaultdict(collections.deque)  # (rank, stream): what it has posted, in order
        self.stream_ends = [collections.defaultdict(int) for _ in range(layout.ranks)]
        self.open = [0] * layout.ranks  # collectives that a rank has posted and that have not run
        self.progress = 0

    def run(self):
        running = [self.run_rank(rank) for rank in range(self.layout.ranks)]
        while running:
            before = len(running), self.progress
            running = [rank for rank in running if next(rank, None) is not None]
            if before == (len(running), self.progress):
                raise RuntimeError("the ranks wait for each other")
        return self.times

    def run_rank(self, rank):
        """Yields where it must wait for other ranks."""
        plan, times, noise = self.plans[rank], self.times[rank], self.noise
        factors, mask = self.factors, len(self.factors) - 1
        at_noise = self.random.randrange(mask)
        counts = collections.Counter()  # of its collectives, by group or pair
        host = compute = index = 0
        for _ in range(self.steps):
            for at, item in enumerate(plan.items):
                if item.kind == "work":
                    at_noise = at_noise + 1 & mask
                    gap = 6_000 if item.work == "input" else item.work.host_ns
                    host += int(gap * max(0.3, 1 + noise.host * factors[at_noise])) + plan.sleep[at]
                    if self.random.random() < noise.pauses:
                        host += int(noise.pause_ns * self.random.random())
                    start = max(compute, host + LAUNCH_NS)
                    compute = start + max(800, int(plan.gpu[at] * (1 + noise.gpu * factors[at_noise * 7 + 3 & mask])))
                    times.launch[index], times.start[index], times.end[index] = host, start, compute
                elif item.kind == "collective":
                    host += 9_000
                    times.launch[index] = host
                    self.post(rank, item, counts, max(compute, host + LAUNCH_NS), index, plan.bytes[at])
                    if not item.is_async:
                        while not times.end[index]:
                            yield True
                        compute = max(compute, times.end[index])
                elif item.kind == "join":
                    while self.open[rank]:
                        yield True
                    compute = max(compute, *self.stream_ends[rank].values(), 0)
                else:
                    host = max(host, compute) + 20_000
                index += 1

    def post(self, rank, item, counts, ready_ns, index, size):
        members = self.layout.group(rank, item.group)
        name = (item.group, members[0])
        if item.group == "pipe":
            other = members[members.index(rank) + item.peer]
            members = [rank, other] if item.op == "send" else [other, rank]
            name = (item.group, *members)
        key = (name, counts[name])
        counts[name] += 1
        instance = self.instances.setdefault(key, Instance(members, item.op))
        instance.ready[rank] = (ready_ns, index, size, item.stream)
        self.waiting[(rank, item.stream)].append(key)
        self.open[rank] += 1
        self.progress += 1
        self.settle(key)

    def settle(self, key):
        """Runs it, and then what waits for it: if all have come, and it is the first of each one's stream."""
        todo = [key]
        while todo:
            key = todo.pop()
            instance = self.instances.get(key)
            if instance is None or len(instance.ready) < len(instance.members):
                continue
            queues = [(rank, instance.ready[rank][3]) for rank in instance.members]
            if any(self.waiting[queue][0] != key for queue in queues):
                continue
            starts = {rank: max(instance.ready[rank][0], self.stream_ends[rank][stream]) for rank, stream in queues}
            last = max(starts.values())
            for rank, stream in queues:
                _, index, size, _ = instance.ready[rank]
                took = LINK_LATENCY_NS + size * TRAFFIC.get(instance.op, ONCE)(len(queues)) / LINK_BYTES_PER_NS
                noise = 0.002 * abs(self.random.gauss(0, 1))
                end = last + int(took * (1 + noise)) + int(300 * self.random.random())
                self.times[rank].start[index], self.times[rank].end[index] = starts[rank], end
                self.stream_ends[rank][stream] = end
                self.waiting[(rank, stream)].popleft()
                self.open[rank] -= 1
                if self.waiting[(rank, stream)]:
                    todo.append(self.waiting[(rank, stream)][0])
            self.progress += 1
            del self.instances[key]
