#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Where the time of builds and tests goes: seconds per target, the ten dearest objects, the ten
slowest tests. Reads what ninja and CTest log in build folders; of an output that was built several
times, the last time counts.

Seconds are those that a job took, which on a busy machine are more than its CPU seconds: compare
shares, and sums of CPU seconds (.ci/run prints them).

usage: build_times.py [BUILD_DIR...]     default: build
"""
import collections
import pathlib
import re
import sys

TEST = re.compile(r"^\d+/\d+ Test: (\S+)$")
TIME = re.compile(r"^Test time = +([\d.]+) sec$")


def jobs(folder):
    """Seconds of each output, from ninja's log of version 5: begin, end, time, output, hash."""
    seconds = {}
    for line in (folder / ".ninja_log").read_text().splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        seconds[output] = (int(end) - int(begin)) / 1000
    # The log keeps outputs of earlier configurations.
    return {output: time for output, time in seconds.items() if (folder / output).exists()}


def target_of(output):
    found = re.search(r"CMakeFiles/([^/]+)\.dir/", output)
    return found.group(1) if found else "linking and other steps"


def tests(folder):
    log = folder / "Testing" / "Temporary" / "LastTest.log"
    seconds, name = {}, None
    for line in log.read_text(errors="replace").splitlines() if log.exists() else ():
        if found := TEST.match(line):
            name = found.group(1)
        elif (found := TIME.match(line)) and name:
            seconds[name] = float(found.group(1))
    return seconds


def print_largest(title, seconds):
    largest = sorted(seconds.items(), key=lambda item: -item[1])[:10]
    print(f"  {title}")
    for name, time in largest:
        print(f"    {time:7.1f} s  {name}")


def main():
    folders = [pathlib.Path(name) for name in sys.argv[1:] or ["build"]]
    for folder in folders:
        if not (folder / ".ninja_log").exists():
            sys.exit(
                f"build_times: no {folder}/.ninja_log; build there with ninja first (make build)"
            )
        built = jobs(folder)
        targets = collections.Counter()
        for output, time in built.items():
            targets[target_of(output)] += time
        print(f"{folder}: {sum(built.values()):.0f} s in {len(built)} steps")
        print_largest("targets", targets)
        print_largest("objects", built)
        if ran := tests(folder):
            print_largest(f"tests ({sum(ran.values()):.0f} s in {len(ran)})", ran)


if __name__ == "__main__":
    main()
