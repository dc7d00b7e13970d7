# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Marks, as NVTX ranges for a profiler, the module, op and training step of every GPU kernel of a
PyTorch program. Requires only torch.

    import prof_torch
    prof_torch.start()           # before the training loop; the rest of the program is annotated

or, without code changes: `prof-run -o trace.db -- python3 -m prof_torch script.py args...`. Without a
profiler the ranges have no effect.

Imports its parts when they are needed: `python3 -m` imports this file while the program's modules
come before the standard library's.
"""
import os

__all__ = ["attach", "capture", "is_active", "profile", "start", "step", "stop"]

_session = None
_was_started = False


def start(model=None, **options):
    """Starts annotating all models and optimizers of the process. `model`: the model whose module
    names have no prefix; by default the first model that is called.

    Options: `layers` (True), `ops` (True), `record_shapes` (True), `steps` ("optimizer"; "manual":
    step() ends a step; "off"), `mark` ("wanted": outside of prof-run's windows only steps and what
    goes into CUDA graphs; "always"), `mark_every` (1; N: of modules and ops only those of the first
    three steps and then of every Nth), `observe` (True; False: ops by emit_nvtx). Does nothing if
    torch has no NVTX (a build without CUDA) or if already started.
    """
    global _session, _was_started
    import torch

    from . import nvtx
    from .messages import print_message
    from .options import Options
    from .session import Session

    _was_started = True
    if _session is None:
        chosen = Options(**options)
        if not nvtx.is_available(torch):
            print_message("this torch is built without NVTX; nothing is annotated")
            return
        _session = Session(torch, chosen)
    if model is not None:
        attach(model)


def stop():
    """Ends what start() began, and restores the functions it replaced."""
    global _session
    if _session is not None:
        _session.stop()
        _session = None


def is_active():
    """True between start() and stop()."""
    return _session is not None


def was_started():
    """True after the first start(), even if it could not annotate anything (which it has reported)."""
    return _was_started


def attach(model, name=None):
    """Names `model`'s modules now: NAME.encoder.0 and so on, or encoder.0 if no name is given. For
    programs with several models, which are otherwise distinguished by class."""
    if _session is not None:
        _session.names.attach(model, name)


def step():
    """Ends the open training step and begins the next. For steps="manual", or to correct the steps
    derived from optimizers."""
    if _session is not None:
        _session.steps.advance()


def capture(output, steps=None, model=None, force=False, verbose=True, **options):
    """Captures what the program does from here on, or some of its training steps, to `output`, and
    annotates the program if start() was not called. Returns an object with stop(), also a context
    manager:

        prof_torch.capture("trace.db", steps=range(10, 13))  # then run the training loop
        with prof_torch.capture("trace.db"): ...

    `steps`: a number, a range, or several of them; %n in `output` gives each window of consecutive
    steps a file of its own. `force`: replace an existing file. `verbose`: a line on stderr
    when the file is written. The other arguments are start()'s.
    Needs libprof.so, in the folder of PROF_COLLECTOR or of libprof's installation. Where that does
    not work, also under prof-run, which captures already, one line on stderr says so.
    """
    from .captures import Capture, spec_of

    if steps is not None:
        spec_of(steps)  # A mistake in the program, unlike what may be missing on a machine.
    begins = not is_active()
    started = Capture(output, steps, force, lambda: _capture_ended(begins), verbose)
    if begins:
        start(model, **options)
    if _session is not None and started.is_running:
        _session.mark_for(started)
    return started


def _capture_ended(stops):
    if stops:
        stop()
    elif _session is not None:
        _session.mark_for(None)


def profile(model=None, **options):
    """start() and stop() around a block."""
    from contextlib import contextmanager

    @contextmanager
    def block():
        start(model, **options)
        try:
            yield
        finally:
            stop()

    return block()


def _after_fork():
    if _session is not None:
        _session.after_fork()


os.register_at_fork(after_in_child=_after_fork)
