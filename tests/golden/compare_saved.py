#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what `prof-report --save` stores, as any SQLite sees it, with what the reports print.

usage: compare_saved.py --bin DIR --source DIR
"""
import argparse
import csv
import io
import math
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

VIEWS = (("attributed_kernels", "kernels"), ("attributed_work", "gpu"))
BYTES_OF_WORK = 32  # Of each kernel, copy and set.
MANY_KERNELS = 60_000


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors="surrogateescape")


def printed(options, trace, report, columns):
    text = run(
        options.bin / "prof-report", "-r", report, "-f", "csv", "-c", ",".join(columns), trace
    )
    return list(csv.reader(io.StringIO(text)))[1:]


def selected(trace, sql):
    db = sqlite3.connect(trace)
    db.text_factory = lambda text: text.decode(errors="surrogateescape")
    cursor = db.execute(sql)
    rows = cursor.fetchall()
    db.close()
    return [column[0] for column in cursor.description], rows


def equal(stored, cell):
    if stored is None or cell == "":
        return stored is None and cell == ""
    if isinstance(stored, str):
        return stored == cell
    return math.isclose(float(stored), float(cell), rel_tol=1e-12)


def differences(what, columns, stored, cells):
    if len(stored) != len(cells):
        yield f"{what}: {len(stored)} rows are stored, {len(cells)} are printed"
    for number, (row, printed_row) in enumerate(zip(stored, cells), 1):
        for column, a, b in zip(columns, row, printed_row):
            if not equal(a, b):
                yield f"{what}: row {number}, {column}: {a!r} is stored, {b!r} is printed"


def compare(options, recording, folder):
    trace = folder / "trace.db"
    run(options.bin / "prof-import", "-o", trace, recording)
    # What is printed must not change when it is saved.
    before = {
        report: run(options.bin / "prof-report", "-r", report, "-f", "csv", trace)
        for _, report in VIEWS
    }
    run(options.bin / "prof-report", "--save", trace)
    for view, report in VIEWS:
        if run(options.bin / "prof-report", "-r", report, "-f", "csv", trace) != before[report]:
            yield f"{recording.name}: -r {report} prints something else after --save"
        columns, rows = selected(trace, f"SELECT * FROM {view}")
        text = run(
            options.bin / "prof-report", "-f", "csv", "--sql", f"SELECT * FROM {view}", trace
        )
        streamed = list(csv.reader(io.StringIO(text)))
        if streamed[0] != columns:
            yield f"{recording.name}: {view} has the columns {columns}, not {streamed[0]}"
        yield from differences(f"{recording.name}, {view}", columns, rows, streamed[1:])
    columns, sums = selected(
        trace,
        "SELECT layer, dir, count(*) AS kernels, sum(time_ns) AS time_ns "
        "FROM attributed_kernels GROUP BY layer, dir",
    )
    groups = printed(options, trace, "layers", columns)
    by_text = {(row[0] or "", row[1] or ""): row for row in sums}
    stored = [by_text.pop((group[0], group[1]), (None,) * len(columns)) for group in groups]
    yield from differences(
        f"{recording.name}, layers", columns, stored + list(by_text.values()), groups
    )
    _, ops = selected(trace, "SELECT count(*), sum(kernels), sum(time_ns) FROM attributed_ops")
    _, kernels = selected(
        trace,
        "SELECT count(DISTINCT op_id), sum(kind = 'kernel'), "
        "sum(CASE kind WHEN 'kernel' THEN time_ns END) FROM attributed_work "
        "WHERE op_id IS NOT NULL",
    )
    if ops != kernels:
        yield f"{recording.name}: op instances add up to {ops}, their work to {kernels}"
    trace.unlink()


def compare_size(options, name, folder):
    step, trace = folder / "step.db", folder / "trace.db"
    run(options.bin / "prof-import", "-o", step, options.source / "tests/data" / name)
    run(sys.executable, options.source / "tests/bench/repeat_step.py", step, MANY_KERNELS, trace)
    before = trace.stat().st_size
    run(options.bin / "prof-report", "--save", trace)
    work = sqlite3.connect(trace).execute("SELECT count(*) FROM saved_work").fetchone()[0]
    each = (trace.stat().st_size - before) / work
    if not 10 < each <= BYTES_OF_WORK:
        yield f"{name}: {each:.1f} bytes of each kernel, copy and set, {BYTES_OF_WORK} are allowed"
    step.unlink()
    trace.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    options = parser.parse_args()
    recordings = sorted(
        r for r in (options.source / "tests/data").glob("*.jsonl.gz") if ".truth." not in r.name
    )
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for recording in recordings:
            found += compare(options, recording, pathlib.Path(folder))
        for name in ("dlrm.jsonl.gz", "torch_bert.jsonl.gz"):
            found += compare_size(options, name, pathlib.Path(folder))
    for line in found[:20]:
        print(line)
    print(f"{len(recordings)} recordings, {len(found)} differences")
    return 1 if found or not recordings else 0


if __name__ == "__main__":
    sys.exit(main())
