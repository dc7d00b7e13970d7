# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The cell magic %%prof: on a stand-in for IPython's shell, and on IPython where that is installed. A
stand-in for the capture writes a recorded trace."""
import contextlib
import importlib.util
import io
import os
import shutil
import types
import unittest
from unittest import mock

import support  # noqa: F401: the fake torch
from trace_support import TraceTest
from prof_torch import jupyter, library, messages


class FakeShell:
    """As much of IPython.InteractiveShell as the magic uses."""

    def __init__(self):
        self.magics, self.names = {}, {}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function

    def run_cell(self, cell):
        try:
            exec(cell, self.names)
        except Exception as error:
            print("Traceback: %r" % error)
            return types.SimpleNamespace(success=False)
        return types.SimpleNamespace(success=True)


class JupyterTest(TraceTest):
    def setUp(self):
        self.trace = self.made("torch_gpt2_steps")
        self.calls, self.shown = [], []
        self.can_start, self.shell = True, FakeShell()
        self.magic = jupyter.Magic(self.shell, self.start, self.shown.append)

    def start(self, path, is_kept):
        """The stand-in for prof_torch.capture()."""
        self.calls.append("start")
        self.path, self.is_kept = path, is_kept
        if not self.can_start:
            messages.print_message("nothing is captured: no NVIDIA driver is installed here")
            return types.SimpleNamespace(is_running=False, stop=lambda: None)

        def stop():
            self.calls.append("stop")
            shutil.copyfile(self.trace, path)

        return types.SimpleNamespace(is_running=True, stop=stop)

    def run_magic(self, line, cell, magic=None):
        """What it prints, and the line of its error."""
        out, error = io.StringIO(), None
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                (magic or self.magic).run(line, cell)
            except jupyter.Line as raised:
                [error] = raised._render_traceback_()
                self.assertNotIn("\n", error)
        return out.getvalue(), error


class Cells(JupyterTest):
    def test_the_summary_is_shown(self):
        self.assertEqual(("", None), self.run_magic("", "x = 2 + 3"))
        self.assertEqual(5, self.shell.names["x"])
        self.assertEqual(["start", "stop"], self.calls)
        [text] = self.shown
        self.assertIn("| step: | period |", text._repr_markdown_())
        self.assertEqual(repr(text), text._repr_markdown_())
        self.assertFalse(self.is_kept or os.path.exists(self.path))

    def test_another_report(self):
        self.run_magic("--report gaps", "")
        self.assertIn("| cause: | 0 | launch |", self.shown[0]._repr_markdown_())

    def test_the_page(self):
        self.run_magic("--page", "")
        self.assertIn("<iframe", self.shown[0]._repr_html_())

    def test_the_trace_is_kept(self):
        path = os.path.join(self.folder, "kept here.db")
        self.run_magic("-o '%s'" % path, "")
        self.assertEqual(path, self.path)
        self.assertTrue(self.is_kept and os.path.exists(path))

    def test_a_cell_that_fails_is_reported_as_far_as_it_came(self):
        printed, error = self.run_magic("", "1 / 0")
        self.assertIn("ZeroDivisionError", printed)
        self.assertEqual("prof: the cell failed; the report is of what it did until then", error)
        self.assertEqual(["start", "stop"], self.calls)
        self.assertEqual(1, len(self.shown))

    def test_an_interrupted_magic_ends_the_capture(self):
        with mock.patch.object(
            self.shell, "run_cell", side_effect=KeyboardInterrupt
        ), self.assertRaises(KeyboardInterrupt):
            self.magic.run("", "")
        self.assertEqual(["start", "stop"], self.calls)
        self.assertIsNone(messages.show_with(None))


class WhatGoesWrong(JupyterTest):
    def test_a_capture_that_cannot_start(self):
        self.can_start = False
        printed, error = self.run_magic("", "x = 1")
        self.assertEqual("prof: nothing is captured: no NVIDIA driver is installed here\n", printed)
        self.assertIsNone(error)
        self.assertEqual((1, []), (self.shell.names["x"], self.shown))
        self.assertEqual("prof: the cell failed", self.run_magic("", "1 / 0")[1])

    def test_a_capture_that_runs_already(self):
        class Busy:
            @staticmethod
            def prof_start(options):
                return 7

            @staticmethod
            def prof_last_error():
                return b"a capture is already running"

        magic = jupyter.Magic(self.shell, show=self.shown.append)
        with mock.patch.object(library, "load", Busy):
            printed, error = self.run_magic("", "x = 1", magic)
        self.assertEqual("prof: nothing is captured: a capture is already running\n", printed)
        self.assertEqual((1, []), (self.shell.names["x"], self.shown))

    def test_no_prof_report(self):
        with mock.patch.dict(os.environ, PROF_REPORT="/nowhere/prof-report"):
            _, error = self.run_magic("", "x = 1")
        self.assertEqual(
            "prof: PROF_REPORT: /nowhere/prof-report: is not a program; set it to the "
            "path of prof-report",
            error,
        )
        self.assertEqual(([], {}), (self.calls, self.shell.names))

    def test_options(self):
        for line, error in (
            ("--nosuch", "unrecognized arguments: --nosuch; %%prof -h shows the options"),
            ("-o", "argument -o: expected one argument; %%prof -h shows the options"),
            (
                "--page --report ops",
                "argument --report: not allowed with argument --page; %%prof -h "
                "shows the options",
            ),
            ("-o 'a", "-o 'a: No closing quotation"),
            ("-o a-%p.db", "-o a-%p.db: % has no meaning here; name one file"),
        ):
            self.assertEqual(("", "prof: " + error), self.run_magic(line, "x = 1"))
        self.assertEqual(([], {}), (self.calls, self.shell.names))
        printed, error = self.run_magic("-h", "x = 1")
        self.assertIn("usage: %%prof", printed)
        self.assertEqual((None, {}), (error, self.shell.names))

    def test_an_unknown_report(self):
        _, error = self.run_magic("--report nosuch", "x = 1")
        self.assertIn("unknown report 'nosuch'", error)

    def test_no_trace(self):
        self.trace = self.made("torch_gpt2_steps")
        with mock.patch.object(shutil, "copyfile"):
            printed, error = self.run_magic("", "x = 1")
        self.assertRegex(printed, r"^prof: no trace was written to \S+/cell.db\n$")
        self.assertIsNone(error)


class Extension(JupyterTest):
    def test_loading_it_loads_the_library(self):
        for load in (mock.Mock(), mock.Mock(side_effect=OSError("libprof.so is not in /lib"))):
            with mock.patch.object(library, "load", load):
                jupyter.load_ipython_extension(self.shell)
            load.assert_called_once_with()
            self.assertEqual([("cell", "prof")], list(self.shell.magics))

    def test_without_torch_kernels_are_captured_all_the_same(self):
        with mock.patch.object(importlib.util, "find_spec", lambda name: None), mock.patch.object(
            library, "load", side_effect=OSError("libprof.so is nowhere")
        ):
            printed, _ = self.run_magic("", "", jupyter.Magic(self.shell))
        self.assertEqual("prof: nothing is captured: libprof.so is nowhere\n", printed)


@unittest.skipUnless(importlib.util.find_spec("IPython"), "IPython is not installed")
class WithIPython(JupyterTest):
    def setUp(self):
        super().setUp()
        from IPython.core.interactiveshell import InteractiveShell

        patch = mock.patch.dict(os.environ, IPYTHONDIR=os.path.join(self.folder, "ipython"))
        patch.start()
        self.addCleanup(patch.stop)
        self.shell = InteractiveShell()
        self.addCleanup(self.shell.history_manager.end_session)
        with mock.patch.object(library, "load"):
            self.shell.extension_manager.load_extension("prof_torch.jupyter")
        self.shell.register_magic_function(
            jupyter.Magic(self.shell, self.start, self.shown.append).run, "cell", "prof"
        )

    def run_cell(self, cell):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            result = self.shell.run_cell(cell)
        return result.success, out.getvalue()

    def test_a_cell(self):
        self.assertEqual((True, ""), self.run_cell("%%prof --report ops\nx = [\n    1]"))
        self.assertEqual([1], self.shell.user_ns["x"])
        self.assertIn("| addmm |", repr(self.shown[0]))

    def test_its_value_is_shown(self):
        self.assertIn("12", self.run_cell("%%prof\n3 * 4")[1])

    def test_one_that_fails(self):
        succeeds, printed = self.run_cell("%%prof\n1 / 0")
        self.assertFalse(succeeds)
        self.assertEqual(1, printed.count("division by zero"))
        self.assertIn("prof: the cell failed; the report", printed)
        self.assertEqual(1, len(self.shown))


if __name__ == "__main__":
    unittest.main()
