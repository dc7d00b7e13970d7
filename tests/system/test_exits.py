#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""However a program ends, it keeps its exit status, its trace is readable, and missing data is
reported."""
import signal
import sqlite3
import subprocess
import time

import trace_db
from harness import PROF_REPORT, SystemTest, main, unless_sanitized


class CleanExits(SystemTest):
    WORK = "push a; launch k 500; copy htod 64 20; pop; "

    def check(self, script, status):
        for door in ("preload", "run"):
            with self.subTest(door=door):
                run = self.run_app(
                    self.WORK + script,
                    door,
                    status=status,
                    options=["--force"] if door == "run" else (),
                    PROF_FORCE="1",
                )
                trace = run.trace()
                self.assertEqual({"k": 500}, trace.kernels_by_name())
                self.assertEqual({"htod": 20}, trace.copies_by_kind())
                self.assertEqual({("a",): 500}, dict(trace.stacks_by_kernel()["k"]))
                self.assert_no_loss(trace)
                self.assertEqual("exit", trace.meta()["ended"])
                self.assert_untouched(run)
                self.assertEqual([self.trace_path], run.traces())

    def test_return_from_main(self):
        self.check("", 0)

    def test_exit(self):
        self.check("exit 7", 7)

    def test_exit_on_another_thread(self):
        self.check("thread_exit 9", 9)

    def test_quick_exit(self):
        self.check("quick_exit 11", 11)

    @unless_sanitized(
        "asan",
        "its allocator's locks may be held by another thread at a fork, and stay so in the child",
    )
    def test_exit_while_other_threads_work(self):
        for _ in range(5):
            run = self.run_app(
                "fork_quick { } thread { launch first } threads 1 { thread_exit 4 }",
                status=4,
                PROF_FORCE="1",
            )
            self.assertEqual({"first": 1}, run.trace().kernels_by_name())


class AfterTheEnd(SystemTest):
    def test_launches_of_destructors_are_counted(self):
        # The handler is set before CUDA starts, and so runs after the one that ends the capture.
        for handler, late in (("at_exit { launch late 20; }", 20), ("", 0)):
            run = self.run_app(
                f"{handler} launch k 300; out done; exit 7", status=7, PROF_FORCE="1"
            )
            self.assertEqual("done\n", run.stdout)
            self.assertEqual(late, run.trace().losses().get("after_end", 0))
            said = [
                line for line in run.prof_lines if "exit handlers had ended the capture" in line
            ]
            self.assertEqual(1 if late else 0, len(said), run.stderr)
            self.assertEqual({"k": 300}, run.trace().kernels_by_name())


class Killed(SystemTest):
    def check_killed(self, script, status, launches):
        run = self.run_app(script, status=status)
        said = self.report("-r", "layers")
        self.assertRegex((said.stdout + said.stderr).lower(), "killed|did not end|ended without")
        # A leftover journal is rolled back by whoever opens the file to write.
        db = sqlite3.connect(self.trace_path)
        self.assertEqual("ok", db.execute("PRAGMA integrity_check").fetchone()[0])
        db.close()
        trace = run.trace()
        self.assertEqual(launches, sum(trace.api_by_name().values()))
        self.assertNotIn("ended", trace.meta())
        return run

    def test_underscore_exit(self):
        self.check_killed("push a; launch k 300; sleep 2500; _exit 3", 3, 300)

    def test_abort(self):
        self.check_killed("push a; launch k 300; sleep 2500; abort", -signal.SIGABRT, 300)

    @unless_sanitized(
        "asan", "the undefined-behavior sanitizer sees the program's own null pointer first"
    )
    def test_crash(self):
        self.check_killed("push a; launch k 300; sleep 2500; crash", -signal.SIGSEGV, 300)

    def test_sigterm(self):
        self.check_killed("push a; launch k 300; sleep 2500; kill 15", -signal.SIGTERM, 300)

    def test_full_buffers_are_kept(self):
        # One small activity buffer a thread may be missing, no more.
        self.check_killed("launch k 20000; sleep 2500; _exit 3", 3, 20000)
        kept = trace_db.Trace(self.trace_path).kernel_count()
        self.assertGreaterEqual(kept, 20000 - 1300)

    def test_kill_in_the_middle(self):
        process = self.start_app("push a; push b; progress k 100000000")
        told = []
        start = time.monotonic()
        while time.monotonic() - start < 5:
            told.append((time.monotonic(), int(process.stdout.readline())))
        process.send_signal(signal.SIGKILL)
        killed = time.monotonic()
        process.wait()
        self.assertEqual(-signal.SIGKILL, process.returncode)
        # Read-only first: reading must not need to write.
        said = self.report("-r", "layers")
        self.assertRegex((said.stdout + said.stderr).lower(), "killed|did not end|ended without")
        sqlite3.connect(self.trace_path).execute("PRAGMA integrity_check").fetchall()
        trace = trace_db.Trace(self.trace_path)
        # Commits come about every second, on a machine that may be busy.
        expected = max(count for at, count in told if at < killed - 2)
        self.assertGreaterEqual(trace.one("SELECT count(*) FROM api_call"), expected)
        self.assertGreaterEqual(trace.kernel_count(), expected - 1300)
        self.assertEqual({("a", "b")}, set(trace.stacks_by_kernel()["k"]))


class StillRunning(SystemTest):
    def test_report_while_it_runs(self):
        process = self.start_app(
            "push a; launch k 5000; sync; sleep 2500; ready; wait_line; launch l"
        )
        self.assertEqual("ready\n", process.stdout.readline())
        done = subprocess.run(
            [PROF_REPORT, "-r", "kernels", "-f", "csv", self.trace_path],
            capture_output=True,
            text=True,
        )
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertGreaterEqual(done.stdout.count("\n"), 5000 - 1300)
        process.stdin.write("\n")
        process.stdin.close()
        self.assertEqual(0, process.wait(30))
        self.assertEqual({"k": 5000, "l": 1}, trace_db.Trace(self.trace_path).kernels_by_name())


if __name__ == "__main__":
    main()
