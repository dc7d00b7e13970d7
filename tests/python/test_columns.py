# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compressed columns and pages: each table equals what prof-report prints as JSON, and what is no such
file gets one line."""
import gzip
import html
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from trace_support import BIN, ROOT, TraceTest, prof_trace, without_reasons


def run(*arguments):
    return subprocess.run(
        [os.path.join(BIN, "prof-report"), *arguments],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def frozen(value):
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def rows_of(text):
    return [
        {word: frozen(value) for word, value in row.items()}
        for row in without_reasons(json.loads(text))
    ]


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
            self.assertEqual(
                [value.__class__ for value in expected[word]],
                [value.__class__ for value in read[word]],
                word,
            )
            if any(value is not None for value in expected[word]):
                self.assertEqual(expected.columns[word], read.columns[word])

    def test_a_comparison(self):
        paths = [self.made("gpt_steps"), self.made("gpt_graph")]
        self.assertEqual(
            printed("-r", "diff", *paths), list(self.read("-r", "diff", *paths)["diff"])
        )

    def test_values_of_every_kind(self):
        path = self.made("bert_small")
        for values in (
            "9223372036854775807",
            "-9223372036854775808",
            "0.1",
            "'é</script>'",
            "NULL",
            "1",
            "1.5",
            "2.0",
            "''",
        ):
            sql = f"SELECT {values} AS a UNION ALL SELECT {values}"
            self.assertEqual(
                printed("--sql", sql, path), list(self.read("--sql", sql, path)["sql"])
            )
        mixed = (
            "SELECT CASE n % 4 WHEN 0 THEN n WHEN 1 THEN n + 0.5 WHEN 2 THEN 'x' || n END AS a"
            " FROM (WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c LIMIT"
            " 70000) SELECT n FROM c)"
        )
        self.assertEqual(
            printed("--sql", mixed, path), list(self.read("--sql", mixed, path)["sql"])
        )

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
        self.assertEqual(
            ["22 of 86 kernels without a layer, a direction or a known op"], document["warnings"]
        )
        self.assertNotIn(b"<", done.stdout)
        (trace,) = document["traces"]
        self.assertEqual(
            ("nccl_torch.db", "NVIDIA H200"), (trace["name"], trace["gpus"][0]["name"])
        )

    def test_a_damaged_trace_leaves_no_whole_document(self):
        path = os.path.join(self.folder, "cut.db")
        with open(self.made("bert_small"), "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data[: len(data) // 2 // 4096 * 4096])
        done = run("-f", "columns", path)
        self.assertEqual(1, done.returncode)
        self.assertRaises(ValueError, json.loads, done.stdout)

    def test_the_example_of_the_documentation(self):
        with open(os.path.join(ROOT, "docs", "formats", "columns.md"), encoding="utf-8") as file:
            example = re.search("^```json\n(.*?)^```$", file.read(), re.M | re.S).group(1)
        path = os.path.join(self.folder, "example.columns")
        with open(path, "w", encoding="utf-8") as file:
            file.write(example)
        document = prof_trace.read_columns(path)
        self.assertEqual(
            {"op": ["linear", "gelu", None], "time_us": [25.9, 1.2, 0.96]}, document["kernels"]
        )
        # The same members as what prof-report writes.
        written = json.loads(run("-f", "columns", "-r", "ops", self.made("bert_small")).stdout)
        example = json.loads(example)
        for of in (
            lambda one: one,
            lambda one: one["traces"][0],
            lambda one: one["tables"][0],
            lambda one: one["tables"][0]["columns"][0],
        ):
            self.assertEqual(list(of(written)), list(of(example)))

    def test_documents_of_every_version(self):
        folder = os.path.join(ROOT, "tests", "data", "columns")
        versions = sorted(
            int(name.split(".")[0]) for name in os.listdir(folder) if name.endswith(".gz")
        )
        written = run("-f", "columns", "-r", "ops", self.made("bert_small")).stdout
        self.assertEqual(list(range(1, json.loads(written)["version"] + 1)), versions)
        for version in versions:
            path = os.path.join(self.folder, "%d.columns" % version)
            with gzip.open(os.path.join(folder, "%d.columns.gz" % version)) as packed, open(
                path, "wb"
            ) as file:
                shutil.copyfileobj(packed, file)
            document = prof_trace.read_columns(path)
            with open(os.path.join(folder, "%d.json" % version), encoding="utf-8") as file:
                known = json.load(file)
            for name, of in known.items():
                table = document[name]
                self.assertEqual(of["rows"], len(table))
                self.assertEqual(of["sums"], {word: sum(table[word]) for word in of["sums"]})
                for row, at in (("first", 0), ("last", -1)):
                    found = {word: table[word][at] for word in of[row]}
                    self.assertEqual(of[row], json.loads(json.dumps(found)))

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
            (
                good.replace('"version":1,"prof_version":"', '"version":2,"prof_version":"7.', 1),
                "has version 2 of the columns format, and this prof_trace reads versions up to 1; "
                "use that of libprof 7.",
            ),
            (good.replace('"version":1', '"version":0', 1), "has version 0 of the columns"),
            (good.replace('"version":1', '"version":"1"', 1), "has version 1 of the columns"),
            (re.sub('"data":"..', '"data":"AA', good, count=1), "is damaged: "),
            (re.sub('"encoding":"[a-z]*"', '"encoding":"x"', good, count=1), "is damaged: "),
            (good.replace('"chunks"', '"chunk"', 1), "is damaged: "),
            (
                re.sub('"rows":([0-9]+),"columns"', '"rows":1\\1,"columns"', good, count=1),
                "is damaged: ",
            ),
        ):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assertIn(f"{path}: {line}", self.line_of(prof_trace.read_columns, path))
        with open(path, "wb") as file:
            file.write(b"\xff")
        self.assertIn("is not UTF-8", self.line_of(prof_trace.read_columns, path))
        self.assertIn(
            "cannot be read: No such file", self.line_of(prof_trace.read_columns, path + "x")
        )
        self.assertIn("is not a page of", self.line_of(prof_trace.read_page, columns))


class Pages(ReportsTest):
    def page(self, *arguments, name="page.html"):
        path = os.path.join(self.folder, name)
        done = run("--html", path, *arguments)
        self.assertEqual((0, b""), (done.returncode, done.stdout), done.stderr)
        return path

    def line(self, *arguments, code=1):
        done = run(*arguments)
        self.assertEqual(code, done.returncode)
        text = done.stderr.decode()
        self.assertEqual(1, text.count("\n"), text)
        return text

    def test_tables_are_those_of_reports(self):
        for recording in ("gpt_steps", "nccl_torch"):
            path = self.made(recording)
            tables = prof_trace.read_page(self.page(path))
            names = ["summary", "advice", "steps", "losses", "gemms", "comm", "clocks"]
            for name, expected in self.printed_each(names, path):
                with self.subTest(recording=recording, table=name):
                    self.assertEqual(expected, list(tables[name]))
            for name, report in (("work", "gpu"), ("groups", "headroom"), ("gaps", "gaps")):
                words = ",".join(tables[name].keys())
                self.assertEqual(printed("-r", report, "-c", words, path), list(tables[name]))
            idle = printed(
                "--sql",
                "SELECT device, step, cause, op, layer, start_ns, time_ns "
                "FROM device_times WHERE state = 'idle'",
                path,
            )
            self.assertEqual(
                idle, [{word: row[word] for word in idle[0]} for row in tables["idle"]]
            )
            self.assertEqual(
                len(printed("--sql", "SELECT 1 AS a FROM nvtx_ranges", path)), len(tables["ranges"])
            )

    def test_two_traces_are_compared(self):
        paths = [self.made("gpt_steps"), self.made("gpt_graph")]
        tables = prof_trace.read_page(self.page(*paths))
        of_page = [
            {word: cell for word, cell in row.items() if word != "gpu"} for row in tables["diff"]
        ]
        self.assertEqual(printed("-r", "diff", *paths), of_page)
        for side, path in zip(("base", "new"), paths):
            words = ",".join(
                word for word in tables[f"{side}:groups"].keys() if word not in ("trace", "rank")
            )
            rows = [
                {word: row[word] for word in words.split(",")} for row in tables[f"{side}:groups"]
            ]
            self.assertEqual(printed("-r", "headroom", "-c", words, path), rows)
        named = prof_trace.read_page(self.page("--base", paths[1], "--new", paths[0]))
        self.assertEqual(tables["base:work"], named["new:work"])

    def test_ranks_of_a_run_are_no_comparison(self):
        paths = []
        for rank in range(2):
            stream = os.path.join(self.folder, f"rank{rank}.jsonl")
            subprocess.run(
                f"zcat tests/data/nccl_torch.jsonl.gz | sed "
                f'\'2i {{"record":"meta","key":"env.RANK","value":"{rank}"}}\''
                f" > {stream}",
                shell=True,
                check=True,
                cwd=ROOT,
            )
            paths.append(stream.replace(".jsonl", ".db"))
            subprocess.run(
                [os.path.join(BIN, "prof-import"), "-o", paths[-1], stream],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        tables = prof_trace.read_page(self.page(*paths))
        self.assertIn("stragglers", tables)
        self.assertNotIn("diff", tables)
        self.assertEqual({0, 1}, set(tables["work"]["rank"]))

    def test_of_many_ranks_those_that_matter_are_there_in_full(self):
        folder = os.path.join(self.folder, "ranks")
        cause = "rank=7,kind=gpu,ms=0.8,layer=h.1:mlp:c_fc,op=linear,dir=bprop"
        subprocess.run(
            [
                sys.executable,
                os.path.join(ROOT, "tests/bench/make_ranks.py"),
                folder,
                "--bin",
                BIN,
                "--ranks",
                "12",
                "--steps",
                "6",
                "--cause",
                cause,
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        tables = prof_trace.read_page(self.page(folder))
        shown = set(tables["work"]["rank"])
        self.assertIn(7, shown)
        self.assertLessEqual(len(shown), 3)
        for name in ("summary", "steps", "groups", "launch", "ranges", "idle"):
            table = tables[name]
            ranks = (
                table["rank"]
                if "rank" in table.keys()
                else [int(trace[4:-3]) for trace in table["trace"]]
            )
            self.assertEqual(shown, set(ranks), name)
        self.assertEqual("rank7.db", tables["summary"]["trace"][0])  # the page opens with it
        self.assertEqual(set(range(12)), set(tables["ranks"]["rank"]))
        self.assertEqual(7, tables["stragglers"]["rank"][0])
        self.assertEqual(12, len(tables.traces))
        self.assertTrue(
            any(
                f"of 12 ranks the page has {len(shown)} in full: rank 7 (" in note
                for note in tables.notes
            ),
            tables.notes,
        )
        self.assertFalse([note for note in tables.notes if "no trace here" in note])
        # Each rank's waits are for all others, as without the page.
        waits = printed("-r", "steps", "-c", "rank,step,waits_pct", folder)
        self.assertEqual(
            [row for row in waits if row["rank"] == 7],
            [{word: row[word] for word in waits[0]} for row in tables["steps"] if row["rank"] == 7],
        )
        tables = prof_trace.read_page(self.page("--rank", "3", folder))
        self.assertEqual({3}, set(tables["work"]["rank"]))
        self.assertEqual(set(range(12)), set(tables["ranks"]["rank"]))

    def test_rows_may_be_chosen(self):
        tables = prof_trace.read_page(self.page("--step", "3", self.made("gpt_steps")))
        self.assertEqual({3}, set(tables["work"]["step"]))

    def test_hostile_names_end_no_script(self):
        path = self.page(self.made("tests/golden/streams/odd_names.jsonl", "<img src=x>.db"))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(3, text.count('<script type="application/json"'))
        self.assertNotIn("<img", text)
        self.assertIn("&lt;img src=x>.db</title>", text)
        for script in re.findall('<script type="application/json".*?>(.*?)</script>', text, re.S):
            self.assertNotIn("<", script)
            json.loads(script)

    def test_mistakes_have_one_line(self):
        trace = self.made("bert_small")
        copy = shutil.copy(trace, os.path.join(self.folder, "copy.db"))
        self.assertIn("is the trace itself", self.line("--html", trace, trace))
        self.assertIn("exists and is not a page", self.line("--html", copy, trace))
        self.assertIn(
            "cannot be written: No such file or directory",
            self.line("--html", os.path.join(self.folder, "none", "a.html"), trace),
        )
        self.assertIn("No space left on device", self.line("--html", "/dev/full", trace))
        odd = os.path.join(self.folder, "odd.db")
        with open(odd, "wb") as file:
            file.write(b"odd")
        self.assertIn("odd.db: ", self.line("--html", "a.html", trace, odd))
        empty = self.made("tests/golden/streams/empty.jsonl")
        self.assertIn(
            "no kernel, copy or set to show",
            self.line("--html", os.path.join(self.folder, "empty.html"), empty),
        )
        self.assertFalse(os.path.exists(os.path.join(self.folder, "empty.html")))
        for option in (["-r", "ops"], ["-f", "csv"], ["-o", "x"], ["--top", "3"]):
            self.assertIn(
                "does not go with --html", self.line("--html", "a.html", *option, trace, code=2)
            )

    def test_a_notebook_shows_it_in_a_frame_of_its_own(self):
        trace = self.opened("nccl_torch")
        page = trace.show()
        frame = page._repr_html_()
        self.assertTrue(frame.startswith('<iframe sandbox="allow-scripts" srcdoc="'))
        source = re.search('srcdoc="([^"]*)"', frame).group(1)
        self.assertEqual(page.text, html.unescape(source))
        self.assertEqual(
            ["warning: 22 of 86 kernels without a layer, a direction or a known op"], page.notes
        )
        self.assertEqual(list(trace.gpu("idx,kernel")["kernel"]), page.tables["work"]["kernel"])
        saved = os.path.join(self.folder, "saved.html")
        page.save(saved)
        self.assertEqual(page.tables, prof_trace.read_page(saved))
        self.assertEqual({3}, set(trace.show(step=3).tables["work"]["step"]))


if __name__ == "__main__":
    unittest.main()
