#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a trace has the blocks that torch holds, and all that it has allocated and released. CUDA's
libraries allocate for themselves, too: torch's blocks are multiples of 2 MiB.
Usage: memory_torch_blocks.py PROF_REPORT TRACE FACTS"""
import json
import sys

from memory import rows

UNIT = 2 << 20


def main():
    report, trace, facts = sys.argv[1:]
    with open(facts, encoding="utf-8") as file:
        torch = json.load(file)
    live, sums = {}, {"allocate": [0, 0], "release": [0, 0]}
    for row in rows(
        report,
        trace,
        "--sql",
        "SELECT operation, address, bytes FROM allocations WHERE "
        "memory = 'device' AND function = 'cudaMalloc' OR operation = 'release' "
        "ORDER BY start_ns",
    ):
        address, size = int(row["address"]), int(row["bytes"])
        if row["operation"] == "allocate":
            live[address] = size
        else:
            live.pop(address, None)
        if size % UNIT == 0:
            sums[row["operation"]][0] += 1
            sums[row["operation"]][1] += size
    failures = [
        f"block {address:#x} of {size} bytes: {live.get(address)} in the trace"
        for address, size in torch["blocks"]
        if live.get(address) != size
    ]
    for operation, expected in (
        ("allocate", [torch["allocations"], torch["bytes"]]),
        ("release", [torch["releases"], torch["released_bytes"]]),
    ):
        # A library may allocate a multiple of 2 MiB, too.
        if sums[operation][0] < expected[0] or sums[operation][1] < expected[1]:
            failures.append(f"{operation}: {sums[operation]}, torch counts {expected}")
    for line in failures:
        print("memory_torch_blocks.py: " + line)
    print(
        f"{len(torch['blocks'])} blocks; counts and bytes {sums}, torch {torch['allocations']} "
        f"{torch['bytes']} {torch['releases']} {torch['released_bytes']}"
    )
    return 1 if failures or not torch["blocks"] else 0


if __name__ == "__main__":
    sys.exit(main())
