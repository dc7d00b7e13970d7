#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares prof-report on a recorded PyTorch step with torch.profiler on the same kernels.

usage: compare_truth.py PROF_REPORT TRACE TRUTH

TRACE: a trace.db, or a recorded stream (*.jsonl, *.jsonl.gz), which prof-import beside PROF_REPORT imports first.
TRUTH: a line a kernel in launch order, see tests/data/README.md.

Prints for each field how many kernels agree, and every disagreement with its reason. FLOPs are compared with torch's
with_flops, to which the bias of an addmm is added. Exit code 1 if there is one
without a reason, or if the two do not have the same kernels; 2 for usage.
"""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

COLUMNS = "idx,mod,op,op_inner,dir,part,layer,seq,m,n,k,batch,flops,share,provenance"
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm")
# PyTorch's inner names in the recordings that differ from user-visible names.
NAMES = {
    "cross_entropy_loss": "cross_entropy",
    "_amp_foreach_non_finite_check_and_unscale_": "unscale",
    "_amp_update_scale_": "update_scale",
    "_local_scalar_dense": "item",
}


def shown(name):
    """An op's name as a person writes it: without namespace, in-place underscore and inner spelling."""
    name = name.removeprefix("aten::")
    if name in NAMES:
        return NAMES[name]
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def product(truth):
    """M, N, K and batch as cuBLAS counts, from the shapes of the op that launched the kernel."""
    a, b = truth["dims"][1:3] if truth["inner"] == "aten::addmm" else truth["dims"][:2]
    return {
        "m": b[-1],
        "n": a[-2],
        "k": a[-1],
        "batch": a[0] if truth["inner"] == "aten::bmm" else 1,
    }


def fields(row, truth):
    """(field, ours, the truth's, reason for a difference or None) for all that the truth says of a kernel."""
    in_optimizer = row["mod"] == "Optimizer"
    op = shown(truth.get("forward_outer", truth["outer"]))
    yield "op", row[
        "op"
    ], op, "the optimizer's step is the op, torch.profiler's range of it is no aten op" if in_optimizer and truth[
        "dir"
    ] == "update" else None
    yield "inner op", row["op_inner"], truth["inner"], None
    yield "direction", row["dir"], truth["dir"], None
    if truth["dir"] == "bprop":
        yield "link to the forward op", row["provenance"]["op"], "inherited", None
        yield "layer of backward work", row["provenance"]["layer"], "inherited", None
    if truth["inner"] in PRODUCTS:
        for name, size in product(truth).items():
            yield f"products: {name}", row[name], size, None
        if truth["dir"] == "bprop" and op == "linear":
            yield "part of a gradient", row["part"] is not None, True, None
    if "flops" in truth and row["share"]:
        yield "FLOPs", *flops(row, truth)


def flops(row, truth):
    """Ours, the truth's, reason. A kernel has a share of its op's FLOPs, in whole numbers that add up to them."""
    want = truth["flops"]
    if truth["inner"] == "aten::addmm":
        want += row["m"] * row["n"]  # with_flops leaves out the bias
    expected = round(row["share"] * want)
    if row["flops"] is not None and abs(row["flops"] - expected) <= 1:
        return expected, expected, None
    inside = truth["inner"] not in PRODUCTS and truth["outer"] != truth["inner"]
    return (
        row["flops"],
        expected,
        f"a part of the FLOPs of {truth['outer']} around it" if inside else None,
    )


def read_report(report, trace, folder):
    if ".jsonl" in trace.name:
        database = pathlib.Path(folder) / "trace.db"
        subprocess.run(
            [report.with_name("prof-import"), "-o", database, trace],
            check=True,
            capture_output=True,
        )
        trace = database
    done = subprocess.run(
        [report, "-r", "kernels", "-f", "json", "-c", COLUMNS, trace],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout), [
        line for line in done.stderr.splitlines() if "warning:" in line
    ]


def compare(rows, truth, out):
    """Writes the comparison; the number of disagreements without a reason."""
    agree, total, differ = collections.Counter(), collections.Counter(), {}
    for row, want in zip(rows, truth):
        for field, ours, theirs, reason in fields(row, want):
            total[field] += 1
            agree[field] += ours == theirs
            if ours != theirs:
                differ.setdefault((field, str(ours), str(theirs), reason), []).append(row["idx"])
    for field, count in total.items():
        print(
            f"  {field:24} {agree[field]:5} of {count:5} agree ({100 * agree[field] / count:.2f} %)",
            file=out,
        )
    for (field, ours, theirs, reason), kernels in differ.items():
        print(
            f"  {field}: {ours}, not {theirs}, in kernels {','.join(map(str, kernels))}: {reason or 'NO REASON KNOWN'}",
            file=out,
        )
    return sum(len(kernels) for (_, _, _, reason), kernels in differ.items() if reason is None)


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    report, trace, truth_path = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        rows, warnings = read_report(report, trace, folder)
    with gzip.open(truth_path, "rt") as file:
        truth = [json.loads(line) for line in file]
    print(f"{trace.name}: {len(rows)} kernels, torch.profiler has {len(truth)}")
    if len(rows) != len(truth):
        return 1
    unexplained = compare(rows, truth, sys.stdout)
    for line in warnings:
        print(f"  {line}")
    print(f"  disagreements without a reason: {unexplained}, warnings: {len(warnings)}")
    # A warning of prof-report is a kernel or a node that it could not place.
    return 1 if unexplained or warnings else 0


if __name__ == "__main__":
    sys.exit(main())
