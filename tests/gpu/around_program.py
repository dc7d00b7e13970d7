#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs some steps of a model of live_models.py or around_models.py in one of three forms.

usage: around_program.py MODEL FORM
       around_program.py --list        each model, the text of its range, its forms

plain   the steps alone
ranged  a plain NVTX range around each step
taught  a teacher's forward pass before each step, and evaluation after some of them

Ranges of the process, which name no layers and no steps, tell the check what is what: "is setup",
"is turn 3", "is teacher", "is evaluation"."""
import contextlib
import os
import random
import sys
import zlib

import torch
from torch import nn

import around_models
import live_models
from around_check import TURNS, UNTRAINED

EVALUATED_AFTER = (2, 5)  # not each turn: what comes before each step is a part of it
TEXTS = ("epoch N", "train", "iteration")
# A trainer has its own loop.
OWN_LOOP = ("lightning",)
# The policy itself is called before each step; evaluation would compile again.
NOT_EVALUATED = ("rollouts", "compiled_mixer")
MODELS = {**around_models.MODELS, **live_models.MODELS}  # what takes longest first
MISSING = 77


def forms(name):
    return ["plain", "ranged"] + ["taught"] * (name not in UNTRAINED + OWN_LOOP)


def text_of(name):
    return TEXTS[zlib.crc32(name.encode()) % len(TEXTS)]


@contextlib.contextmanager
def told(what):
    mark = torch.cuda.nvtx.range_start("is " + what)
    try:
        yield
    finally:
        torch.cuda.nvtx.range_end(mark)


@contextlib.contextmanager
def plain_range(text):
    torch.cuda.nvtx.range_push(text)
    try:
        yield
    finally:
        torch.cuda.nvtx.range_pop()


def make_teacher():
    """For models that have none of their own."""
    net = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 256)).cuda().eval()
    seen = torch.randn(64, 256, device="cuda")
    return lambda: net(seen)


class Seen:
    """What a module is first called with, to call it again for evaluation."""

    def __init__(self, module):
        self.module, self.words = module, None
        self.hook = module.register_forward_pre_hook(self.take, with_kwargs=True)

    def take(self, _, words, named):
        self.words, self.named = words, named
        self.hook.remove()

    def evaluate(self):
        was_training = self.module.training
        self.module.eval()
        with torch.no_grad():
            self.module(*self.words, **self.named)
        self.module.train(was_training)


def run(name, form):
    with told("setup"):
        any_teacher = make_teacher() if form == "taught" else None
        torch.manual_seed(0)  # whatever was made before
        random.seed(0)
        module, step, *teach = MODELS[name]()
        seen = Seen(module) if form == "taught" and name not in NOT_EVALUATED else None
        with torch.no_grad():
            taught = [call() for call in teach]
    if name in OWN_LOOP:
        with plain_range("train") if form == "ranged" else contextlib.nullcontext():
            step(TURNS)
        return
    for turn in range(TURNS):
        text = text_of(name).replace("N", str(turn))
        around = plain_range(text) if form == "ranged" else contextlib.nullcontext()
        with told(f"turn {turn}"), around:
            if form == "taught":
                with told("teacher"), torch.no_grad():
                    taught = [call() for call in teach] or [any_teacher()]
            step(*(taught if teach else ()))
        if seen is not None and turn in EVALUATED_AFTER:
            with told("evaluation"):
                seen.evaluate()
    torch.cuda.synchronize()


def main():
    if sys.argv[1] == "--list":
        for name in MODELS:
            print(name, text_of(name).replace(" ", "_"), *forms(name))
        return 0
    share = os.environ.get("GPU_MEMORY_SHARE")
    if share:
        torch.cuda.set_per_process_memory_fraction(float(share))
    try:
        run(*sys.argv[1:])
    except ImportError as error:
        print(f"SKIPPED: {sys.argv[1]}: {error}", file=sys.stderr)
        return MISSING
    return 0


if __name__ == "__main__":
    sys.exit(main())
