# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Reads documents of compressed columns (docs/formats/columns.md): files of `prof-report -f columns`,
and the pages of `prof-report --html`, which carry several."""
from __future__ import annotations

import base64
import json
import os
import re
import struct
import zlib

from .columns import Column
from .errors import Error
from .table import Table

_FORMAT, _VERSION = "prof-columns", 1
_SCRIPT = re.compile(r'<script type="application/json" id="prof-columns-\d+">(.*?)</script>', re.S)
#: Types of the format as those of tables.
_TYPES = {"bool": "integer", "json": "text"}
_NULL = 1


class Document(dict):
    """Tables by name, those of one side of a comparison by "base:NAME" and "new:NAME"."""

    def __init__(self):
        super().__init__()
        #: Name, rank, host and run of each trace.
        self.traces: list[dict] = []
        #: As Table.notes, of all tables.
        self.notes: list[str] = []

    def __repr__(self) -> str:
        return "<Document %s>" % ", ".join(self)


def read_columns(path: str | os.PathLike[str]) -> Document:
    """The tables of a file that `prof-report -f columns` wrote. Raises Error if it is none."""
    return _document([read_text(path)], os.fsdecode(path))


def read_page(path: str | os.PathLike[str]) -> Document:
    """The tables of a page that `prof-report --html` wrote. Raises Error if it is none."""
    return tables_of(read_text(path), os.fsdecode(path))


def tables_of(html: str, path: str) -> Document:
    """Those of a page, which is at `path`."""
    texts = _SCRIPT.findall(html)
    if not texts:
        raise Error("%s: is not a page of prof-report --html" % path)
    return _document(texts, path)


def read_text(path: str | os.PathLike[str]) -> str:
    """Raises Error if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        raise Error("%s: is not UTF-8; name a file of prof-report" % os.fsdecode(path)) from None
    except OSError as error:
        raise Error("%s: cannot be read: %s" % (os.fsdecode(path), error.strerror)) from None


def _document(texts: list[str], path: str) -> Document:
    document = Document()
    for text in texts:
        try:
            one = json.loads(text)
        except ValueError:
            raise Error("%s: is not complete, or not of prof-report -f columns" % path) from None
        if not isinstance(one, dict) or one.get("format") != _FORMAT:
            raise Error("%s: is not of prof-report -f columns" % path)
        if one.get("version") not in range(1, _VERSION + 1):
            raise Error(
                "%s: has version %s of the columns format, and this prof_trace reads versions "
                "up to %d; use that of libprof %s or newer"
                % (path, one.get("version"), _VERSION, one.get("prof_version"))
            )
        try:
            _add(one, document)
        except (LookupError, TypeError, ValueError, struct.error, zlib.error) as error:
            raise Error("%s: is damaged: %s" % (path, error)) from None
    return document


def _add(one: dict, document: Document) -> None:
    document.traces += [trace for trace in one["traces"] if trace not in document.traces]
    said = one["notes"] + ["warning: " + warning for warning in one["warnings"]]
    document.notes += [note for note in said if note not in document.notes]
    for table in one["tables"]:
        side = table["side"]
        name = "%s:%s" % (side, table["name"]) if side else table["name"]
        document[name] = _table(name, table, document.notes)


def _table(name: str, table: dict, notes: list[str]) -> Table:
    lists, columns = {}, {}
    for column in table["columns"]:
        word, kind = column["word"], column["type"]
        columns[word] = Column(word, _TYPES.get(kind, kind), column["unit"], column["help"])
        lists[word] = _values(column)
        if len(lists[word]) != table["rows"]:
            raise ValueError("column %s of table %s lacks rows" % (word, name))
        if kind == "real":
            lists[word] = [value if value is None else float(value) for value in lists[word]]
    return Table(name, lists, columns, notes)


def _values(column: dict) -> list:
    texts = [None, *json.loads(_stream(column["texts"]))] if "texts" in column else [None]
    parsed: dict[int, object] = {}
    values: list = []
    for chunk in column["chunks"]:
        rows, encoding = chunk["rows"], chunk["encoding"]
        data = _stream(chunk["data"]) if "data" in chunk else b""
        made = _decoded(encoding, data, rows, texts, parsed)
        flags = _stream(chunk["flags"]) if "flags" in chunk else bytes(rows)
        if not len(made) == len(flags) == rows:
            raise ValueError("a chunk lacks rows")
        if "divisor" in chunk:
            divisor = chunk["divisor"]
            made = [value / divisor for value in made]
        if "flags" in chunk:
            made = [None if flag == _NULL else value for value, flag in zip(made, flags)]
        values += made
    return values


def _decoded(encoding: str, data: bytes, rows: int, texts: list, parsed: dict) -> list:
    if encoding == "null":
        return [None] * rows
    if encoding == "real":
        # The bytes of equal weight stand together.
        together = bytearray(len(data))
        for byte in range(8):
            together[byte::8] = data[byte * rows : (byte + 1) * rows]
        return list(struct.unpack("<%dd" % rows, together))
    if encoding == "bool":
        return list(data)
    numbers = _varints(data)
    if encoding == "text":
        return [texts[number] for number in numbers]
    if encoding == "json":
        for number in set(numbers) - parsed.keys():
            parsed[number] = None if number == 0 else _frozen(json.loads(texts[number]))
        return [parsed[number] for number in numbers]
    signed = [(number >> 1) ^ -(number & 1) for number in numbers]
    if encoding == "delta":
        total = 0
        for i, difference in enumerate(signed):
            total += difference
            signed[i] = total
    elif encoding != "integer":
        raise ValueError("unknown encoding")
    return signed


def _varints(data: bytes) -> list[int]:
    values, value, shift = [], 0, 0
    for byte in data:
        if byte < 0x80:
            values.append(value | byte << shift)
            value = shift = 0
        else:
            value |= (byte & 0x7F) << shift
            shift += 7
    return values


def _stream(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text, validate=True), -15)


def _frozen(value):
    """Lists as tuples: equal values are one object."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
