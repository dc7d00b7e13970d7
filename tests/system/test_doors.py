#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Every way to start a capture and every way to launch GPU work: counts are exact."""
import os
import shutil

import trace_db
from harness import INJECT, STANDIN, SystemTest, main

DOORS = [
    "cudaLaunchKernel",
    "__cudaLaunchKernel",
    "cudaLaunchKernel_ptsz",
    "__cudaLaunchKernel_ptsz",
    "cudaLaunchKernelExC",
    "cudaLaunchKernelExC_ptsz",
    "cudaLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuLaunchKernel_ptsz",
    "cuLaunchKernelEx",
    "cuLaunchKernelEx_ptsz",
    "cuLaunchCooperativeKernel",
]

EVERYTHING = (
    "push work; "
    + "".join(f"launch k_{i} {3 + i} {door}; " for i, door in enumerate(DOORS))
    + "copy htod 100 3; copy_async dtoh 200 4; copy dtod 300 5; copy_async dtod 64; set 512 6; "
    "capture g { push captured; launch in_graph_a 2; launch in_graph_b; set; copy_async dtod; pop } replay g 7; "
    "node h by_hand; node h by_hand_2; replay h 3; malloc 2; event 2; getter 5; sync; refuse bad 4; pop"
)


class WaysIn(SystemTest):
    def check(self, door, **options):
        run = self.run_app(EVERYTHING + "; out done", door, **options)
        self.assert_counts(run)
        self.assert_untouched(run, "done\n")
        trace = run.trace()
        self.assert_all_launched(trace)
        self.assertEqual("exit", trace.meta()["ended"])
        return trace

    def test_prof_run(self):
        self.check("run")

    def test_preload(self):
        self.check("preload")

    def test_injection_variable(self):
        self.check("injection")

    def test_injection_variable_alone(self):
        # Without NVTX's variable the driver still loads the collector before the first range here.
        run = self.run_app(
            "launch a 3", "none", PROF_OUTPUT=self.trace_path, CUDA_INJECTION64_PATH=INJECT
        )
        self.assert_counts(run)

    def test_older_cupti(self):
        trace = self.check("preload", cupti="cupti12")
        # What this version's records do not have must not be read from the next record's bytes.
        self.assertEqual([], trace.rows("SELECT * FROM work_origin WHERE origin = 2"))
        self.assertEqual(0, trace.one("SELECT count(*) FROM memcpy WHERE count <> 1"))

    def test_cupti_of_a_wheel(self):
        """In the Python installation that the collector is installed in, where no toolkit is."""
        prefix = os.path.join(self.folder, "prefix")
        collector = os.path.join(prefix, "libexec", "prof", "libprof_inject.so")
        wheel = os.path.join(
            prefix, "lib", "python3.12", "site-packages", "nvidia", "cu13", "lib", "libcupti.so.13"
        )
        for source, to in (
            (INJECT, collector),
            (os.path.join(STANDIN, "cupti13", "libcupti.so.13"), wheel),
        ):
            os.makedirs(os.path.dirname(to))
            shutil.copy(source, to)
        trace = self.check("run", cupti=None, PROF_COLLECTOR=collector)
        self.assertTrue(os.path.samefile(wheel, trace.meta()["cupti_path"]))

    def test_a_child_of_a_program_with_libprof(self):
        """libprof.so leaves captures in its own process to prof_start(), and prof-run begins at once."""
        self.run_app("launch k 3; ", "run", PROF_START="manual", PROF_START_BY="libprof")
        self.assertEqual({"k": 3}, trace_db.Trace(self.trace_path).kernels_by_name())

    def test_same_table_by_every_door(self):
        tables = []
        for door in ("run", "preload", "injection"):
            self.run_app(
                EVERYTHING, door, PROF_FORCE="1", options=["--force"] if door == "run" else ()
            )
            rows = self.kernels_of_report()
            for row in rows:
                for key in [key for key in row if key.endswith("_ns") or key in ("thread", "tid")]:
                    row.pop(key)
            tables.append(rows)
        self.assertGreater(len(tables[0]), 60)
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(tables[0], tables[2])


class ApiModes(SystemTest):
    LAUNCH = {
        "cudaLaunchKernel",
        "__cudaLaunchKernel",
        "cudaLaunchKernelExC",
        "cudaLaunchCooperativeKernel",
        "cuLaunchKernel",
        "cuLaunchKernelEx",
        "cuLaunchCooperativeKernel",
        "cudaGraphLaunch",
    }
    WORK = LAUNCH | {"cudaMemcpy", "cudaMemcpyAsync", "cudaMemset"}

    def functions(self, mode, depth=0):
        run = self.run_app(EVERYTHING, PROF_API=mode)
        self.assert_counts(run)
        self.assert_all_launched(run.trace())
        return run.trace().api_by_name(depth)

    def test_none_keeps_what_makes_work(self):
        self.assertEqual(self.WORK, set(self.functions("none")))

    def test_launch(self):
        calls = self.functions("launch")
        self.assertLessEqual(
            self.WORK | {"cudaMalloc", "cudaEventRecord", "cudaDeviceSynchronize"}, set(calls)
        )
        self.assertNotIn("cudaGetDevice", calls)
        self.assertEqual(2, calls["cudaMalloc"])
        self.assertEqual(10, calls["cudaGraphLaunch"])
        # The profiler's own synchronization at the end is not the program's.
        self.assertNotIn("cuCtxSynchronize", calls)
        self.assertEqual({}, self.run_app("launch a", PROF_FORCE="1").trace().api_by_name(1))

    def test_all(self):
        calls = self.functions("all")
        self.assertEqual(5, calls["cudaGetDevice"])
        self.assertEqual(4 + sum(3 + i for i in (0, 2)) + 3, calls["cudaLaunchKernel"])
        self.assertNotIn("cuCtxSynchronize", calls)
        self.assertNotIn("cuDeviceGetAttribute", calls)

    def test_all_has_the_driver_call_inside(self):
        self.run_app("launch a 3; getter 2", PROF_API="all")
        trace = trace_db.Trace(self.trace_path)
        self.assertEqual({"cuLaunchKernel": 3, "cuCtxGetDevice": 2}, trace.api_by_name(1))
        # The inner call lies within the outer one, and they share the correlation id.
        self.assertEqual(
            5,
            trace.one(
                "SELECT count(*) FROM api_call o JOIN api_call i ON i.correlation = o.correlation AND i.depth = 1"
                " WHERE o.depth = 0 AND i.start_ns >= o.start_ns AND i.start_ns + i.duration_ns <= o.start_ns + o.duration_ns"
            ),
        )

    def test_prof_run_option(self):
        self.run_app(EVERYTHING, "run", options=["--api", "all"])
        self.assertIn("cudaGetDevice", trace_db.Trace(self.trace_path).api_by_name())


class Records(SystemTest):
    def test_kernel_fields(self):
        trace = self.run_app("launch k 1 cudaLaunchCooperativeKernel; launch l").trace()
        rows = trace.rows(
            "SELECT s.text, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers_per_thread,"
            " static_shared_bytes, dynamic_shared_bytes, cooperative, q.device, q.context, q.stream, k.duration_ns"
            " FROM kernel k JOIN launch_config c ON c.id = k.config_id JOIN string s ON s.id = c.name_id"
            " JOIN queue q ON q.id = k.queue_id ORDER BY k.correlation"
        )
        self.assertEqual(
            [
                ("k", 3, 2, 1, 128, 1, 1, 42, 1024, 2048, 1, 0, 1, 7, 1000),
                ("l", 3, 2, 1, 128, 1, 1, 42, 1024, 2048, 0, 0, 1, 7, 1000),
            ],
            rows,
        )

    def test_copies(self):
        trace = self.run_app("copy htod 100; copy_async dtoh 200; set 300").trace()
        self.assertEqual(
            [(1, 100, 0, 1, 3), (2, 200, 1, 3, 1)],
            trace.rows(
                "SELECT copy_kind, bytes, async, source, destination FROM memcpy ORDER BY correlation"
            ),
        )
        self.assertEqual([(300, 0, 0)], trace.rows("SELECT bytes, value, async FROM memset"))

    def test_waits(self):
        trace = self.run_app(
            "launch a; sync; sync stream 9; sync stream; sync event; sync wait_event 11"
        ).trace()
        self.assertEqual(
            [
                (4, 1, None, "cudaDeviceSynchronize"),
                (3, 1, 9, "cudaStreamSynchronize"),
                (3, 1, 7, "cudaStreamSynchronize"),
                (1, 1, None, "cudaEventSynchronize"),
                (2, 1, 11, "cudaStreamWaitEvent"),
            ],
            trace.rows(
                "SELECT type, context, nullif(stream, 0), s.text FROM sync w"
                " JOIN api_call a USING (correlation) JOIN api_function f"
                " ON f.id = a.function_id JOIN string s ON s.id = f.name_id"
                " WHERE a.depth = 0 ORDER BY w.start_ns"
            ),
        )
        # A wait lies within its call.
        self.assertEqual(
            5,
            trace.one(
                "SELECT count(*) FROM sync w JOIN api_call a USING (correlation)"
                " WHERE w.duration_ns > 0 AND w.start_ns >= a.start_ns AND"
                " w.start_ns + w.duration_ns <= a.start_ns + a.duration_ns"
            ),
        )

    def test_waits_without_calls(self):
        trace = self.run_app(
            "launch a; sync; sync stream 9", "run", options=["--api", "none"]
        ).trace()
        self.assertEqual([(4,), (3,)], trace.rows("SELECT type FROM sync ORDER BY start_ns"))
        self.assertEqual(1, trace.one("SELECT count(*) FROM api_call"))

    def test_a_captured_stream_does_not_wait(self):
        trace = self.run_app(
            "launch k; sync wait_event 3; capture g { launch k; sync wait_event 3 };"
            " sync wait_event 4"
        ).trace()
        self.assertEqual([(3,), (4,)], trace.rows("SELECT stream FROM sync ORDER BY start_ns"))

    def test_overhead(self):
        trace = self.run_app("launch a").trace()
        self.assertEqual(
            [("LAZY_FUNCTION_LOADING",)],
            trace.rows("SELECT s.text FROM overhead o JOIN string s ON s.id = o.kind_id"),
        )

    def test_device_and_process(self):
        trace = self.run_app("launch a", "run").trace()
        self.assertEqual(
            [("Stand-in GPU", "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", 9, 0, 132, 150 << 30)],
            trace.rows(
                "SELECT name, uuid, compute_major, compute_minor, sm_count, memory_bytes FROM device"
            ),
        )
        command = trace.one("SELECT command_line FROM process")
        self.assertIn("script_app", command)
        self.assertIn("launch a", command)
        self.assertGreaterEqual(trace.one("SELECT count(*) FROM clock_sync"), 1)

    def test_graph_nodes_lead_to_where_they_were_made(self):
        run = self.run_app(
            "push making; capture g { push inner; launch a; pop; launch b } pop; push playing; replay g 5; pop"
        )
        trace = run.trace()
        self.assert_counts(run)
        ranges = trace.ranges()
        made = {}
        for node, original, range_id in trace.rows(
            "SELECT graph_node, original_node, range_id FROM graph_node"
        ):
            made[node] = (original, trace.stack(range_id, ranges))
        found = set()
        for name, node in trace.rows(
            "SELECT s.text, o.graph_node FROM kernel k JOIN work_origin o ON o.id = k.origin_id"
            " JOIN launch_config c ON c.id = k.config_id JOIN string s ON s.id = c.name_id WHERE o.origin = 1"
        ):
            original, _ = made[node]
            found.add((name, tuple(made[original][1])))
        self.assertEqual({("a", ("making", "inner")), ("b", ("making",))}, found)
        # The launch of the graph itself was made elsewhere.
        self.assertEqual({("playing",): 5}, dict(trace.stacks_by_kernel()["a"]))
        # Capturing a launch makes no kernel, so none is missing.
        self.assertNotIn("launch_without_record", trace.losses())


if __name__ == "__main__":
    main()
