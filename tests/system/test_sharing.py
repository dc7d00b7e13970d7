# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Other profilers in the program: CUPTI of CUDA 13.3 has room for several, if all use what it added."""
import harness


class SharingTest(harness.SystemTest):
    def shared(self, script, cupti="cupti133", **extra):
        run = self.run_app(script, cupti=cupti, **extra)
        return run, run.trace()

    def assert_shared(self, trace, fact):
        self.assertEqual(fact, trace.meta().get("cupti_shared"))

    def test_a_tool_that_came_first(self):
        """Each has the records of its kinds, and all of them."""
        run, trace = self.shared(
            "tool share; tool enable kernels; launch a 30; copy htod 64 5; set 64 3;"
            "thread { launch b 20; } tool end; launch c 10"
        )
        self.assertEqual("tool: 0\ntool: kernels 50 copies 0 sets 0 other 0, 0\n", run.stdout)
        self.assert_counts(run, trace)
        self.assert_all_launched(trace)
        self.assert_shared(trace, "with CUPTI for the tool")
        self.assert_untouched(run, stdout=run.stdout, lines=1)

    def test_a_tool_that_comes_later(self):
        run, trace = self.shared(
            "launch a 30; tool share; tool enable copies; tool enable sets; launch b 20;"
            "copy htod 64 5; set 64 3; tool end",
            PROF_CUPTI_SHARED="1",
        )
        self.assertEqual("tool: 0\ntool: kernels 0 copies 5 sets 3 other 0, 0\n", run.stdout)
        self.assert_counts(run, trace)
        self.assert_shared(trace, "yes")

    def test_unasked_for_we_are_there_as_ever(self):
        """What programs do with CUPTI beside us is what it was: an older tool is refused, and so is one that
        would share."""
        for tool in ("alone", "share"):
            run, trace = self.shared(f"launch a 30; tool {tool}; launch b 20", PROF_FORCE="1")
            self.assertEqual("tool: 39\n", run.stdout)
            self.assert_counts(run, trace)
            self.assert_shared(trace, None)

    def test_a_program_that_takes_the_buffers_over(self):
        """Without subscribing; it goes on as before, and what we lack is counted."""
        _, trace = self.shared("launch a 30; takeover; launch b 20")
        self.assertIn("taken_over", trace.losses())

    def test_an_older_tool_holds_cupti(self):
        run = self.run_app(
            "tool alone; tool enable kernels; launch a 30; tool end", cupti="cupti133"
        )
        self.assertEqual("tool: 0\ntool: kernels 30 copies 0 sets 0 other 0, 0\n", run.stdout)
        self.assertIn("already holds CUPTI in this process", run.stderr)
        self.assertEqual([], run.traces())

    def test_the_holder_is_named(self):
        run = self.run_app("launch a 3", cupti="cupti133", STANDIN_CUPTI_FAIL="held")
        self.assertIn("'CUPTI for Other Profiler' already holds CUPTI in this process", run.stderr)
        self.assertEqual([], run.traces())

    def test_where_cupti_cannot_be_shared(self):
        """Too old, incomplete or with an older driver: alone, and a line says so if sharing was asked for."""
        for cupti, extra in (
            ("cupti133", {"STANDIN_CUPTI_VERSION": "130200"}),
            ("cupti13", {"STANDIN_CUPTI_VERSION": "130300"}),
            ("cupti133", {"STANDIN_CUPTI_FAIL": "cannot_share"}),
            ("cupti12", {}),
        ):
            for asked in ("0", "1"):
                with self.subTest(cupti=cupti, asked=asked, **extra):
                    run, trace = self.shared(
                        "launch a 30; copy htod 64 5",
                        cupti=cupti,
                        PROF_CUPTI_SHARED=asked,
                        PROF_FORCE="1",
                        **extra,
                    )
                    self.assert_counts(run, trace)
                    self.assert_shared(trace, None)
                    self.assertEqual(asked == "1", "CUPTI cannot be shared here" in run.stderr)

    def test_windows_leave_the_other_tool_alone(self):
        """Neither detaching nor flushing between windows touches its session, and each window is complete."""
        for between in ("light", "off"):
            with self.subTest(between=between):
                run = self.run_app(
                    "tool share; tool enable kernels; launch before 7;"
                    "push step:1; launch a 10; pop; launch between 5;"
                    "push step:2; launch b 10; pop; launch after 3; tool end",
                    door="run",
                    options=("--force", "--capture", "steps:1..2", "--between", between),
                    cupti="cupti133",
                )
                trace = run.trace()
                self.assertEqual(
                    "tool: 0\ntool: kernels 35 copies 0 sets 0 other 0, 0\n", run.stdout
                )
                kernels = trace.kernels_by_name()
                self.assertEqual((10, 10), (kernels["a"], kernels["b"]))
                self.assertNotIn("before", kernels)
                self.assertNotIn("after", kernels)
                self.assert_no_loss(trace)

    def test_windows_alone_at_a_shared_cupti(self):
        run = self.run_app(
            "push step:1; launch a 10; pop; launch between 5; push step:3; launch b 10; pop;"
            "tool share; tool enable kernels; launch after 3; tool end",
            door="run",
            options=("--capture", "steps:1,3", "--between", "off"),
            cupti="cupti133",
            PROF_CUPTI_SHARED="1",
        )
        self.assertEqual("tool: 0\ntool: kernels 3 copies 0 sets 0 other 0, 0\n", run.stdout)
        trace = run.trace()
        self.assertEqual({"a": 10, "b": 10}, trace.kernels_by_name())
        self.assert_no_loss(trace)

    def test_the_first_tool_decides_how_graphs_are_recorded(self):
        replay = "capture g { launch n 4 } replay g 3; tool end"
        run, trace = self.shared(f"tool share graphs; tool enable kernels; launch a; {replay}")
        self.assertEqual("tool: 0\ntool: kernels 1 copies 0 sets 0 other 0, 0\n", run.stdout)
        self.assertIn("records CUDA graphs as a whole, and so does the capture", run.stderr)
        self.assertEqual({"whole_graph": 3}, trace.losses())
        self.assertEqual(4, sum(trace.kernels_by_name().values()))
        run, trace = self.shared(
            f"tool share; tool enable kernels; launch a; {replay}",
            PROF_GRAPH_TRACE="graph",
            PROF_FORCE="1",
        )
        self.assertIn(
            "no records of whole graphs; the capture has those of their nodes", run.stderr
        )
        self.assert_counts(run, trace)

    def test_we_come_first_and_record_whole_graphs(self):
        _, trace = self.shared(
            "launch a; capture g { launch n 4 } replay g 3",
            PROF_GRAPH_TRACE="graph",
            PROF_CUPTI_SHARED="1",
        )
        self.assertEqual({"whole_graph": 3}, trace.losses())


if __name__ == "__main__":
    harness.main()
