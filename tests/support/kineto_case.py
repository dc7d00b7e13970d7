# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A test that imports a file of torch.profiler and reads reports of the trace.

The first two arguments of the program are PROF_IMPORT and PROF_REPORT."""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROF_IMPORT, PROF_REPORT = (str(pathlib.Path(name)) for name in sys.argv[1:3])


class KinetoCase(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def imported(self, file, text=None, name="trace.json"):
        """What prof-import warns of; nothing of traces without GPU work."""
        source = self.folder / name
        file.write(source, text)
        done = subprocess.run(
            [PROF_IMPORT, source, "-o", self.folder / "t.db", "--force"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stderr.replace(f"{self.folder}/", "").splitlines()
        lines = [line.removeprefix("prof-import: ") for line in lines]
        return [line for line in lines if "has no GPU work" not in line]

    def rows(self, columns, report="kernels", trace="t.db", warnings=None):
        """One list of cells a row, as texts; absent ones are empty."""
        done = subprocess.run(
            [PROF_REPORT, "-r", report, "-f", "csv", "-c", columns, self.folder / trace],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        if warnings is not None:
            warnings.extend(
                line.removeprefix("prof-report: warning: ")
                for line in done.stderr.splitlines()
                if "warning:" in line
            )
        return list(csv.reader(io.StringIO(done.stdout)))[1:]

    def assert_rows(self, file, columns, expected, report="kernels", lines=()):
        self.assertEqual(self.imported(file), list(lines))
        self.assertEqual(
            self.rows(columns, report), [[str(cell) for cell in row] for row in expected]
        )


def main():
    unittest.main(argv=sys.argv[:1])
