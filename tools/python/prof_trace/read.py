# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Reads what a run of prof-report prints into a table."""
from __future__ import annotations

import csv
import io

from .collector import Collector
from .columns import Column
from .run import Run
from .table import Table

_SQL = "sql"
_ABOUT_VALUES = ("absent", "estimated", "at_least")


def read_table(
    program: str, name: str, arguments: list[str], known: dict[str, Column], words: list[str] | None
) -> Table:
    """`known`: the columns that are described. `words`: those that there are; None: it depends."""
    run = Run(program, ["--format=json", *arguments])
    collector = Collector(known)
    # A SELECT's own columns may have these words, and prof-report says nothing about its values.
    run.each_block(
        collector.add if name == _SQL else lambda rows: collector.add(_values_alone(rows))
    )
    if not collector.lists:  # JSON without a row has no columns.
        header = _header_of(program, arguments) if words is None else words
        collector.lists = {word: [] for word in header}
    return Table(name, collector.lists, collector.columns(), run.notes)


def _values_alone(rows: list[dict]) -> list[dict]:
    """`rows` without the members about their values. An object that says why there are no rows is
    none: notes say it, too."""
    for row in rows:
        for word in _ABOUT_VALUES:
            row.pop(word, None)
    return [row for row in rows if row]


def _header_of(program: str, arguments: list[str]) -> list[str]:
    """The columns of the CSV form. Not for Nsight Systems' reports: theirs has headings."""
    text = Run(program, ["--format=csv", *arguments]).text()
    return next(csv.reader(io.StringIO(text, newline="")), [])
