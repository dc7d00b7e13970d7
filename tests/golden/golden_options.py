# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the golden tests share: their options, the environment of the programs that they run, and how rows
are compared."""
import argparse
import os
import pathlib


def parser_of(doc, rebase=False, source=True):
    """A parser with the options of golden tests; `doc`: of the module."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    if rebase:
        parser.add_argument("--rebase", action="store_true")
    parser.add_argument(
        "--bin", type=pathlib.Path, required=True, help="folder of prof-import and prof-report"
    )
    if source:
        parser.add_argument(
            "--source", type=pathlib.Path, required=True, help="root of the repository"
        )
    return parser


def environment(*folders, path=None, **more):
    """Of a program whose output is compared: `folders` come first in its PATH. Options of sanitizers
    are passed on."""
    made = {"LC_ALL": "C", "PATH": ":".join([*map(str, folders), path or os.environ["PATH"]])}
    made |= {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
    return made | more


def differences(expected, printed, same, what=""):
    """Lines about rows of columns; `same` compares two values, `what` names the report."""
    if len(expected) != len(printed):
        yield f"{what and what + ': '}{len(printed)} rows, expected {len(expected)}"
    for number, (want, got) in enumerate(zip(expected, printed), 1):
        for word in sorted(want.keys() | got.keys()):
            if word not in want or word not in got or not same(want[word], got[word]):
                yield (
                    f"{what and what + ', '}row {number}, {word}: {got.get(word)!r}, "
                    f"expected {want.get(word)!r}"
                )
