#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what prof-import makes of an export of Nsight Systems with SQL on the export itself: for every
process counts and sums of kernels by name, place and launch facts, copies, sets, synchronizations, CUDA
calls by function and result, calls of the operating system by function, NVTX ranges and marks by domain and text, and the innermost push/pop range
around the launch of every kernel. Prints the figures; fails on any difference. Other files of a
folder are left out.

usage: compare_nsys_import.py PROF_IMPORT FILE_OR_FOLDER..."""
import bisect
import collections
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

KERNEL, CALL = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"
COPY, SET = "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"
SYNC, NVTX = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "NVTX_EVENTS"
OS_CALL = "OSRT_API"
PUSH_POP, START_END, MARK = 59, 60, 34
OF_TEXT_FILES = {70: PUSH_POP, 71: START_END}
MARKS_OF_NSYS = (31, 32)  # in OSRT_API
VERSION = re.compile(r"(_ptsz|_ptds|_v\d+)+$")


class Export:
    """An export's rows as dictionaries; a column that it lacks is None."""

    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.db.text_factory = lambda data: data.decode(errors="replace")
        self.db.row_factory = sqlite3.Row
        self.tables = {
            name
            for (name,) in self.db.execute(
                "SELECT name FROM sqlite_master WHERE type='table'"
            ).fetchall()
        }
        self.texts = dict(self.rows("StringIds", ("id", "value")))

    def rows(self, table, columns):
        if table not in self.tables:
            return []
        have = {row["name"] for row in self.db.execute(f"PRAGMA table_info({table})")}
        asked = ",".join(f'"{column}"' if column in have else "NULL" for column in columns)
        return (tuple(row) for row in self.db.execute(f"SELECT {asked} FROM {table}"))

    def text(self, *ids):
        return next((self.texts[i] for i in ids if self.texts.get(i)), "")


def process(packed):
    return (packed or 0) >> 24 & 0xFFFFFF


def valid(start, end):
    return isinstance(start, int) and isinstance(end, int) and end >= start


def number(value):
    """Unknown is 0 in a trace's columns of launch facts."""
    return value if isinstance(value, int) else 0


def sums(items):
    """(key, nanoseconds) as {key: (count, nanoseconds)}."""
    found = collections.defaultdict(lambda: [0, 0])
    for key, duration in items:
        found[key][0] += 1
        found[key][1] += duration
    return {key: tuple(value) for key, value in found.items()}


def facts_of_export(export):
    """{pid: {what: {key: (count, nanoseconds)}}}"""
    lists = collections.defaultdict(lambda: collections.defaultdict(list))

    def add(pid, what, key, duration=0):
        lists[pid][what].append((key, duration))

    ranges = collections.defaultdict(list)  # by thread, push/pop
    for start, end, kind, text, text_id, thread, domain in export.rows(
        NVTX, ("start", "end", "eventType", "text", "textId", "globalTid", "domainId")
    ):
        kind = OF_TEXT_FILES.get(kind, kind)
        if kind not in (PUSH_POP, START_END, MARK) or not isinstance(start, int):
            continue
        text = text or export.text(text_id)
        end = end or None
        if kind == MARK:
            add(process(thread), "marks", (domain or 0, text))
            continue
        if end is not None and end < start or kind == PUSH_POP and thread is None:
            continue
        add(process(thread), "ranges", (domain or 0, kind, text), (end or start) - start)
        if kind == PUSH_POP:
            ranges[thread].append((start, -(end or 1 << 62), text))
    launches = {}
    for start, end, thread, correlation, name, result in export.rows(
        CALL, ("start", "end", "globalTid", "correlationId", "nameId", "returnValue")
    ):
        if not valid(start, end) or thread is None:
            continue
        function = VERSION.sub("", export.text(name))
        add(process(thread), "calls", (function, result or 0), end - start)
        known = launches.get((process(thread), correlation))
        if known is None or start < known[1]:
            launches[process(thread), correlation] = (thread, start, end)
    around = innermost(ranges, launches)
    kernel_columns = (
        "start",
        "end",
        "globalPid",
        "mangledName",
        "demangledName",
        "shortName",
        "deviceId",
        "contextId",
        "streamId",
        "gridX",
        "gridY",
        "gridZ",
        "blockX",
        "blockY",
        "blockZ",
        "registersPerThread",
        "staticSharedMemory",
        "dynamicSharedMemory",
        "localMemoryPerThread",
        "graphNodeId",
        "correlationId",
    )
    for start, end, owner, mangled, demangled, short, *facts, correlation in export.rows(
        KERNEL, kernel_columns
    ):
        if not valid(start, end):
            continue
        name = export.text(mangled, demangled, short)
        add(process(owner), "kernels", (name, *map(number, facts)), end - start)
        launch = (process(owner), correlation or 0)
        if launch in launches:
            add(process(owner), "launched", (name, around[launch]), end - start)
        else:
            add(process(owner), "launch not in file", name, end - start)
    for start, end, owner, *facts in export.rows(
        COPY,
        (
            "start",
            "end",
            "globalPid",
            "deviceId",
            "streamId",
            "copyKind",
            "srcKind",
            "dstKind",
            "bytes",
        ),
    ):
        if valid(start, end):
            device, stream, kind, source, target, size = facts
            add(
                process(owner),
                "copies",
                (device or 0, stream or 0, kind, memory(source), memory(target), size),
                end - start,
            )
    for start, end, owner, *facts in export.rows(
        SET, ("start", "end", "globalPid", "deviceId", "streamId", "memKind", "value", "bytes")
    ):
        if valid(start, end):
            device, stream, kind, value, size = facts
            add(
                process(owner),
                "sets",
                (device or 0, stream or 0, memory(kind), value, size),
                end - start,
            )
    for start, end, owner, kind in export.rows(SYNC, ("start", "end", "globalPid", "syncType")):
        if valid(start, end):
            add(process(owner), "syncs", kind or 0, end - start)
    with_trace = set(lists)
    for start, end, thread, name, event_class in export.rows(
        OS_CALL, ("start", "end", "globalTid", "nameId", "eventClass")
    ):
        if event_class in MARKS_OF_NSYS:
            continue
        if valid(start, end) and (process(thread) in with_trace or not with_trace):
            add(process(thread), "os calls", export.text(name), end - start)
    return {
        pid: {what: sums(items) for what, items in of_process.items()}
        for pid, of_process in lists.items()
    }


def memory(kind):
    """nsys counts kinds of memory from pageable, libprof from unknown; 7 is nsys's unknown."""
    return 0 if kind is None or kind == 7 else kind + 1


def innermost(ranges, launches):
    """{launch: text of the innermost range around the call}, by the times alone."""
    calls = collections.defaultdict(list)
    for launch, (thread, start, end) in launches.items():
        calls[thread].append((start, end, launch))
    found = {}
    for thread, of_thread in calls.items():
        spans = sorted(ranges.get(thread, ()))
        starts = [span[0] for span in spans]
        for start, _, launch in of_thread:
            text = None
            # The last range that began before the call and is still open.
            for at in range(bisect.bisect_right(starts, start) - 1, -1, -1):
                if -spans[at][1] > start:
                    text = spans[at][2]
                    break
            found[launch] = text
    return found


def facts_of_trace(path):
    db = sqlite3.connect(path)
    db.text_factory = lambda data: data.decode(errors="replace")
    # Whole texts of ranges and marks are in the view with nsys's name.
    events = db.execute(
        'SELECT rangeId, eventType, domainId, text, start, "end" FROM NVTX_EVENTS'
        " WHERE eventType NOT IN (33, 75)"
    ).fetchall()
    text_of = {row[0]: row[3] for row in events if row[0] is not None}
    aliases = {row[0] for row in db.execute("SELECT id FROM range WHERE kind=2")}
    origin = dict(db.execute("SELECT id, alias_of_id FROM range WHERE kind=2"))
    whole = {i: text_of.get(origin.get(i, i), text) for i, text in text_of.items()}
    found = collections.defaultdict(list)
    for identity, kind, domain, text, start, end in events:
        if identity in aliases:
            continue
        if kind == MARK:
            found["marks"].append(((domain, text or ""), 0))
        else:
            key = (domain, kind, text or "")
            found["ranges"].append((key, 0 if end is None else end - start))
    for name, status, duration in db.execute(
        "SELECT name, status, ifnull(duration_ns,0) FROM api_calls"
    ):
        found["calls"].append(((name or "", status), duration))
    launched = dict(
        db.execute(
            "SELECT correlation, range_id FROM api_call a WHERE correlation<>0"
            " ORDER BY depth DESC, repeat DESC"
        )
    )
    for name, correlation, duration, *facts in db.execute(
        "SELECT s.text, k.correlation, ifnull(k.duration_ns,0), q.device, q.context, q.stream,"
        " c.grid_x, c.grid_y, c.grid_z, c.block_x, c.block_y, c.block_z,"
        " c.registers_per_thread, c.static_shared_bytes, c.dynamic_shared_bytes,"
        " c.local_bytes_per_thread, ifnull(o.graph_node,0) FROM kernel k"
        " JOIN launch_config c ON c.id=k.config_id LEFT JOIN string s ON s.id=c.name_id"
        " JOIN queue q ON q.id=k.queue_id LEFT JOIN work_origin o ON o.id=k.origin_id"
        " WHERE ifnull(s.text,'') NOT LIKE '[CUDA graph %'"
    ):
        found["kernels"].append(((name or "", *facts), duration))
        if correlation in launched:
            text = whole.get(launched[correlation])
            found["launched"].append(((name or "", text), duration))
        else:
            found["launch not in file"].append((name or "", duration))
    for *key, duration in db.execute(
        "SELECT q.device, q.stream, m.copy_kind, m.source, m.destination, m.bytes,"
        " ifnull(m.duration_ns,0) FROM memcpy m JOIN queue q ON q.id=m.queue_id"
    ):
        found["copies"].append((tuple(key), duration))
    for *key, duration in db.execute(
        "SELECT q.device, q.stream, m.memory, m.value, m.bytes, ifnull(m.duration_ns,0)"
        " FROM memset m JOIN queue q ON q.id=m.queue_id"
    ):
        found["sets"].append((tuple(key), duration))
    for kind, duration in db.execute("SELECT type, ifnull(duration_ns,0) FROM sync"):
        found["syncs"].append((kind, duration))
    for name, duration in db.execute(
        "SELECT s.text, ifnull(o.duration_ns,0) FROM os_call o"
        " LEFT JOIN string s ON s.id=o.name_id"
    ):
        found["os calls"].append((name or "", duration))
    pid = db.execute("SELECT pid FROM process").fetchone()
    return (pid[0] if pid else None) or 0, {what: sums(items) for what, items in found.items()}


def imported(prof_import, export):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [prof_import, export, "-o", f"{folder}/t.db"],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return dict(facts_of_trace(path) for path in sorted(pathlib.Path(folder).glob("t*.db")))


def differences(expected, actual):
    for pid in sorted(expected.keys() | actual.keys()):
        one, other = expected.get(pid, {}), actual.get(pid, {})
        for what in sorted(one.keys() | other.keys()):
            ours, theirs = other.get(what, {}), one.get(what, {})
            for key in sorted(ours.keys() | theirs.keys(), key=repr):
                if ours.get(key) != theirs.get(key):
                    yield (
                        f"process {pid}, {what}, {key}: {theirs.get(key)} in the export, "
                        f"{ours.get(key)} in the trace"
                    )


def summary(facts):
    parts = []
    for what in (
        "kernels",
        "launched",
        "copies",
        "sets",
        "syncs",
        "calls",
        "os calls",
        "ranges",
        "marks",
    ):
        counts = facts.get(what, {}).values()
        parts.append(f"{sum(count for count, _ in counts)} {what} in {len(counts)} groups")
    return ", ".join(parts)


def as_mangled(facts, export):
    """The facts of a trace with mangled names, where it has nsys's demangled ones."""
    both = {
        (export.text(mangled), export.text(demangled))
        for mangled, demangled in export.rows(KERNEL, ("mangledName", "demangledName"))
    }
    names = {demangled: mangled for mangled, demangled in both if mangled.startswith("_Z")}

    def renamed(key):
        return (
            (names.get(key[0], key[0]), *key[1:]) if isinstance(key, tuple) else names.get(key, key)
        )

    def with_names(groups):
        found = collections.defaultdict(lambda: (0, 0))
        for key, (count, duration) in groups.items():
            known = found[renamed(key)]
            found[renamed(key)] = (known[0] + count, known[1] + duration)
        return dict(found)

    kernels = ("kernels", "launched", "launch not in file")
    return {
        pid: {
            what: with_names(groups) if what in kernels else groups
            for what, groups in of_process.items()
        }
        for pid, of_process in facts.items()
    }


def compare(prof_import, export):
    """The lines of differences, and the facts of the trace."""
    expected = facts_of_export(Export(export))
    actual = as_mangled(imported(prof_import, export), Export(export))
    if len(actual) == 1 and set(expected) <= set(actual) | {0}:
        # Rows that name no process are the only process's.
        only = next(iter(actual))
        merged = collections.defaultdict(lambda: collections.defaultdict(lambda: (0, 0)))
        for facts in expected.values():
            for what, groups in facts.items():
                for key, (count, duration) in groups.items():
                    known = merged[what][key]
                    merged[what][key] = (known[0] + count, known[1] + duration)
        expected = {only: {what: dict(groups) for what, groups in merged.items()}}
    return list(differences(expected, actual)), actual


def is_export(path):
    with open(path, "rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            return False
    try:
        tables = Export(path).tables
    except sqlite3.DatabaseError:
        return False
    return "StringIds" in tables and "StringTable" not in tables


def schema_version(export):
    facts = [
        row
        for table in ("META_DATA_EXPORT", "EXPORT_META_DATA")
        for row in export.rows(table, ("name", "value"))
    ]
    return dict(facts).get("EXPORT_SCHEMA_VERSION", "unknown")


def totals(facts):
    counts = collections.Counter()
    for of_process in facts.values():
        for what, groups in of_process.items():
            counts[what] += sum(count for count, _ in groups.values())
    return counts


def main():
    prof_import, *places = sys.argv[1:]
    paths = [
        path
        for place in map(pathlib.Path, places)
        for path in (sorted(place.rglob("*")) if place.is_dir() else [place])
        if path.is_file() and is_export(path)
    ]
    versions, every = collections.Counter(), collections.Counter()
    failed = empty = 0
    for path in paths:
        versions[schema_version(Export(path))] += 1
        if not any(facts_of_export(Export(path)).values()):
            with tempfile.TemporaryDirectory() as folder:
                status = subprocess.run(
                    [prof_import, path, "-o", f"{folder}/t.db"],
                    check=False,
                    stderr=subprocess.DEVNULL,
                ).returncode
            empty += 1
            failed += status != 1
            print(f"{path.name}: nothing to import, exit status {status}", flush=True)
            continue
        found, facts = compare(prof_import, path)
        every += totals(facts)
        for pid, of_process in sorted(facts.items()):
            print(f"{path.name}, process {pid}: {summary(of_process)}")
        for line in found[:20]:
            print(f"{path}: {line}", file=sys.stderr)
        print(f"{path.name}: {len(found)} differences", flush=True)
        failed += bool(found)
    print(
        "schemas: "
        + ", ".join(f"{version}: {count}" for version, count in sorted(versions.items()))
    )
    print(
        f"{len(paths)} exports, {empty} with nothing to import, {failed} with differences: "
        + ", ".join(f"{count} {what}" for what, count in sorted(every.items()))
    )
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
