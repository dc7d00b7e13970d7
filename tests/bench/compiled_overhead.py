#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What prof_torch costs in compiled programs, beside all that it costs in others. Run under
`prof-run python3 -m prof_torch`, with a cache that has nothing:

- steps: windows of a compiled step alternate, with CompiledFxGraph.__call__ as torch has it and as
  prof_torch watches it; median and quartiles of the ratios of pairs;
- compiling: the share of the first step's time that is spent in what prof_torch does about it.

usage: compiled_overhead.py [--pairs 15] [--steps 100] [--model gpt2] [--mode default]
"""
import argparse
import os
import statistics
import sys
import time

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
import compiled_models  # noqa: E402

#: Of prof_torch.inductor.Inductor: all that runs while a graph is compiled and found.
_PARTS = ("_install", "_note_dynamo", "_read_aot", "_note_aot", "_note_origin", "_text_of")


class Clock:
    """Adds up the time in functions, each of which counts once."""

    def __init__(self):
        self.seconds = {}
        self._is_inside = False

    def watch(self, owner, name):
        original = getattr(owner, name)

        def timed(*args, **kwargs):
            if self._is_inside:
                return original(*args, **kwargs)
            self._is_inside = True
            start = time.perf_counter()
            try:
                return original(*args, **kwargs)
            finally:
                self.seconds[name] = self.seconds.get(name, 0) + time.perf_counter() - start
                self._is_inside = False

        setattr(owner, name, timed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--steps", type=int, default=100, help="of a window")
    parser.add_argument("--model", default="gpt2")
    parser.add_argument("--mode", default="default")
    args = parser.parse_args()
    from prof_torch import inductor

    clock = Clock()
    for part in _PARTS:
        clock.watch(inductor.Inductor, part)

    program = compiled_models.MODELS[args.model]()
    program.module.cuda().train()
    module = compiled_models.compile_as(args.mode, program)
    optimizer = torch.optim.AdamW(program.module.parameters(), lr=1e-4, fused=True)

    def step():
        program.call(module).backward()
        optimizer.step()
        optimizer.zero_grad()

    def window():
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(args.steps):
            step()
        torch.cuda.synchronize()
        return time.perf_counter() - start

    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    first = time.perf_counter() - start
    ours = sum(clock.seconds.values())
    print(
        f"compiling: {first:.1f} s, of which {1000 * ours:.0f} ms ({100 * ours / first:.2f} %) are"
        f" prof_torch's: {({name: round(1000 * s) for name, s in clock.seconds.items()})} ms"
    )

    graphs = torch._inductor.output_code.CompiledFxGraph
    watched = graphs.__call__
    ratios, lengths = [], []
    window()
    for pair in range(args.pairs):
        times = {}
        for kind in ("own", "watched") if pair % 2 else ("watched", "own"):
            graphs.__call__ = watched if kind == "watched" else watched.__wrapped__
            times[kind] = window()
        ratios.append(times["watched"] / times["own"])
        lengths.append(1e6 * times["own"] / args.steps)
    low, median, high = statistics.quantiles(ratios, n=4)
    print(
        f"steps: {median:.4f} x ({low:.4f} to {high:.4f}), {args.pairs} pairs of {args.steps} steps"
        f" of {statistics.median(lengths):.0f} us"
    )


if __name__ == "__main__":
    main()
