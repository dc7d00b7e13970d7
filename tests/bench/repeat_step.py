#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a large trace by repeating the recorded step of a small one, for tests/bench/trace_bench.

usage: repeat_step.py STEP.db KERNELS OUT.db

Every repetition has ids, correlations, times and the numbers of its range texts (sequence numbers, op ids) of its own,
so nothing but the templates of texts repeats, as in a real run.
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


def shifted(row, columns, shifts):
    row = list(row)
    for name, by in shifts.items():
        at = columns.index(name)
        if row[at]:
            row[at] += by
    return row


def main(source, kernels, target):
    shutil.copyfile(source, target)
    db = sqlite3.connect(target, isolation_level=None)
    db.execute("PRAGMA journal_mode=OFF")
    db.execute("PRAGMA synchronous=OFF")
    tables = {}
    for table in ("range", "api_call", "kernel"):
        cursor = db.execute(f"SELECT * FROM {table}")
        tables[table] = ([c[0] for c in cursor.description], cursor.fetchall())
    columns, ranges = tables["range"]
    numbers_at = columns.index("numbers")
    numbers = [decode(row[numbers_at]) for row in ranges]
    ids = (max(row[columns.index("id")] for row in ranges) // 256 + 1) * 256  # whole blocks
    calls_columns, calls = tables["api_call"]
    correlations = max(row[calls_columns.index("correlation")] for row in calls) + 1
    kernel_columns, kernel_rows = tables["kernel"]
    end = max(row[kernel_columns.index("start_ns")] + row[kernel_columns.index("duration_ns")]
              for row in kernel_rows)
    db.execute("BEGIN")
    for step in range(1, -(-kernels // len(kernel_rows))):
        time = {"start_ns": step * (end + 100_000)}
        id_shift = {"id": step * ids, "parent_id": step * ids, "alias_of_id": step * ids}
        rows = []
        for row, own in zip(ranges, numbers):
            made = shifted(row, columns, id_shift | time)
            made[numbers_at] = encode([n + step * NUMBER_SPAN for n in own])
            rows.append(made)
        db.executemany(f"INSERT INTO range VALUES ({','.join('?' * len(columns))})", rows)
        call_shift = {"correlation": step * correlations, "range_id": step * ids} | time
        db.executemany(f"INSERT INTO api_call VALUES ({','.join('?' * len(calls_columns))})",
                       (shifted(row, calls_columns, call_shift) for row in calls))
        kernel_shift = {"correlation": step * correlations} | time
        db.executemany(f"INSERT INTO kernel VALUES ({','.join('?' * len(kernel_columns))})",
                       (shifted(row, kernel_columns, kernel_shift) for row in kernel_rows))
    db.execute("COMMIT")
    db.close()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
