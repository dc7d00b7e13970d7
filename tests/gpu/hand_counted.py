#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs whose FLOPs and bytes are counted by hand: attention over sequences of different lengths,
convolutions under vmap, a Triton kernel in a function with gradients of its own.

usage: hand_counted.py list
       hand_counted.py run PROGRAM
       hand_counted.py check PROGRAM PROF_REPORT TRACE

`check` compares each count with the sum over the kernels that it is about, and prints all kernels
and the arguments that were recorded of their ops.
"""
import collections
import json
import re
import sqlite3
import subprocess
import sys

TIMES = 3  # how often a program does the same
COLUMNS = "dir,part,layer,op,op_inner,inputs,flops,bytes,provenance,kernel"
ATTENTION = "scaled_dot_product_attention"
HEADS, WIDTH = 8, 64
UNEVEN, EVEN = (300, 200, 100, 7), (128, 128, 128, 128)


class Count(collections.namedtuple("Count", "direction op inner part least most bytes")):
    """FLOPs between `least` and `most`, and bytes, of the kernels that the words match; None: not
    compared."""


def of_attention(lengths, causal, item=2, state=None):
    """A forward and a backward pass (docs/ops.md, attention). An upper bound is that of as many of
    the longest as there can be. `state`: bytes of the logarithms of each query's sum."""
    tokens, longest = sum(lengths), max(lengths)
    whole, rest = divmod(tokens, longest)
    triangle = (lambda n: n * (n + 1) / 2) if causal else (lambda n: n * n)
    least = sum(map(triangle, lengths))
    most = least if len(set(lengths)) == 1 else whole * triangle(longest) + triangle(rest)
    sides = tokens * HEADS * WIDTH

    def forward(pairs):
        return HEADS * pairs * (4 * WIDTH + 6)

    def backward(pairs):
        return HEADS * pairs * (10 * WIDTH + 6) + 2 * sides

    starts = 2 * 4 * (len(lengths) + 1)
    state = 4 * tokens * HEADS if state is None else state
    # Gradients: dy, q, k, v, y in, three out.
    moved = 4 * item * sides + starts, 8 * item * sides + state + starts
    return [
        Count("fprop", ATTENTION, "att", None, forward(least), forward(most), moved[0]),
        Count("bprop", ATTENTION, "att", None, backward(least), backward(most), moved[1]),
    ]


def of_convolution(samples, channels, filters, size, has_data):
    """A 3 x 3 convolution without padding or bias, and gradients of the weight for each sample."""
    out = size - 2
    flops = 2 * samples * filters * channels * 9 * out * out
    x, y, weight = (
        samples * channels * size**2,
        samples * filters * out**2,
        filters * channels * 9,
    )
    words = "conv2d", "conv"
    made = [
        Count("fprop", *words, None, flops, flops, 4 * (x + weight + y)),
        Count("bprop", *words, "weight", flops, flops, 4 * (x + samples * weight + y)),
    ]
    if has_data:
        made.append(Count("bprop", *words, "data", flops, flops, 4 * (x + weight + y)))
    return made


def varlen(lengths, causal):
    import torch
    from torch import nn
    from torch.nn.attention import varlen as functions

    class Attention(nn.Module):
        def forward(self, q, k, v, starts):
            window = (-1, 0) if causal else (-1, -1)
            longest = max(lengths)
            try:
                return functions.varlen_attn(
                    q, k, v, starts, starts, longest, longest, window_size=window
                )
            except TypeError:  # before 2.11
                return functions.varlen_attn(
                    q, k, v, starts, starts, longest, longest, is_causal=causal
                )

    shape = sum(lengths), HEADS, WIDTH
    operands = [torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(3)]
    operands = [operand.requires_grad_() for operand in operands]
    ends = torch.tensor((0, *lengths), device="cuda").cumsum(0).int()
    attention = Attention()

    def step():
        attention(*operands, ends).float().square().sum().backward()

    return step


def jagged(dtype):
    import torch
    from torch import nn
    from torch.nn import functional as F

    class SelfAttention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH)
            self.out = nn.Linear(HEADS * WIDTH, HEADS * WIDTH)

        def forward(self, x):
            parts = self.qkv(x).chunk(3, dim=-1)
            q, k, v = (part.unflatten(-1, (HEADS, WIDTH)).transpose(1, 2) for part in parts)
            y = F.scaled_dot_product_attention(q, k, v)
            return self.out(y.transpose(1, 2).flatten(-2))

    dtype = getattr(torch, dtype)
    module = SelfAttention().to("cuda", dtype)
    rows = [torch.randn(n, HEADS * WIDTH, device="cuda", dtype=dtype) for n in UNEVEN]
    nested = torch.nested.nested_tensor(rows, layout=torch.jagged)

    def step():
        module(nested).values().float().square().mean().backward()

    return step


def by_sample():
    import torch
    from torch import nn
    from torch.func import functional_call, grad, vmap

    module = nn.Sequential(nn.Conv2d(1, 8, 3, bias=False), nn.Conv2d(8, 16, 3, bias=False)).cuda()
    weights = {name: weight.detach() for name, weight in module.named_parameters()}

    def loss(weights, x):
        return functional_call(module, weights, (x[None],)).square().sum()

    gradients = vmap(grad(loss), in_dims=(None, 0))
    x = torch.randn(64, 1, 28, 28, device="cuda")
    return lambda: gradients(weights, x)


def models():
    """Five models on the same images."""
    import torch
    from torch import nn
    from torch.func import functional_call, stack_module_state, vmap

    many = [nn.Conv2d(3, 16, 3, bias=False).cuda() for _ in range(5)]
    weights, _ = stack_module_state(many)
    x = torch.randn(8, 3, 32, 32, device="cuda")
    one = many[0]
    of_each = vmap(lambda weights, x: functional_call(one, weights, (x,)), in_dims=(0, None))
    return lambda: of_each(weights, x)


def triton_function():
    import torch
    from torch import nn

    from compiled_triton import scale_add_kernel

    def launch(x, y, scale):
        out = torch.empty_like(x)
        scale_add_kernel[(x.numel() // 1024,)](x, y, out, scale, x.numel(), BLOCK=1024)
        return out

    class ScaledAdd(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return launch(x, y, 0.5)

        @staticmethod
        def backward(ctx, gradient):
            gradient = gradient.contiguous()
            return launch(gradient, torch.zeros_like(gradient), 0.5), gradient

    class Added(nn.Module):
        def forward(self, x):
            return launch(ScaledAdd.apply(x, x.detach()).detach(), x, 1.0) + ScaledAdd.apply(x, x)

    module = nn.Sequential(nn.Linear(1024, 1024), Added(), nn.Linear(1024, 1024)).cuda()
    x = torch.randn(256, 1024, device="cuda")
    return lambda: module(x).square().mean().backward()


LAUNCH = 3 * 4 * 256 * 1024  # of three tensors
KERNEL = "triton::scale_add_kernel"
PROGRAMS = {
    "varlen": (lambda: varlen(UNEVEN, False), of_attention(UNEVEN, False)),
    "varlen_causal": (lambda: varlen(UNEVEN, True), of_attention(UNEVEN, True)),
    "varlen_even": (lambda: varlen(EVEN, True), of_attention(EVEN, True)),
    "jagged_flash": (lambda: jagged("bfloat16"), of_attention(UNEVEN, False)),
    "jagged_efficient": (
        lambda: jagged("float32"),
        of_attention(UNEVEN, False, 4, 4 * 4 * 8 * 320),
    ),
    "by_sample": (
        by_sample,
        # Of two convolutions together.
        [
            a._replace(least=a.least + b.least, most=a.most + b.most, bytes=a.bytes + b.bytes)
            for a, b in zip(
                of_convolution(64, 1, 8, 28, False), of_convolution(64, 8, 16, 26, False)
            )
        ]
        + of_convolution(64, 8, 16, 26, True)[2:],
    ),
    "models": (
        models,
        [
            Count("fprop", "conv2d", "conv", None, *[2 * 8 * 80 * 27 * 900] * 2, bytes_)
            for bytes_ in [4 * (8 * 3 * 1024 + 80 * 27 + 8 * 80 * 900)]
        ],
    ),
    "triton_function": (
        triton_function,
        [
            Count("fprop", "ScaledAdd", KERNEL, None, None, None, 2 * LAUNCH),
            Count("fprop", "scale_add_kernel", KERNEL, None, None, None, LAUNCH),
            Count("bprop", "ScaledAdd", KERNEL, None, None, None, LAUNCH),
        ],
    ),
}


def run(name):
    import torch

    torch.manual_seed(0)
    step = PROGRAMS[name][0]()
    for _ in range(TIMES):
        step()
    torch.cuda.synchronize()


def total(rows, field):
    known = [row[field] for row in rows if row[field] is not None]
    return sum(known) / TIMES if known else None


def is_equal(got, want):
    """But for the state of a random number generator."""
    return got is not None and abs(got - want) <= 1e-4 * want


def compare(count, rows):
    """What differs."""
    found = [
        row
        for row in rows
        if row["dir"] == count.direction
        and row["op"] == count.op
        and count.inner in (row["op_inner"] or "")
        and (count.part is None or row["part"] == count.part)
    ]
    if not found:
        return [f"no kernel: {count}"]
    wrong = []
    flops, moved = total(found, "flops"), total(found, "bytes")
    if count.least is not None:
        word = {row["provenance"]["flops"] for row in found if row["flops"]}
        if flops is None or not count.least * (1 - 1e-6) <= flops <= count.most * (1 + 1e-6):
            wrong.append(f"FLOPs {flops}, {word}")
        elif count.least < count.most and word != {"upper_bound"}:
            wrong.append(f"FLOPs are {word}")
    if count.bytes is not None and not is_equal(moved, count.bytes):
        wrong.append(f"bytes {moved}")
    if any(not row["layer"] for row in found):
        wrong.append("no layer")
    return [f"{text}: {count}" for text in wrong]


def recorded(trace):
    """Signatures of ops that state arguments, each once."""
    with sqlite3.connect(trace) as base:
        query = "SELECT DISTINCT s.text FROM range r JOIN string s ON s.id = r.signature_id"
        texts = [str(row[0]) for row in base.execute(query)]
    words = re.compile("attn|attention|conv|chunk|cat|nested|scale_add|Scaled", re.IGNORECASE)
    return [text for text in texts if words.search(text)]


def check(name, program, trace):
    command = [program, "-r", "kernels", "-f", "json", "-c", COLUMNS, trace]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    wrong = [text for count in PROGRAMS[name][1] for text in compare(count, rows)]
    for row in rows[: len(rows) // TIMES + 1]:
        told = [str(row[key]) for key in COLUMNS.split(",")[:-2]]
        words = row["provenance"]["flops"] + "/" + row["provenance"]["bytes"]
        print("   ", " | ".join(told), "|", words, "|", row["kernel"][:60])
    try:
        print(*recorded(trace), sep="\n")
    except sqlite3.Error as error:
        print("no signatures:", error)
    print(*(f"WRONG: {text}" for text in wrong), sep="\n")
    sys.exit(1 if wrong else 0)


def main():
    what, *arguments = sys.argv[1:]
    if what == "list":
        print(*PROGRAMS, sep="\n")
    elif what == "run":
        run(*arguments)
    else:
        check(*arguments)


if __name__ == "__main__":
    main()
