#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers, forks and second CUDA processes: which are captured to which file, and which are left
alone."""
import os
import subprocess
import time

import trace_db
from harness import APP, INJECT, PROF_RUN, SystemTest, main, unless_sanitized


class Helpers(SystemTest):
    def test_a_program_without_cuda_is_left_alone(self):
        bare = subprocess.run(["/bin/sh", "-c", "ls /; exit 5"], capture_output=True, text=True)
        env = self.environment(LD_PRELOAD=INJECT, PROF_OUTPUT=self.trace_path)
        done = subprocess.run(
            ["/bin/sh", "-c", "ls /; exit 5"],
            env=env,
            capture_output=True,
            text=True,
            cwd=self.folder,
        )
        self.assertEqual((5, bare.stdout, ""), (done.returncode, done.stdout, done.stderr))
        self.assertEqual([], os.listdir(self.folder))

    def test_nvtx_without_cuda(self):
        run = self.run_app("push a; mark b; pop; threads 4 { push c; pop } out done")
        self.assert_untouched(run, "done\n", lines=0)
        self.assertEqual([], run.traces())

    def test_prof_run_says_that_there_was_no_cuda(self):
        done = subprocess.run(
            [PROF_RUN, "-o", self.trace_path, "--", "/bin/sh", "-c", "echo hi; exit 5"],
            env=self.environment(),
            capture_output=True,
            text=True,
        )
        self.assertEqual((5, "hi\n"), (done.returncode, done.stdout))
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
        self.assertIn("CUDA", done.stderr)
        self.assertFalse(os.path.exists(self.trace_path))

    def test_helpers_of_a_captured_program(self):
        run = self.run_app(
            'run "true; ls / > /dev/null; sh -c true"; launch a; run "python3 -c pass"; out done'
        )
        self.assert_counts(run)
        self.assert_untouched(run, "done\n")
        self.assertEqual([self.trace_path], run.traces())


@unless_sanitized(
    "asan",
    "its allocator's locks may be held by another thread at a fork, and stay so in the child",
)
class Forks(SystemTest):
    @unless_sanitized("tsan", "it does not let a child of a threaded process start threads")
    def test_child_after_start_is_left_alone(self):
        for word in ("fork", "fork_quick"):
            with self.subTest(word):
                run = self.run_app(
                    f"launch a 5; push x; {word} {{ push y; launch c; mark z; pop; pop; thread {{ push t; pop }} }} "
                    f"pop; launch b 2; {word} {{ }}",
                    PROF_FORCE="1",
                )
                # No "child status": the child ended well. It reached no CUPTI (the stand-in would
                # abort).
                self.assert_untouched(run)
                trace = run.trace()
                self.assertEqual({"a": 5, "b": 2}, trace.kernels_by_name())
                self.assertEqual(2, trace.losses()["forked_child"])
                self.assertEqual("exit", trace.meta()["ended"])
                self.assertEqual([self.trace_path], run.traces())

    def test_fork_while_threads_work(self):
        run = self.run_app(
            "launch first; threads 8 { repeat 30 { push r; launch k 20; pop; fork_quick { push x; launch c; pop } } }"
        )
        self.assertNotIn("child status", run.stdout)
        trace = run.trace()
        self.assertEqual({"first": 1, "k": 4800}, trace.kernels_by_name())
        self.assertEqual(240, trace.losses()["forked_child"])
        self.assert_no_loss(trace)

    def test_child_before_start_has_a_file_of_its_own(self):
        run = self.run_app("push above; fork { push in_child; launch c 3 } launch p 5", "run")
        self.assertNotIn("child status", run.stdout)
        found = {}
        for path in run.traces():
            trace = trace_db.Trace(path)
            self.assert_no_loss(trace)
            found.update(
                {
                    name: (count, path, dict(trace.stacks_by_kernel()[name]))
                    for name, count in trace.kernels_by_name().items()
                }
            )
        self.assertEqual({"c", "p"}, set(found))
        self.assertEqual((3, 5), (found["c"][0], found["p"][0]))
        self.assertNotEqual(found["c"][1], found["p"][1])
        self.assertEqual({("above", "in_child"): 3}, found["c"][2])
        self.assertEqual({("above",): 5}, found["p"][2])

    def test_fork_and_exec_after_start(self):
        run = self.run_app('launch a 5; fork { exec "push q; launch c 4" } launch b 2', "run")
        self.assertNotIn("child status", run.stdout)
        # The file is made when the first kernels are written: on a busy machine the second process
        # may be there first and take the plain name.
        self.assertEqual(2, len(run.traces()), run.stderr)
        self.assertIn(self.trace_path, run.traces())
        other = next(path for path in run.traces() if path != self.trace_path)
        self.assertRegex(os.path.basename(other), r"^trace\.\d+\.db$")
        self.assertCountEqual(
            [{"a": 5, "b": 2}, {"c": 4}],
            [trace_db.Trace(path).kernels_by_name() for path in run.traces()],
        )
        # The user is told where it went.
        self.assertTrue(any(os.path.basename(other) in line for line in run.prof_lines), run.stderr)

    def test_exec_without_fork(self):
        run = self.run_app('launch a 50; sleep 2500; exec "launch b 3; exit 8"', "run", status=8)
        self.assertEqual(2, len(run.traces()), run.stderr)
        self.assertEqual(
            50, trace_db.Trace(self.trace_path, recover=True).one("SELECT count(*) FROM api_call")
        )
        other = next(path for path in run.traces() if path != self.trace_path)
        self.assertEqual({"b": 3}, trace_db.Trace(other).kernels_by_name())

    def test_daemon_started_before_cuda(self):
        self.run_app("daemonise; push d; launch k 40; pop; sleep 300")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                trace = trace_db.Trace(self.trace_path)
                if trace.meta().get("ended"):
                    break
            except Exception:  # Not there yet, or locked by its writer.
                pass
            time.sleep(0.1)
        self.assertEqual("exit", trace.meta()["ended"])
        self.assertEqual({"k": 40}, trace.kernels_by_name())

    def test_daemon_started_after_cuda(self):
        run = self.run_app("launch k 40; sleep 2500; daemonise; launch l; push a; pop; exit 3")
        self.assert_untouched(run)
        self.assertEqual(
            40, trace_db.Trace(self.trace_path, recover=True).one("SELECT count(*) FROM api_call")
        )


class SeveralProcesses(SystemTest):
    def test_second_cuda_process(self):
        inner = f"env -u APP_COUNTS {APP} 'push in; launch z 3'"
        run = self.run_app(f'launch a 2; run "{inner}"; run "{inner}"; launch b', "run")
        self.assertEqual(3, len(run.traces()), run.stderr)
        self.assertEqual({"a": 2, "b": 1}, run.trace().kernels_by_name())
        for path in run.traces():
            if path != self.trace_path:
                self.assertEqual({"z": 3}, trace_db.Trace(path).kernels_by_name())

    def test_eight_at_once(self):
        inner = f"env -u APP_COUNTS {APP} 'launch z 300'"
        run = self.run_app(f'run "for i in 1 2 3 4 5 6 7 8; do {inner} & done; wait"', "run")
        self.assertEqual(8, len(run.traces()), run.stderr)
        for path in run.traces():
            self.assertEqual({"z": 300}, trace_db.Trace(path).kernels_by_name())
            self.assert_no_loss(trace_db.Trace(path))

    def test_name_with_process_id(self):
        run = self.run_app("launch a", PROF_OUTPUT=os.path.join(self.folder, "p-%p.db"))
        self.assertRegex(os.path.basename(run.traces()[0]), r"^p-\d+\.db$")


class Signals(SystemTest):
    @unless_sanitized("tsan", "it merges signals that come before it has delivered the last one")
    def test_the_program_gets_its_own_signals(self):
        # Real-time signals queue: every one must arrive at the program's handler, on its own
        # threads.
        process = self.start_app(
            "catch 34; launch a; ready; progress k 20000; wait_line; expect_signals 200; sync; exit 12"
        )
        self.assertEqual("ready\n", process.stdout.readline())
        for _ in range(200):
            process.send_signal(34)
            time.sleep(0.002)
        _, errors = process.communicate("\n", timeout=60)
        self.assertEqual(12, process.returncode, errors)
        trace = trace_db.Trace(self.trace_path)
        self.assertEqual(1, trace.kernels_by_name()["a"])
        self.assert_no_loss(trace)

    @staticmethod
    def blocked_signals(pid):
        """The name and the mask of each thread."""
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as file:
                fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
            yield fields["Name"], int(fields["SigBlk"], 16)

    def test_our_threads_take_none(self):
        process = self.start_app("launch a; ready; wait_line")
        self.assertEqual("ready\n", process.stdout.readline())
        ours = {}
        # A thread takes its name itself, which on a busy machine may be later.
        deadline = time.monotonic() + 10
        while len(ours) < 2 and time.monotonic() < deadline:
            ours = {
                name: mask
                for name, mask in self.blocked_signals(process.pid)
                if name.startswith("prof")
            }
        self.assertGreaterEqual(len(ours), 2, ours)
        for name, mask in ours.items():
            for number in (2, 10, 12, 14, 15, 17, 27, 34):
                self.assertTrue(
                    mask & (1 << (number - 1)), f"{name} does not block signal {number}"
                )
        process.communicate("\n", timeout=30)


if __name__ == "__main__":
    main()
