# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Tells a profiler which module, op and training step every GPU kernel of a PyTorch program belongs to, as
NVTX ranges. Needs torch alone.

    import prof_torch
    prof_torch.start()           # before the training loop; the rest of the program is annotated

or, with no line changed: `python3 -m prof_torch script.py args...`. Without a profiler the ranges go
nowhere.
"""
import contextlib

from .say import say
from .session import Options, Session

__all__ = ["attach", "is_active", "profile", "start", "step", "stop"]

_session = None
_was_started = False


def start(model=None, **options):
    """Begins to annotate all models and optimizers of the process. `model`: whose modules have names
    without a prefix; without it that is the first model that is called.

    Options: `layers` (True), `ops` (True), `record_shapes` (True), `steps` ("optimizer"; "manual": step() ends a
    step; "off"). Does nothing where torch has no NVTX (a build without CUDA), and where already started.
    """
    global _session, _was_started
    import torch

    from . import nvtx

    _was_started = True
    if _session is None:
        chosen = Options(**options)
        if not nvtx.is_available(torch):
            say("this torch is built without NVTX; nothing is annotated")
            return
        _session = Session(torch, chosen)
    if model is not None:
        attach(model)


def stop():
    """Ends what start() began, and takes back every change that it made."""
    global _session
    if _session is not None:
        _session.stop()
        _session = None


def is_active():
    """True between start() and stop()."""
    return _session is not None


def was_started():
    """True after the first start(), also where it could annotate nothing (it has said so)."""
    return _was_started


def attach(model, name=None):
    """Names `model`'s modules now: NAME.encoder.0 and so on, or encoder.0 if no name is given. For programs
    with several models, which are told apart by their class otherwise."""
    if _session is not None:
        _session.names.attach(model, name)


def step():
    """Ends the training step that is open, and begins the next. With steps="manual", or to correct what
    the optimizers say."""
    if _session is not None:
        _session.steps.advance()


@contextlib.contextmanager
def profile(model=None, **options):
    """start() and stop() around a block."""
    start(model, **options)
    try:
        yield
    finally:
        stop()
