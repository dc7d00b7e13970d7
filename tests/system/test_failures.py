#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""If profiling cannot work or fails midway: one clear line, and the program is unharmed."""
import os
import shutil
import signal
import sqlite3
import subprocess

import trace_db
from harness import APP, BUILD, INJECT, PROF_RUN, STANDIN, SystemTest, main

SCRIPT = "push a; launch k 500; copy htod 64 5; pop; sync; out done; err own; exit 7"


class FailureTest(SystemTest):
    def check_unharmed(self, words, script=SCRIPT, status=7, kernels=500, lines=1, **options):
        """Own status, stdout and stderr; one line with these words."""
        run = self.run_app(script, status=status, **options)
        self.assertEqual("done\n", run.stdout)
        others = [line for line in run.stderr.splitlines() if not line.startswith("prof")]
        self.assertEqual(["own"], others)
        self.assertEqual(lines, len(run.prof_lines), run.stderr)
        for word in words:
            self.assertIn(word.lower(), run.prof_lines[0].lower())
        if kernels is not None:
            self.assertEqual(kernels, sum(run.counts["kernels"].values()))
        return run


class Failures(FailureTest):
    def check_nothing_captured(self, words, **options):
        for door in ("preload", "run"):
            with self.subTest(door=door):
                # prof-run adds a line of its own: there is no trace where it was asked for.
                run = self.check_unharmed(
                    words, door=door, lines=1 if door == "preload" else 2, **options
                )
                self.assertEqual([], run.traces())

    def test_cupti_held_by_another_tool(self):
        self.check_nothing_captured(["Other Profiler", "CUPTI"], STANDIN_CUPTI_FAIL="held")

    def test_cupti_held_old_version_has_no_name(self):
        self.check_nothing_captured(
            ["another tool", "CUPTI"], cupti="cupti12", STANDIN_CUPTI_FAIL="held"
        )

    def test_no_permission(self):
        self.check_nothing_captured(
            ["not permitted", "NVreg_RestrictProfilingToAdminUsers"],
            STANDIN_CUPTI_FAIL="privileges",
        )
        self.check_nothing_captured(["not permitted"], STANDIN_CUPTI_FAIL="subscribe_privileges")

    def test_no_callbacks(self):
        # Kernels come without their launches then: hundreds of refused functions are told in one
        # line.
        run = self.check_unharmed(
            ["CUPTI", "callbacks", "continues"], STANDIN_CUPTI_FAIL="callbacks", lines=2
        )
        self.assertEqual(500, run.trace().kernel_count())
        self.assertIn("cupti_error", run.trace().losses())

    def test_cupti_too_old(self):
        self.check_nothing_captured(["too old", "CUDA 11"], STANDIN_CUPTI_VERSION="10")

    def test_no_cupti(self):
        # Any toolkit of this machine is hidden in a mount namespace of its own.
        hide = 'for d in /usr/local/cuda*; do [ -d "$d" ] && [ ! -L "$d" ] && mount -t tmpfs none "$d"; done; '
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
            self.skipTest(
                "SKIPPED: unshare -rm is not allowed here, so a machine without CUPTI cannot be had"
            )
        env = self.environment(None, LD_PRELOAD="", PROF_OUTPUT=self.trace_path)
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", hide + f"LD_PRELOAD={INJECT} exec {APP} '{SCRIPT}'"],
            env=env,
            capture_output=True,
            text=True,
            cwd=self.folder,
        )
        self.assertEqual((7, "done\n"), (done.returncode, done.stdout), done.stderr)
        lines = [line for line in done.stderr.splitlines() if line != "own"]
        self.assertEqual(1, len(lines), done.stderr)
        self.assertIn("no loadable libcupti", lines[0])
        self.assertFalse(os.path.exists(self.trace_path))

    def test_no_device(self):
        # The driver never starts the collector, and a program that finds no GPU goes on by itself.
        # prof-run asks the driver why.
        for door, lines in (("preload", 0), ("run", 1)):
            run = self.run_app(
                "launch k; out done; exit 7", door, status=7, STANDIN_CUDA="no_device"
            )
            self.assertEqual("done\n", run.stdout)
            self.assertEqual(lines, len(run.stderr.splitlines()), run.stderr)
            if lines:
                self.assertRegex(
                    run.stderr, r"does not start here \(.*error 100\); run it on a machine"
                )
            self.assertEqual([], run.traces())

    def check_no_driver(self, door, lines, app=APP, script="launch k; out done; exit 7"):
        run = self.run_app(script, door, status=7, cupti="no driver", app=app)
        self.assertEqual("done\n", run.stdout)
        self.assertEqual(lines, len(run.stderr.splitlines()), run.stderr)
        if lines:
            self.assertRegex(
                run.stderr, r"no NVIDIA driver is installed here \(libcuda.so.1: .*\); run it"
            )
        self.assertEqual([], run.traces())

    def test_no_driver(self):
        for door in ("preload", "run"):
            self.check_no_driver(door, 1, script="launch k; push a; pop; out done; exit 7")

    def test_no_driver_is_told_where_cuda_was_to_be_used(self):
        self.check_no_driver("preload", 0)  # as a shell or a helper of a run
        with_gpu_code = os.path.join(self.folder, "with_gpu_code")
        if shutil.which("objcopy") is None:
            self.skipTest("SKIPPED: no objcopy")
        subprocess.run(
            ["objcopy", "--add-section", ".nv_fatbin=/dev/null", APP, with_gpu_code], check=True
        )
        self.check_no_driver("preload", 1, app=with_gpu_code)
        self.check_no_driver("run", 1, app=with_gpu_code)

    def test_fatal_error_in_the_middle(self):
        run = self.check_unharmed(["CUPTI"], STANDIN_CUPTI_FAIL="fatal_midway", lines=2)
        trace = run.trace()
        self.assertIn("cupti_error", trace.losses())
        # CUPTI told of 100 or 101 launches before it ended; each has its record or is counted.
        self.assertIn(
            trace.kernel_count() + trace.losses().get("launch_without_record", 0), (100, 101)
        )
        self.report("-r", "kernels")

    def test_dropped_records(self):
        run = self.check_unharmed([], STANDIN_CUPTI_FAIL="drop_records")
        trace = run.trace()
        dropped = trace.losses()["dropped_records"]
        self.assertEqual(50, dropped)
        # Known drops are no sign of another profiler.
        self.assertNotIn("taken_over", trace.losses())
        self.assertEqual(
            506,
            trace.kernel_count()
            + sum(trace.copies_by_kind().values())
            + dropped
            + trace.one("SELECT count(*) FROM sync"),
        )
        said = self.report("-r", "layers")
        self.assertIn("50", said.stdout + said.stderr)

    def test_no_buffers_at_all(self):
        run = self.check_unharmed([], STANDIN_CUPTI_FAIL="no_buffers", lines=2)
        trace = run.trace()
        self.assertEqual(0, trace.kernel_count())
        self.assertGreaterEqual(trace.losses()["dropped_records"], 500)

    def test_zero_timestamps(self):
        run = self.check_unharmed([], STANDIN_CUPTI_FAIL="zero_timestamps")
        trace = run.trace()
        self.assertEqual(500, trace.kernel_count())
        self.assertEqual(505, trace.losses()["zero_timestamp"])
        self.assertEqual(
            500,
            trace.one("SELECT count(*) FROM kernel WHERE start_ns IS NULL AND duration_ns IS NULL"),
        )
        self.report("-r", "kernels")

    def test_unknown_records(self):
        run = self.check_unharmed([], STANDIN_CUPTI_FAIL="unknown_kind")
        trace = run.trace()
        self.assertEqual(500, trace.kernel_count())
        self.assertGreaterEqual(trace.losses()["unknown_record"], 50)

    def test_taken_over_by_the_programs_own_profiler(self):
        run = self.check_unharmed(
            ["profiler"],
            script="launch first 100; sync; takeover; launch k 400; sync; out done; err own; exit 7",
            lines=2,
        )
        trace = run.trace()
        losses = trace.losses()
        self.assertEqual(1, losses["taken_over"])
        self.assertEqual(500, trace.kernel_count() + losses["launch_without_record"])
        said = self.report("-r", "layers")
        self.assertIn("profiler", said.stdout + said.stderr)

    def test_variable_held_by_another_tool(self):
        for variable in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"):
            with self.subTest(variable):
                env = self.environment(
                    LD_PRELOAD=INJECT,
                    PROF_OUTPUT=self.trace_path,
                    **{variable: "/opt/other/libtool.so"},
                )
                done = subprocess.run(
                    [APP, "push a; launch k 3; pop; exit 5"],
                    env=env,
                    capture_output=True,
                    text=True,
                )
                self.assertEqual((5, ""), (done.returncode, done.stdout))
                ours = [
                    line
                    for line in done.stderr.splitlines()
                    if line.startswith("prof:") and "already set" in line
                ]
                self.assertEqual(1, len(ours), done.stderr)
                self.assertIn(variable, ours[0])
                self.assertIn("/opt/other/libtool.so", ours[0])

    def test_prof_run_is_told_of_the_other_tool(self):
        env = self.environment(CUDA_INJECTION64_PATH="/opt/other/libtool.so")
        done = subprocess.run(
            [PROF_RUN, "-o", self.trace_path, "--", APP, "out started"],
            env=env,
            capture_output=True,
            text=True,
        )
        self.assertEqual((1, ""), (done.returncode, done.stdout))
        self.assertEqual(
            "prof-run: CUDA_INJECTION64_PATH=/opt/other/libtool.so: is set: the driver loads"
            " that library, and nothing would be captured; unset it to use prof\n",
            done.stderr,
        )

    def test_environment_that_makes_no_sense(self):
        run = self.run_app(
            "launch k 3; exit 5", status=5, PROF_API="everything", PROF_QUEUE_MB="-3"
        )
        self.assertTrue(any("PROF_API=everything" in line for line in run.prof_lines))
        self.assertTrue(any("PROF_QUEUE_MB=-3" in line for line in run.prof_lines))
        self.assert_counts(run)


class Outputs(FailureTest):
    """The trace's location is missing, taken or full. prof-run detects it before it starts the
    program."""

    def check_output(self, words, **extra):
        self.check_unharmed(words, **extra)
        done = subprocess.run(
            [PROF_RUN, "-o", extra.get("PROF_OUTPUT", self.trace_path), "--", APP, SCRIPT],
            env=self.environment(),
            capture_output=True,
            text=True,
            cwd=self.folder,
        )
        self.assertEqual((1, ""), (done.returncode, done.stdout))
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
        for word in words:
            self.assertIn(word.lower(), done.stderr.lower())

    def test_folder_missing(self):
        path = os.path.join(self.folder, "missing", "x.db")
        self.check_output([os.path.dirname(path)], PROF_OUTPUT=path)

    def test_file_exists(self):
        with open(self.trace_path, "w", encoding="ascii") as file:
            file.write("precious")
        self.check_output([self.trace_path, "exists"])
        with open(self.trace_path, encoding="ascii") as file:
            self.assertEqual("precious", file.read())

    def test_symbolic_link(self):
        target = os.path.join(self.folder, "target")
        with open(target, "w", encoding="ascii") as file:
            file.write("precious")
        os.symlink(target, self.trace_path)
        self.check_output([self.trace_path])
        # Not even when told to replace it.
        self.run_app(SCRIPT, status=7, PROF_FORCE="1")
        with open(target, encoding="ascii") as file:
            self.assertEqual("precious", file.read())

    def test_dangling_symbolic_link(self):
        target = os.path.join(self.folder, "target")
        os.symlink(target, self.trace_path)
        self.check_unharmed([self.trace_path])
        self.assertFalse(os.path.exists(target))

    def test_output_is_a_folder(self):
        os.mkdir(self.trace_path)
        self.check_output([self.trace_path])

    def test_a_trace_is_private(self):
        self.run_app("launch a")
        self.assertEqual(0o600, os.stat(self.trace_path).st_mode & 0o777)

    def test_force_replaces_traces(self):
        with open(self.trace_path, "w", encoding="ascii") as file:
            file.write("old")
        run = self.run_app("launch a 4", PROF_FORCE="1")
        self.assertIn("trace.db: exists and is not a trace", run.stderr)
        with open(self.trace_path, encoding="ascii") as file:
            self.assertEqual("old", file.read())
        os.remove(self.trace_path)
        self.run_app("launch a 3")
        self.assert_counts(self.run_app("launch a 4", PROF_FORCE="1"))
        self.assert_counts(self.run_app("launch a 5", "run", options=["--force"]))

    def check_full(self, run, kernels):
        self.assertEqual(7, run.status)
        self.assertEqual("done\n", run.stdout)
        self.assertEqual(kernels, sum(run.counts["kernels"].values()))
        self.assertEqual(
            1,
            len([line for line in run.prof_lines if "is incomplete" in line or "not" in line]),
            run.stderr,
        )
        self.assertEqual(2, len(run.prof_lines), run.stderr)  # And the closing line.
        # What was committed can be read.
        db = sqlite3.connect(self.trace_path)
        self.assertEqual("ok", db.execute("PRAGMA integrity_check").fetchone()[0])
        db.close()
        self.report("-r", "layers")

    def test_file_size_limit(self):
        for way in ("", " ignore"):
            with self.subTest(way):
                # The limit must leave room for the counts that the program itself writes.
                run = self.run_app(
                    f"limit_file 400000{way}; launches 100000 10; sleep 1500; launches 100000 10; out done; exit 7",
                    status=None,
                    PROF_FORCE="1",
                )
                self.check_full(run, 200000)

    def test_disk_full(self):
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
            self.skipTest("SKIPPED: unshare -rm is not allowed here, so a small disk cannot be had")
        small = os.path.join(self.folder, "small")
        os.mkdir(small)
        kept = os.path.join(self.folder, "kept.db")
        env = self.environment(PROF_OUTPUT=os.path.join(small, "x.db"))
        script = "launches 100000 10; sleep 1500; launches 100000 10; out done; exit 7"
        done = subprocess.run(
            [
                "unshare",
                "-rm",
                "sh",
                "-c",
                f"mount -t tmpfs -o size=1m none {small} && (LD_PRELOAD={INJECT} {APP} '{script}'; "
                f"status=$?; cp {small}/x.db {kept}; [ -e {small}/x.db-journal ] && cp {small}/x.db-journal {kept}-journal; exit $status)",
            ],
            env=env,
            capture_output=True,
            text=True,
            cwd=self.folder,
        )
        self.assertEqual((7, "done\n"), (done.returncode, done.stdout), done.stderr)
        lines = [line for line in done.stderr.splitlines() if "is incomplete" in line]
        self.assertEqual(1, len(lines), done.stderr)
        self.trace_path = kept
        db = sqlite3.connect(kept)
        self.assertEqual("ok", db.execute("PRAGMA integrity_check").fetchone()[0])
        db.close()
        self.report("-r", "layers")

    def test_program_closes_our_descriptors(self):
        run = self.run_app(
            "launch k 100; sleep 1500; close_all; keep_files 30; launch l 200; sleep 1500; launch l; out done; exit 7",
            status=7,
        )
        self.assertEqual("done\n", run.stdout)
        # Whatever became of the trace, the program's own files are its own.
        for i in range(30):
            with open(os.path.join(self.folder, f"own_{i}"), "rb") as file:
                self.assertEqual(b"mine\n", file.read())
        self.assertLessEqual(1, len(run.prof_lines))

    def test_stderr_closed(self):
        env = self.environment(LD_PRELOAD=INJECT, PROF_OUTPUT=self.trace_path)
        done = subprocess.run(
            ["sh", "-c", f"exec {APP} 'launch k 3; keep_files 3; exit 7' 2>&-"],
            env=env,
            capture_output=True,
            text=True,
            cwd=self.folder,
        )
        self.assertEqual((7, "", ""), (done.returncode, done.stdout, done.stderr))
        self.assertEqual({"k": 3}, trace_db.Trace(self.trace_path).kernels_by_name())
        for i in range(3):
            with open(os.path.join(self.folder, f"own_{i}"), "rb") as file:
                self.assertEqual(b"mine\n", file.read())


class ProfRun(SystemTest):
    def run_it(self, *arguments, **extra):
        return subprocess.run(
            [PROF_RUN, *arguments],
            env=self.environment(**extra),
            capture_output=True,
            text=True,
            cwd=self.folder,
        )

    def test_usage(self):
        for arguments in ((), ("--api", "some", "--", "true"), ("--no-such-option", "--", "true")):
            done = self.run_it(*arguments)
            self.assertEqual(2, done.returncode, arguments)
            self.assertEqual("", done.stdout)
        self.assertEqual(0, self.run_it("--help").returncode)

    def test_program_missing(self):
        done = self.run_it("-o", self.trace_path, "--", "/no/such/program")
        self.assertEqual(127, done.returncode)
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)

    def test_signal_of_the_program(self):
        done = self.run_it("-o", self.trace_path, "--", APP, "launch k; kill 9")
        self.assertEqual(-signal.SIGKILL, done.returncode)

    def test_arguments_are_passed_on(self):
        done = self.run_it("-o", self.trace_path, "--", "/bin/echo", "-n", "--", "a b", "--api")
        self.assertEqual((0, "-- a b --api"), (done.returncode, done.stdout))

    def test_collector_missing(self):
        lonely = os.path.join(self.folder, "prof-run")
        shutil.copy(PROF_RUN, lonely)
        done = subprocess.run(
            [lonely, "-o", self.trace_path, "--", APP, "exit 7"],
            env=self.environment(),
            capture_output=True,
            text=True,
            cwd=self.folder,
        )
        # Either it finds one that is installed, or it says in one line that there is none.
        self.assertIn(done.returncode, (1, 7))
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)

    def test_default_name_and_stream(self):
        done = self.run_it("--stream", "records.jsonl", "--", APP, "push a; launch k 3; pop")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(
            {"k": 3},
            trace_db.Trace(os.path.join(self.folder, "prof-script_app.db")).kernels_by_name(),
        )
        again = os.path.join(self.folder, "again.db")
        imported = subprocess.run(
            [
                os.path.join(BUILD, "bin", "prof-import"),
                os.path.join(self.folder, "records.jsonl"),
                "-o",
                again,
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(0, imported.returncode, imported.stderr)
        # The text form holds the same trace.
        self.trace_path = os.path.join(self.folder, "prof-script_app.db")
        first = self.kernels_of_report()
        self.trace_path = again
        self.assertEqual(first, self.kernels_of_report())


if __name__ == "__main__":
    assert os.path.isdir(STANDIN)
    main()
