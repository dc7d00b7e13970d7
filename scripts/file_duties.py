#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the duty of each source file: the first sentence of the comment at its head.

usage: file_duties.py [--all] [WORD...]

Each WORD must be in the path or the duty, in any case. A header and its source are one line. --all:
tests, too.
"""
import pathlib
import re
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENTS = {
    ".cpp": "//",
    ".hpp": "//",
    ".h": "//",
    ".c": "//",
    ".cu": "//",
    ".inc": "//",
    ".ts": "//",
    ".sql": "--",
    ".py": "#",
    ".sh": "#",
}
HEADERS = (".hpp", ".h")


def duty_of(path):
    """The first sentence behind the license; empty: there is none."""
    mark = COMMENTS[path.suffix]
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".py":
        docstring = re.search(r'^"""(.*?)"""', text, re.M | re.S)
        head = docstring.group(1) if docstring else ""
    else:
        lines = []
        for line in text.splitlines():
            if line.startswith("#!"):
                continue
            if not line.startswith(mark):
                break
            lines.append(line[len(mark) :].strip())
        head = "\n".join(line for line in lines if not line.startswith("SPDX"))
    paragraph = " ".join(head.strip().partition("\n\n")[0].partition(" Usage: ")[0].split())
    return re.split(r"(?<=[a-z\d)`'])\. (?=[A-Z`]|docs/)", paragraph)[0].removesuffix(".")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    shown = {}
    for name in listed:
        path = ROOT / name
        if path.suffix not in COMMENTS or not path.is_file():
            continue
        if name.startswith("tests/") and "--all" not in sys.argv:
            continue
        duty = duty_of(path)
        if duty:
            shown[name] = duty
    for header in [name for name in shown if pathlib.Path(name).suffix in HEADERS]:
        shown.pop(str(pathlib.Path(header).with_suffix(".cpp")), None)
    for line in (f"{name}: {duty}" for name, duty in sorted(shown.items())):
        if all(word.lower() in line.lower() for word in words):
            print(line)


if __name__ == "__main__":
    main()
