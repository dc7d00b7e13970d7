# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""torch's ops: told by libprof_torch.so (ObservedOps), or as torch's own ranges, as enabled by
emit_nvtx(record_shapes=True) (Ops).

For ranges torch keeps this setting per thread and passes it on to the threads of the backward
pass. emit_nvtx itself also synchronizes with the GPU, which would break a CUDA graph capture, so
the underlying function is called.
"""
from threading import Lock, get_ident


class _Switch:
    """Turns ranges on in the thread that creates it, and off when destroyed: lives in that thread's
    local storage. Calls torch's own functions, not the versions wrapped by Ops."""

    def __init__(self, torch, functions, record_shapes):
        self._profiler = profiler = torch.autograd.profiler
        turn_on, self._off = functions
        self._thread = get_ident()
        self._is_on = False
        config = profiler.ProfilerConfig(profiler.ProfilerState.NVTX, record_shapes, False, False,
                                         False, False,
                                         torch._C._profiler._ExperimentalConfig())
        _tell(profiler, "_run_on_profiler_start")
        turn_on(config, set())
        self._is_on = True

    def turn_off(self, get_ident=get_ident):
        if self._is_on and self._thread == get_ident():
            self._is_on = False
            self._off()
            _tell(self._profiler, "_run_on_profiler_stop")

    def __del__(self):
        try:
            self.turn_off()
        except Exception:  # the interpreter is shutting down, torch first
            pass


def _tell(profiler, name):
    # Since 2.1: torch.compile's kernels have ranges only if told that a profiler runs.
    function = getattr(profiler, name, None)
    if function is not None:
        function()


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

    def install(self):
        """Takes effect in this thread and every other one that calls a module. Does not initialize
        CUDA: the program may still choose its devices, or fork. CUDA is often initialized by an op
        with a kernel."""
        patches = self._session.patches
        profiler = self._torch.autograd.profiler
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

    def enable_here(self):
        """Turns ranges on in the calling thread unless a profiler is already on."""
        threads = self._session.threads
        if getattr(threads, "switch", None) is not None or not self._session.active:
            return
        if getattr(threads, "aside", False) or self._torch.autograd._profiler_enabled():
            return
        try:
            threads.switch = _Switch(self._torch, self._functions,
                                     self._session.options.record_shapes)
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


class ObservedOps:
    """The ops of all threads. Makes way for emit_nvtx alone, whose texts would state them again."""

    have_texts = False

    def __init__(self, torch, session, observer):
        self._torch = torch
        self._session = session
        self._observer = observer
        self._wants = False
        self._capturing = set()  # Threads whose streams are being captured into graphs.
        self._aside = 0
        self._is_on = False
        self._lock = Lock()

    def install(self):
        profiler = self._torch.autograd.profiler
        patches = self._session.patches
        patches.wrap(profiler, "_enable_profiler", self._make_aside)
        patches.wrap(profiler, "_disable_profiler", self._make_again)

    def follow(self, wants, is_capturing):
        """Called often: no lock where nothing changes."""
        thread = get_ident()
        if wants == self._wants and is_capturing == (thread in self._capturing):
            return
        with self._lock:
            self._wants = wants
            (self._capturing.add if is_capturing else self._capturing.discard)(thread)
            self._switch()

    def end(self):
        with self._lock:
            self._wants = False
            self._capturing.clear()
            self._switch()

    def _switch(self):
        is_on = (self._wants or bool(self._capturing)) and self._aside == 0
        if is_on == self._is_on:
            return
        self._is_on = is_on
        profiler = self._torch.autograd.profiler
        if is_on:
            _tell(profiler, "_run_on_profiler_start")
        self._observer.switch(is_on)
        if not is_on:
            _tell(profiler, "_run_on_profiler_stop")

    def _move_aside(self, change):
        with self._lock:
            self._aside = max(0, self._aside + change)
            self._switch()

    def _make_aside(self, original):
        def wrapper(*args, **kwargs):
            result = original(*args, **kwargs)
            if self._emits_nvtx():
                self._session.threads.emits = True
                self._move_aside(1)
            return result

        return wrapper

    def _emits_nvtx(self):
        """Whether emit_nvtx is on in this thread."""
        kinds = getattr(self._torch._C._profiler, "ActiveProfilerType", None)
        kind = getattr(self._torch._C._autograd, "_profiler_type", None)
        return kinds is not None and kind is not None and kind() == kinds.NVTX

    def _make_again(self, original):
        def wrapper(*args, **kwargs):
            result = original(*args, **kwargs)
            if getattr(self._session.threads, "emits", False):
                self._session.threads.emits = False
                self._move_aside(-1)
            return result

        return wrapper
