#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The eager PyTorch workload: a training step of a small GPT-like model, about 800 kernels, bound by
launching them. Prints "ms_per_step X". Usage: torch_step.py [STEPS]"""
import sys
import time

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (
            self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        )
        scores = (q @ k.transpose(-2, -1)) / (width // self.heads) ** 0.5
        attention = scores.masked_fill(mask, float("-inf")).softmax(-1)
        x = x + self.out((attention @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, layers=8, width=128, heads=4, words=512):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.head = nn.Linear(width, words)

    def forward(self, tokens, mask):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x)


def make_step(layers=8):
    """A function that runs one training step."""
    model = Model(layers).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
    tokens = torch.randint(0, 512, (4, 64), device="cuda")
    mask = torch.ones(64, 64, dtype=torch.bool, device="cuda").triu(1)

    def step():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(tokens, mask).flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()

    return step


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    step = make_step()
    for _ in range(10):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    print(f"ms_per_step {(time.perf_counter() - start) * 1000 / steps:.4f}")


if __name__ == "__main__":
    main()
