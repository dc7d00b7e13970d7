#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What people have in their exports of Nsight Systems, made up small, and what reports say of it.

usage: test_nsys_cases.py PROF_IMPORT PROF_REPORT"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import nsys_exports  # noqa: E402
from nsys_exports import Export  # noqa: E402

PROF_IMPORT, PROF_REPORT = map(str, map(pathlib.Path, sys.argv[1:3]))


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.export = Export(self.folder / "r.sqlite")
        self.export.session()

    def tearDown(self):
        self.temporary.cleanup()

    def run_import(self, status=0):
        """The lines on stderr."""
        self.export.close()
        done = subprocess.run([PROF_IMPORT, self.folder / "r.sqlite", "-o", self.folder / "t.db"],
                              capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr.replace(f"{self.folder}/", "").splitlines()

    def lines(self, *options):
        """The lines of a table, as csv without its header; notes are in self.notes."""
        done = subprocess.run([PROF_REPORT, "-f", "csv", *options, self.folder / "t.db"],
                              capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.notes = done.stderr
        return [",".join(line) for line in csv.reader(done.stdout.splitlines()[1:])]


class LeakedRanges(Case):
    """Ranges that are never popped: stacks grow with the program."""
    COUNT = 100_000
    MEGABYTES = 300
    SECONDS = 10  # Of processor time on a busy machine; a cost that grows as the square takes minutes.

    def leak(self, count):
        for i in range(count):
            self.export.range(i * 1_000 + 1, None, "request")
            self.export.launch(i * 1_000 + 11, correlation=i + 1, delay=90, length=200)

    def cost(self, *command):
        with open(os.devnull, "w", encoding="utf-8") as nothing:
            process = subprocess.Popen(command, stdout=nothing, stderr=nothing)
            _, status, usage = os.wait4(process.pid, 0)
        self.assertEqual(status, 0, command)
        self.assertLess(usage.ru_maxrss / 1024, self.MEGABYTES, command)
        self.assertLess(usage.ru_utime + usage.ru_stime, self.SECONDS, command)

    def test_no_cost_grows_with_the_square(self):
        self.leak(self.COUNT)
        self.export.close()
        self.cost(PROF_IMPORT, self.folder / "r.sqlite", "-o", self.folder / "t.db")
        listed = subprocess.run([PROF_REPORT, "--list", "-f", "json"], capture_output=True,
                                text=True, check=True).stdout
        reports = [entry["report"] for entry in json.loads(listed) if "report" in entry]
        self.assertIn("nvtx_kern_sum", reports)
        for report in reports:
            if report != "diff":  # of two traces
                self.cost(PROF_REPORT, "-r", report, self.folder / "t.db")

    def test_what_has_no_known_time_is_in_no_sum(self):
        self.leak(3)
        self.export.range(2_005, 2_500, "closed")
        self.run_import()
        self.assertEqual(self.lines("-r", "nvtx_kern_sum", "-c", "range,ranges,kernels,total_ns"),
                         [",,2,400", ":closed,1,1,200"])
        self.assertEqual(self.lines("-r", "nvtx_gpu_proj_sum", "-c", "range,instances,proj_ns"),
                         [":closed,1,200"])
        self.assertEqual(self.lines("-r", "key_averages", "-c", "op,self_cuda_ns,cuda_total_ns"),
                         ["foo(int),600,600", "closed,200,200", "cudaLaunchKernel,0,0",
                          "request,400,"])
        self.assertEqual(self.lines("-r", "nvtx_gpu_proj_trace", "-c", "name,time_ns,gpu_ops"),
                         [":request,,3", ":request,,2", ":request,,1", ":closed,495,1"])

    def test_deep_stacks_are_cut_and_it_is_said(self):
        self.leak(70)
        self.run_import()
        last = self.lines("-r", "nvtx_pushpop_trace", "-c", "level,path,name_tree")[-1].split(",")
        self.assertEqual(last[0], "69")
        self.assertEqual(last[1].count(":"), 65)
        self.assertTrue(last[1].startswith(":...:"))
        self.assertEqual(last[2], "--" * 64 + ":request")
        self.assertIn("ranges lie more than 64 deep", self.notes)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
