#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the FLOPs of a trace with what torch's FlopCounterMode counted for the same models in
another run.

usage: flop_counter.py COUNTS.json KERNELS.json

COUNTS.json: from `flop_models.py --count`; KERNELS.json: `prof-report -r kernels -f json` of a
capture of it without --count; both may be packed (.gz). By model and class of ops the sums are
equal to the FLOP, after the corrections that flop_expected.py names; anything else fails. """
import collections
import gzip
import json
import re
import sys

import flop_expected
import torch_attribution

LEAST_MODELS = 8
CELLS = ("lstm_cell", "gru_cell")
CONVOLUTION = re.compile(r"^_?(slow_|cudnn_|thnn_)?conv")


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def is_forward_attention(row):
    return row["op"] == "scaled_dot_product_attention" and row["dir"] == "fprop"


def class_of(row):
    """The class of a row's op; None if it is none of those that torch counts."""
    inner = (row["op_inner"] or "").removeprefix("aten::")
    if is_forward_attention(row):
        return flop_expected.FORWARD
    if row["op"] in CELLS and row["dir"] == "fprop":
        return flop_expected.CELL
    if inner in flop_expected.PRODUCTS:
        return inner
    if row["op"] == "scaled_dot_product_attention" and "attention" in inner:
        return flop_expected.GRADIENT
    if CONVOLUTION.match(row["op"] or ""):
        return "convolution" if row["dir"] == "fprop" else "convolution_backward"
    return None


def add(total, value):
    """A sum in which one unknown makes all unknown."""
    return None if total is None or value is None else total + value


def own_sums(rows):
    """{class: FLOPs} of rows of one step; None where those of one are not known. What only prepares
    an op (a cast, a padding, a layout) is a row with no FLOPs."""
    sums = collections.defaultdict(int)
    for row in rows:
        name = class_of(row)
        if name is not None:
            sums[name] = add(sums[name], row["flops"])
    return dict(sums)


def own_products(rows):
    """{class: (FLOPs of its products by M, N, K; additions of biases that their ops also count)}.
    The additions are None where an op counts anything else."""
    ops = collections.defaultdict(lambda: [0.0, 0])
    for row in rows:
        name, flops = class_of(row), torch_attribution.product_flops(row)
        if name in flop_expected.PRODUCTS and flops is not None:
            result = row["m"] * row["n"] * (row["batch"] or 1)
            op = ops[name, row["op_id"], row["part"], flops, result]
            op[0] += row["share"]
            op[1] = add(op[1], row["flops"])
    sums = {}
    for (name, _, _, flops, result), (share, counted) in ops.items():
        calls = round(share)
        more = None if counted is None else counted - flops * calls
        if more not in (0, result * calls) or abs(share - calls) > 1e-6:
            more = None
        products, biases = sums.get(name, (0, 0))
        sums[name] = (products + flops * calls, add(biases, more))
    return sums


def verdict_of(name, found, own, products):
    """What is wrong, or EQUAL."""
    if own is None:
        return "NOT KNOWN"
    if name in flop_expected.PRODUCTS:
        by_sizes, biases = products.get(name, (0, 0))
        if by_sizes != found.torch:
            return f"DIFFERENT: {by_sizes} by M, N, K"
        if name in ("mm", "bmm") and biases:
            # torch adds the bias of such a linear op in an op of its own.
            found.corrections[flop_expected.BIAS] += biases
    if own == found.expected:
        return "EQUAL"
    if name in (flop_expected.FORWARD, flop_expected.GRADIENT) and own == found.expected_if_causal:
        return "EQUAL, causal"
    return f"DIFFERENT by {own - found.expected}"


def compare_model(name, counted, rows):
    """Prints a line for each class; True if all are equal."""
    try:
        found = flop_expected.classes(counted)
    except flop_expected.UnknownCount as error:
        print(f"{name}: DIFFERENT: {error}")
        return False
    own, products = own_sums(rows), own_products(rows)
    good = bool(rows) and bool(found)
    for kind in sorted(set(found) | set(own)):
        if kind not in found:
            if own[kind]:
                print(f"{name:20} {kind:20} DIFFERENT: libprof has {own[kind]}, torch counts none")
                good = False
            continue
        one = found[kind]
        verdict = verdict_of(kind, one, own.get(kind, 0), products)
        corrections = one.causal_corrections if verdict == "EQUAL, causal" else one.corrections
        named = "".join(
            f"; {flops:+d} {why}" for why, flops in sorted(corrections.items()) if flops
        )
        print(
            f"{name:20} {kind:20} {one.calls:4} calls, torch {one.torch}{named}; "
            f"libprof {own.get(kind, 0)}: {verdict}"
        )
        good = good and verdict.startswith("EQUAL")
    if not rows:
        print(f"{name}: DIFFERENT: no kernel in its step")
    return good


def compare(counts, rows):
    """Prints everything; True if at least LEAST_MODELS were compared, all of them equal."""
    steps = collections.defaultdict(list)
    for row in rows:
        steps[row["step"]].append(row)
    equal, different, failed = [], [], []
    for name, counted in counts["models"].items():
        if "error" in counted:
            print(f"{name}: NOT RUN: {counted['error']}")
            failed.append(name)
        elif compare_model(name, counted, steps[counted["step"]]):
            equal.append(name)
        else:
            different.append(name)
    good = not different and len(equal) >= LEAST_MODELS
    print(
        f"torch {counts['torch']}: {len(equal)} models equal to the FLOP"
        + (f", different: {', '.join(different)}" if different else "")
        + (f", not run: {', '.join(failed)}" if failed else "")
    )
    print("EQUAL" if good else "DIFFERENT")
    return good


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(0 if compare(load(sys.argv[1]), load(sys.argv[2])) else 1)


if __name__ == "__main__":
    main()
