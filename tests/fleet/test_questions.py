#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What is planted in made-up runs is found, what is not is not, and every question has the same answer
in a folder, on a server and on a cluster of three.

usage: test_questions.py; PROF_BIN_DIR names the programs' folder"""
import csv
import io
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import unittest

import fleets
import servers
from fleets import BIN, Fleet, difference, make_run

PLACE = "layer=h.1:mlp:c_fc,op=linear,dir=bprop"
# Three runs in which nothing is planted, one with a rank whose kernels of a place take longer, one
# in which those of all ranks do, one with a slow host.
RUNS = {
    "clean1": ("--seed", 1),
    "clean2": ("--seed", 2),
    "clean3": ("--seed", 3),
    "rank": ("--seed", 4, "--cause", f"rank=1,kind=gpu,ms=1.5,{PLACE}"),
    "fewer": ("--seed", 7, "--leave-out", 5),
    "all": (
        "--seed",
        5,
        *[
            word
            for rank in range(8)
            for word in ("--cause", f"rank={rank},kind=gpu,ms=0.05,{PLACE}")
        ],
    ),
    "host": (
        "--seed",
        6,
        *[word for rank in (2, 3) for word in ("--cause", f"rank={rank},kind=clocks,factor=1.1")],
    ),
}
CLEAN = [name for name in RUNS if name.startswith("clean")]
QUESTIONS = (
    ("runs",),
    ("top",),
    ("top", "--by", "layer,kernel", "--op", "lin*"),
    ("history",),
    ("history", "--layer", "h.1*"),
    ("spread", "--run", "rank"),
    ("stragglers",),
    ("hosts",),
    ("flops",),
    ("regress", "clean1", "all"),
    ("runs", "--label", "team=a"),
    ("runs", "--job", "no such job"),
)


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    Made.folder = pathlib.Path(folder.name)
    for name, options in RUNS.items():
        make_run(Made.folder / name, "--ranks", 8, "--gpus-per-host", 2, *options)
    Made.store = Fleet(Made.folder / "store")
    add_all(Made.store)


def add_all(store):
    for name in RUNS:
        store.add(
            Made.folder / name, "--run", name, "--job", "gpt", "--commit", name, "--label", "team=a"
        )


class Made:
    folder = store = None


class Planted(unittest.TestCase):
    def test_regressions(self):
        for name in CLEAN[1:]:
            lines = Made.store.lines("regress", "clean1", name)
            self.assertEqual({line["verdict"] for line in lines}, {"same"}, name)
        found = [
            line
            for line in Made.store.lines("regress", "clean1", "all")
            if line["verdict"] != "same"
        ]
        self.assertEqual(
            [(line["what"], line["verdict"]) for line in found],
            [("step", "slower"), ("computing", "slower"), ("op", "slower")],
        )
        self.assertEqual(
            (found[2]["layer"], found[2]["op"], found[2]["dir"]),
            ("h.1:mlp:c_fc", "linear", "bprop"),
        )
        self.assertAlmostEqual(float(found[2]["change_ns"]), 50_000, delta=2_500)

    def test_one_rank_of_many(self):
        """The step, what of it is work and waits, and the rank behind a mean over all."""
        step, *others = Made.store.lines("regress", "clean1", "rank")
        self.assertEqual((step["what"], step["verdict"]), ("step", "slower"))
        parts = {line["what"]: line for line in others if line["what"] != "op"}
        # What waits behind the first collective runs exposed, as transfers.
        self.assertEqual(
            {name for name, line in parts.items() if line["verdict"] == "slower"},
            {"computing", "waits", "transfers"},
        )
        for side in ("a_ns", "b_ns"):
            self.assertAlmostEqual(
                sum(float(line[side]) for line in parts.values()), float(step[side]), delta=1
            )
        self.assertAlmostEqual(
            sum(float(line["b_ns"]) for name, line in parts.items() if name.startswith("idle: ")),
            self.mean_of_steps("rank", "idle_ns"),
            delta=1,
        )
        (place,) = (line for line in others if line["what"] == "op" and line["verdict"] != "same")
        self.assertEqual(
            (place["layer"], place["verdict"], place["changed_rank"]),
            ("h.1:mlp:c_fc", "slower", "1"),
        )
        self.assertAlmostEqual(float(place["rank_change_ns"]), 1_500_000, delta=50_000)
        self.assertAlmostEqual(float(place["change_ns"]), 1_500_000 / 8, delta=5_000)

    def mean_of_steps(self, run, column):
        (line,) = Made.store.lines(
            "sql",
            f"SELECT avg({column}) AS mean FROM {{steps}} WHERE run = '{run}' AND is_steady = 1",
        )
        return float(line["mean"])

    def test_limit(self):
        for words, limit, status in (
            (("clean1", "rank"), "5", 3),
            (("clean1", "rank"), "500%", 0),
            (("clean1", "clean2"), "3 %", 0),
            (("rank", "clean1"), "0", 0),
            (("clean1", "all"), "2.3", 4),
        ):
            done = Made.store.run("regress", *words, "--fail-above", limit, status=status)
            said = [line for line in done.stderr.splitlines() if "--fail-above" in line]
            self.assertEqual(len(said), 1 if status else 0, done.stderr)
            self.assertEqual("cannot be decided" in done.stderr, status == 4, done.stderr)
        self.assertIn(
            "is not a percentage",
            Made.store.run("regress", "a", "b", "--fail-above", "x", status=2).stderr,
        )

    def test_what_else_differs_is_said_first(self):
        self.assertEqual(
            Made.store.run("regress", "clean1", "fewer").stderr.splitlines()[0],
            "prof-fleet: warning: fewer: 1 of 8 ranks has no trace in the store: 5",
        )

    def test_regress_answers_soon(self):
        """Its statement is long: the engine's analysis of it must not take longer than its rows do."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        Made.store.lines("regress", "clean1", "rank")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 5)

    def test_hosts(self):
        lines = Made.store.lines("hosts")
        self.assertEqual(
            {(line["run"], line["host"]) for line in lines if line["verdict"]}, {("host", "node1")}
        )
        slow = next(line for line in lines if line["verdict"])
        self.assertAlmostEqual(float(slow["slower_pct"]), 10, delta=1.5)

    def test_stragglers_are_those_of_prof_report(self):
        found = Made.store.lines("stragglers")
        self.assertEqual((found[0]["run"], found[0]["rank"]), ("rank", "1"))
        self.assertGreater(float(found[0]["cost_ns"]), 1_000_000)
        lines = [line for line in found if line["cause"]]
        self.assertEqual({line["run"] for line in lines if line["run"] in CLEAN}, set())
        text = subprocess.run(
            [BIN / "prof-report", "-r", "stragglers", "-f", "csv", Made.folder / "rank"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        theirs = [line for line in csv.DictReader(io.StringIO(text)) if line["cause"]]
        words = (
            "rank",
            "cause",
            "layer",
            "op",
            "excess_ns",
            "waited_for_ns",
            "cost_ns",
            "cost_pct",
            "why",
        )
        self.assertIsNone(
            difference(
                [{word: line[word] for word in words} for line in lines if line["run"] == "rank"],
                [{word: line[word] for word in words} for line in theirs],
            )
        )

    def test_spread(self):
        line = Made.store.lines("spread", "--run", "rank")[0]
        self.assertEqual(
            (line["layer"], line["op"], line["dir"], line["slowest"], line["host"]),
            ("h.1:mlp:c_fc", "linear", "bprop", "1", "node0"),
        )

    def test_steps_of_a_run(self):
        self.assertEqual({line["steps"] for line in Made.store.lines("runs")}, {"6"})


class Spread(unittest.TestCase):
    """On made-up rows: times of an op in a layer, by rank."""

    def spread(self, ranks):
        """`ranks`: of each {(layer, op): ns}; the lines of layers and ops."""
        facts = " UNION ALL ".join(
            f"SELECT 'r' AS run, toUInt64({rank}) AS attempt, '{layer}' AS layer, '{op}' AS op, 'fprop' AS dir, "
            f"toNullable(toInt64(1)) AS step, 1 AS is_steady, 0 AS is_collective, toNullable(toInt64({ns})) AS sum_ns"
            for rank, places in enumerate(ranks)
            for (layer, op), ns in places.items()
        )
        steps = " UNION ALL ".join(
            f"SELECT 'r' AS run, toUInt64({rank}) AS attempt, toNullable(toInt64({rank})) AS rank, 'node' AS host, "
            "1 AS is_steady"
            for rank in range(len(ranks))
        )
        lines = Made.store.lines(
            "sql", fleets.statement("spread", {"facts": facts, "steps": steps})
        )
        return {
            (line["layer"], line["op"]): (
                line["ranks"],
                float(line["others_ns"]),
                float(line["max_ns"]),
                line["slowest"],
            )
            for line in lines
        }

    def test_the_others(self):
        ranks = [{("h.0", "linear"): ns} for ns in (100, 130, 110, 120)]
        self.assertEqual(self.spread(ranks[:2])["h.0", "linear"], ("2", 100, 130, "1"))
        self.assertEqual(self.spread(ranks[:3])["h.0", "linear"], ("3", 105, 130, "1"))
        self.assertEqual(self.spread(ranks)["h.0", "linear"], ("4", 110, 130, "1"))

    def test_one_rank_alone(self):
        ranks = [{("h.0", "linear"): 100, ("h.1", "linear"): 100} for _ in range(2)]
        ranks[1] |= {("h.1", "mm"): 50, ("", "sum"): 20}
        found = self.spread(ranks)
        self.assertEqual(
            (found["h.1", "mm"], found["", "sum"]), (("1", 0, 50, "1"), ("1", 0, 20, "1"))
        )

    def test_stages_and_experts(self):
        """Layers of a pipeline are on one rank; of an expert the others have those of other numbers."""
        stages = [{(f"h.{rank}", "linear"): 100, ("", "add"): 10} for rank in range(4)]
        self.assertEqual(set(self.spread(stages)), {("", "add")})
        shared = {(f"layer.{i}", "linear"): 100 for i in range(8)}
        experts = [shared | {(f"moe.experts.{rank}", "linear"): 50} for rank in range(4)]
        self.assertEqual(set(self.spread(experts)), set(shared))


class History(unittest.TestCase):
    """A step in one place is told once, and none where there is none."""

    def change(self, periods):
        """Which of the runs changes, by the statement of `history` on made-up rows."""
        steps = " UNION ALL ".join(
            f"SELECT 'r{i:02}' AS run, {i} AS attempt, 0 AS device, 1 AS step, 1 AS is_steady, 0 AS is_collective, "
            f"toNullable(toInt64({int(period)})) AS sum_ns"
            for i, period in enumerate(periods)
        )
        added = " UNION ALL ".join(
            f"SELECT 'r{i:02}' AS run, toUInt64({i}) AS attempt, toUInt32({i}) AS began, '' AS job, '' AS commit, "
            f"0 AS is_run, toNullable(0) AS rank"
            for i in range(len(periods))
        )
        periods = "SELECT '' AS run, 0 AS is_steady, toNullable(toInt64(0)) AS period_ns"
        lines = Made.store.lines(
            "sql", fleets.statement("history", {"added": added, "facts": steps, "steps": periods})
        )
        return [
            (int(line["run"][1:]), round(float(line["change_pct"])))
            for line in lines
            if line["change_pct"]
        ]

    def test_changes(self):
        noise = random.Random(1)
        level = lambda n, ns: [ns * noise.gauss(1, 0.004) for _ in range(n)]
        for place in (4, 7, 10, 17):
            found = self.change(level(place, 1e6) + level(20 - place, 1.1e6))
            self.assertEqual([run for run, _ in found], [place])
            self.assertAlmostEqual(found[0][1], 10, delta=1)
        self.assertEqual(
            [run for run, _ in self.change(level(8, 1e6) + level(8, 1.2e6) + level(8, 0.9e6))],
            [8, 16],
        )
        self.assertEqual(
            [run for run, _ in self.change(level(12, 1e6) + level(1, 1.1e6))],
            [12],
            "the newest run",
        )
        for _ in range(5):
            self.assertEqual(self.change(level(20, 1e6)), [])
        self.assertEqual(
            self.change(level(8, 1e6) + level(1, 1.3e6) + level(8, 1e6)), [], "one odd run"
        )


class Agreement(unittest.TestCase):
    """Sums are those of prof-report."""

    def test_top(self):
        text = subprocess.run(
            [
                BIN / "prof-report",
                "-r",
                "ops",
                "--by",
                "op,dir",
                "-f",
                "csv",
                Made.folder / "clean1",
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        theirs = {
            (line["op"], line["dir"]): (line["kernels"], line["time_ns"])
            for line in csv.DictReader(io.StringIO(text))
        }
        ours = {}
        for line in Made.store.lines(
            "sql",
            "SELECT op, dir, sum(count) AS n, sum(sum_ns) AS ns FROM {facts} "
            "WHERE run = 'clean1' AND kind = 'kernel' GROUP BY op, dir",
        ):
            ours[line["op"], line["dir"]] = (line["n"], line["ns"])
        self.assertEqual(ours, theirs)

    def test_dashboard(self):
        """Every panel's statement has the answer of the question, and variables have values."""
        board = json.loads(
            subprocess.run(
                [BIN / "prof-fleet", "dashboard"], capture_output=True, text=True, check=True
            ).stdout
        )
        values = {"${job:singlequote}": "'gpt'", "${run_a}": "clean1", "${run_b}": "all"}
        questions = {panel["title"]: panel["targets"][0]["rawSql"] for panel in board["panels"]}
        self.assertEqual(len(questions), 9)
        for title, sql in questions.items():
            for mark, value in values.items():
                sql = sql.replace(mark, value)
            self.assertNotIn("$", sql)
            self.assertGreater(len(Made.store.lines("sql", sql)), 0, title)
        regress = next(sql for title, sql in questions.items() if "run B" in title)
        for mark, value in values.items():
            regress = regress.replace(mark, value)
        self.assertIsNone(
            difference(
                Made.store.lines("sql", regress), Made.store.lines("regress", "clean1", "all")
            )
        )
        for variable in board["templating"]["list"][1:]:
            self.assertGreater(len(Made.store.lines("sql", variable["query"])), 0, variable["name"])

    def test_parquet(self):
        folder = Made.folder / "parquet"
        for _ in range(2):
            Made.store.run("export", "--parquet", folder)
        for table in ("added", "facts", "steps", "collectives"):
            found = Made.store.lines(
                "sql", f"SELECT count() AS n FROM file('{folder}/{table}.parquet', Parquet)"
            )
            self.assertEqual(int(found[0]["n"]), Made.store.count(table), table)


@unittest.skipUnless(servers.SERVER, "clickhouse-server is not installed")
class Servers(unittest.TestCase):
    def test_same_answers(self):
        with servers.servers(Made.folder / "servers", 3) as started:
            one = Fleet(started[0].url)
            cluster = ("--cluster", servers.CLUSTER, "--database", "sharded")
            for server in started:
                Fleet(server.url, *cluster).run("init")
            # Each server is as good as another.
            of_cluster = Fleet(started[1].url, *cluster)
            add_all(one)
            add_all(of_cluster)
            for question in QUESTIONS:
                expected = Made.store.lines(*question)
                with self.subTest(question=question):
                    self.assertIsNone(difference(expected, one.lines(*question)), "a server")
                    self.assertIsNone(
                        difference(expected, Fleet(started[2].url, *cluster).lines(*question)),
                        "a cluster",
                    )
            shares = [
                int(
                    Fleet(server.url, "--database", "sharded").lines(
                        "sql", "SELECT count() AS n FROM sharded.facts_shard"
                    )[0]["n"]
                )
                for server in started
            ]
            self.assertGreater(min(shares), 0, "every server has rows")


if __name__ == "__main__":
    fleets.need(fleets.engine(), "chDB (npm install -g @chdb/lib-linux-x64-gnu)")
    unittest.main(argv=sys.argv)
