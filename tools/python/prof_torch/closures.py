# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Closures: what a program passes to an optimizer's `step`, which calls it. Lightning runs the whole
forward and backward pass there, LBFGS does so several times. A range around it says that what is
inside is not the optimizer's.

Closures are not wrapped, since programs and other optimizers may look at them. Optimizers turn
gradients off for their own work and on for the closure, `with torch.enable_grad()`: we observe
that. Where one does not, the call of a model begins what we mark.
"""
from .json_text import json_text


class Closures:
    """Marks the closures of the optimizers' steps that a thread is in."""

    def __init__(self, torch, session):
        self._torch = torch
        self._session = session
        self._threads = session.threads

    def install(self):
        patches = self._session.patches
        patches.wrap(self._torch.enable_grad, "__enter__", self._make_enter)
        patches.wrap(self._torch.enable_grad, "__exit__", self._make_exit)

    def is_in_step(self):
        """Whether this thread is in an optimizer's step, be it in a closure or not."""
        for call in self._threads.__dict__.get("optimizers", ()):
            if call.is_open_step():
                return True
        return False

    def is_unmarked(self):
        """Whether what this thread calls now would be taken for an optimizer's own work."""
        calls = self._threads.__dict__.get("optimizers")
        return bool(calls) and calls[-1].closure is None and calls[-1].is_open_step()

    def begin(self, key):
        """Begins a closure of the innermost step. `key`: what ends it."""
        if not self._session.active or not self.is_unmarked():
            return
        calls = self._threads.optimizers
        path = [calls[-1].kind]  # with the optimizers that call this one, but for closures
        for call in reversed(calls[:-1]):
            if call.closure is not None:
                break
            path.insert(0, call.kind)
        text = json_text({"v": 1, "mod": "prof", "closure_of": ":".join(path)})
        calls[-1].closure = key
        calls[-1].closure_level = self._session.nvtx.push(text)

    def end(self, key):
        for call in reversed(self._threads.__dict__.get("optimizers", ())):
            if call.closure is key:
                call.closure = None
                self._session.nvtx.close(call.closure_level)
                call.closure_level = None
                return

    def _make_enter(self, original):
        def __enter__(grad):
            result = original(grad)
            self.begin(grad)
            return result

        return __enter__

    def _make_exit(self, original):
        def __exit__(grad, *error):
            self.end(grad)
            return original(grad, *error)

        return __exit__
