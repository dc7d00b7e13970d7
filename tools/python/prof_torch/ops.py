# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""torch's own ranges, one for every op: what emit_nvtx(record_shapes=True) turns on.

torch keeps that by thread, and hands it on to the threads of the backward pass. emit_nvtx itself also
synchronizes with the GPU, which a program that is being captured into a CUDA graph would not survive; so
the function below it is called.
"""
from threading import get_ident


class _Switch:
    """Turns ranges on in the thread that makes it, and off when it goes: lies in that thread's local storage.
    Its calls are torch's own functions, not what Ops makes of them."""

    def __init__(self, torch, functions, record_shapes):
        self._profiler = profiler = torch.autograd.profiler
        turn_on, self._off = functions
        self._thread = get_ident()
        self._is_on = False
        config = profiler.ProfilerConfig(profiler.ProfilerState.NVTX, record_shapes, False, False, False, False,
                                         torch._C._profiler._ExperimentalConfig())
        self._tell("_run_on_profiler_start")
        turn_on(config, set())
        self._is_on = True

    def turn_off(self, get_ident=get_ident):
        if self._is_on and self._thread == get_ident():
            self._is_on = False
            self._off()
            self._tell("_run_on_profiler_stop")

    def _tell(self, name):
        # Since 2.1: torch.compile's kernels have ranges only if told that a profiler runs.
        function = getattr(self._profiler, name, None)
        if function is not None:
            function()

    def __del__(self):
        try:
            self.turn_off()
        except Exception:  # the interpreter is ending, and torch before us
            pass


class Ops:
    """Turns the ranges on in threads as they come, and steps aside for a profiler of the program's own:
    torch allows one in a thread."""

    def __init__(self, torch, session):
        self._torch = torch
        self._session = session
        profiler = torch.autograd.profiler
        self._functions = profiler._enable_profiler, profiler._disable_profiler  # before they are wrapped

    def install(self):
        """From now on in this thread, and in every other one that calls a module. CUDA is not started by it: a
        program may still choose its devices, or fork. What starts CUDA is often an op with a kernel."""
        patches = self._session.patches
        profiler = self._torch.autograd.profiler
        for name in ("_prepare_profiler", "_enable_profiler"):
            patches.wrap(profiler, name, self._make_aside)
        patches.wrap(profiler, "_disable_profiler", self._make_again)
        self.enable_here()

    def enable_here(self):
        """Turns ranges on in the calling thread, if no profiler is on already."""
        threads = self._session.threads
        if getattr(threads, "switch", None) is not None or not self._session.active:
            return
        if getattr(threads, "aside", False) or self._torch.autograd._profiler_enabled():
            return
        try:
            threads.switch = _Switch(self._torch, self._functions, self._session.options.record_shapes)
        except Exception as error:  # what a later torch changes must not end the program
            threads.aside = True
            self._session.warn("no ranges of ops: %r" % error)

    def disable_here(self):
        """Turns ranges off in the calling thread if they are ours."""
        switch = getattr(self._session.threads, "switch", None)
        self._session.threads.switch = None
        try:
            if switch is not None:
                switch.turn_off()
        except Exception as error:
            self._session.warn("ranges of ops could not be turned off: %r" % error)

    def _make_aside(self, original):
        def wrapper(*args, **kwargs):
            self.disable_here()
            self._session.threads.aside = True
            return original(*args, **kwargs)

        return wrapper

    def _make_again(self, original):
        def wrapper(*args, **kwargs):
            result = original(*args, **kwargs)
            self._session.threads.aside = False
            self.enable_here()
            return result

        return wrapper
