#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares one training step imported from torch.profiler with the same step captured under emit_nvtx, kernel
by kernel: op, direction, shapes, products, forward links. Every difference needs a reason. The data
types that the capture claims must be types of inputs that torch.profiler recorded (element_types.py).

usage: compare_import.py PROF_IMPORT PROF_REPORT IMPORTED.json.gz CAPTURED{.jsonl.gz,.db}"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

import element_types

EQUAL = [
    "idx",
    "dir",
    "part",
    "op",
    "op_inner",
    "mod",
    "params",
    "inputs",
    "m",
    "n",
    "k",
    "batch",
    "flops",
    "bytes",
    "dtype",
    "kernel",
    "grid",
    "block",
    "role",
    "share",
    "family",
    "tile",
    "operand",
    "tc",
    "origin",
    "launch",
    "contradicts",
    "stream",
    "device",
]
OTHER = ["op_id", "seq", "provenance", "correlation"]

# torch.profiler writes no sizes of long lists of tensors, and none of lists with optional tensors.
OVER_LISTS = ("aten::_foreach", "aten::_amp_foreach", "aten::_fused_")
LIST_OPS = ("index", "cat")
SHORT_LIST_OPS = ("stack",)  # what stands there instead are the sizes of the op inside
LISTS = {"params", "inputs", "flops", "bytes"}
# emit_nvtx writes no element types: the capture takes them from the kernel's name, or has none. What
# it has must be right.
TYPES = {"dtype", "bytes"}
# Nor does it write arguments that are no tensors: how many rows a table has, whether equal indices
# add up, whether attention is causal, the size of what is filled, which dimensions are reduced, how
# much a fused optimizer lets weights decay. Nor strides: indices that are expanded are fewer in memory.
VALUES = {
    "embedding fprop": {"bytes"},
    "embedding bprop": {"params", "bytes"},
    "index bprop": {"flops"},
    "arange fprop": {"params", "bytes"},
    "scaled_dot_product_attention fprop": {"flops"},
    "adaptive_avg_pool2d fprop": {"flops"},
    "scaled_dot_product_attention bprop": {"flops"},
    "adaptive_avg_pool2d bprop": {"inputs"},
}


def provenance(row):
    return dict(fact.split("=") for fact in row["provenance"].split(","))


def is_over_list(captured, imported, column):
    """The imported op has no sizes of its list; for a cell they may be those of an op inside."""
    if captured["op"] in SHORT_LIST_OPS:
        return True
    if captured["op_inner"].startswith(OVER_LISTS) or captured["op"] in LIST_OPS:
        fewer = any(len(imported[sizes]) < len(captured[sizes]) for sizes in (column, "inputs"))
        return fewer or is_of_scalars(captured)
    return False


def is_of_scalars(captured):
    """Where a list of tensors without dimensions ends, emit_nvtx does not tell."""
    return not captured["inputs"].replace("()", "").replace(",", "")


def reason(column, captured, imported):
    """Why the column may differ, or none."""
    if column == "dtype" and captured["op_inner"] == "aten::cat" and imported["dtype"] == "":
        return "lists of tensors"
    if column in LISTS and is_over_list(captured, imported, column):
        return "lists of tensors"
    is_fused = captured["op_inner"].startswith("aten::_fused_")
    if column in VALUES.get(captured["op"] + " " + captured["dir"], {"flops"} if is_fused else ()):
        return "values of arguments"
    if column in TYPES and provenance(captured)["dtype"] != "exact" and captured[column] == "":
        return "element types"
    # prof_torch states where gradients are clipped and scaled, and the call of backward().
    if column == "dir" and provenance(imported)["dir"] == "estimated":
        return "direction outside of modules"
    return None


def rows(prof_import, prof_report, source, folder):
    trace = source
    if source.suffix != ".db":
        trace = folder / (source.name + ".db")
        subprocess.run([prof_import, "-o", trace, source], check=True)
    table = subprocess.run(
        [prof_report, "-f", "csv", "-c", ",".join(EQUAL + OTHER), trace],
        check=True,
        capture_output=True,
        text=True,
    )
    return list(csv.DictReader(io.StringIO(table.stdout)))


def differences(captured, imported):
    """(problems, {reason: cells})"""
    problems, reasons = [], {}
    if len(captured) != len(imported):
        problems.append(f"{len(captured)} kernels were captured, {len(imported)} imported")
    instances, numbers = {}, set()
    for one, other in zip(captured, imported):
        where = f"kernel {one['idx']} ({one['op']}, {one['op_inner']})"
        for column in EQUAL:
            if one[column] == other[column]:
                continue
            why = reason(column, one, other)
            if why is None:
                problems.append(
                    f"{where}: {column} {one[column]!r} was captured, {other[column]!r} imported"
                )
            reasons[why] = reasons.get(why, 0) + 1
        # The same kernels belong to one op.
        if instances.setdefault(one["op_id"], other["op_id"]) != other["op_id"]:
            problems.append(f"{where}: belongs to another instance of an op")
        # "inherited": linked to its forward op.
        if provenance(one)["op"] != provenance(other)["op"]:
            problems.append(
                f"{where}: op is {provenance(one)['op']} captured, {provenance(other)['op']} imported"
            )
        if (one["seq"] == "") != (other["seq"] == ""):
            problems.append(f"{where}: has a sequence number in one of them only")
        elif one["seq"]:
            numbers.add(int(one["seq"]) - int(other["seq"]))
    if len(set(instances.values())) != len(instances):
        problems.append("ops were joined")
    if len(numbers) != 1:
        problems.append(f"sequence numbers are not in step: {sorted(numbers)}")
    return problems, reasons


def main():
    prof_import, prof_report, imported, captured = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tables = [
            rows(prof_import, prof_report, pathlib.Path(path), folder)
            for path in (captured, imported)
        ]
    problems, reasons = differences(*tables)
    types = element_types.judge(*tables, element_types.stated_types(imported))
    problems += (
        [f"{len(types.wrong)} data types are wrong"] if types.wrong or not types.claimed else []
    )
    print(
        f"{len(tables[0])} kernels, {len(EQUAL)} columns each; cells that differ, by reason: {reasons}"
    )
    print(element_types.text(types))
    print("\n".join(problems[:20]))
    # A comparison that compares nothing must not pass.
    linked = sum(provenance(row)["op"] == "inherited" for row in tables[1])
    return 1 if problems or not tables[0] or linked < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
