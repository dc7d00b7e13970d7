#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""An ordinary PyTorch training script: a torchvision ResNet-18 and a small transformers BERT, a few
steps each on random data. Nothing in it knows of any profiler, and nothing is downloaded.

Usage: torch_work.py [STEPS]
"""
import sys

import torch
import torchvision
import transformers


def train_resnet(steps):
    model = torchvision.models.resnet18(num_classes=10).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images = torch.randn(16, 3, 64, 64)
    labels = torch.randint(0, 10, (16,))
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
        loss.backward()
        optimizer.step()
    return loss.item()


def train_bert(steps):
    config = transformers.BertConfig(
        hidden_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=512,
        vocab_size=1000,
    )
    model = transformers.BertForMaskedLM(config).cuda().train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    tokens = torch.randint(0, 1000, (8, 64))
    for _ in range(steps):
        optimizer.zero_grad()
        inputs = tokens.cuda()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model(input_ids=inputs, labels=inputs).loss
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    torch.manual_seed(1)
    # The same algorithms in every run, so that two runs launch the same kernels.
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    print(f"resnet {train_resnet(steps):.4f}")
    print(f"bert {train_bert(steps):.4f}")
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
