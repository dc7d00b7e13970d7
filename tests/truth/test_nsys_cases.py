#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What people have in their exports of Nsight Systems, made up small, and what reports say of it.

usage: test_nsys_cases.py PROF_IMPORT PROF_REPORT"""
import contextlib
import csv
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import nsys_exports  # noqa: E402
from nsys_exports import Export  # noqa: E402

PROF_IMPORT, PROF_REPORT = map(str, map(pathlib.Path, sys.argv[1:3]))


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.export = Export(self.folder / "r.sqlite")
        self.export.session()

    def tearDown(self):
        self.temporary.cleanup()

    def run_import(self, status=0):
        """The lines on stderr."""
        self.export.close()
        return self.import_file(status)

    def import_file(self, status=0):
        done = subprocess.run(
            [PROF_IMPORT, self.folder / "r.sqlite", "-o", self.folder / "t.db"],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr.replace(f"{self.folder}/", "").splitlines()

    def lines(self, *options, trace="t.db"):
        """The lines of a table, as csv without its header; notes are in self.notes."""
        done = subprocess.run(
            [PROF_REPORT, "-f", "csv", *options, self.folder / trace],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.notes = done.stderr
        return [",".join(line) for line in csv.reader(done.stdout.splitlines()[1:])]


class LeakedRanges(Case):
    """Ranges that are never popped: stacks grow with the program."""

    COUNT = 30_000
    MEGABYTES = 300
    SECONDS = 4  # Of processor time, on a busy machine; the square of COUNT takes minutes.

    def leak(self, count, *texts):
        """A thread for each text; the threads take turns."""
        for i in range(count):
            thread = 11 + i % len(texts)
            self.export.range(i * 1_000 + 1, None, texts[i % len(texts)], thread=thread)
            self.export.launch(
                i * 1_000 + 11, correlation=i + 1, thread=thread, delay=90, length=200
            )

    def cost(self, *command):
        with open(os.devnull, "w", encoding="utf-8") as nothing:
            process = subprocess.Popen(command, stdout=nothing, stderr=nothing)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, command)
        self.assertLess(usage.ru_maxrss / 1024, self.MEGABYTES, command)
        self.assertLess(usage.ru_utime + usage.ru_stime, self.SECONDS, command)

    def test_no_cost_grows_with_the_square(self):
        self.leak(self.COUNT, "request", "layer:fc", "aten::add, seq = 3")
        self.export.close()
        self.cost(PROF_IMPORT, self.folder / "r.sqlite", "-o", self.folder / "t.db")
        listed = subprocess.run(
            [PROF_REPORT, "--list", "-f", "json"], capture_output=True, text=True, check=True
        ).stdout
        reports = [entry["report"] for entry in json.loads(listed) if "report" in entry]
        self.assertIn("nvtx_kern_sum", reports)
        for report in reports:
            if report != "diff":  # of two traces
                self.cost(PROF_REPORT, "-r", report, self.folder / "t.db")
        for export in "folded", "speedscope":
            self.cost(
                PROF_REPORT, "--export", export, "-o", self.folder / "stacks", self.folder / "t.db"
            )

    def test_what_has_no_known_time_is_in_no_sum(self):
        self.leak(3, "request")
        self.export.range(2_005, 2_500, "closed")
        self.run_import()
        self.assertEqual(
            self.lines("-r", "nvtx_kern_sum", "-c", "range,ranges,kernels,total_ns"),
            [",,2,400", ":closed,1,1,200"],
        )
        self.assertEqual(
            self.lines("-r", "nvtx_gpu_proj_sum", "-c", "range,instances,proj_ns"),
            [":closed,1,200"],
        )
        self.assertEqual(
            self.lines("-r", "key_averages", "-c", "op,self_cuda_ns,cuda_total_ns"),
            ["foo(int),600,600", "closed,200,200", "cudaLaunchKernel,0,0", "request,400,"],
        )
        self.assertEqual(
            self.lines("-r", "nvtx_gpu_proj_trace", "-c", "name,time_ns,gpu_ops"),
            [":request,,3", ":request,,2", ":request,,1", ":closed,495,1"],
        )

    def test_deep_stacks_are_cut_and_it_is_said(self):
        self.leak(70, "request")
        self.run_import()
        last = self.lines("-r", "nvtx_pushpop_trace", "-c", "level,path,name_tree")[-1].split(",")
        self.assertEqual(last[0], "69")
        self.assertEqual(last[1].count(":"), 65)
        self.assertTrue(last[1].startswith(":...:"))
        self.assertEqual(last[2], "--" * 64 + ":request")
        self.assertIn("ranges lie more than 64 deep", self.notes)


class GpuWork(Case):
    def copy(self, at, kind, length, **facts):
        self.export.row(
            "CUPTI_ACTIVITY_KIND_MEMCPY",
            **{
                "start": at,
                "end": at + length,
                "deviceId": 0,
                "globalPid": nsys_exports.pid(10),
                "copyKind": kind,
                "srcKind": 3,
                "dstKind": 3,
            }
            | facts,
        )

    def test_migrations_of_unified_memory_are_no_copies_of_the_program(self):
        self.export.launch(5_000, length=20_000)
        self.copy(1_200, 1, 1_000, bytes=4_096, srcKind=0, dstKind=2)
        for at in (6_000, 8_000, 10_000):
            self.copy(at, 11, 500, bytes=65_536)
        self.copy(30_000, 12, 1_000, bytes=131_072)
        self.copy(32_000, 13, 10, bytes=8)
        self.run_import()
        word = "[CUDA memcpy "
        self.assertEqual(
            self.lines("-r", "cuda_gpu_mem_time_sum", "-c", "operation,count,total_ns"),
            [
                f"{word}Unified Host-to-Device],3,1500",
                f"{word}Host-to-Device],1,1000",
                f"{word}Unified Device-to-Host],1,1000",
                f"{word}Unified Device-to-Device],1,10",
            ],
        )
        self.assertEqual(
            self.lines("-r", "gpu", "--kind", "memcpy", "-c", "kernel")[1:3],
            ["[memcpy unified HtoD]"] * 2,
        )
        self.assertEqual(
            self.lines(
                "--sql",
                "SELECT o.label, count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY m"
                " JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = m.copyKind GROUP BY o.id",
            ),
            [
                "Host-to-Device,1",
                "Unified Host-to-Device,3",
                "Unified Device-to-Host,1",
                "Unified Device-to-Device,1",
            ],
        )

    def test_a_set_has_a_memory_as_its_source(self):
        self.export.row(
            "CUPTI_ACTIVITY_KIND_MEMSET",
            start=10,
            end=20,
            deviceId=0,
            bytes=8,
            globalPid=nsys_exports.pid(10),
            memKind=2,
        )
        self.copy(30, 1, 10, bytes=4, srcKind=0, dstKind=2)
        self.run_import()
        self.assertEqual(
            self.lines("-r", "cuda_gpu_trace", "-c", "name,source,destination"),
            ["[CUDA memset],Device,", "[CUDA memcpy Host-to-Device],Pageable,Device"],
        )

    def test_a_name_that_only_nvcc_can_read(self):
        mangled = "_ZN5tiles6KernelINS_4GemmILi128EEEvT_QQ"
        readable = "void tiles::Kernel<tiles::Gemm<(int)128>>(T1)"
        for i, name in enumerate((mangled, "_Z3fooi", mangled)):
            self.export.launch(1_000 * i + 1, correlation=i + 1, name=name)
        self.export.db.execute(
            "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName=? WHERE mangledName=?",
            (self.export.text(readable), self.export.text(mangled)),
        )
        self.run_import()
        self.assertEqual(
            self.lines("-r", "cuda_gpu_kern_sum", "-c", "name,instances"),
            [f"{readable},2", "foo(int),1"],
        )
        self.assertEqual(self.lines("-c", "kernel"), ["tiles::Kernel", "foo", "tiles::Kernel"])

    def test_a_kernel_that_starts_before_its_call(self):
        self.export.launch(1_000, correlation=1, delay=-500)
        self.export.launch(3_000, correlation=2, delay=100)
        self.run_import()
        self.assertEqual(self.lines("-r", "launch", "-c", "launches,delay_median_ns"), ["2,100"])
        self.lines("-r", "kernels")
        self.assertIn("1 kernel starts before the launching call", self.notes)
        losses = self.lines("-r", "losses", "-c", "word,kind,count")
        self.assertIn("before_launch,notice,1", losses)


class Host(Case):
    def os_call(self, at, length, event_class=27, name="poll", process=10):
        self.export.row(
            "OSRT_API",
            start=at,
            end=at + length,
            eventClass=event_class,
            globalTid=nsys_exports.tid(process, 11),
            nameId=self.export.text(name),
        )

    def say(self, text):
        self.export.row(
            "DIAGNOSTIC_EVENT", timestamp=1, severity=2, text=text, globalPid=nsys_exports.pid(10)
        )

    def test_the_marks_of_nsys_are_no_calls(self):
        self.export.launch(1_000)
        self.os_call(10, 0, 31, "OS runtime libraries profiling started")
        self.os_call(1_000, 4_000)
        self.os_call(9_000, 0, 32, "OS runtime libraries profiling finished")
        self.run_import()
        self.assertEqual(self.lines("-r", "osrt_sum", "-c", "name,calls,total_ns"), ["poll,1,4000"])
        self.assertEqual(self.lines("-r", "os_calls", "-c", "function"), ["poll"])

    def test_calls_of_the_operating_system_alone(self):
        for at in (1, 1_001, 2_001):
            self.os_call(at, 500)
        lines = self.run_import()
        self.assertIn("has no GPU work", lines[0])
        self.assertEqual(self.lines("-r", "osrt_sum", "-c", "name,calls,total_ns"), ["poll,3,1500"])

    def test_each_process_with_such_calls_alone_is_a_trace(self):
        self.os_call(1, 500)
        self.os_call(1, 700, process=12)
        self.run_import()
        for name, length in (("t.db", 500), ("t.12.db", 700)):
            done = subprocess.run(
                [PROF_REPORT, "-r", "osrt_sum", "-f", "csv", "-c", "total_ns", self.folder / name],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(done.stdout.splitlines()[1:], [str(length)])

    def test_the_reason_for_no_cuda_events_is_that_of_nsys(self):
        driver = (
            "Installed CUDA driver version (13.1) is not supported by this build of Nsight"
            " Systems."
        )
        self.say("Unable to collect CPU kernel IP/backtrace samples.")
        self.say(driver)
        self.say("No CUDA events collected. Does the process use CUDA?")
        for has_calls in (False, True):
            if has_calls:
                self.export = Export(self.folder / "r.sqlite")
                self.export.session()
                self.say(driver)
                self.os_call(1, 5)
            lines = self.run_import(0 if has_calls else 1)
            self.assertIn(f"nsys says: {driver}", lines[0])
            self.assertNotIn("backtrace", lines[0])

    def test_of_several_warnings_the_one_about_lost_events(self):
        self.export.launch(1_000)
        self.say("Unable to collect CPU kernel IP/backtrace samples.")
        self.say("No OpenGL events collected. Does the process use OpenGL?")
        self.say("Not all CUDA events might have been collected.")
        self.run_import()
        self.lines("-r", "kernels")
        self.assertIn(
            "that events may be missing: Not all CUDA events might have been collected.", self.notes
        )
        losses = self.lines("-r", "losses", "-c", "word,kind,count")
        self.assertIn("profiler_loss,lost,1", losses)
        self.assertIn("profiler_message,notice,2", losses)


class Order(Case):
    REPORTS = {
        "kernels": "layer,op,params,kernel,time_ns,start_ns,launch,tid,grid,stream",
        "nvtx_pushpop_trace": "start_ns,name,tid,level,path",
        "nvtx_sum": "range,style,instances",
        "marks": "text,domain,category,range,start_ns",
        "calls": "function,tid,range,start_ns",
        "os_calls": "function,tid,range,start_ns",
        "sync": "type,count,time_ns",
        "losses": "word,count",
    }

    def setUp(self):
        super().setUp()
        self.export.close()

    def test_rows_come_in_any_order(self):
        for name in nsys_exports.EXPORTS:
            with self.subTest(name):
                (self.folder / "r.sqlite").unlink(missing_ok=True)
                nsys_exports.EXPORTS[name](self.folder / "r.sqlite")
                told = self.imported()
                self.assertNotEqual(
                    [lines for of_trace in told for lines in of_trace["kernels"]], []
                )
                for seed in range(4):
                    self.shuffle(random.Random(seed))
                    self.assertEqual(told, self.imported())

    def imported(self):
        """What the reports of each process's trace say."""
        self.import_file()
        told = []
        for trace in sorted(self.folder.glob("t*.db")):
            told.append(
                {
                    report: self.lines("-r", report, "-c", columns, trace=trace.name)
                    for report, columns in self.REPORTS.items()
                }
            )
            trace.unlink()
        return told

    def shuffle(self, how):
        with contextlib.closing(sqlite3.connect(self.folder / "r.sqlite")) as db:
            tables = db.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
            for (table,) in tables:
                rows = db.execute(f"SELECT * FROM {table}").fetchall()
                how.shuffle(rows)
                db.execute(f"DELETE FROM {table}")
                marks = ",".join("?" * len(rows[0]))
                db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            db.commit()


class Nvtx(Case):
    def test_the_rank_of_mpi(self):
        self.export.launch(1_000)
        self.export.row(
            "META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value='SLURM_PROCID="0"'
        )
        self.export.row(
            "ThreadNames", nameId=self.export.text("MPI Rank 3"), globalTid=nsys_exports.tid(10, 11)
        )
        self.run_import()
        self.assertEqual(self.lines("-c", "idx,rank"), ["1,3"])

    def test_ranks_of_other_launchers(self):
        for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"):
            (self.folder / "t.db").unlink(missing_ok=True)
            self.export = Export(self.folder / "r.sqlite")
            self.export.launch(1_000)
            self.export.row(
                "META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=f'{name}="5"'
            )
            self.run_import()
            self.assertEqual(self.lines("-c", "idx,rank"), ["1,5"])

    def test_queries_of_registered_texts(self):
        self.export.launch(100)
        for at, value in ((1_000, 5), (1_001, 7), (1_002, 9)):
            self.export.range(
                at,
                None,
                None,
                kind=nsys_exports.MARK,
                uint32Value=value,
                textId=self.export.text("active"),
            )
        self.run_import()
        self.assertEqual(
            self.lines(
                "--sql",
                "SELECT start, uint32Value FROM NVTX_EVENTS e JOIN StringIds s ON"
                " e.textId = s.id WHERE e.eventType = 34 AND s.value = 'active'",
            ),
            ["900,5", "901,7", "902,9"],
        )  # since the first event

    def test_payloads_and_categories_of_ranges(self):
        self.export.range(1_000, 2_000, "a", category=7, int64Value=-3)
        self.export.range(3_000, 4_000, "a", category=8, doubleValue=0.5)
        self.export.range(5_000, 6_000, "b", category=7, uint32Value=9, kind=nsys_exports.START_END)
        self.export.range(7_000, 7_500, "c")
        self.export.launch(100)
        self.run_import()
        self.assertEqual(
            self.lines(
                "--sql", "SELECT text, category, payload FROM nvtx_ranges" " ORDER BY start_ns"
            ),
            ["a,7,-3", "a,8,0.5", "b,7,9", "c,,"],
        )
        self.assertEqual(
            self.lines("-r", "ranges", "--by", "category", "-c", "category,count"),
            ["7,2", "8,1", ",1"],
        )

    def test_ranges_of_text_files(self):
        self.export.range(1_000, 9_000, "stage 1", kind=70)
        self.export.range(10_000, 19_000, "shuffle", kind=71)
        self.export.launch(2_000)
        self.run_import()
        self.assertEqual(
            self.lines("-r", "nvtx_sum", "-c", "range,style,total_ns"),
            [":shuffle,StartEnd,9000", ":stage 1,PushPop,8000"],
        )
        self.assertEqual(self.lines("-c", "layer"), ["stage 1"])

    def start_two_ranges_of_the_process(self):
        """Solver: what thread 11 and, while it is open, thread 12 do; backward: thread 12."""
        self.export.range(1_000, 9_000, "solver", kind=nsys_exports.START_END)
        self.export.range(5_000, 15_000, "backward", kind=nsys_exports.START_END)
        for i, (at, thread) in enumerate(((2_000, 11), (6_000, 12), (12_000, 12), (15_000, 11))):
            self.export.launch(at, correlation=i + 1, thread=thread)
        self.export.range(5_500, 8_000, "layer:own", thread=12)
        self.run_import()

    def test_ranges_of_the_process_are_layers_if_asked_for(self):
        self.start_two_ranges_of_the_process()
        self.assertEqual(
            self.lines("-c", "layer", "--process-ranges"), ["solver", "own", "backward", ""]
        )
        self.assertEqual(self.lines("-c", "layer"), ["", "own", "", ""])
        self.assertIn(
            "2 kernels without a layer are launched in ranges of the process, which"
            " --process-ranges reads as layers",
            self.notes,
        )

    def test_what_is_launched_while_a_range_of_the_process_is_open(self):
        self.start_two_ranges_of_the_process()
        for text, kernels in (("solver", ["1", "2"]), ("back*", ["2", "3"]), ("layer:own", ["2"])):
            self.assertEqual(self.lines("-c", "idx", "--range", text), kernels)
        self.assertEqual(
            self.lines(
                "-r", "layers", "-c", "layer,kernels", "--process-ranges", "--range", "backward"
            ),
            ["backward,1", "own,1"],
        )
        self.assertEqual(
            self.lines("-r", "calls", "-c", "thread", "--range", "backward"), ["2", "2"]
        )

    def test_ranges_of_the_process_that_nest_or_leak(self):
        for i in range(70):
            self.export.range(i + 1, None, f"r{i % 3}", kind=nsys_exports.START_END)
        self.export.launch(30, correlation=1)
        self.export.launch(100, correlation=2)
        self.run_import()
        self.assertEqual(
            self.lines("-c", "layer", "--process-ranges"),
            [":".join(f"r{i % 3}" for i in range(count)) for count in (30, 64)],
        )

    def test_a_hint_where_another_domain_has_ranges(self):
        self.export.row(
            "NVTX_EVENTS",
            start=1,
            eventType=nsys_exports.DOMAIN,
            text="TensorRT",
            globalTid=nsys_exports.tid(10, 11),
            domainId=3,
        )
        for i, name in enumerate(("/conv1/Conv", "/fc/Gemm")):
            self.export.range(i * 9_000 + 1_000, i * 9_000 + 2_000, name, domainId=3)
            self.export.launch(i * 9_000 + 1_500, correlation=i + 1)
        self.run_import()
        self.lines("-c", "layer")
        self.assertIn(
            "2 kernels without a layer are in ranges of domain TensorRT, which"
            " --domain TensorRT reads as layers",
            self.notes,
        )
        self.assertNotIn("annotate.hpp", self.notes)
        self.assertEqual(
            self.lines("-c", "layer", "--domain", "TensorRT"), ["/conv1/Conv", "/fc/Gemm"]
        )
        self.assertNotIn("TensorRT,", self.notes)

    def test_what_nccl_states_as_json(self):
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        self.export.row(
            "NVTX_EVENTS",
            start=1,
            eventType=nsys_exports.DOMAIN,
            text="NCCL",
            globalTid=nsys_exports.tid(10, 11),
            domainId=3,
        )
        for i, payload in enumerate(
            (
                '{"Message size [bytes]":1048576,"Reduction operation":0}',
                '{"Message size [bytes]":4096}',
                '{"Message',
            )
        ):
            inside = {"jsonText": payload} if i != 1 else {"jsonTextId": self.export.text(payload)}
            self.export.range(
                i * 9_000 + 1_000, i * 9_000 + 2_000, "ncclAllReduce", domainId=3, **inside
            )
            self.export.launch(i * 9_000 + 1_500, correlation=i + 1, name=name)
        self.run_import()
        self.assertEqual(
            self.lines("--sql", "SELECT message_bytes FROM collectives"), ["1048576", "4096", ""]
        )
        self.assertIn(
            "payload_not_kept,lost,1", self.lines("-r", "losses", "-c", "word,kind,count")
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
