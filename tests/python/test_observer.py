# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which PyTorch is believed to be read right, and when its ops are observed. The library is a fake; the
stand-in torch of the system tests has the real one."""
import json
import unittest

from support import AnnotatedTest, prof_torch, torch
from prof_torch import library, observer, ops
from torch import nn
from torch.autograd import profiler


class FakeLibrary:
    """As libprof_torch.so; `seen` is what it reads of the known ops."""

    def __init__(self, seen, refuses=None):
        self.seen, self.refuses, self.switches = seen, refuses, []

    def prof_torch_begin_probe(self, sink, layout, inputs):
        return self.refuses

    def prof_torch_end_probe(self):
        return "\n".join(json.dumps(line) for line in self.seen).encode()

    def prof_torch_switch(self, is_on):
        self.switches.append(is_on)


def right():
    """What a right reading has, with an op that torch runs inside of one."""
    lines = [{"sequence": 7, "inputs": inputs, "scope": scope, "signature": {"op": name, "args": args}}
             for name, scope, inputs, args in observer._known_ops(True)]
    lines[2]["sequence"] = 8
    lines.insert(4, {"sequence": 8, "inputs": 1, "scope": 0, "signature": {"op": "aten::empty"}})
    return lines


class Observed(AnnotatedTest):
    def setUp(self):
        super().setUp()
        self.said = []
        for module, name, replacement in (
                (observer, "_observer", None), (observer, "_load", lambda folder: self.fake),
                (observer, "_known_inputs", lambda torch: ()), (observer, "_run_known_ops", lambda torch: None),
                (library, "find_op_sink", lambda: (4711, "/lib")), (torch, "enable_grad", torch.no_grad)):
            self.addCleanup(setattr, module, name, getattr(module, name, None))
            setattr(module, name, replacement)
        from prof_torch import session
        self.addCleanup(setattr, session, "print_message", session.print_message)
        session.print_message = self.said.append

    def start(self, seen, **fake):
        self.fake = FakeLibrary(seen, **fake)
        prof_torch.start()
        return prof_torch._session.ops

    def test_a_right_reading_is_used(self):
        self.assertIsInstance(self.start(right()), ops.ObservedOps)
        self.assertEqual([1], self.fake.switches)
        self.assertIsNone(torch._C.state.profiler)
        prof_torch.stop()
        self.assertEqual([1, 0], self.fake.switches)
        self.assertEqual([], self.said)

    def test_anything_else_is_not(self):
        def change(action):
            lines = right()
            action(lines)
            return lines

        wrong = {
            "number": change(lambda lines: lines[2].update(sequence=7)),
            "negative": change(lambda lines: (lines[1].update(sequence=-1), lines[2].update(sequence=0))),
            "inputs": change(lambda lines: lines[1].update(inputs=2)),
            "scope": change(lambda lines: lines[0].update(scope=1)),
            "name": change(lambda lines: lines[0]["signature"].update(op="aten::mean")),
            "scalar": change(lambda lines: lines[1]["signature"]["args"].__setitem__(2, {"value": 8})),
            "missing": change(lambda lines: lines.pop()),
            "order": change(lambda lines: lines.reverse()),
            "nothing": [],
        }
        for name, seen in wrong.items():
            with self.subTest(name):
                self.assertIsInstance(self.start(seen), ops.Ops)
                self.assertEqual(profiler.ProfilerState.NVTX, torch._C._autograd._profiler_type())
                self.assertEqual([], self.fake.switches)
                self.assertEqual(1, len(self.said), self.said)
                self.assertIn("emit_nvtx", self.said.pop())
                prof_torch.stop()

    def test_a_torch_that_lacks_something(self):
        self.assertIsInstance(self.start([], refuses=b"this PyTorch has no aoti_torch_get_dim"), ops.Ops)
        self.assertIn("this PyTorch has no aoti_torch_get_dim", self.said[0])

    def test_without_a_collector_nothing_is_said(self):
        library.find_op_sink = lambda: (None, None)
        self.assertIsInstance(self.start(right()), ops.Ops)
        self.assertEqual([], self.said)

    def test_if_not_wanted(self):
        self.fake = FakeLibrary(right())
        prof_torch.start(observe=False)
        self.assertIsInstance(prof_torch._session.ops, ops.Ops)

    def test_proved_once(self):
        self.start(right())
        prof_torch.stop()
        self.fake.seen = []
        prof_torch.start()
        self.assertEqual([1, 0, 1], self.fake.switches)

    def test_gives_way_to_emit_nvtx_alone(self):
        self.start(right())
        for state, expected in ((profiler.ProfilerState.KINETO, [1]), (profiler.ProfilerState.NVTX, [1, 0, 1])):
            config = profiler.ProfilerConfig(state, *[None] * 6)
            profiler._enable_profiler(config, set())
            nn.Linear()(1)
            profiler._disable_profiler()
            self.assertEqual(expected, self.fake.switches)

    def test_while_one_thread_s_stream_is_captured(self):
        observed = self.start(right())
        observed.follow(False, True)
        self.assertEqual([1], self.fake.switches)
        observed.follow(False, False)
        self.assertEqual([1, 0], self.fake.switches)


if __name__ == "__main__":
    unittest.main()
