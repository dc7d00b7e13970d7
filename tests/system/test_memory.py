#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Allocations and releases of memory: what CUPTI tells, under which range, only if asked for."""
from harness import SystemTest, main

SCRIPT = (
    "push layer:a; allocate 4096 1000; allocate_async 8192 500; launch k; pop; "
    "release 4096 1000; release_async 8192 500; sync"
)


class MemoryTest(SystemTest):
    def traced(self, script=SCRIPT, words=("--trace", "memory"), **options):
        run = self.run_app(script, door="run", options=words, **options)
        self.assert_counts(run)
        return run.trace()

    def test_each_has_its_call_and_range(self):
        trace = self.traced()
        rows = trace.rows(
            "SELECT m.operation, m.memory, m.device, m.context, m.stream, m.address, m.bytes,"
            " m.pool, m.pool_bytes, f.text, r.text FROM allocation m"
            " JOIN api_call a ON a.correlation = m.correlation AND a.depth = 0"
            " JOIN api_function af ON af.id = a.function_id JOIN string f ON f.id = af.name_id"
            " LEFT JOIN range g ON g.id = a.range_id LEFT JOIN string r ON r.id = g.text_id"
            " ORDER BY m.id"
        )
        pool = (0x5000, 32 << 20)
        self.assertEqual(
            [
                (1, 3, 0, 1, None, 4096, 1000, None, None, "cudaMalloc", "layer:a"),
                (1, 3, 0, 1, 7, 8192, 500, *pool, "cudaMallocAsync", "layer:a"),
                (2, 3, 0, 1, None, 4096, 1000, None, None, "cudaFree", None),
                (2, 3, 0, 1, 7, 8192, 500, *pool, "cudaFreeAsync", None),
            ],
            rows,
        )
        self.assertEqual(
            4,
            trace.one(
                "SELECT count(*) FROM allocation m JOIN api_call a"
                " ON a.correlation = m.correlation AND a.depth = 0"
                " WHERE m.time_ns BETWEEN a.start_ns AND"
                " a.start_ns + a.duration_ns"
            ),
        )

    def test_not_without_the_word(self):
        for words in ((), ("--trace", "device"), ("--trace", "memory,no-memory")):
            with self.subTest(words=words):
                self.assertEqual(
                    0, self.traced(words=("--force", *words)).one("SELECT count(*) FROM allocation")
                )

    def test_by_the_environment(self):
        run = self.run_app(SCRIPT, PROF_TRACE="memory")
        self.assert_counts(run)
        self.assertEqual(4, run.trace().one("SELECT count(*) FROM allocation"))

    def test_no_call_without_its_callback(self):
        trace = self.traced(words=("--trace", "memory", "--api", "none"))
        self.assertEqual(
            4,
            trace.one(
                "SELECT count(*) FROM allocation WHERE correlation NOT IN"
                " (SELECT correlation FROM api_call)"
            ),
        )

    def test_cudafreeasync_of_memory_without_a_pool(self):
        """CUPTI crashes there, so that record is missing: counted, and nothing else is."""
        run = self.run_app(
            "allocate 4096 1; allocate_async 8192 2; launch k; release_async 4096 1; "
            "release_async 8192 2; allocate 4096 3; sync",
            door="run",
            options=("--trace", "memory"),
        )
        self.assert_counts(run, allowed=("release_not_recorded",))
        trace = run.trace()
        self.assertEqual(
            [(1, 4096), (1, 8192), (2, 8192), (1, 4096)],
            trace.rows("SELECT operation, address FROM allocation ORDER BY id"),
        )
        self.assertEqual(1, trace.losses()["release_not_recorded"])

    def test_only_in_its_window(self):
        trace = self.run_app(
            "allocate 4096 1; launch k; push w; release 4096 1; allocate 8192 2; launch k; pop; "
            "release 8192 2; launch k; sync",
            door="run",
            options=("--trace", "memory", "--capture", "nvtx:w"),
        ).trace()
        self.assertEqual(
            [(2, 4096), (1, 8192)],
            trace.rows("SELECT operation, address FROM allocation ORDER BY id"),
        )


if __name__ == "__main__":
    main()
