# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The ranges that say what a module is called with, where no ops are told."""
import json
import types
import unittest
from unittest import mock

from support import AnnotatedTest, prof_torch, torch
from prof_torch import calls, session
from torch import nn


class Takes(nn.Module):
    """Takes anything."""

    def forward(self, *args, **kwargs):
        return args


def tensor(name, *shape, dtype="float32"):
    return {"name": name, "role": "in", "type": "tensor", "shape": list(shape), "dtype": dtype}


class Calls(AnnotatedTest):
    def setUp(self):
        super().setUp()
        self.warnings = []
        patch = mock.patch.object(session, "print_message", self.warnings.append)
        patch.start()
        self.addCleanup(patch.stop)
        prof_torch.start(steps="off", ops=False)

    def told(self):
        """What was said since the last call: (class, tensors) of each range."""
        texts = [
            json.loads(line.strip())
            for line in self.listing().splitlines()
            if line.strip().startswith("{")
        ]
        for text in texts:
            self.assertEqual((text["v"], text["mod"]), (1, "prof"))
        return [(text["call"], text["args"]) for text in texts]

    def test_the_range_is_inside_that_of_the_layer(self):
        nn.Sequential(nn.Linear(), nn.ReLU())(nn.Tensor(8, 16, dtype="torch.bfloat16"))
        expected = (
            '{"v":1,"mod":"prof","call":"%s","args":[{"name":"0","role":"in",'
            '"type":"tensor","shape":[8,16],"dtype":"bfloat16"}]}'
        )
        self.assertEqual(
            self.listing().splitlines(),
            [
                "Sequential",
                "  " + expected % "Sequential",
                "    0",
                "      " + expected % "Linear",
                "    1",
                "      " + expected % "ReLU",
            ],
        )

    def test_tensors_are_named_by_their_place(self):
        a, b = nn.Tensor(2), nn.Parameter(3, 4)
        Takes()(1, a, "word", [b, None, a], mask=b, scale=0.5, past=(a,))
        self.assertEqual(
            self.told(),
            [
                (
                    "Takes",
                    [
                        tensor("1", 2),
                        tensor("3.0", 3, 4),
                        tensor("3.2", 2),
                        tensor("mask", 3, 4),
                        tensor("past.0", 2),
                    ],
                )
            ],
        )

    def test_a_scalar_is_a_tensor(self):
        Takes()(nn.Tensor())
        self.assertEqual(self.told(), [("Takes", [tensor("0")])])

    def test_texts_follow_shapes_types_classes_and_places(self):
        class Other(Takes):
            pass

        def both(module, *args, **kwargs):
            module(*args, **kwargs)
            module(*args, **kwargs)
            first, second = self.told()
            self.assertEqual(first, second)
            return first

        x = nn.Tensor(2, 3)
        seen = [
            both(Takes(), x),
            both(Other(), x),
            both(Takes(), nn.Tensor(3, 2)),
            both(Takes(), nn.Tensor(2, 3, dtype="torch.int64")),
            both(Takes(), x=x),
            both(Takes(), [x]),
            both(Takes(), None, x),
            both(Takes(), [None, x]),
        ]
        for i, one in enumerate(seen):
            self.assertNotIn(one, seen[:i])

    def test_calls_without_tensors_say_nothing(self):
        for args in ((), (3,), ([],), ({"x": nn.Tensor(2)},), ([[nn.Tensor(2)]],)):
            Takes()(*args)
        self.assertEqual(self.told(), [])

    def test_long_lists_say_nothing(self):
        x, many = nn.Tensor(2), [nn.Tensor(2)] * (calls.MAX_TENSORS + 1)
        for args in (many, [many], [many[:-1], x]):
            Takes()(*args)
        self.assertEqual(self.told(), [])
        Takes()(x, list(range(1000000)))
        self.assertEqual(self.told(), [("Takes", [tensor("0", 2)])])

    def test_subclasses_are_not_asked(self):
        class Odd(nn.Tensor):
            def __getattribute__(self, name):
                raise AssertionError("asked for " + name)

        class Pretends:
            __class__ = nn.Tensor

        Takes()(Odd.__new__(Odd), Pretends(), nn.Tensor(5))
        self.assertEqual(self.told(), [("Takes", [tensor("2", 5)])])
        self.assertEqual(self.warnings, [])

    def test_a_tensor_without_a_shape_is_left_out(self):
        nested = nn.Tensor()
        with mock.patch.object(
            nn.Tensor, "shape", create=True, new=property(lambda self: self.sizes())
        ):
            nested.sizes = mock.Mock(side_effect=RuntimeError("nested tensors have no sizes"))
            Takes()(nested)
        self.assertEqual((self.told(), self.warnings), ([], []))

    def test_sizes_that_are_symbols_say_nothing(self):
        class Symbol:
            __hash__ = None

        Takes()(nn.Tensor(Symbol(), 3))
        self.assertEqual((self.told(), self.warnings), ([], []))

    def test_what_cannot_be_told_is_one_line_and_the_program_goes_on(self):
        x = nn.Tensor()
        x.shape = (object(),)
        self.assertEqual(Takes()(x), (x,))
        self.assertEqual(self.told(), [])
        self.assertEqual(len(self.warnings), 1)
        self.assertIn("nothing is said of a call of a Takes", self.warnings[0])

    def test_ends_with_an_exception_too(self):
        class Fails(nn.Module):
            def forward(self, x):
                raise KeyError(x)

        with self.assertRaises(KeyError):
            Fails()(nn.Tensor(2))
        self.assertEqual(len(self.told()), 1)

    def test_the_cache_is_bounded(self):
        told = calls.ModuleCalls(torch)
        with mock.patch.object(calls, "MAX_TEXTS", 3):
            texts = [told.text_of(Takes(), (nn.Tensor(n),), {}) for n in range(10)]
        self.assertEqual(len(set(texts)), 10)
        self.assertLessEqual(len(told._texts), 3)

    def test_no_tensor_and_no_module_stays_alive(self):
        told = calls.ModuleCalls(torch)
        told.text_of(Takes(), (nn.Tensor(2), [nn.Tensor(3)]), {"x": nn.Tensor(4)})

        def values(known):
            return [v for part in known for v in (values(part) if type(part) is tuple else [part])]

        self.assertLessEqual(
            {type(v) for known in told._texts for v in values(known)}, {str, int, type(None)}
        )

    def test_nothing_is_said_where_ops_are_told_or_shapes_are_not_wanted(self):
        for options in (
            {},
            {"observe": False},
            {"ops": False, "record_shapes": False},
            {"ops": False, "layers": False},
        ):
            prof_torch.stop()
            prof_torch.start(steps="off", **options)
            nn.Linear()(nn.Tensor(8, 16))
            self.assertEqual(self.told(), [])

    def test_nothing_is_said_to_a_compiler(self):
        with mock.patch.object(torch.compiler, "is_compiling", lambda: True):
            prof_torch.stop()
            prof_torch.start(steps="off", ops=False)
            Takes()(nn.Tensor(2))
        self.assertEqual(self.listing(), "")


class StatesOfTorch(unittest.TestCase):
    """What may not see us look at tensors."""

    def text_under(self, **state):
        fake = types.SimpleNamespace(Tensor=nn.Tensor, nn=nn, _C=types.SimpleNamespace(**state))
        return calls.ModuleCalls(fake).text_of(Takes(), (nn.Tensor(2),), {})

    def test_a_trace_of_torch_jit(self):
        self.assertIsNone(self.text_under(_is_tracing=lambda: True))
        self.assertIsNotNone(self.text_under(_is_tracing=lambda: False))

    def test_a_mode_of_the_program(self):
        hidden = mock.MagicMock()
        state = {"DisableTorchFunction": hidden, "DisableTorchFunctionSubclass": None}
        text = self.text_under(_len_torch_function_stack=lambda: 0, **state)
        self.assertFalse(hidden.called)
        self.assertEqual(self.text_under(_len_torch_function_stack=lambda: 1, **state), text)
        self.assertTrue(hidden.return_value.__enter__.called)
        self.assertTrue(hidden.return_value.__exit__.called)

    def test_a_mode_that_cannot_be_hidden_from(self):
        hidden = mock.MagicMock()
        self.assertIsNone(
            self.text_under(_len_torch_function_stack=lambda: 1, DisableTorchFunction=hidden)
        )
        self.assertFalse(hidden.called)


if __name__ == "__main__":
    unittest.main()
