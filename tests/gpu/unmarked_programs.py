#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs whose steps no range marks, each with its own clock of them.

usage: unmarked_programs.py --list | NAME CLOCK.json

The clock file holds `begins_ms`, when each step began by the program's own events or its own
clock, and `others`: other loops of the program that one may call its step, by their turns. A
program that repeats nothing has no begins."""
import json
import os
import queue
import sys
import threading
import time

PROGRAMS = {}
MISSING = 77


def program(function):
    PROGRAMS[function.__name__] = function
    return function


class HostClock:
    """Times on the host, of a program that waits for the GPU in each step."""

    def __init__(self):
        self.begins = []

    def tick(self):
        self.begins.append(time.perf_counter() * 1e3)

    def times(self):
        return self.begins


class EventClock(HostClock):
    """CUDA events, of a program that does not wait: an event launches nothing."""

    def tick(self):
        import torch

        event = torch.cuda.Event(enable_timing=True)
        event.record()
        self.begins.append(event)

    def times(self):
        import torch

        torch.cuda.synchronize()
        return [self.begins[0].elapsed_time(one) for one in self.begins] if self.begins else []


def mlp(width=1024, depth=4):
    from torch import nn

    layers = [layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.GELU())]
    return nn.Sequential(*layers, nn.Linear(width, 10)).cuda()


def gpt2(layers=4, width=256):
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(n_layer=layers, n_embd=width, n_head=8, vocab_size=4096, n_positions=512)
    return GPT2LMHeadModel(config).cuda()


def train(steps, model, optimizer, loss_of, clock):
    for step in range(steps):
        clock.tick()
        optimizer.zero_grad()
        loss_of(model, step).backward()
        optimizer.step()


@program
def mlp_sgd(clock):
    import torch

    model = mlp()
    x = torch.randn(256, 1024, device="cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    train(30, model, optimizer, lambda m, _: m(x).square().mean(), clock)


@program
def resnet_momentum(clock):
    import torch
    import torchvision

    model = torchvision.models.resnet18().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(32, 3, 128, 128, device="cuda")
    y = torch.randint(0, 1000, (32,), device="cuda")
    loss = torch.nn.CrossEntropyLoss()
    train(15, model, optimizer, lambda m, _: loss(m(x), y), clock)


@program
def accumulated(clock):
    """Four micro-batches to a step."""
    import torch

    model = gpt2()
    optimizer = torch.optim.AdamW(model.parameters())
    tokens = torch.randint(0, 4096, (4, 128), device="cuda")
    for _ in range(12):
        clock.tick()
        for _ in range(4):
            (model(tokens, labels=tokens).loss / 4).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()


@program
def evaluated(clock):
    """Three epochs of training, each followed by evaluation."""
    import torch

    model = mlp()
    x = torch.randn(512, 1024, device="cuda")
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        train(15, model, optimizer, lambda m, _: m(x).square().mean(), clock)
        with torch.no_grad():
            for _ in range(8):
                model(x).argmax(1).float().mean().item()


@program
def batches_of_images(clock):
    import torch
    import torchvision

    model = torchvision.models.resnet50().cuda().eval()
    images = torch.randn(16, 3, 224, 224).pin_memory()
    with torch.no_grad():
        for _ in range(20):
            clock.tick()
            model(images.cuda(non_blocking=True)).softmax(1).cpu()


@program
def generate(clock):
    """Tokens, three prompts of 40: a token, or a prompt, is the step."""
    import torch

    model = gpt2().eval()
    forward = model.forward

    def counted(*args, **words):
        clock.tick()
        return forward(*args, **words)

    model.forward = counted
    for _ in range(3):
        prompt = torch.randint(0, 4096, (2, 16), device="cuda")
        model.generate(prompt, max_new_tokens=40, min_new_tokens=40, do_sample=False)


@program
def compiled(clock):
    import torch

    model = mlp()
    step = torch.compile(model)
    x = torch.randn(256, 1024, device="cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    train(20, model, optimizer, lambda m, _: step(x).square().mean(), clock)


@program
def graph_replays(clock):
    import torch

    model = mlp(512)
    x = torch.randn(64, 512, device="cuda")
    with torch.no_grad():
        for _ in range(3):
            model(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(x)
        for _ in range(60):
            clock.tick()
            x.copy_(torch.randn(64, 512, device="cuda"))
            graph.replay()
            y.sum()


@program
def triton_softmax(clock):
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def softmax(out, rows, n: tl.constexpr):
        at = tl.program_id(0) * n + tl.arange(0, n)
        x = tl.load(rows + at)
        e = tl.exp(x - tl.max(x, 0))
        tl.store(out + at, e / tl.sum(e, 0))

    @triton.jit
    def scale(out, rows, n: tl.constexpr):
        at = tl.program_id(0) * n + tl.arange(0, n)
        tl.store(out + at, tl.load(rows + at) * 0.5)

    x = torch.randn(4096, 1024, device="cuda")
    y = torch.empty_like(x)
    for _ in range(40):
        clock.tick()
        softmax[(4096,)](y, x, 1024)
        scale[(4096,)](x, y, 1024)
        torch.mm(x[:1024], y[:1024])


@program
def flex_attention(clock):
    import torch
    from torch.nn.attention.flex_attention import flex_attention as flex

    run = torch.compile(flex)
    q = torch.randn(2, 8, 512, 64, device="cuda", dtype=torch.bfloat16)
    for _ in range(25):
        clock.tick()
        run(q, q, q)
        q.norm().item()


@program
def fp8(clock):
    import torch

    a = torch.randn(1024, 1024, device="cuda").to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    for _ in range(30):
        clock.tick()
        h = torch._scaled_mm(a, a.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        (h.relu() * 0.1).to(torch.float8_e4m3fn)


@program
def int8(clock):
    import torch

    a = torch.randint(-8, 8, (1024, 1024), device="cuda", dtype=torch.int8)
    for _ in range(30):
        clock.tick()
        h = torch._int_mm(a, a)
        h.clamp_(-127, 127).to(torch.int8)
        h.sum()


@program
def spectra(clock):
    import torch

    x = torch.randn(64, 4096, device="cuda")
    for _ in range(30):
        clock.tick()
        f = torch.fft.rfft(x)
        x = torch.fft.irfft(f * 0.99, n=4096)


@program
def denoise(clock):
    """A diffusion model's 25 steps of sampling."""
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, c):
            super().__init__()
            self.norm, self.conv = nn.GroupNorm(8, c), nn.Conv2d(c, c, 3, padding=1)

        def forward(self, x):
            return x + self.conv(torch.nn.functional.silu(self.norm(x)))

    model = nn.Sequential(
        nn.Conv2d(4, 64, 3, padding=1),
        *[Block(64) for _ in range(6)],
        nn.Conv2d(64, 4, 3, padding=1),
    ).cuda()
    x = torch.randn(2, 4, 64, 64, device="cuda")
    with torch.no_grad():
        for step in range(25):
            clock.tick()
            x = x - 0.1 * model(x) + 0.01 * torch.randn_like(x)


@program
def gan(clock):
    import torch

    generator, critic = mlp(256, 3), mlp(256, 3)
    head = torch.nn.Linear(10, 256).cuda()
    one = torch.optim.Adam(list(generator.parameters()) + list(head.parameters()))
    other = torch.optim.Adam(critic.parameters())
    for _ in range(20):
        clock.tick()
        z = torch.randn(128, 256, device="cuda")
        made = head(generator(z))
        loss = critic(made.detach()).mean() - critic(torch.randn_like(made)).mean()
        other.zero_grad()
        loss.backward()
        other.step()
        one.zero_grad()
        (-critic(head(generator(z))).mean()).backward()
        one.step()


@program
def distilled(clock):
    import torch

    teacher, student = mlp(1024, 6).eval(), mlp(1024, 2)
    optimizer = torch.optim.AdamW(student.parameters())
    for _ in range(25):
        clock.tick()
        x = torch.randn(128, 1024, device="cuda")
        with torch.no_grad():
            wanted = teacher(x)
        optimizer.zero_grad()
        (student(x) - wanted).square().mean().backward()
        optimizer.step()


@program
def lstm(clock):
    import torch

    model = torch.nn.LSTM(128, 256, 2, batch_first=True).cuda()
    optimizer = torch.optim.RMSprop(model.parameters())
    x = torch.randn(32, 50, 128, device="cuda")
    train(20, model, optimizer, lambda m, _: m(x)[0].mean(), clock)


@program
def lengths_vary(clock):
    """Batches of other lengths: most grids change."""
    import torch

    model = gpt2(2)
    optimizer = torch.optim.AdamW(model.parameters())

    def loss(m, step):
        tokens = torch.randint(0, 4096, (4, 64 + 16 * (step % 5)), device="cuda")
        return m(tokens, labels=tokens).loss

    train(30, model, optimizer, loss, clock)


@program
def experts(clock):
    """A mixture of experts: which ones run depends on the data."""
    import torch
    from torch import nn

    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(256, 8)
            self.experts = nn.ModuleList(nn.Linear(256, 256) for _ in range(8))

        def forward(self, x):
            chosen = self.gate(x).argmax(-1)
            out = torch.zeros_like(x)
            for i, expert in enumerate(self.experts):
                rows = (chosen == i).nonzero().squeeze(-1)
                if rows.numel():
                    out = out.index_add(0, rows, expert(x[rows]))
            return out

    model = nn.Sequential(Experts(), nn.ReLU(), Experts()).cuda()
    optimizer = torch.optim.AdamW(model.parameters())

    def loss(m, _):
        return m(torch.randn(64, 256, device="cuda")).square().mean()

    train(25, model, optimizer, loss, clock)


@program
def served(clock):
    """Requests from a queue, answered by a thread."""
    import torch

    model = mlp(512, 3).eval()
    requests, answers = queue.Queue(), queue.Queue()

    def answer():
        with torch.no_grad():
            while (x := requests.get()) is not None:
                clock.tick()
                answers.put(model(x.cuda()).softmax(1).cpu())

    thread = threading.Thread(target=answer)
    thread.start()
    for _ in range(40):
        requests.put(torch.randn(32, 512))
        answers.get()
        time.sleep(0.002)
    requests.put(None)
    thread.join()


@program
def policy(clock):
    """Acts 16 times in an environment on the CPU, then learns."""
    import torch

    model = mlp(64, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(20):
        clock.tick()
        seen = []
        for _ in range(16):
            state = torch.randn(1, 64)
            with torch.no_grad():
                model(state.cuda()).argmax().item()
            seen.append(state)
        loss = model(torch.cat(seen).cuda()).logsumexp(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@program
def power_method(clock):
    """Mathematics in torch: reads back in each turn."""
    import torch

    a = torch.randn(2048, 2048, device="cuda")
    v = torch.randn(2048, device="cuda")
    for _ in range(50):
        clock.tick()
        w = a @ v
        v = w / w.norm()
        (v @ (a @ v)).item()


@program
def autocast_scaled(clock):
    import torch

    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda")
    x = torch.randn(512, 1024, device="cuda")
    for _ in range(20):
        clock.tick()
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.float16):
            loss = model(x).square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


@program
def lbfgs(clock):
    """A step of this optimizer is many passes."""
    import torch

    model = mlp(256, 2)
    x = torch.randn(256, 256, device="cuda")
    optimizer = torch.optim.LBFGS(
        model.parameters(), max_iter=4, tolerance_grad=0, tolerance_change=0
    )

    def closure():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        return loss

    for _ in range(12):
        clock.tick()
        optimizer.step(closure)


@program
def jax_train(clock):
    import jax
    import jax.numpy as jnp

    def loss(w, x):
        return jnp.mean(jnp.tanh(jnp.tanh(x @ w[0]) @ w[1]) ** 2)

    @jax.jit
    def step(w, x):
        return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x))

    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    w = [jax.random.normal(k, (1024, 1024)) for k in keys[:2]]
    x = jax.random.normal(keys[2], (256, 1024))
    jax.block_until_ready((w, x))
    for _ in range(30):
        clock.tick()
        w = jax.block_until_ready(step(w, x))


@program
def jax_eager(clock):
    import jax
    import jax.numpy as jnp

    x = jax.random.normal(jax.random.PRNGKey(0), (1024, 1024))
    for _ in range(30):
        clock.tick()
        y = jnp.dot(x, x)
        y = jnp.maximum(y, 0)
        jax.block_until_ready(y / jnp.max(y))


# Programs that repeat nothing.


@program
def one_forward(clock):
    import torch

    with torch.no_grad():
        gpt2(12).eval()(torch.randint(0, 4096, (2, 64), device="cuda"))


@program
def one_step(clock):
    import torch

    model = gpt2(12)
    tokens = torch.randint(0, 4096, (2, 64), device="cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    model(tokens, labels=tokens).loss.backward()
    optimizer.step()


@program
def two_steps(clock):
    import torch
    import torchvision

    model = torchvision.models.resnet18().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(8, 3, 64, 64, device="cuda")
    for _ in range(2):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()


@program
def shrinking(clock):
    """A reduction by halves: each launch is smaller than the last."""
    import torch

    x = torch.randn(1 << 22, device="cuda")
    while x.numel() > 1:
        x = x[: x.numel() // 2] + x[x.numel() // 2 :]
    x.item()


@program
def any_order(clock):
    import random
    import torch

    random.seed(1)
    x = torch.rand(1 << 18, device="cuda")
    ops = [
        torch.exp,
        torch.sin,
        torch.cos,
        torch.tanh,
        torch.sigmoid,
        torch.sqrt,
        torch.abs,
        torch.floor,
        torch.sign,
        torch.log1p,
        torch.cumsum,
        torch.sort,
    ]
    for _ in range(300):
        op = random.choice(ops)
        op(x, 0) if op in (torch.cumsum, torch.sort) else op(x)


NOT_REPEATING = ("one_forward", "one_step", "two_steps", "shrinking", "any_order")
# Each pass of L-BFGS is a loop, too.
OTHERS = {"lbfgs": [48]}
ON_HOST = ("served", "jax_train", "jax_eager", "policy")


def main():
    if sys.argv[1] == "--list":
        print("\n".join(PROGRAMS))
        return 0
    name, path = sys.argv[1:]
    clock = HostClock() if name in ON_HOST else EventClock()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        PROGRAMS[name](clock)
    except ImportError as error:
        print(f"SKIPPED: {name}: {error}", file=sys.stderr)
        return MISSING
    with open(path, "w", encoding="utf-8") as file:
        json.dump(
            {
                "begins_ms": clock.times(),
                "others": OTHERS.get(name, []),
                "repeats": name not in NOT_REPEATING,
            },
            file,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
