# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Collects rows as columns: lists whose values have the column's type."""
from __future__ import annotations

from operator import itemgetter

from .columns import Column

#: A column keeps about as many distinct texts for its other rows to share. Most columns have fewer.
_MOST_SHARED = 1 << 16
#: Integers up to here are floats exactly.
_MOST_EXACT = 1 << 53


class Collector:
    """`columns` by word: as described, of those that are known."""

    def __init__(self, columns: dict[str, Column]):
        self._known = columns
        self._seen: dict[str, dict] = {}
        self.lists: dict[str, list] = {}

    def add(self, rows: list[dict]) -> None:
        if not self.lists and rows:
            self.lists = {word: [] for word in rows[0]}
        for word, values in self.lists.items():
            values.extend(self._typed(word, list(map(itemgetter(word), rows))))

    def columns(self) -> dict[str, Column]:
        """Of what was added. A type that is not known is that of the values."""
        return {
            word: self._known.get(word) or Column(word, _settle(values))
            for word, values in self.lists.items()
        }

    def _typed(self, word: str, values: list) -> list:
        # Most columns have one class of values; asking for it first costs least.
        classes = set(map(type, values))
        kind = self._known[word].type if word in self._known else None
        if kind == "integer" and bool in classes:  # true and false are 1 and 0
            return [int(value) if value.__class__ is bool else value for value in values]
        if kind == "real" and int in classes:
            return _reals(values)
        seen = self._seen.setdefault(word, {})
        if classes <= {str, type(None)} and len(seen) < _MOST_SHARED:
            return list(map(seen.setdefault, values, values))
        if list in classes or dict in classes:
            return [_shared(seen, value) for value in values]
        return values


def _shared(seen: dict, value):
    """Equal lists, as tuples, and equal dicts become one object, as equal texts do."""
    key = value
    if value.__class__ is list:
        key = value = _tuple_of(value)
    elif value.__class__ is dict:
        key = tuple(value.items())
    else:
        return value
    return seen.setdefault(key, value) if len(seen) < _MOST_SHARED else seen.get(key, value)


def _tuple_of(values: list) -> tuple:
    return tuple([_tuple_of(value) if value.__class__ is list else value for value in values])


def _settle(values: list) -> str:
    """The type of a SELECT's values, which may become those of the type."""
    classes = {value.__class__ for value in values if value is not None}
    if classes == {int}:
        return "integer"
    if not classes or not classes <= {int, float}:
        return "text"
    values[:] = _reals(values)
    return "real"


def _reals(values: list) -> list:
    """JSON has 2 for 2.0. Larger integers stay exact: they are what a program has set."""
    return [
        float(value) if value.__class__ is int and abs(value) <= _MOST_EXACT else value
        for value in values
    ]
