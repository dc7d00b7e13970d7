# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What prof_torch uses of torch, and no more: enough to test it where torch is not installed. It does
no arithmetic. `torch._C.log` has the NVTX calls, in their order."""
from . import _C, amp, autograd, compiler, cuda, nn, optim

__version__ = "fake"
Tensor = nn.Tensor


def is_grad_enabled():
    return _C.state.grad_enabled


class no_grad:
    def __enter__(self):
        _C.state.grad_enabled = False

    def __exit__(self, *error):
        _C.state.grad_enabled = True


def compile(module):  # noqa: A001 (torch's name)
    return nn.OptimizedModule(module)
