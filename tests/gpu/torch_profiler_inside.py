#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A script that uses torch.profiler itself: whoever profiles it from outside loses CUPTI to it in the
middle of the run, and must say so. Exits with 9 so that the exit status can be told from others."""
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
print("own profiler saw", len(profiler.key_averages()) > 0)
sys.exit(9)
