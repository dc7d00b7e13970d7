# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""prof_trace gives what prof-report prints: every report, value by value, with its types."""
import copy
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
import unittest
from unittest import mock

from trace_support import BIN, TraceTest, prof_trace, without_reasons


def printed(*arguments):
    done = subprocess.run(
        [os.path.join(BIN, "prof-report"), "-f", "json", *arguments],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    return without_reasons(json.loads(done.stdout))


def frozen(value):
    return tuple(map(frozen, value)) if isinstance(value, list) else value


class Reports(TraceTest):
    CLASSES = {"integer": (int,), "real": (float,), "text": (str, tuple, dict)}

    def check_types(self, table):
        for word, values in table.items():
            found = {value.__class__ for value in values if value is not None}
            self.assertLessEqual(found, set(self.CLASSES[table.columns[word].type]), word)

    def test_every_report_of_every_kind_of_trace(self):
        for recording in ("bert_small", "nccl_torch", "gpt_graph"):
            one = self.opened(recording)
            two = prof_trace.open(*one.paths, shutil.copy(*one.paths, one.paths[0] + ".copy.db"))
            for name in one.reports():
                with self.subTest(recording=recording, report=name):
                    # A comparison takes two traces.
                    trace = two if name == "diff" else one
                    table = trace.report(name)
                    expected = [
                        {word: frozen(value) for word, value in row.items()}
                        for row in printed("-r", name, *trace.paths)
                    ]
                    self.assertEqual(expected, list(table))
                    self.assertEqual(len(expected), len(table))
                    self.assertLessEqual(table.keys(), set(trace.columns(name)))
                    self.check_types(table)

    def test_kernels_and_gpu(self):
        trace = self.opened("bert_small")
        kernels, gpu = trace.kernels(), trace.gpu(columns="idx,kind")
        self.assertEqual(list(range(1, len(kernels) + 1)), kernels["idx"])
        self.assertEqual({"kernel"}, set(kernels["kind"]))
        self.assertEqual({"kernel", "memcpy", "memset"}, set(gpu["kind"]))
        self.assertEqual(["idx", "kind"], list(gpu.keys()))
        self.assertGreater(len(gpu), len(kernels))

    def test_what_is_not_known_is_none(self):
        kernels = self.opened("nccl_torch").kernels()
        for word in ("layer", "m", "step", "bytes", "split_k", "rank"):
            self.assertIn(None, kernels[word], word)
        self.assertEqual([None], sorted({value for value in kernels["graph_node"]}, key=str))

    def test_lists_are_tuples_and_equal_values_are_one_object(self):
        kernels = self.opened("bert_small").kernels(
            columns=["grid", "inputs", "kernel_full", "provenance"]
        )
        self.assertEqual(3, len(kernels["grid"][0]))
        self.assertIn(((2, 1, 1, 32), (2, 1, 1, 32)), kernels["inputs"])
        for word in kernels.keys():
            each = {str(value): set() for value in kernels[word]}
            for value in kernels[word]:
                each[str(value)].add(id(value))
            self.assertTrue(all(len(ids) == 1 for ids in each.values()), word)

    def test_columns_in_any_spelling(self):
        trace = self.opened("bert_small")
        one = trace.kernels(columns=[" Op", "TIME_US "])
        self.assertEqual(["op", "time_us"], list(one.keys()))
        self.assertEqual(one, trace.report(" Kernels", "op, time_us"))
        self.assertEqual(("real", "us"), one.columns["time_us"][1:3])
        self.assertEqual("time on the GPU", one.columns["time_us"].help)
        self.assertIn("peak_pct", trace.columns("kernels"))
        self.assertNotIn("peak_pct", trace.kernels())

    def test_options_of_lines(self):
        trace = self.opened("bert_small")
        top = trace.kernels(
            ["idx", "time_us"], where=["time_us > 5", "time_us < 1000"], sort="time_us", top=3
        )
        times = [time for time in trace.kernels("time_us")["time_us"] if 5 < time < 1000]
        self.assertEqual(sorted(times, reverse=True)[:3], top["time_us"])
        by = trace.report("ops", by=["dir"])
        self.assertEqual("dir", next(iter(by.keys())))
        self.assertEqual(len(set(by["dir"])), len(by))

    def test_a_table_is_its_rows(self):
        kernels = self.opened("bert_small").kernels(["idx", "op", "time_us"])
        rows = [dict(zip(("idx", "op", "time_us"), values)) for values in zip(*kernels.values())]
        self.assertEqual((rows[0], rows[-1]), (kernels[0], kernels[-1]))
        part = kernels[2:4]
        self.assertEqual((rows[2:4], kernels.columns), (list(part), part.columns))
        self.assertTrue(kernels)
        self.assertFalse(kernels[:0])
        self.assertRaises(KeyError, lambda: kernels["time"])
        self.assertRaises(IndexError, lambda: kernels[len(kernels)])
        # Still a dict of its columns.
        self.assertIn("op", kernels)
        self.assertEqual({"idx", "op", "time_us"}, set(dict(kernels)))
        self.assertEqual(dict(kernels), {**kernels})
        self.assertEqual(kernels["idx"], json.loads(json.dumps(kernels))["idx"])

    def test_printing_shows_rows(self):
        made = self.opened("bert_small").sql(
            "SELECT 1 AS n, 2.5 AS x, 'a' || char(10) || 'b' AS text UNION ALL "
            "SELECT 10, NULL, '%s'" % ("y" * 50)
        )
        with mock.patch.dict(os.environ, COLUMNS="80"):
            self.assertEqual(
                " n    x  text\n"
                "--  ---  " + "-" * 40 + "\n"
                " 1  2.5  a\\nb\n"
                "10    -  " + "y" * 39 + "…\n"
                "sql: 2 rows, 3 columns",
                str(made),
            )
        with mock.patch.dict(os.environ, COLUMNS="8"):
            self.assertEqual(
                [" n    x", "not shown: text"], [str(made).splitlines()[i] for i in (0, 4)]
            )
        kernels = self.opened("bert_small").kernels()
        with mock.patch.dict(os.environ, COLUMNS="120"):
            lines = str(kernels).splitlines()
        self.assertEqual("...", lines[22])
        self.assertTrue(all(len(line) <= 120 for line in lines))
        shown = lines[0].split() + " ".join(lines[23:-1])[len("not shown: ") :].split(", ")
        self.assertEqual(list(kernels.keys()), shown)

    def test_notebooks_show_rows(self):
        table = self.opened("bert_small").sql("SELECT '<b>' AS a, NULL AS \"x&y\"")
        self.assertEqual(
            "<table><tr><th>a</th><th>x&amp;y</th></tr>"
            "<tr><td>&lt;b&gt;</td><td>-</td></tr></table>"
            "<p>sql: 1 row, 2 columns</p>",
            table._repr_html_(),
        )
        kernels = self.opened("bert_small").kernels("idx")
        self.assertEqual(21, kernels._repr_html_().count("<tr>"))

    def test_older_names_of_nsight_systems_reports(self):
        trace = self.opened("bert_small")
        self.assertEqual(trace.report("cuda_gpu_kern_sum"), trace.report("gpukernsum"))
        self.assertEqual("cuda_gpu_kern_sum", trace.report("gpukernsum").name)

    def test_as_a_program_it_is_prof_report(self):
        package = os.path.dirname(os.path.dirname(prof_trace.__file__))

        def run(**variables):
            return subprocess.run(
                [sys.executable, "-B", "-m", "prof_trace", "--list", "layers"],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "PYTHONPATH": package, **variables},
            )

        shown = subprocess.run(
            [os.path.join(BIN, "prof-report"), "--list", "layers"], capture_output=True, check=True
        )
        self.assertEqual((0, shown.stdout.decode()), (run().returncode, run().stdout))
        self.assertEqual(
            "prof_trace: PROF_REPORT: /nowhere: is not a program; set it to the path of prof-report\n",
            run(PROF_REPORT="/nowhere").stderr,
        )

    def test_a_folder_of_traces(self):
        folder = os.path.join(self.folder, "ranks")
        os.makedirs(folder)
        for i in range(2):
            shutil.copy(self.made("bert_small"), os.path.join(folder, "rank%d.db" % i))
        self.assertEqual(
            {"rank0.db", "rank1.db"}, set(prof_trace.open(folder).kernels("trace")["trace"])
        )

    def test_a_table_can_be_copied(self):
        table = self.opened("bert_small").kernels("op,grid")
        for made in (copy.copy(table), pickle.loads(pickle.dumps(table))):
            self.assertEqual(
                (table, table.name, table.columns, table.notes),
                (made, made.name, made.columns, made.notes),
            )

    def test_without_a_row_the_columns_stay(self):
        trace = self.opened("bert_small")
        for name, options in (
            ("kernels", {}),
            ("layers", {}),
            ("ops", {"by": "dir"}),
            ("ops", {"kind": "memcpy"}),
            ("cuda_gpu_kern_sum", {}),
            ("kernels", {"columns": "Op, idx"}),
        ):
            with self.subTest(name, **options):
                empty = trace.report(name, where="0", **options)
                self.assertEqual(list(trace.report(name, **options).keys()), list(empty.keys()))
                self.assertEqual({word: [] for word in empty.keys()}, empty)
                self.assertEqual(0, len(empty))
                self.assertEqual([], list(empty))
                self.assertEqual(empty.keys(), set(empty.columns))
        self.assertEqual({"a": [], "b c": []}, trace.sql('SELECT 1 AS a, 2 AS "b c" WHERE 0'))


class Rows(TraceTest):
    def test_options_of_the_trace(self):
        steps = self.opened("gpt_steps").kernels("step")["step"]
        known = sorted({step for step in steps if step is not None})
        one = self.opened("gpt_steps", step=known[1])
        self.assertEqual({known[1]}, set(one.kernels("step")["step"]))
        self.assertEqual({known[0]}, set(one.kernels("step", step=known[0])["step"]))
        self.assertEqual(steps, one.kernels("step", step=None)["step"])
        self.assertEqual({known[-1]}, set(one.kernels("step", step="last")["step"]))
        span = range(known[0], known[1] + 1)
        for step in (span, list(span), "%d-%d" % (span[0], span[-1])):
            self.assertEqual(set(span), set(one.kernels("step", step=step)["step"]))

    def test_ranges_ops_and_flags(self):
        trace = self.opened("nccl_torch", op="linear", dir=["fprop", "bprop"])
        self.assertEqual({"linear"}, set(trace.kernels("op")["op"]))
        inside = self.opened("nccl_torch", range="NCCL:ncclAllReduce").kernels("op")
        self.assertEqual(["all_reduce"] * 6 + ["barrier"], inside["op"])
        short = self.opened("nccl_torch", short_ranges=True).report("ranges")
        self.assertNotEqual(self.opened("nccl_torch", short_ranges=False).report("ranges"), short)
        for chosen in (True, False):  # The trace has no range of the process.
            one = self.opened("nccl_torch", process_ranges=chosen)
            self.assertEqual(
                trace.kernels("layer"), one.kernels("layer", op="linear", dir=["fprop", "bprop"])
            )

    def test_values_that_look_like_options_or_are_empty(self):
        trace = self.opened("bert_small")
        for op in ("", "-r", "--op=x", "a b"):
            table = trace.kernels("op", op=op)
            self.assertEqual(0, len(table))
            self.assertIn("nothing to show", table.notes)

    def test_several_traces(self):
        paths = [self.made("bert_small"), self.made("nccl_torch")]
        both = prof_trace.open(*paths).kernels(["idx", "trace"])
        self.assertEqual(["bert_small.db", "nccl_torch.db"], sorted(set(both["trace"])))
        self.assertEqual(list(range(1, len(both) + 1)), both["idx"])
        each = [len(prof_trace.open(path).kernels("idx")) for path in paths]
        self.assertEqual(sum(each), len(both))

    def test_notes(self):
        trace = self.opened("nccl_torch")
        kernels = trace.kernels("op")
        self.assertEqual(
            f"trace: {trace.paths[0]}, NVIDIA H200; shown: 86 kernels, 4.76 ms in kernels; "
            "steps 0-3 (5 kernels in no step)",
            kernels.notes[0],
        )
        self.assertEqual(
            ["warning: 22 of 86 kernels without a layer, a direction or a known op"],
            [note for note in kernels.notes if note.startswith("warning: ")],
        )
        self.assertEqual(
            "kernels: 86 rows, 1 column, the first 20 shown; 1 warning in its notes",
            repr(kernels).splitlines()[-1],
        )
        self.assertEqual([f"trace: {trace.paths[0]}, NVIDIA H200"], trace.notes)

    def test_lost_records_are_told(self):
        killed = self.opened("tests/golden/streams/killed.jsonl")
        self.assertIn("warning: 12,345 activity records dropped by CUPTI", killed.notes)


class Names(TraceTest):
    def test_paths(self):
        path = self.made("bert_small")
        for name in ("träce 数.db", "-f.db", "a,b.db", b"\xff.db"):
            with self.subTest(name):
                link = os.path.join(
                    os.fsencode(self.folder), name if isinstance(name, bytes) else name.encode()
                )
                os.symlink(path, link)
                trace = prof_trace.open(link)
                self.assertEqual(1, trace.sql("SELECT 1 AS a")["a"][0])

    def test_a_relative_path_stays(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        self.made("bert_small")
        os.chdir(self.folder)
        trace = prof_trace.open("bert_small.db")
        os.chdir(before)
        self.assertLess(0, len(trace.kernels("idx")))

    def test_texts(self):
        trace = self.opened("bert_small")
        for text in ("träce 数 \U0001f600", "a\nb\tc\x01", "\u2028", 'quoted "', "", "}\n]\n"):
            self.assertEqual([text], trace.sql("SELECT '%s' AS a" % text)["a"], repr(text))
        self.assertEqual(["\ufffd"], trace.sql("SELECT CAST(x'ff' AS TEXT) AS a")["a"])
        self.line_of(trace.sql, "SELECT '\udfff'")
        odd = self.opened("tests/golden/streams/odd_names.jsonl").kernels()
        self.assertEqual(
            [
                row["kernel_full"]
                for row in printed(self.made("tests/golden/streams/odd_names.jsonl"))
            ],
            odd["kernel_full"],
        )


class Reasons(TraceTest):
    """prof-report -f json says why values are null. Tables have the values alone."""

    def test_of_values(self):
        kernels = self.opened("bert_small").kernels(columns=["op", "m"], where="m IS NULL", top=3)
        self.assertEqual(["op", "m"], list(kernels.keys()))
        self.assertEqual([None] * 3, kernels["m"])

    def test_of_no_rows(self):
        comm = self.opened("bert_small").report("comm")
        self.assertEqual(0, len(comm))
        self.assertIn("op", comm.keys())
        self.assertIn("comm: there are no collectives", comm.notes)

    def test_a_column_of_that_name(self):
        self.assertEqual(
            [None, 1],
            self.opened("bert_small").sql("SELECT NULL AS absent UNION ALL SELECT 1")["absent"],
        )


class Sql(TraceTest):
    def typed(self, *values):
        selects = " UNION ALL ".join("SELECT %s AS a" % value for value in values)
        table = self.opened("bert_small").sql(selects)
        return table["a"], table.columns["a"].type

    def test_types_are_those_of_the_values(self):
        self.assertEqual(
            ([1, None, -(2**63)], "integer"), self.typed("1", "NULL", "-9223372036854775808")
        )
        self.assertEqual(([2.0, 2.5, None], "real"), self.typed("2.0", "2.5", "NULL"))
        self.assertEqual(
            ["float", "float"], [value.__class__.__name__ for value in self.typed("1", "2.5")[0]]
        )
        self.assertEqual(([1, "x"], "text"), self.typed("1", "'x'"))
        self.assertEqual(([None], "text"), self.typed("NULL"))
        self.assertEqual(([2**63 - 1, 0.5], "real"), self.typed("9223372036854775807", "0.5"))

    def test_tables_of_prof_report(self):
        trace = self.opened("bert_small")
        sums = trace.sql(
            "SELECT op, count(*) AS kernels, sum(time_ns) / 1e3 AS time_us "
            "FROM attributed_kernels GROUP BY op"
        )
        self.assertEqual(len(trace.kernels("idx")), sum(sums["kernels"]))
        self.assertEqual("real", sums.columns["time_us"].type)

    def test_threads(self):
        trace, tables = self.opened("bert_small"), []
        threads = [
            threading.Thread(target=lambda: tables.append(trace.kernels())) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([tables[0]] * 4, tables)


if __name__ == "__main__":
    unittest.main()
