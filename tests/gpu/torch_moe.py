#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps of a transformer with a mixture of experts, expert-parallel over the ranks: tokens travel
to their experts and back by all_to_all, gradients of shared weights by all_reduce. Scopes are named as
their users name them. One process a GPU: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun sets
them; knows of no profiler.

--averages FILE runs the steps under torch.profiler and writes the entries of its key_averages() to FILE, and
its trace to FILE.trace.json.
"""
import argparse
import json
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.profiler import record_function


class AllToAll(torch.autograd.Function):
    """Sends an equal share of the rows to each rank; its gradient travels back the same way."""

    @staticmethod
    def forward(ctx, rows):
        out = torch.empty_like(rows)
        dist.all_to_all_single(out, rows.contiguous())
        return out

    @staticmethod
    def backward(ctx, grad):
        out = torch.empty_like(grad)
        dist.all_to_all_single(out, grad.contiguous())
        return out


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inputs = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.inputs(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, length, width))


class Experts(nn.Module):
    """Each token goes to one expert; every expert takes the same number of tokens (capacity), a rank has
    one expert."""

    def __init__(self, width, ranks):
        super().__init__()
        self.ranks = ranks
        self.gate = nn.Linear(width, ranks, bias=False)
        self.expert = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        tokens = x.reshape(-1, x.shape[-1])
        with record_function("MOEGate"):
            scores = torch.softmax(self.gate(tokens), dim=-1)
            capacity = tokens.shape[0] // self.ranks
            weights, chosen = scores.topk(capacity, dim=0)
        with record_function("MOEScatter"):
            sent = AllToAll.apply(tokens[chosen.t()].flatten(0, 1))
        with record_function("Expert"):
            done = self.expert(sent)
        with record_function("MOEGather"):
            back = AllToAll.apply(done).view(self.ranks, capacity, -1)
            mixed = torch.zeros_like(tokens).index_add(
                0, chosen.t().flatten(), (back * weights.t().unsqueeze(-1)).flatten(0, 1)
            )
        return mixed.view_as(x)


class Block(nn.Module):
    def __init__(self, width, heads, ranks):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.experts = Attention(width, heads), Experts(width, ranks)

    def forward(self, x):
        with record_function("SelfAttn"):
            x = x + self.attention(self.first(x))
        with record_function("MOELayer"):
            return x + self.experts(self.second(x))


class Model(nn.Module):
    def __init__(self, args, ranks):
        super().__init__()
        self.embedding = nn.Embedding(args.words, args.width)
        self.blocks = nn.ModuleList(
            Block(args.width, args.width // 64, ranks) for _ in range(args.layers)
        )
        self.head = nn.Linear(args.width, args.words)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for number, block in enumerate(self.blocks):
            with record_function(f"LAYER_{number}"):
                x = block(x)
        return self.head(x)


def step(number, model, optimizer, shared, tokens):
    with record_function(f"train_step-{number}"):
        optimizer.zero_grad()
        with record_function("forward"):
            logits = model(tokens[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        with record_function("backward"):
            loss.backward()
        with record_function("reduce-grads"):
            for weight in shared:
                dist.all_reduce(weight.grad)
        with record_function("clip-grads"):
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        with record_function("optimizer"):
            optimizer.step()
    return loss


def entry(event):
    return {
        "name": event.key,
        "calls": event.count,
        "device": str(event.device_type).rpartition(".")[2],
        "is_user_annotation": bool(event.is_user_annotation),
        "cpu_us": event.cpu_time_total,
        "self_cpu_us": event.self_cpu_time_total,
        "cuda_us": event.device_time_total,
        "self_cuda_us": event.self_device_time_total,
    }


def train(args):
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.manual_seed(1)
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    model = Model(args, ranks).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    shared = [weight for name, weight in model.named_parameters() if ".expert." not in name]
    tokens = torch.randint(0, args.words, (args.batch, args.length), device="cuda")
    for number in range(args.steps):
        loss = step(number, model, optimizer, shared, tokens)
        print(f"rank {rank} step {number} loss {loss.item():.3f}")
    dist.barrier()
    torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, value in (
        ("steps", 4),
        ("layers", 2),
        ("width", 1024),
        ("words", 8192),
        ("batch", 8),
        ("length", 513),
    ):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--averages", metavar="FILE")
    args = parser.parse_args()
    if not args.averages:
        train(args)
    else:
        kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=kinds) as profiler:
            train(args)
        profiler.export_chrome_trace(args.averages + ".trace.json")
        with open(args.averages, "w", encoding="utf-8") as file:
            json.dump([entry(event) for event in profiler.key_averages()], file, indent=0)
    dist.destroy_process_group()


main()
