# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""When each rank launches and runs its items: hosts and streams in order, collectives when all ranks have come.

What is random depends on the seed and on the place in the program alone, so that runs with other causes differ by what
these do, and by nothing else.
"""
import collections
import dataclasses
import random
import statistics
from array import array

from .causes import Plan
from .program import Layout

LAUNCH_NS = 3_000  # from a call to the start of what it launches on an idle GPU
CALL_NS = 1_500
LOAD_NS = 5_000  # the next batch, if it is there
LINK_BYTES_PER_NS = 200.0
LINK_LATENCY_NS = 12_000
# Multiples of the message that each link carries, as nccl-tests counts them.
ONCE = lambda n: 1  # noqa: E731
PART = lambda n: (n - 1) / n  # noqa: E731
TRAFFIC = {
    "all_reduce": lambda n: 2 * (n - 1) / n,
    "all_to_all": PART,
    "all_gather": PART,
    "reduce_scatter": PART,
}
FACTORS = 1 << 14


@dataclasses.dataclass
class Noise:
    gpu: float = 0.01  # of a kernel's time
    host: float = 0.10  # of the time between launches
    rank: float = 0.003  # of the time of all kernels of a rank
    pauses: float = 0.0005  # of launches
    pause_ns: float = 60_000


@dataclasses.dataclass
class Setting:
    """All but the causes."""

    layout: Layout
    programs: list  # of each stage
    noise: Noise
    steps: int
    seed: int
    gpu_scale: float
    gpus_per_host: int


@dataclasses.dataclass
class Times:
    """Of a rank, by item over all steps."""

    launch: array
    start: array
    end: array


class Instance:
    """A collective of all its members, in which each has yet to come or has come."""

    def __init__(self, members, op, slowness):
        self.members, self.op, self.slowness = members, op, slowness
        self.ready = {}  # rank -> (time, index of its item, bytes, stream)


class Machine:
    def __init__(self, setting, causes):
        self.setting, self.layout, self.causes = setting, setting.layout, causes
        shared = random.Random(setting.seed)
        self.factors = [shared.gauss(0, 1) for _ in range(FACTORS)]
        self.plans, self.times, self.randoms = [], [], []
        for rank in range(self.layout.ranks):
            own = [cause for cause in causes if cause.rank == rank]
            items = setting.programs[self.layout.place(rank)[2]]
            speed = 1 + shared.gauss(0, setting.noise.rank)
            self.plans.append(Plan(items, own, setting.gpu_scale, speed))
            self.times.append(
                Times(*(array("q", bytes(8 * len(items) * setting.steps)) for _ in range(3)))
            )
            self.randoms.append(random.Random(shared.random()))
        self.groups = {}  # (rank, kind) -> the ranks of its communicator
        self.instances = {}
        self.waiting = collections.defaultdict(
            collections.deque
        )  # (rank, stream): what it has posted, in order
        self.stream_ends = [collections.defaultdict(int) for _ in range(self.layout.ranks)]
        self.open = [
            0
        ] * self.layout.ranks  # collectives that a rank has posted and that have not run
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
        plan, times, noise, own_random = (
            self.plans[rank],
            self.times[rank],
            self.setting.noise,
            self.randoms[rank],
        )
        factors, mask, size = self.factors, FACTORS - 1, len(plan.items)
        at_noise = own_random.randrange(mask)
        counts = collections.Counter()  # of its collectives, by group or pair
        host = compute = index = 0
        for step in range(self.setting.steps):
            for at, item in enumerate(plan.items):
                if item.kind == "work":
                    at_noise = at_noise + 1 & mask
                    gap = 6_000 if item.work == "input" else item.work.host_ns
                    host += int(gap * max(0.3, 1 + noise.host * factors[at_noise])) + plan.sleep[at]
                    if own_random.random() < noise.pauses:
                        host += int(noise.pause_ns * own_random.random())
                    start = max(compute, host + LAUNCH_NS)
                    compute = start + max(
                        800, int(plan.gpu[at] * (1 + noise.gpu * factors[at_noise * 7 + 3 & mask]))
                    )
                    times.launch[index], times.start[index], times.end[index] = host, start, compute
                elif item.kind == "collective":
                    host += 9_000
                    times.launch[index] = host
                    self.post(
                        rank, item, counts, max(compute, host + LAUNCH_NS), index, plan.bytes[at]
                    )
                    if not item.is_async:
                        while not times.end[index]:
                            yield True
                        compute = max(compute, times.end[index])
                elif item.kind == "wait":
                    awaited = step * size + item.waits_for
                    while not times.end[awaited]:
                        yield True
                    compute = max(compute, times.end[awaited])
                elif item.kind == "join":
                    while self.open[rank]:
                        yield True
                    compute = max(compute, *self.stream_ends[rank].values(), 0)
                elif item.kind == "load":
                    times.launch[index] = host
                    host += LOAD_NS + plan.sleep[at]
                    times.end[index] = host
                else:
                    host = max(host, compute) + 20_000
                index += 1

    def group(self, rank, kind):
        if (rank, kind) not in self.groups:
            members = self.layout.group(rank, kind)
            self.groups.update({(member, kind): members for member in members})
        return self.groups[rank, kind]

    def post(self, rank, item, counts, ready_ns, index, size):
        members = self.group(rank, item.group)
        name = (item.group, members[0])
        if item.group == "pipe":
            other = members[members.index(rank) + item.peer]
            members = [rank, other] if item.op == "send" else [other, rank]
            name = (item.group, *members)
        key = (name, counts[name])
        counts[name] += 1
        if key not in self.instances:
            slow = [
                cause.factor
                for cause in self.causes
                if cause.slows(members, self.setting.gpus_per_host)
            ]
            self.instances[key] = Instance(members, item.op, max(slow, default=1))
        self.instances[key].ready[rank] = (ready_ns, index, size, item.stream)
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
            starts = {
                rank: max(instance.ready[rank][0], self.stream_ends[rank][stream])
                for rank, stream in queues
            }
            last = max(starts.values())
            drawn = random.Random(f"{self.setting.seed} {key}")
            for rank, stream in queues:
                _, index, size, _ = instance.ready[rank]
                bytes_of_link = size * TRAFFIC.get(instance.op, ONCE)(len(queues))
                took = LINK_LATENCY_NS + bytes_of_link * instance.slowness / LINK_BYTES_PER_NS
                noise = 0.002 * abs(drawn.gauss(0, 1))
                end = last + int(took * (1 + noise)) + int(300 * drawn.random())
                self.times[rank].start[index], self.times[rank].end[index] = starts[rank], end
                self.stream_ends[rank][stream] = end
                self.waiting[(rank, stream)].popleft()
                self.open[rank] -= 1
                if self.waiting[(rank, stream)]:
                    todo.append(self.waiting[(rank, stream)][0])
            self.progress += 1
            del self.instances[key]

    def step_times(self):
        """Of each step but the first and the last one, from its first GPU work to that of the next: the mean of all
        ranks, which wait for each other."""
        begins = []
        for plan, times in zip(self.plans, self.times):
            first = next(
                at for at, item in enumerate(plan.items) if item.kind in ("work", "collective")
            )
            begins.append(times.start[first :: len(plan.items)])
        means = [statistics.fmean(of_step) for of_step in zip(*begins)]
        return [after - begin for begin, after in zip(means[1:], means[2:])] or [0]


def step_time(machine):
    return round(statistics.median(machine.step_times()))


def step_cost(machine, other):
    """What a step takes longer than in the other machine, which has the same noise."""
    return round(statistics.median(a - b for a, b in zip(machine.step_times(), other.step_times())))
