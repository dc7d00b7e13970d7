# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Hand-written Triton kernels: a range around each launch, with the shapes and element types of the
tensors that it gets. Which of them a kernel reads or writes, nothing tells.

Triton's own hooks are left alone: a launcher that has one is another one. `kernel[grid](...)` looks
`run` up anew in each call; Inductor does not launch what it generates by it.
"""
import sys

from .calls import MAX_TENSORS, ModuleCalls
from .json_text import json_text

_JIT = "triton.runtime.jit"

#: A launch with more arguments says nothing of them.
MAX_ARGUMENTS = 256


class TritonLaunches:
    def __init__(self, torch, session):
        self._session = session
        self._calls = _Launches(torch)
        self._is_installed = False

    def follow(self):
        """Installs this if Triton has been imported."""
        if self._is_installed or _JIT not in sys.modules:
            return
        kernel = getattr(sys.modules[_JIT], "JITFunction", None)
        if kernel is None:  # still being imported
            return
        self._is_installed = True
        self._session.patches.wrap(
            kernel, "run", self._watch
        )  # Until 2.1, each kernel has its own.

    def _watch(self, original):
        session = self._session

        def run(kernel, *args, **kwargs):
            if not session.active or kwargs.get("warmup") or not session.needs_ranges():
                return original(kernel, *args, **kwargs)
            text = self._text_of(kernel, args, kwargs)
            if text is None:
                return original(kernel, *args, **kwargs)
            level = None
            try:
                level = session.nvtx.push(text)
                return original(kernel, *args, **kwargs)
            finally:
                session.nvtx.close(level)

        return run

    def _text_of(self, kernel, args, kwargs):
        try:
            return self._calls.text_of(kernel.fn, args, kwargs)
        except Exception as error:  # of an unusual argument: the program continues
            self._session.warn("nothing is said of a Triton kernel: %r" % (error,))
            return None


class _Launches(ModuleCalls):
    MOST = MAX_ARGUMENTS

    def _name_of(self, function):
        return function.__name__

    def _see(self, values):
        return map(self._look_at, values)

    def _look_at(self, value):
        seen = self._look(value)
        if seen is not None:
            return seen
        kind = type(value)
        # Memory of a size that is not known: tensors of subclasses, descriptors of tensors.
        is_tensor = any("data_ptr" in vars(base) for base in kind.__mro__)
        is_memory = is_tensor or kind.__name__.endswith("TensorDescriptor")
        return _UNKNOWN if is_memory else None

    def _write(self, name, arguments):
        arguments = list(arguments)
        told = {"v": 1, "mod": "prof", "launch": name}
        if not any(seen is _UNKNOWN for _, seen in arguments):
            tensors = self._tensors(arguments)
            if len(tensors) <= MAX_TENSORS:
                told["args"] = tensors
        return json_text(told)


_UNKNOWN = ("unknown",)
