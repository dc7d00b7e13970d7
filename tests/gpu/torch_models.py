#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Training steps of four models on random data and random weights, as their users write them: BERT and
GPT-2 of transformers, ResNet-50 of torchvision, a DLRM in plain torch. Nothing in here knows of any
profiler, nothing is downloaded; a line per model and step says the loss.

--small makes a step of a few hundred kernels, to be recorded. --flops FILE runs the steps under
torch.profiler and writes what its with_flops counts, by op, to FILE. --kineto FILE does so and writes
torch.profiler's own trace. --mark-last marks the last step for other tools.
"""
import argparse
import contextlib
import json
import sys

import torch
from torch import nn

from marked_step import marked_step


def make_bert(args):
    import transformers

    small = dict(
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=256,
        vocab_size=1000,
        max_position_embeddings=64,
    )
    sizes = dict(small if args.small else {})
    if args.layers:
        sizes["num_hidden_layers"] = args.layers
    config = transformers.BertConfig(attn_implementation=args.attention, **sizes)
    model = transformers.BertForPreTraining(config)
    batch, length = (4, 32) if args.small else (16, 128)
    batch = args.batch or batch
    tokens = torch.randint(0, config.vocab_size, (batch, length))
    is_next = torch.randint(0, 2, (batch,))
    return (
        model,
        lambda: model(
            input_ids=tokens.cuda(), labels=tokens.cuda(), next_sentence_label=is_next.cuda()
        ).loss,
    )


def make_gpt2(args):
    import transformers

    small = dict(n_embd=128, n_layer=2, n_head=2, vocab_size=1000, n_positions=64)
    sizes = dict(small if args.small else {})
    if args.layers:
        sizes["n_layer"] = args.layers
    config = transformers.GPT2Config(attn_implementation=args.attention, **sizes)
    model = transformers.GPT2LMHeadModel(config)
    batch, length = (4, 32) if args.small else (8, 512)
    batch = args.batch or batch
    tokens = torch.randint(0, config.vocab_size, (batch, length))
    call = torch.compile(model) if args.compile else model
    return model, lambda: call(input_ids=tokens.cuda(), labels=tokens.cuda()).loss


def make_resnet50(args):
    import torchvision

    model = torchvision.models.resnet50(num_classes=100)
    batch, size = (4, 64) if args.small else (32, 224)
    batch = args.batch or batch
    images = torch.randn(batch, 3, size, size)
    labels = torch.randint(0, 100, (batch,))
    criterion = nn.CrossEntropyLoss()
    if args.channels_last:
        model = model.to(memory_format=torch.channels_last)
        images = images.contiguous(memory_format=torch.channels_last)
    return model, lambda: criterion(model(images.cuda(non_blocking=True)), labels.cuda())


class Dlrm(nn.Module):
    """Dense features through an MLP, categories through embeddings, all pairs of them by inner products,
    and an MLP on top."""

    def __init__(self, tables, rows, width, bottom, top):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.bottom = self.mlp(bottom)
        pairs = (tables + 1) * tables // 2
        self.top = self.mlp([width + pairs] + top)
        self.register_buffer("picked", torch.tril_indices(tables + 1, tables + 1, -1))

    @staticmethod
    def mlp(sizes):
        layers = []
        for i in range(len(sizes) - 1):
            layers += [nn.Linear(sizes[i], sizes[i + 1]), nn.ReLU()]
        return nn.Sequential(*layers[:-1] if sizes[-1] == 1 else layers)

    def forward(self, dense, categories):
        x = self.bottom(dense)
        vectors = [x] + [table(categories[:, i]) for i, table in enumerate(self.embeddings)]
        z = torch.stack(vectors, dim=1)
        products = torch.bmm(z, z.transpose(1, 2))[:, self.picked[0], self.picked[1]]
        return self.top(torch.cat([x, products], dim=1)).squeeze(1)


def make_dlrm(args):
    tables, rows, width, batch = (8, 1000, 64, 512) if args.small else (26, 100000, 128, 16384)
    tables, batch = args.layers or tables, args.batch or batch
    model = Dlrm(tables, rows, width, [13, 512, 256, width], [512, 256, 1])
    dense = torch.randn(batch, 13)
    categories = torch.randint(0, rows, (batch, tables))
    clicks = torch.randint(0, 2, (batch,)).float()
    criterion = nn.BCEWithLogitsLoss()
    return model, lambda: criterion(model(dense.cuda(), categories.cuda()), clicks.cuda())


MODELS = {"bert": make_bert, "gpt2": make_gpt2, "resnet50": make_resnet50, "dlrm": make_dlrm}


def make_optimizer(args, parameters):
    if args.optimizer == "sgd":
        return torch.optim.SGD(parameters, lr=0.01, momentum=0.9)
    kind = {} if args.optimizer == "adamw" else {args.optimizer: True}
    return torch.optim.AdamW(parameters, lr=1e-4, **kind)


def train(name, args):
    torch.manual_seed(1)
    model, loss_of = MODELS[name](args)
    model.cuda().train()
    optimizer = make_optimizer(args, model.parameters())
    scaler = torch.cuda.amp.GradScaler() if args.amp == "fp16" else None
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(args.amp)

    def train_step():
        optimizer.zero_grad()
        for _ in range(args.accumulate):
            with torch.autocast("cuda", dtype=dtype) if dtype else contextlib.nullcontext():
                loss = loss_of()
            (scaler.scale(loss) if scaler else loss).backward()
        if args.clip:
            if scaler:
                scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        return loss

    for step in range(args.steps):
        is_marked = args.mark_last and step == args.steps - 1
        with (
            marked_step(step, args.mark_last == "profiler")
            if is_marked
            else contextlib.nullcontext()
        ):
            loss = train_step()
        print(f"{name} step {step} loss {loss.item():.2f}")


def profiled(run, **options):
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities, record_shapes=True, **options) as profiler:
        run()
    return profiler


def with_flops(path, run):
    """FLOPs of each op by its shapes: {"aten::mm [[2, 3], [3, 4]]": [calls, flops]}."""
    profiler = profiled(run, with_flops=True)
    ops = {}
    for event in profiler.events():
        # Under autocast an op calls itself once more with other dtypes: one piece of work.
        is_inner = event.cpu_parent is not None and event.cpu_parent.name == event.name
        if event.flops and not is_inner:
            entry = ops.setdefault(f"{event.name} {event.input_shapes}", [0, 0])
            entry[0] += 1
            entry[1] += int(event.flops)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(ops, file, indent=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("models", nargs="+", choices=sorted(MODELS))
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--batch", type=int, help="samples of a step")
    parser.add_argument("--layers", type=int, help="layers of bert and gpt2, tables of dlrm")
    parser.add_argument("--amp", choices=["fp16", "bf16"])
    parser.add_argument("--attention", choices=["eager", "sdpa"], default="eager")
    parser.add_argument(
        "--optimizer", choices=["sgd", "adamw", "foreach", "fused"], default="adamw"
    )
    parser.add_argument(
        "--accumulate", type=int, default=1, metavar="N", help="backward passes a step"
    )
    parser.add_argument("--clip", action="store_true", help="clip gradients")
    parser.add_argument("--compile", action="store_true", help="torch.compile (gpt2)")
    parser.add_argument("--channels-last", action="store_true", help="memory format (resnet50)")
    parser.add_argument("--flops", metavar="FILE")
    parser.add_argument("--kineto", metavar="FILE")
    parser.add_argument(
        "--mark-last",
        choices=["range", "profiler"],
        help="an NVTX range step:N around the last step; profiler: the CUDA profiler's too",
    )
    parser.add_argument("--status", type=int, default=0, help="the exit code, when all went well")
    args = parser.parse_args()
    # The same algorithms in every run, so that two runs launch the same kernels.
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True

    def run():
        for name in args.models:
            train(name, args)
        torch.cuda.synchronize()

    if args.flops:
        with_flops(args.flops, run)
    elif args.kineto:
        profiled(run).export_chrome_trace(args.kineto)
    else:
        run()
    sys.exit(args.status)


if __name__ == "__main__":
    main()
