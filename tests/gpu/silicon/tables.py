# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The audit as text: tables that are Markdown and also read well in a terminal, and a CSV of all
units."""
import collections
import csv
import statistics

from . import units


def table(header, rows):
    """A Markdown table; empty text without rows."""
    if not rows:
        return ""
    cells = [header] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
        for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"


def ratio(value, base):
    return f"{value / base:.4f}" if base else "-"


def giga(value):
    return "-" if value is None else f"{value / 1e9:.3f}"


def _groups(items, unit_of, key_of):
    groups = collections.defaultdict(list)
    for item in items:
        groups[key_of(unit_of(item))].append(item)
    return sorted(
        groups.items(), key=lambda group: -sum(unit_of(item).time_ns for item in group[1])
    )


def _op_and_direction(unit):
    return (unit.op, unit.row["dir"] or "-")


def products(model, judged):
    rows = []
    time = sum(p.unit.time_ns for p in judged)
    for (op, direction), group in _groups(judged, lambda p: p.unit, _op_and_direction):
        modelled, counted = sum(p.unit.modelled for p in group), sum(p.unit.counted for p in group)
        fitting = [p for p in group if p.fits]
        rules = collections.Counter(p.rule for p in fitting)
        worst = max(
            (abs(p.unit.counted / p.expected - 1) for p in fitting if p.expected), default=None
        )
        rows.append(
            [
                model,
                op,
                direction,
                len(group),
                f"{100 * sum(p.unit.time_ns for p in group) / time:.1f}" if time else "-",
                giga(modelled),
                giga(counted),
                ratio(counted, modelled),
                f"{len(fitting)} of {len(group)}",
                "-" if worst is None else f"{100 * worst:.2f} %",
                "; ".join(f"{rule}: {count}" for rule, count in rules.most_common()) or "-",
            ]
        )
    return rows


PRODUCTS = [
    "model",
    "op",
    "direction",
    "units",
    "% of product time",
    "modelled G",
    "counted G",
    "counted / modelled",
    "within 1 % of tiles",
    "largest error of these",
    "rules",
]


def misfits(model, judged):
    time = sum(p.unit.time_ns for p in judged)
    groups = collections.defaultdict(list)
    for p in judged:
        if not p.fits:
            groups[
                (
                    p.unit.op,
                    p.unit.row["dir"],
                    p.unit.main["kernel"][:60],
                    sizes_text(p.unit),
                    p.reason or "UNEXPLAINED",
                )
            ].append(p)
    rows = []
    for (op, direction, kernel, sizes, reason), group in sorted(
        groups.items(), key=lambda item: -sum(p.unit.time_ns for p in item[1])
    ):
        unit = group[0].unit
        rows.append(
            [
                model,
                op,
                direction,
                kernel,
                unit.main["tile"] or "-",
                sizes,
                len(group),
                f"{100 * sum(p.unit.time_ns for p in group) / time:.2f}" if time else "-",
                ratio(unit.counted, unit.modelled),
                ratio(unit.counted, group[0].expected),
                reason,
            ]
        )
    return rows


MISFITS = [
    "model",
    "op",
    "direction",
    "kernel",
    "tile",
    "sizes",
    "units",
    "% of product time",
    "counted / modelled",
    "counted / nearest",
    "reason",
]


def sizes_text(unit):
    return (unit.row["params"] or "-")[:60]


def other_ops(model, found):
    """Arithmetic outside of products: a convention, so ratios only."""
    rows = []
    others = [u for u in found if u.kind in (units.STREAM, units.GATHER) and u.flops]
    for (op, direction), group in _groups(others, lambda u: u, _op_and_direction):
        modelled, counted = sum(u.flops for u in group), sum(u.threads for u in group)
        rows.append(
            [
                model,
                op,
                direction,
                len(group),
                giga(modelled),
                giga(counted),
                ratio(counted, modelled),
            ]
        )
    return rows


OTHER_OPS = ["model", "op", "direction", "units", "modelled G", "counted G", "counted / modelled"]


def traffic(model, judged):
    rows = []
    for (op, direction), group in _groups(judged, lambda t: t.unit, _op_and_direction):
        ratios = [t.ratio for t in group]
        rows.append(
            [
                model,
                op,
                direction,
                len(group),
                giga(sum(t.unit.bytes for t in group)),
                giga(sum(t.unit.dram for t in group)),
                f"{min(ratios):.3f}",
                f"{statistics.median(ratios):.3f}",
                f"{max(ratios):.3f}",
                sum(len({row["kernel"] for row, _ in t.unit.mains}) > 1 for t in group),
                sum(t.held_back for t in group),
                sum(t.one_tensor for t in group),
                sum(t.passes for t in group),
                sum(not t.fits for t in group),
            ]
        )
    return rows


TRAFFIC = [
    "model",
    "op",
    "direction",
    "units",
    "modelled GB",
    "DRAM GB",
    "lowest",
    "median",
    "highest",
    "of several kernels",
    "held in L2",
    "of one tensor",
    "in passes",
    "outside",
]


def traffic_misfits(model, judged):
    return [
        [
            model,
            t.unit.op,
            t.unit.row["dir"],
            t.unit.row["kernel"][:60],
            sizes_text(t.unit),
            giga(t.unit.bytes),
            giga(t.unit.dram),
            f"{t.ratio:.3f}",
        ]
        for t in judged
        if not t.fits
    ]


TRAFFIC_MISFITS = ["model", "op", "direction", "kernel", "sizes", "modelled GB", "DRAM GB", "ratio"]

UNIT_COLUMNS = [
    "model",
    "kind",
    "idx",
    "op",
    "op_inner",
    "dir",
    "part",
    "params",
    "kernels",
    "kernel",
    "tile",
    "family",
    "role_rows",
    "time_ns",
    "modelled_flops",
    "counted_tensor",
    "counted_fused",
    "counted_threads",
    "expected",
    "rule",
    "fits",
    "reason",
    "bytes",
    "bytes_read",
    "bytes_written",
    "dram",
]


def write_units(path, audits):
    """One line per unit, for questions that no table answers."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(UNIT_COLUMNS)
        for model, audit in audits.items():
            of_unit = {id(p.unit): p for p in audit.products}
            for u in audit.units:
                p = of_unit.get(id(u))
                out.writerow(
                    [
                        model,
                        u.kind,
                        u.row["idx"],
                        u.op,
                        u.row["op_inner"],
                        u.row["dir"],
                        u.row["part"],
                        u.row["params"],
                        len(u.rows),
                        u.row["kernel"],
                        u.row["tile"],
                        u.row["family"],
                        "+".join(row["role"] for row in u.rows),
                        u.time_ns,
                        u.modelled,
                        u.tensor,
                        u.fused,
                        u.threads,
                        p and p.expected,
                        p and p.rule,
                        p and p.fits,
                        p and p.reason,
                        u.bytes,
                        u.read,
                        u.written,
                        u.dram,
                    ]
                )
