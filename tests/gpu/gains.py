#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the gains that `prof-report -r advice` states with those that removals.py measured.

FOLDER has pairs.jsonl, the lines of removals.py --pairs, and the captures MODEL-WASTE.db. Both sides
are shares of the period of a step.
"""
import argparse
import json
import pathlib
import subprocess
import sys

#: By waste: the rule that names it. No rule: nothing should be said that gains much.
RULES = {"attention": "attention", "optimizer": "optimizer", "foreach": "optimizer",
         "fp32": "fp32_products", "alignment": "alignment", "inner": "alignment",
         "recompute": "recompute", "activation": "elementwise", "norm": "elementwise",
         "casts": "casts", "launches": "launch_bound", "layout": "layout", "copies": "pageable",
         "loader": "loading", "item": "synchronize", "zero": "zeroing", "emptycache": "allocation"}


def advice_of(report, trace):
    output = subprocess.run([report, "-r", "advice", "-f", "json", trace], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, check=True).stdout
    return json.loads(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("report", metavar="PROF_REPORT")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT",
                        help="of the stated gains that must hold what was measured")
    args = parser.parse_args()
    report, folder = args.report, args.folder
    inside = told = 0
    for line in (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        trace = folder / f"{pair['model']}-{pair['waste']}.db"
        rows = advice_of(report, trace)
        rule = RULES[pair["waste"]]
        mine = next((row for row in rows if row["rule"] == rule), None)
        truth = 100 * pair["gain_ms"] / pair["with_ms"]
        others = ", ".join(f"{row['rule']} {row['gain_low_pct']:.1f}-{row['gain_high_pct']:.1f}"
                           for row in rows if row is not mine)
        said = "nothing"
        verdict = "silent"
        if mine:
            low, high = mine["gain_low_pct"], mine["gain_high_pct"]
            said = f"{low:.1f} to {high:.1f}"
            verdict = "inside" if low <= truth <= high else "MISS"
            told += 1
            inside += verdict == "inside"
        print(f"{pair['model']:7} {pair['waste']:11} {truth:6.1f} %  said {said:14} {verdict:7}"
              f" others: {others}")
    print(f"{inside} of {told} inside")
    sys.exit(0 if told and 100 * inside >= args.least * told else 1)


if __name__ == "__main__":
    main()
