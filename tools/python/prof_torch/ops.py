# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""torch's ops as its own ranges, as enabled by emit_nvtx(record_shapes=True).

torch keeps this setting per thread and passes it on to the threads of the backward pass. emit_nvtx
itself also synchronizes with the GPU, which would break a CUDA graph capture, so the underlying
function is called.
"""
from threading import get_ident

from .profiler_flag import ProfilerFlag


class _Switch:
    """Turns ranges on in the thread that creates it, and off when destroyed: lives in that thread's
    local storage. Calls torch's own functions, not the versions wrapped by Ops."""

    def __init__(self, torch, functions, flag, record_shapes):
        profiler = torch.autograd.profiler
        turn_on, self._off = functions
        self._flag = flag
        self._thread = get_ident()
        self._is_on = False
        config = profiler.ProfilerConfig(
            profiler.ProfilerState.NVTX,
            record_shapes,
            False,
            False,
            False,
            False,
            torch._C._profiler._ExperimentalConfig(),
        )
        turn_on(config, set())
        self._is_on = True
        flag.hold(id(self))

    def turn_off(self, get_ident=get_ident):
        self._flag.release(id(self))
        if self._is_on and self._thread == get_ident():
            self._is_on = False
            self._off()

    def __del__(self):
        try:
            self.turn_off()
        except Exception:  # the interpreter is shutting down, torch first
            pass


class Ops:
    """Turns the ranges on in each thread, and makes way for the program's own profiler: torch
    allows only one per thread."""

    #: Texts leave out what prof_torch.attributes states.
    have_texts = True

    def __init__(self, torch, session):
        self._torch = torch
        self._session = session
        profiler = torch.autograd.profiler
        # Before they are wrapped.
        self._functions = profiler._enable_profiler, profiler._disable_profiler
        self._flag = ProfilerFlag(profiler)

    def install(self):
        """Takes effect in this thread and every other one that calls a module. Does not initialize
        CUDA: the program may still choose its devices, or fork. CUDA is often initialized by an op
        with a kernel."""
        patches = self._session.patches
        profiler = self._torch.autograd.profiler
        self._flag.install(patches)
        for name in ("_prepare_profiler", "_enable_profiler"):
            patches.wrap(profiler, name, self._make_aside)
        patches.wrap(profiler, "_disable_profiler", self._make_again)
        self.enable_here()

    def follow(self, wants, is_capturing):
        if wants or is_capturing:
            self.enable_here()
        else:
            self.disable_here()

    def end(self):
        self.disable_here()
        self._flag.end()

    def enable_here(self):
        """Turns ranges on in the calling thread unless a profiler is already on."""
        threads = self._session.threads
        if getattr(threads, "switch", None) is not None or not self._session.active:
            return
        if getattr(threads, "aside", False) or self._torch.autograd._profiler_enabled():
            return
        try:
            threads.switch = _Switch(
                self._torch, self._functions, self._flag, self._session.options.record_shapes
            )
        except Exception as error:  # changes in a later torch must not end the program
            threads.aside = True
            self._session.warn("no ranges of ops: %r" % error)

    def disable_here(self):
        """Turns ranges off in the calling thread if we turned them on."""
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
