#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps with a waste that can be removed, and what its removal gains.

`removals.py MODEL WASTE` runs with the waste, to be captured. `removals.py MODEL WASTE --pairs N`
runs with and without it in turn, N windows of each, and prints the period of both by the program's
own clock, in milliseconds, as a line of JSON. `removals.py --list` prints all models and wastes;
those that serve, compile or load data are in removals_served.py.
"""
import argparse
import contextlib
import fcntl
import importlib
import json
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

import removals_served
from removals_served import SERVED


def gpt2(options):
    import transformers

    config = transformers.GPT2Config(
        attn_implementation=options.get("attention", "sdpa"),
        use_cache=False,
        n_layer=options.get("layers", 12),
        vocab_size=options.get("vocabulary", 50304),
        activation_function=options.get("activation", "gelu_pytorch_tanh"),
        resid_pdrop=0,
        embd_pdrop=0,
        attn_pdrop=0,
    )
    model = transformers.GPT2LMHeadModel(config)
    if options.get("recompute"):
        model.gradient_checkpointing_enable({"use_reentrant": False})
    tokens = torch.randint(
        0, 50000, (options.get("batch", 16), options.get("length", 1024)), device="cuda"
    )
    return model, lambda: model(input_ids=tokens, labels=tokens).loss


def bert(options):
    import transformers

    config = transformers.BertConfig(
        attn_implementation=options.get("attention", "sdpa"),
        vocab_size=30528,
        num_hidden_layers=options.get("layers", 12),
        hidden_dropout_prob=0,
        attention_probs_dropout_prob=0,
    )
    model = transformers.BertForMaskedLM(config)
    tokens = torch.randint(
        0, 30000, (options.get("batch", 128), options.get("length", 256)), device="cuda"
    )
    return model, lambda: model(input_ids=tokens, labels=tokens).loss


def resnet(options):
    import torchvision

    model = torchvision.models.resnet50()
    batch = options.get("batch", 256)
    images = torch.randn(batch, 3, 224, 224, device="cpu")
    labels = torch.randint(0, 1000, (batch,), device="cuda")
    criterion = nn.CrossEntropyLoss()
    if options.get("channels_last"):
        model = model.to(memory_format=torch.channels_last)
        images = images.contiguous(memory_format=torch.channels_last)
    if options.get("pinned"):
        images = images.pin_memory()
    fixed = None if options.get("copies") else images.cuda()  # no copy in a step

    def loss():
        given = fixed
        if given is None:
            given = images.cuda(non_blocking=bool(options.get("pinned")))
        return criterion(model(given), labels)

    return model, loss


class RmsNorm(nn.Module):
    def __init__(self, width, fused):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.fused = fused

    def forward(self, x):
        if self.fused:
            return F.rms_norm(x, x.shape[-1:], self.weight.to(x.dtype), 1e-6)
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight.to(x.dtype) * y.to(x.dtype)


class Block(nn.Module):
    """A layer of a Llama: attention, and a gated MLP."""

    def __init__(self, width, heads, options):
        super().__init__()
        self.heads, self.options = heads, options
        fused = options.get("norm") != "ops"
        self.norm1, self.norm2 = RmsNorm(width, fused), RmsNorm(width, fused)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        inner = options.get("inner", 8 * width // 3 // 64 * 64)
        self.gate, self.up = (nn.Linear(width, inner, bias=False) for _ in range(2))
        self.down = nn.Linear(inner, width, bias=False)

    def attend(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        if self.options.get("attention") != "eager":
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5
            mask = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
            y = scores.masked_fill(mask, float("-inf")).softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, options):
        super().__init__()
        width = options.get("width", 1024)
        self.options = options
        self.embedding = nn.Embedding(32000, width)
        self.blocks = nn.ModuleList(
            Block(width, width // 64, options) for _ in range(options.get("layers", 8))
        )
        self.norm = RmsNorm(width, options.get("norm") != "ops")
        self.head = nn.Linear(width, options.get("vocabulary", 32000), bias=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = (
                torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
                if self.options.get("recompute")
                else block(x)
            )
        return self.head(self.norm(x))


def llama(options):
    model = Llama(options)
    tokens = torch.randint(
        0, 32000, (options.get("batch", 16), options.get("length", 1024)), device="cuda"
    )
    return model, lambda: F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())


MODELS = {"gpt2": gpt2, "bert": bert, "resnet": resnet, "llama": llama}

BF16, AUTOCAST = {"precision": "bf16"}, {"precision": "autocast"}
FEW = {"batch": 4}
SMALL = {"layers": 4, "batch": 1, "length": 64, **BF16}
#: By model and waste: the options of both sides, those of the wasteful one, those of the other.
WASTES = {
    "gpt2": {
        "attention": (BF16, {"attention": "eager"}, {}),
        "optimizer": (BF16, {"optimizer": "forloop"}, {}),
        "foreach": (BF16, {"optimizer": "foreach"}, {}),
        "fp32": (FEW, {"precision": "fp32"}, {"precision": "tf32"}),
        "alignment": (BF16, {"vocabulary": 50257}, {}),
        "recompute": (BF16, {"recompute": True}, {}),
        "activation": (BF16, {"activation": "gelu_new"}, {}),
        "casts": ({}, AUTOCAST, BF16),
        "launches": (SMALL, {}, {"graph": True}),
        "none": (BF16, {}, {}),
    },
    "resnet": {
        "layout": (AUTOCAST, {}, {"channels_last": True}),
        "copies": ({**AUTOCAST, "channels_last": True, "copies": True}, {}, {"pinned": True}),
        "fp32": (
            {"channels_last": True, "batch": 64},
            {"precision": "fp32"},
            {"precision": "tf32"},
        ),
        "loader": ({**AUTOCAST, "channels_last": True}, {"sleep": 0.01}, {}),
        "item": ({**AUTOCAST, "channels_last": True, "batch": 16}, {"item": True}, {}),
        "none": ({**AUTOCAST, "channels_last": True}, {}, {}),
    },
    "bert": {
        "attention": (BF16, {"attention": "eager"}, {}),
        "optimizer": (BF16, {"optimizer": "forloop"}, {}),
        "fp32": ({"batch": 32}, {"precision": "fp32"}, {"precision": "tf32"}),
        "casts": ({}, AUTOCAST, BF16),
        "launches": (SMALL, {}, {"graph": True}),
        "zero": ({**BF16, "batch": 4}, {"zero": True}, {}),
        "none": (BF16, {}, {}),
    },
    "llama": {
        "attention": (BF16, {"attention": "eager"}, {}),
        "optimizer": (BF16, {"optimizer": "forloop"}, {}),
        "norm": (BF16, {"norm": "ops"}, {}),
        "recompute": (BF16, {"recompute": True}, {}),
        "alignment": (BF16, {"vocabulary": 32001}, {}),
        "inner": (BF16, {"inner": 2731}, {"inner": 2736}),
        "emptycache": (BF16, {"empty_cache": True}, {}),
        "fp32": (FEW, {"precision": "fp32"}, {"precision": "tf32"}),
        "none": (BF16, {}, {}),
    },
}


def make_optimizer(parameters, options):
    kind = options.get("optimizer", "fused")
    how = {"foreach": False} if kind == "forloop" else {kind: True}
    if options.get("graph"):
        how["capturable"] = True
    return torch.optim.AdamW(parameters, lr=1e-4, **how)


class Training:
    """A model, its optimizer and its precision. step() is a training step."""

    def __init__(self, model, options):
        torch.manual_seed(1)
        self.options = options
        with torch.device("cuda"):
            module, self.loss_of = MODELS[model](options)
        module.cuda().train()
        self.precision = options.get("precision")
        if self.precision == "bf16":
            module.bfloat16()
        self.optimizer = make_optimizer(module.parameters(), options)
        self.graph = None

    def select(self):
        is_tf32 = self.precision != "fp32"
        torch.backends.cuda.matmul.allow_tf32 = is_tf32
        torch.backends.cudnn.allow_tf32 = is_tf32

    def work(self):
        is_kept = bool(self.options.get("zero") or self.options.get("graph"))
        self.optimizer.zero_grad(set_to_none=not is_kept)
        autocast = (
            torch.autocast("cuda", dtype=torch.bfloat16)
            if self.precision == "autocast"
            else contextlib.nullcontext()
        )
        with autocast:
            loss = self.loss_of()
        loss.backward()
        self.optimizer.step()
        return loss

    def capture(self):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.work()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.work()

    def step(self):
        if self.graph:
            self.graph.replay()
            return
        if self.options.get("sleep"):
            torch.cuda.current_stream().synchronize()
            time.sleep(self.options["sleep"])
        loss = self.work()
        if self.options.get("item"):
            loss.item()
        if self.options.get("empty_cache"):
            torch.cuda.empty_cache()


def window(training, steps):
    """Milliseconds of a step."""
    training.select()
    training.step()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(steps):
        training.step()
    torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - begin) / steps


def program_of(model, waste, with_it):
    if model in SERVED:
        return removals_served.program(model, waste, with_it)
    both, wasteful, other = WASTES[model][waste]
    return Training(model, {**both, **(wasteful if with_it else other)})


def compare(model, waste, sides, pairs):
    for side in sides:
        side.select()
        for _ in range(5):
            side.step()
        if side.options.get("graph"):
            side.capture()
    steps = max(3, int(150 / window(sides[0], 3)))
    windows = [[window(side, steps) for side in sides] for _ in range(pairs)]
    gains = [one - other for one, other in windows]
    told = {
        "model": model,
        "waste": waste,
        "steps": steps,
        "with_ms": statistics.median(one for one, _ in windows),
        "without_ms": statistics.median(other for _, other in windows),
        "gain_ms": statistics.median(gains),
        "least_ms": min(gains),
        "most_ms": max(gains),
    }
    print(json.dumps(told), flush=True)


def run(model, waste, pairs, steps, lock):
    """The GPU is this program's alone once the lock is held; what compiles does so before."""

    def make():
        ways = [True, False] if pairs else [True]
        return [program_of(model, waste, with_it) for with_it in ways]

    is_slow = (model, waste) in removals_served.COMPILED
    sides = make() if is_slow else []
    for side in sides:
        side.select()
        for _ in range(5):
            side.step()
    if lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    sides = sides or make()
    if pairs:
        compare(model, waste, sides, pairs)
    else:
        sides[0].select()
        for step in range(steps):
            with removals_served.step_range(model, step):
                sides[0].step()
    torch.cuda.synchronize()
    del sides
    torch.cuda.empty_cache()
    if lock:
        fcntl.flock(lock, fcntl.LOCK_UN)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("model", nargs="?", choices=sorted([*WASTES, *SERVED]))
    parser.add_argument("wastes", nargs="*")
    parser.add_argument("--pairs", type=int, metavar="N")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument(
        "--alone",
        metavar="FILE",
        help="lock this file while the GPU is used, for programs side by side",
    )
    args = parser.parse_args()
    all_wastes = {**WASTES, **{model: wastes for model, (_, wastes) in SERVED.items()}}
    if args.list:
        print(
            "\n".join(
                f"{model} {waste}" for model, wastes in all_wastes.items() for waste in wastes
            )
        )
        return
    for module in ("torchvision", "transformers"):
        importlib.import_module(module)
    lock = open(args.alone, "w", encoding="utf-8") if args.alone else None
    for waste in list(all_wastes[args.model]) if args.wastes == ["all"] else args.wastes:
        if waste != "none" or not args.pairs:
            run(args.model, waste, args.pairs, args.steps, lock)


if __name__ == "__main__":
    main()
