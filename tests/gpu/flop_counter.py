#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the FLOPs of a trace with what torch's FlopCounterMode counted for the same models in
another run.

usage: flop_counter.py COUNTS.json KERNELS.json

COUNTS.json: from `flop_models.py --count`; KERNELS.json: `prof-report -r kernels -f json` of a
capture of it without --count; both may be packed (.gz). Each call that torch counted has a
counterpart with the same FLOPs, and of a product the same sizes, after the corrections that
flop_expected.py names; anything else fails. """
import collections
import gzip
import json
import re
import sys

import flop_expected

LEAST_MODELS = 8
SHOWN = 3  # calls that differ
CONVOLUTION = re.compile(r"^conv(_transpose)?[123]d$")
FUSED = re.compile(r"^_(flash|efficient|cudnn)_attention_(forward|backward)$")
# Ops in the backward node of a fused attention that compute what its kernel then takes.
DELTA = ("mul", "sum")


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def inner_of(row):
    return (row["op_inner"] or "").removeprefix("aten::")


def class_of(row, fused_gradients):
    """(class of a row's inner op, whether it is the op itself and not an addition to it); None if
    it is none of those that torch counts. fused_gradients: op instances with a kernel of them."""
    inner, op = inner_of(row), row["op"] or ""
    if inner in flop_expected.PRODUCTS:
        return inner, True
    fused = FUSED.match(inner)
    if fused:
        is_forward = fused[2] == "forward"
        return (flop_expected.ATTENTION if is_forward else flop_expected.ATTENTION_GRADIENT), True
    if row["op_id"] in fused_gradients and inner in DELTA:
        return flop_expected.ATTENTION_GRADIENT, False
    if not CONVOLUTION.match(op):
        return None
    if row["dir"] == "fprop":
        if "conv" in inner:
            return flop_expected.CONVOLUTION, True
        return (flop_expected.CONVOLUTION, False) if inner == "add_" else None
    if inner == "convolution_backward":
        return flop_expected.CONVOLUTION_GRADIENTS.get(row["part"], inner), True
    return (flop_expected.CONVOLUTION_GRADIENTS["bias"], True) if inner == "sum" else None


def sizes_of(row):
    if inner_of(row) not in flop_expected.PRODUCTS or None in (row["m"], row["n"], row["k"]):
        return None
    return flop_expected.sizes(row["m"], row["n"], row["k"], row["batch"] or 1)


class Own:
    """The calls of one class in a trace: {(FLOPs, sizes): count}, FLOPs None where not known."""

    def __init__(self):
        self.calls = collections.Counter()
        self.is_estimated = True  # all of them are marked so

    @property
    def flops(self):
        if any(flops is None for flops, _ in self.calls):
            return None
        return sum(flops * count for (flops, _), count in self.calls.items())


def own_classes(rows):
    """{class: Own} of rows of one step. What only prepares an op (a cast, a padding, a layout) has
    no FLOPs and no share of it. Ops of equal sizes in one instance are equal parts of its FLOPs."""
    fused_gradients = {
        row["op_id"] for row in rows if inner_of(row).endswith("_attention_backward")
    }
    instances = {}
    found = collections.defaultdict(Own)
    for row in rows:
        place = class_of(row, fused_gradients)
        if place is None or (row["share"] == 0 and row["flops"] == 0):
            continue
        name, is_op = place
        one = instances.setdefault((name, row["op_id"], sizes_of(row)), [0.0, 0])
        one[0] += row["share"] if is_op else 0
        one[1] = None if None in (one[1], row["flops"]) else one[1] + row["flops"]
        if row["provenance"]["flops"] != "estimated" and is_op:
            found[name].is_estimated = False
    for (name, _, sizes), (share, flops) in instances.items():
        calls = max(1, round(share))
        if flops is not None and (abs(share - calls) > 1e-6 or flops % calls):
            flops = None
        found[name].calls[None if flops is None else flops // calls, sizes] += calls
    return dict(found)


def as_counter(calls):
    return collections.Counter((flop_expected.flops_of(call), call.sizes) for call in calls)


def show_difference(expected, own):
    for what, calls in (("only torch", expected - own), ("only libprof", own - expected)):
        for (flops, sizes), count in sorted(calls.items(), key=str)[:SHOWN]:
            print(f"  {what}: {count} x {flops}" + (f", sizes {sizes}" if sizes else ""))


def verdict_of(found, own):
    """(what is wrong, or EQUAL; the calls that libprof is compared with)."""
    if own.flops is None:
        return "NOT KNOWN", found.calls
    if own.calls == as_counter(found.calls):
        if not found.has_causal:
            return "EQUAL", found.calls
        if own.is_estimated:
            return "EQUAL, estimated", found.calls
        return "DIFFERENT: pairs above the diagonal, not marked as estimated", found.calls
    if found.has_causal and own.calls == as_counter(found.causal_calls):
        return "EQUAL, causal", found.causal_calls
    return f"DIFFERENT by {own.flops - sum(map(flop_expected.flops_of, found.calls))}", found.calls


def compare_class(model, name, found, own):
    """Prints a line; True if all calls are equal."""
    verdict, calls = verdict_of(found, own)
    corrections = collections.Counter()
    for call in calls:
        corrections.update(call.corrections)
    named = "".join(f"; {flops:+d} {why}" for why, flops in sorted(corrections.items()) if flops)
    print(
        f"{model:20} {name:27} {len(calls):4} calls, torch {sum(call.torch for call in calls)}"
        f"{named}; libprof {own.flops}: {verdict}"
    )
    if verdict.startswith("EQUAL"):
        return True
    show_difference(as_counter(calls), own.calls)
    return False


def compare_model(name, counted, rows):
    """Prints a line for each class; True if all are equal."""
    try:
        found = flop_expected.classes(counted)
    except flop_expected.UnknownCount as error:
        print(f"{name}: DIFFERENT: {error}")
        return False
    if not rows:
        print(f"{name}: DIFFERENT: no kernel in its step")
        return False
    own = own_classes(rows)
    kinds = sorted(set(found) | set(own))
    nothing = flop_expected.Class()
    equal = [
        compare_class(name, kind, found.get(kind, nothing), own.get(kind, Own())) for kind in kinds
    ]
    return bool(found) and all(equal)


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
