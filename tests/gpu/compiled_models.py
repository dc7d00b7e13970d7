#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of models under torch.compile, as people write them, on random data and weights: eager and
compiled in each of torch's modes, training and inference. Nothing in here knows of any profiler,
nothing is downloaded. The last line says as JSON what compiling and computing gave: losses, bit by
bit, hits of the caches, names of the generated files.

usage: compiled_models.py MODEL [--mode eager|default|reduce-overhead|max-autotune|dynamic|regional]
                          [--infer] [--checkpoint] [--amp] [--optimizer] [--steps N]
       compiled_models.py --list
"""
import argparse
import contextlib
import json
import os

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

MODELS = {}


def model(make):
    MODELS[make.__name__] = make
    return make


class Program:
    """A model, the call of it that gives a loss (training) or an output, and the blocks that regional
    compilation compiles one by one."""

    def __init__(self, module, call, blocks=()):
        self.module = module
        self.call = call  # of the (compiled) module and the batch
        self.blocks = list(blocks)


def tokens(batch, length, vocabulary):
    return torch.randint(0, vocabulary, (batch, length), device="cuda")


def padding(words):
    """One word is none. Without a mask, eager attention leaves out what comes later, and compiled
    attention masks it."""
    mask = torch.ones_like(words)
    mask[0, 0] = 0
    return mask


@model
def bert(batch=8):
    from transformers import BertConfig, BertForPreTraining

    config = BertConfig(
        hidden_size=256,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=1024,
        vocab_size=8192,
        attn_implementation="sdpa",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    module = BertForPreTraining(config)

    def call(module, batch=batch):
        words = tokens(batch, 128, 8192)
        return module(
            input_ids=words,
            labels=words,
            next_sentence_label=torch.zeros(batch, dtype=torch.long, device="cuda"),
        ).loss

    return Program(module, call, module.bert.encoder.layer)


@model
def gpt2(batch=8):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        n_embd=256,
        n_layer=4,
        n_head=4,
        vocab_size=8192,
        n_positions=256,
        attn_implementation="sdpa",
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        use_cache=False,
    )
    module = GPT2LMHeadModel(config)

    def call(module, batch=batch):
        words = tokens(batch, 256, 8192)
        return module(input_ids=words, labels=words, attention_mask=padding(words)).loss

    return Program(module, call, module.transformer.h)


def llama_config(**more):
    from transformers import LlamaConfig

    return LlamaConfig(
        hidden_size=256,
        intermediate_size=688,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        vocab_size=8192,
        max_position_embeddings=512,
        attn_implementation="sdpa",
        **more
    )


@model
def llama(batch=8):
    from transformers import LlamaForCausalLM

    module = LlamaForCausalLM(llama_config(use_cache=False))

    def call(module, batch=batch):
        words = tokens(batch, 256, 8192)
        return module(input_ids=words, labels=words, attention_mask=padding(words)).loss

    return Program(module, call, module.model.layers)


@model
def generate(batch=2):
    """Tokens one by one, as transformers generates them with a static cache."""
    from transformers import LlamaForCausalLM

    module = LlamaForCausalLM(llama_config())
    module.generation_config.cache_implementation = "static"

    def call(module, batch=batch):
        return module.generate(tokens(batch, 32, 8192), max_new_tokens=16, do_sample=False).float()

    return Program(module, call)


@model
def resnet50(batch=16):
    import torchvision

    module = torchvision.models.resnet50(num_classes=100)

    def call(module, batch=batch):
        images = torch.randn(batch, 3, 128, 128, device="cuda")
        return F.cross_entropy(module(images), torch.zeros(batch, dtype=torch.long, device="cuda"))

    return Program(module, call)


@model
def vit(batch=8):
    import torchvision

    module = torchvision.models.VisionTransformer(
        image_size=64, patch_size=8, num_layers=4, num_heads=4, hidden_dim=256, mlp_dim=1024
    )

    def call(module, batch=batch):
        images = torch.randn(batch, 3, 64, 64, device="cuda")
        return F.cross_entropy(module(images), torch.zeros(batch, dtype=torch.long, device="cuda"))

    return Program(module, call, module.encoder.layers)


class Residual(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.norm1 = nn.GroupNorm(8, inside)
        self.conv1 = nn.Conv2d(inside, outside, 3, padding=1)
        self.norm2 = nn.GroupNorm(8, outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, padding=1)
        self.skip = nn.Conv2d(inside, outside, 1) if inside != outside else nn.Identity()

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        return self.skip(x) + self.conv2(F.silu(self.norm2(y)))


class SelfAttention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(8, channels)
        self.qkv = nn.Linear(channels, 3 * channels)
        self.out = nn.Linear(channels, channels)

    def forward(self, x):
        n, c, h, w = x.shape
        y = self.norm(x).flatten(2).transpose(1, 2)
        q, k, v = (
            t.view(n, h * w, 4, c // 4).transpose(1, 2) for t in self.qkv(y).chunk(3, dim=-1)
        )
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, h * w, c)
        return x + self.out(y).transpose(1, 2).view(n, c, h, w)


class UNet(nn.Module):
    """Of diffusion models: residual blocks down and up with skips, attention in the middle."""

    def __init__(self, width=64):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.down = nn.ModuleList([Residual(width, width), Residual(width, 2 * width)])
        self.shrink = nn.ModuleList(
            [nn.Conv2d(width, width, 3, 2, 1), nn.Conv2d(2 * width, 2 * width, 3, 2, 1)]
        )
        self.middle = nn.Sequential(
            Residual(2 * width, 2 * width), SelfAttention(2 * width), Residual(2 * width, 2 * width)
        )
        self.grow = nn.ModuleList(
            [nn.ConvTranspose2d(2 * width, 2 * width, 2, 2), nn.ConvTranspose2d(width, width, 2, 2)]
        )
        self.up = nn.ModuleList([Residual(4 * width, width), Residual(2 * width, width)])
        self.last = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x):
        x, skips = self.first(x), []
        for block, shrink in zip(self.down, self.shrink):
            x = block(x)
            skips.append(x)
            x = shrink(x)
        x = self.middle(x)
        for block, grow in zip(self.up, self.grow):
            x = block(torch.cat([grow(x), skips.pop()], dim=1))
        return self.last(x)


@model
def unet(batch=8):
    module = UNet()

    def call(module, batch=batch):
        images = torch.randn(batch, 3, 64, 64, device="cuda")
        return F.mse_loss(module(images), images)

    return Program(module, call, [*module.down, *module.up])


class Mlp(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


@model
def mlp(batch=32):
    """Few sizes of products, each of which max-autotune tries in twenty ways."""
    module = nn.Sequential(Mlp(512), Mlp(512))

    def call(module, batch=batch):
        return module(torch.randn(batch, 64, 512, device="cuda")).square().mean()

    return Program(module, call, module)


class FlexBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, mask):
        from torch.nn.attention.flex_attention import flex_attention

        n, length, width = x.shape
        q, k, v = (
            t.view(n, length, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1)
        )
        y = flex_attention(q, k, v, block_mask=mask)
        return x + self.out(y.transpose(1, 2).reshape(n, length, width))


class Flex(nn.Module):
    def __init__(self, width=512, layers=3):
        super().__init__()
        self.blocks = nn.ModuleList(FlexBlock(width, 8) for _ in range(layers))

    def forward(self, x, mask):
        for block in self.blocks:
            x = block(x, mask)
        return x


@model
def flex(batch=2):
    from torch.nn.attention.flex_attention import create_block_mask

    module = Flex()
    mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 512, 512, device="cuda")

    def call(module, batch=batch):
        return module(torch.randn(batch, 512, 512, device="cuda"), mask).square().mean()

    return Program(module, call)


@model
def triton(batch=64):
    """A kernel of the program's own inside compiled code."""
    import compiled_triton

    module = compiled_triton.Scaled(512)

    def call(module, batch=batch):
        return module(torch.randn(batch, 512, device="cuda")).square().mean()

    return Program(module, call)


def compile_as(mode, program):
    if mode == "eager":
        return program.module
    if mode == "regional":
        for block in program.blocks:
            block.compile()
        return program.module
    options = (
        {} if mode == "default" else ({"dynamic": True} if mode == "dynamic" else {"mode": mode})
    )
    return torch.compile(program.module, **options)


def checkpoint_blocks(program):
    for block in program.blocks:
        forward = block.forward
        block.forward = lambda *args, forward=forward, **named: checkpoint(
            forward, *args, use_reentrant=False, **named
        )


def generated_files():
    """Code that Inductor has generated."""
    names = set()
    for folder, _, files in os.walk(os.environ.get("TORCHINDUCTOR_CACHE_DIR", "/nowhere")):
        names |= {name for name in files if name.endswith(".py")}
    return sorted(names)


def run(args):
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True
    program = MODELS[args.model]()
    program.module.cuda().train(not args.infer)
    if args.checkpoint:
        checkpoint_blocks(program)
    if args.model == "generate":  # which compiles by itself
        module = program.module
        module.generation_config.disable_compile = args.mode == "eager"
    else:
        module = compile_as(args.mode, program)
    optimizer = torch.optim.AdamW(program.module.parameters(), lr=1e-4)
    update = optimizer.step
    if args.optimizer:
        update = torch.compile(optimizer.step)
    losses = []
    for step in range(args.steps):
        # Another batch each time: what else would dynamic shapes be for?
        batch = {"batch": 4 + step} if args.mode == "dynamic" or args.vary else {}
        amp = torch.autocast("cuda", torch.bfloat16) if args.amp else contextlib.nullcontext()
        with torch.inference_mode(args.infer):
            if args.mode == "reduce-overhead":
                torch.compiler.cudagraph_mark_step_begin()
            with amp:
                loss = program.call(module, **batch).mean()
            if not args.infer:
                loss.backward()
                update()
                optimizer.zero_grad()
        losses.append(loss.item())
    counters = torch._dynamo.utils.counters
    print(
        json.dumps(
            {
                "losses": [value.hex() for value in losses],
                "hits": {
                    kind: {
                        name: count
                        for name, count in sorted(counters[kind].items())
                        # Hits of the pool of compiling processes depend on time.
                        if "cache" in name and "async" not in name
                    }
                    for kind in ("inductor", "aot_autograd")
                },
                "files": generated_files(),
            }
        )
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", nargs="?", choices=sorted(MODELS))
    parser.add_argument("--list", action="store_true")
    parser.add_argument(
        "--mode",
        default="default",
        choices=["eager", "default", "reduce-overhead", "max-autotune", "dynamic", "regional"],
    )
    parser.add_argument("--infer", action="store_true")
    parser.add_argument("--checkpoint", action="store_true", help="recompute the blocks")
    parser.add_argument("--amp", action="store_true", help="bf16 by autocast")
    parser.add_argument("--optimizer", action="store_true", help="compile its step")
    parser.add_argument("--vary", action="store_true", help="the batches of mode dynamic")
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    if args.list:
        print("\n".join(MODELS))
    else:
        run(args)


if __name__ == "__main__":
    main()
