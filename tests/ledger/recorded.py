#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the report of a recorded step with the ledger of the workload that was recorded.

usage: recorded.py BIN_DIR STREAM.jsonl.gz

The recording states its command line: the same workload with the same options writes the ledger. Needs
no GPU.
"""
import gzip
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile


def recorded_command(stream):
    with gzip.open(stream, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record.get("record") == "meta" and record.get("key") == "command_line":
                return shlex.split(record["value"])
    raise ValueError(f"{stream} does not state its command line")


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    here = pathlib.Path(__file__).resolve().parent
    bin_dir, stream = pathlib.Path(sys.argv[1]), sys.argv[2]
    command = recorded_command(stream)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ledger, trace, report = folder / "ledger.json", folder / "trace.db", folder / "report.json"
        first = "0" if pathlib.Path(command[0]).name == "ref-gpt" else "1"  # "Train step 0"
        workload = bin_dir / pathlib.Path(command[0]).name
        subprocess.run([workload, *command[1:], "--ledger", ledger], check=True)
        subprocess.run([bin_dir / "prof-import", "-o", trace, stream], check=True)
        with open(report, "wb") as file:
            subprocess.run(
                [bin_dir / "prof-report", "-r", "gpu", "-f", "json", "--step", first, trace],
                stdout=file,
                check=True,
            )
        return subprocess.run(
            [sys.executable, here / "compare_ledger.py", ledger, report], check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
