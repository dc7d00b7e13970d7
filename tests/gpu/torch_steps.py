# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps of a small transformer, always the same. backward() is in a range of that name.

usage: torch_steps.py STEPS [capture TRACE FIRST LAST | times]   times: prints what each took, ns
"""
import sys
import time

import torch
from torch import nn

mode = sys.argv[2] if len(sys.argv) > 2 else ""
if mode == "capture":
    import prof_torch

    prof_torch.capture(sys.argv[3], steps=range(int(sys.argv[4]), int(sys.argv[5]) + 1))

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True)
model = nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Linear(256, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
batch = torch.randn(8, 64, 256, device="cuda")
target = torch.randint(0, 10, (8 * 64,), device="cuda")
before = time.perf_counter_ns()
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(batch).flatten(0, 1), target)
    with torch.cuda.nvtx.range("backward"):
        loss.backward()
    optimizer.step()
    if mode == "times":
        torch.cuda.synchronize()
        now = time.perf_counter_ns()
        print(step, now - before)
        before = now
torch.cuda.synchronize()
