# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Trace: reports about a trace, or several."""
from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Iterable, Sequence

from . import options, program
from .columns import Column, Report, read_reports
from .document import read_text
from .errors import Error
from .page import Page
from .read import read_table
from .run import Run
from .table import Table


class Trace:
    """What open() gives. It holds no file open: each call runs prof-report, so calls of several
    threads run side by side."""

    def __init__(self, paths: Sequence[str | os.PathLike[str]], rows: dict):
        if not paths:
            raise Error('no trace file given; name one: prof_trace.open("trace.db")')
        #: Absolute.
        self.paths = [os.path.abspath(os.fsdecode(path)) for path in paths]
        self._rows = rows
        self._program = program.find()
        #: What there is to say about the traces: see Table.notes.
        self.notes = self._read("sql", options.option("sql", "SELECT 1"), {}, {}, None).notes

    def kernels(self, columns: str | Iterable[str] | None = None, **choice) -> Table:
        """Every GPU kernel in launch order, times in ns. Arguments: those of report()."""
        return self.report("kernels", columns, **choice)

    def gpu(self, columns: str | Iterable[str] | None = None, **choice) -> Table:
        """Kernels, memory copies and memory sets in launch order. Arguments: those of report()."""
        return self.report("gpu", columns, **choice)

    def report(
        self,
        name: str,
        columns: str | Iterable[str] | None = None,
        by: str | Iterable[str] | None = None,
        **choice,
    ) -> Table:
        """The report `name` with `columns`, by default all that do not repeat others. `by`: columns
        that a roll-up groups by. `choice`: options of open(), instead of those, and `where`
        ("time_us > 100"), `sort` ("time_us", "idx:asc"), `top` (10)."""
        report = self._report(name)
        arguments = options.option("report", report.name)
        words = None if report.is_rollup else report.machine
        if columns is not None:
            words = options.words_of(columns)
            arguments += options.option("columns", ",".join(words))
        if by is not None:
            arguments += options.option("by", ",".join(options.words_of(by)))
            words = None
        return self._read(report.name, arguments, choice, report.columns, words)

    def sql(self, statement: str, **choice) -> Table:
        """The result of a SELECT (docs/sql.md). A column's type is that of its values: integers
        among reals become reals, others that are mixed stay as they are, with type "text".
        `choice`: options of open()."""
        return self._read("sql", options.option("sql", statement), choice, {}, None)

    def show(self, **choice) -> Page:
        """The page of `prof-report --html`, which notebooks show; `choice`: the options of open()
        that go with --html. Of two traces it says what changed. It is a copy: the trace may go."""
        with tempfile.TemporaryDirectory(prefix="prof-page-") as folder:
            path = os.path.join(folder, "page.html")
            arguments = options.arguments_of({**self._rows, **choice}) + self.paths
            run = Run(self._program, [*options.option("html", path), *arguments])
            run.text()
            return Page(read_text(path), run.notes)

    def reports(self) -> dict[str, str]:
        """What each report shows, by its name."""
        return {name: report.help for name, report in self._reports.items()}

    def columns(self, name: str) -> dict[str, Column]:
        """Type, unit and meaning of the columns of report `name`, by word; also of those that it
        has only if they are named."""
        return dict(self._report(name).columns)

    def _report(self, name: str) -> Report:
        found = self._reports.get(name.strip().lower())
        if found is None:
            # Raises if nothing has that name. Reports of Nsight Systems have older names, too.
            named = list(read_reports(self._program, name).values())
            if len(named) == 1:
                return named[0]
            raise Error("'%s' is not one report; name one of %s" % (name, ", ".join(self._reports)))
        return found

    @functools.cached_property
    def _reports(self) -> dict[str, Report]:
        return read_reports(self._program)

    def _read(
        self,
        name: str,
        what: list[str],
        choice: dict,
        known: dict[str, Column],
        words: list[str] | None,
    ) -> Table:
        arguments = what + options.arguments_of({**self._rows, **choice}) + self.paths
        return read_table(self._program, name, arguments, known, words)

    def __repr__(self) -> str:
        return "<Trace %s>" % ", ".join(self.paths)
