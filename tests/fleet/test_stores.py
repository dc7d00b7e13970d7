#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Stores of other versions of prof-fleet's tables: older ones are migrated, newer ones refused.

tests/fleet/stores has, for each version of the tables, the statements that its prof-fleet made a store with
(VERSION.sql.gz, one a line), and what questions say of it (VERSION.json).

usage: test_stores.py [--rebase]; PROF_BIN_DIR names the programs' folder"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import fleets
from fleets import BIN, Fleet, make_run

STORES = sorted((pathlib.Path(__file__).parent / "stores").glob("*.sql.gz"))
#: Of which the answers are known; the others, whose judgement may become better, are asked.
KNOWN = (("runs",), ("top", "--by", "layer,op,dir"), ("flops",))
OTHERS = (("history",), ("spread",), ("stragglers",), ("hosts",), ("regress", "a", "b"))
PRESENT = int(
    re.search(
        r"Version (\d+)",
        subprocess.run(
            [BIN / "prof-fleet", "tables"], check=True, text=True, capture_output=True
        ).stdout,
    )[1]
)

# Statements of a file, one a line, by chDB itself; what they answer. Of stdin chDB would insert rows.
_EXECUTE = """
import ctypes, sys
chdb = ctypes.CDLL(sys.argv[1])
words = (ctypes.c_char_p * 2)(b"test", b"--path=" + sys.argv[2].encode())
chdb.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
for name in ("chdb_query_n", "chdb_result_error", "chdb_result_buffer", "chdb_result_length"):
    getattr(chdb, name).restype = ctypes.c_void_p
opened = chdb.chdb_connect(2, words)
connection = ctypes.c_void_p(opened[0])
for line in open(sys.argv[3], "rb"):
    answer = ctypes.c_void_p(chdb.chdb_query_n(connection, line, ctypes.c_size_t(len(line)), b"TSV",
                                               ctypes.c_size_t(3)))
    error = chdb.chdb_result_error(answer)
    if error and ctypes.string_at(error):
        sys.exit(ctypes.string_at(error).decode())
    if chdb.chdb_result_length(answer):
        print(ctypes.string_at(chdb.chdb_result_buffer(answer), chdb.chdb_result_length(answer)).decode(), end="")
chdb.chdb_close_conn(opened)
"""


def execute(store, statements):
    """Carries out statements, each a line, as another version of prof-fleet would have."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(statements)
        file.flush()
        done = subprocess.run(
            [sys.executable, "-c", _EXECUTE, fleets.engine(), str(store), file.name],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.splitlines()


class Stores(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.store = Fleet(self.folder / "store")

    def make(self, packed):
        """The store of a version, and that version."""
        pathlib.Path(self.store.store).mkdir()
        execute(self.store.store, gzip.decompress(packed.read_bytes()).decode())
        return int(packed.name.split(".")[0])

    def columns(self):
        return execute(
            self.store.store,
            "SELECT table, name, type FROM system.columns WHERE database = 'prof' "
            "ORDER BY table, name",
        )

    def refused(self, *words):
        lines = self.store.run(*words, status=1).stderr.splitlines()
        self.assertEqual(len(lines), 1, lines)
        return lines[0]

    def answers(self):
        return {" ".join(words): self.store.lines(*words) for words in KNOWN}

    def test_there_is_one_of_each_version(self):
        self.assertEqual(
            [int(path.name.split(".")[0]) for path in STORES], list(range(1, PRESENT + 1))
        )

    def test_each_version_answers_as_it_did_and_takes_more(self):
        new = Fleet(self.folder / "new")
        new.run("init")
        for packed in STORES:
            with self.subTest(packed.name), tempfile.TemporaryDirectory() as folder:
                self.folder = pathlib.Path(folder)
                self.store = Fleet(self.folder / "store")
                if self.make(packed) < PRESENT:
                    self.assertIn("prof-fleet init adds what they lack", self.refused("runs"))
                    self.store.run("init")
                expected = packed.with_name(packed.name.replace(".sql.gz", ".json"))
                if REBASE:
                    expected.write_text(json.dumps(self.answers(), indent=1) + "\n")
                found, expected = self.answers(), json.loads(expected.read_text())
                for question, lines in expected.items():
                    # A question may have got more columns.
                    known = [{word: line[word] for word in lines[0]} for line in found[question]]
                    self.assertEqual(known, lines, question)
                for words in OTHERS:
                    self.assertIsNotNone(self.store.lines(*words))
                self.store.add(make_run(self.folder / "more", "--ranks", "1"), "--run", "more")
                self.assertEqual(
                    {line["run"]: line["ranks"] for line in self.store.lines("runs")},
                    {"a": "2", "b": "2", "more": "1"},
                )
                made = self.columns()
                self.store = new
                self.assertLessEqual(set(self.columns()), set(made))

    def test_what_an_older_version_lacks_is_added(self):
        """The present tables without a table, and without columns in the middle of another."""
        self.make(STORES[-1])
        whole, rows = self.columns(), self.store.count("facts")
        execute(
            self.store.store,
            "ALTER TABLE prof.facts DROP COLUMN flops\n"
            "ALTER TABLE prof.facts DROP COLUMN kernel\n"
            "DROP TABLE prof.device_states\n"
            "TRUNCATE TABLE prof.store_version\n",
        )
        self.assertIn(
            "its tables are of version 0, and this prof-fleet needs version", self.refused("runs")
        )
        self.assertIn(
            "prof-fleet init adds what they lack, and keeps all rows", self.refused("top")
        )
        self.store.add(make_run(self.folder / "more", "--ranks", "1"), "--run", "more")
        self.assertEqual(self.columns(), whole)
        facts = self.store.lines(
            "sql",
            "SELECT run, sum(sum_ns) AS time, countIf(kernel = '') AS without, "
            "countIf(flops IS NOT NULL) AS with FROM {facts} GROUP BY run ORDER BY run",
        )
        self.assertEqual([line["run"] for line in facts], ["a", "b", "more"])
        self.assertEqual([line["with"] for line in facts[:2]], ["0", "0"])
        self.assertNotEqual(facts[2]["with"], "0")
        self.assertGreater(self.store.count("facts"), rows)

    def test_a_newer_one_is_refused(self):
        self.make(STORES[-1])
        execute(self.store.store, "INSERT INTO prof.store_version VALUES (99)\n")
        for words in (
            ("runs",),
            ("init",),
            ("sql", "SELECT 1"),
            ("add", make_run(self.folder / "r", "--ranks", "1")),
        ):
            self.assertRegex(
                self.refused(*words),
                r"store: its tables are of version 99, and this prof-fleet, [\d.]+, "
                rf"knows versions up to {PRESENT}; use a newer prof-fleet$",
            )


REBASE = "--rebase" in sys.argv

if __name__ == "__main__":
    fleets.need(fleets.engine(), "chDB (npm install -g @chdb/lib-linux-x64-gnu)")
    unittest.main(argv=[word for word in sys.argv if word != "--rebase"])
