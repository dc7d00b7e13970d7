#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Bus bandwidths in reports against those that nccl-tests printed (nccl_bandwidth.sh).

Usage: nccl_bandwidth.py PROF_REPORT FOLDER
nccl-tests divides wall time by the number of calls, so it counts what is between two kernels, which
is no part of a transfer: compared are messages that take far longer. Prints a table.
"""
import json
import os
import re
import subprocess
import sys

TESTS = {
    "all_reduce": "all_reduce",
    "all_gather": "all_gather",
    "reduce_scatter": "reduce_scatter",
    "alltoall": "all_to_all",
    "sendrecv": "send_recv",
}
TOLERANCE = 0.10
LEAST_COMPARED = 16 << 20
# size, count, type, operation, root; then time, algorithm and bus bandwidth, and errors, twice.
NUMBER = r"\s+[\d.e+]+"
LINE = re.compile(r"^\s*(\d+)\s+\d+\s+\w+\s+\w+\s+-?\d+((?:%s\s+\S+){2})\s*$" % (3 * NUMBER))


def measured(path):
    """Bus bandwidth by size, over both halves of nccl-tests' lines."""
    found = {}
    if not os.path.exists(path):
        return found
    for line in open(path, encoding="utf-8"):
        match = LINE.match(line)
        if match:
            values = [float(value) if value != "N/A" else None for value in match[2].split()]
            (time_a, _, bus_a), (time_b, _, bus_b) = values[0:3], values[4:7]
            found[int(match[1])] = (bus_a * time_a + bus_b * time_b) / (time_a + time_b)
    return found


def report(program, name, columns, traces):
    done = subprocess.run(
        [program, "-r", name, "-f", "json", "-c", columns, *traces],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        print("prof-report -r %s: %s" % (name, done.stderr.decode().strip()))
        return []
    return json.loads(done.stdout)


def stated(rows, op, ranks_a_message):
    """Bus bandwidth by size, of the line with most calls. A group may state its ranks' sum."""
    found = {}
    for row in sorted(rows, key=lambda row: row["count"]):
        if row["op"] == op and row["message_bytes"] and row["bus_gb_per_s"]:
            for ranks in ranks_a_message:
                size = row["message_bytes"] / ranks
                if size.is_integer():
                    found[int(size)] = row["bus_gb_per_s"]
    return found


def main():
    program, folder = sys.argv[1:]
    here = lambda name: os.path.join(folder, name)
    columns = "op,message_bytes,count,bus_gb_per_s"
    torch_traces = [here("torch.%d.db" % rank) for rank in (0, 1)]
    torch_rows = [report(program, name, columns, torch_traces) for name in ("collectives", "comm")]
    failures = 0
    print(
        "| op | bytes | nccl-tests -g 2 | report | nccl-tests -t 2 | report | nccl-tests, bare |"
        " torch: collectives | torch: comm |"
    )
    print("|---" * 9 + "|")
    for test, op in TESTS.items():
        bare = measured(here(test + ".bare.txt"))
        said = {kind: measured(here("%s.%s.txt" % (test, kind))) for kind in ("group", "threads")}
        own = {}
        for kind in said:
            rows = report(program, "comm", columns, [here("%s.%s.db" % (test, kind))])
            own[kind] = stated(rows, op, (2, 1) if kind == "group" else (1,))
        torch = [
            stated(rows, op if any(row["op"] == op for row in rows) else "send", (1,))
            for rows in torch_rows
        ]
        if not bare:
            print("| %s | nccl-tests printed nothing |" % test)
            failures += 1
        for size, bus in sorted(bare.items()):
            pairs = [(said[kind].get(size), own[kind].get(size)) for kind in said]
            pairs += [(bus, of.get(size)) for of in torch]
            cells = []
            for expected, value in pairs:
                is_right = expected and value and abs(value / expected - 1) <= TOLERANCE
                if size >= LEAST_COMPARED and not is_right:
                    failures += 1
                text = "%.1f" % value if value else "absent"
                cells.append(
                    text
                    + (
                        " (%+.0f %%%s)"
                        % (
                            100 * (value / expected - 1),
                            "" if is_right or size < LEAST_COMPARED else ", WRONG",
                        )
                        if expected and value
                        else ""
                    )
                )
            both = ["%.1f" % said[kind].get(size, 0) for kind in said]
            print(
                "| %s | %d | %s | %s | %s | %s | %.1f | %s | %s |"
                % (op, size, both[0], cells[0], both[1], cells[1], bus, cells[2], cells[3])
            )
    sys.exit(failures > 0)


main()
