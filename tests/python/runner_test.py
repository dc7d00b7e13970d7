# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What tests of python3 -m prof_torch share: scripts in a folder of their own, with and without it."""
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

from support import FAKE_TORCH_FOLDER, PACKAGE_FOLDER


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    @staticmethod
    def environment():
        return dict(
            os.environ,
            PYTHONPATH=os.pathsep.join(map(os.path.abspath, (PACKAGE_FOLDER, FAKE_TORCH_FOLDER))),
            PYTHONDONTWRITEBYTECODE="1",
        )

    def run_python(self, *command):
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )

    def assert_same(self, *command, options=(), stderr=True):
        plain = self.run_python(*command)
        annotated = self.run_python("-m", "prof_torch", *options, *command)
        self.assertEqual(annotated.stdout, plain.stdout)
        self.assertEqual(annotated.returncode, plain.returncode)
        if stderr:
            self.assertEqual(annotated.stderr, plain.stderr)
        return annotated
