#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training and every collective of torch.distributed, as users write them; knows of no
profiler. One process a GPU: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun sets them. Rank 0
prints a line for each collective: OP BYTES RANKS, of the count that NCCL is given."""
import os
import sys

import torch
import torch.distributed as dist
from torch import nn


def train(rank):
    model = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 1024)).cuda()
    model = nn.parallel.DistributedDataParallel(model, device_ids=[rank], bucket_cap_mb=8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(512, 1024, device="cuda")
    for _ in range(3):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    torch.cuda.synchronize()


def tell(rank, word, count):
    torch.cuda.synchronize()
    if rank == 0:
        print(word, 2 * count, dist.get_world_size())


def collectives(rank, size):
    n = 1 << 22
    one = torch.ones(n, device="cuda", dtype=torch.bfloat16)
    all_of = torch.empty(n * size, device="cuda", dtype=torch.bfloat16)
    dist.all_reduce(one)
    tell(rank, "all_reduce", n)
    dist.all_gather_into_tensor(all_of, one)
    tell(rank, "all_gather", n)
    dist.all_gather(list(all_of.chunk(size)), one)
    tell(rank, "all_gather", n)
    dist.reduce_scatter_tensor(one, all_of)
    tell(rank, "reduce_scatter", n)
    dist.broadcast(one, 0)
    tell(rank, "broadcast", n)
    dist.reduce(one, 0)
    tell(rank, "reduce", n)
    dist.all_to_all_single(all_of.clone(), all_of)
    tell(rank, "all_to_all", n)
    if size > 1:
        peers = ((rank + 1) % size, (rank - 1) % size)
        work = dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, one, peers[0]), dist.P2POp(dist.irecv, one.clone(), peers[1])]
        )
        for request in work:
            request.wait()
        tell(rank, "send_recv", n)


def main():
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.manual_seed(1)
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    train(rank)
    collectives(rank, size)
    dist.barrier()
    dist.destroy_process_group()


main()
sys.exit(0)
