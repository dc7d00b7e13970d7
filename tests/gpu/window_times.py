# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Step times before, in, between and after windows, from what `windows times` prints.

usage: window_times.py NAME FIRST LENGTH WINDOWS PERIOD FILE...   a file for each run
Steps FIRST, FIRST+PERIOD, ... each begin a window of LENGTH steps. Prints a line of a table:
the median of all steps in us and, because other programs disturb them, what the
fastest twentieth takes, the median of the runs; then the range of the latter.
"""
import statistics
import sys

SETTLING = 10  # Steps after a window in which its trace is still being written.
PHASES = ("before", "in windows", "just after one", "between", "after")


def phase_of(step, first, length, windows, period):
    if step < first:
        return "before" if 20 <= step < first - 1 else None
    place = step - first
    inside = place % period
    if place >= (windows - 1) * period + length + SETTLING:
        return "after"
    if inside < length:
        # The first one opens the window, the last one closes it.
        return "in windows" if 0 < inside < length - 1 else None
    return "just after one" if inside < length + SETTLING else "between"


def times_of(path, *spans):
    found = {phase: [] for phase in PHASES}
    with open(path, encoding="ascii") as file:
        for line in file:
            step, ns = map(int, line.split())
            phase = phase_of(step, *spans)
            if phase:
                found[phase].append(ns / 1000)
    return found


def fastest(times):
    return statistics.quantiles(times, n=20)[0]


def main():
    runs = [times_of(path, *map(int, sys.argv[2:6])) for path in sys.argv[6:]]
    cells, ranges = [], []
    for phase in PHASES:
        middle = statistics.median(sum((run[phase] for run in runs), []))
        undisturbed = [fastest(run[phase]) for run in runs]
        cells.append(f"{middle:.0f} ({statistics.median(undisturbed):.0f})")
        ranges.append(f"{phase} {min(undisturbed):.0f} to {max(undisturbed):.0f}")
    print("| " + " | ".join([sys.argv[1], *cells]) + " |")
    print("  fastest twentieth: " + ", ".join(ranges))


main()
