#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs golden cases: a recorded stream is imported, commands run, their output compared exactly.

usage: run_case.py [--rebase] --bin DIR --source DIR CASE...

docs/add.md has the form of a case. --rebase rewrites what the commands print. CSV and JSON are
asked for by column, so that a new column changes no case. No line may end in a blank. `on_terminal
COLUMNS COMMAND` in a case runs a command whose stdout is a terminal.
"""
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

import golden_options

MAX_DIFF_LINES = 100
TOOLS = pathlib.Path(__file__).resolve().parent  # on_terminal


def parse(lines):
    """The case's head (all before the first command) and its commands."""
    first = next((i for i, line in enumerate(lines) if line.startswith("$ ")), len(lines))
    return lines[:first], [line[2:] for line in lines if line.startswith("$ ")]


def stream_of(head, source, folder):
    """The recorded stream: a file of the repository, or the lines that the case holds itself."""
    own = [line for line in head if line.startswith("{")]
    named = [line.removeprefix("stream:").strip() for line in head if line.startswith("stream:")]
    if bool(own) == bool(named) or len(named) > 1:
        raise ValueError("a case has either one line 'stream: PATH' or the lines of a stream")
    odd = [line for line in head if line.strip() and not line.startswith(("{", "#", "stream:"))]
    if odd:
        raise ValueError(f"not a comment, stream or command: {odd[0]}")
    if named:
        return source / named[0]
    path = folder / "stream.jsonl"
    path.write_text("\n".join(own) + "\n")
    return path


def run(command, folder, environment):
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, check=False
    )
    lines = [f"$ {command}"]
    for prefix, data in (("  ", done.stdout), ("! ", done.stderr)):
        text = data.decode(errors="backslashreplace")
        lines += [
            (prefix + line).rstrip(" ") if not line else prefix + line
            for line in text.split("\n")[:-1]
        ]
        if text and not text.endswith("\n"):
            lines.append(prefix + text.split("\n")[-1] + "<no newline>")
    for line in lines[1:]:
        if line.strip() and line.endswith(" "):
            raise ValueError(f"{command} prints a line that ends in a blank: {line}")
    if done.returncode != 0:
        lines.append(f"[{done.returncode}]")
    return lines


def actual_of(case, options):
    lines = case.read_text().split("\n")
    head, commands = parse(lines)
    if not commands:
        raise ValueError("no command; commands begin with '$ '")
    for command in commands:
        if re.search(r"-f (csv|json)\b", command) and not re.search(" (-c|--sql) ", command):
            raise ValueError(
                f"CSV and JSON need -c COLUMNS, or each new column changes the case: {command}"
            )
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = golden_options.environment(options.bin.resolve(), TOOLS, HOME=name)
        stream = stream_of(head, options.source.resolve(), folder)
        imported = subprocess.run(
            ["prof-import", "-o", "trace.db", stream],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if imported.returncode != 0:
            raise ValueError(f"prof-import failed: {imported.stderr.strip()}")
        while head and not head[-1]:
            head.pop()
        blocks = [head] + [run(command, folder, environment) for command in commands]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def main():
    parser = golden_options.parser_of(__doc__, rebase=True)
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    for case in options.cases:
        try:
            expected, actual = case.read_text(), actual_of(case, options)
        except (OSError, ValueError) as error:
            print(f"{case}: {error}")
            failed += 1
            continue
        if expected == actual:
            continue
        if options.rebase:
            case.write_text(actual)
            print(f"rebased {case}")
            continue
        failed += 1
        diff = list(
            difflib.unified_diff(
                expected.splitlines(True),
                actual.splitlines(True),
                f"{case} (expected)",
                f"{case} (now)",
            )
        )
        sys.stdout.writelines(diff[:MAX_DIFF_LINES])
        if len(diff) > MAX_DIFF_LINES:
            print(f"... and {len(diff) - MAX_DIFF_LINES} more lines of difference in {case}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
