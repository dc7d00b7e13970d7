#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A training step on several GPUs, in five ways to share the work, clean or with one rank that is late
for a known reason. Under torchrun, each rank by `prof-run python3 -m prof_torch`. Nothing in here
knows of any profiler.

usage: ranks_torch.py ddp|fsdp|pipeline|experts|tensor [--fault KIND] [--rank 1] [--block 2] [--steps 12]
KIND: sleep    the rank's host sleeps 4 ms in the forward pass of the block
      work     its GPU computes the block's second product again and again
      copy     it copies 64 MB from pageable memory in the block
      experts  its expert gets most of the tokens (experts alone)
"""
import argparse
import datetime
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F

WIDTH, LENGTH, BATCH, BLOCKS = 1024, 512, 4, 4


class Fault:
    """What delays this rank in that block; nothing on the others."""

    def __init__(self, args):
        self.kind = args.fault if args.rank == dist.get_rank() else None
        self.block = args.block
        self.host = torch.randn(16 << 20) if self.kind == "copy" else None

    def enter(self, block):
        if block != self.block:
            return
        if self.kind == "sleep":
            time.sleep(0.004)
        elif self.kind == "copy":
            self.host.cuda()

    def work(self, block, x, weight):
        """Products that the other ranks do not compute; of this rank's part of a weight."""
        if self.kind == "work" and block == self.block:
            mine = weight.to_local() if hasattr(weight, "to_local") else weight
            with torch.no_grad():
                for _ in range(40):
                    F.linear(x, mine)


class Block(nn.Module):
    def __init__(self, number, fault):
        super().__init__()
        self.number, self.fault = number, fault
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.out = nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        self.fault.enter(self.number)
        y = self.norm1(x)
        q, k, v = (
            layer(y).unflatten(-1, (-1, 64)).transpose(1, 2) for layer in (self.q, self.k, self.v)
        )
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        x = x + self.out(y)
        y = F.gelu(self.up(self.norm2(x)))
        self.fault.work(self.number, y, self.down.weight)
        return x + self.down(y)


class Experts(nn.Module):
    """One expert a rank; tokens go to it and come back by all-to-all."""

    def __init__(self, number, fault, skewed):
        super().__init__()
        self.number, self.fault, self.skewed = number, fault, skewed
        self.norm = nn.LayerNorm(WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        self.fault.enter(self.number)
        world, rank = dist.get_world_size(), dist.get_rank()
        tokens = self.norm(x).flatten(0, 1)
        count = tokens.shape[0]
        favoured = self.skewed if self.number == self.fault.block else None
        shares = [count // world] * world
        if favoured is not None:
            shares = [count // (8 * world)] * world
            shares[favoured] = count - sum(shares[:favoured] + shares[favoured + 1 :])
        received = [shares[rank]] * world
        from torch.distributed.nn.functional import all_to_all_single

        mine = all_to_all_single(tokens.new_empty(sum(received), WIDTH), tokens, received, shares)
        y = F.gelu(self.up(mine))
        self.fault.work(self.number, y, self.down.weight)
        back = all_to_all_single(torch.empty_like(tokens), self.down(y), shares, received)
        return x + back.view_as(x)


class Model(nn.Module):
    def __init__(self, make):
        super().__init__()
        self.blocks = nn.ModuleList(make(number) for number in range(BLOCKS))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def data(device):
    return torch.randn(BATCH, LENGTH, WIDTH, device=device)


def plain_step(model, optimizer, device):
    def step():
        model(data(device)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def adam(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-4)


def ddp(args, fault, device):
    model = nn.parallel.DistributedDataParallel(
        Model(lambda n: Block(n, fault)).to(device), device_ids=[device]
    )
    return plain_step(model, adam(model), device)


def fsdp(args, fault, device):
    from torch.distributed.fsdp import fully_shard

    model = Model(lambda n: Block(n, fault)).to(device)
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    return plain_step(model, adam(model), device)


def tensor(args, fault, device):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    torch.manual_seed(1)
    model = Model(lambda n: Block(n, fault)).to(device)
    plan = {name: ColwiseParallel() for name in ("q", "k", "v", "up")}
    plan |= {name: RowwiseParallel() for name in ("out", "down")}
    for block in model.blocks:
        parallelize_module(block, mesh, plan)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=False)
    batch = data(device)
    dist.broadcast(batch, 0)

    def step():
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def experts(args, fault, device):
    skewed = args.rank if args.fault == "experts" else None
    model = Model(lambda n: Experts(n, fault, skewed)).to(device)
    return plain_step(model, adam(model), device)


def pipeline(args, fault, device):
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B

    rank, world = dist.get_rank(), dist.get_world_size()

    class Stage(nn.Module):
        def __init__(self):
            super().__init__()
            mine = range(rank * BLOCKS // world, (rank + 1) * BLOCKS // world)
            self.blocks = nn.ModuleDict({str(n): Block(n, fault) for n in mine})

        def forward(self, x):
            for block in self.blocks.values():
                x = block(x)
            return x

    module = Stage().to(device)
    stage = PipelineStage(module, rank, world, device)
    schedule = Schedule1F1B(
        stage, n_microbatches=8, loss_fn=lambda y, target: (y - target).square().mean()
    )
    optimizer = adam(module)
    target = torch.zeros(8, LENGTH, WIDTH, device=device)

    def step():
        if rank == 0:
            schedule.step(torch.randn(8, LENGTH, WIDTH, device=device))
        elif rank == world - 1:
            schedule.step(target=target)
        else:
            schedule.step()
        optimizer.step()
        optimizer.zero_grad()

    return step


WAYS = {"ddp": ddp, "fsdp": fsdp, "pipeline": pipeline, "experts": experts, "tensor": tensor}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("way", choices=sorted(WAYS))
    parser.add_argument("--fault", choices=["sleep", "work", "copy", "experts"])
    parser.add_argument("--rank", type=int, default=1, help="the late one")
    parser.add_argument("--block", type=int, default=2, help="where it is late")
    parser.add_argument("--steps", type=int, default=12)
    args = parser.parse_args()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    # A rank that fails must not leave the other one waiting for long.
    dist.init_process_group("nccl", device_id=device, timeout=datetime.timedelta(seconds=40))
    step = WAYS[args.way](args, Fault(args), device)
    for _ in range(args.steps):
        step()
        torch.cuda.synchronize()  # as a program does that reads the loss
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
