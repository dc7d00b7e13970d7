# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""torch's own ranges of ops: when they are on, in which threads, and that they give way."""
import threading
import unittest

from support import AnnotatedTest, prof_torch, torch
from torch import nn
from torch.autograd import profiler


class Ops(AnnotatedTest):
    def test_begin_at_once_and_do_not_start_cuda(self):
        prof_torch.start()
        self.assertFalse(torch.cuda.is_initialized())
        self.assertEqual(torch._C._autograd._profiler_type(), profiler.ProfilerState.NVTX)
        self.assertTrue(torch._C.state.profiler._shapes)
        prof_torch.stop()
        self.assertIsNone(torch._C.state.profiler)

    def test_options(self):
        with prof_torch.profile(record_shapes=False):
            self.assertFalse(torch._C.state.profiler._shapes)
        with prof_torch.profile(ops=False):
            self.assertIsNone(torch._C.state.profiler)

    def test_threads_that_call_a_module(self):
        prof_torch.start()
        seen = []

        def work():
            nn.Linear()(1)
            seen.append(torch._C.state.profiler)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertIsNotNone(seen[0])

    def test_torch_is_told_that_a_profiler_runs(self):
        prof_torch.start()
        self.assertTrue(profiler._is_profiler_enabled)
        prof_torch.stop()
        self.assertFalse(profiler._is_profiler_enabled)

    def test_a_thread_that_runs_on_after_the_end_touches_nothing(self):
        prof_torch.start()
        goes_on, has_called = threading.Event(), threading.Event()

        def work():
            nn.Linear()(1)
            has_called.set()
            goes_on.wait(10)

        thread = threading.Thread(target=work)
        thread.start()
        has_called.wait(10)
        prof_torch.stop()
        profiler._run_on_profiler_start()  # the program's
        self.addCleanup(profiler._run_on_profiler_stop)
        goes_on.set()
        thread.join()
        self.assertTrue(profiler._is_profiler_enabled)

    def test_a_profiler_of_the_program_s_own(self):
        prof_torch.start()
        config = profiler.ProfilerConfig(profiler.ProfilerState.KINETO, *[None] * 6)
        profiler._prepare_profiler(config, set())
        profiler._enable_profiler(config, set())
        nn.Linear()(1)
        self.assertIs(torch._C.state.profiler, config)
        profiler._disable_profiler()
        self.assertEqual(torch._C._autograd._profiler_type(), profiler.ProfilerState.NVTX)

    def test_one_that_was_on_before(self):
        config = profiler.ProfilerConfig(profiler.ProfilerState.KINETO, *[None] * 6)
        profiler._enable_profiler(config, set())
        prof_torch.start()
        nn.Linear()(1)
        self.assertIs(torch._C.state.profiler, config)
        profiler._disable_profiler()
        nn.Linear()(1)
        self.assertEqual(torch._C._autograd._profiler_type(), profiler.ProfilerState.NVTX)


if __name__ == "__main__":
    unittest.main()
