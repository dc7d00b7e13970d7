# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m prof_torch: its own options and messages, and what becomes of a program with torch.
That a program runs as python3 runs it: test_as_python.py."""
import os
import shutil
import subprocess
import sys
import unittest

from runner_test import RunnerTest
from support import PACKAGE_FOLDER


class Runner(RunnerTest):
    def test_options(self):
        path = self.write("script.py", "import sys; print(sys.argv)\n")
        for options in (
            ("--steps", "manual", "--no-shapes"),
            ("--steps=off",),
            ("--mark-every", "3"),
        ):
            self.assert_same(path, "--steps", "off", "--", "-m", "", options=options)

    def test_wrong_usage(self):
        path = self.write("script.py", "print('runs')\n")
        for wrong, says in (
            ((), "a program is missing"),
            (("--no-ops",), "a program is missing"),
            (("--steps", "x", path), "invalid choice"),
            (("--steps",), "expected one argument"),
            (("--step", "off", path), "unrecognized"),
            (("--unknown", path), "unrecognized"),
            (("-x", path), "unknown option -x; those of python3 stand before"),
            (("--mark-every", "0", path), "--mark-every must be a whole number"),
            (("--mark-every", "2", "--steps", "off", path), "--mark-every needs steps"),
        ):
            with self.subTest(wrong=wrong):
                done = self.run_python("-m", "prof_torch", *wrong)
                self.assertEqual((2, ""), (done.returncode, done.stdout))
                self.assertIn(says, done.stderr)
        for word in ("-h", "--help"):
            self.assertIn(
                "usage: python3 -m prof_torch", self.run_python("-m", "prof_torch", word).stdout
            )

    def test_run_by_another_program(self):
        launcher = self.write(
            "launcher.py",
            """
            import runpy, sys
            sys.argv = ["prof_torch", "script.py"]
            runpy.run_module("prof_torch", run_name="__main__", alter_sys=True)
            """,
        )
        self.write("script.py", "print('runs')\n")
        done = self.run_python(launcher)
        self.assertEqual((2, ""), (done.returncode, done.stdout))
        self.assertIn("another program runs this one", done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()))

    def test_a_folder_that_pythonpath_cannot_have(self):
        package = os.path.join(self.folder, "a:b", "prof_torch")
        shutil.copytree(os.path.join(PACKAGE_FOLDER, "prof_torch"), package)
        done = self.run_python(package, self.write("script.py", "import torch; print('runs')\n"))
        self.assertEqual((0, "runs\n"), (done.returncode, done.stdout))
        self.assertIn("nothing is annotated, since PYTHONPATH cannot have", done.stderr)

    def test_where_python3_is_a_script_or_a_link(self):
        path = self.write(
            "script.py",
            "import sys; print(sys.executable, sys.prefix, sys.orig_argv"
            " if hasattr(sys, 'orig_argv') else 0)\n",
        )
        os.symlink(sys.executable, os.path.join(self.folder, "link"))
        self.write(
            "wrapper", '#!/bin/bash\nexec -a "$0" %s "$@"\n' % os.path.realpath(sys.executable)
        )
        self.write("plain", '#!/bin/sh\nexec %s "$@"\n' % os.path.realpath(sys.executable))
        for name in ("link", "wrapper", "plain"):
            python = os.path.join(self.folder, name)
            os.chmod(python, 0o755)
            plain, ours = (
                subprocess.run(
                    [python, *extra, path],
                    capture_output=True,
                    text=True,
                    cwd=self.folder,
                    env=self.environment(),
                    check=False,
                )
                for extra in ((), ("-m", "prof_torch"))
            )
            self.assertEqual((plain.stdout, plain.stderr), (ours.stdout, ours.stderr), name)

    def test_a_program_without_torch_does_not_import_it(self):
        path = self.write("script.py", "import sys; print('torch' in sys.modules)\n")
        self.assertEqual(self.assert_same(path).stdout, "False\n")

    def test_the_program_may_set_variables_before_torch(self):
        path = self.write(
            "script.py", "import os; os.environ['X'] = '1'; import torch; print(torch.nn.Module)\n"
        )
        self.assert_same(path)

    def test_it_annotates(self):
        path = self.write(
            "script.py",
            """
            import torch
            model = torch.nn.Sequential(torch.nn.Linear())
            model(1)
            torch.optim.Adam().step()
            print(torch._C.log)
            """,
        )
        self.assertIn(
            "'start step:0', 'push Sequential', 'push layer:0', 'pop', 'pop'",
            self.run_python("-m", "prof_torch", path).stdout,
        )
        self.assertEqual(self.run_python(path).stdout.count("push"), 0)

    def test_the_folder_of_the_package_can_be_run(self):
        path = self.write(
            "script.py", "import prof_torch, sys; print(prof_torch.is_active(), sys.path[0])\n"
        )
        folder = os.path.join(os.path.abspath(PACKAGE_FOLDER), "prof_torch")
        result = subprocess.run(
            [sys.executable, "-B", folder, path],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        self.assertEqual(result.stdout, "False %s\n" % self.folder)

    def test_a_torch_that_is_unlike_those_known(self):
        path = self.write("script.py", "import torch; print('goes on')\n")
        self.write("torch.py", "class nn: Module = None\nclass _C: _nvtx = object()\n")
        result = self.run_python("-m", "prof_torch", path)
        self.assertEqual((result.stdout, result.returncode), ("goes on\n", 0))
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.write("torch.py", "class _C: pass\n")
        result = self.run_python("-m", "prof_torch", path)
        self.assertIn("without NVTX", result.stderr)


if __name__ == "__main__":
    unittest.main()
