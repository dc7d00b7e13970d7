#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What profiling a PyTorch training step costs, by part and by profiler.

Windows of steps alternate: each one that is profiled has a bare one before it in the same process,
to which it is compared. Prints, for each way, the median of these ratios with its quartiles, and the
ratio of the fastest windows. The step is bound by launching kernels, which is the worst case.

Needs a GPU, torch with CUDA, and a build of this project (--build).
"""
import contextlib
import sys

import paired_windows
from paired_windows import CUPTI_WAYS, Cupti


class Capture:
    """A capture of prof_torch's; `mode`: the name of one of the observer's that measure a part."""

    def __init__(self, mode=None, **options):
        self._mode = mode
        self._options = options

    @contextlib.contextmanager
    def __call__(self, bench):
        import prof_torch
        from prof_torch import observer

        capture = prof_torch.capture(bench.path, force=True, **self._options)
        try:
            if self._options.get("ops", True) and self._options.get("observe", True):
                found, why = observer.start(bench.torch)
                if found is None:
                    raise RuntimeError("ops are not observed: " + why)
                if self._mode is not None:
                    found.switch(observer.Mode[self._mode])
            yield
        finally:
            capture.stop()


def kineto(ops=False, **options):
    @contextlib.contextmanager
    def run(bench):
        profiler = bench.torch.profiler
        kinds = [profiler.ProfilerActivity.CUDA]
        if ops:
            kinds.append(profiler.ProfilerActivity.CPU)
        with profiler.profile(activities=kinds, **options):
            yield

    return run


@contextlib.contextmanager
def proton(bench):
    import triton.profiler

    triton.profiler.start(bench.path + ".proton")
    try:
        yield
    finally:
        triton.profiler.finalize()


WAYS = {
    **CUPTI_WAYS,
    "cupti-states": ("callbacks of errors and graphs alone", Cupti(16)),
    "cupti-graph-calls": ("and of calls that make graphs", Cupti(16 | 32)),
    "prof-launches": ("prof-run alone", Capture(layers=False, ops=False)),
    "prof-layers": ("layers", Capture(ops=False, record_shapes=False)),
    "prof-calls": ("layers and what they are called with", Capture(ops=False)),
    "prof-empty": ("observer: empty callbacks, arguments boxed", Capture("EMPTY", layers=False)),
    "prof-read": ("observer: arguments are read", Capture("READING", layers=False)),
    "prof-names": ("ops observed without arguments", Capture(layers=False, record_shapes=False)),
    "prof-ops": ("ops observed", Capture(layers=False)),
    "prof-marked": ("ops observed and layers", Capture()),
    "prof-some": ("the same in every 20th step and the first three", Capture(mark_every=20)),
    "prof-emit_nvtx": ("ops by emit_nvtx and layers", Capture(observe=False)),
    "kineto-cuda": ("torch.profiler, CUDA alone", kineto()),
    "kineto-shapes": ("torch.profiler with shapes", kineto(ops=True, record_shapes=True)),
    "proton": ("Proton", proton),
}


def make_bench(options):
    import torch
    import torch_step

    bench = paired_windows.Bench(options, torch_step.make_step(), torch.cuda.synchronize)
    bench.torch = torch
    return bench


if __name__ == "__main__":
    sys.exit(paired_windows.run("torch_overhead.py", __doc__, WAYS, 20, make_bench))
