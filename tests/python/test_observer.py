# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which PyTorch is believed to be read right, and when its ops are observed. The library is a fake; the
stand-in torch of the system tests has the real one."""
import json
import os
import re
import threading
import unittest

from support import HERE, AnnotatedTest, prof_torch, torch
from prof_torch import library, observer, ops
from prof_torch.observed_ops import ObservedOps
from prof_torch.observer import Mode
from torch import nn
from torch.autograd import profiler


class FakeLibrary:
    """As libprof_torch.so; `seen` is what it reads of the known ops."""

    def __init__(self, seen, refuses=None):
        self.seen, self.refuses, self.switches = seen, refuses, []

    def prof_torch_begin_probe(self, sink, layout):
        return self.refuses

    def prof_torch_end_probe(self):
        return "\n".join(json.dumps(line) for line in self.seen).encode()

    def prof_torch_switch(self, mode):
        self.switches.append(mode)


def right():
    """What a right reading has, with an op that torch runs inside of one."""
    lines = [
        {"sequence": 7, "inputs": inputs, "scope": scope, "signature": {"op": name, "args": args}}
        for name, scope, inputs, args in observer._known_ops()
    ]
    lines[2]["sequence"] = 8
    lines.insert(4, {"sequence": 8, "inputs": 1, "scope": 0, "signature": {"op": "aten::empty"}})
    return lines


class Observed(AnnotatedTest):
    def setUp(self):
        super().setUp()
        self.said = []
        for module, name, replacement in (
            (observer, "_observer", None),
            (observer, "_load", lambda folder: self.fake),
            (observer, "_known_inputs", lambda torch: ()),
            (observer, "_run_known_ops", lambda torch: None),
            (library, "find_op_sink", lambda: (4711, "/lib")),
            (torch, "enable_grad", torch.no_grad),
        ):
            self.addCleanup(setattr, module, name, getattr(module, name, None))
            setattr(module, name, replacement)
        from prof_torch import session

        self.addCleanup(setattr, session, "print_message", session.print_message)
        session.print_message = self.said.append

    def start(self, seen, options=(), **fake):
        self.fake = FakeLibrary(seen, **fake)
        prof_torch.start(**dict(options))
        return prof_torch._session.ops

    def is_told_to_run(self):
        return profiler._is_profiler_enabled

    def test_a_right_reading_is_used(self):
        self.assertIsInstance(self.start(right()), ObservedOps)
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
            "negative": change(
                lambda lines: (lines[1].update(sequence=-1), lines[2].update(sequence=0))
            ),
            "inputs": change(lambda lines: lines[1].update(inputs=2)),
            "scope": change(lambda lines: lines[0].update(scope=1)),
            "name": change(lambda lines: lines[0]["signature"].update(op="aten::mean")),
            "scalar": change(
                lambda lines: lines[1]["signature"]["args"].__setitem__(2, {"value": 8})
            ),
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
        self.assertIsInstance(
            self.start([], refuses=b"this PyTorch has no aoti_torch_get_dim"), ops.Ops
        )
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
        self.assertEqual([Mode.ON, Mode.OFF, Mode.ON], self.fake.switches)

    def test_what_fails_is_said_with_each_start(self):
        self.start([])
        prof_torch.stop()
        prof_torch.start()
        self.assertEqual(2, len(self.said))
        self.assertEqual(self.said[0], self.said[1])
        prof_torch.stop()
        self.assertIsInstance(self.start(right()), ObservedOps)

    def test_shapes_are_a_matter_of_each_start(self):
        self.start(right(), {"record_shapes": False})
        prof_torch.stop()
        prof_torch.start()
        prof_torch.stop()
        self.assertEqual([Mode.NAMES, Mode.OFF, Mode.ON, Mode.OFF], self.fake.switches)

    def test_the_library_has_the_same_modes(self):
        header = os.path.join(HERE, "..", "..", "collectors", "torch", "observer_mode.hpp")
        with open(header, encoding="utf-8") as file:
            found = re.findall(r"\bk([A-Z]\w*) = (\d+)", file.read())
        self.assertEqual(
            [(mode.name, str(int(mode))) for mode in Mode],
            [(name.upper(), number) for name, number in found],
        )

    def test_torch_is_told_that_a_profiler_runs(self):
        self.start(right())
        self.assertTrue(self.is_told_to_run())
        prof_torch.stop()
        self.assertFalse(self.is_told_to_run())

    def test_a_program_s_profiler_that_runs_on(self):
        profiler._run_on_profiler_start()
        self.addCleanup(profiler._run_on_profiler_stop)
        self.start(right())
        prof_torch.stop()
        self.assertTrue(self.is_told_to_run())

    def test_a_program_s_profiler_that_starts_meanwhile(self):
        self.start(right())
        start = profiler._run_on_profiler_start  # the program's own reference
        start()
        self.addCleanup(profiler._run_on_profiler_stop)
        prof_torch.stop()
        self.assertTrue(self.is_told_to_run())

    def test_a_program_s_profiler_that_stops_meanwhile(self):
        profiler._run_on_profiler_start()
        self.start(right())
        profiler._run_on_profiler_stop()
        self.assertTrue(self.is_told_to_run())
        prof_torch.stop()
        self.assertFalse(self.is_told_to_run())

    def test_a_torch_without_the_flag(self):
        for name in ("_is_profiler_enabled", "_set_is_profiler_enabled"):
            with self.subTest(name):
                kept = getattr(profiler, name)
                delattr(profiler, name)
                try:
                    self.start(right())
                    prof_torch.stop()
                    self.assertFalse(hasattr(profiler, name))
                finally:
                    setattr(profiler, name, kept)
                self.assertFalse(self.is_told_to_run())

    def test_gives_way_to_emit_nvtx_alone(self):
        self.start(right())
        for state, expected in (
            (profiler.ProfilerState.KINETO, [Mode.ON]),
            (profiler.ProfilerState.NVTX, [Mode.ON, Mode.OFF, Mode.ON]),
        ):
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

    def run_in_thread(self, *calls):
        def run():
            for call in calls:
                call()

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()

    def test_a_thread_that_ends_while_its_stream_is_captured(self):
        observed = self.start(right())
        observed.follow(False, False)
        self.run_in_thread(lambda: observed.follow(False, True))
        self.assertEqual([Mode.ON, Mode.OFF] * 2, self.fake.switches)

    def test_a_thread_that_ends_under_emit_nvtx(self):
        self.start(right())
        config = profiler.ProfilerConfig(profiler.ProfilerState.NVTX, *[None] * 6)
        self.run_in_thread(lambda: profiler._enable_profiler(config, set()))
        self.assertEqual([Mode.ON, Mode.OFF, Mode.ON], self.fake.switches)

    def test_what_is_wanted_while_it_is_being_switched(self):
        observed = self.start(right())
        switch = self.fake.prof_torch_switch

        def switch_and_want_again(mode):
            self.fake.prof_torch_switch = switch
            switch(mode)
            observed.follow(True, False)

        self.fake.prof_torch_switch = switch_and_want_again
        observed.follow(False, False)
        self.assertEqual([Mode.ON, Mode.OFF, Mode.ON], self.fake.switches)

    def test_a_late_follow_changes_nothing(self):
        observed = self.start(right())
        prof_torch.stop()
        observed.follow(True, True)
        self.assertEqual([Mode.ON, Mode.OFF], self.fake.switches)

    def fork(self, in_child):
        """What the child returns, as text."""
        ours, its = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(its, in_child().encode())
            os._exit(0)
        os.close(its)
        self.addCleanup(os.waitpid, child, 0)
        with os.fdopen(ours) as end:
            return end.read()

    def test_a_fork_that_cannot_use_the_gpu_is_left_alone(self):
        def in_child():
            nn.Linear()(1)
            return "%s %s %s" % (
                [int(mode) for mode in self.fake.switches],
                self.is_told_to_run(),
                torch._C.log,
            )

        torch._C._cuda_isInBadFork = lambda: os.getpid() != parent
        self.addCleanup(delattr, torch._C, "_cuda_isInBadFork")
        parent = os.getpid()
        self.start(right())
        self.assertEqual("[1, 0] False []", self.fork(in_child))
        self.assertEqual([Mode.ON], self.fake.switches)

    def test_a_fork_before_the_gpu_is_used_goes_on(self):
        self.start(right())
        self.assertEqual("[1]", self.fork(lambda: str([int(mode) for mode in self.fake.switches])))

    def test_a_fork_while_another_thread_switches(self):
        observed = self.start(right())
        torch._C._cuda_isInBadFork = lambda: True
        self.addCleanup(delattr, torch._C, "_cuda_isInBadFork")
        with observed._lock:  # whose owner is no thread of the child
            self.assertEqual("done", self.fork(lambda: observed.follow(False, False) or "done"))


if __name__ == "__main__":
    unittest.main()
