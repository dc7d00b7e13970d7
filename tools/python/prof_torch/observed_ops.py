# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""torch's ops as libprof_torch.so reports them: when it is switched on.

One switch serves all threads. What a thread needs it for goes with the thread, which may end in the
middle.
"""
import weakref
from threading import Lock

from .observer import Mode
from .profiler_flag import ProfilerFlag


class _Thread:
    """Lives in the local storage of the thread for which it stands."""


class ObservedOps:
    """Observes while the profiler wants marks or a thread's stream is being captured into a graph.
    Makes way for emit_nvtx alone, whose texts would state the ops again."""

    have_texts = False

    def __init__(self, torch, session, observer):
        self._torch = torch
        self._session = session
        self._observer = observer
        self._mode = Mode.ON if session.options.record_shapes else Mode.NAMES
        self._flag = ProfilerFlag(torch.autograd.profiler)
        self._wants = False
        self._capturing = set()  # weak references to threads
        self._emitting = set()  # likewise
        self._has_ended = False
        self._is_on = False
        self._lock = Lock()

    def install(self):
        profiler = self._torch.autograd.profiler
        patches = self._session.patches
        self._flag.install(patches)
        patches.wrap(profiler, "_enable_profiler", self._make_aside)
        patches.wrap(profiler, "_disable_profiler", self._make_again)

    def follow(self, wants, is_capturing):
        """Called often: does nothing where nothing changes."""
        thread = self._this_thread()
        if wants == self._wants and is_capturing == (thread in self._capturing):
            return
        self._wants = wants
        (self._capturing.add if is_capturing else self._capturing.discard)(thread)
        self._switch()

    def end(self):
        self._has_ended = True
        self._switch()
        self._flag.end()

    def _is_wanted(self):
        return (self._wants or bool(self._capturing)) and not self._emitting and not self._has_ended

    def _switch(self):
        """Makes it what is wanted now. Never waits, since a thread's storage may be destroyed, and
        call this, in the middle of this, and since a forked process may lack the lock's owner.
        Whoever has the lock looks again after giving it back."""
        while self._is_on != self._is_wanted() and self._lock.acquire(blocking=False):
            try:
                self._is_on = self._is_wanted()
                if self._is_on:
                    self._flag.hold(id(self))
                    self._observer.switch(self._mode)
                else:
                    self._observer.switch(Mode.OFF)
                    self._flag.release(id(self))
            finally:
                self._lock.release()

    def _this_thread(self):
        """A weak reference, always the same one."""
        own = self._session.threads
        try:
            return own.reference
        except AttributeError:
            own.thread = _Thread()
            own.reference = weakref.ref(own.thread, self._thread_ended)
            return own.reference

    def _thread_ended(self, thread):
        self._capturing.discard(thread)
        self._emitting.discard(thread)
        try:
            self._switch()
        except Exception:  # the interpreter is shutting down, torch first
            pass

    def _make_aside(self, original):
        def wrapper(*args, **kwargs):
            result = original(*args, **kwargs)
            if self._emits_nvtx():
                self._emitting.add(self._this_thread())
                self._switch()
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
            self._emitting.discard(self._this_thread())
            self._switch()
            return result

        return wrapper
