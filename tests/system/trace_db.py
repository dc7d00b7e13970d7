# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Reads trace.db for tests, by docs/formats/schema.md and nothing else: an answer that is independent
of the project's own reader."""
import collections
import os
import sqlite3
import urllib.parse

COPY_KINDS = {1: "htod", 2: "dtoh", 8: "dtod", 10: "ptop"}


class Trace:
    def __init__(self, path, recover=False):
        """recover: the writer was killed; opening the file to write rolls its last transaction back."""
        self.path = path
        if recover:
            with sqlite3.connect(path) as db:
                db.execute("SELECT count(*) FROM meta").fetchall()
            db.close()
        self.db = sqlite3.connect(
            f"file:{urllib.parse.quote(os.fsencode(path))}?mode=ro", uri=True, timeout=20
        )
        self.db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")

    def rows(self, sql, *parameters):
        return self.db.execute(sql, parameters).fetchall()

    def one(self, sql, *parameters):
        return self.rows(sql, *parameters)[0][0]

    def meta(self):
        return dict(self.rows("SELECT key, value FROM meta"))

    def losses(self):
        """{word: count} of losses that are not 0."""
        return {what: count for what, count in self.rows("SELECT what, count FROM loss") if count}

    def kernels_by_name(self):
        return dict(
            self.rows(
                "SELECT s.text, count(*) FROM kernel k JOIN launch_config c ON c.id = k.config_id"
                " JOIN string s ON s.id = c.name_id GROUP BY s.text"
            )
        )

    def kernel_count(self):
        return self.one("SELECT count(*) FROM kernel")

    def copies_by_kind(self):
        # A batch that CUPTI reports in one record counts as its copies.
        found = self.rows("SELECT copy_kind, sum(max(count, 1)) FROM memcpy GROUP BY copy_kind")
        return {COPY_KINDS.get(kind, str(kind)): count for kind, count in found}

    def set_count(self):
        return self.one("SELECT count(*) FROM memset")

    def api_by_name(self, depth=0):
        return dict(
            self.rows(
                "SELECT s.text, count(*) FROM api_call a JOIN api_function f ON f.id = a.function_id"
                " JOIN string s ON s.id = f.name_id WHERE a.depth = ? GROUP BY s.text",
                depth,
            )
        )

    def os_calls(self):
        """{function: number of its calls}"""
        return dict(
            self.rows(
                "SELECT s.text, count(*) FROM os_call c JOIN string s"
                " ON s.id = c.name_id GROUP BY s.text"
            )
        )

    def ranges(self):
        """{id: (parent id, domain name, text, kind, duration, start)}; texts whole again."""
        result = {}
        for row in self.rows(
            "SELECT r.id, r.parent_id, coalesce(d.text, ''), s.text, r.numbers, r.kind, r.duration_ns, r.start_ns"
            " FROM range r JOIN string s ON s.id = r.text_id LEFT JOIN domain ON domain.id = r.domain_id"
            " LEFT JOIN string d ON d.id = domain.name_id"
        ):
            identity, parent, domain, text, numbers, kind, duration, start = row
            result[identity] = (parent, domain, join_text(text, numbers), kind, duration, start)
        return result

    def stack(self, range_id, ranges=None):
        """Texts of a stack, outermost first."""
        ranges = ranges if ranges is not None else self.ranges()
        texts = []
        while range_id:
            parent, _, text, _, _, _ = ranges[range_id]
            texts.append(text)
            range_id = parent
        return texts[::-1]

    def stacks_by_kernel(self):
        """{kernel name: Counter of stacks at its launches, as tuples of texts}."""
        ranges = self.ranges()
        result = collections.defaultdict(collections.Counter)
        for name, range_id in self.rows(
            "SELECT s.text, a.range_id FROM kernel k JOIN launch_config c ON c.id = k.config_id"
            " JOIN string s ON s.id = c.name_id JOIN api_call a ON a.correlation = k.correlation AND a.depth = 0"
        ):
            result[name][tuple(self.stack(range_id, ranges))] += 1
        return dict(result)


def join_text(text, numbers):
    """Puts a template's numbers (LEB128) back into their places (char 1)."""
    if not numbers:
        return text
    if isinstance(numbers, str):
        numbers = numbers.encode("utf-8", "surrogateescape")
    values, value, shift = [], 0, 0
    for byte in numbers:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            values.append(value)
            value = shift = 0
    for value in values:
        text = text.replace("\x01", str(value), 1)
    return text
