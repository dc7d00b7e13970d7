#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the steps that prof-report finds with the program's own clock.

usage: unmarked_check.py PROF_REPORT TRACE CLOCK.json"""
import json
import statistics
import subprocess
import sys

NEAR = 0.03
AT_ENDS = 3  # Steps that warm up, or that are cut off.


def spread(times):
    """Relative: half of the middle half, around the median."""
    if len(times) < 4:
        return 0
    low, _, high = statistics.quantiles(times, n=4)
    return (high - low) / statistics.median(times)


def steps_of(program, trace):
    done = subprocess.run(
        [program, "-r", "steps", "-f", "json", trace], capture_output=True, text=True, check=True
    )
    return [row for row in json.loads(done.stdout) if row.get("step") is not None]


def main():
    program, trace, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        clock = json.load(file)
    found = steps_of(program, trace)
    begins = clock["begins_ms"]
    name = trace.rsplit("/", 1)[-1].removesuffix(".db")
    if not clock["repeats"]:
        print(f"| {name} | - | - | {len(found)} | - | - | {'right' if not found else 'INVENTED'} |")
        return 1 if found else 0
    periods = [b - a for a, b in zip(begins, begins[1:])]
    # Behind the first steps, which compile and load.
    steady = periods[len(periods) // 3 :]
    mine = [row["period_ns"] / 1e6 for row in found if row.get("period_ns")]
    mine = mine[len(mine) // 3 :]
    if not mine:
        print(f"| {name} | {len(begins)} | {statistics.median(steady):.3f} | 0 | - | - | MISSED |")
        return 1
    own, other = statistics.median(steady), statistics.median(mine)
    off = other / own - 1
    allowed = max(NEAR, spread(steady))
    if abs(off) <= allowed and abs(len(found) - len(begins)) <= AT_ENDS:
        verdict = "right"
    elif any(abs(len(found) - turns) <= max(AT_ENDS, turns // 8) for turns in clock["others"]):
        verdict = "other loop"
    else:
        verdict = "WRONG"
    print(
        f"| {name} | {len(begins)} | {own:.3f} | {len(found)} | {other:.3f} | {100 * off:+.1f} "
        f"({100 * allowed:.1f}) | {verdict} |"
    )
    return 1 if verdict == "WRONG" else 0


if __name__ == "__main__":
    sys.exit(main())
