# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Table: the rows of a report as columns."""
from __future__ import annotations

from collections.abc import Iterator

from . import arrays
from .columns import Column


class Table(dict):
    """A dict of lists of equal length, by the columns' words. None: unknown. Values are int, float
    or str; inputs and the like are tuples, provenance is a dict. Equal values may be one object."""

    def __init__(self, name: str, lists: dict[str, list], columns: dict[str, Column],
                 notes: list[str]):
        super().__init__(lists)
        #: Of the report; "sql".
        self.name = name
        #: Type, unit and meaning of each column, by word.
        self.columns = columns
        #: Facts about the traces and what is missing, a line each; the latter begin "warning: ".
        self.notes = notes

    @property
    def row_count(self) -> int:
        """Number of rows. len() is the number of columns, as of any dict."""
        return len(next(iter(self.values()), ()))

    def rows(self) -> Iterator[dict]:
        """Each row as a dict."""
        words = list(self)
        for values in zip(*self.values()):
            yield dict(zip(words, values))

    def numpy(self) -> dict:
        """Arrays by word. Integers: masked arrays of int64, unknown ones masked (uint64 or object
        if they are larger). Reals: float64, unknown ones NaN. Others: object, unknown ones None."""
        return {word: arrays.numpy_array(values, self.columns[word].type)
                for word, values in self.items()}

    def pandas(self):
        """A DataFrame with types that can be unknown (pandas.NA): Int64 (UInt64), Float64, string,
        and object for tuples and dicts. `attrs` has the notes."""
        return arrays.data_frame(self)

    def __repr__(self) -> str:
        warnings = sum(note.startswith("warning: ") for note in self.notes)
        more = "; %d of its notes warn" % warnings if warnings else ""
        return "<%s: %d rows of %d columns%s>" % (self.name, self.row_count, len(self), more)
