#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the FLOPs and bytes that libprof models with what the GPU's counters count (Nsight
Compute).

usage: ncu_audit.py metrics                          from `ncu --query-metrics`: what to ask for
       ncu_audit.py plan TRACE.csv STEP MOST         how many kernels to skip, and to profile
       ncu_audit.py report [--markdown FILE] FOLDER  judges what ncu_audit.sh left in a folder

The folder has device.csv (name, l2_bytes), MODEL.step (the step and MOST), and, packed or not,
MODEL.trace.csv (the columns of silicon/units.py) and MODEL.ncu.csv. `report` needs no GPU; it
prints tables and verdicts, writes units.csv into the folder, and exits with 0 if all verdicts are
PASS. """
import argparse
import collections
import csv
import glob
import gzip
import io
import os
import sys

from silicon import align, audit, ncu_csv, tables, units


def read(path):
    if not os.path.exists(path):
        path += ".gz"
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return file.read()


def read_rows(path):
    return list(csv.DictReader(io.StringIO(read(path))))


def plan(rows, step, most):
    """(kernels before the step's first, kernels from its first to its last, at most `most`)."""
    inside = [i for i, row in enumerate(rows) if row["step"] == step]
    if not inside:
        raise SystemExit(f"the trace has no kernel in step {step!r}")
    return inside[0], min(inside[-1] - inside[0] + 1, most)


def pair(model, rows, counted):
    """{idx: metrics} of the rows that ncu profiled; prints every kernel without a counterpart."""
    step_number, most = read(model + ".step").split()
    first, count = plan(rows, step_number, int(most))
    step = rows[first : first + count]
    ours = [align.key_of(row["kernel_full"], row["grid"], row["block"]) for row in step]
    theirs = [align.key_of(kernel["kernel"], kernel["grid"], kernel["block"]) for kernel in counted]
    pairs, left = align.align(ours, theirs)
    for (name, grid, block), (ours_times, theirs_times) in left.items():
        print(
            f"  not aligned: {name} <<<{grid}; {block}>>> {ours_times} times in the trace, "
            f"{theirs_times} in ncu"
        )
    is_in_order = all(pairs[i][1] < pairs[i + 1][1] for i in range(len(pairs) - 1))
    print(
        f"{os.path.basename(model)}: {len(step)} kernels in the trace, {len(counted)} in ncu, "
        f"{len(pairs)} pairs"
        f"{'' if is_in_order else ', not in the same order'}"
    )
    unpaired = max(len(step), len(counted)) - len(pairs)
    return step, {step[i]["idx"]: counted[j]["metrics"] for i, j in pairs}, unpaired


def audit_model(model, l2_bytes):
    rows = read_rows(model + ".trace.csv")
    counted = ncu_csv.parse(read(model + ".ncu.csv"))
    missing = [
        name for name in ncu_csv.NEEDED if not any(name in kernel["metrics"] for kernel in counted)
    ]
    if missing or not any(ncu_csv.tensor_ops(kernel["metrics"]) for kernel in counted):
        print(
            f"  {os.path.basename(model)}: ncu counted no "
            + (", ".join(missing) or "operation of a tensor core")
        )
    step, metrics, unpaired = pair(model, rows, counted)
    found, without_op = units.group(step, lambda row: metrics.get(row["idx"]))
    if without_op:
        print(f"  {without_op} kernels without an op are not judged")
    self_product = audit.SELF_PRODUCTS.get(os.path.basename(model))
    return audit.Audit(found, l2_bytes, self_product), len(step), unpaired


def sections(audits):
    """(heading, table) of everything."""

    def rows(make, items):
        return [row for model, one in audits.items() for row in make(model, items(one))]

    return [
        (
            "Operations of products",
            tables.table(tables.PRODUCTS, rows(tables.products, lambda a: a.products)),
        ),
        (
            "Products that are not within 1 % of their tiles",
            tables.table(tables.MISFITS, rows(tables.misfits, lambda a: a.products)),
        ),
        (
            "Arithmetic of other ops: a convention, so no limit",
            tables.table(tables.OTHER_OPS, rows(tables.other_ops, lambda a: a.units)),
        ),
        (
            "DRAM bytes of streaming ops of at least 4 x L2",
            tables.table(tables.TRAFFIC, rows(tables.traffic, lambda a: a.streams)),
        ),
        (
            "Streaming ops outside of the limits",
            tables.table(tables.TRAFFIC_MISFITS, rows(tables.traffic_misfits, lambda a: a.streams)),
        ),
        (
            "DRAM bytes of products of at least 4 x L2: they read again",
            tables.table(tables.TRAFFIC, rows(tables.traffic, lambda a: a.product_traffic)),
        ),
    ]


def verdicts(audits, kernels, unpaired, not_judged):
    def every(items):
        return [item for one in audits.values() for item in items(one)]

    return [
        audit.Verdict(
            "models",
            bool(audits) and not not_judged,
            f"{len(audits)} judged"
            + (f", not judged: {', '.join(not_judged)}" if not_judged else ""),
        ),
        audit.verdict_on_pairs(kernels, unpaired),
        audit.verdict_on_products(every(lambda a: a.products)),
        audit.verdict_on_traffic(
            "DRAM bytes of streaming ops", every(lambda a: a.streams), "within 15 % of the model"
        ),
        audit.verdict_on_traffic(
            "DRAM bytes of products",
            every(lambda a: a.product_traffic),
            "at least 0.85 of the model",
        ),
    ]


def report(folder, markdown):
    device = read_rows(os.path.join(folder, "device.csv"))[0]
    l2_bytes = int(device["l2_bytes"])
    audits, not_judged, kernels, unpaired = {}, [], 0, 0
    models = sorted(
        {path.removesuffix(".step") for path in glob.glob(os.path.join(folder, "*.step"))}
    )
    for model in models:
        name = os.path.basename(model)
        try:
            audits[name], in_step, left = audit_model(model, l2_bytes)
        except (OSError, ncu_csv.Unreadable) as error:
            print(f"{name}: not judged: {error}")
            not_judged.append(name)
            continue
        kernels += in_step
        unpaired += left
    text = [f"{heading}\n\n{body}" for heading, body in sections(audits) if body]
    results = verdicts(audits, kernels, unpaired, not_judged)
    print("\n" + "\n".join(text))
    tables.write_units(os.path.join(folder, "units.csv"), audits)
    kinds = collections.Counter(u.kind for one in audits.values() for u in one.units)
    print(f"{device['name']}, L2 {l2_bytes} bytes; units: {dict(kinds)}")
    for verdict in results:
        print(verdict)
    if markdown:
        with open(markdown, "w", encoding="utf-8") as file:
            file.write(
                f"On an {device['name']}:\n\n"
                + "".join(f"- {verdict}\n" for verdict in results)
                + "\n"
                + "\n".join(f"### {part}" for part in text)
            )
    return 0 if all(verdict.is_good for verdict in results) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("metrics")
    planned = commands.add_parser("plan")
    planned.add_argument("trace")
    planned.add_argument("step")
    planned.add_argument("most", type=int)
    reported = commands.add_parser("report")
    reported.add_argument("--markdown", metavar="FILE")
    reported.add_argument("folder")
    args = parser.parse_args()
    if args.command == "metrics":
        print(",".join(ncu_csv.pick_metrics(sys.stdin.read())))
        return 0
    if args.command == "plan":
        print(*plan(read_rows(args.trace), args.step, args.most))
        return 0
    return report(args.folder, args.markdown)


if __name__ == "__main__":
    sys.exit(main())
