# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Step times before, in, between and after windows, from `windows times`.

usage: window_times.py NAME FIRST LAST WINDOWS PERIOD FILE...   steps FIRST, FIRST+PERIOD, ... each begin
a window that ends with step LAST-FIRST further on; the others are outside. Prints a line of the table
in docs/windows.md: medians in us, and in parentheses the middle half.
"""
import statistics
import sys


def phase_of(step, first, length, windows, period):
    if step < first - 1:
        return "before"
    place = step - first
    if place >= windows * period:
        return "after"
    inside = place % period
    if 0 <= place and inside < length:
        # The first one opens the window.
        return "during" if inside else None
    # The first one after a window runs while CUPTI still settles.
    return "between" if place >= 0 and inside > length else None


def main():
    name = sys.argv[1]
    first, last, windows, period = map(int, sys.argv[2:6])
    found = {}
    for path in sys.argv[6:]:
        with open(path, encoding="ascii") as file:
            for line in file:
                step, ns = map(int, line.split())
                phase = phase_of(step, first, last - first + 1, windows, period)
                if phase and step > 5:
                    found.setdefault(phase, []).append(ns / 1000)
    cells = []
    for phase in ("before", "during", "between", "after"):
        times = found.get(phase)
        if not times or len(times) < 4:
            cells.append("")
            continue
        low, middle, high = statistics.quantiles(times, n=4)
        cells.append(f"{middle:.1f} ({low:.1f} to {high:.1f})")
    print("| " + " | ".join([name, *cells]) + " |")
    if found.get("before") and found.get("between"):
        ratio = statistics.median(found["between"]) / statistics.median(found["before"])
        after = statistics.median(found["after"]) / statistics.median(found["before"])
        print(f"  between / before {ratio:.3f}, after / before {after:.3f}")


main()
