# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What marking a launch-bound training step costs, by part: segments of steps in one process, each
paired with the bare segment before it.

usage: PROF_COLLECTOR=.../libprof_inject.so observer_cost.py ROUNDS [NAME...]
Every segment but the bare ones is a capture of its own. A segment's time is that of its
fastest tenth of steps. Prints the median ratio to the bare segments, and the quartiles.
"""
import os
import statistics
import sys
import tempfile
import time

import torch
from torch import nn

import prof_torch
from prof_torch import observer

STEPS, WARM = 25, 4
#: What is marked: the arguments of prof_torch.start(), and the observer's mode if not 1.
PARTS = {
    "bare": None,
    "nothing: kernels and launches": (dict(layers=False, ops=False), None),
    "+ empty callbacks, arguments boxed": (dict(layers=False), 3),
    "+ arguments read": (dict(layers=False), 4),
    "+ written and recorded: ops": (dict(layers=False), 1),
    "layers alone": (dict(ops=False), None),
    "ops and layers": (dict(), 1),
    "emit_nvtx and layers": (dict(observe=False), None),
}


def make():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 6), nn.Linear(256, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    batch = torch.randn(8, 64, 256, device="cuda")
    target = torch.randint(0, 10, (8 * 64,), device="cuda")

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(batch).flatten(0, 1), target).backward()
        optimizer.step()
        torch.cuda.synchronize()

    return step


def measure(step):
    for _ in range(WARM):
        step()
    times = []
    for _ in range(STEPS):
        before = time.perf_counter_ns()
        step()
        times.append(time.perf_counter_ns() - before)
    # Other programs on the machine disturb most steps, so the fast ones count.
    return statistics.quantiles(times, n=10)[0]


def main():
    rounds = int(sys.argv[1])
    names = sys.argv[2:] or list(PARTS)[1:]
    step = make()
    for _ in range(60):
        step()
    ratios = {name: [] for name in names}
    bare_times = []
    folder = tempfile.mkdtemp()
    for number in range(rounds):
        for name in names:
            bare = measure(step)
            bare_times.append(bare)
            options, mode = PARTS[name]
            path = os.path.join(folder, "part.db")
            capture = prof_torch.capture(path, force=True, **options)
            if mode is not None:
                found, why = observer.start(torch, True)
                if found is None:
                    sys.exit("no observer: " + why)
                found._functions.prof_torch_switch(mode)
            ratios[name].append(measure(step) / bare)
            capture.stop()
    print(f"bare: {statistics.median(bare_times) / 1e6:.3f} ms a step")
    print("| marked | times bare | quartiles |")
    print("|---|---|---|")
    for name, found in ratios.items():
        low, middle, high = statistics.quantiles(found, n=4)
        print(f"| {name} | {middle:.3f} | {low:.3f} to {high:.3f} |", flush=True)


if __name__ == "__main__":
    main()
