# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compressed columns and pages: each table equals what prof-report prints as JSON, and what is no such
file gets one line."""
import json
import os
import re
import shutil
import subprocess
import unittest

from trace_support import BIN, ROOT, TraceTest, prof_trace


def run(*arguments):
    return subprocess.run([os.path.join(BIN, "prof-report"), *arguments], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def frozen(value):
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def rows_of(text):
    return [{word: frozen(value) for word, value in row.items()} for row in json.loads(text)]


def printed(*arguments):
    return rows_of(run("-f", "json", *arguments).stdout)


class ReportsTest(TraceTest):
    """Reports as JSON, all of one run."""

    def printed_each(self, names, *paths):
        folder = os.path.join(self.folder, "json", "")
        run("-f", "json", "-r", ",".join(names), "-o", folder, *paths)
        for name in names:
            with open(f"{folder}{name}.json", encoding="utf-8") as file:
                yield name, rows_of(file.read())
        shutil.rmtree(folder)


class Columns(ReportsTest):
    def read(self, *arguments):
        path = os.path.join(self.folder, "made.columns")
        done = run("-o", path, *arguments)
        self.assertEqual(0, done.returncode, done.stderr)
        return prof_trace.read_columns(path)

    def test_every_report_of_every_kind_of_trace(self):
        for recording in ("bert_small", "nccl_torch", "gpt_graph"):
            trace = self.opened(recording)
            names = [name for name in trace.reports() if name != "diff"]
            document = self.read("-r", ",".join(names), *trace.paths)
            self.assertEqual(names, list(document))
            for name, expected in self.printed_each(names, *trace.paths):
                with self.subTest(recording=recording, report=name):
                    self.assertEqual(expected, list(document[name]))

    def test_types_are_those_of_reports(self):
        trace = self.opened("bert_small")
        expected, read = trace.kernels(), self.read("-r", "kernels", *trace.paths)["kernels"]
        self.assertEqual(expected, read)
        for word in expected.keys():
            self.assertEqual([value.__class__ for value in expected[word]],
                             [value.__class__ for value in read[word]], word)
            if any(value is not None for value in expected[word]):
                self.assertEqual(expected.columns[word], read.columns[word])

    def test_a_comparison(self):
        paths = [self.made("gpt_steps"), self.made("gpt_graph")]
        self.assertEqual(printed("-r", "diff", *paths),
                         list(self.read("-r", "diff", *paths)["diff"]))

    def test_values_of_every_kind(self):
        path = self.made("bert_small")
        for values in ("9223372036854775807", "-9223372036854775808", "0.1", "'é</script>'",
                       "NULL", "1", "1.5", "2.0", "''"):
            sql = f"SELECT {values} AS a UNION ALL SELECT {values}"
            self.assertEqual(printed("--sql", sql, path), list(self.read("--sql", sql, path)["sql"]))
        mixed = ("SELECT CASE n % 4 WHEN 0 THEN n WHEN 1 THEN n + 0.5 WHEN 2 THEN 'x' || n END AS a"
                 " FROM (WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c LIMIT"
                 " 70000) SELECT n FROM c)")
        self.assertEqual(printed("--sql", mixed, path), list(self.read("--sql", mixed, path)["sql"]))

    def test_rows_and_columns_are_chosen_as_ever(self):
        path = self.made("bert_small")
        chosen = ["-r", "ops", "--by", "dir,op", "--sort", "time_ns", "--top", "3", path]
        document = self.read(*chosen)
        self.assertEqual(printed(*chosen), list(document["ops"]))
        with open(os.path.join(self.folder, "made.columns"), encoding="utf-8") as file:
            self.assertEqual(["dir", "op"], json.load(file)["tables"][0]["keys"])

    def test_a_folder_has_a_file_for_each(self):
        folder = os.path.join(self.folder, "each") + "/"
        path = self.made("bert_small")
        run("-f", "columns", "-r", "layers,ops", "-o", folder, path)
        self.assertEqual(["layers.columns", "ops.columns"], sorted(os.listdir(folder)))
        for name in ("layers", "ops"):
            one = prof_trace.read_columns(folder + name + ".columns")
            self.assertEqual([printed("-r", name, path)], list(map(list, one.values())))

    def test_stdout_notes_and_traces(self):
        path = self.made("nccl_torch")
        done = run("-f", "columns", "-r", "layers,ops", path)
        document = json.loads(done.stdout)
        self.assertEqual(["layers", "ops"], [table["name"] for table in document["tables"]])
        self.assertEqual(["41 of 86 kernels without a layer, a direction or a known op"],
                         document["warnings"])
        self.assertNotIn(b"<", done.stdout)
        trace, = document["traces"]
        self.assertEqual(("nccl_torch.db", "NVIDIA H200"),
                         (trace["name"], trace["gpus"][0]["name"]))

    def test_a_damaged_trace_leaves_no_whole_document(self):
        path = os.path.join(self.folder, "cut.db")
        with open(self.made("bert_small"), "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[:len(data) // 2 // 4096 * 4096])
        done = run("-f", "columns", path)
        self.assertEqual(1, done.returncode)
        self.assertRaises(ValueError, json.loads, done.stdout)

    def test_the_example_of_the_documentation(self):
        with open(os.path.join(ROOT, "docs", "columns_format.md"), encoding="utf-8") as file:
            example = re.search("^```json\n(.*?)^```$", file.read(), re.M | re.S).group(1)
        path = os.path.join(self.folder, "example.columns")
        with open(path, "w", encoding="utf-8") as file:
            file.write(example)
        document = prof_trace.read_columns(path)
        self.assertEqual({"op": ["linear", "gelu", None], "time_us": [25.9, 1.2, 0.96]},
                         document["kernels"])
        # The same members as what prof-report writes.
        written = json.loads(run("-f", "columns", "-r", "ops", self.made("bert_small")).stdout)
        example = json.loads(example)
        for of in (lambda one: one, lambda one: one["traces"][0], lambda one: one["tables"][0],
                   lambda one: one["tables"][0]["columns"][0]):
            self.assertEqual(list(of(written)), list(of(example)))

    def test_what_is_no_document(self):
        path = os.path.join(self.folder, "odd")
        columns = os.path.join(self.folder, "good.columns")
        run("-r", "ops", "-o", columns, self.made("bert_small"))
        with open(columns, encoding="utf-8") as file:
            good = file.read()
        for text, line in (
                ("", "is not complete, or not of prof-report -f columns"),
                (good[:-10], "is not complete, or not of prof-report -f columns"),
                ("[]", "is not of prof-report -f columns"),
                (good.replace('"version":1', '"version":2', 1), "has version 2 of the columns format"),
                (re.sub('"data":"..', '"data":"AA', good, count=1), "is damaged: "),
                (re.sub('"encoding":"[a-z]*"', '"encoding":"x"', good, count=1), "is damaged: "),
                (good.replace('"chunks"', '"chunk"', 1), "is damaged: "),
                (re.sub('"rows":([0-9]+),"columns"', '"rows":1\\1,"columns"', good, count=1),
                 "is damaged: ")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIn(f"{path}: {line}", self.line_of(prof_trace.read_columns, path))
        with open(path, "wb") as file:
            file.write(b"\xff")
        self.assertIn("is not UTF-8", self.line_of(prof_trace.read_columns, path))
        self.assertIn("cannot be read: No such file", self.line_of(prof_trace.read_columns, path + "x"))
        self.assertIn("is not a page of", self.line_of(prof_trace.read_page, columns))


if __name__ == "__main__":
    unittest.main()
