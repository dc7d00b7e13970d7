# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps of a small transformer, always the same. usage: torch_steps.py STEPS [capture TRACE FIRST LAST]"""
import sys

import torch
from torch import nn

if len(sys.argv) > 2:
    import prof_torch
    prof_torch.capture(sys.argv[3], steps=range(int(sys.argv[4]), int(sys.argv[5]) + 1))

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(256, 4, 512, dropout=0.0, batch_first=True)
model = nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Linear(256, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
batch = torch.randn(8, 64, 256, device="cuda")
target = torch.randint(0, 10, (8 * 64,), device="cuda")
for _ in range(int(sys.argv[1])):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(batch).flatten(0, 1), target)
    loss.backward()
    optimizer.step()
torch.cuda.synchronize()
