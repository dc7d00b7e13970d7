#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a trace has the waits that CUPTI counted. Usage: same_waits.py PROF_REPORT TRACE COUNTS"""
import collections
import csv
import io
import json
import subprocess
import sys

NONE = 4294967295
TYPES = {"event": 1, "stream_wait_event": 2, "stream": 3, "context": 4}


def main():
    report, trace, counts = sys.argv[1:]
    with open(counts, encoding="utf-8") as file:
        expected = json.load(file)["waits"]
    table = subprocess.run(
        [report, "-f", "csv", "-r", "sync", "-c", "type,context,stream,count,time_ns", trace],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = collections.Counter()
    for row in csv.DictReader(io.StringIO(table)):
        stream = int(row["stream"]) or NONE
        found["%d %s %d" % (TYPES[row["type"]], row["context"], stream)] += int(row["count"])
        if int(row["time_ns"]) <= 0:
            print("same_waits.py: waits take no time: %s" % row)
            return 1
    for key in sorted(set(found) | set(expected)):
        if found[key] != expected.get(key, 0):
            print(
                "same_waits.py: type, context, stream %s: %d, CUPTI %d"
                % (key, found[key], expected.get(key, 0))
            )
    return 0 if dict(found) == expected else 1


if __name__ == "__main__":
    sys.exit(main())
