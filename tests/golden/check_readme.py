#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what README.md shows: its sample is what `make demo` prints, its commands fit every demo,
it names each page once in its list. In all pages, links lead to pages and headings, and prof_torch
is run in one way. The version is that of the programs, here and in the changelog.

usage: check_readme.py [--rebase] --bin DIR --source DIR

The sample is the README's first block of text: a command, then rows of what it prints on a terminal
of 100 columns. A line `...` stands for rows that are left out. --rebase takes the rows anew.
"""
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import golden_options

COLUMNS = 100
MODELS = ("dlrm", "bert", "gpt")
TABLE_ROW = re.compile(r"^-+[- ]+\n *\w", re.M)


def on_terminal(command, folder, environment):
    """What the command prints where stdout is a terminal, without styles."""
    runner = pathlib.Path(__file__).resolve().with_name("on_terminal")
    done = subprocess.run(
        [sys.executable, runner, str(COLUMNS), *command],
        cwd=folder,
        env=environment | {"NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return done.stdout.splitlines()


def sample_of(readme, folder, environment):
    """The sample, and what it must be: its rows by their first word."""
    block = re.search(r"^```text\n(.*?)^```$", readme, re.M | re.S).group(1)
    command, *rows = block.splitlines()
    printed = on_terminal(shlex.split(command.removeprefix("$ ")), folder, environment)
    by_word = {line.split()[0]: line for line in reversed(printed) if line}
    actual = [
        row if row == "..." else by_word.get(row.split()[0], f"(not printed: {row})")
        for row in rows
    ]
    for i, row in enumerate(rows[:-1]):
        both = "..." not in (row, rows[i + 1]) and actual[i] in printed and actual[i + 1] in printed
        if both and printed.index(actual[i + 1]) != printed.index(actual[i]) + 1:
            actual[i] += "\n..."
    return block, "\n".join([command] + actual) + "\n"


def commands_that_fail(readme, folder, environment):
    """The README's calls of prof-report on a trace, run on each model's recording."""
    commands = re.findall(r"^    (prof-report .*?trace\.db)", readme, re.M)
    if not commands:
        yield "README.md has no call of prof-report on a trace.db"
    for model in MODELS:
        for command in commands:
            call = shlex.split(command.replace("trace.db", f"build/demo/{model}.db"))
            done = subprocess.run(
                call, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            shown = re.search(
                r"(?:shown: |saved the attribution of )([\d,]+)", done.stdout + done.stderr
            )
            if "--html" in call:
                page = os.path.join(folder, call[call.index("--html") + 1])
                if done.returncode != 0 or not os.path.getsize(page):
                    yield f"README.md: {command}: wrote no page: {done.stderr.strip()}"
                continue
            # A report that sums up in SQL tells no number: its table has a row. A command line for
            # ncu is no table.
            has_rows = (
                shown.group(1) != "0"
                if shown
                else TABLE_ROW.search(done.stdout) or done.stdout.startswith("ncu ")
            )
            if done.returncode != 0 or not has_rows:
                yield f"README.md: {command}: shows nothing of ref-{model}: {done.stderr.strip()}"


def pages_listed_twice(readme):
    pages = re.findall(r"\]\((\S+)\)", readme.partition("\n## Read on\n")[2])
    if not pages:
        yield "README.md has no list of pages under 'Read on'"
    for page in sorted(set(pages)):
        if pages.count(page) > 1:
            yield f"README.md: lists {page} twice"


def anchors_of(page):
    """Of its headings, as GitHub makes them."""
    return {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    }


def dead_links(source):
    for page in [*source.glob("*.md"), *(source / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and anchor not in anchors_of(target)):
                yield f"{page.relative_to(source)}: {link} leads nowhere"


def other_ways_to_run_prof_torch(source):
    """`python3 -m prof_torch` works everywhere; a path to the package does not."""
    for path in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        for other in re.findall(r"python3? (?!-m )\S*prof_torch\b.*", path.read_text()):
            yield f"{path.name}: {other}: say python3 -m prof_torch"


def other_versions(options, readme):
    printed = subprocess.run(
        [options.bin / "prof-report", "--version"], capture_output=True, text=True, check=True
    ).stdout
    version = "v" + printed.split()[1]
    if f"\n{version}, " not in readme:
        yield f"README.md: does not end with {version}"
    if re.search("^## (.*)$", (options.source / "CHANGELOG.md").read_text(), re.M)[1] not in (
        version,
        "Unreleased",
    ):
        yield f"CHANGELOG.md: does not begin with {version}"


def main():
    options = golden_options.parser_of(__doc__, rebase=True).parse_args()
    path = options.source / "README.md"
    readme = path.read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build/demo").mkdir(parents=True)
        environment = golden_options.environment(options.bin.resolve(), HOME=name)
        for model in MODELS:
            subprocess.run(
                [
                    "prof-import",
                    "-o",
                    f"build/demo/{model}.db",
                    options.source.resolve() / f"tests/data/{model}.jsonl.gz",
                ],
                cwd=folder,
                env=environment,
                check=True,
            )
        expected, actual = sample_of(readme, folder, environment)
        problems = list(commands_that_fail(readme, folder, environment))
    problems += [
        *pages_listed_twice(readme),
        *other_ways_to_run_prof_torch(options.source),
        *dead_links(options.source),
        *other_versions(options, readme),
    ]
    if expected != actual and options.rebase:
        path.write_text(readme.replace(expected, actual))
        print("rebased README.md")
    elif expected != actual:
        problems += difflib.unified_diff(
            expected.splitlines(), actual.splitlines(), "README.md", "make demo", lineterm=""
        )
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
