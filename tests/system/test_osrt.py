#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of the operating system that may block (--trace osrt): what is recorded, and that the
program does not notice. The program counts its own calls that surely block."""
import json
import os
import re
import subprocess
import time
import unittest

import harness
from harness import SystemTest, main

WORK = "launch k 3; sync; "
ALL = ("--trace", "osrt=0ns,no-device")


class OsrtTest(SystemTest):
    def recorded(self, script, options=("--trace", "osrt,no-device"), **more):
        run = self.run_app(WORK + script, door="run", options=("--force", *options), **more)
        return run, run.trace()

    def assert_exact(self, run, trace):
        """Each function that the program counts has exactly those calls of 1 ms or more."""
        long_calls = dict(
            trace.rows(
                "SELECT s.text, count(*) FROM os_call c JOIN string s ON s.id = c.name_id"
                " WHERE c.duration_ns >= 1000000 GROUP BY s.text"
            )
        )
        counted = run.counts["os_calls"]
        self.assertEqual(counted, {name: long_calls.get(name, 0) for name in counted})


class WithoutCuda(OsrtTest):
    def test_a_program_with_a_dlsym_of_its_own(self):
        program = os.path.join(harness.BUILD, "tests", "system", "own_dlsym")
        done = subprocess.run(
            [
                harness.PROF_RUN,
                "-q",
                "--trace",
                "osrt",
                "-o",
                os.path.join(self.folder, "x.db"),
                "--",
                program,
            ],
            capture_output=True,
            timeout=20,
            check=False,
        )
        self.assertEqual((7, b"done\n"), (done.returncode, done.stdout))


class Recorded(OsrtTest):
    def test_each_call_once(self):
        run, trace = self.recorded("wait_calls 7; threads 5 { nap 9 3 }")
        self.assert_exact(run, trace)
        self.assert_no_loss(trace)
        self.assertEqual(45, run.counts["os_calls"]["nanosleep"])
        self.assertEqual("from 1000 ns", trace.meta()["os_calls"])

    def test_thread_time_and_range(self):
        run, trace = self.recorded(
            "push outer; nap 1 3; push inner; nap 2 3; pop; pop; nap 1 3;" " thread { nap 4 5 }"
        )
        rows = trace.rows(
            "SELECT c.thread_id, c.range_id, c.duration_ns, c.start_ns FROM os_call c"
            " JOIN string s ON s.id = c.name_id WHERE s.text = 'nanosleep' ORDER BY c.start_ns"
        )
        ranges = trace.ranges()
        self.assertEqual(
            ["outer", "inner", "inner", "", "", "", "", ""],
            [ranges[row[1]][2] if row[1] else "" for row in rows],
        )
        for row, at_least in zip(rows, (3, 3, 3, 3, 5, 5, 5, 5)):
            self.assertGreaterEqual(row[2], at_least * 1_000_000)
        self.assertEqual(2, len({row[0] for row in rows}))
        # One after the other, inside their ranges.
        for before, after in zip(rows, rows[1:]):
            self.assertLessEqual(before[3] + before[2], after[3])
        _, _, _, _, duration, start = ranges[rows[1][1]]
        self.assertLessEqual(start, rows[1][3])
        self.assertGreaterEqual(start + duration, rows[2][3] + rows[2][2])

    def test_a_program_with_many_thread_keys(self):
        run = self.run_app(
            "make_keys 60; " + WORK + "threads 5 { nap 4 3 }",
            door="run",
            options=("--force", "--trace", "osrt,no-device"),
        )
        self.assert_exact(run, run.trace())
        self.assert_no_loss(run.trace())

    def test_threshold(self):
        run, trace = self.recorded("nap 20 3; nap 2 80", options=("--trace", "osrt=50ms"))
        long = trace.os_calls()["nanosleep"]
        self.assertIn(long, range(2, 8))  # On a busy machine 3 ms may take 50.
        self.assertGreaterEqual(int(trace.meta()["os_calls_shorter"]), 22 - long)
        self.assertEqual("from 50000000 ns", trace.meta()["os_calls"])

    def test_locks_that_are_waited_for(self):
        _, trace = self.recorded("lock_fight 6")
        waits = trace.rows(
            "SELECT duration_ns FROM os_call c JOIN string s ON s.id = c.name_id"
            " WHERE s.text = 'pthread_mutex_lock' AND duration_ns > 1000000"
            " ORDER BY 1"
        )
        self.assertGreaterEqual(len(waits), 5)
        self.assertGreater(waits[-1][0], 12_000_000)  # The last one waits for all before it.

    def test_a_call_that_does_not_return_is_absent(self):
        began = time.monotonic()
        run, trace = self.recorded(
            "blocked read; blocked cond; blocked sem; blocked join; nap 2 3;" " exit 7", status=7
        )
        self.assertLess(time.monotonic() - began, 8)
        self.assert_exact(run, trace)
        self.assertEqual(
            set(),
            set(trace.os_calls())
            & {"read", "pthread_cond_wait", "sem_wait", "pthread_join", "pause"},
        )
        self.assert_no_loss(trace)
        self.assertEqual("exit", trace.meta()["ended"])

    def test_none_of_the_collectors_own(self):
        run, trace = self.recorded("nap 1 2500", options=ALL)
        # Its threads wait, write and sync all the time; the stand-in's own threads wait, too.
        # The program writes its counts.
        self.assertLessEqual({"nanosleep"}, set(trace.os_calls()))
        self.assertLessEqual(
            set(trace.os_calls()),
            {
                "nanosleep",
                "pthread_cond_clockwait",
                "pthread_mutex_lock",
                "fopen",
                "fputs",
                "fwrite",
                "fclose",
            },
        )
        names = {
            row[0]
            for row in trace.rows(
                "SELECT DISTINCT n.text FROM os_call c JOIN thread t ON t.id = c.thread_id"
                " JOIN string n ON n.id = t.name_id"
            )
        }
        self.assertEqual(set(), {name for name in names if name.startswith("prof-")})

    def test_a_session_has_its_own_calls(self):
        script = (
            "nap 1 3; prof_start; launch k; sync; nap 2 3; prof_stop; nap 4 3;"
            " prof_start; launch k; sync; nap 3 3; prof_stop; exit 0"
        )
        env = self.environment(PROF_START="manual", PROF_TRACE="osrt", PROF_OUTPUT="")
        env["LD_PRELOAD"] = ":".join(filter(None, (harness.SANITIZER, harness.OSRT)))
        script = script.replace("prof_start", "prof_start a.db", 1).replace(
            "prof_start;", "prof_start b.db;", 1
        )
        done = subprocess.run(
            [harness.LINKED_APP, script],
            env=env,
            cwd=self.folder,
            timeout=60,
            capture_output=True,
            text=True,
        )
        self.assertEqual(0, done.returncode, done.stderr)
        for name, count in (("a.db", 2), ("b.db", 3)):
            trace = harness.trace_db.Trace(os.path.join(self.folder, name))
            self.assertEqual(count, trace.os_calls()["nanosleep"], name)

    def test_the_report(self):
        self.recorded("nap 4 5")
        rows = json.loads(self.report("-r", "osrt_sum", "-f", "json").stdout)
        row = next(row for row in rows if row["name"] == "nanosleep")
        self.assertEqual(4, row["calls"])
        self.assertGreaterEqual(row["min_ns"], 5_000_000)


class Off(OsrtTest):
    def test_nothing_is_interposed(self):
        maps = 'run "grep -c libprof_osrt /proc/self/maps > maps.txt; true"; '
        for options, count in (
            ((), "0"),
            (("--trace", "osrt"), "1"),
            (("--trace", "osrt,no-osrt"), "0"),
        ):
            with self.subTest(options=options):
                run = self.run_app(
                    WORK + maps + "nap 1 3", door="run", options=("--force", *options)
                )
                with open(os.path.join(self.folder, "maps.txt"), encoding="ascii") as file:
                    lines = int(file.read())
                self.assertEqual(count == "0", lines == 0)
                calls = run.trace().os_calls()
                self.assertEqual(1 if count == "1" else 0, calls.get("nanosleep", 0))
                if count == "0":
                    self.assertEqual({}, calls)
                    self.assertNotIn("os_calls", run.trace().meta())

    def test_the_collector_has_no_such_symbol(self):
        def defined(library):
            lines = subprocess.run(
                ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
            ).stdout
            return set(re.findall(r"[TW] (\w+)", lines))

        interposed = defined(harness.OSRT)
        self.assertIn("pthread_cond_wait", interposed)
        self.assertEqual(set(), interposed & defined(harness.INJECT))
        self.assertEqual(
            set(), interposed & defined(os.path.join(harness.BUILD, "lib", "libprof.so"))
        )

    def test_without_the_library(self):
        run = self.run_app(WORK + "nap 1 3; exit 7", PROF_TRACE="osrt", status=7)
        self.assertEqual({}, run.trace().os_calls())
        self.assertEqual("libprof_osrt.so was not preloaded", run.trace().meta()["os_calls"])
        self.assertIn(
            "no operating system calls are recorded: libprof_osrt.so is not preloaded", run.stderr
        )
        self.assert_untouched(run, lines=2)

    def test_the_library_alone(self):
        env = self.environment()
        env["LD_PRELOAD"] = ":".join(filter(None, (harness.SANITIZER, harness.OSRT)))
        done = subprocess.run(
            [harness.APP, WORK + "libc_contract; nap 1 3; exit 7"],
            env=env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual((7, "", ""), (done.returncode, done.stdout, done.stderr))

    def test_words_that_make_no_sense(self):
        for words in ("osrt=", "osrt=5", "osrt=-1us", "osrt=4000s", "osrt,x"):
            run = self.run_app(WORK, door="run", options=("--trace", words), status=2)
            self.assertIn(f"{words}: not understood; device, ", run.stderr)

    def test_a_folder_that_cannot_be_preloaded_from(self):
        folder = os.path.join(self.folder, "with blank")
        os.mkdir(folder)
        for name in ("libprof_inject.so", "libprof_osrt.so"):
            os.symlink(os.path.join(harness.BUILD, "lib", name), os.path.join(folder, name))
        run = self.run_app(
            "out ran",
            door="run",
            options=("--trace", "osrt"),
            status=1,
            PROF_COLLECTOR=os.path.join(folder, "libprof_inject.so"),
        )
        self.assertEqual("", run.stdout)
        self.assertIn("cannot be preloaded from a folder with a blank or a colon", run.stderr)


class Harmless(OsrtTest):
    """With every call recorded, however short."""

    def check(self, script, status=0, allowed=(), **more):
        run, trace = self.recorded(script, options=ALL, status=status, **more)
        self.assert_no_loss(trace, allowed)
        return run, trace

    def test_what_libc_promises(self):
        run, _ = self.check("libc_contract; exit 7", status=7)
        self.assert_untouched(run, lines=1)

    def test_cancellation(self):
        kinds = ("read", "poll", "sleep", "cond", "sem", "join")
        run, trace = self.check("; ".join(f"cancel {kind} 10" for kind in kinds))
        # The cancelled calls never returned.
        self.assertEqual(
            set(),
            set(trace.os_calls()) & {"read", "poll", "sleep", "sem_wait", "pthread_cond_wait"},
        )
        self.assert_untouched(run, lines=1)

    @unittest.skipIf(harness.SANITIZER, "sanitizers do not stand it")
    def test_cancellation_anywhere(self):
        run, trace = self.check("cancel_anywhere 500; nap 3 3", allowed=("ring_full", "queue_full"))
        self.assert_exact(run, trace)
        self.assert_untouched(run, lines=1)

    def test_signal_handlers(self):
        run, trace = self.check(
            "call_storm 3000 100; nap 3 3", allowed=("in_signal_handler", "ring_full", "queue_full")
        )
        self.assert_exact(run, trace)
        # Handlers wrote as often as asked: each write is there, or counted.
        calls, losses = trace.os_calls(), trace.losses()
        lost = sum(losses.get(word, 0) for word in ("in_signal_handler", "ring_full", "queue_full"))
        self.assertGreaterEqual(calls["write"] + lost, calls["read"] + 3000)

    def test_jumps_out_of_calls(self):
        run, trace = self.check("jump_from read 30; jump_from sleep 30; nap 3 3; exit 7", status=7)
        self.assert_exact(run, trace)
        self.assertNotIn("sleep", trace.os_calls())

    def test_children(self):
        run, trace = self.check(
            "nap 1 3; repeat 20 { fork { nap 1 3; libc_contract } };"
            " repeat 20 { fork_quick { nap 1 3 } }; nap 1 3; exit 7",
            status=7,
        )
        # Those of the children are not ours.
        self.assertEqual(2, trace.os_calls()["nanosleep"])
        self.assertEqual(40, trace.losses()["forked_child"])

    def test_children_of_vfork(self):
        run, trace = self.check('repeat 10 { vfork_calls "exit 3" } nap 1 3; exit 7', status=7)
        self.assertEqual("vforked: 768\n" * 10, run.stdout)
        self.assertEqual(set(), set(trace.os_calls()) & {"poll", "open", "write"})
        self.assertEqual(10, trace.os_calls()["waitpid"])

    def test_a_program_that_is_executed_is_captured(self):
        run, _ = self.recorded(
            'nap 2 3; exec "launch other; sync; nap 3 3; exit 5"', options=ALL, status=5
        )
        written = re.search(r"prof: wrote (.*?): 1 kernel,", run.stderr).group(1)
        self.assertEqual(3, harness.trace_db.Trace(written).os_calls()["nanosleep"])

    def test_threads(self):
        run, trace = self.check("many_threads 1000 { nap 2 3 } exit 7", status=7)
        self.assertEqual(2000, trace.os_calls()["nanosleep"])
        run, trace = self.check("tiny_threads 100 16 { nap 2 3 } exit 7", status=7)
        self.assertEqual(200, trace.os_calls()["nanosleep"])

    def test_exits_while_threads_call(self):
        for end, status in (("exit 7", 7), ("quick_exit 8", 8), ("_exit 9", 9)):
            with self.subTest(end=end):
                self.recorded(
                    "detached { repeat 1000000 { nap 1 0 } } sleep 100; " + end,
                    options=ALL,
                    status=status,
                )

    @unittest.skipUnless(
        os.path.exists(harness.APP.replace("script_app", "asan_app")),
        "no program with a sanitizer was built",
    )
    def test_a_program_with_the_address_sanitizer(self):
        run, trace = self.check(
            "libc_contract; wait_calls 3; lock_fight 3; nap 3 3; exit 7",
            status=7,
            app=harness.APP.replace("script_app", "asan_app"),
        )
        self.assertEqual(3, trace.os_calls()["usleep"])


if __name__ == "__main__":
    main()
