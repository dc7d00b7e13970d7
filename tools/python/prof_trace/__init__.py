# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Reads traces of libprof: any report of prof-report, or the result of a SELECT, as columns.

    import prof_trace
    trace = prof_trace.open("trace.db", step="last")
    table = trace.kernels(columns=["op", "time_us"])
    table["op"], table["time_us"]        # lists; table.rows(), table.numpy(), table.pandas()

Requires the program prof-report, and nothing beside Python's standard library; numpy and pandas
only for the methods of these names. docs/python.md has the details.
"""
from __future__ import annotations

import os

from .columns import Column
from .document import Document, read_columns, read_page
from .errors import Error
from .page import Page
from .table import Table
from .trace import Trace

__all__ = [
    "Column",
    "Document",
    "Error",
    "Page",
    "Table",
    "Trace",
    "open",
    "read_columns",
    "read_page",
]


def open(*paths: str | os.PathLike[str], **rows) -> Trace:
    """The trace at `paths`; several are read as one, such as those of a job's ranks.

    `rows` are the options of prof-report that choose rows, for all reports: `step`, `capture`,
    `layer`, `op`, `dir`, `kernel`, `kind`, `stream`, `device`, `thread`, `rank`, `range`, `domain`,
    `process_ranges` (True: they name layers) and `short_ranges` (False: ranges by all of their
    texts). A list means any of its values: step=[0, range(5, 8)], op="linear*".
    Raises Error if a file is missing or is not a trace.
    """
    return Trace(paths, rows)
