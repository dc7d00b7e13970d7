# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Layers and directions of work outside modules: optimizers, loss scaling, gradient clipping, what
backward() does before the first node; and the end of each optimizer step.

torch records "Optimizer.step#Adam.step" and "Optimizer.zero_grad#Adam.zero_grad" with
record_function around every optimizer's methods, however they are called (learning rate schedulers
replace `step` on the instance, a GradScaler calls it). We observe them there.
"""
import sys
import weakref

from .layers import find_is_compiling
from .names import PREFIX

#: Ranges that state the direction of the ops inside.
BACKWARD = '{"v":1,"mod":"prof","dir":"bprop"}'
UPDATE = '{"v":1,"mod":"prof","dir":"update"}'


def install(torch, session):
    """Wraps functions for the session, until its patches are undone."""
    _watch_optimizers(torch, session)
    _watch_grad_scaler(torch, session)
    for owner in (torch.nn.utils, sys.modules["torch.nn.utils.clip_grad"]):
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            session.patches.wrap(
                owner,
                name,
                lambda original: _inside(session, original, PREFIX + original.__name__, UPDATE),
            )
    # Their first kernel creates the loss's own gradient. Tensor.backward() calls the first one; the
    # second one may be a part of the loss, such as a penalty, and begins no step.
    is_compiling = find_is_compiling(torch)
    session.patches.wrap(
        torch.autograd,
        "backward",
        lambda original: _inside(
            session, original, BACKWARD, unless=is_compiling, before=session.steps.on_backward
        ),
    )
    session.patches.wrap(
        torch.autograd,
        "grad",
        lambda original: _inside(session, original, BACKWARD, unless=is_compiling),
    )


def _inside(session, original, *texts, unless=lambda: False, before=lambda: None):
    """Wraps `original` in ranges, except while `unless()` is true. Calls `before()` first."""

    def wrapper(*args, **kwargs):
        if unless() or not session.active:
            return original(*args, **kwargs)
        before()
        levels = []
        try:
            for text in texts:
                levels.append(session.nvtx.push(text))
            return original(*args, **kwargs)
        finally:
            session.nvtx.close(*levels)

    return wrapper


class _Call:
    """A call of an optimizer's method. `function`: the record_function around it, weakly, since a
    signal's handler may prevent that its end is seen; `level`: of its range, None before that is
    pushed. `closure`: what ends the closure that it is calling, None outside of closures."""

    def __init__(self, function, method, kind, key):
        self.function, self.method, self.key = weakref.ref(function), method, key
        self.kind = kind
        self.level = self.closure = self.closure_level = None

    def is_open_step(self):
        return self.method == "step" and self.function() is not None


def _watch_optimizers(torch, session):
    record_function = torch.autograd.profiler.record_function
    threads = session.threads

    def make_enter(original):
        def __enter__(self):
            name = self.name
            if not session.active or not name.startswith("Optimizer."):
                return original(self)
            method, _, rest = name[len("Optimizer.") :].partition("#")
            kind = rest.partition(".")[0] or "Optimizer"
            # Identified by the object: two optimizers of one class have the same name.
            key = _caller_argument(sys._getframe(1)) or name
            call = _Call(self, method, kind, key)
            open_calls = threads.__dict__.setdefault("optimizers", [])
            while open_calls and open_calls[-1].function() is None:
                open_calls.pop()
            depth = len(open_calls)
            try:
                open_calls.append(call)
                if method == "zero_grad":
                    session.steps.on_zero_grad()
                call.level = session.nvtx.push(PREFIX + kind)
                return original(self)
            except BaseException:  # __exit__ will not be called
                del open_calls[depth:]
                session.nvtx.close(call.level)
                raise

        return __enter__

    def make_exit(original):
        def __exit__(self, *error):
            open_calls = threads.__dict__.get("optimizers", ())
            depth = len(open_calls)
            while depth and open_calls[depth - 1].function() is not self:
                depth -= 1
            if not depth:
                return original(self, *error)
            call = open_calls[depth - 1]
            try:
                return original(self, *error)
            finally:
                # With those inside whose ends an exception has prevented.
                del open_calls[depth - 1 :]
                session.nvtx.close(call.level)
                # One optimizer may wrap another (ZeroRedundancyOptimizer): the outer one counts.
                if call.method == "step" and not open_calls and session.active:
                    if getattr(threads, "in_scaler", False):
                        threads.in_scaler = False
                        session.steps.defer(call.key)
                    else:
                        session.steps.on_optimizer_step(call.key)

        return __exit__

    session.patches.wrap(record_function, "__enter__", make_enter)
    session.patches.wrap(record_function, "__exit__", make_exit)


def _caller_argument(frame):
    """The id of the first positional argument of torch's wrapper around `step`, the optimizer."""
    args = frame.f_locals.get("args")
    return id(args[0]) if isinstance(args, tuple) and args else None


def _watch_grad_scaler(torch, session):
    """A scaler's update() completes what its step() began: kernels of both belong to one training
    step."""
    threads = session.threads

    def make_step(original):
        def step(self, optimizer, *args, **kwargs):
            threads.in_scaler = True
            try:
                result = original(self, optimizer, *args, **kwargs)
            finally:
                was_skipped, threads.in_scaler = threads.in_scaler, False
            # Skipped because a gradient was not finite: still a step of the program.
            if was_skipped and session.active:
                session.steps.defer(id(optimizer))
            return result

        return step

    def make_update(original):
        in_layer = _inside(session, original, layer, UPDATE)

        def update(*args, **kwargs):
            result = in_layer(*args, **kwargs)
            if session.active:
                session.steps.count_deferred()
            return result

        return update

    layer = PREFIX + "GradScaler"
    modules = ("torch.amp.grad_scaler", "torch.cuda.amp.grad_scaler")  # before 2.3 only the second
    classes = [getattr(sys.modules.get(name), "GradScaler", None) for name in modules]
    for scaler in dict.fromkeys(c for c in classes if c is not None):
        # Scaling the loss is forward work. step() calls one of the other two.
        session.patches.wrap(scaler, "scale", lambda original: _inside(session, original, layer))
        for name in ("unscale_", "_check_inf_per_device"):
            session.patches.wrap(
                scaler, name, lambda original: _inside(session, original, layer, UPDATE)
            )
        session.patches.wrap(scaler, "step", make_step)
        session.patches.wrap(scaler, "update", make_update)
