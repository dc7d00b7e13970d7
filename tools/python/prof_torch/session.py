# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""The state between one start() and its stop()."""
import threading

from . import layers, nvtx, ops, optimizers
from .names import ModuleNames
from .patches import Patches
from .messages import print_message
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
    """Holds the state read by the patched functions. If `active` is false, they all pass through.
    """

    MAX_WARNINGS = 5

    def __init__(self, torch, options):
        self.options = options
        self.active = True
        self.nvtx = nvtx.Nvtx(torch)
        self.names = ModuleNames()
        self.patches = Patches()
        self.steps = Steps(self.nvtx, options.steps)
        # `modules`: modules the thread is calling, with texts; ...
        self.threads = threading.local()
        self.ops = ops.Ops(torch, self) if options.ops else None
        self._torch = torch
        self._warnings = 0
        if options.layers:
            layers.install(torch, self)
            optimizers.install(torch, self)
        if self.ops is not None:
            self.ops.install()

    def stop(self):
        """Reverts everything. Calls in progress still end their ranges."""
        self.steps.close()
        self.active = False
        self.patches.undo()
        if self.ops is not None:
            self.ops.disable_here()

    def on_root_call(self, module):
        """Called for the outermost module call."""
        if self.ops is not None:
            self.ops.enable_here()
        self.steps.on_forward(module.training and self._torch.is_grad_enabled())

    def warn(self, text):
        """Prints a line on stderr, a few times at most."""
        self._warnings += 1
        if self._warnings <= self.MAX_WARNINGS:
            print_message(text)
