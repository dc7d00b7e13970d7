# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Captures from inside the program, and marks only where a window needs them."""
import ctypes
import unittest
from unittest import mock

from support import AnnotatedTest, prof_torch, torch
from prof_torch import captures, library, messages
from torch import nn


class FakeLibrary:
    """libprof.so, as a log of calls."""

    def __init__(self, result=0):
        self.calls, self.result, self.wants = [], result, 1

    def prof_start(self, options):
        self.calls.append(
            "start %s force=%d%s"
            % (options.output.decode(), options.force, " quiet" * (not options.verbose))
        )
        return self.result

    def prof_start_windows(self, options, windows):
        self.calls.append("windows %s %s" % (options.output.decode(), windows.decode()))
        self.wants = 0
        return self.result

    def prof_stop(self):
        self.calls.append("stop")
        return 0

    def prof_wants_marks(self):
        return self.wants

    @staticmethod
    def prof_last_error():
        return b"why"


class Specs(unittest.TestCase):
    def test_steps(self):
        for steps, spec in (
            (10, "steps:10..10"),
            (range(10, 13), "steps:10..12"),
            ([1, 2, 3, 7], "steps:1..3,7..7"),
            ([range(0, 2), 5], "steps:0..1,5..5"),
            (range(0, 6, 2), "steps:0..0,2..2,4..4"),
        ):
            self.assertEqual(captures.spec_of(steps), spec)
        for steps in ([], range(0), [-1], range(-2, 3)):
            with self.assertRaises(ValueError):
                captures.spec_of(steps)


class Captures(AnnotatedTest):
    def use(self, fake):
        patch = mock.patch.object(library, "load", lambda: fake)
        patch.start()
        self.addCleanup(patch.stop)
        return fake

    def said(self):
        lines = []
        for module in (captures, messages):
            patch = mock.patch.object(module, "print_message", lines.append)
            patch.start()
            self.addCleanup(patch.stop)
        return lines

    def test_a_block(self):
        fake = self.use(FakeLibrary())
        with prof_torch.capture("t.db", force=True):
            self.assertTrue(prof_torch.is_active())
            nn.Sequential(nn.Linear())(1)
        self.assertFalse(prof_torch.is_active())
        self.assertEqual(fake.calls, ["start t.db force=1", "stop"])
        self.assertIn("0", self.listing())

    def test_a_quiet_one(self):
        fake = self.use(FakeLibrary())
        prof_torch.capture("t.db", verbose=False).stop()
        self.assertEqual(fake.calls, ["start t.db force=0 quiet", "stop"])

    def test_steps_mark_inside_alone(self):
        fake = self.use(FakeLibrary())
        running = prof_torch.capture("t-%n.db", steps=range(1, 2))
        self.assertEqual(fake.calls, ["windows t-%n.db steps:1..1"])
        self.assertIsNone(torch._C.state.profiler)
        model, optimizer = nn.Sequential(nn.Linear()), torch.optim.Adam()
        for _ in range(3):
            model(1)
            fake.wants = 1 if prof_torch._session.steps.number == 0 else 0  # As step:1 begins.
            optimizer.step()
        steps = self.listing().split("start step:")[1:]
        self.assertEqual([False, True, False], ["Sequential" in step for step in steps[:3]])
        running.stop()
        self.assertFalse(prof_torch.is_active())

    def test_one_that_cannot_start(self):
        fake, lines = self.use(FakeLibrary(result=7)), self.said()
        with prof_torch.capture("t.db") as running:
            self.assertFalse(running.is_running)
            nn.Linear()(1)
        self.assertEqual(lines, ["nothing is captured: why"])
        self.assertEqual(fake.calls, ["start t.db force=0"])

    def test_without_the_library(self):
        lines = self.said()
        with mock.patch.object(
            library, "_candidates", lambda: ["/nowhere/libprof.so"]
        ), mock.patch.object(library.ctypes, "CDLL", self.no_library):
            prof_torch.capture("t.db", steps=3).stop()
        self.assertEqual(
            lines,
            [
                "nothing is captured: libprof.so is not in /nowhere; set PROF_COLLECTOR to the path of "
                "the libprof_inject.so beside it"
            ],
        )

    @staticmethod
    def no_library(name):
        if name is None:
            return object()
        raise OSError(name)

    def test_wrong_steps_are_the_program_s_mistake(self):
        with self.assertRaises(ValueError):
            prof_torch.capture("t.db", steps=[])
        self.assertFalse(prof_torch.is_active())

    def test_a_session_of_the_program_goes_on(self):
        self.use(FakeLibrary())
        prof_torch.start()
        with prof_torch.capture("t.db"):
            pass
        self.assertTrue(prof_torch.is_active())


class Flag(AnnotatedTest):
    """Under prof-run the collector says whether a window is open."""

    def setUp(self):
        super().setUp()
        self.flag = ctypes.c_int32(0)
        patch = mock.patch.object(library, "find_flag", lambda: self.flag)
        patch.start()
        self.addCleanup(patch.stop)

    def test_modules_and_ops_follow_it(self):
        prof_torch.start(steps="off")
        model = nn.Sequential(nn.Linear())
        model(1)
        self.assertEqual("", self.listing())
        self.assertIsNone(torch._C.state.profiler)
        self.flag.value = 1
        model(1)
        self.assertIn("0", self.listing())
        self.assertIsNotNone(torch._C.state.profiler)
        self.flag.value = 0
        model(1)
        self.assertEqual("", self.listing())
        self.assertIsNone(torch._C.state.profiler)

    def test_a_window_that_opens_inside_a_call_waits_for_the_next(self):
        prof_torch.start(steps="off")
        inner = nn.Linear()

        class Opens(nn.Module):
            def forward(self, x):
                Flag.now.value = 1
                return inner(x)

        Flag.now = self.flag
        model = nn.Sequential(Opens())
        model(1)
        self.assertEqual("", self.listing())
        model(1)
        self.assertIn("Sequential", self.listing())

    def test_what_goes_into_a_graph_is_marked(self):
        torch.cuda.is_current_stream_capturing = lambda: True
        self.addCleanup(delattr, torch.cuda, "is_current_stream_capturing")
        prof_torch.start(steps="off")
        nn.Sequential(nn.Linear())(1)
        self.assertIn("Sequential", self.listing())

    def test_always(self):
        prof_torch.start(mark="always")
        nn.Sequential(nn.Linear())(1)
        self.assertIn("Sequential", self.listing())

    def test_steps_are_told_whatever_it_says(self):
        prof_torch.start()
        model, optimizer = nn.Sequential(nn.Linear()), torch.optim.Adam()
        for _ in range(2):
            model(1)
            optimizer.step()
        self.assertIn("start step:1", self.listing())


if __name__ == "__main__":
    unittest.main()
