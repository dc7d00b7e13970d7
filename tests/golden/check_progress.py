#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the line about progress: on a terminal only, after a second, what it says.

usage: check_progress.py --bin DIR --source DIR
"""
import os
import pty
import re
import subprocess
import sys
import tempfile

import golden_options

# They run until they are killed.
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {}) "
ROWS = NUMBERS.format(1 << 40) + "SELECT count(*) FROM n CROSS JOIN cuda_calls"
NO_ROWS = NUMBERS.format(1 << 40) + "SELECT count(*) FROM n"
FIRST_AFTER_S = 1


def lines_of(command, folder, seconds, stderr_is_terminal=True):
    """What a command that does not end writes to stderr; its stdout goes to a file."""
    ours, theirs = pty.openpty()
    target = theirs if stderr_is_terminal else subprocess.PIPE
    with subprocess.Popen(
        ["timeout", "--signal=INT", str(seconds), *command],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=target,
        env=os.environ | {"COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        written = b""
        while stderr_is_terminal:
            try:
                data = os.read(ours, 65536)
            except OSError:  # The other end is closed.
                break
            if not data:
                break
            written += data
        if not stderr_is_terminal:
            written = process.stderr.read()
    os.close(ours)
    return [line.strip() for line in written.decode().split("\r") if line.strip()]


def main():
    options = golden_options.parser_of(__doc__).parse_args()
    report = str(options.bin.resolve() / "prof-report")
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                options.bin.resolve() / "prof-import",
                "-o",
                "trace.db",
                options.source.resolve() / "tests/data/gpt.jsonl.gz",
            ],
            cwd=folder,
            check=True,
        )

        def expect(what, sql, form, **options_of_lines):
            lines = lines_of([report, "--sql", sql, "trace.db"], folder, **options_of_lines)
            if form is None and lines:
                problems.append(f"{what}: {lines}")
            if form is not None and (not lines or not all(re.fullmatch(form, l) for l in lines)):
                problems.append(f"{what}: {lines}")

        seconds = FIRST_AFTER_S + 3
        expect("rows", ROWS, r"prof-report: [\d,]{5,} rows, [\d,]+ rows/s", seconds=seconds)
        expect("no rows", NO_ROWS, r"prof-report: running the statement, \d s", seconds=seconds)
        expect("too early", ROWS, None, seconds=FIRST_AFTER_S / 2)
        expect("no terminal", ROWS, None, seconds=seconds, stderr_is_terminal=False)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
