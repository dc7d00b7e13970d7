#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that run their forward and backward pass inside an optimizer's step, or that wrap one; and
those that run the same passes outside of it (loop..). Each writes how often it called its closure in each
step. optimizer_closures.py checks what the reports say.

usage: optimizer_programs.py PROGRAM CALLS.json [--nvtx | --kineto TRACE.json]
"""
import contextlib
import functools
import json
import sys

import torch
from torch import nn

WARM, MEASURED = 2, 3


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 128), nn.Linear(128, 8)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class Work:
    """A model, its closures, and the calls of them. Gradients exist from the beginning and are set to
    zero, so that all passes launch the same."""

    def __init__(self):
        torch.manual_seed(0)
        self.model = Mlp().cuda()
        self.batch = torch.randn(32, 64, device="cuda")
        self.target = torch.randn(32, 8, device="cuda")
        self.calls = 0
        for parameter in self.model.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def adamw(self, parameters=None):
        return torch.optim.AdamW(parameters or self.model.parameters(), lr=1e-4, foreach=True)

    def loss(self):
        self.calls += 1
        return nn.functional.mse_loss(self.model(self.batch), self.target)

    def closure_of(self, *optimizers, scale=lambda loss: loss, loss=None):
        def closure():
            for optimizer in optimizers:
                optimizer.zero_grad(set_to_none=False)
            value = (loss or self.loss)()
            scale(value).backward()
            return value

        return closure


def loop(work):
    optimizer = work.adamw()
    closure = work.closure_of(optimizer)
    return lambda: (closure(), optimizer.step())


def adamw(work):
    optimizer = work.adamw()
    closure = work.closure_of(optimizer)
    return lambda: optimizer.step(closure)


def scaler_of(work):
    return torch.amp.GradScaler("cuda", init_scale=1.0)


def loop_scaled(work):
    optimizer, scaler = work.adamw(), scaler_of(work)
    closure = work.closure_of(optimizer, scale=scaler.scale)
    return lambda: (closure(), scaler.step(optimizer), scaler.update())


def scaled(work):
    """The gradients that are unscaled are those of the step before."""
    optimizer, scaler = work.adamw(), scaler_of(work)
    closure = work.closure_of(optimizer, scale=scaler.scale)
    scaler.scale(torch.ones((), device="cuda"))  # makes the scale
    return lambda: (scaler.step(optimizer, closure), scaler.update())


def autocast_closure(work, optimizer):
    def loss():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return work.loss()

    return work.closure_of(optimizer, loss=loss)


def loop_autocast(work):
    optimizer = work.adamw()
    closure = autocast_closure(work, optimizer)
    return lambda: (closure(), optimizer.step())


def autocast(work):
    optimizer = work.adamw()
    closure = autocast_closure(work, optimizer)
    return lambda: optimizer.step(closure)


def trainer(work):
    """As Lightning's: a proxy of the optimizer, a scheduler that replaces its step, partial closures."""

    class Proxy:
        def __init__(self, optimizer):
            self.optimizer = optimizer

        def step(self, closure):
            return self.optimizer.step(closure=functools.partial(self.run, closure))

        @staticmethod
        def run(closure):
            return closure()

    optimizer = work.adamw()
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1.0)
    proxy, closure = Proxy(optimizer), work.closure_of(optimizer)
    return lambda: (proxy.step(closure), scheduler.step())


def accumulate(work):
    optimizer = work.adamw()
    first, second = work.closure_of(optimizer), work.closure_of()
    return lambda: (first(), optimizer.step(second))


def lbfgs(work):
    optimizer = torch.optim.LBFGS(
        work.model.parameters(), lr=1e-3, max_iter=3, tolerance_grad=0, tolerance_change=0
    )
    closure = work.closure_of(optimizer)
    return lambda: optimizer.step(closure)


def sam(work):
    class Sam(torch.optim.Optimizer):
        def __init__(self, parameters):
            super().__init__(parameters, {})
            self.base = work.adamw(self.param_groups)

        @torch.no_grad()
        def step(self, closure):
            closure = torch.enable_grad()(closure)
            closure()
            moved = []
            for group in self.param_groups:
                for parameter in group["params"]:
                    distance = parameter.grad * 0.05
                    parameter.add_(distance)
                    moved.append((parameter, distance))
            loss = closure()
            for parameter, distance in moved:
                parameter.sub_(distance)
            self.base.step()
            return loss

    optimizer = Sam(work.model.parameters())
    closure = work.closure_of(optimizer)
    return lambda: optimizer.step(closure)


def nested(work):
    outer = work.adamw(work.model.first.parameters())
    inner = torch.optim.SGD(work.model.second.parameters(), lr=1e-4)
    passes = work.closure_of(outer, inner)
    return lambda: outer.step(lambda: (passes(), inner.step())[0])


def hooked(work):
    """The hook's ops are recorded by autograd, other than the optimizer's."""
    optimizer = work.adamw()

    def scale_gradients(optimizer, args, kwargs):
        for parameter in work.model.parameters():
            parameter.grad.mul_(0.5)

    optimizer.register_step_pre_hook(scale_gradients)
    return optimizer


def hooks(work):
    optimizer = hooked(work)
    closure = work.closure_of(optimizer)
    return lambda: (closure(), optimizer.step())


def hooks_closure(work):
    optimizer = hooked(work)
    closure = work.closure_of(optimizer)
    return lambda: optimizer.step(closure)


def accelerate(work):
    import accelerate as library

    optimizer = library.Accelerator().prepare(work.adamw())
    closure = work.closure_of(optimizer.optimizer)
    return lambda: optimizer.step(closure)


def run_lightning(work):
    import lightning

    class Task(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = work.model

        def training_step(self, batch, index):
            return work.loss()

        def configure_optimizers(self):
            return work.adamw()

        def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
            optimizer.zero_grad(set_to_none=False)

    steps = WARM + MEASURED
    made = lightning.Trainer(
        max_steps=steps,
        accelerator="gpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    made.fit(Task(), torch.utils.data.DataLoader(torch.zeros(steps, 1)))
    return [1] * steps


@contextlib.contextmanager
def numbered_step(number):
    handle = torch.cuda.nvtx.range_start(f"step:{number}")
    try:
        yield
    finally:
        torch.cuda.nvtx.range_end(handle)


def run_steps(work, step, how, trace):
    """The calls of the closure in each step."""
    calls = []

    def run(numbers, around=contextlib.nullcontext):
        for number in numbers:
            before = work.calls
            with around(number):
                step()
            calls.append(work.calls - before)

    warm, measured = range(WARM), range(WARM, WARM + MEASURED)
    if how == "--nvtx":
        run(warm, numbered_step)
        with torch.autograd.profiler.emit_nvtx(record_shapes=True):
            run(measured, numbered_step)
    elif how == "--kineto":
        run(warm)
        torch.cuda.synchronize()
        kinds = torch.profiler.ProfilerActivity
        with torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA], record_shapes=True) as told:
            run(measured)
            torch.cuda.synchronize()
        told.export_chrome_trace(trace)
    else:
        run(range(WARM + MEASURED), contextlib.nullcontext)
    torch.cuda.synchronize()
    return calls


def main(name, facts, how=None, trace=None):
    work = Work()
    if name == "lightning":
        calls = run_lightning(work)
    else:
        calls = run_steps(work, globals()[name](work), how, trace)
    with open(facts, "w", encoding="utf-8") as file:
        json.dump({"warm": WARM, "calls": calls}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
