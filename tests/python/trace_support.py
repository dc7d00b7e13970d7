# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of prof_trace share: traces made from recordings, and stand-ins for prof-report.

The environment variable PROF_BIN_DIR is the folder of prof-import and prof-report.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGE_FOLDER = os.path.join(ROOT, "tools", "python")
BIN = os.environ.get("PROF_BIN_DIR", os.path.join(ROOT, "build", "bin"))
sys.path.insert(0, PACKAGE_FOLDER)

import prof_trace  # noqa: E402


def without_reasons(rows):
    """Rows of `prof-report -f json` without what it says about its values, or why there are none."""
    about = ("absent", "estimated", "at_least")
    rows = [{word: value for word, value in row.items() if word not in about} for row in rows]
    return [row for row in rows if row]


class TraceTest(unittest.TestCase):
    """Each test class has a folder of its own, and prof-report of the build."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="prof-trace-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        patch = mock.patch.dict(os.environ, PROF_REPORT=os.path.join(BIN, "prof-report"))
        patch.start()
        cls.addClassCleanup(patch.stop)

    @classmethod
    def made(cls, recording, name=None):
        """The path of a trace of tests/data/RECORDING.jsonl.gz, or of a path in the sources."""
        source = recording if "/" in recording else f"tests/data/{recording}.jsonl.gz"
        path = os.path.join(cls.folder, name or os.path.basename(recording).split(".")[0] + ".db")
        if not os.path.exists(path):
            subprocess.run(
                [os.path.join(BIN, "prof-import"), "-o", path, os.path.join(ROOT, source)],
                check=True,
            )
        return path

    @classmethod
    def opened(cls, recording, **rows):
        return prof_trace.open(cls.made(recording), **rows)

    def stand_in(self, script):
        """From here on prof-report is this shell script."""
        path = os.path.join(self.folder, f"{self.id()}.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, 0o755)
        patch = mock.patch.dict(os.environ, PROF_REPORT=path)
        patch.start()
        self.addCleanup(patch.stop)
        return path

    def line_of(self, call, *arguments, **options):
        """The line of the Error that the call raises."""
        with self.assertRaises(prof_trace.Error) as raised:
            call(*arguments, **options)
        self.assertNotIn("\n", str(raised.exception))
        return str(raised.exception)
