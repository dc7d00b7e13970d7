#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the matrix products that reached cuBLAS and cuBLASLt with a workload's ledger.

usage: compare_calls.py [--last] LEDGER.json CALLS.jsonl

CALLS.jsonl is what tests/gpu/shim writes, a line for each call. The ledger's ops that call the library
must be the same products in the same order: M, N, K and batch. With --last, calls before as many as the
ledger has (a pass that is not part of the step) are left out, and told. Exits with 0 only if all are
equal, with 2 if an input cannot be used.
"""
import argparse
import collections
import itertools
import json
import sys

MAX_SHOWN = 20
FIELDS = ("m", "n", "k", "batch")


def product(values):
    return tuple(values[field] for field in FIELDS)


def text(item):
    if item is None:
        return "nothing"
    return ", ".join(f"{field} {item[field]}" for field in FIELDS)


def differences(ops, calls):
    lines = []
    for number, (op, call) in enumerate(itertools.zip_longest(ops, calls)):
        if op is not None and call is not None and product(op) == product(call):
            continue
        name = (
            "no op"
            if op is None
            else " ".join(str(op[field]) for field in ("layer", "op", "dir", "part") if op[field])
        )
        by = "" if call is None else f" by {call['call']}"
        lines.append(f"product {number}: {name}: ledger {text(op)}; called {text(call)}{by}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--last", action="store_true", help="leave out what was called before the ledger's step"
    )
    parser.add_argument("ledger", help="what the workload wrote with --ledger")
    parser.add_argument("calls", help="what the shim wrote")
    options = parser.parse_args()
    try:
        with open(options.ledger, encoding="utf-8") as file:
            ops = [op for op in json.load(file)["ops"] if op["library"]]
        with open(options.calls, encoding="utf-8") as file:
            calls = [json.loads(line) for line in file]
        left_out = max(0, len(calls) - len(ops)) if options.last else 0
        calls = calls[left_out:]
        lines = differences(ops, calls)
        epilogues = collections.Counter(call["epilogue"] for call in calls)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"compare_calls: unusable input: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for line in lines[:MAX_SHOWN]:
        print(line)
    if len(lines) > MAX_SHOWN:
        print(f"... and {len(lines) - MAX_SHOWN} more")
    if left_out:
        print(f"left out: {left_out} calls before")
    told = ", ".join(f"{name} {count}" for name, count in sorted(epilogues.items()))
    print(
        f"products {len(ops)}/{len(calls)}; epilogues: {told}  {'DIFFERENT' if lines else 'EQUAL'}"
    )
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
