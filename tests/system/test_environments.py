#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Odd surroundings: signals that a parent ignores, limits, paths, sanitizers, no environment. The program
runs as it would without, and is captured, or one line says why it is not."""
import os
import shutil
import signal
import subprocess
import time

import trace_db
from harness import APP, BUILD, INJECT, PROF_RUN, SystemTest, main

ASAN_APP = os.path.join(os.path.dirname(APP), "asan_app")
WORK = "push a; launch k 300; pop; out done; "


class Surroundings(SystemTest):
    def run_shell(self, command, **extra):
        """Runs a shell command with the stand-ins; $RUN is prof-run with its output, $APP the program."""
        env = self.environment(RUN=f"{PROF_RUN} -o {self.trace_path} --", APP=APP, **extra)
        return subprocess.run(
            ["bash", "-c", command],
            env=env,
            capture_output=True,
            text=True,
            timeout=100,
            cwd=self.folder,
        )

    def check_captured(self, done, status, kernels=300, lines=1):
        self.assertEqual((status, "done\n"), (done.returncode, done.stdout), done.stderr)
        self.assertEqual(kernels, trace_db.Trace(self.trace_path).kernel_count())
        others = [line for line in done.stderr.splitlines() if not line.startswith("prof: wrote")]
        self.assertEqual([], others)
        self.assertEqual(lines, len(done.stderr.splitlines()), done.stderr)


class Signals(Surroundings):
    def test_sigchld_ignored_by_the_parent(self):
        done = self.run_shell(f"trap '' CHLD; exec $RUN $APP '{WORK} exit 7'")
        self.check_captured(done, 7)

    def test_a_crash_under_ignored_sigchld(self):
        done = self.run_shell(f"trap '' CHLD; exec $RUN $APP '{WORK} crash'")
        self.assertEqual((-signal.SIGSEGV, "done\n"), (done.returncode, done.stdout), done.stderr)

    def test_the_program_inherits_what_prof_run_did(self):
        done = self.run_shell("trap '' CHLD PIPE; exec $RUN grep SigIgn /proc/self/status")
        bare = self.run_shell("trap '' CHLD PIPE; exec grep SigIgn /proc/self/status")
        self.assertEqual((0, bare.stdout), (done.returncode, done.stdout), done.stderr)

    def test_prof_runs_line_on_a_closed_pipe(self):
        done = self.run_shell(
            "($RUN sh -c 'sleep 0.3; exit 7' 2>&1 >/dev/null; echo $? > status) | true; cat status"
        )
        self.assertEqual("7\n", done.stdout, done.stderr)


class Limits(Surroundings):
    def test_small_files_from_the_start(self):
        # 40 blocks of 1 KiB: not even the tables fit.
        done = self.run_shell(f"ulimit -f 40; exec $RUN $APP '{WORK} exit 7'", APP_COUNTS="")
        self.assertEqual((7, "done\n"), (done.returncode, done.stdout), done.stderr)
        self.assertEqual([], [name for name in os.listdir(self.folder) if "trace" in name])
        said = [line for line in done.stderr.splitlines() if line.startswith("prof:")]
        self.assertEqual(1, len(said), done.stderr)
        self.assertIn("there is no trace", said[0])
        self.assertRegex(said[0], r"\d+ records lost")

    def test_small_files_at_exit(self):
        # What is left to write at the end does not fit any more.
        done = self.run_shell(
            "ulimit -f 250; exec $RUN $APP 'launch a 10; sleep 1500; launches 30000 10; out done; exit 7'",
            APP_COUNTS="",
        )
        self.assertEqual((7, "done\n"), (done.returncode, done.stdout), done.stderr)
        self.assertIn("is incomplete", done.stderr)

    def test_no_file_at_all_by_the_linked_library(self):
        from harness import LINKED_APP

        done = self.run_shell(
            f"ulimit -f 0; exec {LINKED_APP} 'prof_start one.db; launch k 3; prof_stop; exit 7'",
            APP_COUNTS="",
        )
        self.assertEqual(7, done.returncode, done.stderr)
        self.assertIn("one.db", done.stdout.splitlines()[0])
        self.assertEqual([], os.listdir(self.folder))


class Ends(SystemTest):
    def test_cupti_that_does_not_answer_at_exit(self):
        start = time.monotonic()
        run = self.run_app(
            "launch k 500; sync; sleep 1500; out done; exit 7",
            status=7,
            STANDIN_CUPTI_FAIL="flush_hangs",
        )
        self.assertLess(time.monotonic() - start, 40)
        self.assertEqual("done\n", run.stdout)
        self.assertEqual(1, len(run.prof_lines), run.stderr)
        self.assertIn("could not be finished", run.prof_lines[0])
        # What was written is there, and says that it did not end.
        self.assertEqual(
            501, trace_db.Trace(self.trace_path, recover=True).one("SELECT count(*) FROM api_call")
        )
        self.assertNotIn("ended", run.trace().meta())


class Paths(Surroundings):
    def install_in(self, name):
        folder = os.path.join(self.folder, name)
        os.makedirs(os.path.join(folder, "bin"))
        os.makedirs(os.path.join(folder, "lib"))
        shutil.copy(PROF_RUN, os.path.join(folder, "bin"))
        shutil.copy(INJECT, os.path.join(folder, "lib"))
        return os.path.join(folder, "bin", "prof-run")

    def test_installed_where_a_preload_cannot_point(self):
        for name in ("my programs", "a:b"):
            with self.subTest(name):
                program = self.install_in(name)
                done = subprocess.run(
                    [program, "--force", "-o", self.trace_path, "--", APP, WORK + "exit 7"],
                    env=self.environment(),
                    capture_output=True,
                    text=True,
                )
                self.check_captured(done, 7)
                self.assertEqual(
                    {("a",): 300}, dict(trace_db.Trace(self.trace_path).stacks_by_kernel()["k"])
                )

    def test_a_folder_is_called_what_it_is_called(self):
        folder = os.path.join(self.folder, "100%p %h")
        os.mkdir(folder)
        self.trace_path = os.path.join(folder, "trace.db")
        env = self.environment()
        done = subprocess.run(
            [PROF_RUN, "-o", "trace.db", "--", APP, WORK + "exit 7"],
            env=env,
            capture_output=True,
            text=True,
            cwd=folder,
        )
        self.check_captured(done, 7)
        os.remove(self.trace_path)
        done = subprocess.run(
            [PROF_RUN, "-o", self.trace_path, "--", APP, WORK + "exit 7"],
            env=env,
            capture_output=True,
            text=True,
        )
        self.check_captured(done, 7)

    def test_the_rank_in_the_name(self):
        for rank, name in (("3", "r3.db"), (None, "rnone.db")):
            extra = {} if rank is None else {"RANK": rank}
            done = self.run_shell(
                "unset SLURM_PROCID; "
                + ("" if rank else "unset RANK; ")
                + f"exec {PROF_RUN} -o r%r.db -- $APP '{WORK} exit 7'",
                **extra,
            )
            self.trace_path = os.path.join(self.folder, name)
            self.check_captured(done, 7)


class Environments(Surroundings):
    def test_a_program_with_an_address_sanitizer(self):
        if not os.path.exists(ASAN_APP):
            self.skipTest(
                "SKIPPED: this compiler is not GCC, so there is no program with its sanitizer"
            )
        for command in ("$RUN", "$RUN sh -c '\"$@\"' sh"):
            bare = self.run_shell(f"exec {ASAN_APP} 'out done; exit 7'")
            self.assertEqual((7, "done\n", ""), (bare.returncode, bare.stdout, bare.stderr))
            done = self.run_shell(f"exec {command} {ASAN_APP} '{WORK} exit 7'")
            self.check_captured(done, 7)
            os.remove(self.trace_path)

    def test_the_sanitizers_own_options_are_kept(self):
        if not os.path.exists(ASAN_APP):
            self.skipTest(
                "SKIPPED: this compiler is not GCC, so there is no program with its sanitizer"
            )
        done = self.run_shell(f"ASAN_OPTIONS=exitcode=33 exec $RUN {ASAN_APP} '{WORK} crash'")
        self.assertEqual(33, done.returncode, done.stderr)

    def test_an_environment_that_is_cleared_by_a_parent(self):
        done = self.run_shell(
            "exec $RUN env -i LD_LIBRARY_PATH=$LD_LIBRARY_PATH $APP 'launch k 3; out done; exit 7'"
        )
        self.assertEqual((7, "done\n"), (done.returncode, done.stdout), done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
        self.assertIn("cleared environment", done.stderr)

    def test_an_environment_that_the_program_clears(self):
        for door in ("run", "preload"):
            with self.subTest(door):
                run = self.run_app(
                    "clear_environment; launch k 3; out done; exit 7", door, status=7
                )
                self.assertEqual("done\n", run.stdout)
                said = [line for line in run.prof_lines if line.startswith("prof: ")]
                self.assertEqual(1, len(said), run.stderr)
                self.assertIn("environment", said[0])

    def test_a_helper_that_clears_its_environment_says_nothing(self):
        run = self.run_app("clear_environment; push a; pop; out done; exit 7", "preload", status=7)
        self.assert_untouched(run, "done\n", lines=0)


if __name__ == "__main__":
    assert os.path.isdir(BUILD)
    main()
