#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Windows: parts of a run that are captured (prof-run --capture)."""
import glob
import os
import re
import signal
import subprocess
import sys
import time

import trace_db
from harness import INJECT, LINKED_APP, PROF_RUN, SystemTest, main, unless_sanitized

STEPS = "".join(f"push step:{i}; launch k{i} 2; pop; launch between{i}; " for i in range(8))


class Windows(SystemTest):
    def windows(self, script, *specs, status=0, options=(), trace="trace.db", **extra):
        """Runs under prof-run with windows."""
        self.trace_path = os.path.join(self.folder, trace)
        words = [word for spec in specs for word in ("--capture", spec)]
        run = self.run_app(script, "run", status, (*options, *words), **extra)
        self.assertNotIn("CUPTI", run.stderr)
        return run

    def kernels(self, name="trace.db"):
        path = os.path.join(self.folder, name)
        # A killed writer may have left its last transaction to roll back.
        return (
            trace_db.Trace(path, recover=True).kernels_by_name() if os.path.exists(path) else None
        )

    def captures(self, name="trace.db"):
        """(opener, closer) of each capture, and that they are in order."""
        trace = trace_db.Trace(os.path.join(self.folder, name))
        rows = trace.rows(
            "SELECT capture, start_ns, end_ns, opener, closer FROM capture ORDER BY capture"
        )
        last = None
        for number, start, end, _, _ in rows:
            self.assertIsNotNone(start)
            if last is not None:
                self.assertGreaterEqual(start, last)
            if end is not None:
                self.assertGreaterEqual(end, start)
            last = end
        self.assertEqual(list(range(1, len(rows) + 1)), [row[0] for row in rows])
        return [row[3:] for row in rows]

    def assert_inside(self, name="trace.db"):
        """All calls lie in captures, and so do the launches of all kernels."""
        self.assert_calls_inside(name)
        trace = trace_db.Trace(os.path.join(self.folder, name))
        self.assertEqual(
            0,
            trace.one(
                "SELECT count(*) FROM kernel k WHERE NOT EXISTS"
                " (SELECT 1 FROM api_call a WHERE a.correlation = k.correlation AND a.start_ns <= k.start_ns)"
            ),
        )

    def assert_calls_inside(self, name="trace.db"):
        trace = trace_db.Trace(os.path.join(self.folder, name))
        self.assertEqual(
            0,
            trace.one(
                "SELECT count(*) FROM api_call a WHERE NOT EXISTS (SELECT 1 FROM capture c WHERE"
                " a.start_ns BETWEEN c.start_ns AND ifnull(c.end_ns, a.start_ns))"
            ),
        )

    # Triggers.

    def test_steps(self):
        run = self.windows(STEPS, "steps:2..3,6")
        self.assertEqual({"k2": 2, "between2": 1, "k3": 2, "k6": 2}, self.kernels())
        self.assertEqual(
            [("step 2", "end of step 3"), ("step 6", "end of step 6")], self.captures()
        )
        self.assertEqual(
            [
                f"prof: wrote {self.trace_path}: 2 captures, 7 kernels, 0 copies, 0 lost; "
                f"see prof-report -r summary {self.trace_path}"
            ],
            run.prof_lines,
        )
        self.assert_no_loss(run.trace())
        self.assertEqual({}, {word: count for word, count in run.trace().losses().items()})
        self.assert_inside()

    def test_other_names_of_steps(self):
        self.windows(
            'push ProfilerStep#4; launch a; pop; launch x; push "Train step 7"; launch b; pop; launch y',
            "steps:4",
            "steps:7",
        )
        self.assertEqual({"a": 1, "b": 1}, self.kernels())

    def test_a_step_that_no_range_ends(self):
        # Each begins in the one before, and the last one ends with the program.
        self.windows(
            "push step:0; launch a; push step:1; launch b; push step:2; launch c", "steps:1"
        )
        self.assertEqual({"b": 1}, self.kernels())
        self.assertEqual([("step 1", "begin of step 2")], self.captures())

    def test_ranges(self):
        script = "".join(
            f"push decode; launch d{i}; push inner; launch i{i}; pop; pop; launch o{i}; "
            for i in range(4)
        )
        self.windows(script, "nvtx:dec*#2..3")
        self.assertEqual({"d1": 1, "i1": 1, "d2": 1, "i2": 1}, self.kernels())
        self.assertEqual([("range decode", "end of the range")] * 2, self.captures())

    def test_ranges_of_a_domain_and_of_the_process(self):
        self.windows(
            "push work lib; launch a; pop lib; push work; launch b; pop; start r work2; launch c; end r; launch d",
            "nvtx:lib:work",
            "nvtx:work2",
        )
        self.assertEqual({"a": 1, "c": 1}, self.kernels())

    def test_profiler_api(self):
        for between in ("light", "off"):
            self.windows(
                "launch a; profiler_on; launch b; profiler_off; launch c; profiler_on; profiler_on; launch d; "
                "profiler_off; launch e; profiler_off",
                "cuda-profiler-api",
                options=("--between", between, "--force"),
            )
            self.assertEqual({"b": 1, "d": 1}, self.kernels())
            self.assertEqual([("cudaProfilerStart", "cudaProfilerStop")] * 2, self.captures())
            self.assert_inside()

    @unless_sanitized("san", "goes by the time")
    def test_limits(self):
        self.windows(
            "launch a; sleep 400; launch b; sleep 800; launch c", "delay:200ms", "duration:500ms"
        )
        self.assertEqual({"b": 1}, self.kernels())
        self.assertEqual([("delay", "duration")], self.captures())

    @unless_sanitized("san", "goes by the time")
    def test_kernels(self):
        self.windows("launch a 50; sleep 200; launch b 50; sleep 300; launch c 50", "kernels:60")
        self.assertEqual({"a": 50, "b": 50}, self.kernels())
        self.assertEqual([("start of CUDA", "kernels")], self.captures())

    @unless_sanitized("san", "goes by the time")
    def test_a_limit_ends_each_window(self):
        self.windows(
            "push decode; launch a; sleep 500; launch b; pop; push decode; launch c; pop",
            "nvtx:decode",
            "duration:200ms",
        )
        self.assertEqual({"a": 1, "c": 1}, self.kernels())

    @unless_sanitized("san", "goes by the time")
    def test_signal(self):
        process = self.start_app(
            "launch a; ready; wait_line; launch b; ready; wait_line; launch c; ready; wait_line",
            "run",
            ("--capture", "signal:USR2"),
        )
        process.stdout.readline()
        self.toggle(process, 1)
        self.toggle(process, None)
        out, err = process.communicate("\n", timeout=60)
        self.assertEqual(0, process.returncode, err)
        self.assertRegex(err, r"prof: a window opens and closes with each kill -12 \d+\n")
        self.assertEqual({"b": 1}, self.kernels())
        self.assertEqual([("signal", "signal")], self.captures())

    def toggle(self, process, captures):
        """Sends the signal, waits until it has had its effect, and lets the script go on."""
        process.send_signal(signal.SIGUSR2)
        time.sleep(0.7)
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()

    def ask(self, pid, word, status=0):
        done = subprocess.run(
            [PROF_RUN, "--pid", str(pid), word],
            capture_output=True,
            text=True,
            timeout=60,
            env=self.environment(XDG_RUNTIME_DIR=self.folder),
        )
        self.assertEqual(status, done.returncode, done.stderr)
        return done.stdout + done.stderr

    def start_controlled(self, script):
        process = self.start_app(
            script, "run", ("--capture", "control"), XDG_RUNTIME_DIR=self.folder
        )
        self.assertEqual("ready\n", process.stdout.readline())
        line = process.stderr.readline()
        self.assertRegex(
            line, r"^prof: a window opens and closes by prof-run --pid \d+ start\|stop\n$"
        )
        # The program's is the process that was started.
        self.assertEqual(process.pid, int(re.search(r"--pid (\d+)", line).group(1)))
        return process, process.pid

    def step(self, process):
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()

    def test_control(self):
        process, pid = self.start_controlled("launch a; " + "ready; wait_line; launch b; " * 4)
        self.assertEqual("no window was opened yet\n", self.ask(pid, "status"))
        for word in ("stop", "flush"):
            self.assertIn("no window is open", self.ask(pid, word, 1))
        self.assertIn("window 1 is open: 0 kernels", self.ask(pid, "start"))
        self.assertIn("a window is open already", self.ask(pid, "start", 1))
        self.step(process)
        self.assertIn(
            "window 1 is open: 1 kernel, 0 copies, 0 lost; " + self.trace_path,
            self.ask(pid, "flush"),
        )
        self.assertIn("window 1 is closed: 1 kernel", self.ask(pid, "stop"))
        self.step(process)
        self.assertIn("window 2 is open", self.ask(pid, "start"))
        self.step(process)
        out, err = process.communicate("\n", timeout=60)
        self.assertEqual(0, process.returncode, err)
        self.assertEqual({"b": 3}, self.kernels())
        self.assertEqual(
            [("prof-run start", "prof-run stop"), ("prof-run start", "exit")], self.captures()
        )
        self.assertEqual([], os.listdir(os.path.join(self.folder, "prof")))
        self.assertIn("no process", self.ask(pid, "status", 1))

    def test_many_clients(self):
        process, pid = self.start_controlled("launch a; ready; wait_line; launch b")
        clients = [
            subprocess.Popen(
                [PROF_RUN, "--pid", str(pid), word],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self.environment(XDG_RUNTIME_DIR=self.folder),
            )
            for word in ("start", "status", "stop", "flush") * 10
        ]
        for client in clients:
            client.communicate(timeout=60)
            self.assertIn(client.returncode, (0, 1))
        self.ask(pid, "status")
        process.communicate("\n", timeout=60)
        self.assertEqual(0, process.returncode)

    def test_control_and_forks(self):
        process, pid = self.start_controlled(
            "launch a; fork { sleep 300 } ready; wait_line; launch b; ready; wait_line"
        )
        self.ask(pid, "start")
        self.step(process)
        process.communicate("\n", timeout=60)
        self.assertEqual({"b": 1}, self.kernels())

    @unless_sanitized("san", "goes by the time")
    def test_control_and_a_program_that_closes_everything(self):
        process = self.start_app(
            "launch a; close_all; ready; wait_line; launch b",
            "run",
            ("--capture", "control", "--capture", "signal:USR2"),
            XDG_RUNTIME_DIR=self.folder,
        )
        process.communicate("\n", timeout=60)
        self.assertEqual(0, process.returncode)

    # Duty.

    def test_duty_of_steps(self):
        script = "".join(f"push step:{i}; launch k{i}; sleep 2; pop; " for i in range(12))
        run = self.windows(script, options=("--duty", "2/5steps"))
        self.assertEqual({"k3": 1, "k4": 1, "k8": 1, "k9": 1}, self.kernels())
        self.assertEqual(
            [("step 3", "end of step 4"), ("step 8", "end of step 9")], self.captures()
        )
        self.assertRegex(
            run.prof_lines[1],
            r"^prof: in windows for \d+\.\d s of \d+\.\d s \([\d.e+]+ %\); opening and closing took \d+\.\d+ s; "
            r"a step took \d+\.\d+ ms in windows, \d+\.\d+ ms outside: about -?[\d.e+-]+ % of the run$",
        )

    @unless_sanitized("san", "goes by the time")
    def test_duty_of_time(self):
        self.windows("repeat 16 { launch k; sleep 100 }", options=("--duty", "200ms/500ms"))
        self.assertGreaterEqual(len(self.captures()), 3)
        self.assertEqual({("duty", "end of duty")}, set(self.captures()[:2]))
        self.assertLess(self.kernels()["k"], 12)

    def test_the_oldest_files_go(self):
        # Each window's file is about 3 MiB.
        script = "".join(f"push step:{i}; launch k{i} 15000; pop; " for i in range(12))
        run = self.windows(
            script,
            options=("--duty", "1/2steps", "--max-size", "5M"),
            trace="w-%n.db",
            PROF_QUIET="1",
        )
        names = sorted(os.listdir(self.folder))
        kept = [int(re.search(r"\d+", name).group()) for name in names if name.endswith(".db")]
        sizes = [os.path.getsize(os.path.join(self.folder, f"w-{n}.db")) for n in kept]
        self.assertEqual(list(range(7 - len(kept), 7)), sorted(kept))
        self.assertLess(len(kept), 6)
        self.assertLessEqual(sum(sizes), 5 << 20)
        self.assertIn(
            f"prof: the files of {6 - len(kept)} of 6 windows were removed, the oldest first, to stay below 5 MiB",
            run.stderr,
        )
        self.assertEqual({"k11": 15000}, self.kernels("w-6.db"))

    def test_a_file_of_the_users_stays(self):
        script = "".join(f"push step:{i}; launch k{i} 3000; pop; " for i in range(4))
        mine = os.path.join(self.folder, "w-1.db")
        put = f'sleep 600; run "mv {mine} {mine}.mine; echo my own notes > {mine}"; '
        more = "".join(f"push step:{i}; launch k{i} 3000; pop; " for i in range(4, 16))
        run = self.windows(
            script + put + more,
            options=("--duty", "1/2steps", "--max-size", "1M"),
            trace="w-%n.db",
            PROF_QUIET="1",
        )
        self.assertIn("windows were removed", run.stderr)
        with open(mine) as file:
            self.assertEqual("my own notes\n", file.read())
        self.assertTrue(os.path.exists(mine + ".mine"))

    def test_force_replaces_the_files_of_an_earlier_run(self):
        self.windows(STEPS, "steps:1", "steps:4", trace="w-%n.db")
        run = self.windows(STEPS, "steps:2", "steps:5", trace="w-%n.db", status=1)
        self.assertIn("w-1.db: exists; replace it with --force", run.stderr)
        self.assertEqual({"k1": 2}, self.kernels("w-1.db"))
        self.windows(STEPS, "steps:2", "steps:5", trace="w-%n.db", options=("--force",))
        self.assertEqual([{"k2": 2}, {"k5": 2}], [self.kernels(f"w-{n}.db") for n in (1, 2)])
        self.assertEqual(2, len(glob.glob(os.path.join(self.folder, "*.db"))))

    def test_metrics_of_the_last_window(self):
        """What a reader of the file sees while the program runs, and at its end."""
        metrics = os.path.join(self.folder, "m.prom")
        self.trace_path = os.path.join(self.folder, "w-%n.db")
        wait = f'run "while [ ! -e {metrics} ]; do sleep 0.05; done"; '
        process = self.start_app(
            STEPS + wait + "push step:8; launch k8 5; pop; ",
            "run",
            ("--capture", "steps:1,8", "--metrics", metrics),
        )
        self.assertEqual(0, process.wait(100))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with open(metrics) as file:
                if re.search(r'prof_gpu_kernels\{.*gpu="0".*\} 5\n', file.read()):
                    return
            time.sleep(0.05)
        self.fail("there are no metrics of the last window")

    def test_metrics_need_files_of_windows(self):
        metrics = ("--metrics", os.path.join(self.folder, "m.prom"))
        run = self.windows(STEPS, options=("--duty", "1/2steps", *metrics), status=1)
        self.assertIn("put %n into its name", run.stderr)
        run = self.windows(STEPS, options=metrics, status=1, trace="w-%n.db")
        self.assertIn("--metrics: is about windows, and there are none", run.stderr)
        run = self.windows(
            STEPS,
            options=("--duty", "1/2steps", "--metrics", "/no/such/m.prom"),
            status=1,
            trace="w-%n.db",
        )
        self.assertIn("/no/such/m.prom", run.stderr)

    def test_a_size_needs_files(self):
        run = self.windows(STEPS, options=("--duty", "1/2steps", "--max-size", "5M"), status=1)
        self.assertIn("put %n into its name", run.stderr)
        run = self.windows(STEPS, options=("--max-size", "5M"), status=1, trace="w-%n.db")
        self.assertIn("--max-size: limits the files of windows, and there are none", run.stderr)
        self.assertFalse(os.path.exists(self.trace_path))

    # Files.

    def test_a_file_for_each_window(self):
        run = self.windows(STEPS, "steps:1", "steps:4..5", trace="w-%n.db")
        names = sorted(
            os.path.basename(path) for path in glob.glob(os.path.join(self.folder, "*.db"))
        )
        self.assertEqual(["w-1.db", "w-2.db"], names)
        self.assertEqual({"k1": 2}, self.kernels("w-1.db"))
        self.assertEqual({"k4": 2, "between4": 1, "k5": 2}, self.kernels("w-2.db"))
        self.assertEqual(2, len(run.prof_lines), run.stderr)

    # Graphs and ranges over the boundary.

    def test_graphs_made_between_and_in_earlier_windows(self):
        made = "push layer:made; capture g { launch k_g } pop; "
        script = (
            made + "push step:1; replay g; pop; push layer:later; capture h { launch k_h } pop; "
            "push step:2; push layer:inside; capture i { launch k_i } pop; replay g; replay h; replay i; pop; "
            "push step:3; replay h; pop; push step:4; replay i; replay g; replay h; pop"
        )
        self.windows(script, "steps:1", "steps:2", "steps:4")
        self.assertEqual({"k_g": 3, "k_h": 2, "k_i": 2}, self.kernels())
        found = {}
        for row in self.kernels_of_report():
            found.setdefault(row["kernel"], set()).add(row["layer"])
        self.assertEqual({"k_g": {"made"}, "k_h": {"later"}, "k_i": {"inside"}}, found)
        trace = trace_db.Trace(self.trace_path)
        self.assert_no_loss(trace)
        self.assertEqual(6, trace.one("SELECT count(*) FROM graph_node"))

    def test_bodies_of_conditional_nodes(self):
        made = "node g k_g; loop g 3 { launch body } "
        script = (
            made
            + "push step:1; replay g; pop; push step:2; replay g; pop; push step:3; replay g; pop"
        )
        for between in ("light", "off"):
            self.windows(
                script, "steps:1", "steps:3", options=("--between", between), trace=between + ".db"
            )
            self.assertEqual({"k_g": 2, "body": 6}, self.kernels(between + ".db"), between)

    def test_bodies_of_conditional_nodes_that_were_not_watched(self):
        made = "node g k_g; loop g 3 { launch body } loop g 0 { launch other } replay g; "
        self.windows(
            made + "push step:1; replay g; pop; push step:2; replay g; pop",
            "steps:1..2",
            options=("--between", "off"),
        )
        # CUPTI tells each node once for each launch, and those that did not run without times.
        self.assertEqual({"k_g": 2, "body": 2}, self.kernels())
        self.assertEqual({"unwatched_body": 2}, trace_db.Trace(self.trace_path).losses())

    def test_graphs_that_another_thread_makes(self):
        self.windows(
            "push step:1; launch a; thread { push layer:made; capture g { launch k_g } pop } sleep 200; pop; "
            "push step:2; thread { replay g } sleep 200; pop",
            "steps:1",
            "steps:2",
        )
        self.assertEqual(
            {"a": None, "k_g": "made"},
            {row["kernel"]: row["layer"] for row in self.kernels_of_report()},
        )

    def test_off_knows_no_graphs_of_before(self):
        self.windows(
            "push layer:made; capture g { launch k_g } pop; push step:1; replay g; pop",
            "steps:1",
            options=("--between", "off"),
        )
        self.assertEqual([None], [row["layer"] for row in self.kernels_of_report()])

    def test_ranges_that_are_open_at_the_start(self):
        self.windows(
            "push layer:outer; push step:1; launch a; pop; push step:2; launch b; pop; push step:3; launch c; pop; pop",
            "steps:1",
            "steps:3",
        )
        self.assertEqual(
            [("a", "outer", "1"), ("c", "outer", "3")],
            [(row["kernel"], row["layer"], str(row["step"])) for row in self.kernels_of_report()],
        )

    FORWARD_AND_BACKWARD = "".join(
        f'push step:{step}; push layer:model; push layer:fc{step}; push "aten::addmm, seq = {step + 7}, op_id = {step}, '
        f'sizes = [[8], [4, 16], [16, 8]]"; launch gemm; pop; pop; pop; push backward; push other; launch k; '
        f'thread {{ push "autograd::engine::evaluate_function: AddmmBackward0, seq = {step + 7}, op_id = {90 + step}"; '
        f'push "AddmmBackward0, seq = {step + 7}, op_id = {80 + step}"; '
        f'push "aten::mm, seq = 0, op_id = {70 + step}, sizes = [[16, 4], [4, 8]]"; launch back; pop; pop; pop }} pop; pop; pop; '
        for step in range(5)
    )

    def check_backward(self, trace, steps):
        self.trace_path = os.path.join(self.folder, trace)
        rows = [row for row in self.kernels_of_report() if row["kernel"] == "back"]
        self.assertEqual(
            [(f"model:fc{step}", "bprop", "addmm", 8, 16, 4, str(step)) for step in steps],
            [
                (
                    row["layer"],
                    row["dir"],
                    row["op"],
                    row["m"],
                    row["n"],
                    row["k"],
                    str(row["step"]),
                )
                for row in rows
            ],
        )
        listed = self.report("-r", "ranges").stdout
        self.assertNotIn("addmm, seq", listed)  # It has not run in a window.

    def test_backward_work_whose_forward_op_ran_before(self):
        self.windows(self.FORWARD_AND_BACKWARD, "nvtx:backward#2..4")
        self.check_backward("trace.db", (1, 2, 3))
        self.windows(self.FORWARD_AND_BACKWARD, "nvtx:backward#2..4", trace="w-%n.db")
        for window in (1, 2, 3):
            self.check_backward(f"w-{window}.db", (window,))

    @unless_sanitized("san", "goes by the time")
    def test_threads_that_hold_ranges_over_a_boundary(self):
        self.windows(
            "beside { push layer:aside; launch s; sleep 500; launch s; sleep 1500; launch s; pop } sleep 250; push step:1; "
            "sleep 800; launch m; pop; join",
            "steps:1",
        )
        self.assertEqual({"s": 1, "m": 1}, self.kernels())
        self.assertEqual(
            {"s": "aside", "m": None},
            {row["kernel"]: row["layer"] for row in self.kernels_of_report()},
        )

    def test_a_thread_that_ends_with_the_range_open(self):
        self.windows("thread { push decode; launch a } sleep 500; launch b", "nvtx:decode")
        self.assertEqual([("range decode", "end of the range")], self.captures())
        self.assertNotIn("b", self.kernels())

    # From the program.

    def test_windows_that_the_program_asks_for(self):
        script = (
            "prof_wants_marks; prof_windows one.db steps:1 steps:3; prof_wants_marks; push layer:made; capture g { launch k_g } pop; "
            "push step:1; prof_wants_marks; replay g; pop; prof_wants_marks; push step:2; launch x; pop; push step:3; launch b; "
            "prof_status; prof_stop; launch y; pop; prof_wants_marks; prof_start two.db; launch c; prof_stop; "
            "prof_windows three-%n.db nvtx:decode; push decode; launch d; pop; push decode; launch e; pop; prof_stop"
        )
        run = self.run_app(script, "none", app=LINKED_APP)
        self.assertEqual({"k_g": 1, "b": 1}, self.kernels("one.db"))
        self.assertEqual(
            [("step 1", "end of step 1"), ("step 3", "prof_stop")], self.captures("one.db")
        )
        self.assertEqual(
            [{"c": 1}, {"d": 1}, {"e": 1}],
            [self.kernels(name) for name in ("two.db", "three-1.db", "three-2.db")],
        )
        self.assertEqual(["1", "0", "1", "0", "1"], re.findall(r"wants marks: (\d)", run.stdout))
        self.assertNotIn("prof:", run.stderr)

    def test_mistakes_of_the_program(self):
        run = self.run_app(
            "prof_windows one.db; prof_windows one.db steps:x; prof_windows nowhere/one.db steps:1; prof_windows one.db steps:1; "
            "prof_windows two.db steps:1; prof_start two.db; prof_stop; prof_stop",
            "none",
            app=LINKED_APP,
        )
        self.assertEqual(
            [
                "windows: invalid argument: no",
                "windows: invalid argument: steps:x:",
                "windows: the capture failed:",
                "windows: done",
                "windows: a capture is",
                "start: a capture is",
                "stop: done",
                "stop: no capture is",
            ],
            [
                " ".join(line.split()[:4]) if "done" not in line else line
                for line in run.stdout.splitlines()
            ],
        )

    def test_the_program_does_not_change_windows_of_prof_run(self):
        run = self.windows(
            "prof_windows one.db steps:1; prof_start one.db; push step:2; launch a; prof_stop; launch b; pop; launch c",
            "steps:2",
            app=LINKED_APP,
        )
        self.assertIn("prof-run --capture", run.stdout)
        self.assertEqual({"a": 1}, self.kernels())
        self.assertFalse(os.path.exists(os.path.join(self.folder, "one.db")))

    # From Python.

    def python(self, script, *command, **extra):
        tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        folders = [
            os.path.join(os.path.dirname(tests), "tools", "python"),
            os.path.join(tests, "python", "fake_torch"),
        ]
        env = self.environment(PYTHONPATH=os.pathsep.join(folders), PROF_COLLECTOR=INJECT, **extra)
        done = subprocess.run(
            [*command, sys.executable, "-B", "-c", script],
            env=env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(0, done.returncode, done.stderr)
        return done

    @unless_sanitized("san", "python is not built with it")
    def test_prof_torch_has_the_library_s_functions(self):
        script = (
            "import ctypes, prof_torch; ctypes.CDLL('libcuda.so.1').cuInit(0)\n"
            "with prof_torch.capture('one.db') as one: print(one.is_running, one.wants_marks())\n"
            "two = prof_torch.capture('two.db', steps=range(3, 5)); print(two.is_running, two.wants_marks()); two.stop()\n"
            "prof_torch.capture('nowhere/x.db')\n"
        )
        done = self.python(script)
        self.assertEqual("True True\nTrue False\n", done.stdout, done.stderr)
        self.assertEqual({}, self.kernels("one.db"))
        self.assertIn("prof_torch: nothing is captured: nowhere/x.db", done.stderr)

    @unless_sanitized("san", "python is not built with it")
    def test_prof_torch_sees_whether_a_window_is_open(self):
        script = (
            "import prof_torch.library as l; f = l.find_flag(); print(f if f is None else f.value)"
        )
        self.assertEqual("None\n", self.python(script).stdout)
        self.assertEqual("1\n", self.python(script, PROF_RUN).stdout)
        self.assertEqual("0\n", self.python(script, PROF_RUN, "--capture", "steps:3").stdout)

    # Many.

    def test_a_thousand_windows(self):
        self.windows(
            "repeat 1000 { push decode; launch in; pop; launch out }", "nvtx:decode", timeout=400
        )
        self.assertEqual({"in": 1000}, self.kernels())
        self.assertEqual(1000, len(self.captures()))
        self.assert_inside()
        self.assert_no_loss(trace_db.Trace(self.trace_path))

    @unless_sanitized("san", "its memory is not the program's")
    def test_a_window_leaves_little_memory_behind(self):
        # 8 MB without windows; 4 KiB each would be 16.
        self.windows(
            "repeat 2000 { push decode; launch in; pop; launch out } rss_limit 14",
            "nvtx:decode",
            timeout=400,
        )

    def test_windows_of_many_threads(self):
        self.windows(
            "threads 8 { repeat 20 { push decode; launch in; pop; launch out; sleep 1 } }",
            "nvtx:decode",
            timeout=400,
        )
        trace = trace_db.Trace(self.trace_path)
        self.assertEqual(160, self.kernels()["in"])  # Each is inside of its own thread's range.
        self.assert_no_loss(trace)
        self.assert_calls_inside()
        # A window that another thread opens may begin in the middle of a launch: its call is not recorded.
        self.assertEqual([], trace.rows("SELECT * FROM kernels WHERE name = 'in' AND api IS NULL"))

    # Ends.

    def test_exit_crash_and_kill(self):
        for end, status in (("exit 3", 3), ("_exit 4", 4), ("kill 9", -9), ("abort", -6)):
            run = self.windows(
                "push step:1; launch a; pop; push step:2; launch b; sleep 2600; " + end,
                "steps:1",
                "steps:2",
                status=status,
                options=("--force",),
            )
            self.assertEqual({"a": 1, "b": 1}, self.kernels(), end)
            closer = "exit" if end == "exit 3" else None
            self.assertEqual(
                [("step 1", "end of step 1"), ("step 2", closer)], self.captures(), end
            )
            self.assertEqual(end != "exit 3", "has not ended" in self.report().stdout, end)

    def test_killed_between_windows(self):
        self.windows(
            "push step:1; launch a; pop; push step:2; launch b; kill 9", "steps:1", status=-9
        )
        self.assertEqual({"a": 1}, self.kernels())
        self.assertEqual([("step 1", "end of step 1")], self.captures())
        self.assertNotIn("not ended", self.report().stdout)

    def test_triggers_that_never_come(self):
        run = self.windows(
            STEPS,
            "steps:100..102",
            "nvtx:decode",
            "cuda-profiler-api",
            "signal:USR1",
            options=("-q",),
        )
        self.assertEqual(
            "steps:100..102, nvtx:decode, cudaProfilerStart, the signal never came; what came: steps 0 to 7",
            run.prof_lines[0].removeprefix("prof: "),
        )
        self.assertIn("no trace was written", run.prof_lines[1])
        run = self.windows(
            "push forward; launch a; pop; push backward; launch b; pop",
            "nvtx:decode",
            options=("-q",),
        )
        self.assertEqual(
            "prof: nvtx:decode never came; what came: ranges forward, backward", run.prof_lines[0]
        )

    def test_forks(self):
        run = self.windows(
            "launch w; push step:1; fork { launch x; push step:2; launch x; pop } launch a; pop; fork { push step:1; launch y; pop } "
            "push step:2; launch b; pop",
            "steps:1",
            "steps:2",
        )
        self.assertEqual({"a": 1, "b": 1}, self.kernels())
        self.assert_untouched(run)

    def test_a_fork_before_cuda_has_windows_of_its_own(self):
        self.windows(
            "fork { push step:1; launch child; pop; launch x } push step:1; launch parent; pop; launch y",
            "steps:1",
            trace="t-%p.db",
        )
        found = sorted(
            str(trace_db.Trace(path).kernels_by_name())
            for path in glob.glob(os.path.join(self.folder, "t-*.db"))
        )
        self.assertEqual(["{'child': 1}", "{'parent': 1}"], found)

    # The program's own signals.

    @unless_sanitized("san", "goes by the time")
    def test_a_handler_of_the_program_stays(self):
        for script in (
            "catch 12; launch a; raise 12; sleep 500; launch b; raise 12; sleep 500; launch c; expect_signals 2",
            "launch a; catch 12; sleep 300; raise 12; sleep 500; launch b; raise 12; sleep 500; launch c; expect_signals 2",
        ):
            self.windows(script, "signal:USR2", options=("--force",))
            self.assertEqual({"b": 1}, self.kernels(), script)

    def test_handlers_that_launch_or_leave_while_a_window_opens_or_closes(self):
        for storm in ("nvtx_storm 300 1000", "nvtx_storm_out 300 1000"):
            start = time.monotonic()
            run = self.windows(
                "launch a; " + storm, "nvtx:in loop*", options=("--force",), timeout=60
            )
            self.assertLess(time.monotonic() - start, 20)  # Nobody waited in vain for another.
            self.assertNotIn("could not be finished", run.stderr)
            self.assertGreater(len(self.captures()), 1)

    # Mistakes.

    def test_mistakes(self):
        for words in (
            "nvtx:",
            "nvtx",
            "steps:",
            "steps:5..3",
            "steps:a",
            "signal:KILL",
            "signal:99",
            "delay:5",
            "kernels:0",
            "junk",
        ):
            done = subprocess.run(
                [PROF_RUN, "--capture", words, "--", "true"],
                capture_output=True,
                text=True,
                cwd=self.folder,
            )
            self.assertEqual(2, done.returncode, words)
            self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
            self.assertIn("--capture", done.stderr)
            self.assertIn("expected", done.stderr)

    def test_a_bad_variable_captures_nothing(self):
        for door, status in (("preload", 0), ("run", 1)):
            run = self.run_app(
                "out started; launch a",
                door,
                status=status,
                PROF_CAPTURE="steps:x",
                PROF_OUTPUT=self.trace_path,
            )
            self.assertEqual("started\n" if status == 0 else "", run.stdout)
            self.assertIn("PROF_CAPTURE: steps:x: not understood", run.stderr)
            self.assertFalse(os.path.exists(self.trace_path))

    def test_a_trace_that_cannot_be_written(self):
        run = self.run_app(STEPS, "preload", PROF_CAPTURE="steps:1", PROF_OUTPUT="/nowhere/x.db")
        self.assertEqual(1, len(run.prof_lines), run.stderr)
        self.assertIn("nothing is captured", run.stderr)


if __name__ == "__main__":
    main()
