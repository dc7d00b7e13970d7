#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pooling of every kind, and what their results really are.

Usage: torch_shapes.py FILE                               one step; writes the FLOPs of every call to FILE
       torch_shapes.py --check PROF_REPORT TRACE FILE     whether a trace of that step says the same
FLOPs are counted from the result that torch made: the trace has to tell its size from attributes.
"""
import collections
import json
import math
import subprocess
import sys

LAYERS = """
    conv.plain          Conv2d(8, 16, 3)
    conv.strided        Conv2d(8, 16, (3, 5), stride=(2, 1), padding=(1, 2), bias=False)
    conv.dilated        Conv2d(8, 16, 3, dilation=2, padding=2)
    conv.grouped        Conv2d(8, 16, 3, groups=4)
    conv.depthwise      Conv2d(8, 8, 3, groups=8, padding=1, bias=False)
    conv.same           Conv2d(8, 16, 4, padding="same")
    conv.valid          Conv2d(8, 16, 3, padding="valid")
    conv.circular       Conv2d(8, 16, 3, padding=1, padding_mode="circular")
    conv.reflect        Conv2d(8, 16, 3, padding=2, padding_mode="reflect")
    conv.pointwise      Conv2d(8, 32, 1)
    conv.lazy           LazyConv2d(16, 3)
    conv.one            Conv1d(8, 16, 3, stride=2, padding=1)
    conv.one_same       Conv1d(8, 16, 4, padding="same")
    conv.three          Conv3d(8, 16, 3, stride=(1, 2, 2), padding=1)
    transposed.plain    ConvTranspose2d(8, 16, 3)
    transposed.strided  ConvTranspose2d(8, 16, 4, stride=2, padding=1, output_padding=1, bias=False)
    transposed.grouped  ConvTranspose2d(8, 16, 3, groups=2, dilation=2)
    transposed.square   ConvTranspose2d(8, 8, 3, padding=1)
    transposed.one      ConvTranspose1d(8, 4, 4, stride=2, padding=1)
    transposed.three    ConvTranspose3d(8, 4, 2, stride=2)
    pool.max            MaxPool2d(3, 2, 1)
    pool.max_ceil       MaxPool2d(3, 2, ceil_mode=True)
    pool.max_dilated    MaxPool2d((2, 3), dilation=(2, 1))
    pool.avg            AvgPool2d(3)
    pool.avg_ceil       AvgPool2d((3, 2), (2, 2), (1, 0), ceil_mode=True)
    pool.max_one        MaxPool1d(3, 2)
    pool.avg_one        AvgPool1d(3, 2, 1, ceil_mode=True)
    pool.max_three      MaxPool3d(2)
    pool.avg_three      AvgPool3d(2, ceil_mode=True)
"""
SIZES = {"1": (4, 8, 37), "2": (4, 8, 17, 20), "3": (2, 8, 6, 9, 8)}


def flops_of(module, x, y):
    kind = type(module).__name__
    window = module.kernel_size
    if not isinstance(window, tuple):
        window = (window,) * int(kind[-2])
    if "Pool" in kind:
        return y.numel() * (math.prod(window) + kind.startswith("Avg"))  # docs/ops.md, pooling
    side, per_channel = (x, module.out_channels) if module.transposed else (y, module.in_channels)
    bias = 0 if module.bias is None else y.numel()
    return 2 * side.numel() * per_channel // module.groups * math.prod(window) + bias


def run(path):
    import warnings

    import torch
    from torch import nn

    warnings.simplefilter("ignore")  # lazy modules
    layers = {}
    for line in LAYERS.strip().splitlines():
        name, made = line.split(None, 1)
        group, _, own = name.partition(".")
        layers.setdefault(group, nn.ModuleDict())[own] = eval(
            made, vars(nn)
        )  # from the table above

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.transposed, self.pool = (
                layers["conv"],
                layers["transposed"],
                layers["pool"],
            )

        def forward(self):
            total = 0
            for group in (self.conv, self.transposed, self.pool):
                for name, module in group.items():
                    x = torch.randn(SIZES[type(module).__name__[-2]], device="cuda")
                    total = total + module(x).sum()
            return total

    truth = {}
    net = Net().cuda()
    for name, module in net.named_modules():
        if name.count(".") == 1:
            module.register_forward_hook(
                lambda module, args, y, name=name: truth.__setitem__(
                    name, flops_of(module, args[0], y)
                )
            )
    net().backward()
    torch.cuda.synchronize()
    with open(path, "w", encoding="utf-8") as file:
        json.dump(truth, file, indent=0)


def check(report, trace, path):
    output = subprocess.run(
        [report, "-f", "json", "-c", "layer,dir,op,flops,role", trace],
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    found = collections.defaultdict(dict)
    for row in json.loads(output):
        if row["role"] == "main" and ("conv" in (row["op"] or "") or "pool" in (row["op"] or "")):
            sums = found[row["layer"]]
            known = row["flops"] is not None and sums.get(row["dir"], 0) is not None
            sums[row["dir"]] = sums.get(row["dir"], 0) + row["flops"] if known else None
    with open(path, encoding="utf-8") as file:
        truth = json.load(file)
    good = True
    for name, flops in truth.items():
        own = found[name].get("fprop")
        if own != flops:
            good = False
            print(f"  {name}: {own} FLOPs, by its result {flops}")
        # The inputs need no gradient: the weight's and the bias's are as much as the forward op.
        back = found[name].get("bprop")
        if "pool" not in name and back != flops:
            good = False
            print(f"  {name}: {back} FLOPs backward, the weight's gradient has {flops}")
    print(f"{len(truth)} convolutions and pooling layers: {'EQUAL' if good else 'DIFFERENT'}")
    sys.exit(not good)


if sys.argv[1] == "--check":
    check(*sys.argv[2:])
else:
    run(sys.argv[1])
