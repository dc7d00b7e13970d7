# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Tells tools which part of a PyTorch program is the step to look at."""
import contextlib

import torch


@contextlib.contextmanager
def marked_step(number, with_profiler=False):
    """A range step:N of the process, so that also what autograd's thread launches is in the step.
    `with_profiler`: also the CUDA profiler's range, in which Nsight Compute profiles. Nothing from
    outside still runs on the GPU."""
    torch.cuda.synchronize()
    if with_profiler:
        torch.cuda.cudart().cudaProfilerStart()
    mark = torch.cuda.nvtx.range_start(f"step:{number}")
    try:
        yield
        torch.cuda.synchronize()
    finally:
        torch.cuda.nvtx.range_end(mark)
        if with_profiler:
            torch.cuda.cudart().cudaProfilerStop()
