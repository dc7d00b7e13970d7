#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A program that runs with more rights than the user who starts it: what that user puts into the
environment chooses no code and no file. Needs root, for only root can make such a program."""
import os
import shutil
import subprocess

import trace_db
from harness import BUILD, INJECT, SystemTest, main

FOREIGN = os.path.join(BUILD, "tests", "system", "libforeign_code.so")
NOBODY = 65534
NOT_SECURE = 75


class SecureTest(SystemTest):
    def setUp(self):
        super().setUp()
        if os.getuid() != 0:
            self.skipTest("SKIPPED: not root, so a set-user-id program cannot be made")
        os.chmod(self.folder, 0o755)
        self.mark = os.path.join(self.folder, "users", "mark")
        self.users = os.path.dirname(self.mark)
        os.mkdir(self.users)
        os.chown(self.users, NOBODY, NOBODY)
        self.victim = os.path.join(self.folder, "victim")
        with open(self.victim, "w", encoding="ascii") as file:
            file.write("precious")

    def make(self, name, kind):
        """A copy of secure_NAME with more rights."""
        app = os.path.join(self.folder, name + "_" + kind)
        shutil.copy(os.path.join(BUILD, "tests", "system", "secure_" + name), app)
        os.chown(app, 0, 0)
        os.chmod(app, {"setuid": 0o4755, "setgid": 0o2755}.get(kind, 0o755))
        if kind == "capabilities":
            if shutil.which("setcap") is None:
                self.skipTest("SKIPPED: there is no setcap (libcap2-bin)")
            subprocess.run(["setcap", "cap_dac_override,cap_perfmon+ep", app], check=True)
        if self.start(app, "expect_secure").returncode == NOT_SECURE:
            self.skipTest(f"SKIPPED: {kind} has no effect in {self.folder} (mounted nosuid?)")
        return app

    def start(self, app, script, **extra):
        env = self.environment(None, FOREIGN_MARK=self.mark, **extra)
        env.pop("APP_COUNTS")
        return subprocess.run(
            [app, script],
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.users,
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
        )

    def check(
        self, name, script, variables, kinds=("setuid", "setgid", "capabilities"), ignored=None
    ):
        """Neither foreign code nor the victim was touched; one line says what was ignored."""
        for kind in kinds:
            with self.subTest(kind=kind):
                done = self.start(self.make(name, kind), script + "; exit 7", **variables)
                self.assertEqual(7, done.returncode, done.stderr)
                self.assertFalse(os.path.exists(self.mark), "foreign code was loaded")
                with open(self.victim, encoding="ascii", errors="replace") as file:
                    self.assertEqual("precious", file.read(8))
                lines = [
                    line
                    for line in done.stderr.splitlines()
                    if "ignored, because this program runs with more rights" in line
                ]
                names = sorted(
                    name
                    for line in lines
                    for name in line.removeprefix("prof: ").partition(":")[0].split(", ")
                )
                self.assertEqual(sorted(ignored or variables), names, done.stderr)
        return done


class Code(SecureTest):
    def test_the_foreign_library_would_be_seen(self):
        """What the tests below look for comes about where the program has no more rights."""
        app = os.path.join(self.folder, "plain")
        shutil.copy(os.path.join(BUILD, "tests", "system", "secure_linked_app"), app)
        self.start(app, "prof_start one.db", PROF_COLLECTOR=FOREIGN)
        self.assertTrue(os.path.exists(self.mark))

    def test_collector(self):
        done = self.check(
            "linked_app",
            "prof_start one.db force; launch k 3; prof_stop",
            {"PROF_COLLECTOR": FOREIGN},
        )
        self.assertEqual("start: done\nstop: done\n", done.stdout)

    def test_nvtx(self):
        # NVTX in the program would load it at the first range.
        self.check(
            "linked_app",
            "push a; prof_start one.db force; launch k 3; prof_stop; pop",
            {"NVTX_INJECTION64_PATH": FOREIGN},
        )
        trace = trace_db.Trace(os.path.join(self.users, "one.db"))
        self.assertEqual({("a",): 3}, dict(trace.stacks_by_kernel()["k"]))

    def test_driver(self):
        self.check("linked_app", "launch k 3", {"CUDA_INJECTION64_PATH": FOREIGN})

    def test_nothing_to_ignore(self):
        done = self.start(
            self.make("linked_app", "setuid"),
            "push a; prof_start one.db; launch k 3; prof_stop; exit 7",
        )
        self.assertEqual(
            (7, "start: done\nstop: done\n", ""), (done.returncode, done.stdout, done.stderr)
        )
        trace = trace_db.Trace(os.path.join(self.users, "one.db"))
        self.assertEqual({("a",): 3}, dict(trace.stacks_by_kernel()["k"]))
        self.assertEqual(0, os.stat(os.path.join(self.users, "one.db")).st_uid)


class Files(SecureTest):
    def variables(self, **more):
        return {"PROF_OUTPUT": self.victim, "PROF_FORCE": "1", "PROF_STREAM": self.victim, **more}

    def test_defaults_of_a_linked_program(self):
        done = self.check(
            "linked_app",
            "prof_start_defaults; launch k 3; prof_stop",
            self.variables(PROF_RUN_ID="1-2"),
        )
        self.assertEqual("start: done\nstop: done\n", done.stdout)
        for name in os.listdir(self.users):
            self.assertRegex(name, r"^prof-\d+\.db$")
            self.assertEqual(
                {"k": 3}, trace_db.Trace(os.path.join(self.users, name)).kernels_by_name()
            )

    def test_linked_program_with_a_path_of_its_own(self):
        self.check("linked_app", "prof_start one.db force; launch k 3; prof_stop", self.variables())

    def test_the_driver_loads_the_collector(self):
        # Nothing but the environment asks for a capture: there is none.
        self.check("script_app", "launch k 3", self.variables(CUDA_INJECTION64_PATH=INJECT))
        self.assertEqual([], os.listdir(self.users))

    def test_a_linked_program_starts_after_the_driver(self):
        done = self.check(
            "linked_app",
            "launch k 2; prof_start one.db force; launch k 3; prof_stop",
            self.variables(CUDA_INJECTION64_PATH=INJECT, PROF_START="auto"),
            ignored=self.variables(CUDA_INJECTION64_PATH=INJECT),
        )
        self.assertEqual("start: done\nstop: done\n", done.stdout)


if __name__ == "__main__":
    main()
