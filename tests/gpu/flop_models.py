#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A forward and a backward pass of a dozen models with products, convolutions and attention of
every kind, on random data and weights. Each is a step of its own, numbered in the order of MODELS.

Usage: flop_models.py [--count FILE] [MODEL...] --count FILE runs them under torch's FlopCounterMode
and writes what it counted, op by op with shapes, to FILE. It changes which ops run, so a capture is
a run of its own. """
import argparse
import contextlib
import json
import traceback
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F

import torch_models
from marked_step import marked_step

SMALL = dict(small=True, layers=None, batch=None, compile=False, channels_last=False)


def of_torch_models(name, attention="eager"):
    return lambda: torch_models.MODELS[name](SimpleNamespace(attention=attention, **SMALL))


def make_vit():
    import torchvision

    model = torchvision.models.VisionTransformer(
        image_size=64,
        patch_size=16,
        num_layers=2,
        num_heads=4,
        hidden_dim=128,
        mlp_dim=256,
        num_classes=10,
    )
    images, labels = torch.randn(4, 3, 64, 64), torch.randint(0, 10, (4,))
    return model, lambda: F.cross_entropy(model(images.cuda()), labels.cuda())


def make_llama():
    import transformers

    config = transformers.LlamaConfig(
        hidden_size=128,
        intermediate_size=352,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        vocab_size=1000,
        max_position_embeddings=64,
        attn_implementation="sdpa",
    )
    model = transformers.LlamaForCausalLM(config)
    tokens = torch.randint(0, 1000, (4, 32))
    return model, lambda: model(input_ids=tokens.cuda(), labels=tokens.cuda()).loss


def make_t5():
    import transformers

    config = transformers.T5Config(
        d_model=128,
        d_kv=32,
        d_ff=256,
        num_layers=2,
        num_heads=4,
        vocab_size=1000,
        decoder_start_token_id=0,
    )
    model = transformers.T5ForConditionalGeneration(config)
    tokens, targets = torch.randint(0, 1000, (4, 24)), torch.randint(0, 1000, (4, 17))
    return model, lambda: model(input_ids=tokens.cuda(), labels=targets.cuda()).loss


class Encoder(nn.Module):
    """torch's own transformer layers: encoder and decoder."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(128, 4, 256, batch_first=True), 2
        )
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(128, 4, 256, batch_first=True), 1
        )

    def forward(self, x, y):
        return self.decoder(y, self.encoder(x))


def make_encoder():
    model = Encoder()
    x, y = torch.randn(4, 40, 128), torch.randn(4, 24, 128)
    return model, lambda: model(x.cuda(), y.cuda()).square().mean()


class Cells(nn.Module):
    """An LSTM and a GRU by their cells: a product for each gate matrix and time."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(48, 96), nn.GRUCell(96, 64)
        self.out = nn.Linear(64, 10, bias=False)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[0], 96)
        g = x.new_zeros(x.shape[0], 64)
        for time in range(x.shape[1]):
            h, c = self.lstm(x[:, time], (h, c))
            g = self.gru(h, g)
        return self.out(g)


def make_cells():
    model = Cells()
    x = torch.randn(32, 6, 48)
    return model, lambda: model(x.cuda()).square().mean()


class Unet(nn.Module):
    """Down by strides, up by transposed convolutions; plain, grouped, depthwise, dilated,
    pointwise, with and without bias, in one, two and three dimensions."""

    def __init__(self):
        super().__init__()
        self.start = nn.Conv2d(3, 16, 3, padding=1)
        self.down = nn.Conv2d(16, 32, 4, stride=2, padding=1, bias=False)
        self.grouped = nn.Conv2d(32, 32, 3, padding=1, groups=4)
        self.depthwise = nn.Conv2d(32, 32, 3, padding=1, groups=32, bias=False)
        self.pointwise = nn.Conv2d(32, 48, 1)
        self.dilated = nn.Conv2d(48, 32, 3, padding=2, dilation=2)
        self.up_grouped = nn.ConvTranspose2d(32, 32, 3, padding=1, groups=8)
        self.up = nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1)
        self.end = nn.Conv2d(32, 4, 1)
        self.line = nn.Conv1d(4, 8, 5, stride=2, groups=2)
        self.volume = nn.Conv3d(1, 4, 3, padding=1)
        self.volume_up = nn.ConvTranspose3d(4, 2, 2, stride=2, bias=False)

    def forward(self, x):
        x = self.start(x)
        y = self.pointwise(self.depthwise(self.grouped(self.down(x).relu())))
        y = self.up(self.up_grouped(self.dilated(y.relu())))
        z = self.end(torch.cat([x, y], dim=1))
        line = self.line(z.flatten(2))
        volume = self.volume_up(self.volume(z.unsqueeze(1)))
        return line.square().mean() + volume.square().mean()


def make_unet():
    model = Unet()
    images = torch.randn(2, 3, 32, 32)
    return model, lambda: model(images.cuda())


class Experts(nn.Module):
    """A mixture of experts: every expert takes the tokens that score highest, the same number
    each."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(128, 4, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.Linear(256, 128)) for _ in range(3)
        )
        # The last expert's weights as parameters of batched products.
        self.inner = nn.Parameter(torch.randn(2, 64, 128) * 0.1)
        self.outer = nn.Parameter(torch.randn(2, 128, 64) * 0.1)

    def forward(self, x):
        scores = torch.softmax(self.gate(x), dim=-1)
        weights, chosen = scores.topk(x.shape[0] // 4, dim=0)
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            picked = chosen[:, number]
            result = result.index_add(0, picked, expert(x[picked]) * weights[:, number, None])
        halves = x[chosen[:, 3]].view(-1, 2, 64).transpose(0, 1)
        wide = torch.baddbmm(torch.zeros_like(halves[:, :, :1]), halves, self.inner)
        last = torch.bmm(wide.relu(), self.outer).transpose(0, 1).reshape(-1, 128)
        return result.index_add(0, chosen[:, 3], last * weights[:, 3, None])


def make_experts():
    model = Experts()
    tokens = torch.randn(256, 128)
    return model, lambda: model(tokens.cuda()).square().mean()


class Attention(nn.Module):
    """One attention by a backend of the caller's choice, causal or not, with queries fewer than
    keys if not."""

    def __init__(self, backend, is_causal):
        super().__init__()
        self.backend, self.is_causal = backend, is_causal
        self.q, self.k, self.v = (nn.Linear(128, 128, bias=False) for _ in range(3))

    def forward(self, x):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def heads(tensor):
            return tensor.unflatten(-1, (4, 32)).transpose(1, 2)

        queries = x if self.is_causal else x[:, :48]
        with sdpa_kernel(getattr(SDPBackend, self.backend)):
            return F.scaled_dot_product_attention(
                heads(self.q(queries)), heads(self.k(x)), heads(self.v(x)), is_causal=self.is_causal
            )


def make_attention(backend):
    def make():
        model = nn.ModuleList(Attention(backend, is_causal) for is_causal in (False, True))
        x = torch.randn(2, 64, 128)
        return model, lambda: sum(part(x.cuda()).float().square().mean() for part in model)

    return make


# Name: (what makes it, dtype of autocast).
MODELS = {
    "bert": (of_torch_models("bert"), torch.float16),
    "gpt2": (of_torch_models("gpt2", "sdpa"), torch.bfloat16),
    "resnet50": (of_torch_models("resnet50"), torch.float16),
    "dlrm": (of_torch_models("dlrm"), None),
    "vit": (make_vit, None),
    "llama": (make_llama, torch.bfloat16),
    "t5": (make_t5, None),
    "encoder": (make_encoder, None),
    "cells": (make_cells, None),
    "unet": (make_unet, None),
    "unet_fp16": (make_unet, torch.float16),
    "experts": (make_experts, None),
    "attention_math": (make_attention("MATH"), None),
    "attention_efficient": (make_attention("EFFICIENT_ATTENTION"), None),
    "attention_flash": (make_attention("FLASH_ATTENTION"), torch.bfloat16),
    "attention_cudnn": (make_attention("CUDNN_ATTENTION"), torch.bfloat16),
}


def describe(value):
    """Arguments as JSON: a tensor is {"shape": [..]}."""
    if isinstance(value, torch.Tensor):
        return {"shape": list(value.shape)}
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


class Counter:
    """FlopCounterMode that also keeps each op that it counts: its own formulas, with the arguments
    they had."""

    def __init__(self):
        from torch.utils import flop_counter

        self.events = []
        self.mode = flop_counter.FlopCounterMode(
            display=False,
            custom_mapping={
                op: self._recorder(str(op).rpartition(".")[2], formula)
                for op, formula in flop_counter.flop_registry.items()
            },
        )

    def _recorder(self, name, formula):
        def record(*args, out_val=None, **kwargs):
            flops = formula(*args, out_val=out_val, **kwargs)
            self.events.append(
                {"op": name, "flops": int(flops), "args": describe(args), "out": describe(out_val)}
            )
            return flops

        record._get_raw = True  # torch passes the tensors themselves
        return record

    def result(self):
        totals = {
            str(op).rpartition(".")[2]: int(flops)
            for op, flops in self.mode.get_flop_counts().get("Global", {}).items()
        }
        return {"totals": totals, "events": self.events}


def run(name, is_counted):
    make, dtype = MODELS[name]
    torch.manual_seed(1)
    model, loss_of = make()
    model.cuda().train()
    counter = Counter() if is_counted else None
    number = list(MODELS).index(name)
    with marked_step(number), counter.mode if counter else contextlib.nullcontext():
        with torch.autocast("cuda", dtype=dtype) if dtype else contextlib.nullcontext():
            loss = loss_of()
        loss.backward()
    print(f"{number} {name} {loss.item():.3f}", flush=True)
    return {"step": number, **(counter.result() if counter else {})}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("--count", metavar="FILE")
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    results = {}
    for name in args.models or MODELS:
        try:
            results[name] = run(name, args.count is not None)
        except (
            Exception
        ) as error:  # one model that a version of a library refuses must not hide the others
            traceback.print_exc()
            results[name] = {
                "step": list(MODELS).index(name),
                "error": f"{type(error).__name__}: {error}"[:300],
            }
            print(f"{name} failed", flush=True)
    if args.count:
        with open(args.count, "w", encoding="utf-8") as file:
            json.dump({"torch": torch.__version__, "models": results}, file)


if __name__ == "__main__":
    main()
