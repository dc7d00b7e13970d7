#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a large trace by repeating the recorded step of a small one, for tests/bench/trace_bench.

usage: repeat_step.py STEP.db KERNELS OUT.db

Every repetition has ids, correlations, times, sequence numbers and the numbers of its range texts (sequence numbers, op
ids) of its own, so nothing but the templates of texts and the forms of ranges repeats, as in a real run. STEP.db may be
of any schema.
"""
import shutil
import sqlite3
import sys

NUMBER_SPAN = 100_000  # more than a step's sequence numbers and op ids


def decode(blob):
    numbers, value, shift = [], 0, 0
    for byte in blob or b"":
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value, shift = 0, 0
    return numbers


def encode(numbers):
    out = bytearray()
    for value in numbers:
        while value >= 0x80:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    return bytes(out) or None


class Repeated:
    """A table whose rows are repeated, each time with some columns further on by what each step adds."""

    def __init__(self, db, name, **per_step):
        cursor = db.execute(f"SELECT * FROM {name}")
        self.name, self.columns, self.rows = (
            name,
            [c[0] for c in cursor.description],
            cursor.fetchall(),
        )
        self.per_step = {self.columns.index(column): by for column, by in per_step.items()}
        self.numbers_at = self.columns.index("numbers") if "numbers" in self.columns else None
        self.seq_at = self.columns.index("seq") if "seq" in self.columns else None
        self.may_be_0 = name.endswith("_block")  # Elsewhere 0 is no id, or an unknown time.
        self.numbers = (
            [decode(row[self.numbers_at]) for row in self.rows]
            if self.numbers_at is not None
            else None
        )

    def row(self, number, step):
        row = list(self.rows[number])
        for at, by in self.per_step.items():
            if row[at] or (self.may_be_0 and row[at] is not None):
                row[at] += step * by
        if self.numbers:
            row[self.numbers_at] = encode([n + step * NUMBER_SPAN for n in self.numbers[number]])
        if self.seq_at is not None and row[self.seq_at] is not None:
            row[self.seq_at] += step * NUMBER_SPAN
        return row

    def repeat(self, db, step):
        values = ",".join("?" * len(self.columns))
        db.executemany(
            f"INSERT INTO {self.name} VALUES ({values})",
            (self.row(number, step) for number in range(len(self.rows))),
        )


def largest(db, what, tables):
    return max(
        db.execute(f"SELECT max({what}) FROM {table}").fetchone()[0] or 0 for table in tables
    )


def tables_of(db):
    ids = (largest(db, "id", ["range"]) // 256 + 1) * 256  # whole blocks
    calls = (largest(db, "correlation", ["api_call", "kernel"]) // 256 + 1) * 256
    time = largest(db, "start_ns + duration_ns", ["kernel"]) + 100_000
    yield Repeated(db, "range_row", id=ids)
    yield Repeated(db, "range_block", id=ids // 256, start_ns=time)
    yield Repeated(db, "range_rare", id=ids, alias_of_id=ids)
    yield Repeated(db, "launch_block", id=calls // 256, start_ns=time)
    yield Repeated(db, "api_row", correlation=calls, range_id=ids)
    yield Repeated(db, "kernel_row", correlation=calls)
    yield Repeated(db, "memcpy", correlation=calls, start_ns=time)
    yield Repeated(db, "memset_row", correlation=calls)
    yield Repeated(
        db, "host_op_row", id=largest(db, "id", ["host_op_row"]), range_id=ids, start_ns=time
    )


def main(source, kernels, target):
    shutil.copyfile(source, target)
    db = sqlite3.connect(target, isolation_level=None)
    db.execute("PRAGMA journal_mode=OFF")
    db.execute("PRAGMA synchronous=OFF")
    tables = list(tables_of(db))
    step_kernels = db.execute("SELECT count(*) FROM kernel").fetchone()[0]
    db.execute("BEGIN")
    for step in range(1, -(-kernels // step_kernels)):
        for table in tables:
            table.repeat(db, step)
    db.execute("COMMIT")
    db.close()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
