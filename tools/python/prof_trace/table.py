# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Table: the rows of a report."""
from __future__ import annotations

from collections.abc import Iterator

from . import arrays, show
from .columns import Column


class Table(dict):
    """Rows, held as a dict of lists of equal length, by the columns' words: table["op"] is a column,
    table[0] a row, as a dict; len() and iteration are over the rows. None: unknown. Values are int,
    float or str; inputs and the like are tuples, provenance is a dict. Equal values may be one
    object."""

    def __init__(
        self, name: str, lists: dict[str, list], columns: dict[str, Column], notes: list[str]
    ):
        super().__init__(lists)
        #: Of the report; "sql".
        self.name = name
        #: Type, unit and meaning of each column, by word.
        self.columns = columns
        #: Facts about the traces and what is missing, a line each; the latter begin "warning: ".
        self.notes = notes

    def __len__(self) -> int:
        return len(next(iter(self.values()), ()))

    def __iter__(self) -> Iterator[dict]:
        words = self.keys()
        for values in zip(*self.values()):
            yield dict(zip(words, values))

    def __getitem__(self, which):
        """A column by its word, a row by its number, or the rows of a slice as a table."""
        if isinstance(which, slice):
            lists = {word: values[which] for word, values in self.items()}
            return Table(self.name, lists, self.columns, self.notes)
        if isinstance(which, int):
            return {word: values[which] for word, values in self.items()}
        return super().__getitem__(which)

    def numpy(self) -> dict:
        """Arrays by word. Integers: masked arrays of int64, unknown ones masked (uint64 or object
        if they are larger). Reals: float64, unknown ones NaN. Others: object, unknown ones None."""
        return {
            word: arrays.numpy_array(values, self.columns[word].type)
            for word, values in self.items()
        }

    def pandas(self):
        """A DataFrame with types that can be unknown (pandas.NA): Int64 (UInt64), Float64, string,
        and object for tuples and dicts. `attrs` has the notes."""
        return arrays.data_frame(self)

    def __repr__(self) -> str:
        return show.as_text(self)

    def _repr_html_(self) -> str:
        return show.as_html(self)
