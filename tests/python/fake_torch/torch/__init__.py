# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What prof_torch uses of torch, and no more: enough to test it where torch is not installed. It does
no arithmetic. `torch._C.log` has the NVTX calls, in their order."""
import contextlib  # noqa: F401 (as torch, and all that prof_torch imports once it has)
import ctypes  # noqa: F401
import enum  # noqa: F401
import functools
import operator  # noqa: F401
import threading  # noqa: F401
import weakref  # noqa: F401

from . import _C, amp, autograd, compiler, cuda, nn, optim

__version__ = "fake"
Tensor = nn.Tensor


def is_grad_enabled():
    return _C.state.grad_enabled


class _GradMode:
    def __enter__(self):
        self.before, _C.state.grad_enabled = _C.state.grad_enabled, self.mode

    def __exit__(self, *error):
        _C.state.grad_enabled = self.before

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with type(self)():
                return function(*args, **kwargs)

        return wrapper


class no_grad(_GradMode):
    mode = False


class enable_grad(_GradMode):
    mode = True

    def __enter__(self):
        super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)


def compile(module):  # noqa: A001 (torch's name)
    return nn.OptimizedModule(module)
