# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Which reports there are, and their columns: as prof-report lists them."""
from __future__ import annotations

from typing import NamedTuple

from .options import option
from .run import Run


class Column(NamedTuple):
    word: str  #: The name.
    type: str  #: "integer", "real" or "text"; text also stands for lists and dicts.
    unit: str = ""  #: "us", "B", ...; empty: none, or the word has it.
    help: str = ""  #: The meaning, on one line.


class Report(NamedTuple):
    name: str
    help: str  #: One line.
    columns: dict[str, Column]  #: All, by word.
    machine: list[str]  #: Words of those that it has if none are named.
    is_rollup: bool  #: Its columns depend on options.


def read_reports(program: str, name: str | None = None) -> dict[str, Report]:
    """All reports by name, or those that prof-report knows by `name`; raises Error, with its line,
    if there is none."""
    arguments = ["--list", "--format=json"]
    if name is not None:
        arguments += option("report", name)
    return {
        one["report"]: _report_of(one)
        for one in Run(program, arguments).objects()
        if "report" in one
    }


def _report_of(one: dict) -> Report:
    columns = {
        each["word"]: Column(each["word"], each["type"], each["unit"], each["help"])
        for each in one["columns"]
    }
    return Report(one["report"], one["help"], columns, one["machine"], bool(one["keys"]))
