#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of many kinds of models, as people write them, on random data and weights: vision, language,
LoRA, closures, gradient penalties, graphs, detection, speech, low precision, inference. Nothing in
here knows of libprof, nothing is downloaded.

usage: live_models.py MODEL [--steps N] [--clock FILE] [--truth FILE]
       live_models.py --list

--clock FILE: each step's milliseconds by CUDA events, as JSON. --truth FILE: runs under
torch.profiler and writes a line for each kernel (live_truth.py).
"""
import argparse
import copy
import json
import sys

import torch
from torch import nn
from torch.nn import functional as F

import live_parts
import live_truth

MODELS = {}


def model(make):
    MODELS[make.__name__] = make
    return make


def images(batch, size=224):
    return torch.randn(batch, 3, size, size, device="cuda")


def labels(batch, classes=1000):
    return torch.randint(0, classes, (batch,), device="cuda")


def training(module, loss, optimizer=None, autocast=None, clip=False):
    """An ordinary training step of `loss`, which calls the module."""
    optimizer = optimizer or torch.optim.AdamW(module.parameters(), lr=1e-4)

    def step():
        optimizer.zero_grad()
        with torch.autocast("cuda", autocast, enabled=autocast is not None):
            value = loss()
        value.backward()
        if clip:
            with live_truth.scope("update"):
                nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()

    return module, step


def closures(module, loss, optimizer):
    """A step inside the optimizer's, as Lightning's loop runs it."""

    def closure():
        with live_truth.scope("closure"):
            optimizer.zero_grad()
            value = loss()
            value.backward()
        return value

    return module, lambda: optimizer.step(closure)


def mlp(width=1024, depth=4):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.GELU()]
    return nn.Sequential(*layers, nn.Linear(width, 10)).cuda()


def classified(module, batch, *, width=None, size=224, classes=1000):
    inputs = torch.randn(batch, width, device="cuda") if width else images(batch, size)
    targets = labels(batch, classes)
    return lambda: F.cross_entropy(module(inputs), targets)


@model
def lbfgs():
    module = mlp()
    optimizer = torch.optim.LBFGS(module.parameters(), max_iter=3)
    return closures(module, classified(module, 256, width=1024, classes=10), optimizer)


@model
def lightning_loop():
    module = mlp()
    optimizer = torch.optim.AdamW(module.parameters())
    return closures(module, classified(module, 256, width=1024, classes=10), optimizer)


@model
def lightning():
    import lightning

    class Task(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = mlp()

        def training_step(self, batch, _):
            inputs, targets = batch
            return F.cross_entropy(self.net(inputs), targets)

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters())

        def optimizer_step(self, epoch, batch, optimizer, optimizer_closure=None):
            def closure():
                with live_truth.scope("closure"):
                    return optimizer_closure()

            optimizer.step(closure)

    task = Task()

    def train(count):
        """All steps in one call of its trainer, whose callback tells when each begins."""
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]

        class Clock(lightning.Callback):
            def on_train_batch_start(self, trainer, module, batch, number):
                marks[number].record()

        pairs = torch.utils.data.TensorDataset(
            torch.randn(256 * count, 1024), torch.randint(0, 10, (256 * count,))
        )
        trainer = lightning.Trainer(
            max_epochs=1,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            callbacks=[Clock()],
        )
        trainer.fit(task, torch.utils.data.DataLoader(pairs, 256))
        marks[-1].record()
        return between(marks)

    return task, train


@model
def sam():
    """Sharpness-aware minimization: the optimizer calls the closure in between its two halves."""

    class Sam(torch.optim.Optimizer):
        def __init__(self, params, base, rho=0.05):
            super().__init__(params, {"rho": rho})
            self.base = base(self.param_groups, lr=1e-3)

        @torch.no_grad()
        def step(self, closure):
            with torch.enable_grad():
                closure()
            params = [p for group in self.param_groups for p in group["params"]]
            old = [p.clone() for p in params]
            torch._foreach_add_(params, [p.grad for p in params], alpha=0.05)
            with torch.enable_grad():
                closure()
            torch._foreach_copy_(params, old)
            self.base.step()

    module = mlp()
    return closures(
        module,
        classified(module, 256, width=1024, classes=10),
        Sam(module.parameters(), torch.optim.SGD),
    )


@model
def vit():
    import torchvision

    module = torchvision.models.vit_b_16().cuda()
    return training(module, classified(module, 16), autocast=torch.bfloat16, clip=True)


@model
def swin():
    import torchvision

    module = torchvision.models.swin_t().cuda()
    return training(module, classified(module, 16), autocast=torch.bfloat16)


@model
def convnext():
    import torchvision

    module = torchvision.models.convnext_tiny().cuda().to(memory_format=torch.channels_last)
    return training(module, classified(module, 16), autocast=torch.float16)


@model
def efficientnet():
    import torchvision

    module = torchvision.models.efficientnet_b0().cuda()
    return training(module, classified(module, 32), torch.optim.RMSprop(module.parameters()))


@model
def segmentation():
    import torchvision

    module = torchvision.models.segmentation.deeplabv3_resnet50(
        weights=None, weights_backbone=None, num_classes=21
    ).cuda()
    inputs, targets = images(4, 256), torch.randint(0, 21, (4, 256, 256), device="cuda")
    return training(module, lambda: F.cross_entropy(module(inputs)["out"], targets))


@model
def detection():
    import torchvision

    module = torchvision.models.detection.fasterrcnn_resnet50_fpn(
        weights=None, weights_backbone=None
    ).cuda()
    inputs = list(images(2, 512))
    boxes = torch.tensor(
        [[20.0, 30, 200, 220], [100, 40, 180, 400], [300, 310, 480, 500]], device="cuda"
    )
    targets = [{"boxes": boxes, "labels": labels(3, 90) + 1} for _ in inputs]
    return training(
        module,
        lambda: sum(module(inputs, targets).values()),
        torch.optim.SGD(module.parameters(), lr=1e-3, momentum=0.9),
    )


def llama(**options):
    import transformers

    config = transformers.LlamaConfig(
        hidden_size=1024,
        intermediate_size=2816,
        num_hidden_layers=4,
        num_attention_heads=16,
        num_key_value_heads=4,
        vocab_size=16000,
        use_cache=False,
        **options,
    )
    return transformers.LlamaForCausalLM(config).to("cuda", torch.bfloat16)


@model
def llama_lora():
    module = llama().requires_grad_(False)
    for layer in module.model.layers:
        for name in ("q_proj", "v_proj"):
            setattr(layer.self_attn, name, live_parts.Lora(getattr(layer.self_attn, name)))
    module.to("cuda", torch.bfloat16)
    tokens = torch.randint(0, 16000, (4, 512), device="cuda")
    learned = [p for p in module.parameters() if p.requires_grad]
    return training(
        module, lambda: module(input_ids=tokens, labels=tokens).loss, torch.optim.AdamW(learned)
    )


@model
def llama_peft():
    import peft

    module = peft.get_peft_model(llama(), peft.LoraConfig(target_modules=["q_proj", "v_proj"]))
    tokens = torch.randint(0, 16000, (4, 512), device="cuda")
    return training(module, lambda: module(input_ids=tokens, labels=tokens).loss)


@model
def checkpointing():
    module = llama()
    module.gradient_checkpointing_enable({"use_reentrant": False})
    module.train()
    tokens = torch.randint(0, 16000, (4, 512), device="cuda")
    return training(module, lambda: module(input_ids=tokens, labels=tokens).loss)


@model
def accumulation():
    module = mlp(2048)
    optimizer, scaler = torch.optim.SGD(module.parameters(), lr=0.01), torch.amp.GradScaler("cuda")
    loss = classified(module, 512, width=2048, classes=10)

    def step():
        for _ in range(4):
            with torch.autocast("cuda", torch.float16):
                value = loss() / 4
            scaler.scale(value).backward()
        with live_truth.scope("update"):
            scaler.step(optimizer)
            scaler.update()
        optimizer.zero_grad()

    return module, step


@model
def generate():
    import transformers

    config = transformers.GPT2Config(n_layer=4, n_embd=512, n_head=8, vocab_size=8000)
    module = transformers.GPT2LMHeadModel(config).cuda().half().eval()
    prompt = torch.randint(0, 8000, (4, 64), device="cuda")
    options = dict(
        max_new_tokens=16, do_sample=False, pad_token_id=0, attention_mask=torch.ones_like(prompt)
    )
    return module, lambda: module.generate(prompt, **options)


@model
def inference():
    import torchvision

    module = torchvision.models.resnet50().cuda().eval()
    inputs = images(32)

    @torch.inference_mode()
    def step():
        return module(inputs).argmax(1)

    return module, step


@model
def whisper():
    import transformers

    config = transformers.WhisperConfig(
        d_model=384,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=6,
        decoder_attention_heads=6,
        vocab_size=2000,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    module = transformers.WhisperForConditionalGeneration(config).cuda()
    sound = torch.randn(4, 80, 3000, device="cuda")
    text = torch.randint(3, 2000, (4, 32), device="cuda")
    return training(module, lambda: module(input_features=sound, labels=text).loss)


def on_graph(layer):
    module = live_parts.Graph(layer).cuda()
    nodes = torch.randn(20_000, 128, device="cuda")
    edges, targets = torch.randint(0, 20_000, (2, 200_000), device="cuda"), labels(20_000, 16)
    return training(module, lambda: F.cross_entropy(module(nodes, edges), targets))


@model
def graph_convolution():
    return on_graph(live_parts.GraphLayer)


@model
def graph_attention():
    return on_graph(live_parts.GraphAttention)


@model
def geometric():
    import torch_geometric

    module = torch_geometric.nn.GCN(128, 128, 3, 16).cuda()
    nodes = torch.randn(20_000, 128, device="cuda")
    edges, targets = torch.randint(0, 20_000, (2, 200_000), device="cuda"), labels(20_000, 16)
    return training(module, lambda: F.cross_entropy(module(nodes, edges), targets))


@model
def speech():
    module = live_parts.Speech().cuda()
    sound, letters = torch.randn(8, 32_000, device="cuda"), torch.randint(1, 32, (8, 20))

    def loss():
        found = module(sound).transpose(0, 1)
        lengths = torch.full((8,), found.shape[0])
        return F.ctc_loss(found, letters.cuda(), lengths, torch.full((8,), 20))

    return training(module, loss)


@model
def audio():
    import torchaudio

    module = torchaudio.models.Conformer(80, 4, 256, 2, 31).cuda()
    sound, lengths = torch.randn(8, 200, 80, device="cuda"), torch.full((8,), 200, device="cuda")
    return training(module, lambda: module(sound, lengths)[0].square().mean())


def low_precision(layer):
    module = nn.Sequential(*(part for _ in range(6) for part in (layer(4096), nn.GELU()))).cuda()
    inputs = torch.randn(2048, 4096, device="cuda", dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        return module(inputs)

    return module, step


@model
def fp8():
    return low_precision(live_parts.Fp8Linear)


@model
def int8():
    return low_precision(live_parts.Int8Linear)


@model
def embedding_bag():
    module = live_parts.Bags().cuda()
    indices = torch.randint(0, 200_000, (2048 * 20,), device="cuda")
    offsets, targets = torch.arange(0, 2048 * 20, 20, device="cuda"), torch.rand(
        2048, 1, device="cuda"
    )
    sparse = torch.optim.SparseAdam(list(module.tables.parameters()))
    dense = torch.optim.Adam(module.top.parameters())

    def step():
        sparse.zero_grad()
        dense.zero_grad()
        F.binary_cross_entropy_with_logits(module(indices, offsets), targets).backward()
        sparse.step()
        dense.step()

    return module, step


@model
def gradient_penalty():
    """A critic whose gradient is penalized: a backward pass through the backward pass."""
    module = nn.Sequential(
        nn.Conv2d(3, 64, 4, 2, 1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(64, 128, 4, 2, 1),
        nn.LeakyReLU(0.2),
        nn.Flatten(),
        nn.Linear(128 * 16 * 16, 1),
    ).cuda()
    inputs = images(64, 64)

    def loss():
        mixed = inputs.detach().requires_grad_()
        found = module(mixed)
        (gradient,) = torch.autograd.grad(found.sum(), mixed, create_graph=True)
        return found.mean() + 10 * (gradient.flatten(1).norm(dim=1) - 1).square().mean()

    return training(module, loss, torch.optim.Adam(module.parameters()))


@model
def per_sample_gradients():
    """torch.func: vmap over grad of a convolutional network."""
    module = nn.Sequential(
        nn.Conv2d(3, 32, 3),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(1024, 10),
    ).cuda()
    inputs, targets = images(32, 32), labels(32, 10)
    params = dict(module.named_parameters())

    def loss(params, one, target):
        found = torch.func.functional_call(module, params, (one[None],))
        return F.cross_entropy(found, target[None])

    of_each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return module, lambda: of_each(params, inputs, targets)


@model
def recurrent():
    module = live_parts.Words().cuda()
    tokens = torch.randint(0, 10_000, (32, 64), device="cuda")
    return training(module, lambda: F.cross_entropy(module(tokens).flatten(0, 1), tokens.flatten()))


@model
def mixture_of_experts():
    module = nn.Sequential(
        nn.Linear(512, 512),
        live_parts.Experts(),
        nn.LayerNorm(512),
        live_parts.Experts(),
        nn.Linear(512, 10),
    ).cuda()
    return training(module, classified(module, 4096, width=512, classes=10))


@model
def moving_average():
    """A copy of the weights that follows them, and a scheduler, as diffusion models have."""
    module = nn.Sequential(
        nn.Conv2d(3, 64, 3, padding=1),
        nn.GroupNorm(8, 64),
        nn.SiLU(),
        nn.Conv2d(64, 64, 3, padding=1),
        nn.GroupNorm(8, 64),
        nn.SiLU(),
        nn.Upsample(scale_factor=2),
        nn.Conv2d(64, 3, 3, padding=1),
    ).cuda()
    follower = copy.deepcopy(module)
    inputs, wanted = images(16, 32), images(16, 64)
    module, train = training(module, lambda: F.mse_loss(module(inputs), wanted))

    def step():
        train()
        with torch.no_grad(), live_truth.scope("update"):
            torch._foreach_lerp_(list(follower.parameters()), list(module.parameters()), 0.01)

    return module, step


def between(marks):
    torch.cuda.synchronize()
    return [begin.elapsed_time(end) for begin, end in zip(marks, marks[1:])]


def timed(step, count):
    """Milliseconds between the begins of steps, by the GPU's clock; the last one to its end."""
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    for mark in marks[:-1]:
        mark.record()
        step()
    marks[-1].record()
    return between(marks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--clock")
    parser.add_argument("--truth")
    args = parser.parse_args()
    if args.list:
        print(*MODELS, sep="\n")
        return
    torch.manual_seed(0)
    try:
        module, step = MODELS[args.model]()
    except ImportError as error:
        print(f"SKIPPED: {args.model}: {error}", file=sys.stderr)
        sys.exit(77)
    run = step if args.model == "lightning" else lambda count: timed(step, count)
    if args.truth:
        live_truth.record(module, lambda: run(args.steps), args.truth)
        return
    took = run(args.steps)
    if args.clock:
        with open(args.clock, "w", encoding="utf-8") as file:
            json.dump(took, file)


if __name__ == "__main__":
    main()
