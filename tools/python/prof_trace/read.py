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


def read_table(program: str, name: str, arguments: list[str], known: dict[str, Column],
               words: list[str] | None) -> Table:
    """`known`: the columns that are described. `words`: those that there are; None: it depends."""
    run = Run(program, ["--format=json", *arguments])
    collector = Collector(known)
    run.each_block(collector.add)
    if not collector.lists:  # JSON without a row has no columns.
        header = _header_of(program, arguments) if words is None else words
        collector.lists = {word: [] for word in header}
    return Table(name, collector.lists, collector.columns(), run.notes)


def _header_of(program: str, arguments: list[str]) -> list[str]:
    """The columns of the CSV form. Not for Nsight Systems' reports: theirs has headings."""
    text = Run(program, ["--format=csv", *arguments]).text()
    return next(csv.reader(io.StringIO(text, newline="")), [])
