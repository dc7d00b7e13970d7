#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs every call of prof-report that AGENTS.md and the pages of docs show: all must work, with
nothing unknown.

usage: check_commands.py --bin DIR --source DIR

Calls are lines of code blocks, and code in tables. Those of "Coming from PyProf" must also print a
line for each kernel, or each group of kernels, with the columns that they name.
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

import golden_options

PAGES = (
    "AGENTS.md",
    "docs/ci.md",
    "docs/import.md",
    "docs/other_tools.md",
    "docs/reports.md",
    "docs/sql.md",
)
RECORDING = "tests/data/torch_bert.jsonl.gz"
TRACES = (
    "trace.db",
    "rank0.db",
    "rank1.db",
    "run/rank0.db",
    "run/rank1.db",
    "run.0.db",
    "run.1.db",
)
OF_STEPS = "tests/data/torch_gpt2_steps.jsonl.gz"
TRACES_OF_STEPS = ("before.db", "after.db", "base.db", "new.db")
KERNELS = 321
GROUPS = 20  # at least


def calls_of(text):
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        if kind in ("sql", "text"):
            continue
        yield from (line for line in block.splitlines() if line.startswith("prof-report "))
    for row in re.findall(r"^\|.*\|$", text, re.M):
        yield from (
            code
            for code in re.findall(r"`([^`]+)`", row)
            if re.match(r"(\w+=\w+ )?prof-report .*\.db$", code)
        )


def check_rows(call, printed, folder):
    """What is wrong with a call that stands for one of PyProf's."""
    columns = re.search(r" -c (\S+)", call)
    if file := re.search(r" -o (\S+)", call):
        rows = list(csv.reader((folder / file.group(1)).read_text().splitlines()))
        if rows[0] != columns.group(1).split(","):
            return f"the columns are {rows[0]}"
        return "" if len(rows) == KERNELS + 1 else f"{len(rows)} lines"
    rows = printed.split("\n\n")[0].splitlines()[2:]
    if columns and len(rows[0].split()) < len(columns.group(1).split(",")):
        return "a column is missing"
    enough = len(rows) >= GROUPS if "--by" in call else len(rows) == KERNELS
    return "" if enough else f"{len(rows)} lines"


def main():
    options = golden_options.parser_of(__doc__).parse_args()
    problems, total, pyprof = [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = golden_options.environment(options.bin.resolve(), path="/usr/bin:/bin")
        (folder / "run").mkdir()
        recordings = dict.fromkeys(TRACES, RECORDING) | dict.fromkeys(TRACES_OF_STEPS, OF_STEPS)
        for trace, recording in recordings.items():
            subprocess.run(
                ["prof-import", "-o", trace, options.source.resolve() / recording],
                cwd=folder,
                env=environment,
                check=True,
            )
        for page in PAGES:
            text = (options.source / page).read_text()
            section = re.search(r"^## Coming from PyProf\n(.*?)^## ", text, re.M | re.S)
            of_pyprof = set(calls_of(section.group(1))) if section else set()
            pyprof += len(of_pyprof)
            for call in calls_of(text):
                total += 1
                done = subprocess.run(
                    ["sh", "-c", call],
                    cwd=folder,
                    env=environment,
                    check=False,
                    capture_output=True,
                    text=True,
                )
                # Steps of a recording may be too unlike for a limit: cannot be decided.
                fine = (0, 4) if "--fail-above" in call else (0,)
                problem = done.stderr if done.returncode not in fine else ""
                if not problem and call in of_pyprof:
                    problem = check_rows(call, done.stdout, folder)
                if problem:
                    problems.append(f"{page}: {call}: {problem.strip()}")
    if total < 20 or pyprof < 6:
        problems.append(f"only {total} calls, {pyprof} of them of PyProf, were found")
    for problem in problems:
        print(problem)
    print(f"{total} calls, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
