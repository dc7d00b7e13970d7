#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Imports made-up databases of nvprof and checks the traces; damaged and hostile ones, too.

usage: test_nvprof_import.py PROF_IMPORT PROF_REPORT [CUPTI_INCLUDE]

CUPTI_INCLUDE: the folder of cupti_runtime_cbid.h; with it, names of functions are compared with CUPTI's."""
import csv
import gzip
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest

SUPPORT = pathlib.Path(__file__).resolve().parent.parent / "support"
sys.path.insert(0, str(SUPPORT))
import compare_nvprof_import as comparison  # noqa: E402
import nvprof_databases  # noqa: E402

PROF_IMPORT, PROF_REPORT = map(str, map(pathlib.Path, sys.argv[1:3]))
INCLUDE = sys.argv[3] if len(sys.argv) > 3 and sys.argv[3] else None
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
KIND = "CUPTI_ACTIVITY_KIND_"
THREAD = nvprof_databases.THREAD


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.database = self.folder / "net.sql"

    def tearDown(self):
        self.temporary.cleanup()

    def make(self, name):
        nvprof_databases.DATABASES[name](self.database)

    def run_import(self, source=None):
        """The exit status, the lines on stderr, and those on stdout."""
        done = subprocess.run(
            [PROF_IMPORT, source or self.database, "-o", self.folder / "t.db", "--force"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertIn(done.returncode, (0, 1), done.stderr)
        lines = [
            [
                line.removeprefix("prof-import: ").replace(f"{self.folder}/", "")
                for line in text.splitlines()
            ]
            for text in (done.stderr, done.stdout)
        ]
        return done.returncode, *lines

    def imports(self, name):
        """A made-up database as a trace; agrees with SQL on the database."""
        self.make(name)
        self.assertEqual(self.run_import()[0], 0)
        self.assertEqual(comparison.compare(PROF_IMPORT, self.database, INCLUDE)[0], [])
        return self.trace()

    def trace(self, name="t.db"):
        return sqlite3.connect(self.folder / name)

    def refused(self, line, source=None):
        before = sorted(self.folder.iterdir())
        status, lines, written = self.run_import(source)
        self.assertEqual((status, lines, written), (1, [line], []))
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def losses(self, name="t.db"):
        return dict(rows(self.trace(name), "SELECT what, count FROM loss"))


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
                "imported_from": "nvprof",
                "nvprof.schema_version": "22",
                "pid": "100",
                "command_line": "./train --fast",
                "ended": "stop",
                "start_realtime_ns": str(nvprof_databases.BEGUN_NS + 100),
            }.items(),
            metas.items(),
        )
        self.assertEqual(
            rows(self.db, "SELECT * FROM device"),
            [
                (
                    0,
                    1,
                    "Tesla V100-SXM2-16GB",
                    "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f",
                    7,
                    0,
                    80,
                    1_530_000,
                    0,
                    0,
                    16_914_055_168,
                    898_048_000_000,
                    6_291_456,
                )
            ],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT t.os_tid, s.text FROM thread t LEFT JOIN string s ON"
                " s.id=t.name_id ORDER BY 1",
            ),
            [(12, "loader"), (THREAD, None)],
        )

    def test_kernels_have_their_launch_and_its_stack(self):
        self.assertEqual(
            rows(
                self.db,
                "SELECT correlation, name, grid, block, api, thread,"
                " start_ns, duration_ns, launch_start_ns FROM kernels"
                " ORDER BY start_ns",
            ),
            [
                (
                    0xFFFFFFF0,
                    "_Z4gemmi",
                    "4,2,1",
                    "128,1,1",
                    "cudaLaunchKernel",
                    THREAD,
                    10_000,
                    1_000,
                    9_900,
                ),
                (
                    42,
                    "_Z3fooi",
                    "4,2,1",
                    "128,1,1",
                    "cuLaunchKernel",
                    THREAD,
                    60_000,
                    1_000,
                    59_900,
                ),
                (43, "_Z3fooi", "4,2,1", "128,1,1", "cudaLaunchKernel", 12, 95_000, 1_000, 94_900),
                (44, "_Z3fooi", "4,2,1", "128,1,1", None, None, 96_900, 1_000, None),
            ],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT c.cooperative, c.cluster_x, c.registers_per_thread,"
                " c.static_shared_bytes, c.dynamic_shared_bytes FROM kernel k"
                " JOIN launch_config c ON c.id=k.config_id"
                " WHERE k.correlation=4294967280",
            ),
            [(1, 2, 32, 16, 48)],
        )

    def test_nsys_packed_numbers_hold_the_process(self):
        self.assertEqual(
            rows(
                self.db,
                "SELECT DISTINCT globalTid >> 24, globalTid & 0xffffff FROM"
                " CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY 2",
            ),
            [(100, 12), (100, THREAD & 0xFFFFFF)],
        )

    def report(self, columns):
        table = subprocess.run(
            [PROF_REPORT, "-f", "csv", "-c", columns, self.folder / "t.db"],
            capture_output=True,
            text=True,
            check=True,
        )
        return list(csv.reader(table.stdout.splitlines()))[1:]

    def test_layers_steps_and_origins(self):
        self.assertEqual(
            sorted(self.report("start_ns,step,layer,origin")),
            [
                ["10000", "1", "fc1", "api"],
                ["60000", "1", "", "graph"],
                ["95000", "", "", "api"],
                ["96900", "", "", "device"],
            ],
        )

    def test_ranges_and_marks(self):
        found = rows(
            self.db,
            'SELECT text, eventType, "end" - start, domainId, category, color,'
            " uint64Value FROM NVTX_EVENTS"
            " WHERE eventType IN (34, 59, 60) ORDER BY start",
        )
        self.assertEqual(
            found,
            [
                ("handed over", 60, 69_500, 0, None, None, None),
                ("step:1", 59, 89_000, 0, None, None, None),
                ("layer:fc1", 59, 38_000, 0, None, None, None),
                ("read", 59, 36_500, 1, 4, 0xFF00FF00, 77),
                ("a moment", 34, None, 1, None, None, None),
                ("of the process", 34, None, 0, None, None, None),
                ("never closed", 59, None, 0, None, None, None),
            ],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT d.id, s.text FROM domain d LEFT JOIN string s ON"
                " s.id=d.name_id ORDER BY 1",
            ),
            [(1, None), (2, "lib")],
        )
        self.assertEqual(
            rows(self.db, "SELECT payload_type, payload FROM mark WHERE" " payload_type<>0"),
            [(3, 0x4004000000000000)],
        )

    def test_copies_sets_waits_and_overheads(self):
        self.assertEqual(
            rows(
                self.db,
                "SELECT copy_kind, source, destination, async, bytes,"
                " peer_device, correlation FROM memcpy ORDER BY start_ns",
            ),
            [(1, 1, 3, 1, 4096, 0, 50), (10, 3, 3, 0, 64, 3, 0), (12, 5, 5, 0, 65_536, 0, 0)],
        )
        self.assertEqual(
            rows(self.db, "SELECT value, bytes, memory, async FROM memset"), [(7, 32, 3, 1)]
        )
        self.assertEqual(
            rows(self.db, "SELECT type, duration_ns FROM sync ORDER BY start_ns"),
            [(3, 4_800), (4, 100)],
        )
        self.assertEqual(
            rows(
                self.db,
                "SELECT s.text, o.os_tid, o.duration_ns FROM overhead o JOIN"
                " string s ON s.id=o.kind_id ORDER BY o.start_ns",
            ),
            [("RUNTIME_TRIGGERED_MODULE_LOADING", 12, 100), ("CUPTI_BUFFER_FLUSH", 0, 500)],
        )
        self.assertEqual(
            rows(self.db, "SELECT name, status FROM api_calls WHERE status<>0"),
            [("cudaMemsetAsync", 1)],
        )

    def test_what_is_left_out_is_counted(self):
        self.assertEqual(
            self.losses(), {"other_table": 3, "unclosed_range": 1, "unknown_range_end": 1}
        )
        self.assertEqual(
            self.run_import()[2],
            [
                "t.db: 4 kernels, 3 copies, 1 set, 6 CUDA calls, 5 ranges, 2 marks; 3 rows of a table"
                " that prof-import does not read; 1 range never closed; 1 range end without a start"
            ],
        )


class Others(Case):
    def report(self, columns, trace="t.db"):
        table = subprocess.run(
            [PROF_REPORT, "-f", "csv", "-c", columns, self.folder / trace],
            capture_output=True,
            text=True,
            check=True,
        )
        return list(csv.reader(table.stdout.splitlines()))[1:]

    def test_markers_of_pyprof_name_ops_on_every_thread(self):
        self.imports("pyprof")
        self.assertEqual(
            self.report("dir,part,layer,op,m,n,k,time_ns,flops,source,tid"),
            [
                [
                    "fprop",
                    "",
                    "fc1",
                    "linear",
                    "256",
                    "32",
                    "128",
                    "5000",
                    "2097152",
                    "/w/net.py:20",
                    str(THREAD),
                ],
                ["fprop", "", "", "relu", "", "", "", "700", "8192", "", str(THREAD)],
                [
                    "bprop",
                    "data",
                    "fc1",
                    "linear",
                    "128",
                    "32",
                    "256",
                    "4000",
                    "2097152",
                    "/w/net.py:20",
                    str(0x1AFFD700),
                ],
                [
                    "bprop",
                    "weight",
                    "fc1",
                    "linear",
                    "128",
                    "256",
                    "32",
                    "3000",
                    "2097152",
                    "/w/net.py:20",
                    str(0x1AFFD700),
                ],
            ],
        )

    def test_kernels_that_ran_one_after_another(self):
        self.imports("serial")
        self.assertEqual(
            self.report("kernel_full,time_ns,launch"),
            [["void scale<float>(float*, int)", "20000", "cudaLaunchKernel"]],
        )

    def test_an_older_version(self):
        self.imports("old")
        self.assertEqual(self.report("layer,time_ns,registers"), [["a", "1000", "32"]])

    def test_a_kernel_that_never_ran_is_kept_without_times(self):
        trace = self.imports("unfinished")
        self.assertEqual(
            self.report("layer,kernel,time_ns,start_ns"),
            [["a", "foo", "1000", "1100"], ["a", "bar", "", ""]],
        )
        self.assertEqual(self.losses(), {"zero_timestamp": 1})
        metas = dict(rows(trace, "SELECT key, value FROM meta"))
        self.assertEqual(metas["start_realtime_ns"], str(nvprof_databases.BEGUN_NS + 1_000))

    def test_each_process_becomes_a_trace(self):
        self.imports("processes")
        self.assertEqual(
            self.report("layer,time_ns,launch"),
            [["", "90", ""], ["", "80", ""], ["of200", "200", "cudaLaunchKernel"]],
        )
        self.assertEqual(
            self.report("layer,time_ns,launch", "t.300.db"), [["of300", "300", "cudaLaunchKernel"]]
        )
        self.assertEqual(self.losses(), {"damaged_event": 1, "other_table": 1})
        self.assertEqual(self.losses("t.300.db"), {})
        (self.folder / "t.300.db").unlink()  # Only the name that was asked for is replaced.
        status, lines, written = self.run_import()
        self.assertEqual(
            (status, lines),
            (
                0,
                [
                    "net.sql: has 2 processes, a trace each: t.db, t.300.db",
                    f"t.db: net.sql: 1 row of {KIND}CONCURRENT_KERNEL that several processes may have"
                    " launched, kept without a launch",
                ],
            ),
        )
        self.assertEqual([line.split(":")[0] for line in written], ["t.db", "t.300.db"])

    def test_no_work_is_told_with_a_reason(self):
        for name, reason in (
            ("calls_alone", "its CUDA calls launched none, or the program was killed"),
            ("ranges_alone", "the program made no CUDA calls while nvprof recorded"),
        ):
            self.make(name)
            self.assertEqual(self.run_import()[:2], (0, [f"net.sql: has no GPU work: {reason}"]))

    def test_no_events(self):
        self.make("empty")
        self.refused(
            "net.sql: has no events; the program made no CUDA call while nvprof recorded"
            " (with --profile-from-start off, it must call cudaProfilerStart)"
        )
        self.make("counters")
        self.refused(
            "net.sql: has counters of kernels, but no times; record with nvprof -o FILE,"
            " without --metrics and --events"
        )

    def test_damaged_rows_are_counted(self):
        self.make("damaged")
        status, lines, _ = self.run_import()
        self.assertEqual(status, 0)
        kernels, markers = f"of {KIND}CONCURRENT_KERNEL", f"of {KIND}MARKER"
        expected = [
            f"1 row {kernels} with a value of another type, read as unknown",
            f"1 row {kernels} with an end before the start, left out",
            f"1 row {kernels} without a name, kept",
            f"1 row {kernels} without a start or an end, left out",
            f"1 row {markers} of a domain without a name, kept",
            f"1 row {markers} of no thread or process, left out",
            f"1 row {markers} whose text is missing, kept without it",
            f"1 row {markers} with an end before the start, left out",
            f"1 row {markers} without an id, a kind or a time, left out",
            f"1 row {markers}_DATA without an id, left out",
            f"1 row of {KIND}NAME without the name that they give, left out",
            f"1 row of {KIND}RUNTIME of an unknown function, kept",
            f"1 row of {KIND}RUNTIME without a thread, left out",
        ]
        self.assertEqual(lines[0].removeprefix("net.sql: ").split("; "), expected)
        self.assertEqual(
            rows(self.trace(), "SELECT what, count, detail FROM loss ORDER BY 1"),
            [
                ("damaged_event", 13, "; ".join(expected)),
                ("other_table", 1, f"{KIND}MARKER of user-defined synchronization (1)"),
            ],
        )
        self.assertEqual(comparison.compare(PROF_IMPORT, self.database, INCLUDE)[0], [])

    def test_the_comparison_notices_a_difference(self):
        self.make("current")
        expected = comparison.facts_of_database(comparison.Database(self.database))
        db = sqlite3.connect(self.database)
        db.execute(f"UPDATE {KIND}CONCURRENT_KERNEL SET gridX=5 WHERE correlationId=43")
        db.execute("UPDATE StringTable SET value='other' WHERE value='read'")
        db.execute(f"UPDATE {KIND}MEMSET SET bytes=1")
        db.execute(f"UPDATE {KIND}OVERHEAD SET end=end+1 WHERE objectKind=2")
        db.commit()
        self.run_import()
        pid, facts = comparison.facts_of_trace(self.folder / "t.db", False)
        found = comparison.comparison.differences(expected, {pid: facts})
        self.assertEqual(
            {line.split(", ")[1] for line in found},
            {"kernels", "launched", "ranges", "sets", "overheads"},
        )

    @unittest.skipIf(INCLUDE is None, "needs CUPTI's headers")
    def test_functions_have_cupti_names(self):
        for kind in ("runtime", "driver"):
            text = (SOURCES / f"tools/import/nvprof/{kind}_functions.inc").read_text()
            words = "".join(
                line.strip('"') for line in text.splitlines() if line.startswith('"')
            ).split(" ")
            ours = {number: word for number, word in enumerate(words) if word != "-"}
            theirs = comparison.functions(INCLUDE, kind)
            shared = {number: name for number, name in theirs.items() if number in ours}
            self.assertGreater(len(shared), 200)
            self.assertEqual(shared, {number: ours[number] for number in shared})


class Files(Case):
    def test_it_is_told_from_nsys_by_content(self):
        self.make("current")
        self.run_import()
        self.assertEqual(
            rows(self.trace(), "SELECT value FROM meta WHERE key='imported_from'"), [("nvprof",)]
        )
        db = sqlite3.connect(self.database)
        db.execute("ALTER TABLE StringTable RENAME TO StringIds")
        db.commit()
        self.run_import()
        self.assertEqual(
            rows(self.trace(), "SELECT value FROM meta WHERE key='imported_from'"), [("nsys",)]
        )

    def test_compressed(self):
        self.make("current")
        with gzip.open(self.folder / "net.gz", "wb") as file:
            file.write(self.database.read_bytes())
        self.refused("net.gz: is compressed; decompress it first", self.folder / "net.gz")

    def test_a_view_in_a_tables_place_is_never_read(self):
        for table, words in (
            (f"{KIND}MEMSET", f"{KIND}MEMSET is not a plain table, so it is not read"),
            ("StringTable", "StringTable is not a plain table, so it is not read"),
        ):
            self.make("current")
            db = sqlite3.connect(self.database)
            db.execute(f"ALTER TABLE {table} RENAME TO moved")
            db.execute(f"CREATE VIEW {table} AS SELECT * FROM moved")
            db.commit()
            db.close()
            status, lines, _ = self.run_import()
            self.assertEqual(status, 0)
            self.assertTrue(lines[0].endswith(words), lines)

    def test_damaged_files_end_in_a_trace_or_in_one_line(self):
        random.seed(7)
        failed = 0
        for name in ("current", "processes"):
            self.make(name)
            good = self.database.read_bytes()
            for round_number in range(60):
                data = bytearray(good)
                if round_number % 3 == 0:
                    del data[random.randrange(1, len(data)) :]
                else:
                    for _ in range(random.choice((1, 5, 40, 400))):
                        data[random.randrange(16, len(data))] = random.randrange(256)
                self.database.write_bytes(data)
                status, lines, _ = self.run_import()
                failed += status
                if status == 1:
                    self.assertEqual(len(lines), 1, lines)
        self.assertGreater(failed, 20)  # and not all of them
        self.assertLess(failed, 120)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
