#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Imports made-up exports of Nsight Systems and checks the traces; damaged and hostile ones, too.

usage: test_nsys_import.py PROF_IMPORT PROF_REPORT"""
import gzip
import hashlib
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import compare_nsys_import as comparison  # noqa: E402
import compare_nsys_queries as queries  # noqa: E402
import nsys_exports  # noqa: E402

PROF_IMPORT, PROF_REPORT = map(str, map(pathlib.Path, sys.argv[1:3]))
START_NS = nsys_exports.START_NS
NO_WORK = (
    "report.sqlite: has no GPU work: the program launched none while it was recorded, or CUDA"
    " was not recorded"
)


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.export = self.folder / "report.sqlite"

    def tearDown(self):
        self.temporary.cleanup()

    def make(self, name):
        nsys_exports.EXPORTS[name](self.export)

    def run_import(self, source=None, output="t.db"):
        """The exit status and the lines on stderr."""
        done = subprocess.run(
            [PROF_IMPORT, source or self.export, "-o", self.folder / output, "--force"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertIn(done.returncode, (0, 1), done.stderr)
        text = done.stderr.replace(f"{self.folder}/", "")
        return done.returncode, [line.removeprefix("prof-import: ") for line in text.splitlines()]

    def imports(self, name):
        """A made-up export as a trace; imports without a word, and agrees with SQL on the export."""
        self.make(name)
        self.assertEqual(self.run_import(), (0, []))
        self.assertEqual(comparison.compare(PROF_IMPORT, self.export)[0], [])
        return self.trace()

    def trace(self, name="t.db"):
        return sqlite3.connect(self.folder / name)

    def refused(self, words, source=None):
        before = sorted(self.folder.iterdir())
        status, lines = self.run_import(source)
        self.assertEqual((status, len(lines)), (1, 1), lines)
        self.assertIn(words, lines[0])
        self.assertEqual(sorted(self.folder.iterdir()), before)


def rows(trace, sql):
    return trace.execute(sql).fetchall()


class Current(Case):
    def setUp(self):
        super().setUp()
        self.db = self.imports("current")

    def test_facts_about_the_capture(self):
        metas = dict(rows(self.db, "SELECT key, value FROM meta"))
        self.assertLessEqual(
            {
                "imported_from": "nsys",
                "nsys.version": "2026.2.1.210",
                "host": "node7",
                "pid": "10",
                "nsys.schema_version": "3.25.0",
                "cuda_driver_version": "13.1",
                "env.RANK": "3",
                "executable": "/usr/bin/train",
                "ended": "stop",
                "start_realtime_ns": str(START_NS + 100),
            }.items(),
            metas.items(),
        )
        self.assertNotIn("env.HOME", metas)
        self.assertEqual(
            rows(self.db, "SELECT * FROM device"),
            [
                (
                    0,
                    1,
                    "NVIDIA H100 80GB HBM3",
                    "GPU-00000000-1111-2222-3333-444444444444",
                    9,
                    0,
                    132,
                    1_980_000,
                    0,
                    0,
                    85_000_000_000,
                    3_350_000_000_000,
                    52_428_800,
                )
            ],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT t.os_tid, s.text FROM thread t JOIN string s ON"
                " s.id=t.name_id ORDER BY 1",
            ),
            [(11, "trainer"), (12, "loader")],
        )

    def test_kernels_have_their_launch_and_its_stack(self):
        self.assertEqual(
            rows(
                self.db,
                "SELECT correlation, name, grid, block, api, thread,"
                " start_ns, duration_ns, launch_start_ns FROM kernels",
            ),
            [
                (41, "_Z4gemmi", "4,2,1", "128,1,1", "cudaLaunchKernel", 11, 10_000, 1_000, 9_900),
                (42, "_Z3fooi", "4,2,1", "128,1,1", "cuLaunchKernelEx", 11, 61_000, 1_000, 60_900),
                (43, "_Z3fooi", "4,2,1", "128,1,1", "cudaLaunchKernel", 12, 95_000, 1_000, 94_900),
            ],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT cooperative, cluster_x, cluster_y, cluster_z,"
                " static_shared_bytes, dynamic_shared_bytes,"
                " registers_per_thread FROM launch_config ORDER BY id",
            ),
            [(1, 2, 1, 1, 16, 48, 32), (0, 0, 0, 0, 16, 48, 32)],
        )

    def test_attribution_is_that_of_a_capture(self):
        table = subprocess.run(
            [
                PROF_REPORT,
                "-f",
                "csv",
                "-c",
                "step,dir,layer,op,m,n,k,kernel_full",
                self.folder / "t.db",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(
            table.stdout.splitlines()[1:3],
            ["1,fprop,fc1,addmm,16,4,8,gemm(int)", "1,fprop,,relu,,,,foo(int)"],
        )

    def test_ranges(self):
        found = rows(
            self.db,
            'SELECT text, eventType, "end" - start, domainId, category, color,'
            " uint64Value, int32Value, globalTid & 0xffffff,"
            " endGlobalTid & 0xffffff FROM NVTX_EVENTS"
            " WHERE eventType NOT IN (33, 75) ORDER BY start",
        )
        self.assertEqual(
            found,
            [
                ("epoch", 60, 69_500, 0, None, None, None, None, 11, 12),
                ("step:1", 59, 89_000, 0, None, None, None, None, 11, 11),
                ("layer:fc1", 59, 38_000, 0, None, None, None, None, 11, 11),
                ("read", 59, 36_500, 2, 4, 0xFF00FF00, 0, None, 11, 11),
                (
                    "aten::addmm, seq = 7, op_id = 21, sizes = [[16], [4, 8], [8, 16]]",
                    59,
                    27_000,
                    0,
                    None,
                    None,
                    None,
                    None,
                    11,
                    11,
                ),
                ("registered", 59, 1_000, 0, None, None, None, -5, 11, 11),
                ("a moment", 34, None, 2, None, None, None, None, 11, None),
                ("on another thread", 34, None, 0, None, None, None, None, 12, None),
                (
                    "aten::relu, op_id = 22, sizes = [[4, 16]]",
                    59,
                    20_000,
                    0,
                    None,
                    None,
                    None,
                    None,
                    11,
                    11,
                ),
                ("never closed", 59, None, 0, None, None, None, None, 11, None),
            ],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT d.id, s.text FROM domain d LEFT JOIN string s ON"
                " s.id=d.name_id ORDER BY 1",
            ),
            [(1, None), (3, "lib")],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT n.kind, n.domain_id, n.object, s.text FROM name n"
                " JOIN string s ON s.id=n.name_id",
            ),
            [(0, 3, 4, "io")],
        )
        self.assertEqual(
            rows(self.db, "SELECT payload_type, payload FROM range WHERE" " payload_type=3"),
            [(3, 0x4004000000000000)],
        )
        self.assertEqual(
            rows(self.db, "SELECT payload_type, payload FROM mark WHERE" " payload_type=6"),
            [(6, 0x3FC00000)],
        )
        inside = rows(self.db, "SELECT p.text FROM mark m JOIN ranges p ON p.id=m.parent_id")
        self.assertEqual(inside, [("read",)])

    def test_copies_sets_waits_overheads(self):
        self.assertEqual(
            rows(
                self.db,
                "SELECT correlation, bytes, copy_kind, source, destination,"
                " peer_device, count FROM memcpy ORDER BY bytes",
            ),
            [(0, 64, 10, 3, 3, 3, 1), (50, 4096, 1, 2, 3, 0, 1)],
        )
        self.assertEqual(
            rows(self.db, "SELECT correlation, bytes, value, memory FROM memset"), [(51, 32, 7, 0)]
        )
        self.assertEqual(
            rows(self.db, "SELECT correlation, type, stream, event, duration_ns" " FROM sync"),
            [(52, 3, 7, 0, 4_800)],
        )
        self.assertEqual(
            rows(self.db, "SELECT name, status FROM api_calls WHERE status<>0"),
            [("cudaMemsetAsync", 1)],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT s.text, o.os_tid, o.duration_ns FROM overhead o"
                " JOIN string s ON s.id=o.kind_id ORDER BY o.os_tid",
            ),
            [("LAZY_FUNCTION_LOADING", 11, 500), ("initialization", 13, 100)],
        )

    def test_calls_of_the_operating_system(self):
        self.assertEqual(
            rows(
                self.db,
                "SELECT n.text, t.os_tid, o.duration_ns, r.text"
                " FROM os_call o JOIN string n ON n.id=o.name_id"
                " JOIN thread t ON t.id=o.thread_id"
                " LEFT JOIN ranges r ON r.id=o.range_id"
                " ORDER BY o.start_ns",
            ),
            [("poll", 11, 300, "registered"), ("poll", 12, 200, None)],
        )
        for report, columns, lines in (
            ("osrt_sum", "calls,total_ns,name", ["2,500,poll"]),
            ("os_calls", "function,time_ns,tid,range", ["poll,300,11,registered", "poll,200,12,"]),
        ):
            table = subprocess.run(
                [PROF_REPORT, "-f", "csv", "-r", report, "-c", columns, self.folder / "t.db"],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(table.stdout.splitlines()[1:], lines)

    def test_the_views_have_the_numbers_of_the_export(self):
        export = sqlite3.connect(self.export)
        for table, columns in (
            ("MEMCPY", "bytes, copyKind, srcKind, dstKind, correlationId"),
            ("MEMSET", "bytes, value, memKind, correlationId"),
        ):
            sql = f"SELECT {columns} FROM CUPTI_ACTIVITY_KIND_{table} ORDER BY bytes"
            self.assertEqual(rows(self.db, sql), rows(export, sql))

    def test_what_has_no_place_is_counted(self):
        self.assertEqual(
            rows(self.db, "SELECT what, count, detail FROM loss ORDER BY 1"),
            [
                ("other_process", 1, "OSRT_API (1)"),
                ("other_table", 1, "MPI_P2P_EVENTS (1)"),
                ("profiler_loss", 1, "Not all events were collected."),
                ("unclosed_range", 1, ""),
            ],
        )

    def test_every_report_works(self):
        for report in (
            "nsys",
            "kernels,gpu,layers,ops,api,calls,ranges,marks,sync,overhead,device,"
            "streams,key_averages,os_calls",
        ):
            done = subprocess.run(
                [PROF_REPORT, "-r", report, self.folder / "t.db"],
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)


class Others(Case):
    def test_a_name_that_the_file_chose_replaces_nothing(self):
        self.make("processes")
        (self.folder / "t.30.db").write_text("of another rank")
        status, lines = self.run_import()
        self.assertEqual((status, len(lines)), (1, 1))
        self.assertIn("t.30.db: exists already; the imported file chose this name", lines[0])
        self.assertEqual((self.folder / "t.30.db").read_text(), "of another rank")
        self.assertFalse((self.folder / "t.db").exists())

    def test_each_process_is_a_trace(self):
        self.make("processes")
        self.assertEqual(
            self.run_import(), (0, ["report.sqlite: has 2 processes, a trace each: t.db, t.30.db"])
        )
        self.assertEqual(comparison.compare(PROF_IMPORT, self.export)[0], [])
        for name, process, gpu in (("t.db", 20, "GPU 0"), ("t.30.db", 30, "GPU 1")):
            db = self.trace(name)
            self.assertEqual(
                rows(db, "SELECT pid, executable FROM process"), [(process, f"rank{process}")]
            )
            self.assertEqual(rows(db, "SELECT device, name FROM device"), [(0, gpu)])
            self.assertEqual(
                rows(db, "SELECT count(*), min(duration_ns), max(duration_ns) FROM" " kernel"),
                [(process // 10, process, process)],
            )
            self.assertEqual(
                rows(db, "SELECT text, domain FROM ranges ORDER BY id")[:2],
                [(f"layer:of{process}", None), ("of a library", f"of {process}")],
            )
            self.assertEqual(rows(db, "SELECT count(*) FROM meta WHERE key LIKE 'env.%'"), [(0,)])

    def test_rows_of_no_process_and_of_one_without_a_trace_do_not_vanish(self):
        self.make("strays")
        self.assertEqual(self.run_import()[0], 0)
        losses = "SELECT what, count, detail FROM loss ORDER BY 1"
        overheads = "SELECT duration_ns FROM overhead ORDER BY 1"
        nodes = "SELECT graph_node FROM graph_node ORDER BY 1"
        first, other = self.trace("t.db"), self.trace("t.30.db")
        self.assertEqual(
            rows(first, losses),
            [
                (
                    "other_process",
                    6,
                    "CUDA_GRAPH_NODE_EVENTS (2), CUPTI_ACTIVITY_KIND_OVERHEAD (2),"
                    " PROFILER_OVERHEAD (2)",
                ),
                ("other_table", 10, "GPU_METRICS (6), MPI_P2P_EVENTS (4)"),
                ("profiler_message", 3, "of all"),
            ],
        )
        self.assertEqual(
            rows(other, losses),
            [("other_table", 2, "MPI_P2P_EVENTS (2)"), ("profiler_message", 2, "of all")],
        )
        self.assertEqual(rows(first, overheads), [(10,), (11,), (20,), (21,)])
        self.assertEqual(rows(other, overheads), [(12,), (13,), (22,), (23,)])
        self.assertEqual(rows(first, nodes), [(1,), (2,)])
        self.assertEqual(rows(other, nodes), [(3,), (4,)])

    def test_a_trace_of_no_process_has_all_rows_of_none(self):
        self.make("strays")
        db = sqlite3.connect(self.export)
        db.execute("UPDATE NVTX_EVENTS SET globalTid=NULL WHERE eventType=60 OR start=1200")
        db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid=NULL WHERE start=2100")
        db.commit()
        db.close()
        self.run_import()
        names = sorted(path.name for path in self.folder.glob("t*.db"))
        self.assertEqual(len(names), 3, names)
        overheads, messages, others = set(), [], {}
        for name in names:
            db = self.trace(name)
            pid = dict(rows(db, "SELECT key, value FROM meta")).get("pid")
            found = {row[0] for row in rows(db, "SELECT duration_ns FROM overhead")}
            self.assertEqual(overheads & found, set())
            overheads |= found
            losses = dict(rows(db, "SELECT what, count FROM loss"))
            messages.append(losses["profiler_message"])
            others[pid] = losses.get("other_table", 0)
            if pid is None:
                self.assertEqual(found, {10, 20})
        self.assertEqual(overheads, {10, 11, 12, 13, 20, 21, 22, 23})
        self.assertEqual(sorted(messages), [1, 2, 3])
        self.assertEqual(others, {"20": 3, "30": 2, None: 7})

    def test_rows_of_other_processes_are_not_those_of_the_only_one(self):
        export = nsys_exports.Export(self.export)
        export.session()
        export.range(500, 900, "x")
        for owner, length in ((None, 1), (10, 2), (40, 3)):
            thread = nsys_exports.tid(owner, 11) if owner else None
            export.row("PROFILER_OVERHEAD", start=600, end=600 + length, globalTid=thread)
        export.close()
        self.assertEqual(self.run_import(), (0, [NO_WORK]))
        self.assertEqual(
            rows(self.trace(), "SELECT duration_ns FROM overhead ORDER BY 1"), [(1,), (2,)]
        )
        self.assertEqual(
            rows(self.trace(), "SELECT what, count, detail FROM loss"),
            [("other_process", 1, "PROFILER_OVERHEAD (1)")],
        )

    def test_a_taken_name_of_one_process_stops_the_import(self):
        self.make("processes")
        (self.folder / "t.30.db").mkdir()
        self.refused("t.30.db: exists already; the imported file chose this name")

    def test_times_count_from_the_start_of_the_session(self):
        for metas, at, start in (
            ({}, 500, START_NS + 500),
            ({"EXPORT_PARAM_TIME_SHIFT": "300"}, 500, START_NS + 200),
            ({"EXPORT_PARAM_TIME_NORMALIZE": "true"}, START_NS + 9, START_NS + 9),
        ):
            export = nsys_exports.Export(self.export)
            export.session(**metas)
            export.range(at, at + 70, "x")
            export.close()
            self.assertEqual(self.run_import(), (0, [NO_WORK]))
            self.assertEqual(
                rows(self.trace(), "SELECT value FROM meta WHERE" " key='start_realtime_ns'"),
                [(str(start),)],
            )

    def test_old_exports(self):
        db = self.imports("old")
        self.assertEqual(
            rows(db, "SELECT name, range, api FROM kernels"),
            [("void foo<(int)4>(float *)", "registered", "cudaLaunchKernel")],
        )
        self.assertEqual(
            rows(db, 'SELECT text, "end" - start, uint64Value FROM NVTX_EVENTS' " ORDER BY start"),
            [("layer:a", 8_000, None), ("registered", 6_000, 9), ("open", None, None)],
        )
        self.assertEqual(
            rows(db, "SELECT value FROM meta WHERE key='nsys.schema_version'"), [("2.9.1",)]
        )

    def test_graphs(self):
        self.make("graphs")
        hint = "nsys profile --cuda-graph-trace=node records their kernels"
        self.assertEqual(
            self.run_import(),
            (0, [f"report.sqlite: 1 graph launch is recorded as a whole ({hint})"]),
        )
        db = self.trace()
        node, copy = 3 << 32 | 1, 4 << 32 | 1
        self.assertEqual(
            rows(
                db,
                "SELECT graph_node, graph, original_node, r.text FROM graph_node"
                " g LEFT JOIN ranges r ON r.id=g.range_id ORDER BY 1",
            ),
            [(node, 3, 0, "layer:captured"), (copy, 4, node, None)],
        )
        self.assertEqual(
            rows(
                db,
                "SELECT s.text, o.graph_node, o.origin, o.graph FROM kernel k"
                " JOIN work_origin o ON o.id=k.origin_id"
                " JOIN launch_config c ON c.id=k.config_id"
                " JOIN string s ON s.id=c.name_id ORDER BY k.correlation",
            ),
            [("_Z3fooi", copy, 1, 4), ("[CUDA graph 9]", 0, 1, 9)],
        )
        table = subprocess.run(
            [PROF_REPORT, "-f", "csv", "-c", "step,layer,time_ns", self.folder / "t.db"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(table.stdout.splitlines()[1:], ["1,captured,1000", "1,,5000"])

    def test_damaged_rows_are_counted(self):
        self.make("damaged")
        status, lines = self.run_import()
        self.assertEqual(status, 0)
        found = lines[0].removeprefix("report.sqlite: ").split("; ")
        kernels, nvtx = "of CUPTI_ACTIVITY_KIND_KERNEL", "of NVTX_EVENTS"
        expected = [
            f"1 row {kernels} with a value of another type, read as unknown",
            f"1 row {kernels} with an end before the start, left out",
            f"1 row {kernels} without a name, kept",
            f"1 row {kernels} without a start or an end, left out",
            "1 row of CUPTI_ACTIVITY_KIND_RUNTIME without a thread, left out",
            f"1 row {nvtx} whose text is missing, kept without it",
            f"1 row {nvtx} with an end before the start, left out",
            f"1 row {nvtx} without a start, left out",
            f"1 row {nvtx} without a thread, left out",
            f"1 row {nvtx} without a type, left out",
        ]
        self.assertEqual(found, expected)
        self.assertEqual(
            rows(self.trace(), "SELECT what, count, detail FROM loss ORDER BY 1"),
            [
                ("damaged_event", 10, "; ".join(expected)),
                ("nvtx_call_not_kept", 1, "NVTX_EVENTS of types 72 (1)"),
                (
                    "payload_not_kept",
                    1,
                    "binary payloads, and values that are not numbers in JSON ones",
                ),
            ],
        )
        self.assertEqual(comparison.compare(PROF_IMPORT, self.export)[0], [])

    def test_the_comparison_notices_a_difference(self):
        self.make("current")
        expected = comparison.facts_of_export(comparison.Export(self.export))
        db = sqlite3.connect(self.export)
        db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX=5 WHERE correlationId=41")
        db.execute("UPDATE NVTX_EVENTS SET text='other' WHERE text='layer:fc1'")
        db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET")
        db.commit()
        actual = comparison.imported(PROF_IMPORT, self.export)
        found = list(comparison.differences(expected, actual))
        self.assertEqual(len(found), 5, found)


class Scripts(Case):
    """Queries written for an export give the same on the trace."""

    def answered(self, name):
        self.make(name)
        self.run_import()
        return queries.differences(self.export, sorted(self.folder.glob("t*.db")))

    def test_all_of_them_on_an_export_with_every_table(self):
        self.assertEqual(self.answered("scripted"), ([], list(queries.QUERIES), []))

    def test_those_that_an_older_export_answers(self):
        found, compared, _ = self.answered("old")
        self.assertEqual(found, [])
        self.assertLessEqual(
            {"kernels by name", "from launches to kernels, of no process"}, set(compared)
        )

    def test_a_difference_is_noticed(self):
        self.make("scripted")
        self.run_import()
        db = sqlite3.connect(self.export)
        db.execute("UPDATE ENUM_CUDA_MEM_KIND SET label='other' WHERE id=0")
        db.execute("DELETE FROM NVTX_EVENTS WHERE text='io'")
        db.commit()
        found = queries.differences(self.export, sorted(self.folder.glob("t*.db")))[0]
        self.assertEqual({line.split(":")[0] for line in found}, {"copies", "categories"})

    def test_views_without_rows_are_there(self):
        self.make("old")
        self.run_import()
        db = self.trace()
        views = [name for (name,) in rows(db, "SELECT name FROM sqlite_master WHERE type='view'")]
        self.assertLessEqual(
            {"OSRT_API", "CUDA_GRAPH_NODE_EVENTS", "PROFILER_OVERHEAD"}, set(views)
        )
        for view in views:
            rows(db, f"SELECT * FROM {view}")
        self.assertEqual(rows(db, "SELECT count(*) FROM OSRT_API"), [(0,)])

    def test_facts_of_a_gpu_that_an_export_lacks_are_unknown(self):
        self.make("scripted")
        self.run_import()
        columns = "name, uuid, smCount, clockRate, totalMemory, l2CacheSize, memoryBandwidth"
        self.assertEqual(
            rows(
                self.trace(),
                f"SELECT {columns}, computeMajor, computeMinor FROM" " TARGET_INFO_GPU",
            ),
            [("GPU 0", None, None, None, None, None, None, 9, 0)],
        )

    def test_prof_report_has_the_same_views(self):
        self.make("scripted")
        self.run_import()
        table = subprocess.run(
            [
                PROF_REPORT,
                "-f",
                "csv",
                "--sql",
                "SELECT e.label, count(*) AS n FROM"
                " PROFILER_OVERHEAD o JOIN ENUM_CUPTI_OVERHEAD_TYPE e ON e.id = o.overheadType"
                " GROUP BY e.id",
                self.folder / "t.db",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(
            table.stdout.splitlines(),
            ["label,n", "Undefined,1", "Unknown,1", "Buffer flush (Profiler),1"],
        )


class Files(Case):
    def test_what_is_no_export(self):
        self.make("current")
        self.run_import()
        self.refused(
            "t.db: is a trace already; prof-report reads it as it is", self.folder / "t.db"
        )
        other = sqlite3.connect(self.folder / "other.sqlite")
        other.execute("CREATE TABLE songs(id, value)")
        other.commit()
        self.refused(
            "is an SQLite database, but neither an export of Nsight Systems nor a"
            " database of nvprof; name a file that nsys export --type sqlite or nvprof"
            " -o wrote",
            self.folder / "other.sqlite",
        )
        (self.folder / "r.nsys-rep").write_bytes(b"NVIDIA Tegra Profiler Report 1.\n")
        self.refused(
            "r.nsys-rep: is a report of Nsight Systems; run nsys export --type sqlite on it, and"
            " import the result",
            self.folder / "r.nsys-rep",
        )
        with gzip.open(self.folder / "report.sqlite.gz", "wb") as file:
            file.write(self.export.read_bytes())
        self.refused("is compressed; decompress it first", self.folder / "report.sqlite.gz")

    def test_an_export_without_events(self):
        export = nsys_exports.Export(self.export)
        export.session()
        export.close()
        self.refused(
            "has neither CUDA nor NVTX events, nor calls of the operating system; record"
            " with nsys profile --trace=cuda,nvtx"
        )

    def test_the_export_stays_as_it_is(self):
        self.make("current")
        for mode in ("DELETE", "WAL"):
            db = sqlite3.connect(self.export)
            db.execute(f"PRAGMA journal_mode={mode}")
            db.execute("CREATE TABLE IF NOT EXISTS more(x)")
            db.commit()
            db.close()
            before = hashlib.sha256(self.export.read_bytes()).digest()
            self.assertEqual(self.run_import()[0], 0)
            self.assertEqual(hashlib.sha256(self.export.read_bytes()).digest(), before)
            self.assertEqual(
                sorted(path.name for path in self.folder.iterdir()), ["report.sqlite", "t.db"]
            )

    def test_other_objects_in_a_tables_place_are_never_read(self):
        endless = (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS"
            ' start, i+1 AS "end" FROM n'
        )
        for object_sql in (
            f"CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS {endless}",
            "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_MEMCPY USING fts5(start)",
        ):
            self.make("old")
            db = sqlite3.connect(self.export)
            db.execute(object_sql)
            db.commit()
            db.close()
            unread = "CUPTI_ACTIVITY_KIND_MEMCPY is not a plain table, so it is not read"
            self.assertEqual(self.run_import(), (0, [f"report.sqlite: {unread}"]))
            self.assertEqual(rows(self.trace(), "SELECT count(*) FROM memcpy"), [(0,)])
            self.assertEqual(
                rows(self.trace(), "SELECT what, detail FROM loss WHERE" " what='damaged_event'"),
                [("damaged_event", unread)],
            )

    def test_views_in_the_place_of_all_tables(self):
        self.make("current")
        db = sqlite3.connect(self.export)
        tables = [
            name
            for (name,) in db.execute(
                "SELECT name FROM sqlite_master WHERE type='table'" " AND name NOT LIKE 'ENUM%'"
            )
        ]
        for name in tables:
            db.execute(f"ALTER TABLE {name} RENAME TO of_{name}")
            db.execute(f"CREATE VIEW {name} AS SELECT * FROM of_{name}")
        db.commit()
        self.refused(
            "is not a plain table, so it is not read; make it one: CREATE TABLE ... AS"
            " SELECT * FROM ..."
        )
        db.execute("DROP VIEW META_DATA_EXPORT")
        db.execute("ALTER TABLE of_META_DATA_EXPORT RENAME TO META_DATA_EXPORT")
        db.commit()
        self.refused("has no event that can be imported: CUPTI_ACTIVITY_KIND_KERNEL, ")

    def test_texts_without_a_key(self):
        self.make("current")
        db = sqlite3.connect(self.export)
        db.executescript(
            "CREATE TABLE t AS SELECT * FROM StringIds ORDER BY id DESC;"
            "DROP TABLE StringIds; ALTER TABLE t RENAME TO StringIds"
        )
        db.commit()
        db.close()
        self.assertEqual(comparison.compare(PROF_IMPORT, self.export)[0], [])

    def test_damaged_files_end_in_a_trace_or_in_one_line(self):
        random.seed(7)
        failed = 0
        for name in ("current", "processes"):
            self.make(name)
            good = self.export.read_bytes()
            for round_number in range(60):
                data = bytearray(good)
                if round_number % 3 == 0:
                    del data[random.randrange(1, len(data)) :]
                else:
                    for _ in range(random.choice((1, 5, 40, 400))):
                        data[random.randrange(16, len(data))] = random.randrange(256)
                self.export.write_bytes(data)
                status, lines = self.run_import()
                failed += status
                if status == 1:
                    self.assertEqual(len(lines), 1, lines)
        self.assertGreater(failed, 20)  # and not all of them
        self.assertLess(failed, 120)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
