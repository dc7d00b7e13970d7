# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in prof_trace is one line; where prof-report has one, it is that."""
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import tracemalloc
import unittest
from unittest import mock

from trace_support import BIN, PACKAGE_FOLDER, TraceTest, prof_trace


class WrongUse(TraceTest):
    def test_files(self):
        missing = os.path.join(self.folder, "missing.db")
        text = os.path.join(self.folder, "text.db")
        with open(text, "w", encoding="utf-8") as file:
            file.write("not a trace " * 20)
        good = self.made("bert_small")
        self.assertEqual(
            f"{missing}: cannot be opened: No such file or directory",
            self.line_of(prof_trace.open, missing),
        )
        self.assertEqual(
            f"{text}: is not a trace (no SQLite database); name a trace that prof-run " "wrote",
            self.line_of(prof_trace.open, text),
        )
        hollow = tempfile.mkdtemp(dir=self.folder)
        self.assertEqual(
            f"{hollow}: is a folder without a trace; name a trace that prof-run wrote",
            self.line_of(prof_trace.open, hollow),
        )
        self.assertIn("missing.db: cannot be opened", self.line_of(prof_trace.open, good, missing))
        self.assertIn("no trace file given", self.line_of(prof_trace.open))
        self.assertIn(good, self.line_of(prof_trace.open, good, good))

    def test_a_trace_that_is_gone_later(self):
        path = self.made("bert_small", "gone.db")
        trace = prof_trace.open(path)
        os.remove(path)
        self.assertIn("gone.db: cannot be opened", self.line_of(trace.kernels))

    def test_words(self):
        trace = self.opened("bert_small")
        for call, start in (
            (lambda: trace.report("layer"), "-r: unknown report 'layer'; did you mean"),
            (lambda: trace.columns("no"), "-r: unknown report 'no'; prof-report --list all shows"),
            (lambda: trace.report(""), "-r: unknown report ''"),
            (lambda: trace.report("nsys"), "'nsys' is not one report; name one of kernels, "),
            (lambda: trace.report("kernels,gpu"), "'kernels,gpu' is not one report"),
            (
                lambda: trace.kernels(["op", "tim_us"]),
                "-c: unknown column 'tim_us' in report " "'kernels'; did you mean 'time_us'?",
            ),
            (lambda: trace.kernels("op,op"), "-c: column 'op' is given twice"),
            (lambda: trace.kernels([]), "-c: unknown column ''"),
            (lambda: trace.kernels(by="op"), "--by: report 'kernels' is not a roll-up"),
            (lambda: trace.kernels(step="x"), "--step: 'x' is not a step"),
            (lambda: trace.kernels(where="tim > 1"), ""),
            (lambda: trace.report("api", op="x"), "--op: report 'api' has no column 'op'"),
            (lambda: trace.sql(""), ""),
            (lambda: trace.sql("SELECT nothing"), ""),
            (lambda: trace.sql("SELECT 1, 1"), "SQL: column '1' occurs twice"),
            (lambda: trace.sql("DELETE FROM kernels"), ""),
            (lambda: trace.sql("SELECT 1", top=1), "--top: does not go with --sql"),
            (lambda: prof_trace.open(*trace.paths, step="x"), "--step: 'x' is not a step"),
            (lambda: prof_trace.open(*trace.paths, capture=9), "--capture: "),
        ):
            line = self.line_of(call)
            self.assertEqual(start, line[: len(start)])

    def test_a_mistake_of_the_program(self):
        path = self.made("bert_small")
        with self.assertRaisesRegex(TypeError, "unknown option 'steps'; options are step, "):
            prof_trace.open(path, steps=1)
        for nothing in ([], range(3, 3)):  # It would be no option, and choose all.
            with self.assertRaisesRegex(ValueError, "chooses nothing"):
                prof_trace.open(path, step=nothing)


class Programs(TraceTest):
    def test_the_variable(self):
        for path in (os.path.join(self.folder, "none"), self.folder, self.made("bert_small")):
            with mock.patch.dict(os.environ, PROF_REPORT=path):
                self.assertEqual(
                    f"PROF_REPORT: {path}: is not a program; set it to the path of " "prof-report",
                    self.line_of(prof_trace.open, "trace.db"),
                )

    def test_one_that_cannot_be_run(self):
        path = self.stand_in("")
        with open(path, "wb") as file:
            file.write(b"\x7fELF nothing")
        self.assertEqual(
            f"{path}: cannot be run: Exec format error", self.line_of(prof_trace.open, "trace.db")
        )

    def run_elsewhere(self, folder, environment):
        """prof_trace of a copy of the package, in a process of its own."""
        code = (
            "import prof_trace, sys\n"
            "try: print(len(prof_trace.open(sys.argv[1]).kernels('idx')))\n"
            "except prof_trace.Error as error: print(error)\n"
        )
        done = subprocess.run(
            [sys.executable, "-B", "-c", code, self.made("bert_small")],
            env={"PYTHONPATH": folder, "PATH": "/nowhere", **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual("", done.stderr)
        return done.stdout.strip()

    def test_where_it_is_found(self):
        prefix = os.path.join(self.folder, "prefix")
        python = os.path.join(prefix, "share", "prof", "python")
        shutil.copytree(
            os.path.join(PACKAGE_FOLDER, "prof_trace"), os.path.join(python, "prof_trace")
        )
        line = self.run_elsewhere(python, {})
        self.assertIn(f"prof-report: is neither in {prefix}/bin nor in ", line)
        self.assertIn(" nor on PATH; set PROF_REPORT to its path", line)
        kernels = str(len(self.opened("bert_small").kernels("idx")))
        self.assertEqual(kernels, self.run_elsewhere(python, {"PATH": BIN}))
        os.mkdir(os.path.join(prefix, "bin"))
        os.symlink(os.path.join(BIN, "prof-report"), os.path.join(prefix, "bin", "prof-report"))
        self.assertEqual(kernels, self.run_elsewhere(python, {}))

    def test_one_that_fails(self):
        path = self.stand_in("echo 'prof-report: a note' >&2; echo 'prof-report: why' >&2; exit 1")
        self.assertEqual("why", self.line_of(prof_trace.open, "t.db"))
        self.stand_in("exit 7")
        self.assertEqual(f"{path}: failed with exit code 7", self.line_of(prof_trace.open, "t.db"))
        self.stand_in("printf '[\\n{\"a\":1},\\n'; kill -KILL $$")
        self.assertIn(
            f"{path}: was ended by SIGKILL; run it in a shell: ",
            self.line_of(prof_trace.open, "t.db"),
        )

    def test_another_program(self):
        for script in (
            "",
            "echo hello",
            "echo '[hello]'",
            "echo '{\"a\":1}'",
            "echo '[\n{\"a\":\n]'",
            "echo '['",
            "printf '[\\n{\"a\":1},\\n'",
            "printf '[\\n{\"a\":1}\\n'",
        ):
            with self.subTest(script):
                self.stand_in(script)
                self.assertIn(
                    "does not print what prof-report does; set PROF_REPORT to the one of "
                    "this version",
                    self.line_of(prof_trace.open, "t.db"),
                )

    def test_one_that_would_not_end_is_ended(self):
        self.stand_in("echo '['; while :; do echo 'x'; done")
        self.line_of(prof_trace.open, "t.db")


class Streams(TraceTest):
    ROWS = 200_000

    def test_much_on_stderr_stops_nothing(self):
        self.stand_in(
            "i=0; while [ $i -lt 9000 ]; do echo 'prof-report: warning: 日本' >&2;"
            " i=$((i+1)); done; printf '[\\n{\"a\":1}\\n]\\n'"
        )
        self.assertEqual(["warning: 日本"] * 9000, prof_trace.open("t.db").notes)

    def test_garbage_collection_goes_on(self):
        trace = self.opened("bert_small")
        for call in (trace.kernels, lambda: self.line_of(trace.kernels, where="no")):
            call()
            self.assertTrue(gc.isenabled())
        gc.disable()
        self.addCleanup(gc.enable)
        trace.kernels()
        self.assertFalse(gc.isenabled())

    def test_rows_are_not_held_twice(self):
        # 30 MB, of which the lists hold a number and a reference a row.
        self.stand_in(
            f"echo '['; yes '{{\"a\":1,\"b\":\"{'x' * 130}\"}},' | head -n {self.ROWS};"
            " echo '{\"a\":1,\"b\":null}'; echo ']'"
        )
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        trace = prof_trace.open("t.db")
        self.assertEqual(self.ROWS + 1, trace.sql("")["a"].count(1))
        self.assertLess(tracemalloc.get_traced_memory()[1], 16 << 20)


if __name__ == "__main__":
    unittest.main()
