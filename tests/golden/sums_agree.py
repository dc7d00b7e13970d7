#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""On every recording, sums by SQL are those of the report `layers`.

usage: sums_agree.py BIN_DIR DATA_DIR
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

SUMS = ("kernels", "time_ns", "flops", "bytes", "bytes_read", "bytes_written")
SQL = (
    "SELECT count(*)," + ",".join(f"sum({word})" for word in SUMS[1:]) + " FROM attributed_kernels"
)


def rows_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(csv.reader(io.StringIO(done.stdout)))


def differences(bin_dir, recording, trace):
    subprocess.run(
        [bin_dir / "prof-import", "-o", trace, recording], check=True, capture_output=True
    )
    report = bin_dir / "prof-report"
    header, *layers = rows_of([report, "-r", "layers", "-f", "csv", trace])
    by_sql = rows_of([report, "--sql", SQL, "-f", "csv", trace])[1]
    for word, of_sql in zip(SUMS, by_sql):
        # Whole numbers, so that sums do not depend on the order.
        of_report = sum(int(row[header.index(word)] or 0) for row in layers)
        if of_report != int(of_sql or 0):
            yield f"{recording.name}: {word}: layers {of_report}, SQL {of_sql}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bin_dir, data = map(pathlib.Path, sys.argv[1:])
    recordings = sorted(f for f in data.glob("*.jsonl.gz") if ".truth." not in f.name)
    found = [] if recordings else [f"no recordings in {data}"]
    for recording in recordings:
        with tempfile.TemporaryDirectory() as folder:
            found += differences(bin_dir, recording, pathlib.Path(folder) / "trace.db")
    print("\n".join(found) or f"sums agree on {len(recordings)} recordings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
