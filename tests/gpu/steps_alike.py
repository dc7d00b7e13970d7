#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Says whether every step of a trace launched the same kernels for the same layers and ops.

Usage: steps_alike.py PROF_REPORT TRACE.db STEPS
"""
import collections
import json
import subprocess
import sys


def main():
    report, trace, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    done = subprocess.run(
        [report, "-r", "kernels", "-f", "json", trace], capture_output=True, text=True, check=True
    )
    by_step = collections.defaultdict(list)
    for row in json.loads(done.stdout):
        if row["step"] is not None:
            by_step[row["step"]].append(
                (row["kernel"], row["layer"], row["op"], row["dir"], row["params"])
            )
    if len(by_step) != steps:
        print(f"{len(by_step)} steps, not {steps}")
        return 1
    forms = collections.Counter(tuple(rows) for rows in by_step.values())
    print(
        f"{steps} steps, {len(forms)} form(s), kernels a step: {sorted({len(form) for form in forms})}"
    )
    return 0 if len(forms) == 1 else 1


sys.exit(main())
