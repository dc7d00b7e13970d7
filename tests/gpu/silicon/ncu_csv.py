# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the CSV of Nsight Compute: one line per kernel (`--page raw`) or one per kernel and
metric."""
import csv
import re

# Which metrics a run asks for; of each the sum over the GPU.
TENSOR = tuple(
    f"sm__ops_path_tensor_src_{types}"
    for types in ("fp16", "bf16_dst_fp32", "tf32_dst_fp32", "fp8", "fp64", "int8")  # of any result
)
COMMON_TENSOR = TENSOR[:3]
THREADS = {  # instructions of one thread
    name: f"smsp__sass_thread_inst_executed_op_{name}_pred_on"
    for name in ("ffma", "fadd", "fmul", "dfma", "dadd", "dmul", "hfma", "hadd", "hmul")
}
DRAM_READ, DRAM_WRITTEN, TIME = "dram__bytes_read", "dram__bytes_write", "gpu__time_duration"
WANTED = TENSOR + tuple(THREADS.values()) + (DRAM_READ, DRAM_WRITTEN, TIME)
NEEDED = (THREADS["ffma"], DRAM_READ, DRAM_WRITTEN)
# Of the launch, which ncu prints unasked: blocks of a cluster, 0 without clusters.
CLUSTER = ("launch__cluster_dim_x", "launch__cluster_dim_y")

_TIMES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
_PREFIXES = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


class Unreadable(Exception):
    """The text is not what ncu prints; says what is wrong."""


def pick_metrics(listing):
    """What to ask for, as arguments of --metrics. Which tensor core metrics there are depends on
    the GPU: those that the text of `ncu --query-metrics` lists, or the commonest if it lists none
    (the query failed)."""
    known = set(re.findall(r"^\s*(sm__ops_path_tensor_\w+)", listing, re.MULTILINE))
    tensor = [name for name in TENSOR if name in known] or list(COMMON_TENSOR)
    return [name + ".sum" for name in (*tensor, *THREADS.values(), DRAM_READ, DRAM_WRITTEN, TIME)]


def factor_of(unit):
    """What a unit is in bytes, instructions, operations or nanoseconds; None if it is none."""
    short = unit.replace("second", "s")
    if short in _TIMES:
        return _TIMES[short]
    found = re.fullmatch(r"([KMGT]?)(byte|inst|op)s?|", unit)
    return _PREFIXES[found[1] or ""] if found else None


def number(text):
    """The number that a cell holds ("1,234.5"); None if it holds none ("n/a")."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _dimensions(text):
    return ",".join(re.findall(r"\d+", text))


def _kernel(cells):
    sides = {name: number(cells.get(name, "")) for name in CLUSTER}
    return {
        "id": int(cells["ID"]),
        "process": cells.get("Process ID", ""),
        "kernel": cells["Kernel Name"],
        "grid": _dimensions(cells.get("Grid Size", "")),
        "block": _dimensions(cells.get("Block Size", "")),
        "metrics": {name: value for name, value in sides.items() if value is not None},
    }


def _add(kernel, metric, unit, text):
    value, factor = number(text), factor_of(unit)
    if value is None:
        return
    if factor is None:
        raise Unreadable(f"kernel {kernel['id']}: {metric} has the unit {unit!r}")
    kernel["metrics"][metric.removesuffix(".sum")] = value * factor


def parse(text):
    """Kernels in the order in which ncu profiled them: id, process, kernel (its name), grid and
    block ("x,y,z"), metrics {name without .sum: number}. Lines before the table (==PROF== ...) are
    passed over."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise Unreadable('no line that begins with "ID": ncu profiled no kernel, or printed no CSV')
    rows = list(csv.reader(line for line in lines[start:] if line.startswith('"')))
    header, rows = rows[0], [row for row in rows[1:] if row[0] != "ID"]
    if "Metric Name" in header:
        return _parse_long(header, rows)
    wide = [i for i, name in enumerate(header) if name.removesuffix(".sum") in WANTED]
    if not wide:
        raise Unreadable("the table has none of the metrics")
    units = {}
    kernels = []
    for row in rows:
        if not row[0]:  # the line of units
            units = dict(zip(header, row))
            continue
        kernel = _kernel(dict(zip(header, row)))
        for i in wide:
            _add(kernel, header[i], units.get(header[i], ""), row[i])
        kernels.append(kernel)
    return kernels


def _parse_long(header, rows):
    kernels = {}
    for row in rows:
        cells = dict(zip(header, row))
        kernel = kernels.setdefault((cells.get("Process ID", ""), cells["ID"]), _kernel(cells))
        if cells["Metric Name"].removesuffix(".sum") in WANTED:
            _add(kernel, cells["Metric Name"], cells["Metric Unit"], cells["Metric Value"])
    return list(kernels.values())


def tensor_ops(metrics):
    return sum(metrics.get(name, 0) for name in TENSOR)


def fused_ops(metrics):
    """Operations of fused multiply-adds outside of the tensor cores, 2 each."""
    return 2 * sum(metrics.get(THREADS[name], 0) for name in ("ffma", "dfma", "hfma"))


def thread_ops(metrics):
    """All floating-point operations outside of the tensor cores that have a counter."""
    return fused_ops(metrics) + sum(
        metrics.get(name, 0) for op, name in THREADS.items() if not op.endswith("fma")
    )


def cluster(metrics):
    """(blocks along x, along y) of a cluster; None if ncu did not tell or there are no clusters."""
    sides = tuple(int(metrics.get(name, 0)) for name in CLUSTER)
    return sides if all(sides) else None


def dram_bytes(metrics):
    if DRAM_READ not in metrics or DRAM_WRITTEN not in metrics:
        return None
    return metrics[DRAM_READ] + metrics[DRAM_WRITTEN]
