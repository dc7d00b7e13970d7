#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the printouts in AGENTS.md and the pages of docs: each is what prof-report prints today.

usage: check_printouts.py [--rebase] --bin DIR --source DIR

A printout is a block of text that begins with `$ prof-report`, and then has what that prints on a
terminal of 100 columns, up to the first empty line. NAME.db is made of a recording in tests/data, of
a stream in tests/golden/streams, or of the stream in tests/golden/NAME.case. --rebase takes the
printouts anew.
"""
import difflib
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import golden_options

COLUMNS = 100
LEAST_PRINTOUTS = 10
PRINTOUT = re.compile(r"^```text\n\$ (?P<command>prof-report .*)\n(?P<text>[^`]*)```$", re.M)
RECORDINGS = {"gpt2": "torch_gpt2_steps"}


def recording_of(source, name, folder):
    for path in (
        source / f"tests/data/{RECORDINGS.get(name, name)}.jsonl.gz",
        source / f"tests/golden/streams/{name}.jsonl",
    ):
        if path.exists():
            return path
    case = (source / f"tests/golden/{name}.case").read_text()
    path = folder / f"{name}.jsonl"
    path.write_text("".join(re.findall(r"^\{.*\n", case, re.M)))
    return path


def make_trace(options, name, folder, environment):
    if not (folder / f"{name}.db").exists():
        recording = recording_of(options.source.resolve(), name, folder)
        subprocess.run(
            ["prof-import", "-o", f"{name}.db", recording],
            cwd=folder,
            env=environment,
            check=True,
            capture_output=True,
        )


def printed_by(command, folder, environment):
    runner = pathlib.Path(__file__).resolve().with_name("on_terminal")
    done = subprocess.run(
        [sys.executable, runner, str(COLUMNS), *shlex.split(command)],
        cwd=folder,
        env=environment | {"NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        text=True,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return done.stdout.partition("\n\n")[0].rstrip("\n") + "\n"


def main():
    options = golden_options.parser_of(__doc__, rebase=True).parse_args()
    environment = golden_options.environment(options.bin.resolve())
    total, problems = 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for page in (options.source / "AGENTS.md", *sorted((options.source / "docs").glob("*.md"))):
            text = page.read_text()
            for printout in reversed(list(PRINTOUT.finditer(text))):
                total += 1
                for trace in re.findall(r"(\S+)\.db\b", printout["command"]):
                    make_trace(options, trace, folder, environment)
                printed = printed_by(printout["command"], folder, environment)
                if printed != printout["text"] and not options.rebase:
                    problems.append(f"{page.name}: {printout['command']}")
                    problems += difflib.unified_diff(
                        printout["text"].splitlines(),
                        printed.splitlines(),
                        page.name,
                        "now",
                        lineterm="",
                    )
                text = text[: printout.start("text")] + printed + text[printout.end("text") :]
            if options.rebase and text != page.read_text():
                page.write_text(text)
                print(f"rebased {page.name}")
    if total < LEAST_PRINTOUTS:
        problems.append(f"only {total} printouts were found")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
