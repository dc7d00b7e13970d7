# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""The cell magic %%prof of IPython and Jupyter: captures what a cell does, and shows a report.

    %load_ext prof_torch.jupyter         # before the first work on a GPU

    %%prof                               # in a later cell; %%prof -h shows the options
    train_step()

Reads the trace with prof_trace. Without torch, kernels have no modules and ops.
"""
import argparse
import importlib.util
import os
import shlex
import sys
import tempfile

from . import library, messages


class Line(Exception):
    """What goes wrong, as one line that IPython shows without a traceback."""

    def _render_traceback_(self):
        return ["prof: %s" % self]


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Line("%s; %%%%prof -h shows the options" % message)


class Text:
    """What prof-report prints in Markdown. Notebooks render it, terminals show it as it is."""

    def __init__(self, text):
        self._text = text

    def _repr_markdown_(self):
        return self._text

    def __repr__(self):
        return self._text


def load_ipython_extension(shell):
    """Called by %load_ext. NVTX looks for a profiler once, at torch's first range, so libprof.so is
    loaded now, where it is found. A cell says if it is not."""
    try:
        library.load()
    except OSError:
        pass
    magic = Magic(shell)
    shell.register_magic_function(magic.run, magic_kind="cell", magic_name="prof")


class Magic:
    """%%prof of one shell. `start(path, is_kept)` begins a capture to a file, which the user will
    keep or not; `show(object)` shows an object below the cell."""

    def __init__(self, shell, start=None, show=None):
        self._shell = shell
        self._start = start or _start_capture
        self._show = show or _display

    def run(self, line, cell):
        """Captures what `cell` does, and shows a report of it. `line`: the options."""
        options = _options_of(line)
        if options is None:
            return
        reader = _Reader()  # Its absence is said before the cell runs.
        with tempfile.TemporaryDirectory(prefix="prof-cell-") as folder:
            path = os.path.abspath(options.output or os.path.join(folder, "cell.db"))
            result, is_captured = self._capture(cell, path, options.output is not None)
            if is_captured:
                self._report(reader, path, options)
        if not result.success:
            # The cell has shown its error. This one ends "Run All", as that would have.
            raise Line(
                "the cell failed"
                + ("; the report is of what it did until then" if is_captured else "")
            )

    def _capture(self, cell, path, is_kept):
        """Runs the cell in a capture, or without one if it cannot start, which is said."""
        before = messages.show_with(_say)
        try:
            running = self._start(path, is_kept)
            is_captured = running.is_running
            try:
                result = self._shell.run_cell(cell)
            finally:
                running.stop()
        finally:
            messages.show_with(before)
        return result, is_captured

    def _report(self, reader, path, options):
        if not os.path.exists(path):
            return _say("no trace was written to %s" % path)
        try:
            shown = reader.page(path) if options.page else reader.report(path, options.report)
        except reader.Error as error:
            raise Line(str(error)) from None
        self._show(shown)


class _Reader:
    """prof_trace, which stands beside this package."""

    def __init__(self):
        try:
            import prof_trace
            from prof_trace import program, run
        except ImportError as error:
            raise Line(
                "prof_trace cannot be imported: %s; it is in the folder of prof_torch" % error
            ) from None
        self.Error = prof_trace.Error
        self._open, self._run = prof_trace.open, run.Run
        try:
            self._program = program.find()
        except prof_trace.Error as error:
            raise Line(str(error)) from None

    def page(self, path):
        return self._open(path).show()

    def report(self, path, name):
        arguments = ["--report=" + name, "--format=markdown", path]
        return Text(self._run(self._program, arguments).text())


def _options_of(line):
    """None: they asked for help, which has been shown."""
    parser = _Parser(
        prog="%%prof",
        description="Captures what the cell does on NVIDIA GPUs, and " "shows a report of it.",
    )
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="keep the trace; one of an earlier run is replaced",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--report",
        default="summary",
        metavar="NAME",
        help="another report than summary, or several: layers,gaps",
    )
    shown.add_argument("--page", action="store_true", help="the page of prof-report --html")
    try:
        options = parser.parse_args(shlex.split(line))
        if options.output and "%" in options.output:
            raise Line("-o %s: %% has no meaning here; name one file" % options.output)
        return options
    except ValueError as error:  # of shlex
        raise Line("%s: %s" % (line, error)) from None
    except SystemExit:
        return None


def _start_capture(path, is_kept):
    import prof_torch

    if importlib.util.find_spec("torch") is not None:
        return prof_torch.capture(path, force=True, verbose=is_kept)
    from .captures import Capture

    return Capture(path, None, True, lambda: None, is_kept)


def _say(text):
    """Below the cell, unlike descriptor 2, which the server of a notebook may have."""
    print("prof: " + text, file=sys.stderr)


def _display(shown):
    from IPython.display import display

    display(shown)
