# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Shows a table to people: its first rows, as text and in notebooks."""
from __future__ import annotations

import html
import itertools
import shutil
import textwrap

_ROWS = 20
_CELL = 40  #: Characters of a text; longer ones are cut.


def as_text(table) -> str:
    """As many columns as the terminal is wide (100 without one), what they leave out, the sums."""
    width = shutil.get_terminal_size((100, 24)).columns
    columns, left_out, used = [], [], -2
    for word, values in table.items():
        cells = [_cell(value) for value in values[:_ROWS]]
        wide = max(map(len, [word, *cells]))
        used += wide + 2
        if left_out or (columns and used > width):
            left_out.append(word)
            continue
        is_number = table.columns[word].type in ("integer", "real")
        columns.append(
            [(cell.rjust if is_number else cell.ljust)(wide) for cell in [word, "-" * wide, *cells]]
        )
    lines = ["  ".join(cells).rstrip() for cells in zip(*columns)]
    if len(table) > _ROWS:
        lines.append("...")
    if left_out:
        lines += textwrap.wrap("not shown: " + ", ".join(left_out), max(width, 20))
    return "\n".join([*lines, _sums(table)])


def as_html(table) -> str:
    def row(tag, cells):
        return "<tr>%s</tr>" % "".join(
            "<%s>%s</%s>" % (tag, html.escape(cell), tag) for cell in cells
        )

    rows = [row("th", table.keys())]
    rows += [row("td", map(_cell, each.values())) for each in itertools.islice(table, _ROWS)]
    return "<table>%s</table><p>%s</p>" % ("".join(rows), html.escape(_sums(table)))


def _sums(table) -> str:
    warnings = sum(note.startswith("warning: ") for note in table.notes)
    text = "%s: %s, %s" % (
        table.name,
        _counted(len(table), "row"),
        _counted(len(table.keys()), "column"),
    )
    if len(table) > _ROWS:
        text += ", the first %d shown" % _ROWS
    return text + ("; %s in its notes" % _counted(warnings, "warning") if warnings else "")


def _counted(count: int, what: str) -> str:
    return "%d %s%s" % (count, what, "" if count == 1 else "s")


def _cell(value) -> str:
    if value is None:
        return "-"
    text = "%.10g" % value if isinstance(value, float) else str(value)
    if not text.isprintable():
        text = repr(text)[1:-1]
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
