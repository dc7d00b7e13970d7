#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs queries written for an export of Nsight Systems on the export, and on the traces that
prof-import makes of it, and compares the rows. Fails on any difference.

usage: compare_nsys_queries.py PROF_IMPORT EXPORT.sqlite...

A query that asks for a table or column that the export lacks is left out, and named."""
import collections
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

NUMBER = "{0} / 0x1000000 % 0x1000000"
PID, TID_PID = NUMBER.format("globalPid"), NUMBER.format("globalTid")
# Traces have functions without their versions.
FUNCTION = "replace(substr(s.value || '_v', 1, instr(s.value || '_v', '_v') - 1), '_ptsz', '')"
TEXT = "coalesce(e.text, t.value, '')"

# The first column of each is the process.
QUERIES = {
    "kernels by name and launch": f"""
        SELECT k.{PID}, s.value, k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ,
               k.registersPerThread, k.staticSharedMemory, k.dynamicSharedMemory,
               count(*), sum(k."end" - k.start), min(k."end" - k.start), max(k."end" - k.start)
        FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.mangledName
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11""",
    "when kernels ran": f"""
        SELECT {PID}, deviceId, contextId, streamId, graphNodeId, count(*),
               min(start) + (SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME),
               max("end") + (SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME)
        FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1, 2, 3, 4, 5""",
    "from launches to kernels": f"""
        SELECT k.{PID}, {FUNCTION}, count(*), sum(k.start - r.start), min(k.start - r."end")
        FROM CUPTI_ACTIVITY_KIND_KERNEL k
        JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
             ON r.correlationId = k.correlationId AND r.globalTid / 0x1000000 = k.globalPid / 0x1000000
        JOIN StringIds s ON s.id = r.nameId
        GROUP BY 1, 2""",
    "graphs that ran as a whole": f"""
        SELECT g.{PID}, g.graphId, g.deviceId, g.contextId, g.streamId, g.correlationId,
               g."end" - g.start
        FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE g""",
    "copies": f"""
        SELECT c.{PID}, o.name, o.label, f.label, t.label, c.deviceId, c.streamId, count(*),
               sum(c.bytes), sum(c."end" - c.start)
        FROM CUPTI_ACTIVITY_KIND_MEMCPY c
        LEFT JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = c.copyKind
        LEFT JOIN ENUM_CUDA_MEM_KIND f ON f.id = c.srcKind
        LEFT JOIN ENUM_CUDA_MEM_KIND t ON t.id = c.dstKind
        GROUP BY 1, 2, 3, 4, 5, 6, 7""",
    "sets": f"""
        SELECT c.{PID}, m.name, m.label, c.value, count(*), sum(c.bytes), sum(c."end" - c.start)
        FROM CUPTI_ACTIVITY_KIND_MEMSET c LEFT JOIN ENUM_CUDA_MEM_KIND m ON m.id = c.memKind
        GROUP BY 1, 2, 3, 4""",
    "waits": f"""
        SELECT w.{PID}, t.name, t.label, w.contextId, w.streamId, w.eventId, count(*),
               sum(w."end" - w.start)
        FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION w
        LEFT JOIN ENUM_CUPTI_SYNC_TYPE t ON t.id = w.syncType
        GROUP BY 1, 2, 3, 4, 5, 6""",
    "calls": f"""
        SELECT r.{TID_PID}, r.globalTid % 0x1000000, {FUNCTION}, c.name, c.label, r.returnValue,
               count(*), sum(r."end" - r.start)
        FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId
        LEFT JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = r.eventClass
        GROUP BY 1, 2, 3, 4, 5, 6""",
    "calls of the operating system": f"""
        SELECT r.{TID_PID}, s.value, c.label, count(*), sum(r."end" - r.start)
        FROM OSRT_API r JOIN StringIds s ON s.id = r.nameId
        LEFT JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = r.eventClass
        GROUP BY 1, 2, 3""",
    "overheads of CUDA": f"""
        SELECT o.{TID_PID}, o.globalTid % 0x1000000, t.name, t.label, c.label, count(*),
               sum(o."end" - o.start)
        FROM CUPTI_ACTIVITY_KIND_OVERHEAD o
        LEFT JOIN ENUM_CUPTI_OVERHEAD_TYPE t ON t.id = o.overheadType
        LEFT JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = o.eventClass
        GROUP BY 1, 2, 3, 4, 5""",
    "overheads of the profiler": f"""
        SELECT o.{TID_PID}, o.globalTid % 0x1000000, t.name, t.label, count(*),
               sum(o."end" - o.start)
        FROM PROFILER_OVERHEAD o LEFT JOIN ENUM_CUPTI_OVERHEAD_TYPE t ON t.id = o.overheadType
        GROUP BY 1, 2, 3, 4""",
    "names of overheads without a type": f"""
        SELECT o.{TID_PID}, s.value, count(*)
        FROM PROFILER_OVERHEAD o JOIN StringIds s ON s.id = o.nameId
        WHERE o.overheadType < 2 GROUP BY 1, 2""",
    "nodes of graphs": f"""
        SELECT n.{TID_PID}, n.globalTid % 0x1000000, n.graphNodeId, n.originalGraphNodeId,
               n.start + (SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME), c.label
        FROM CUDA_GRAPH_NODE_EVENTS n LEFT JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = n.eventClass""",
    "ranges and marks by domain": f"""
        SELECT e.{TID_PID}, y.name, d.text, {TEXT}, count(*), sum(e."end" - e.start), count(e.color)
        FROM NVTX_EVENTS e
        JOIN ENUM_NSYS_EVENT_TYPE y ON y.id = e.eventType
        LEFT JOIN StringIds t ON t.id = e.textId
        LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = e.domainId
             AND d.{TID_PID} = e.{TID_PID}
        WHERE y.name IN ('NvtxPushPopRange', 'NvtxStartEndRange', 'NvtxMark')
        GROUP BY 1, 2, 3, 4""",
    "categories": f"""
        SELECT e.{TID_PID}, e.domainId, c.text, count(*), sum(e."end" - e.start)
        FROM NVTX_EVENTS e
        JOIN NVTX_EVENTS c ON c.eventType = 33 AND c.category = e.category
             AND c.domainId = e.domainId AND c.{TID_PID} = e.{TID_PID}
        WHERE e.eventType IN (34, 59, 60) GROUP BY 1, 2, 3""",
    "threads that call CUDA": f"""
        SELECT DISTINCT r.{TID_PID}, r.globalTid % 0x1000000, s.value
        FROM CUPTI_ACTIVITY_KIND_RUNTIME r
        LEFT JOIN ThreadNames n ON n.globalTid = r.globalTid
        LEFT JOIN StringIds s ON s.id = n.nameId""",
    "programs": f"SELECT {PID}, pid, name FROM PROCESSES",
    "devices": """
        SELECT c.pid, c.cudaId, g.name, g.uuid, g.smCount, g.clockRate, g.totalMemory,
               g.memoryBandwidth, g.l2CacheSize, g.computeMajor, g.computeMinor
        FROM TARGET_INFO_CUDA_DEVICE c JOIN TARGET_INFO_GPU g ON g.id = c.gpuId""",
}


# Of exports that name no process, and have the demangled names of kernels alone.
OLDER = {
    "kernels by name": """
        SELECT 0, s.value, k.gridX, k.blockX, k.deviceId, k.streamId, count(*),
               sum(k."end" - k.start)
        FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName
        GROUP BY 1, 2, 3, 4, 5, 6""",
    "from launches to kernels, of no process": f"""
        SELECT 0, {FUNCTION}, count(*), sum(k.start - r.start), min(k.start - r."end")
        FROM CUPTI_ACTIVITY_KIND_KERNEL k
        JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId
        JOIN StringIds s ON s.id = r.nameId
        GROUP BY 1, 2""",
    "copies by kind": """
        SELECT 0, copyKind, count(*), sum(bytes), sum("end" - start)
        FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY 1, 2""",
    "GPUs": "SELECT 0, id, name FROM TARGET_INFO_GPU",
}


def rows(db, sql):
    """In an order of their own. Of no process is 0."""
    return sorted(((row[0] or 0,) + row[1:] for row in db.execute(sql)), key=repr)


def opened(path):
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.text_factory = lambda data: data.decode(errors="replace")
    return db


def lacks(error):
    return "no such table" in str(error) or "no such column" in str(error)


def differences(export_path, traces):
    """Lines of differences, the queries compared, and those that the export cannot answer."""
    export, dbs = opened(export_path), [opened(path) for path in traces]
    pids = {(pid or 0) for db in dbs for (pid,) in db.execute("SELECT pid FROM process")} or {0}
    is_only = len(dbs) == 1
    found, compared, left_out = [], [], []
    columns = {row[1] for row in export.execute("PRAGMA table_info(CUPTI_ACTIVITY_KIND_KERNEL)")}
    is_older = bool(columns) and "mangledName" not in columns
    for name, sql in (QUERIES | (OLDER if is_older else {})).items():
        try:
            expected = rows(export, sql)
        except sqlite3.OperationalError as error:
            if not lacks(error):
                raise
            left_out.append(name)
            continue
        # Rows of no process belong to the only one.
        expected = [row for row in expected if row[0] in pids or (is_only and row[0] == 0)]
        actual = sorted((row for db in dbs for row in rows(db, sql)), key=repr)
        compared.append(name)
        one, other = collections.Counter(expected), collections.Counter(actual)
        for sign, lines in (("-", one - other), ("+", other - one)):
            found += [f"{name}: {sign} {row}" for row in sorted(lines.elements(), key=repr)]
    return found, compared, left_out


def compare(prof_import, export):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [prof_import, export, "-o", f"{folder}/t.db"], check=True, stderr=subprocess.DEVNULL
        )
        return differences(export, sorted(pathlib.Path(folder).glob("t*.db")))


def main():
    failed = False
    for export in sys.argv[2:]:
        found, compared, left_out = compare(sys.argv[1], export)
        for line in found[:20]:
            print(f"{export}: {line}", file=sys.stderr)
        print(
            f"{pathlib.Path(export).name}: {len(compared)} queries, {len(found)} differences; "
            f"without the tables: {', '.join(left_out) or 'none'}"
        )
        failed |= bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
