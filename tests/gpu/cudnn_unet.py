#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a U-Net with convolutions in two and three dimensions, grouped, dilated and transposed
ones, in torch alone; prints the losses."""
import argparse

import torch
from torch import nn


def block(conv, norm, channels_in, channels, **options):
    return nn.Sequential(
        conv(channels_in, channels, 3, padding=options.get("dilation", 1), **options),
        norm(channels),
        nn.ReLU(),
        conv(channels, channels, 3, padding=1, bias=False),
        norm(channels),
        nn.ReLU(),
    )


class UNet(nn.Module):
    def __init__(self, conv, up, norm, pool, width=16):
        super().__init__()
        self.first = block(conv, norm, 4, width)
        self.second = block(conv, norm, width, 2 * width, groups=2)
        self.deepest = block(conv, norm, 2 * width, 4 * width, dilation=2)
        self.pool = pool(2)
        self.up_second = up(4 * width, 2 * width, 2, stride=2)
        self.up_first = up(2 * width, width, 2, stride=2)
        self.after_second = block(conv, norm, 4 * width, 2 * width)
        self.after_first = block(conv, norm, 2 * width, width)
        self.head = conv(width, 3, 1)

    def forward(self, x):
        first = self.first(x)
        second = self.second(self.pool(first))
        y = self.up_second(self.deepest(self.pool(second)))
        y = self.up_first(self.after_second(torch.cat([y, second], 1)))
        return self.head(self.after_first(torch.cat([y, first], 1)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2)
    steps = parser.parse_args().steps
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = False
    flat = UNet(nn.Conv2d, nn.ConvTranspose2d, nn.BatchNorm2d, nn.MaxPool2d).cuda()
    deep = UNet(nn.Conv3d, nn.ConvTranspose3d, nn.BatchNorm3d, nn.MaxPool3d, 8).cuda()
    runs = [
        (flat, torch.randn(2, 4, 64, 48), torch.float16),
        (flat.to(memory_format=torch.channels_last), torch.randn(2, 4, 64, 48), torch.bfloat16),
        (deep, torch.randn(1, 4, 16, 16, 16), torch.float16),
    ]
    for model, x, dtype in runs:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(steps):
            with torch.autocast("cuda", dtype=dtype):
                y = model(x.cuda())
            loss = y.float().square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            print(f"{loss.item():.2f}")


if __name__ == "__main__":
    main()
