#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what prof-import makes of nvprof's databases with SQL on the databases themselves: for every
process counts and sums of times of kernels by name, place and launch facts, of launched kernels by the
innermost range around their launch, of copies, sets and synchronizations by kind, of CUDA calls by function
and result, of NVTX ranges and marks by domain and text, of overheads by kind. Prints the figures; fails on
any difference. Other files of a folder are left out.

usage: compare_nvprof_import.py [--functions CUPTI_INCLUDE] PROF_IMPORT FILE_OR_FOLDER...

--functions: the folder of cupti_runtime_cbid.h; without it, calls are compared by result alone."""
import argparse
import collections
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

import compare_nsys_import as comparison

KIND = "CUPTI_ACTIVITY_KIND_"
NO_TEXT = "-- null --"
MOMENT, START, END = 1, 2, 4
OF_THREAD = 2
OVERHEADS = {
    1: "DRIVER_COMPILER",
    1 << 16: "CUPTI_BUFFER_FLUSH",
    2 << 16: "CUPTI_INSTRUMENTATION",
    3 << 16: "CUPTI_RESOURCE",
    4 << 16: "RUNTIME_TRIGGERED_MODULE_LOADING",
    5 << 16: "LAZY_FUNCTION_LOADING",
    6 << 16: "COMMAND_BUFFER_FULL",
    7 << 16: "ACTIVITY_BUFFER_REQUEST",
    8 << 16: "UVM_ACTIVITY_INIT",
}


class Database:
    """Rows as tuples; a column that the file lacks is None."""

    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.db.text_factory = lambda data: data.decode(errors="replace")
        self.tables = {
            name
            for (name,) in self.db.execute(
                "SELECT name FROM sqlite_master WHERE type='table'"
            ).fetchall()
        }
        self.is_nvprof = "StringTable" in self.tables
        self.texts = dict(self.rows("StringTable", "_id_ value")) if self.is_nvprof else {}

    def rows(self, table, columns):
        if table not in self.tables:
            return []
        have = {row[1] for row in self.db.execute(f"PRAGMA table_info({table})")}
        asked = ",".join(f'"{column}"' if column in have else "NULL" for column in columns.split())
        return self.db.execute(f"SELECT {asked} FROM {table}").fetchall()

    def timed(self, table, columns):
        """Rows whose first two columns, or for markers the first one, are times that are in order."""
        for row in self.rows(KIND + table, columns):
            if comparison.valid(row[0], row[0] if table == "MARKER" else row[1]):
                yield row

    def text(self, number):
        found = self.texts.get(number, "") if number else ""
        return "" if found == NO_TEXT else found


def unsigned(number):
    return number & 0xFFFFFFFF if isinstance(number, int) else 0


def owner(kind, blob):
    """(process, thread); no thread: None."""
    pid, tid = (int.from_bytes(blob[at : at + 4], "little") for at in (0, 4))
    return pid, tid if kind == OF_THREAD else None


def functions(include, kind):
    if include is None:
        return None
    text = (pathlib.Path(include) / f"cupti_{kind}_cbid.h").read_text()
    found = re.findall(rf"CUPTI_{kind.upper()}_TRACE_CBID_(\w+)\s*=\s*(\d+)", text)
    return {int(number): comparison.VERSION.sub("", name) for name, number in found}


def facts_of_database(database, include=None):
    """{pid: {what: {key: (count, nanoseconds)}}}"""
    lists = collections.defaultdict(lambda: collections.defaultdict(list))
    callers = collections.defaultdict(set)

    def add(pid, what, key, duration=0):
        lists[pid][what].append((key, duration))

    ranges = collections.defaultdict(list)
    opened = {}
    for at, number, flags, kind, blob, name, domain in sorted(
        database.timed("MARKER", "timestamp id flags objectKind objectId name domain"),
        key=lambda row: row[1:3],
    ):
        if len(blob) < 8:
            continue
        pid, tid = owner(kind, blob)
        key = (database.text(domain), database.text(name))
        if flags & MOMENT:
            add(pid, "marks", key)
        elif flags & START:
            opened[pid, number] = (at, tid, key)
        elif flags & END and (pid, number) in opened:
            start, thread, key = opened.pop((pid, number))
            if at < start:
                continue
            add(pid, "ranges", key, at - start)
            if thread is not None and tid == thread:
                ranges[pid, thread].append((start, -at, key[1]))
    for (pid, _), (start, thread, key) in opened.items():
        add(pid, "ranges", key)
        ranges[pid, thread].append((start, -(1 << 62), key[1]))
    launches = {}
    for kind in ("runtime", "driver"):
        names = functions(include, kind)
        for start, end, number, pid, thread, correlation, result in database.timed(
            kind.upper(), "start end cbid processId threadId correlationId returnValue"
        ):
            if not isinstance(thread, int):
                continue
            pid, thread, correlation = map(unsigned, (pid, thread, correlation))
            name = names.get(number, "") if names else ""
            add(pid, "calls", (name, result), end - start)
            callers[correlation].add(pid)
            known = launches.get((pid, correlation))
            if correlation and (known is None or start < known[1]):
                launches[pid, correlation] = ((pid, thread), start, end)
    around = comparison.innermost(ranges, launches)
    first = min(lists, default=0)
    launch_of = lambda number: next(iter(callers[number])) if len(callers[number]) == 1 else None

    def place(correlation):
        """The process, and whether a call of it launched the work."""
        pid = launch_of(unsigned(correlation)) if unsigned(correlation) else None
        return (first, False) if pid is None else (pid, True)

    for table in ("CONCURRENT_KERNEL", "KERNEL", "CDP_KERNEL"):
        for start, end, name, correlation, *facts in database.timed(
            table,
            "start end name correlationId deviceId contextId streamId gridX gridY gridZ"
            " blockX blockY blockZ registersPerThread staticSharedMemory dynamicSharedMemory"
            " localMemoryPerThread graphNodeId",
        ):
            pid, launched = place(correlation)
            text = database.texts.get(name, "")
            add(pid, "kernels", (text, *map(comparison.number, facts)), end - start)
            if launched:
                add(pid, "launched", (text, around[pid, unsigned(correlation)]), end - start)
            else:
                add(pid, "launch not in file", text, end - start)
    for table in ("MEMCPY", "MEMCPY2"):
        for start, end, correlation, *facts in database.timed(
            table, "start end correlationId deviceId streamId copyKind srcKind dstKind bytes"
        ):
            add(place(correlation)[0], "copies", tuple(facts), end - start)
    for start, end, kind, source, target, size, pid in database.timed(
        "UNIFIED_MEMORY_COUNTER", "start end counterKind srcId dstId value processId"
    ):
        if kind in (1, 2, 8):
            device = target if kind == 1 else source
            add(
                unsigned(pid),
                "copies",
                (device, 0, {1: 11, 2: 12, 8: 13}[kind], 5, 5, size),
                end - start,
            )
    for start, end, correlation, *facts in database.timed(
        "MEMSET", "start end correlationId deviceId streamId memoryKind value bytes"
    ):
        add(place(correlation)[0], "sets", tuple(facts), end - start)
    for start, end, correlation, kind in database.timed(
        "SYNCHRONIZATION", "start end correlationId type"
    ):
        add(place(correlation)[0], "syncs", kind, end - start)
    known = set(lists)
    for start, end, kind, of, blob in database.timed(
        "OVERHEAD", "start end overheadKind objectKind objectId"
    ):
        pid = owner(of, blob)[0]
        add(
            pid if pid in known or len(known) > 1 else first,
            "overheads",
            OVERHEADS.get(kind, "UNKNOWN"),
            end - start,
        )
    return {
        pid: {what: comparison.sums(items) for what, items in of_process.items()}
        for pid, of_process in lists.items()
    }


def facts_of_trace(path, with_functions):
    pid, facts = comparison.facts_of_trace(path)
    db = sqlite3.connect(path)
    db.text_factory = lambda data: data.decode(errors="replace")
    domains = {
        number - 1: name or ""
        for number, name in db.execute(
            "SELECT d.id, s.text FROM domain d LEFT JOIN string s ON s.id=d.name_id"
        )
    }
    merged = collections.defaultdict(list)
    for what, groups in facts.items():
        for key, (count, duration) in groups.items():
            if what == "ranges":
                key = (domains.get(key[0], ""), key[2])
            elif what == "marks":
                key = (domains.get(key[0], ""), key[1])
            elif what == "calls" and not with_functions:
                key = ("", key[1])
            merged[what].append((key, count, duration))
    for kind, duration in db.execute(
        "SELECT s.text, ifnull(o.duration_ns,0) FROM overhead o" " JOIN string s ON s.id=o.kind_id"
    ):
        merged["overheads"].append((kind, 1, duration))
    found = {}
    for what, items in merged.items():
        sums = collections.defaultdict(lambda: (0, 0))
        for key, count, duration in items:
            sums[key] = (sums[key][0] + count, sums[key][1] + duration)
        found[what] = dict(sums)
    return pid, found


def compare(prof_import, path, include=None):
    """The lines of differences, the facts of the trace, and the seconds that the import took."""
    expected = facts_of_database(Database(path), include)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        done = subprocess.run(
            [prof_import, path, "-o", f"{folder}/t.db"], capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - begun
        if done.returncode != 0:
            if not any(expected.values()):
                return [], {}, seconds
            return [done.stderr.strip()], {}, seconds
        actual = dict(
            facts_of_trace(trace, include is not None)
            for trace in sorted(pathlib.Path(folder).glob("t*.db"))
        )
    if not expected:
        expected = {pid: {} for pid in actual}
    return list(comparison.differences(expected, actual)), actual, seconds


def is_nvprof(path):
    with open(path, "rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            return False
    return Database(path).is_nvprof


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--functions")
    parser.add_argument("prof_import")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    paths = [
        path
        for one in given.files
        for path in (sorted(one.rglob("*")) if one.is_dir() else [one])
        if path.is_file()
    ]
    files = failed = kernels = 0
    for path in paths:
        if not is_nvprof(path):
            continue
        found, facts, seconds = compare(given.prof_import, path, given.functions)
        files += 1
        failed += bool(found)
        for pid, of_process in sorted(facts.items()):
            print(f"{path.name}, process {pid}: {comparison.summary(of_process)}")
            kernels += sum(count for count, _ in of_process.get("kernels", {}).values())
        for line in found[:20]:
            print(f"{path}: {line}", file=sys.stderr)
        print(f"{path.name}: {len(found)} differences, imported in {seconds:.1f} s")
    print(f"{files} databases, {kernels} kernels, {failed} with differences")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
