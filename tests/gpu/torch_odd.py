# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Ops on everything that is no plain tensor, and a functional convolution. Prints sums, which must be
the same however the program is watched.

usage: torch_odd.py
"""
import os
import threading
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._pytree import tree_map
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.backends.cudnn.benchmark = False
torch.use_deterministic_algorithms(False)


class Wrapped(torch.Tensor):
    """Counts what its dispatch sees: to look at one of these must not be seen."""

    calls = 0

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, device=inner.device
        )

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        cls.calls += 1
        unwrap = lambda x: x.inner if isinstance(x, cls) else x  # noqa: E731
        out = function(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {}))
        return tree_map(lambda x: cls(x) if isinstance(x, torch.Tensor) else x, out)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad


def say(name, tensor):
    print(name, round(float(tensor.double().sum()), 3), flush=True)


x = torch.randn(4, 3, 16, 16, device="cuda", requires_grad=True)
w = torch.randn(8, 3, 3, 3, device="cuda", requires_grad=True)
y = F.conv2d(x, w, stride=2, padding=1)
y.sum().backward()
say("convolution", y)
with torch.autocast("cuda", dtype=torch.bfloat16):
    say("autocast", F.conv2d(x, w, padding=1).float().abs().clamp(max=4))
a = Wrapped(torch.ones(8, 8, device="cuda"))
b = (a @ a + a).relu()
say("subclass", b.inner)
print("dispatched", Wrapped.calls)
nested = torch.nested.nested_tensor(
    [torch.ones(2, 4, device="cuda"), torch.ones(3, 4, device="cuda")]
)
say("nested", F.linear(nested, torch.ones(5, 4, device="cuda")).to_padded_tensor(0.0))
jagged = torch.nested.nested_tensor(
    [torch.ones(2, 4, device="cuda"), torch.ones(3, 4, device="cuda")], layout=torch.jagged
)
say("jagged", (jagged * 2).values())
sparse = torch.eye(8, device="cuda").to_sparse()
say("sparse", torch.sparse.mm(sparse, torch.ones(8, 4, device="cuda")))
say("csr", torch.eye(8, device="cuda").to_sparse_csr() @ torch.ones(8, 4, device="cuda"))
say("complex", torch.view_as_real(torch.fft.fft(torch.ones(16, device="cuda"))))
say("vmap", torch.vmap(lambda r: (r * r).sum())(torch.ones(4, 5, device="cuda")))
say("grad", torch.func.grad(lambda r: (r**3).sum())(torch.ones(5, device="cuda")))
say("custom", torch.autograd.grad(Square.apply(x).sum(), x)[0].abs())
say("checkpoint", checkpoint(lambda t: t.relu().exp(), x, use_reentrant=False).clamp(max=2))
say("meta", torch.zeros(torch.empty(3, 4, device="meta").t().shape))
say("quantized", torch.quantize_per_tensor(torch.ones(4), 0.1, 0, torch.quint8).dequantize())
say("foreach", sum(torch._foreach_add([torch.ones(2, device="cuda")] * 3000, 1.0)))
say("scripted", torch.jit.script(nn.Linear(4, 4).cuda())(torch.ones(2, 4, device="cuda")).abs() * 0)
try:
    torch.ones(2, 3, device="cuda") @ torch.ones(2, 3, device="cuda")
except RuntimeError:
    say("after an error", torch.ones(2, device="cuda") + 1)
results = {}


def work(number):
    torch.cuda.set_device(0)
    leaf = torch.full((16, 16), float(number), device="cuda", requires_grad=True)
    for _ in range(50):
        (leaf @ leaf).sum().backward()
    results[number] = leaf.grad.sum().item()


threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads", sorted(results.items()))
compiled = torch.compile(lambda t: (t * 2).relu().sum(dim=-1))
say("compiled", compiled(torch.ones(64, 64, device="cuda")))
if os.fork() == 0:
    print("child", (torch.ones(3) + 1).sum().item(), flush=True)
    os._exit(0)
os.wait()
