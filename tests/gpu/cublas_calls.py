#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What cublas.sh compares:
  calls PROF_REPORT LINES TRACE    the lines that cublas_calls printed with the trace's ops and rows
  products PROF_REPORT CALLS HELPER   kernels of matrix products of two runs of a PyTorch program
  rates FILE                       ns a call: traced with and without cublas, preloaded alone, bare"""
import collections
import json
import os
import sqlite3
import statistics
import subprocess
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "cublas_calls")
)
import compare  # noqa: E402

LISTED = 10


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


def sizes(row):
    return tuple(row.get(key) for key in ("m", "n", "k"))


def calls(report, lines, trace):
    with open(lines, encoding="utf-8") as file:
        asked = [json.loads(line) for line in file]
    uncaptured = sum("uncaptured" in one for one in asked)
    asked = [one for one in asked if "function" in one]
    refused = sorted({one["function"] for one in asked if one["status"] != 0})
    signatures = signatures_of(trace)
    # A call that launches nothing has no range, nor one that is refused.
    found, at, launched = [], 0, []
    for one in asked:
        if at < len(signatures) and signatures[at]["facts"]["function"] == one["function"]:
            found += compare.differences(one, signatures[at])
            launched.append(one)
            at += 1
        elif one["status"] == 0 and uncaptured == 0:
            found.append(f"{one['function']}: no op")
    if at != len(signatures):
        found.append(
            f"{len(signatures) - at} ops that were not asked for, from "
            f"{signatures[at]['facts']['function']} on"
        )
    rows = rows_of(report, trace)
    got = {
        (row["op"].removesuffix("_update"), *sizes(row)) for row in rows if row.get("m") is not None
    }
    for one in launched:
        if one["op"] in ("geam", "dgmm", "grouped_gemm") or one["m"] == 0:
            continue
        if (one["op"], one["m"], one["n"], one["k"]) not in got:
            found.append(f"{one['function']}: no kernel with its op, M, N and K")
    nameless = collections.Counter(row["kernel"] for row in rows if not row["op"])
    print(
        f"{len(asked)} calls, {len(refused)} functions refused {refused}, {uncaptured} not "
        f"captured, {len(signatures)} ops, {len(rows)} kernels, without an op: {dict(nameless)}"
    )
    return found


def products(report, one, other):
    with_calls, with_helper = rows_of(report, one), rows_of(report, other)
    found = []
    if [row["kernel"] for row in with_calls] != [row["kernel"] for row in with_helper]:
        found.append(f"other kernels: {len(with_calls)} and {len(with_helper)}")
    same = 0
    for row, known in zip(with_calls, with_helper):
        if row.get("m") is None and known.get("m") is None:
            continue
        differs = [
            key
            for key in ("m", "n", "k", "batch", "dtype")
            if key in row and row[key] != known.get(key)
        ]
        if differs:
            found.append(
                f"{row['kernel']} ({known['op']}): "
                + ", ".join(
                    f"{key} {row[key]}, the helper says {known.get(key)}" for key in differs
                )
            )
        else:
            same += 1
    print(f"{same} kernels of products with the same M, N and K, {len(found)} others")
    return found


def rates(path):
    with open(path, encoding="ascii") as file:
        numbers = [float(line) for line in file]
    names = ("traced without cublas", "traced with cublas", "preloaded alone", "bare")
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
    found = {"calls": calls, "products": products, "rates": rates}[kind](*words)
    for line in found[:LISTED]:
        print(f"  {line}")
    if len(found) > LISTED:
        print(f"  and {len(found) - LISTED} more")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
