#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A small training loop whose allocator releases some blocks; writes what torch knows about its
blocks. Usage: memory_torch.py OUT.json"""
import json
import sys

import torch


def main():
    torch.manual_seed(1)
    model = torch.nn.Sequential(*(torch.nn.Linear(1024, 1024) for _ in range(20))).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(3):
        with torch.cuda.nvtx.range(f"step:{step}"):
            optimizer.zero_grad()
            model(torch.randn(512 << step, 1024, device="cuda")).sum().backward()
            optimizer.step()
        torch.cuda.empty_cache()
    torch.cuda.synchronize()
    stats = torch.cuda.memory_stats()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(
            {
                "allocations": stats["num_device_alloc"],
                "releases": stats["num_device_free"],
                "bytes": stats["reserved_bytes.all.allocated"],
                "released_bytes": stats["reserved_bytes.all.freed"],
                "blocks": [
                    [segment["address"], segment["total_size"]]
                    for segment in torch.cuda.memory_snapshot()
                ],
            },
            file,
        )


if __name__ == "__main__":
    main()
