#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What cudnn.sh compares:
  calls PROF_REPORT LINES TRACE       the lines that cudnn_calls printed with the trace's ops and rows
  convolutions PROF_REPORT CALLS HELPER   kernels of convolutions of two runs of a PyTorch program
  rates FILE                          ns a call: traced with and without cudnn, preloaded alone, bare"""
import collections
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "cudnn_calls")
)
import compare  # noqa: E402

LISTED = 20


def rows_of(report, trace):
    done = subprocess.run(
        [report, "-r", "kernels", "-f", "json", trace], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def signatures_of(trace):
    with sqlite3.connect(trace) as base:
        return [
            json.loads(text)
            for text, in base.execute(
                "SELECT s.text FROM range r JOIN string s ON s.id = r.signature_id ORDER BY r.id"
            )
        ]


def calls(report, lines, trace):
    with open(lines, encoding="utf-8") as file:
        asked = [line for line in file.read().splitlines() if line]
    uncaptured = asked.count("uncaptured")
    asked = [line for line in asked if line != "uncaptured"]
    refused = sorted(
        {
            compare.parse(line)[0] + " " + str(compare.parse(line)[1])
            for line in asked
            if compare.parse(line)[1] != 0
        }
    )
    signatures = signatures_of(trace)
    found, at = [], 0
    # A call that launches nothing has no range, nor may one that is refused.
    for line in asked:
        function, status, *_ = compare.parse(line)
        if at < len(signatures) and status != 0:
            at += not compare.differences(line, signatures[at])
        elif at < len(signatures) and signatures[at]["facts"]["function"] == function:
            found += compare.differences(line, signatures[at])
            at += 1
        elif status == 0 and uncaptured == 0:
            found.append(f"{function}: no op")
    if at != len(signatures):
        found.append(
            f"{len(signatures) - at} ops that were not asked for, from "
            f"{signatures[at]['facts']['function']} on"
        )
    rows = rows_of(report, trace)
    counted = collections.Counter(row["op"] for row in rows if row.get("flops") is not None)
    nameless = collections.Counter(row["kernel"] for row in rows if not row["op"])
    print(
        f"{len(asked)} calls, refused {refused}, {uncaptured} not captured, {len(signatures)} "
        f"ops, {len(rows)} kernels, with FLOPs {dict(counted)}, without an op {dict(nameless)}"
    )
    return found


def sides(params):
    """Sizes of a convolution, whichever of its two sides is the input: a transposed one is the
    gradient of another, and the call is of that."""
    if not params:
        return params
    known = dict(re.findall(r"(\w+)=(.*?)(?=,\w+=|$)", params))
    both = [tuple(known.pop(key, None) for key in keys) for keys in ("CDHW", "KOPQ")]
    return sorted(both, key=str), known


def convolutions(report, one, other):
    with_calls, with_helper = rows_of(report, one), rows_of(report, other)
    found = []
    if [row["kernel"] for row in with_calls] != [row["kernel"] for row in with_helper]:
        found.append(f"other kernels: {len(with_calls)} and {len(with_helper)}")
    same, beside = collections.Counter(), 0
    for row, known in zip(with_calls, with_helper):
        if "conv" not in (known["op"] or "") or known.get("flops") is None:
            continue
        # PyTorch's own work beside the call: casts of operands, sums of results.
        if not row["op"] and "at::native::" in row["kernel_full"]:
            beside += 1
            continue
        differs = [key for key in ("flops", "bytes") if row.get(key) != known.get(key)]
        if sides(row.get("params")) != sides(known.get("params")):
            differs.append("params")
        if differs:
            found.append(
                f"{row['kernel']} ({known['op']} {known.get('part')}, {row['op']}): "
                + ", ".join(
                    f"{key} {row.get(key)}, the helper says {known.get(key)}" for key in differs
                )
            )
        else:
            same[f"{known['op']} {known.get('part') or ''}".strip()] += 1
    print(
        f"kernels of convolutions with the same FLOPs, sizes and bytes: {dict(same)}; "
        f"{len(found)} others; {beside} kernels of PyTorch's own beside them"
    )
    return found if same else [*found, "no kernel of a convolution was compared"]


def rates(path):
    with open(path, encoding="ascii") as file:
        numbers = [float(line) for line in file]
    names = ("traced without cudnn", "traced with cudnn", "preloaded alone", "bare")
    columns = {name: numbers[index :: len(names)] for index, name in enumerate(names)}
    for name, values in columns.items():
        print(f"{name}: {statistics.median(values):.0f} ns a call")
    for name, base in ((names[1], names[0]), (names[2], names[3])):
        steps = [a - b for a, b in zip(columns[name], columns[base], strict=True)]
        print(
            f"{name} over {base}: median {statistics.median(steps):.0f} ns a call, "
            f"{min(steps):.0f} to {max(steps):.0f}, {len(steps)} pairs"
        )
    return [] if all(columns.values()) else ["a rate is missing"]


def main():
    kind, *words = sys.argv[1:]
    found = {"calls": calls, "convolutions": convolutions, "rates": rates}[kind](*words)
    for line in found[:LISTED]:
        print(f"  {line}")
    if len(found) > LISTED:
        print(f"  and {len(found) - LISTED} more")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
