#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""GPU work, times, processes and forms of made-up files of torch.profiler.

usage: test_kineto_work.py PROF_IMPORT PROF_REPORT"""
import gzip
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from kineto_case import KinetoCase, main  # noqa: E402
from kineto_files import ELEMENTWISE, H100, MM, PRODUCT, File, pair, shapes  # noqa: E402

EPOCH_US = 1_615_207_264_505_000


def product_file(**facts):
    file = File(**facts)
    file.op("aten::mm", 1000, 20, MM)
    file.launch(PRODUCT, 1005, 1030, 10)
    return file


class Forms(KinetoCase):
    EXPECTED = [["mm", "32", "64", "128", "30000", "10000"]]

    def check(self, text, name="trace.json", lines=()):
        self.assertEqual(self.imported(product_file(), text, name), list(lines))
        self.assertEqual(self.rows("op,m,n,k,start_ns,time_ns"), self.EXPECTED)

    def test_facts_of_any_length_before_the_first_event(self):
        for size in (5_000, 300_000):
            self.check(json.dumps({"made by": "x" * size, "traceEvents": product_file().events}))

    def test_a_list_of_events_alone(self):
        """As older versions write it, as tools cut it out of the file, and as Chrome allows it: never closed."""
        text = json.dumps(product_file().events)
        self.check(text)
        self.check(text, "trace.json.gz")
        self.check("\ufeff\n " + text)
        self.check(
            text[:-1] + ",",
            lines=["trace.json: is cut off; everything before the cut was imported"],
        )

    def test_members_of_gzip(self):
        data = product_file().text().encode()
        (self.folder / "members.json.gz").write_bytes(
            gzip.compress(data[:300]) + gzip.compress(data[300:])
        )

        class Written:
            def write(self, path, text):
                pass

        self.assertEqual(self.imported(Written(), None, "members.json.gz"), [])
        self.assertEqual(self.rows("op,m,n,k,start_ns,time_ns"), self.EXPECTED)

    def test_a_line_break_in_a_text(self):
        file = product_file()
        file.annotation("two@lines", 900, 300)
        self.assertEqual(
            self.imported(file, file.text().replace("@", "\n")),
            ["trace.json: 1 control character in texts, replaced by '?'"],
        )
        self.assertEqual(self.rows("layer,op"), [["two?lines", "mm"]])


class Times(KinetoCase):
    def test_kernels_that_last_no_microsecond_have_a_start(self):
        file = File()
        file.op("aten::fill_", 1000, 6, shapes([[4], []], ["float", "Scalar"], ["", "0"]))
        file.launch(ELEMENTWISE, 1002, 1010, 0)
        file.op("aten::add", 1020, 6, pair(4))
        file.launch(ELEMENTWISE, 1022, 1030, 2)
        self.assert_rows(file, "op,start_ns,time_ns", [["fill", 10_000, 0], ["add", 30_000, 2_000]])
        self.assertEqual(
            self.rows("op,kernels,time_us", "ops"), [["add", "1", "2.000"], ["fill", "1", "0.000"]]
        )

    def test_work_without_times_leaves_the_others_theirs(self):
        """In files whose times count from 1970 and in such that count from their begin."""
        for begin in (1000, EPOCH_US):
            file = File()
            for step, at in ((1, begin), (2, begin + 300)):
                file.annotation(f"ProfilerStep#{step}", at, 300)
                file.op("aten::mm", at + 10, 20, MM)
                file.launch(PRODUCT, at + 15, at + 40, 10)
            file.op("aten::mm", begin + 100, 20, MM)
            file.launch(PRODUCT, begin + 105, 0, 0)
            self.assert_rows(
                file,
                "step,start_ns,time_ns",
                [["1", 40_000, 10_000], ["2", 340_000, 10_000], ["1", "", ""]],
            )
            self.assertEqual(self.rows("step,kernels", "steps"), [["1", "2"], ["2", "1"]])

    def test_work_that_starts_before_its_launch_keeps_its_times(self):
        file = File()
        file.op("aten::mm", 1000, 20, MM)
        file.launch(PRODUCT, 1005, 1001, 10)
        self.assert_rows(file, "start_ns,op", [[1_000, "mm"]])

    def test_a_duration_that_later_work_of_the_stream_contradicts(self):
        file = File()
        for at in range(6):
            file.op("aten::mm", 1000 + 40 * at, 20, MM)
            file.launch(PRODUCT, 1005 + 40 * at, 1030 + 40 * at, 3_400_000 if at == 2 else 10)
        lines = self.imported(file)
        self.assertEqual(
            lines,
            [
                "trace.json: 1 GPU record lasting while several later ones of its stream ran: a "
                "wrong time"
            ],
        )
        warnings = []
        self.rows("op", warnings=warnings)
        self.assertIn(
            "1 GPU record lasting while several later ones of its stream ran: a wrong time",
            warnings,
        )

    def test_launches_that_overlap_a_little_are_possible(self):
        file = File()
        for at in range(6):
            file.op("aten::mm", 1000 + 40 * at, 20, MM)
            file.launch(PRODUCT, 1005 + 40 * at, 1030 + 40 * at, 50)
        self.assertEqual(self.imported(file), [])

    def test_the_time_of_a_stream_counts_once(self):
        """1030 to 1050, 1040 to 1060 and 1070 to 1080, out of order: 40 of 50 us."""
        file = File()
        for called, start, duration in ((1001, 1070, 10), (1005, 1030, 20), (1032, 1040, 20)):
            file.op("aten::mm", called - 1, 6, MM)
            file.launch(PRODUCT, called, start, duration)
        self.assert_rows(file, "busy_ns,idle_ns,kernels", [[40000, 10000, 3]], "streams")


class Queues(KinetoCase):
    def test_streams_that_are_addresses(self):
        file = File()
        for at, stream in enumerate((94021871554560, 94021871560000, 94021871554560)):
            file.op("aten::mm", 1000 + 50 * at, 20, MM)
            file.launch(PRODUCT, 1005 + 50 * at, 1030 + 50 * at, 10, stream=stream)
        self.assertEqual(self.imported(file), [])
        one, other, same = (row[0] for row in self.rows("stream"))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)
        self.assertNotIn("0", (one, other))

    def test_numbers_of_launches_beyond_32_bits(self):
        file = File()
        for at, (name, kernel, args) in enumerate(
            (("mm", PRODUCT, MM), ("add", ELEMENTWISE, pair(64)))
        ):
            file.op(f"aten::{name}", 1000 + 50 * at, 20, args)
            correlation = file.call(1005 + 50 * at, correlation=(1 << 40) + 1 + at)
            file.work(kernel, 1030 + 50 * at, 10, correlation)
        self.assert_rows(file, "op", [["mm"], ["add"]])

    def test_two_gpus(self):
        file = File(deviceProperties=[H100, {**H100, "id": 1}])
        file.op("aten::mm", 1000, 20, MM)
        file.launch(PRODUCT, 1005, 1030, 10)
        file.launch(PRODUCT, 1010, 1031, 10, device=1)
        self.assert_rows(file, "device,op", [["0", "mm"], ["1", "mm"]])

    def test_what_hip_graphs_launch_is_work_of_a_graph(self):
        for call in ("hipGraphLaunch", "cudaGraphLaunch"):
            file = File()
            file.add("python_function", "nn.Module: Net_0", 900, 400)
            correlation = file.call(1010, call)
            file.work("triton_poi_fused_add_0", 1050, 5, correlation)
            file.work("Cijk_Ailk_Bljk_BBS_BH_MT128x128x64", 1060, 5, correlation)
            self.assert_rows(file, "layer,origin,launch", [["Net_0", "graph", call]] * 2)

    def test_the_memory_of_copies_by_amds_profiler(self):
        file = File()
        file.op("aten::copy_", 1000, 20, shapes([[256], [256], []], ["float", "float", "Scalar"]))
        correlation = file.call(1005, "hipMemcpyWithStream")
        file.work(
            "Memcpy HtoD (Host -> Device)", 1030, 2, correlation, category="gpu_memcpy", bytes=1024
        )
        self.assert_rows(file, "memory,memory_to,bytes", [["host", "device", "1024"]], "gpu")

    def test_annotations_have_numbers_of_their_own(self):
        """AMD's profiler states the op of a kernel, NVIDIA's whatever is innermost: neither is another op."""
        for stated in (1, 2):
            file = File()
            file.op("aten::mm", 1000, 40, MM, number=1)
            file.annotation("inside of it", 1005, 30, {"External id": 2})
            file.launch(PRODUCT, 1010, 1050, 10, {"External id": stated})
            self.imported(file)
            warnings = []
            self.assertEqual(self.rows("op", warnings=warnings), [["mm"]])
            self.assertFalse([line for line in warnings if "another op" in line])

    def test_peaks_of_amds_gpus(self):
        """Whole devices and partitions; their numbers of architectures are no compute capabilities."""
        for name, units, tflops, gb in (
            ("AMD Instinct MI300X VF", 304, 1307.4, 5300),
            ("AMD Instinct MI210", 104, 181, 1638),
            ("AMD Instinct MI300X", 38, 1307.4 / 8, 5300 / 8),
        ):
            file = File(
                deviceProperties=[
                    {**H100, "name": name, "numSms": units, "warpSize": 64, "computeMajor": 9}
                ]
            )
            file.op(
                "aten::mm", 1000, 20, shapes([[64, 128], [128, 32]], ["c10::Half", "c10::Half"])
            )
            file.launch("Cijk_Ailk_Bljk_HHS_BH_MT128x128x64", 1005, 1030, 10)
            self.imported(file)
            row = self.rows("peak_tflop_per_s,peak_gb_per_s,slots")[0]
            self.assertAlmostEqual(float(row[0]), tflops, delta=0.1)
            self.assertAlmostEqual(float(row[1]), gb, delta=1)
            self.assertEqual(row[2], "")

    def test_variants_have_the_peaks_of_the_nearest_device(self):
        file = File(
            deviceProperties=[
                {**H100, "name": "NVIDIA A100-PG509-200", "computeMajor": 8, "numSms": 108}
            ]
        )
        file.op("aten::mm", 1000, 20, MM)
        file.launch(PRODUCT, 1005, 1030, 10)
        self.imported(file)
        self.assertEqual(self.rows("peak_gb_per_s"), [["1555"]])
        self.assertIn(
            "peak performance of NVIDIA A100-PG509-200: estimated, as those of A100-SXM4-40GB",
            " ".join(row[0] for row in self.rows("what", "losses")),
        )


class Memory(KinetoCase):
    """What profile_memory tells of PyTorch's allocator."""

    def file(self):
        file = File()
        for step, begin in ((3, 990), (4, 1190)):
            file.annotation(f"ProfilerStep#{step}", begin, 200)
            file.op("aten::mm", begin + 5, 40, MM)
            file.launch(PRODUCT, begin + 30, begin + 60, 10)
        for at, size, held in (
            (1000, 1 << 20, 1 << 20),
            (1007, 2 << 20, 3 << 20),
            (1100, -(2 << 20), 1 << 20),
            (1200, 512, (1 << 20) + 512),
        ):
            file.memory(at, size, held, 20 << 20)
        file.memory(1201, 64, 0, 0, device_type=0, device=-1)
        return file

    def test_what_is_held_at_the_end_of_a_step_and_at_most(self):
        self.assert_rows(
            self.file(),
            "device,step,allocated_bytes,peak_bytes,reserved_bytes,growth_bytes",
            [
                [0, 3, 1 << 20, 3 << 20, 20 << 20, ""],
                [0, 4, (1 << 20) + 512, (1 << 20) + 512, 20 << 20, ""],
            ],
            "torch_memory",
        )

    def test_each_block(self):
        self.assert_rows(
            self.file(),
            "start_ns,device,range,bytes,allocated_bytes,reserved_bytes",
            [
                [10000, 0, "aten::mm", 1 << 20, 1 << 20, 20 << 20],
                [17000, 0, "aten::mm", 2 << 20, 3 << 20, 20 << 20],
                [110000, 0, "ProfilerStep#3", -(2 << 20), 1 << 20, 20 << 20],
                [210000, 0, "aten::mm", 512, (1 << 20) + 512, 20 << 20],
                [211000, "", "aten::mm", 64, 0, 0],
            ],
            "torch_allocations",
        )


class Processes(KinetoCase):
    """Files into which a program has merged those of several ranks."""

    def merged(self, pids, gpus, correlations):
        file = File()
        for at, (name, kernel, args) in enumerate(
            (("mm", PRODUCT, MM), ("add", ELEMENTWISE, pair(512)))
        ):
            file.op(f"aten::{name}", 1000 + 3 * at, 20, args, number=1, pid=pids[at])
            for launch, correlation in enumerate(correlations[at]):
                begin = 1005 + 3 * at + 5 * launch
                file.call(begin, correlation=correlation, pid=pids[at])
                file.work(
                    kernel, begin + 35, 10, correlation, at, pid=gpus[at], **{"External id": 1}
                )
        return file

    def traces(self, file, trace_of_other="t.84.db"):
        lines = self.imported(file)
        return lines, self.rows("op,device"), self.rows("op,device", trace=trace_of_other)

    def test_texts_tell_whose_a_gpu_is(self):
        file = self.merged(("[TP00] 83", "[TP01] 84"), ("[TP00] 0", "[TP01] 1"), ([100], [100]))
        lines, first, second = self.traces(file)
        self.assertEqual(lines, ["trace.json: has 2 processes, a trace each: t.db, t.84.db"])
        self.assertEqual((first, second), ([["mm", "0"]], [["add", "1"]]))

    def test_numbers_that_one_process_has_tell_it(self):
        file = self.merged((83, 84), (0, 1), ([100, 101], [100, 102]))
        lines, first, second = self.traces(file)
        self.assertEqual(len(lines), 1)
        self.assertEqual((first, second), ([["mm", "0"]] * 2, [["add", "1"]] * 2))

    def test_otherwise_it_is_unknown_and_said(self):
        """Never another process's op."""
        file = self.merged((83, 84), (0, 1), ([100], [100]))
        lines, first, second = self.traces(file)
        self.assertEqual(
            lines[1:],
            [
                "t.db: trace.json: 2 GPU records without a known launch, as calls of several "
                "processes or threads have its correlation"
            ],
        )
        self.assertEqual((first, second), ([["", "0"], ["", "1"]], []))

    def test_launches_of_one_number_on_two_threads_of_a_process(self):
        """As if two containers' processes had one number."""
        file = File()
        file.op("aten::mm", 1000, 20, MM)
        file.call(1005, correlation=100)
        file.op("aten::add", 1003, 20, pair(512), tid=12)
        file.call(1008, correlation=100, tid=12)
        file.work(PRODUCT, 1040, 10, 100)
        self.assertEqual(
            self.imported(file),
            [
                "trace.json: 1 GPU record without a known launch, as calls of several "
                "processes or threads have its correlation"
            ],
        )
        self.assertEqual(self.rows("op,device"), [["", "0"]])

    def test_a_name_in_place_of_the_only_process(self):
        file = File()
        file.op("aten::mm", 1000, 20, MM, pid="[TP00] 83", tid="main")
        file.launch(PRODUCT, 1005, 1030, 10, pid="[TP00] 83", tid="main", gpu_pid="[TP00] 0")
        self.assert_rows(file, "op,device", [["mm", "0"]])


if __name__ == "__main__":
    main()
