# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Options of prof-report, from arguments of functions."""
from __future__ import annotations

from collections.abc import Iterable

#: Those that choose rows; each may be repeated.
ROWS = (
    "step",
    "capture",
    "layer",
    "op",
    "dir",
    "kernel",
    "kind",
    "stream",
    "device",
    "thread",
    "rank",
    "range",
    "domain",
)
#: Those that choose what a report makes of its rows.
LINES = ("where", "sort", "top")
#: Those that are on or off, each with the words for it.
_FLAGS = {
    "short_ranges": {True: "--short-ranges", False: "--whole-ranges"},
    "process_ranges": {True: "--process-ranges", False: None},
}


def arguments_of(options: dict) -> list[str]:
    """["--step=1", "--step=5-7"] for {"step": [1, range(5, 8)]}. None: the option is not given."""
    arguments = []
    for name, value in options.items():
        if name not in (*ROWS, *LINES, *_FLAGS):
            raise TypeError(
                "unknown option %r; options are %s" % (name, ", ".join((*ROWS, *LINES, *_FLAGS)))
            )
        if value is None:
            continue
        if name in _FLAGS:
            flag = _FLAGS[name][bool(value)]
            arguments += [flag] if flag else []
        else:
            arguments += [part for one in _each(value) for part in option(name, _text_of(one))]
    return arguments


def option(name: str, value: str) -> list[str]:
    """An option with its value, which may begin with '-'. After `--op=` prof-report would take the
    next argument for the value."""
    return ["--%s=%s" % (name, value)] if value else ["--" + name, ""]


def words_of(words: str | Iterable[str]) -> list[str]:
    """["op", "time_us"] for itself and for "op, time_us"."""
    each = words.split(",") if isinstance(words, str) else words
    return [word.strip().lower() for word in each]


def _each(value) -> Iterable:
    is_span = isinstance(value, range) and value.step == 1 and len(value) > 0
    if is_span or isinstance(value, str) or hasattr(value, "__index__"):
        return [value]
    values = list(value)
    if not values:  # Without the option all rows would be chosen.
        raise ValueError("%r chooses nothing; None leaves an option out" % (value,))
    return values


def _text_of(value) -> str:
    return "%d-%d" % (value[0], value[-1]) if isinstance(value, range) else str(value)
