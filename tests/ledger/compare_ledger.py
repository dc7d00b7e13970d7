#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares a report of one step with the workload's own ledger, op by op.

usage: prof-report -r gpu -f json --step N TRACE.db | compare_ledger.py LEDGER.json [REPORT.json]

Rows of the report that share an op_id are one op instance; instances come in launch order, as the
ledger's ops do. Layer, op, direction, part, shapes, M, N, K, batch, the sum of FLOPs and the sum of
bytes must be equal. Prints every difference (the first 20), then one line of totals; exits with 0
only if nothing differs, with 2 if an input cannot be used.
"""
import argparse
import json
import sys

MAX_SHOWN = 20
FIELDS = ("layer", "op", "dir", "part", "shapes", "m", "n", "k", "batch", "flops", "bytes")


def read_json(path):
    with sys.stdin if path == "-" else open(path, encoding="utf-8") as file:
        return json.load(file)


def add(total, value):
    """A sum in which one unknown makes all unknown."""
    return None if total is None or value is None else total + value


def moved_bytes(row):
    """What a row says of its op's bytes. A kernel carries its share of them. A copy or set is shown
    with its own size: beside a kernel (a workspace cleared) that says nothing about the op; where it
    is the op itself, a set writes that much and a copy reads and writes it."""
    kind = row.get("kind") or "kernel"
    if kind == "kernel":
        return row["bytes"]
    if row["role"] != "main":
        return 0
    return row["bytes"] if kind == "memset" else 2 * row["bytes"]


def report_ops(rows):
    """Op instances of a report in launch order, and the rows that belong to none."""
    instances, unattributed = {}, []
    for row in sorted(rows, key=lambda row: row["idx"]):
        if row["op_id"] is None:
            unattributed.append(row)
            continue
        found = instances.get(row["op_id"])
        if found is None:
            found = {field: row.get(field) for field in FIELDS}
            found |= {"shapes": row["inputs"], "flops": 0, "bytes": 0, "kernels": []}
            instances[row["op_id"]] = found
        found["flops"] = add(found["flops"], row["flops"])
        found["bytes"] = add(found["bytes"], moved_bytes(row))
        found["kernels"].append(row["kernel"])
    return list(instances.values()), unattributed


def ledger_ops(ledger):
    return [
        {field: op.get(field) for field in FIELDS} | {"shapes": op["inputs"] + op["outputs"]}
        for op in ledger["ops"]
    ]


def name_of(op):
    return " ".join(str(op[field]) for field in ("layer", "op", "dir", "part") if op[field])


def align(truth, report):
    """Pairs (op of the ledger or None, op of the report or None), so that one op too many or too few
    is told as that and not as a difference of all that follow."""
    pairs, i, j = [], 0, 0
    key = [(op["layer"], op["op"], op["dir"], op["part"]) for op in truth]
    other = [(op["layer"], op["op"], op["dir"], op["part"]) for op in report]
    window = 50
    while i < len(truth) and j < len(report):
        if key[i] != other[j]:
            missing = next(
                (n for n in range(1, window) if i + n < len(key) and key[i + n] == other[j]), window
            )
            extra = next(
                (n for n in range(1, window) if j + n < len(other) and other[j + n] == key[i]),
                window,
            )
            if missing < extra:
                pairs += [(op, None) for op in truth[i : i + missing]]
                i += missing
                continue
            if extra < window:
                pairs += [(None, op) for op in report[j : j + extra]]
                j += extra
                continue
        pairs.append((truth[i], report[j]))
        i, j = i + 1, j + 1
    return pairs + [(op, None) for op in truth[i:]] + [(None, op) for op in report[j:]]


def differences(ledger, rows):
    """Lines that say what differs, and the line of totals."""
    truth = ledger_ops(ledger)
    report, unattributed = report_ops(rows)
    lines = [f"row {row['idx']}: kernel {row['kernel']} belongs to no op" for row in unattributed]
    for number, (want, got) in enumerate(align(truth, report)):
        if got is None:
            lines.append(f"op {number}: {name_of(want)}: in the ledger only")
        elif want is None:
            lines.append(
                f"op {number}: {name_of(got)}: in the report only ({', '.join(got['kernels'][:3])})"
            )
        else:
            lines += [
                f"op {number}: {name_of(want)}: {field}: ledger {want[field]}, report {got[field]}"
                for field in FIELDS
                if want[field] != got[field]
            ]

    def total(ops, field):
        return sum(op[field] or 0 for op in ops)

    totals = f"ops {len(truth)}/{len(report)} " + " ".join(
        f"{field} {total(truth, field)}/{total(report, field)}" for field in ("flops", "bytes")
    )
    return lines, totals


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("ledger", help="what the workload wrote with --ledger")
    parser.add_argument(
        "report", nargs="?", default="-", help="prof-report's JSON of one step (default: stdin)"
    )
    options = parser.parse_args()
    try:
        ledger, rows = read_json(options.ledger), read_json(options.report)
        lines, totals = differences(ledger, rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"compare_ledger: unusable input: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for line in lines[:MAX_SHOWN]:
        print(line)
    if len(lines) > MAX_SHOWN:
        print(f"... and {len(lines) - MAX_SHOWN} more")
    print(f"{totals}  {'DIFFERENT' if lines else 'EQUAL'}")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
