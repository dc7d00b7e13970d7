#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What was added is what is counted, whatever happens meanwhile: twice the same, kills, full disks, hostile
names, servers that die or refuse.

usage: test_add.py; PROF_BIN_DIR names the programs' folder"""
import gzip
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import fleets
import proxy
import servers
from fleets import BIN, ROOT, Fleet, make_run

RANKS = 4


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    Case.made = pathlib.Path(folder.name) / "run"
    make_run(Case.made, "--ranks", RANKS)


class Case(unittest.TestCase):
    made = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.store = Fleet(self.folder / "store")

    def another_trace(self, number):
        """The same trace as other bytes."""
        path = self.folder / f"another{number}.db"
        path.write_bytes((self.made / "rank0.db").read_bytes() + bytes(4096 * (number + 1)))
        return path

    def error(self, *words, status=1, store=None):
        """The only line on stderr."""
        lines = (store or self.store).run(*words, status=status).stderr.splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith("prof-fleet: "), lines)
        return lines[0]


class Folders(Case):
    def test_twice_is_once(self):
        self.assertRegex(self.store.add(self.made), r"^4 traces added, [\d,]+ rows$")
        facts, collectives = self.store.count("facts"), self.store.count("collectives")
        self.assertEqual(
            self.store.add(self.made), "0 traces added, 0 rows; 4 traces are there already"
        )
        shutil.copyfile(self.made / "rank0.db", self.folder / "copy.db")
        self.assertEqual(
            self.store.add(self.folder / "copy.db"),
            "0 traces added, 0 rows; 1 trace is there already",
        )
        self.assertEqual(
            (self.store.count("facts"), self.store.count("collectives"), self.store.count("added")),
            (facts, collectives, RANKS + 1),
        )

    def test_ranks_that_come_later(self):
        self.store.add(self.made / "rank0.db", self.made / "rank1.db", "--run", "r")
        few = self.store.count("collectives")
        self.store.add(self.made / "rank2.db", self.made / "rank3.db", "--run", "r")
        self.assertEqual(self.store.count("collectives"), few, "of the first two ranks of two")
        self.store.add(self.made, "--run", "r")
        self.assertEqual(self.store.lines("runs")[0]["ranks"], str(RANKS))
        self.assertEqual(self.store.count("collectives"), 2 * few)

    def test_a_run_is_chosen_by_a_label_of_one_of_its_traces(self):
        self.store.add(self.made / "rank0.db", "--run", "r", "--job", "j", "--label", "k=v")
        self.store.add(self.made / "rank1.db", "--run", "r")
        for choice in (("--job", "j"), ("--label", "k=v"), ("--run", "r")):
            self.assertEqual(self.store.lines("top", *choice)[0]["ranks"], "2", choice)

    def test_traces_that_are_there_keep_their_run(self):
        self.store.add(self.made / "rank0.db", "--run", "r")
        self.store.add(self.made, "--run", "other")
        self.assertEqual(
            [(line["run"], line["ranks"]) for line in self.store.lines("runs")],
            [("other", "3"), ("r", "1")],
        )
        self.assertEqual(
            {line["run"] for line in self.store.lines("sql", "SELECT run FROM {collectives}")},
            {"other"},
        )

    def test_what_cannot_be_asked(self):
        self.store.add(self.made / "rank0.db", "--run", "r")
        for words, said in (
            (("regress", "r", "s"), "s: no such run"),
            (("top", "--by", ""), "no column"),
            (("top", "--by", "nope"), "is no column of facts"),
            (("runs", "--op", "x"), "leave out --op"),
            (("sql", "SELECT 1 FORMAT CSV"), "states a FORMAT"),
        ):
            self.assertIn(said, self.error(*words))
        for words, said in (
            (("regress", "r"), "regress: name a store and two runs; prof-fleet regress STORE A B"),
            (("runs", "--label", "x"), "KEY=VALUE"),
            (("top", "--limit", "0"), "--limit"),
        ):
            self.assertIn(said, self.error(*words, status=2))

    def test_a_bad_trace_is_said_and_skipped(self):
        damaged = self.folder / "damaged.db"
        damaged.write_bytes((self.made / "rank0.db").read_bytes()[:5000])
        done = self.store.run(
            "add", damaged, self.made / "rank1.db", self.folder / "none.db", status=1
        )
        self.assertRegex(done.stdout, r"^1 trace added, [\d,]+ rows; 2 left out\n$")
        self.assertEqual(len(done.stderr.splitlines()), 2)
        self.assertEqual(self.store.count("added"), 1)

    def test_traces_of_every_schema_version(self):
        kernels = {}
        for packed in sorted((ROOT / "tests/data/traces").glob("*.db.gz")):
            path = self.folder / packed.stem
            path.write_bytes(gzip.decompress(packed.read_bytes()))
            with sqlite3.connect(path) as db:
                kernels[packed.stem] = db.execute(
                    "SELECT count(*), sum(duration_ns) FROM kernel"
                ).fetchone()
            self.store.add(path, "--run", packed.stem)
        counted = self.store.lines(
            "sql",
            "SELECT run, sum(count) AS kernels, sum(sum_ns) AS time FROM {facts} "
            "WHERE kind = 'kernel' GROUP BY run",
        )
        self.assertEqual(
            {line["run"]: (int(line["kernels"]), int(line["time"])) for line in counted}, kernels
        )

    def test_nothing_to_add_makes_no_store(self):
        self.assertIn("none.db", self.error("add", self.folder / "none.db"))
        self.assertFalse((self.folder / "store").exists())

    def test_hostile_names(self):
        names = [
            "it's",
            'a "b" `c`',
            "tab\tline\nend",
            "back\\slash\\",
            "{facts}",
            "%_*",
            "'; DROP TABLE prof.facts; --",
            "\u00fcml\u00e4ut \U0001f525",
            " ",
        ]
        for index, name in enumerate(names):
            self.store.add(
                self.another_trace(index), "--run", name, "--job", name, "--label", f"k={name}"
            )
        self.assertEqual(sorted(line["run"] for line in self.store.lines("runs")), sorted(names))
        for name in names:
            for choice in ("--run", "--job"):
                self.assertEqual(
                    [line["run"] for line in self.store.lines("runs", choice, name)], [name]
                )
            self.assertEqual(
                [line["run"] for line in self.store.lines("runs", "--label", f"k={name}")], [name]
            )
            self.assertEqual(
                {line["verdict"] for line in self.store.lines("regress", name, name)}, {"same"}
            )

    def test_killed_at_any_time(self):
        """Whatever a kill leaves does not count, and the next call adds the rest."""
        whole = Fleet(self.folder / "whole")
        whole.add(self.made)
        expected = {
            table: whole.count(table) for table in ("facts", "steps", "collectives", "added")
        }
        for after_ms in (300, 500, 700, 900):
            process = subprocess.Popen(
                [BIN / "prof-fleet", "add", self.store.store, self.made],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(after_ms / 1000)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.store.add(self.made)
        self.assertEqual({table: self.store.count(table) for table in expected}, expected)

    def test_full_disk(self):
        command = f'ulimit -f 200; exec "{BIN}/prof-fleet" add "{self.store.store}" "{self.made}"'
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False, timeout=120
        )
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_one_process_at_a_time(self):
        self.store.add(self.made / "rank0.db")
        with open(self.folder / "store/prof-fleet.lock", "wb") as lock:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assertIn("another prof-fleet has it open", self.error("runs"))

    def test_sql_only_reads(self):
        self.store.add(self.made / "rank0.db")
        self.assertIn(
            "only statements that read",
            self.error("sql", "INSERT INTO prof.store_version VALUES (99)"),
        )
        self.assertIn("semicolon", self.error("sql", "SELECT 1; DROP TABLE prof.facts"))
        file = self.folder / "mine.txt"
        file.write_text("precious")
        facts = self.store.count("facts")
        for sql in (
            "WITH y AS (SELECT * FROM prof.facts) INSERT INTO prof.facts SELECT * FROM y",
            "WITH 1 AS x /* y */ insert\ninto prof.facts SELECT * FROM prof.facts",
            f"SELECT 1 INTO OUTFILE '{file}' TRUNCATE",
            f"(SELECT 1) into/**/outfile '{file}'",
        ):
            self.assertIn("only statements that read", self.error("sql", sql))
        for sql in (
            "SELECT 1 FORMAT\nCSV",
            "SELECT 1 FORMAT CSV SETTINGS format_csv_delimiter='x'",
        ):
            self.assertIn("states a FORMAT", self.error("sql", sql))
        self.assertEqual((self.store.count("facts"), file.read_text()), (facts, "precious"))
        self.assertEqual(
            self.store.lines(
                "sql", "SELECT format('{}; INSERT', 'a') AS f, -- FORMAT CSV\n 'it''s' AS g"
            ),
            [{"f": "a; INSERT", "g": "it's"}],
        )

    def test_integers_of_any_size(self):
        self.store.add(self.made / "rank0.db")
        largest = {"a": 2**63 - 1, "b": 2**64 - 1, "c": -(2**63), "d": 2**100}
        (line,) = self.store.lines(
            "sql",
            "SELECT toInt64(9223372036854775807) AS a, toUInt64(18446744073709551615) AS b,"
            " toInt64('-9223372036854775808') AS c, toInt128('%d') AS d" % largest["d"],
        )
        self.assertEqual(line, {name: str(value) for name, value in largest.items()})

    def test_names_that_are_the_engines(self):
        for name in ("system", ""):
            self.assertIn(
                "is no database for a store", self.error("add", self.made, "--database", name)
            )

    def test_tables_are_as_documented(self):
        text = subprocess.run(
            [BIN / "prof-fleet", "tables"], capture_output=True, text=True, check=True
        ).stdout
        self.assertEqual(
            (fleets.ROOT / "docs/fleet_tables.md").read_text(),
            text,
            "prof-fleet tables > docs/fleet_tables.md",
        )

    def test_what_is_no_store(self):
        self.assertIn("there is no such store", self.error("runs"))
        self.assertIn("is a file", self.error("runs", store=Fleet(self.made / "rank0.db")))
        self.assertIn("the store's name is empty", self.error("runs", store=Fleet("")))
        self.assertIn("is no store", self.error("runs", store=Fleet("ftp://x")))
        missing = Fleet(self.folder / "store", variables={"PROF_CHDB": "/nowhere/libchdb.so"})
        self.assertIn("npm install", self.error("add", self.made, store=missing))


@unittest.skipUnless(servers.SERVER, "clickhouse-server is not installed")
class Servers(Case):
    @classmethod
    def setUpClass(cls):
        """Bytes of the longest connection that adding the run takes."""
        sent = []
        with tempfile.TemporaryDirectory() as folder, servers.servers(
            pathlib.Path(folder) / "s"
        ) as (server,):
            with proxy.proxy(server.http, sent.append) as between:
                Fleet(between.url).add(cls.made)
        cls.largest_request = max(sent)

    def test_password(self):
        with servers.servers(self.folder / "s", user="writer", password="secret") as (server,):
            credentials = self.folder / "credentials"
            credentials.write_text("writer:secret\n")
            named = {"PROF_FLEET_CREDENTIALS": str(credentials)}
            self.assertIn("PROF_FLEET_USER", self.error("runs", store=Fleet(server.url)))
            wrong = {"PROF_FLEET_USER": "writer", "PROF_FLEET_PASSWORD": "other"}
            line = self.error("runs", store=Fleet(server.url, variables=wrong))
            self.assertNotIn("other", line)
            credentials.chmod(0o644)
            self.assertIn("chmod 600", self.error("runs", store=Fleet(server.url, variables=named)))
            credentials.chmod(0o600)
            store = Fleet(server.url, variables=named)
            store.add(self.made)
            self.assertEqual(store.count("added"), RANKS + 1)
            self.assertIn(
                "seen by others",
                self.error("runs", store=Fleet(server.url.replace("//", "//writer:secret@"))),
            )

    def test_a_server_that_dies_and_comes_back(self):
        with servers.servers(self.folder / "s") as (server,):
            store = Fleet(server.url)
            store.add(self.made / "rank0.db", "--run", "r")
            added = store.count("facts")
            back = threading.Timer(1.5, server.begin)
            server.kill()
            back.start()
            # Tried again until it is back.
            self.assertRegex(store.add(self.made, "--run", "r"), "^3 traces added")
            back.join()
            server.wait()
            expected = Fleet(self.folder / "store")
            expected.add(self.made, "--run", "r")
            for table in ("facts", "steps", "collectives", "added"):
                self.assertEqual(store.count(table), expected.count(table), table)
            self.assertGreater(store.count("facts"), added)

    def test_a_server_that_dies_in_the_midst_of_an_insert(self):
        """Of the largest request a part has come when the server is killed; then it comes back."""
        expected = Fleet(self.folder / "store")
        expected.add(self.made, "--run", "r")
        most = self.largest_request
        for share in (0.2, 0.9):
            with servers.servers(self.folder / f"s{share}") as (server,):
                died = []

                def die(sent, server=server, died=died, share=share):
                    if died or sent < share * most:
                        return False
                    died.append(sent)
                    time.sleep(0.2)  # what was sent before is read
                    server.kill()
                    threading.Timer(1, server.begin).start()
                    return True

                Fleet(server.url).run("init")
                with proxy.proxy(server.http, die) as between:
                    self.assertRegex(
                        Fleet(between.url).add(self.made, "--run", "r"), "^4 traces added"
                    )
                self.assertTrue(died)
                for table in ("facts", "steps", "collectives", "added"):
                    self.assertEqual(
                        Fleet(server.url).count(table), expected.count(table), (share, table)
                    )

    def test_answers_that_are_lost(self):
        """Each connection breaks once, after some more bytes of a request than the last time."""
        with servers.servers(self.folder / "s") as (server,):
            Fleet(server.url).run("init")
            most, cuts = self.largest_request, []

            def cut(sent):
                if len(cuts) >= 3 or sent < most * (0.3 + 0.3 * len(cuts)):
                    return False
                cuts.append(sent)
                return True

            with proxy.proxy(server.http, cut) as between:
                store = Fleet(between.url)
                store.add(self.made, "--run", "r")
                self.assertEqual(len(cuts), 3)
                expected = Fleet(self.folder / "store")
                expected.add(self.made, "--run", "r")
                for table in ("facts", "steps", "collectives", "added"):
                    self.assertEqual(store.count(table), expected.count(table), table)

    def test_tls(self):
        pair = proxy.certificate(self.folder, "127.0.0.1")
        with servers.servers(self.folder / "s", user="writer", password="secret") as (server,):
            with proxy.proxy(server.http, tls=pair) as between:
                named = {"PROF_FLEET_USER": "writer", "PROF_FLEET_PASSWORD": "secret"}
                self.assertIn(
                    "PROF_FLEET_CA", self.error("runs", store=Fleet(between.url, variables=named))
                )
                missing = {**named, "PROF_FLEET_CA": str(self.folder / "none.pem")}
                self.assertIn(
                    "PROF_FLEET_CA", self.error("runs", store=Fleet(between.url, variables=missing))
                )
                plain = Fleet(between.url.replace("https:", "http:"), variables=named)
                self.error("runs", store=plain)
                store = Fleet(between.url, variables={**named, "PROF_FLEET_CA": pair[0]})
                store.add(self.made)
                self.assertEqual(store.count("added"), RANKS + 1)

    def test_another_version(self):
        with servers.servers(self.folder / "s") as (server,):
            store = Fleet(server.url)
            store.run("init")
            server.execute("INSERT INTO prof.store_version VALUES (99)")
            for words in (("runs",), ("add", self.made)):
                self.assertIn("its tables are of version 99", self.error(*words, store=store))

    def test_what_an_older_version_lacks_is_added_on_each_server(self):
        with servers.servers(self.folder / "s", 2) as started:
            stores = [Fleet(server.url) for server in started]
            for store in stores:
                store.run("init", "--cluster", servers.CLUSTER)
            stores[0].add(self.made, "--run", "r")
            rows = stores[1].count("facts")
            for server in started:
                for statement in (
                    "ALTER TABLE prof.facts DROP COLUMN flops",
                    "DROP TABLE prof.losses",
                    "ALTER TABLE prof.facts_shard DROP COLUMN flops",
                    "DROP TABLE prof.losses_shard",
                    "TRUNCATE TABLE prof.store_version",
                ):
                    server.execute(statement)
            self.assertIn(
                "prof-fleet init adds what they lack", self.error("runs", store=stores[0])
            )
            self.assertIn(
                "prof-fleet init with --cluster, for each server",
                self.error("add", self.made, store=stores[0]),
            )
            for store in stores:
                store.run("init", "--cluster", servers.CLUSTER)
            self.assertEqual((stores[0].count("facts"), stores[0].count("losses")), (rows, 0))
            stores[1].add(self.another_trace(1), "--run", "s")
            self.assertEqual(
                stores[0].lines(
                    "sql",
                    "SELECT sum(flops IS NOT NULL) > 0 AS has FROM {facts} GROUP BY run "
                    "ORDER BY run",
                ),
                [{"has": "0"}, {"has": "1"}],
            )
            self.assertGreater(stores[0].count("losses"), 0)

    def test_no_server(self):
        port = servers.free_ports(1)[0]
        self.assertIn(
            "is the server running", self.error("runs", store=Fleet(f"http://127.0.0.1:{port}"))
        )


if __name__ == "__main__":
    os.environ["PROF_CHDB"] = fleets.need(
        fleets.engine(), "chDB (npm install -g @chdb/lib-linux-x64-gnu)"
    )
    unittest.main(argv=sys.argv)
