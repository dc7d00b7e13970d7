# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Launches of hand-written Triton kernels: ranges with the tensors that they get."""
import json
import sys
import types
import unittest
from unittest import mock

from support import AnnotatedTest, prof_torch, torch
from torch import nn


class JITFunction:
    """As Triton's: `kernel[grid](...)` runs it."""

    def __init__(self, fn):
        self.fn = fn

    def run(self, *args, grid, warmup, **kwargs):
        torch._C.log.append("run " + self.fn.__name__)
        return args

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


class Wrapped(nn.Tensor):
    """A tensor of a subclass, whose memory is its own affair."""

    def data_ptr(self):
        return 1


class TensorDescriptor:
    pass


def scale_kernel(x, out, scale, BLOCK):
    pass


class TritonLaunches(AnnotatedTest):
    def setUp(self):
        super().setUp()
        self.jit = types.ModuleType("triton.runtime.jit")
        self.jit.JITFunction = JITFunction
        self.original = JITFunction.run
        self.kernel = JITFunction(scale_kernel)
        self.x = nn.Tensor(8, 16, dtype="torch.bfloat16")

    def import_triton(self):
        self.enterContext(mock.patch.dict(sys.modules, {"triton.runtime.jit": self.jit}))

    if not hasattr(unittest.TestCase, "enterContext"):  # before Python 3.11

        def enterContext(self, context):
            result = context.__enter__()
            self.addCleanup(context.__exit__, None, None, None)
            return result

    def told(self):
        return [json.loads(line[5:]) for line in torch._C.log if line.startswith("push {")]

    def launch(self, *args, **kwargs):
        torch._C.log.clear()
        self.kernel[(4, 1)](*args, **kwargs)
        return self.told()

    def test_a_launch_states_its_tensors(self):
        self.import_triton()
        prof_torch.start()
        (told,) = self.launch(self.x, out=self.x, scale=0.5, BLOCK=128)
        tensor = {"role": "in", "type": "tensor", "shape": [8, 16], "dtype": "bfloat16"}
        self.assertEqual(
            told,
            {
                "v": 1,
                "mod": "prof",
                "launch": "scale_kernel",
                "args": [dict(tensor, name="0"), dict(tensor, name="out")],
            },
        )
        self.assertEqual([line.split()[0] for line in torch._C.log], ["push", "run", "pop"])

    def test_memory_of_unknown_size_leaves_all_out(self):
        self.import_triton()
        prof_torch.start()
        for unknown in (Wrapped(8), TensorDescriptor()):
            (told,) = self.launch(self.x, unknown)
            self.assertNotIn("args", told)

    def test_what_has_no_range(self):
        self.import_triton()
        prof_torch.start()
        torch._C.log.clear()
        self.kernel.run(self.x, grid=(1,), warmup=True)  # is compiled alone
        self.assertEqual(self.told(), [])
        self.assertEqual(self.launch(*[1] * 300), [])
        prof_torch.stop()
        self.assertIs(JITFunction.run, self.original)
        prof_torch.start(record_shapes=False)
        self.assertIs(JITFunction.run, self.original)

    def test_triton_may_be_imported_later(self):
        prof_torch.start()
        self.assertIs(JITFunction.run, self.original)
        self.import_triton()
        nn.Linear()(self.x)
        self.assertEqual(len(self.launch(self.x)), 1)

    def test_a_launch_that_fails_ends_its_range(self):
        self.import_triton()
        with mock.patch.object(JITFunction, "run", mock.Mock(side_effect=ValueError)) as run:
            run.__name__ = "run"
            prof_torch.start()
            with self.assertRaises(ValueError):
                self.launch(self.x)
            self.assertEqual([line.split()[0] for line in torch._C.log], ["push", "pop"])
            prof_torch.stop()


if __name__ == "__main__":
    unittest.main()
