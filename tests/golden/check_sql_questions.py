#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the questions of docs/sql.md: each statement gives what the page shows, however asked.

usage: check_sql_questions.py [--rebase] --bin DIR --source DIR

A question is a heading `###`, a statement, a line that names a recording, and the table.
prof-report must print the table; any SQLite must give the same rows once the attribution is saved,
but for the questions that say "Only with `prof-report --sql`": they must fail there. --rebase takes
the tables anew.
"""
import difflib
import json
import math
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import golden_options

QUESTION = re.compile(
    r"^### (?P<title>.*)\n\n(?P<words>(?:.+\n|\n(?!#))*?)"
    r"```sql\n(?P<sql>[^`]*)```\n\n"
    r"`(?P<recording>[\w.]+)`:\n\n```text\n(?P<table>[^`]*)```$",
    re.M,
)
LEAST_QUESTIONS = 6
OURS_ALONE = "Only with `prof-report --sql`"


def run(options, *command):
    environment = golden_options.environment()
    done = subprocess.run(
        [options.bin / command[0], *command[1:]],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def trace_of(options, recording, folder):
    """The recording as a trace with saved attribution."""
    trace = folder / f"{recording}.db"
    if not trace.exists():
        run(options, "prof-import", options.source / "tests/data" / recording, "-o", trace)
        run(options, "prof-report", "--save", trace)
    return trace


def equal(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return None not in (a, b) and math.isclose(a, b, rel_tol=1e-9)
    return a == b


def elsewhere(options, question, trace):
    """What is wrong with what a plain SQLite says."""
    db = sqlite3.connect(trace)
    try:
        cursor = db.execute(question["sql"])
        names, rows = [column[0] for column in cursor.description], cursor.fetchall()
    except sqlite3.Error as error:
        return "" if OURS_ALONE in question["words"] else f"a plain SQLite says: {error}"
    finally:
        db.close()
    if OURS_ALONE in question["words"]:
        return "any SQLite can answer it"
    ours = json.loads(run(options, "prof-report", "-f", "json", "--sql", question["sql"], trace))
    if not ours or any(list(row) != names for row in ours):
        return f"no rows, or not the columns {names}"
    if len(ours) != len(rows) or not all(
        equal(a, b) for row, theirs in zip(ours, rows) for a, b in zip(row.values(), theirs)
    ):
        return f"a plain SQLite gives {rows}"
    return ""


def main():
    options = golden_options.parser_of(__doc__, rebase=True).parse_args()
    page = options.source / "docs/sql.md"
    text = page.read_text()
    questions = list(QUESTION.finditer(text))
    problems, tables = [], []
    headings = len(re.findall("^### ", text, re.M))
    if len(questions) < LEAST_QUESTIONS or len(questions) != headings:
        problems.append(f"{headings} headings, but {len(questions)} questions in the right form")
    with tempfile.TemporaryDirectory() as name:
        for question in questions:
            trace = trace_of(options, question["recording"], pathlib.Path(name))
            try:
                printed = run(options, "prof-report", "--sql", question["sql"], trace)
                problem = elsewhere(options, question, trace)
            except RuntimeError as error:
                printed, problem = "\n\n", str(error)
            # Notes about the trace follow after an empty line.
            tables.append(printed.split("\n\n")[0].rstrip("\n") + "\n")
            if problem:
                problems.append(f"{question['title']}: {problem}")
            if tables[-1] != question["table"] and not options.rebase:
                problems.append(f"{question['title']}")
                problems += difflib.unified_diff(
                    question["table"].splitlines(),
                    tables[-1].splitlines(),
                    page.name,
                    "now",
                    lineterm="",
                )
    if options.rebase:
        for question, table in reversed(list(zip(questions, tables))):
            text = text[: question.start("table")] + table + text[question.end("table") :]
        page.write_text(text)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
