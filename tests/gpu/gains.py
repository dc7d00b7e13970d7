#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the gains that `prof-report -r advice` states with those that removals.py measured.

FOLDER has pairs.jsonl, the lines of removals.py --pairs, and the captures MODEL-WASTE.db, also of
programs without a waste (MODEL-none.db). Both sides are shares of the period of a step. Every
command that the report prints is run, and must print a row.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import subprocess
import sys

#: By waste: the rule that names it.
RULES = {
    "attention": "attention",
    "optimizer": "optimizer",
    "foreach": "optimizer",
    "fp32": "fp32_products",
    "alignment": "alignment",
    "inner": "alignment",
    "recompute": "recompute",
    "activation": "elementwise",
    "norm": "elementwise",
    "casts": "casts",
    "launches": "launch_bound",
    "mode": "launch_bound",
    "layout": "layout",
    "copies": "pageable",
    "loader": "loading",
    "workers": "loading",
    "item": "synchronize",
    "zero": "zeroing",
    "emptycache": "allocation",
    "compiling": "compiling",
}

#: What an expert would not advise: the program does it already, or it cannot be done.
NEVER = {
    "graphed": ["launch_bound"],
    "selecting": ["launch_bound"],
    "decode": ["launch_bound"],
    "sparse": ["optimizer"],
}

#: Less is what two measurements differ by.
NOISE = 2.0


def printed(report, arguments, **options):
    return subprocess.run(
        [report, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **options,
    )


def advice_of(report, trace):
    done = printed(report, ["-r", "advice", "-f", "json", trace])
    if done.returncode != 0:
        print(done.stderr, end="")
        return None
    return json.loads(done.stdout)


def shows_rows(report, command):
    path = f"{pathlib.Path(report).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        command.replace("prof-report", "prof-report -f csv", 1),
        shell=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )
    return done.returncode == 0 and len(list(csv.reader(io.StringIO(done.stdout)))) > 1


def share(row):
    return f"{row['gain_low_pct']:.1f}-{row['gain_high_pct']:.1f}"


class Judge:
    def __init__(self, report, folder):
        self.report, self.folder = report, folder
        self.told = self.inside = self.silent = self.programs = 0
        self.problems = []

    def rows(self, model, waste):
        self.programs += 1
        trace = self.folder / f"{model}-{waste}.db"
        rows = advice_of(self.report, trace) if trace.exists() else None
        if rows is None:
            self.problems.append(f"{model} {waste}: no capture")
            return []
        for row in rows:
            if not shows_rows(self.report, row["show"]):
                self.problems.append(f"{model} {waste}: shows nothing: {row['show']}")
            if row["rule"] in NEVER.get(model, []):
                self.problems.append(f"{model} {waste}: wrong: {row['advice']} {share(row)} %")
        return rows

    def pair(self, pair):
        model, waste = pair["model"], pair["waste"]
        rows = self.rows(model, waste)
        mine = next((row for row in rows if row["rule"] == RULES[waste]), None)
        truth = 100 * pair["gain_ms"] / pair["with_ms"]
        verdict = "silent"
        if mine:
            low, high = mine["gain_low_pct"], mine["gain_high_pct"]
            verdict = "inside" if low <= truth <= high else "MISS"
            if low > NOISE and truth < low / 3:
                self.problems.append(
                    f"{model} {waste}: wrong: {low:.1f} % at least, gained " f"{truth:.1f} %"
                )
        self.told += mine is not None
        self.inside += verdict == "inside"
        self.silent += mine is None
        self.line(
            model,
            waste,
            f"{pair['with_ms']:.2f} to {pair['without_ms']:.2f}",
            f"{truth:.1f}",
            share(mine) if mine else "-",
            verdict,
            rows,
            mine,
        )

    def without(self, model):
        self.line(model, "none", "", "", "", "", self.rows(model, "none"), None)

    @staticmethod
    def line(model, waste, times, truth, said, verdict, rows, mine):
        first = rows[0]["rule"] if rows else "-"
        others = ", ".join(f"{row['rule']} {share(row)}" for row in rows if row is not mine)
        print(
            f"{model:12} {waste:10} {times:>16} {truth:>5} {said:>11} {verdict:6} "
            f"{first:13} {others}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("report", metavar="PROF_REPORT")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument(
        "--least",
        type=float,
        default=0,
        metavar="PERCENT",
        help="of the stated gains that must hold what was measured",
    )
    args = parser.parse_args()
    judge = Judge(args.report, args.folder)
    print(
        f"{'program':12} {'waste':10} {'ms a step':>16} {'gain%':>5} {'said%':>11} {'':6} "
        f"{'first':13} others"
    )
    for line in (args.folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        judge.pair(json.loads(line))
    for trace in sorted(args.folder.glob("*-none.db")):
        judge.without(trace.name.removesuffix("-none.db"))
    print("\n".join(judge.problems))
    wrong = sum(": wrong: " in problem for problem in judge.problems)
    print(
        f"{judge.programs} programs: {judge.inside} of {judge.told} inside "
        f"({100 * judge.inside / max(1, judge.told):.0f} %), {judge.silent} silent, "
        f"{wrong} wrong, {len(judge.problems) - wrong} other problems"
    )
    is_right = judge.told and 100 * judge.inside >= args.least * judge.told
    sys.exit(0 if is_right and not judge.problems else 1)


if __name__ == "__main__":
    main()
