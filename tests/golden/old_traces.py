#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A trace of each schema version that there has been opens, with every reader, and says what it said.

usage: old_traces.py [--rebase] --bin DIR --source DIR

tests/data/traces has VERSION_NAME.db.gz and beside it VERSION_NAME.json, what is known of it: --rebase
writes those. The rest is compared with what SQLite itself reads by the views that are in the file.
"""
import gzip
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import golden_options

OLDEST = 2
#: By which a report's row is known, and what it says; the report's own words.
KNOWN = {
    "ops": (("op", "dir"), ("kernels", "time_ns")),
    "layers": (("layer", "dir"), ("kernels", "time_ns")),
    "steps": (("step",), ("kernels", "period_ns")),
}
EXPORTS = ("perfetto", "chrome", "folded", "speedscope", "pprof", "prometheus")


class Trace:
    """A trace in a folder of its own, in which nothing can be written."""

    def __init__(self, packed, folder, bin_dir):
        self.name, self.bin, self.folder = packed.name.removesuffix(".db.gz"), bin_dir, folder
        self.version = int(self.name.split("_")[0])
        self.bytes = gzip.decompress(packed.read_bytes())
        (folder / "readonly").mkdir()
        self.path = folder / "readonly" / "trace.db"
        self.path.write_bytes(self.bytes)
        self.path.chmod(0o400)
        (folder / "readonly").chmod(0o500)

    def run(self, *words, status=0):
        """prof-report's stdout."""
        done = subprocess.run(
            [self.bin / "prof-report", *words], capture_output=True, text=True, check=False
        )
        if done.returncode != status:
            raise AssertionError(
                f"prof-report {' '.join(map(str, words))}: {done.returncode}, {done.stderr}"
            )
        return done.stdout

    def rows(self, *words, path=None):
        rows = json.loads(self.run("-f", "json", *words, path or self.path))
        return [row for row in rows if list(row) != ["absent"]]

    def asked(self, sql, path=None):
        """SQLite's answer, without libprof."""
        with sqlite3.connect(f"file:{path or self.path}?mode=ro&immutable=1", uri=True) as db:
            return db.execute(sql).fetchall()


def known(trace):
    """What reports say of a trace, as its JSON file has it."""
    made = {}
    for report, (keys, values) in KNOWN.items():
        words = ",".join(keys + values)
        made[report] = [
            " ".join(str(row[word]) for word in keys + values)
            for row in trace.rows("-r", report, "-c", words)
        ]
    return made


def sum_of(rows):
    return sum(row["time_ns"] or 0 for row in rows) if rows else None  # As SQL has it.


def check_values(trace, packed, rebase):
    """Sums are those of the file, ops and steps those that are known."""
    of_file = {
        "version": trace.asked("PRAGMA user_version")[0],
        "kernels": trace.asked("SELECT count(*), sum(duration_ns) FROM kernels")[0],
        "copies": trace.asked("SELECT count(*), sum(duration_ns) FROM copies")[0],
        "calls": trace.asked("SELECT count(*), sum(duration_ns) FROM api_calls")[0],
        "ranges": trace.asked("SELECT count(*), sum(duration_ns) FROM ranges WHERE kind <> 2")[0],
        "names": trace.asked(
            "SELECT count(*), sum(duration_ns) FROM kernels GROUP BY name ORDER BY 1, 2"
        ),
    }
    kernels, gpu, calls = (
        trace.rows("-r", report, "-c", "kind,time_ns" if report != "calls" else "time_ns")
        for report in ("kernels", "gpu", "calls")
    )
    copies = [row for row in gpu if row["kind"] != "kernel"]
    ranges = trace.rows("-r", "ranges", "-c", "count,time_ns")
    names = trace.rows(
        "--sql",
        "SELECT count(*) AS n, sum(time_ns) AS time_ns FROM attributed_kernels "
        "GROUP BY kernel_full ORDER BY 1, 2",
    )
    ours = {
        "version": (trace.version,),
        "kernels": (len(kernels), sum_of(kernels)),
        "copies": (len(copies), sum_of(copies)),
        "calls": (len(calls), sum_of(calls)),
        "ranges": (sum(row["count"] for row in ranges), sum_of(ranges)),
        "names": [(row["n"], row["time_ns"]) for row in names],
    }
    for what, expected in of_file.items():
        if ours[what] != expected:
            yield f"{what}: {ours[what]}, in the file {expected}"
    expectation = packed.with_name(trace.name + ".json")
    if rebase:
        expectation.write_text(json.dumps(known(trace), indent=1) + "\n")
    expected, found = json.loads(expectation.read_text()), known(trace)
    for report in expected.keys() | found.keys():
        if expected.get(report) != found.get(report):
            yield f"{report}: {found.get(report)}, expected {expected.get(report)}"


def check_readers(trace, reports, tables):
    """Every report, export, page, table for SQL, and prof_trace."""
    copy = shutil.copyfile(trace.path, trace.folder / "copy.db")
    for report in reports:
        trace.run("-r", report, "-f", "csv", trace.path, *([copy] if report in ("diff",) else []))
    for form in EXPORTS:
        trace.run("--export", form, "-o", trace.folder / f"exported.{form}", trace.path)
    trace.run("--html", trace.folder / "page.html", trace.path)
    trace.run(
        "-f",
        "columns",
        "-r",
        "ops,layers,kernels",
        "-o",
        trace.folder / "report.columns",
        trace.path,
    )
    for table, since in tables.items():
        rows = trace.rows("--sql", f"SELECT count(*) AS n FROM {table}")[0]["n"]
        there = trace.asked(f"SELECT count(*) FROM {table}")[0][0] if since <= trace.version else 0
        if rows != there:
            yield f"{table}: {rows} rows by --sql, in the file {there}"
    sys.path.insert(0, str(trace.source / "tools/python"))
    os.environ["PROF_REPORT"] = str(trace.bin / "prof-report")
    import prof_trace  # pylint: disable=import-outside-toplevel

    opened = prof_trace.open(trace.path)
    for table, rows in (
        ("kernels", len(opened.kernels())),
        ("ops", len(opened.report("ops"))),
        ("columns", len(prof_trace.read_columns(trace.folder / "report.columns")["ops"])),
    ):
        if rows != len(trace.rows("-r", "kernels" if table == "kernels" else "ops")):
            yield f"prof_trace: {rows} rows of {table}"


def check_save(trace):
    """--save adds the attribution to a copy, which is of the version that it was, and reads as before."""
    copy = shutil.copyfile(trace.path, trace.folder / "saved.db")
    copy.chmod(0o600)
    trace.run("--save", copy)
    sums = "SELECT layer, op, count(*), sum(time_ns) FROM attributed_kernels GROUP BY 1, 2 ORDER BY 1, 2"
    by_sql = [tuple(row.values()) for row in trace.rows("--sql", sums)]
    if by_sql != trace.asked(sums, copy):
        yield "--save stores another attribution"
    if trace.asked("PRAGMA user_version", copy) != [(trace.version,)]:
        yield "--save changes the version"
    if trace.rows("-r", "ops", path=copy) != trace.rows("-r", "ops"):
        yield "reports read something else after --save"


def check_unchanged(trace):
    if trace.path.read_bytes() != trace.bytes or os.listdir(trace.path.parent) != ["trace.db"]:
        yield "a reader changed the trace or its folder"


def check_trace(packed, folder, options, reports, tables):
    trace = Trace(packed, folder, options.bin)
    trace.source = options.source
    found = [
        *check_values(trace, packed, options.rebase),
        *check_readers(trace, reports, tables),
        *check_save(trace),
        *check_unchanged(trace),
    ]
    (folder / "readonly").chmod(0o700)
    return [f"{trace.name}: {one}" for one in found]


def present(folder, options):
    """Of a trace that this program writes: its version, its tables with the version that added them; and the
    reports that there are."""
    path = folder / "present.db"
    subprocess.run(
        [options.bin / "prof-import", "-o", path, options.source / "tests/data/gpt_small.jsonl.gz"],
        check=True,
        capture_output=True,
    )
    with sqlite3.connect(path) as db:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        names = [
            name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
    listed = subprocess.run(
        [options.bin / "prof-report", "--list", "-f", "json"], check=True, capture_output=True
    )
    return version, names, [one["report"] for one in json.loads(listed.stdout) if one.get("rows")]


def since_of(names, packed):
    """The first version of the traces that has each table."""
    since = {}
    for path in packed:
        with tempfile.NamedTemporaryFile() as file:
            file.write(gzip.decompress(path.read_bytes()))
            file.flush()
            with sqlite3.connect(file.name) as db:
                there = {name for name, in db.execute("SELECT name FROM sqlite_schema")}
        for name in there:
            since.setdefault(name, int(path.name.split("_")[0]))
    return {name: since[name] for name in names}


def main():
    options = golden_options.parser_of(__doc__, rebase=True).parse_args()
    packed = sorted((options.source / "tests/data/traces").glob("*.db.gz"))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        version, names, reports = present(pathlib.Path(folder), options)
    have = {int(path.name.split("_")[0]) for path in packed}
    missing = set(range(OLDEST, version + 1)) - have
    if missing:
        sys.exit(f"tests/data/traces has no trace of version {sorted(missing)}")
    tables = since_of(names, packed)
    for path in packed:
        with tempfile.TemporaryDirectory() as folder:
            found += check_trace(path, pathlib.Path(folder), options, reports, tables)
    print(
        "\n".join(found) or f"{len(packed)} traces of versions {OLDEST} to {version} read as ever"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
