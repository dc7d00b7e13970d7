#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Every command that `prof-report -r advice` prints, pasted into a shell, prints a row.

usage: advice_shows_rows.py BIN TRACE_OR_STREAM...
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def output(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


def failures_of(binaries, trace):
    """What is wrong, and how many commands there are."""
    env = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}"}
    rows = json.loads(output([f"{binaries}/prof-report", "-r", "advice", "-f", "json", str(trace)]))
    found = []
    for row in rows:
        if "show" not in row:  # The one that says why there is no advice.
            continue
        shown = output(row["show"] + " -f csv", shell=True, env=env)
        if len(list(csv.reader(io.StringIO(shown)))) < 2:
            found.append(f"{trace.name}: {row['advice']}: no row by: {row['show']}")
    return found, len(rows)


def main():
    binaries, names = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    failures, commands = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            trace = pathlib.Path(name)
            if trace.suffix != ".db":
                stream, trace = trace, pathlib.Path(folder) / f"it's {trace.name}.db"
                output([f"{binaries}/prof-import", "-o", str(trace), str(stream)])
            found, count = failures_of(binaries, trace)
            failures += found
            commands += count
    print("\n".join(failures))
    print(f"{commands} commands of advice, {len(failures)} without a row")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
