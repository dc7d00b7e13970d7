# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""What one start() set up, until its stop()."""
import threading

from . import layers, nvtx, ops, optimizers
from .names import ModuleNames
from .patches import Patches
from .say import say
from .steps import Steps


class Options:
    """layers: ranges of modules and optimizers. ops: torch's ranges. record_shapes: with shapes.
    steps: "optimizer", "manual" or "off"."""

    def __init__(self, layers=True, ops=True, record_shapes=True, steps="optimizer"):
        self.layers = layers
        self.ops = ops
        self.record_shapes = record_shapes
        self.steps = steps


class Session:
    """Holds the state that the patched functions look at. `active` false: all of them pass through."""

    MAX_WARNINGS = 5

    def __init__(self, torch, options):
        self.options = options
        self.active = True
        self.nvtx = nvtx.Nvtx(torch)
        self.names = ModuleNames()
        self.patches = Patches()
        self.steps = Steps(self.nvtx, options.steps)
        self.threads = threading.local()  # `modules`: what the thread is calling, with texts; ...
        self.ops = ops.Ops(torch, self) if options.ops else None
        self._torch = torch
        self._warnings = 0
        if options.layers:
            layers.install(torch, self)
            optimizers.install(torch, self)
        if self.ops is not None:
            self.ops.install()

    def stop(self):
        """Takes everything back. Calls that are under way still end their ranges."""
        self.steps.close()
        self.active = False
        self.patches.undo()
        if self.ops is not None:
            self.ops.disable_here()

    def on_root_call(self, module):
        """A module is called that no other one calls."""
        if self.ops is not None:
            self.ops.enable_here()
        self.steps.on_forward(module.training and self._torch.is_grad_enabled())

    def warn(self, text):
        """A line on stderr, a few times at most."""
        self._warnings += 1
        if self._warnings <= self.MAX_WARNINGS:
            say(text)
