# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""The state between one start() and its stop()."""
import threading

from . import allocator, layers, library, nvtx, observer, optimizers
from .closures import Closures
from .custom_functions import CustomFunctions
from .inductor import Inductor
from .names import ModuleNames
from .observed_ops import ObservedOps
from .ops import Ops
from .patches import Patches, find_skip
from .messages import print_message
from .steps import Steps
from .triton_launches import TritonLaunches


def is_training(module):
    """False for a module that does not say so: torch.jit.freeze takes `training` away."""
    try:
        return bool(module.training)
    except Exception:  # of an unusual __getattr__: the program continues
        return False


class Session:
    """Holds the state read by the patched functions. If `active` is false, they all pass through."""

    MAX_WARNINGS = 5

    def __init__(self, torch, options):
        self.options = options
        self.active = True
        self._warnings = 0
        self._is_in_bad_fork = getattr(torch._C, "_cuda_isInBadFork", bool)
        self._is_stream_capturing = getattr(torch.cuda, "is_current_stream_capturing", bool)
        self.nvtx = nvtx.Nvtx(torch)
        self.names = ModuleNames()
        self.patches = Patches(find_skip(torch))
        self.steps = Steps(
            self.nvtx, options.steps, self.follow, options.mark_every, self._make_allocator(torch)
        )
        self._flag = library.find_flag() if options.mark == "wanted" else None
        self._capture = None  # of our own, which says the same
        # Of each thread: what it is in, and what is on for it.
        self.threads = threading.local()
        self.ops = self._make_ops(torch) if options.ops else None
        self._torch = torch
        self._functions = CustomFunctions(torch)
        self.closures = Closures(torch, self)
        if options.layers:
            self.closures.install()
            layers.install(torch, self)
            optimizers.install(torch, self)
        if self.ops is not None:
            self.ops.install()
        self._inductor = Inductor(torch, self) if options.layers and options.ops else None
        if self._inductor is not None:
            self._inductor.install()
        knows_shapes = self.ops is not None and options.record_shapes
        self._triton = TritonLaunches(torch, self) if knows_shapes else None
        self._follow_imports()
        self.follow()

    def stop(self):
        """Restores what was replaced. Calls in progress still end their ranges."""
        self.steps.close()
        self._end()

    def after_fork(self):
        """In a forked process, whose only thread this is. If its parent has used the GPU, it
        cannot, and there is nothing to mark."""
        if self._is_in_bad_fork():
            self._end()

    def _end(self):
        self.active = False
        if self.ops is not None:
            self.ops.end()
        self.patches.undo()

    def on_root_call(self, module):
        """Called for the outermost module call. False: nobody needs its marks."""
        # May begin a step, and with it a window. What an optimizer's step calls is part of that step,
        # also where gradients are estimated without a graph.
        self._follow_imports()
        records = self._torch.is_grad_enabled() or self._functions.are_running()
        self.steps.on_forward(is_training(module), records, self.closures.is_in_step(), id(module))
        return self.follow()

    def _follow_imports(self):
        for watched in (self._inductor, self._triton):
            if watched is not None:
                watched.follow()

    def follow(self):
        """Turns the ranges of ops on and off, in this thread, as they are needed; says if they are."""
        wants = self._wants_marks()
        # What a CUDA graph is made of is needed when it is replayed.
        is_capturing = not wants and self._is_stream_capturing()
        if self.ops is not None and self.active:
            self.ops.follow(wants, is_capturing)
        return wants or is_capturing

    def needs_ranges(self):
        """As follow() says, without turning anything on or off."""
        return self._wants_marks() or self._is_stream_capturing()

    def mark_for(self, capture):
        """Marks are for this capture; None: for none of ours."""
        self._capture = capture if self.options.mark == "wanted" else None
        self.follow()

    def _wants_marks(self):
        return self.steps.is_marked and self._is_listened_to()

    def _is_listened_to(self):
        if self._capture is not None:
            return self._capture.wants_marks()
        return self._flag is None or self._flag.value != 0

    def _make_allocator(self, torch):
        """What is called at the end of each step."""
        if not allocator.is_wanted():
            return lambda number: None
        return allocator.Allocator(
            torch, self.nvtx, self._is_listened_to, self._is_stream_capturing, self.warn
        ).report

    def _make_ops(self, torch):
        if self.options.observe:
            found, why = observer.start(torch)
            if found is not None:
                return ObservedOps(torch, self, found)
            if why:
                self.warn("ops are marked by emit_nvtx, which costs more: " + why)
        return Ops(torch, self)

    def warn(self, text):
        """Prints a line on stderr, a few times at most."""
        self._warnings += 1
        if self._warnings <= self.MAX_WARNINGS:
            print_message(text)
