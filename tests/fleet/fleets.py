# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up runs, the programs, and what tests of prof-fleet share."""
import csv
import glob
import io
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["PROF_BIN_DIR"])
SKIPPED = 77  # as CTest is told


def engine():
    """libchdb.so; None: it is not installed."""
    if "PROF_CHDB" in os.environ:
        return os.environ["PROF_CHDB"]
    roots = ["/usr/local/lib", "/usr/lib"]
    npm = shutil.which("npm") and subprocess.run(
        ["npm", "root", "-g"], capture_output=True, text=True, check=False
    )
    if npm and npm.returncode == 0:
        roots.append(npm.stdout.strip().removesuffix("/node_modules"))
    for root in roots:
        for path in glob.glob(f"{root}/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so"):
            return path
    return None


def need(what, name):
    if what is None:
        print(f"SKIPPED: {name} is not installed")
        sys.exit(SKIPPED)
    return what


def make_run(folder, *options):
    """Traces of ranks, with planted causes of waits; returns the folder."""
    subprocess.run(
        [
            sys.executable,
            ROOT / "tests/bench/make_ranks.py",
            folder,
            "--bin",
            BIN,
            "--steps",
            "6",
            *map(str, options),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder


class Fleet:
    """A store, and how prof-fleet is run on it."""

    def __init__(self, store, *options, variables=()):
        self.store, self.options = str(store), options
        self.variables = {**os.environ, **dict(variables)}

    def run(self, command, *arguments, status=0):
        done = subprocess.run(
            [BIN / "prof-fleet", command, self.store, *map(str, arguments), *self.options],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env=self.variables,
        )
        if status is not None and done.returncode != status:
            raise AssertionError(
                f"prof-fleet {command}: status {done.returncode}\n{done.stdout}{done.stderr}"
            )
        return done

    def add(self, *traces, status=0):
        """The line on stdout."""
        return self.run("add", *traces, status=status).stdout.strip()

    def lines(self, command, *arguments):
        done = self.run(command, *arguments, "-f", "csv")
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def count(self, table):
        return int(self.lines("sql", f"SELECT count() AS n FROM {{{table}}}")[0]["n"])


def statement(question, rows):
    """The statement of a question, about made-up rows: of each table a SELECT."""
    parts, lines, name = {}, [], "answer"

    def end_part():
        text = "".join(lines)
        for mark, part in parts.items():
            text = text.replace("{%s}" % mark, f"({part})")
        parts[name] = text
        lines.clear()

    for line in (ROOT / f"tools/fleet/questions/{question}.sql").read_text().splitlines(True):
        if line.startswith(("-- with ", "-- answer")):
            end_part()
            name = line.removeprefix("-- with ").removeprefix("-- ").split(":")[0].strip()
        elif not line.startswith("--"):
            lines.append(line)
    end_part()
    text = parts["answer"]
    for table, select in rows.items():
        text = text.replace("{%s}" % table, f"({select})").replace(
            "{all %s}" % table, f"({select})"
        )
    return text


def difference(ours, theirs):
    """The first line that differs, other than by rounding; None: there is none."""
    for one, other in zip(ours, theirs):
        for word, value in one.items():
            if not _same(value, other[word]):
                return word, one, other
    return None if len(ours) == len(theirs) else (len(ours), len(theirs))


def _same(one, other):
    if one == other:
        return True
    try:
        a, b = float(one), float(other)
    except ValueError:
        return False
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
