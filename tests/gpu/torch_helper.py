#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Whether prof_torch changes anything of a program: pieces of programs, as many kinds as there are ways for a
module to be called, each run alone and then annotated. The results must be the same numbers, every range that
was pushed popped by the same thread, nothing said on stderr, and no profiler left on.

Usage: PYTHONPATH=tools/python torch_helper.py [PIECE...]
"""
import asyncio
import collections
import contextlib
import copy
import io
import pickle
import sys
import threading
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

import prof_torch
import prof_torch.nvtx

PIECES = {}


def piece(function):
    """A function that returns tensors; an exception that it lets through is its result."""
    PIECES[function.__name__] = function
    return function


class CountedNvtx(prof_torch.nvtx.Nvtx):
    """prof_torch's NVTX calls, counted by thread."""

    depth = collections.Counter()
    pushes = 0

    def __init__(self, torch):
        raw = torch._C._nvtx
        self._raw = raw
        self.start, self.end = raw.rangeStartA, raw.rangeEnd

    def push(self, text):
        CountedNvtx.depth[threading.get_ident()] += 1
        CountedNvtx.pushes += 1
        return self._raw.rangePushA(text)

    def pop(self):
        CountedNvtx.depth[threading.get_ident()] -= 1
        return self._raw.rangePop()


def make_net():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, stride=2),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(32, 10),
    ).cuda()


def images():
    return torch.randn(4, 3, 16, 16, device="cuda")


def gradients(model):
    return [p.grad.clone() for p in model.parameters() if p.grad is not None]


def step(call, model, x=None):
    y = call(images() if x is None else x)
    y.float().pow(2).mean().backward()
    return [y.detach()] + gradients(model)


def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, backend="aot_eager", **options)


@piece
def eager():
    model = make_net()
    return step(model, model)


@piece
def compiled_whole():
    model = make_net()
    return step(compiled(model, fullgraph=True), model)


@piece
def compiled_in_place():
    model = make_net()
    torch._dynamo.reset()
    model.compile(backend="aot_eager")
    return step(model, model)


@piece
def compiled_function_with_a_graph_break():
    model = make_net()

    def function(x):
        y = model[:4](x)
        print(end="")
        return model[4:](y)

    return step(compiled(function), model)


@piece
def compiled_child():
    model = make_net()
    model[4] = compiled(model[4])
    return step(model, model)


@piece
def compiled_once():
    import torch._dynamo.testing

    torch._dynamo.reset()
    counter = torch._dynamo.testing.CompileCounter()
    call = torch.compile(make_net(), backend=counter)
    for _ in range(3):
        call(images())
    return [torch.tensor(float(counter.frame_count))]


@piece
def compiled_backward():
    model = make_net()

    def function(x):
        y = model(x).pow(2).mean()
        y.backward()
        return y.detach()

    return [compiled(function)(images())] + gradients(model)


@piece
def data_parallel():
    model = make_net()
    return step(nn.DataParallel(model), model)


@piece
def replicas_on_threads():
    from torch.nn.parallel import parallel_apply, replicate

    model = make_net()
    results = parallel_apply(replicate(model, [0, 0]), [images()] * 2, devices=[0, 0])
    sum(y.mean() for y in results).backward()
    return gradients(model)


@piece
def checkpointed():
    results = []
    for reentrant in (True, False):
        model = make_net()
        call = lambda x: model[4:](
            checkpoint(model[:4], x, use_reentrant=reentrant)
        )  # noqa: B023, E731
        results += step(call, model, images().requires_grad_())
    model = make_net()
    return results + step(lambda x: checkpoint_sequential(model, 3, x, use_reentrant=False), model)


@piece
def recurrent():
    results = []
    for model in (nn.LSTM(8, 8, 2), nn.GRU(8, 8), nn.RNN(8, 8)):
        y, _ = model.cuda()(torch.randn(5, 4, 8, device="cuda"))
        y.sum().backward()
        results += [y.detach()] + gradients(model)
    packed = nn.utils.rnn.pack_padded_sequence(
        torch.randn(4, 5, 8, device="cuda"), [5, 4, 3, 1], batch_first=True
    )
    return results + [nn.LSTM(8, 8, batch_first=True).cuda()(packed)[0].data.detach()]


@piece
def exceptions():
    model = make_net()
    for fails in (lambda *_: 1 / 0, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt())):
        hook = model[3].register_forward_hook(fails)
        with contextlib.suppress(ZeroDivisionError, KeyboardInterrupt):
            model(images())
        hook.remove()
    with contextlib.suppress(RuntimeError):
        model(torch.randn(4, 5, 16, 16, device="cuda"))
    return step(model, model)


@piece
def exception_in_backward():
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, dy):
            raise ValueError

    model = make_net()
    with contextlib.suppress(ValueError):
        Fails.apply(model(images())).sum().backward()
    model.zero_grad()
    return step(model, model)


@piece
def module_that_calls_itself():
    class Again(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 3, 3, padding=1)

        def forward(self, x, times=3):
            return self.conv(x) if times == 0 else self(self.conv(x), times - 1)

    model = Again().cuda()
    return step(model, model)


@piece
def one_module_on_several_threads():
    model = make_net().eval()
    inputs = [images() for _ in range(4)]
    results = [None] * 4

    def run(i):
        for _ in range(20):
            results[i] = model(inputs[i]).detach()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@piece
def hooks_that_return_values():
    model = make_net()
    model[0].register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    model[4].register_forward_hook(lambda module, args, y: y + 1)
    model[4].register_full_backward_hook(lambda module, dx, dy: (dx[0] * 2,))
    model[7].register_forward_pre_hook(
        lambda module, args, kwargs: ((args[0] + 1,), kwargs), with_kwargs=True
    )
    return step(model, model)


@piece
def scripted_and_traced():
    model = make_net()
    results = step(torch.jit.script(model), model)
    model[4] = torch.jit.script(model[4])
    results += step(model, model)
    model = make_net().eval()
    traced = torch.jit.trace(model, images())
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(model), file)
    file.seek(0)
    x = images()
    nodes = torch.tensor(float(len(list(traced.graph.nodes()))))
    return results + [traced(x).detach(), torch.jit.load(file)(x).detach(), nodes]


@piece
def copied_and_pickled():
    model = make_net()
    model(images())
    results = []
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        results += step(made, made)
    return results


@piece
def traced_by_fx_and_exported():
    model = make_net()
    graph = torch.fx.symbolic_trace(model)
    results = step(graph, model) + [torch.tensor(float(len(graph.graph.nodes)))]
    exported = torch.export.export(model.eval(), (images(),))
    return results + [torch.tensor(float(len(exported.graph.nodes)))]


@piece
def function_transforms():
    from torch.func import functional_call, grad, jvp, vmap

    model = make_net().eval()
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def loss(parameters, x):
        return functional_call(model, parameters, (x.unsqueeze(0),)).pow(2).sum()

    x = images()
    results = list(vmap(grad(loss), in_dims=(None, 0))(parameters, x).values())
    return results + [y.detach() for y in jvp(model, (x,), (torch.ones_like(x),))]


@piece
def cuda_graph():
    model, x = make_net(), images()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            model(x).mean().backward()
    torch.cuda.current_stream().wait_stream(stream)
    model.zero_grad()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
        y.mean().backward()
    graph.replay()
    torch.cuda.synchronize()
    return [y.detach().clone()] + gradients(model)


@piece
def odd_convolutions():
    parametrizations = nn.utils.parametrizations
    normed = [
        parametrizations.weight_norm(nn.Conv2d(3, 8, 3)),
        parametrizations.spectral_norm(nn.Conv2d(8, 8, 3)),
    ]
    model = nn.Sequential(
        *normed, nn.LazyConv2d(4, 3), nn.Upsample(scale_factor=2, mode="bilinear")
    ).cuda()
    own_forward = nn.Conv2d(4, 4, 3).cuda()
    own_forward.__class__ = type(
        "Mine", (nn.Conv2d,), {"forward": lambda self, x: F.conv2d(x, self.weight, self.bias)}
    )
    model.append(own_forward)

    class CallsTwice(nn.Conv2d):
        def __call__(self, *args, **kwargs):
            return super().__call__(*args, **kwargs) * 2

    model.append(CallsTwice(4, 4, 3).cuda())
    return step(model, model)


@piece
def other_tensors():
    class Mine(torch.Tensor):
        pass

    model = make_net()
    results = step(model, model, images().as_subclass(Mine))
    with torch.autograd.graph.save_on_cpu():
        results += step(model, model)
    with torch.inference_mode():
        results.append(model.eval()(images()).clone())
    return results + [torch.tensor(list(model.to("meta")(images().to("meta")).shape))]


@piece
def generators_and_coroutines():
    model = make_net().eval()

    class Yields(nn.Module):
        def forward(self, x):
            yield model(x)
            yield model(x)

    async def run():
        return [model(images()).detach() for _ in range(2)]

    return [y.detach() for y in Yields()(images())] + asyncio.run(run())


@piece
def stopped_and_started_inside():
    model = make_net()
    was_active = prof_torch.is_active()

    def restart(*_):
        if was_active:
            prof_torch.stop()
            prof_torch.start()

    model[3].register_forward_hook(restart)
    results = step(model, model)
    model[5].register_forward_hook(lambda *_: prof_torch.stop())
    return results + step(model, model)


@piece
def other_profilers():
    from torch.utils.flop_counter import FlopCounterMode

    model = make_net()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        results = step(model, model)
    seen = any("conv2d" in event.name for event in profiler.events())
    with FlopCounterMode(display=False) as counter:
        results += step(model, model)
    return results + [torch.tensor([float(seen), counter.get_total_flops()])]


@piece
def optimizers():
    results = []
    for options in ({}, {"fused": True}):
        model = make_net()
        optimizer, scaler = torch.optim.AdamW(model.parameters(), **options), torch.amp.GradScaler(
            "cuda"
        )
        schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
        for _ in range(2):
            optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = model(images()).float().mean()
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            schedule.step()
        results += [p.detach().clone() for p in model.parameters()]
    return results


def run(function):
    torch.manual_seed(0)
    try:
        return [x.as_subclass(torch.Tensor).detach().double() for x in function()]
    except Exception as error:  # must be the same then
        return repr(error)


def same(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return len(a) == len(b) and all(
        x.shape == y.shape and torch.allclose(x, y, 1e-3, 1e-3) for x, y in zip(a, b)
    )


def main():
    warnings.simplefilter("ignore")
    torch.backends.cudnn.deterministic = True
    prof_torch.nvtx.Nvtx = CountedNvtx
    failures = 0
    for name in sys.argv[1:] or PIECES:
        alone = run(PIECES[name])
        CountedNvtx.depth.clear()
        CountedNvtx.pushes = 0
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            with prof_torch.profile():
                annotated = run(PIECES[name])
        wrong = []
        if not same(alone, annotated):
            wrong.append(
                "other results: %s" % (annotated if isinstance(annotated, str) else "numbers")
            )
        if isinstance(alone, str):
            wrong.append("fails alone: " + alone[:200])
        if any(CountedNvtx.depth.values()):
            wrong.append("pushes without pops: %r" % dict(CountedNvtx.depth))
        if "prof_torch" in said.getvalue():
            wrong.append(said.getvalue().strip())
        if torch.autograd._profiler_enabled():
            wrong.append("a profiler is on still")
        failures += bool(wrong)
        print(
            "%s: %s, %d ranges %s"
            % ("FAILED" if wrong else "ok", name, CountedNvtx.pushes, "; ".join(wrong)),
            flush=True,
        )
    sys.exit(failures != 0)


main()
