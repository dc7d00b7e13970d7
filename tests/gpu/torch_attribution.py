#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""How much of a PyTorch program's GPU work is attributed, and whether its FLOPs are those that torch
itself counts.

Usage: torch_attribution.py PROF_REPORT TRACE [--flops FILE] [--kernels-alone]
FILE: what torch_models.py --flops wrote in a run of its own with the same arguments. With --kernels-alone
(a run without any range) every kernel must have what its name tells, and nothing else is asked.
"""
import argparse
import collections
import json
import re
import subprocess
import sys

# What torch counts the products of: its addmm leaves out the bias, its backward ops are counted
# like others.
PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"}


def rows_of(report, trace):
    output = subprocess.run(
        [report, "-r", "kernels", "-f", "json", trace], stdout=subprocess.PIPE, check=True
    ).stdout
    return json.loads(output)


def share(rows, is_true, weight=lambda row: 1):
    whole = sum(map(weight, rows))
    return 100 * sum(weight(row) for row in rows if is_true(row)) / whole if whole else 0.0


def time_of(row):
    return row["time_ns"] or 0


def show_missing(rows, what, is_there):
    missing = collections.Counter()
    for row in rows:
        if not is_there(row):
            missing[(row["layer"], row["dir"], row["op"], row["op_inner"], row["kernel"][:60])] += 1
    for key, count in missing.most_common(8):
        print(f"  without {what}: {count} x {key}")


def check_attribution(rows):
    """At least 100 % of kernels with op and direction, 99 % of the time with layer and shapes."""
    kinds = [
        ("op", 100, lambda r: bool(r["op"]), None),
        ("direction", 100, lambda r: bool(r["dir"]), None),
        ("layer", 99, lambda r: bool(r["layer"]), time_of),
        ("shapes", 99, lambda r: bool(r["inputs"]), time_of),
        ("layer and shapes", 99, lambda r: bool(r["layer"]) and bool(r["inputs"]), time_of),
    ]
    good = True
    for name, least, is_there, weight in kinds:
        percent = share(rows, is_there, weight or (lambda row: 1))
        of = "GPU time" if weight else "kernels"
        print(f"{percent:7.2f} % of {of} with {name} (at least {least} %)")
        if percent < least - 1e-9:
            good = False
            show_missing(rows, name, is_there)
    print(
        f"{share(rows, lambda r: r['flops'] is not None, time_of):7.2f} % of GPU time with FLOPs, "
        f"{share(rows, lambda r: r['bytes'] is not None, time_of):.2f} % with bytes, "
        f"{share(rows, lambda r: r['step'] is not None):.2f} % of kernels with a step"
    )
    return good


def product_flops(row):
    """FLOPs of the matrix product that a kernel computes, bias left out; None if it computes none:
    what copies a bias or sums the parts of a split product is a helper."""
    if row["op_inner"] not in PRODUCTS or row["role"] != "main":
        return None
    if None in (row["m"], row["n"], row["k"]):
        return None
    return 2 * row["m"] * row["n"] * row["k"] * (row["batch"] or 1)


def own_products(rows):
    """FLOPs of each matrix product: {flops: count}."""
    return collections.Counter(flops for flops in map(product_flops, rows) if flops is not None)


def torch_products(path):
    with open(path, encoding="utf-8") as file:
        ops = json.load(file)
    found = collections.Counter()
    for key, (count, flops) in ops.items():
        if key.split(" ")[0] in PRODUCTS:
            found[flops // count] += count
    return found


def torch_convolutions(path):
    with open(path, encoding="utf-8") as file:
        return sum(
            flops for key, (_, flops) in json.load(file).items() if re.match(r"aten::conv\dd ", key)
        )


def own_convolutions(rows):
    """FLOPs of forward convolutions; None where those of one are not known: torch's range of it tells no
    stride and no padding, which prof_torch must."""
    flops = [
        row["flops"]
        for row in rows
        if row["dir"] == "fprop" and "conv" in (row["op_inner"] or "") and row["role"] == "main"
    ]
    return None if None in flops else sum(flops)


def check_flops(rows, path):
    own, told = own_products(rows), torch_products(path)
    good = own == told
    print(
        f"matrix products: {sum(own.values())} with {sum(f * c for f, c in own.items())} FLOPs, torch says "
        f"{sum(told.values())} with {sum(f * c for f, c in told.items())}: {'EQUAL' if good else 'DIFFERENT'}"
    )
    for flops in sorted((own - told) | (told - own)):
        print(f"  of {flops} FLOPs: {own[flops]}, torch says {told[flops]}")
    expected = torch_convolutions(path)
    if expected:
        found = own_convolutions(rows)
        verdict = "NOT KNOWN" if found is None else "EQUAL" if found == expected else "DIFFERENT"
        print(f"forward convolutions: {found} FLOPs, torch says {expected}: {verdict}")
        good = good and verdict == "EQUAL"
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("report")
    parser.add_argument("trace")
    parser.add_argument("--flops")
    parser.add_argument("--kernels-alone", action="store_true")
    args = parser.parse_args()
    rows = rows_of(args.report, args.trace)
    print(f"{len(rows)} kernels, {sum(map(time_of, rows)) / 1000:.0f} us")
    if not rows:
        sys.exit("no kernels")
    if args.kernels_alone:
        tensor = collections.Counter(str(row["tc"]) for row in rows)
        dtypes = collections.Counter(str(row["dtype"]) for row in rows)
        print(f"tensor cores by name: {dict(tensor)}, dtypes by name: {dict(dtypes)}")
        sys.exit(0 if all(row["kernel"] and row["kernel_full"] for row in rows) else 1)
    good = check_attribution(rows)
    if args.flops:
        good = check_flops(rows, args.flops) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
