#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A script that uses torch.profiler itself, for one of three equal steps. CUPTI takes one subscriber: of two
profilers the later one is refused. Exits with 9 so that the exit status can be told from others."""
import sys

import torch


def step(size=256):
    left, right = torch.randn(size, size, device="cuda"), torch.randn(size, size, device="cuda")
    for _ in range(50):
        left = (left @ right).tanh()
    torch.cuda.synchronize()


step()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
    step()
step()
kernels = sum(
    e.count for e in profiler.key_averages() if e.device_type == torch.autograd.DeviceType.CUDA
)
print(f"own profiler saw {kernels} of the kernels of one step")
sys.exit(9)
