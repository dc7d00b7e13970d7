#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The last step of a compiled program against the same step run eagerly.

Usage: compiled_check.py NAME PROF_REPORT TRACE EAGER_TRACE
Each kernel must have an op and a direction, 98 % of the GPU time a layer, FLOPs and bytes; products,
convolutions and attention must have eager's FLOPs, layer by layer and direction by direction. What
is computed again in the backward pass is the compiler's choice and not compared, nor is the score
that the backward pass of a fused attention computes again where the compiler has no fused one.
Prints a row of a table, and what is wrong.
"""
import collections
import json
import re
import subprocess
import sys

PRODUCTS = re.compile(r"linear|matmul|mm\b|conv|attention|einsum")
COLUMNS = "step,layer,dir,op,op_inner,kernel,time_ns,flops,bytes,recompute,ops,layers"
#: Epilogues of templates add to a product's FLOPs; kernels of one layer may be another's in part.
TOLERANCE = 0.03


def last_step(report, trace):
    done = subprocess.run(
        [report, "-r", "kernels", "-f", "json", "-c", COLUMNS, trace],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=True,
    )
    rows = json.loads(done.stdout)
    steps = [row["step"] for row in rows if row["step"] is not None]
    last = max(steps, key=lambda step: int(re.sub(r"\D", "", str(step)) or 0))
    notes = [line for line in done.stderr.decode().splitlines() if "compiled" in line]
    return [row for row in rows if row["step"] == last and row["op"] != "autotune"], notes


def products(rows):
    flops = collections.Counter()
    for row in rows:
        inner = row["op_inner"] or ""
        called = inner if inner.startswith("aten::") else row["op"] or ""
        if row["recompute"] != "yes" and row["flops"] and PRODUCTS.search(called):
            flops[row["layer"], row["dir"]] += row["flops"]
    return flops


def is_equal(got, want):
    return abs(got - want) <= TOLERANCE * max(got, want)


def main():
    name, report, trace, eager = sys.argv[1:]
    rows, notes = last_step(report, trace)
    expected, _ = last_step(report, eager)
    # What the program calls outside of its modules is in no layer; nor is a step of an optimizer,
    # whose kernels update parameters of many.
    outside = {row["op"] for row in expected if not row["layer"]}
    total = sum(row["time_ns"] for row in rows)

    def has(row, fact):
        is_outside = fact == "layer" and (
            row["dir"] == "update" or row["op"] in outside and not row["ops"]
        )
        return row[fact] not in (None, "") or is_outside

    def time_with(*facts):
        return (
            100
            * sum(row["time_ns"] for row in rows if all(has(row, fact) for fact in facts))
            / total
        )

    named = sum(1 for row in rows if row["op"] and row["dir"])
    got, want = products(rows), products(expected)
    unfused = {
        (row["layer"], row["dir"])
        for row in rows
        if row["op_inner"] == "aten::bmm" and row["dir"] == "bprop"
    }
    # The compiler pads small products, which then compute more.
    least = 1e-5 * sum(want.values())
    wrong = [
        key
        for key in want | got
        if not is_equal(got[key], want[key]) and abs(got[key] - want[key]) > least and
        # Four products instead of five.
        not (key in unfused and is_equal(got[key], want[key] * 4 / 5))
    ]
    print(
        f"| {name} | {len(rows)} | {len(expected)} | {named} | {time_with('layer'):.1f} |"
        f" {time_with('flops'):.1f} | {time_with('bytes'):.1f} |"
        f" {len(want) - len([key for key in wrong if key in want])} of {len(want)} |"
    )
    for key in wrong:
        print(f"  {key}: FLOPs {got[key]:.4g}, eager {want[key]:.4g}")
    missing = collections.Counter()
    for row in rows:
        lacks = ",".join(
            fact for fact in ("op", "dir", "layer", "flops", "bytes") if not has(row, fact)
        )
        if lacks:
            missing[lacks, row["op"], row["kernel"][:60], row["layer"]] += row["time_ns"]
    for key, time in missing.most_common(6):
        print(f"  {100 * time / total:.1f} % of the time without {key}")
    print("".join(f"  {note}\n" for note in notes), end="")
    sys.exit(
        0 if named == len(rows) and not wrong and time_with("layer", "flops", "bytes") >= 98 else 1
    )


if __name__ == "__main__":
    main()
