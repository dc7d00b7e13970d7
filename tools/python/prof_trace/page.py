# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Page: a page of `prof-report --html`, shown by notebooks."""
from __future__ import annotations

import functools
import html
import os

from .document import Document, tables_of

#: Scripts run, but see nothing of the notebook.
_FRAME = (
    '<iframe sandbox="allow-scripts" srcdoc="%s" title="prof-report" '
    'style="width: 100%%; height: 50rem; border: 0"></iframe>'
)


class Page:
    """What Trace.show() gives: a notebook shows it as the value of a cell."""

    def __init__(self, text: str, notes: list[str]):
        #: The file's content.
        self.text = text
        #: What is missing, a line each that begins "warning: ".
        self.notes = notes

    @functools.cached_property
    def tables(self) -> Document:
        """The tables in it: see read_page()."""
        return tables_of(self.text, "the page")

    def save(self, path: str | os.PathLike[str]) -> None:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.text)

    def _repr_html_(self) -> str:
        return _FRAME % html.escape(self.text)

    def __repr__(self) -> str:
        return "<Page of %d bytes: a notebook shows it, save(path) writes it>" % len(self.text)
