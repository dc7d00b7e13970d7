#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps with a cause of idle time, or a waste, planted in them, and their own timers.

Each step waits for nothing but what is planted. With --times FILE the program writes what it knows
of its steps: the time from each step's first work on the GPU to the next one's, by CUDA events, on
the host, and how long what is planted took (by the host's clock), in milliseconds.
"""
import argparse
import json
import time

import torch
from torch import nn


class Planted:
    """What is planted runs in `with planted:`, which times it."""

    def __init__(self):
        self.spans = []

    def __enter__(self):
        self._start = time.perf_counter()

    def __exit__(self, *_):
        self.spans.append(1e3 * (time.perf_counter() - self._start))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def batches(batch, width, planted, slow):
    x = torch.randn(batch, width)
    while True:
        if slow:
            with planted:
                time.sleep(slow)
        yield x


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "cause",
        choices=["none", "sleep", "item", "pageable", "malloc", "loader", "launch", "synchronize"],
    )
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--times", metavar="FILE")
    args = parser.parse_args()
    if args.cause == "launch":  # so small that the GPU waits for launches
        args.width, args.batch = 64, 32
    torch.manual_seed(1)
    model = nn.Sequential(*(Block(args.width) for _ in range(args.blocks))).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=args.cause != "launch")
    planted = Planted()
    loader = batches(args.batch, args.width, planted, 0.025 if args.cause == "loader" else 0)
    fixed = torch.randn(args.batch, args.width, device="cuda")
    marks, hosts = [], []
    torch.cuda.synchronize()
    for _ in range(args.steps):
        marks.append(torch.cuda.Event(enable_timing=True))
        marks[-1].record()
        hosts.append(time.perf_counter())
        x = fixed
        if args.cause == "loader":
            x = next(loader).cuda(non_blocking=True)
        if args.cause == "pageable":
            with planted:
                x = next(loader).cuda()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(x).square().mean()
        if args.cause == "item":
            with planted:
                loss.item()
        loss.backward()
        if args.cause == "synchronize":
            with planted:
                torch.cuda.synchronize()
        if args.cause == "malloc":
            with planted:
                torch.cuda.empty_cache()
                spare = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
                del spare
        optimizer.step()
        optimizer.zero_grad()
        if args.cause == "sleep":
            torch.cuda.synchronize()
            with planted:
                time.sleep(0.004)
    marks.append(torch.cuda.Event(enable_timing=True))
    marks[-1].record()
    hosts.append(time.perf_counter())
    torch.cuda.synchronize()
    print(f"{args.cause}: {args.steps} steps, loss {loss.item():.4f}")
    if args.times:
        with open(args.times, "w", encoding="utf-8") as file:
            json.dump(
                {
                    "cause": args.cause,
                    "gpu_ms": [a.elapsed_time(b) for a, b in zip(marks, marks[1:])],
                    "host_ms": [1e3 * (b - a) for a, b in zip(hosts, hosts[1:])],
                    "planted_ms": planted.spans,
                },
                file,
            )


if __name__ == "__main__":
    main()
