#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a large export of Nsight Systems from a small one, to measure prof-import's time and memory.

usage: repeat_nsys.py EXPORT.sqlite KERNELS OUT.sqlite
       repeat_nsys.py --measure PROF_IMPORT EXPORT.sqlite KERNELS FOLDER

The events are repeated, each copy later and with correlations of its own, until there are KERNELS kernels.
--measure also imports it and prints time, peak memory and the traces' size; fails above 300 MB."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import time

EVENTS = {
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "NVTX_EVENTS",
}
MOST_BYTES = 300_000_000


def repeat(source, kernels, out):
    shutil.copyfile(source, out)
    db = sqlite3.connect(out)
    db.execute("PRAGMA journal_mode=OFF")
    db.execute("PRAGMA synchronous=OFF")
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    tables &= EVENTS
    (each,) = db.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
    spans = [
        db.execute(f'SELECT min(start), max("end") FROM {table}').fetchone() for table in tables
    ]
    spans = [span for span in spans if span[0] is not None]
    length = max(span[1] for span in spans) - min(span[0] for span in spans) + 1_000_000
    (above,) = db.execute("SELECT max(correlationId)+1 FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
    copies = -(-kernels // each)
    for table in sorted(tables):
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        moved = {
            "start": f"start+n*{length}",
            "end": f'"end"+n*{length}',
            "correlationId": f"correlationId+n*{above}",
        }
        values = ",".join(moved.get(column, f'"{column}"') for column in columns)
        db.execute(f"CREATE TEMP TABLE one AS SELECT * FROM {table}")
        db.execute(
            f"INSERT INTO {table} WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM"
            f" c WHERE n<{copies - 1}) SELECT {values} FROM c, one"
        )
        db.execute("DROP TABLE one")
    db.commit()
    return each * copies


def measure(prof_import, source, kernels, folder):
    export, trace = pathlib.Path(folder, "large.sqlite"), pathlib.Path(folder, "large.db")
    made = repeat(source, kernels, export)
    began = time.monotonic()
    child = subprocess.Popen([prof_import, export, "-o", trace, "--force"])
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - began
    peak = usage.ru_maxrss * 1024
    size = sum(path.stat().st_size for path in pathlib.Path(folder).glob("large*.db"))
    print(
        f"{made:,} kernels in {export.stat().st_size / 1e6:,.0f} MB: {seconds:.1f} s, peak "
        f"{peak / 1e6:.0f} MB, traces {size / 1e6:.0f} MB"
    )
    return 1 if status != 0 or peak > MOST_BYTES else 0


def main():
    if len(sys.argv) == 6 and sys.argv[1] == "--measure":
        return measure(*sys.argv[2:4], int(sys.argv[4]), sys.argv[5])
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    repeat(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    return 0


if __name__ == "__main__":
    sys.exit(main())
