#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Many threads, many launches, ids that wrap: nothing is lost uncounted, and memory stays bounded."""
from harness import SystemTest, main, number_in


class Load(SystemTest):
    def test_200_threads(self):
        # At the pace of real launches: 200 threads are more than CPUs, and each has a buffer of
        # CUPTI's.
        run = self.run_app(
            "launch first; threads 200 { push t; repeat 25 { push op; launch k 20 cudaLaunchKernelExC; pop; set; sleep 20 } pop }"
        )
        self.assert_counts(run)
        trace = run.trace()
        self.assertEqual({("t", "op"): 100000}, dict(trace.stacks_by_kernel()["k"]))
        self.assertEqual(
            200,
            trace.one(
                "SELECT count(DISTINCT a.thread_id) FROM memset m JOIN api_call a"
                " ON a.correlation = m.correlation"
            ),
        )

    def test_400_threads_at_full_speed(self):
        # More threads than there are buffers: what is refused is counted, record by record.
        run = self.run_app("launch first; threads 400 { launch k 300 }")
        kernels, losses = self.check_all_counted(run, 120_001)
        print(f"kept {kernels} of 120001, losses {losses}")
        self.assertNotIn("taken_over", losses)

    def test_threads_that_come_and_go(self):
        # Threads that have ended may leave buffers behind, until a flush brings them back.
        run = self.run_app(
            "launch first; repeat 300 { threads 4 { push t; launch k 5; pop } sleep 5 } rss_limit 400"
        )
        trace = run.trace()
        self.assertEqual(6000, trace.kernels_by_name()["k"])
        self.assertEqual({("t",): 6000}, dict(trace.stacks_by_kernel()["k"]))
        self.assertEqual(1200, trace.one("SELECT count(DISTINCT thread_id) FROM range"))
        self.assert_no_loss(trace)

    def check_all_counted(self, run, made):
        """Kernels kept and kernels lost make those that were launched; so do the calls."""
        trace = run.trace()
        losses = trace.losses()
        kernels, calls = trace.kernel_count(), trace.one("SELECT count(*) FROM api_call")
        lost = sum(
            count
            for word, count in losses.items()
            if word in ("dropped_records", "ring_full", "queue_full")
        )
        self.assertLessEqual(kernels, made)
        self.assertEqual(2 * made, kernels + calls + lost, losses)
        return kernels, losses

    def test_two_million_launches(self):
        run = self.run_app("launches 2000000 10; rss_limit 700; exit 3", status=3, timeout=400)
        kernels, losses = self.check_all_counted(run, 2_000_000)
        print(f"kept {kernels} of 2000000 at full speed, {run.stdout.strip()}, losses {losses}")
        self.assertLess(number_in(run.stdout), 700)
        if kernels < 2_000_000:
            said = self.report("-r", "layers")
            self.assertRegex(said.stdout + said.stderr, "(?i)lost|dropped")

    def test_at_the_pace_of_a_real_gpu(self):
        # Real launches take some microseconds each: at that pace nothing may be lost.
        run = self.run_app(
            "repeat 400 { push step; launches 500 10; sleep 3; pop } rss_limit 400", timeout=400
        )
        trace = run.trace()
        self.assertEqual(200_000, trace.kernel_count())
        self.assert_no_loss(trace)
        self.assert_all_launched(trace)

    def test_small_queue_loses_counted(self):
        run = self.run_app(
            "launches 400000 10; exit 3",
            status=3,
            timeout=300,
            PROF_QUEUE_MB="1",
            PROF_BUFFER_MB="1",
        )
        kernels, losses = self.check_all_counted(run, 400_000)
        if kernels < 400_000:
            self.assertTrue({"queue_full", "dropped_records", "ring_full"} & set(losses), losses)

    def test_correlation_ids_wrap(self):
        run = self.run_app(
            "push a; launch before 2000; pop; push b; launch after 2000; copy htod 64 10; pop; "
            "threads 8 { push c; launch t 300; pop }",
            STANDIN_CORRELATION_START=str(2**32 - 2500),
        )
        self.assert_counts(run)
        trace = run.trace()
        self.assert_all_launched(trace)
        stacks = trace.stacks_by_kernel()
        self.assertEqual(
            [{("a",): 2000}, {("b",): 2000}, {("c",): 2400}],
            [dict(stacks[name]) for name in ("before", "after", "t")],
        )
        # Wide ids never repeat and grow in launch order.
        self.assertEqual(6400, trace.one("SELECT count(DISTINCT correlation) FROM kernel"))
        self.assertEqual(
            0,
            trace.one(
                "SELECT count(*) FROM (SELECT start_ns, lag(start_ns) OVER (ORDER BY correlation) AS before FROM api_call"
                " WHERE thread_id = (SELECT min(thread_id) FROM api_call)) WHERE start_ns < before"
            ),
        )

    def test_buffers_of_a_shared_pool(self):
        # Without buffers per thread CUPTI fills one after the other; with them 200 are open at
        # once.
        run = self.run_app("threads 200 { launch k 50 }", PROF_BUFFER_MB="64")
        self.assertEqual({"k": 10000}, run.trace().kernels_by_name())


if __name__ == "__main__":
    main()
