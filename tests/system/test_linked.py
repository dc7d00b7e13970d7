#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A program that links libprof and starts and stops captures itself."""
import os

import trace_db
from harness import LINKED_APP, SystemTest, main, unless_sanitized


class Linked(SystemTest):
    def linked(self, script, **options):
        return self.run_app(script, options.pop("door", "none"), app=LINKED_APP, **options)

    def trace(self, name):
        return trace_db.Trace(os.path.join(self.folder, name))

    def test_start_stop_before_cuda(self):
        run = self.linked(
            "prof_start one.db; push a; launch k 5; copy htod; set; pop; sync; prof_stop; prof_status"
        )
        self.assertEqual(
            "start: done\nstop: done\nstatus: running 0 kernels 5 copies 1 sets 1 launches 5 lost 0\n",
            run.stdout,
        )
        self.assertEqual("", run.stderr)
        trace = self.trace("one.db")
        self.assert_counts(run, trace)
        self.assertEqual({("a",): 5}, dict(trace.stacks_by_kernel()["k"]))
        self.assertEqual("stop", trace.meta()["ended"])

    def test_start_twice_with_work_between(self):
        self.linked(
            "launch before 3; push outer; prof_start one.db; launch first 4; capture g { launch in_graph } replay g 2; prof_stop; "
            "launch between 5; prof_start two.db; push inner; launch second 6; replay g 3; pop; prof_stop; launch after 7"
        )
        one, two = self.trace("one.db"), self.trace("two.db")
        self.assertEqual({"first": 4, "in_graph": 2}, one.kernels_by_name())
        self.assertEqual({"second": 6, "in_graph": 3}, two.kernels_by_name())
        for trace in (one, two):
            self.assert_no_loss(trace)
            self.assert_all_launched(trace)
        # A range that was open when the capture began is on the stack.
        self.assertEqual({("outer",): 4}, dict(one.stacks_by_kernel()["first"]))
        self.assertEqual({("outer", "inner"): 6}, dict(two.stacks_by_kernel()["second"]))

    def test_many_sessions(self):
        script = "".join(
            f"prof_start s{i}.db keep_attached; launch k {i + 1}; prof_stop; launch gap 2; "
            for i in range(8)
        )
        self.linked(script)
        for i in range(8):
            self.assertEqual({"k": i + 1}, self.trace(f"s{i}.db").kernels_by_name())
            self.assert_no_loss(self.trace(f"s{i}.db"))

    def test_nothing_is_left_after_stop(self):
        run = self.linked(
            "prof_start one.db; launch k; prof_stop; threads 4 { launch after 1000 } push a; pop; out done"
        )
        self.assertTrue(run.stdout.endswith("done\n"))
        self.assertEqual({"k": 1}, self.trace("one.db").kernels_by_name())

    def test_flush_makes_readable(self):
        process = self.start_app(
            "prof_start one.db; launch k 50; sync; prof_flush; prof_status; ready; wait_line; launch l; prof_stop",
            "none",
            app=LINKED_APP,
        )
        lines = [process.stdout.readline() for _ in range(4)]
        self.assertEqual("ready\n", lines[3], lines)
        self.assertIn("running 1 kernels 50 copies 0 sets 0 launches 50 lost 0", lines[2])
        self.trace_path = os.path.join(self.folder, "one.db")
        self.assertEqual(50, len(self.kernels_of_report()))
        process.stdin.write("\n")
        process.stdin.close()
        self.assertEqual(0, process.wait(30))
        self.assertEqual({"k": 50, "l": 1}, self.trace("one.db").kernels_by_name())

    def test_errors_are_returned(self):
        open(os.path.join(self.folder, "there.db"), "w", encoding="ascii").close()
        run = self.linked(
            "prof_stop; prof_flush; prof_start there.db; prof_start nowhere/x.db; prof_start ok.db; prof_start again.db; "
            "launch k; prof_stop; prof_stop; prof_start there.db force; launch l; prof_stop"
        )
        lines = run.stdout.splitlines()
        self.assertEqual(10, len(lines), run.stdout)
        for index, words in enumerate(
            (
                ["no capture"],
                ["no capture"],
                ["there.db"],
                ["nowhere"],
                [],
                ["running"],
                [],
                ["no capture"],
                [],
                [],
            )
        ):
            for word in words:
                self.assertIn(word, lines[index])
        self.assertEqual("", run.stderr)
        self.assertEqual({"k": 1}, self.trace("ok.db").kernels_by_name())
        self.assertEqual({"l": 1}, self.trace("there.db").kernels_by_name())
        self.assertFalse(os.path.exists(os.path.join(self.folder, "again.db")))

    def test_failures_are_told_apart(self):
        for fail, cupti, word in (
            ("held", "cupti13", "Other Profiler"),
            ("privileges", "cupti13", "not permitted"),
            ("subscribe_privileges", "cupti13", "not permitted"),
        ):
            run = self.linked(
                "prof_start one.db; launch k 3; prof_stop; exit 5",
                cupti=cupti,
                status=5,
                STANDIN_CUPTI_FAIL=fail,
            )
            self.assertIn(word, run.stdout.splitlines()[0])
            self.assertIn("no capture", run.stdout.splitlines()[1])
            self.assertEqual({"k": 3}, run.counts["kernels"])
            self.assertEqual("", run.stderr)
            self.assertEqual([], run.traces())

    def test_no_driver(self):
        run = self.linked("prof_start one.db; out on; exit 6", cupti="no driver", status=6)
        self.assertNotIn("start: done", run.stdout)
        self.assertTrue(run.stdout.endswith("on\n"))
        self.assertEqual([], run.traces())

    def test_under_prof_run_there_is_a_capture_already(self):
        run = self.linked("launch a 2; prof_start one.db; launch b 3; prof_stop", door="run")
        self.assertIn("already", run.stdout.splitlines()[0])
        # What was running was prof-run's capture, which its stop ended.
        self.assertLessEqual(
            {"a": 2, "b": 3}.items(), self.trace("trace.db").kernels_by_name().items()
        )

    def test_exit_while_running(self):
        self.linked("prof_start one.db; launch k 5; exit 3", status=3)
        trace = self.trace("one.db")
        self.assertEqual({"k": 5}, trace.kernels_by_name())
        self.assertEqual("exit", trace.meta()["ended"])

    @unless_sanitized(
        "asan",
        "its allocator's locks may be held by another thread at a fork, and stay so in the child",
    )
    def test_fork_after_start(self):
        run = self.linked(
            "prof_start one.db; launch k 5; fork { prof_start two.db; launch l; prof_stop } launch m; prof_stop"
        )
        self.assertNotIn("child status", run.stdout)
        self.assertIn("forked", run.stdout)
        self.assertEqual({"k": 5, "m": 1}, self.trace("one.db").kernels_by_name())
        self.assertEqual(1, len(run.traces()))

    def test_start_and_stop_from_threads(self):
        self.linked(
            "threads 8 { repeat 20 { prof_start t.db force; launch k 3; prof_stop; prof_status; prof_flush } } "
            "prof_start last.db; launch z; prof_stop"
        )
        self.assertEqual({"z": 1}, self.trace("last.db").kernels_by_name())


if __name__ == "__main__":
    main()
