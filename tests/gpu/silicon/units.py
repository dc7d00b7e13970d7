# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Joins rows of `prof-report -r kernels -f csv` and their counters into units, each with one
modelled cost.

A unit is what shares a cost: the kernels of one inner op of an op instance (a product and the sum
of its splits). Its counters are the sums over its kernels. """
import re

from . import ncu_csv, tiles

PRODUCT, STREAM, GATHER, COLLECTIVE = "product", "stream", "gather", "collective"
CONVOLUTION = re.compile(r"conv|convolution")
ATTENTION = re.compile(r"attention")
# Ops whose bytes depend on values: how many rows repeat, how many passes a sort takes.
BY_VALUE = re.compile(
    r"embedding|^index|::index|gather|scatter|sort|topk|unique|nonzero|masked|bincount|"
    r"searchsorted|nll_loss"
)
# Its gradient leaves out the rows whose target is to be ignored: it writes zeros for them and reads
# nothing.
SKIPS_ROWS = "cross_entropy"
COLUMNS = (
    "idx",
    "step",
    "kernel",
    "kernel_full",
    "grid",
    "block",
    "tile",
    "tc",
    "split_k",
    "family",
    "op",
    "op_id",
    "op_inner",
    "dir",
    "part",
    "role",
    "share",
    "m",
    "n",
    "k",
    "batch",
    "params",
    "flops",
    "bytes",
    "bytes_read",
    "bytes_written",
    "dtype",
    "operand",
    "time_ns",
    "layer",
    "stream",
    "origin",
    "provenance",
)


def whole(text):
    """A cell of a CSV as a number; None if it is empty."""
    return int(text) if text else None


def sizes_of(params):
    """ "N=32,C=3,H=224" as {"N": 32, ..}."""
    return {letter: int(size) for letter, size in re.findall(r"(\w)=(\d+)", params or "")}


def kind_of(row):
    if (row["family"] or "").startswith("nccl"):
        return COLLECTIVE
    op = row["op"] or ""
    if all(row[size] for size in "mnk"):
        return PRODUCT
    known = sizes_of(row["params"])
    if CONVOLUTION.search(op) and {"N", "C", "K"} <= known.keys():
        return PRODUCT
    if ATTENTION.search(op) and {"Q", "K", "D"} <= known.keys():
        return PRODUCT
    return GATHER if BY_VALUE.search(op) or BY_VALUE.search(row["op_inner"] or "") else STREAM


def may_skip_input(row):
    return row["dir"] == "bprop" and row["op_inner"] == SKIPS_ROWS


def times_read(row):
    """How many times the kernel reads its input: torch's softmax of long rows passes over a row for
    its largest element, for the sum and for the result; its gradient for the sum and the result, of
    which a log softmax sums one of the two operands. cuDNN's batch norm passes over it for the
    statistics, or for the sums of a gradient, and for the result."""
    name = row["kernel_full"]
    if re.search(r"cudnn::batchnorm_(fw|bw)tr_", name):
        return 2
    if "cunn_SoftMaxForward<" in name:
        return 3
    if "cunn_SoftMaxBackward<" in name:
        return 1.5 if "LogSoftMax" in name else 2
    return 1


def product_kind(row):
    if all(row[size] for size in "mnk"):
        return "gemm"
    return "convolution" if CONVOLUTION.search(row["op"]) else "attention"


class Unit:
    """Kernels of one inner op; `mains` are (row, what it counted). `modelled` of a product leaves
    out what an epilogue adds."""

    def __init__(self, kind, row):
        self.kind, self.row = kind, row
        self.rows, self.mains, self.clusters = [], [], {}
        self.time_ns = self.flops = self.bytes = self.read = self.written = 0
        self.tensor = self.fused = self.threads = self.dram = 0
        self.share = 0.0

    def add(self, row, metrics):
        self.rows.append(row)
        self.time_ns += whole(row["time_ns"]) or 0
        tensor, fused = ncu_csv.tensor_ops(metrics), ncu_csv.fused_ops(metrics)
        if row["role"] == "main":
            self.mains.append((row, tensor or fused))
            self.clusters[row["idx"]] = ncu_csv.cluster(metrics)
            self.share += float(row["share"] or 0)
        for name, column in (
            ("flops", "flops"),
            ("bytes", "bytes"),
            ("read", "bytes_read"),
            ("written", "bytes_written"),
        ):
            setattr(self, name, _plus(getattr(self, name), whole(row[column])))
        self.tensor += tensor
        self.fused += fused
        self.threads += ncu_csv.thread_ops(metrics)
        self.dram = _plus(self.dram, ncu_csv.dram_bytes(metrics))

    @property
    def op(self):
        return self.row["op"] or "-"

    @property
    def calls(self):
        """How many ops of equal sizes the unit holds."""
        return max(1, round(self.share))

    @property
    def modelled(self):
        if self.kind != PRODUCT or product_kind(self.row) != "gemm":
            return self.flops
        return 2 * self.calls * _product(self.row)

    @property
    def main(self):
        """The kernel that does most of the product; of equals one whose name states a tile."""
        return max(self.mains, key=lambda main: (float(main[0]["share"] or 0), main[0]["tile"]))[0]

    def cluster_of(self, row):
        """Blocks of a cluster: those in the kernel's name (nvjet launches its clusters in a row), else
        those that ncu saw."""
        named = tiles.parse_cluster(row["kernel"])
        return named if named != (1, 1) else self.clusters.get(row["idx"]) or named

    @property
    def lacks_depth(self):
        """Whether the depth of the product's tile would decide, but is not in the name."""
        tile = tiles.parse_tile(self.main["tile"])
        return product_kind(self.row) == "gemm" and tile is not None and not tile[2]

    @property
    def counted(self):
        """What the hardware did for the product: on tensor cores if they did anything."""
        return self.tensor or self.fused

    def candidates(self, depths):
        """For each product that has kernels of its own: (what they counted, what the hardware may
        take: [(operations, rule)]). `depths` are those that a tile without one may have."""
        kind = product_kind(self.row)
        if kind == "convolution":
            # Every gradient is a product of its own, with its own kernel.
            return [(counted, list(self._convolution(row))) for row, counted in self.mains]
        main = self.main
        tile = tiles.parse_tile(main["tile"])
        if kind == "attention":
            sizes = sizes_of(self.row["params"])
            groups = tiles.warpgroups(main["kernel"], main["block"])
            return [(self.counted, list(tiles.attention(sizes, self.row["dir"], tile, groups)))]
        m, n, k = (int(self.row[size]) for size in "mnk")
        batch = int(self.row["batch"] or 1) * self.calls
        cluster = self.cluster_of(main)
        if self.lacks_depth:
            found = tiles.gemm_of_depths(m, n, k, batch, tile, cluster, depths)
            return [(self.counted, list(found))]
        may_split = main["split_k"] != "0"
        scales_by_fma = "_ffma_" in main["kernel"]
        found = tiles.gemm(m, n, k, batch, tile, cluster, may_split, scales_by_fma)
        return [(self.counted, list(found))]

    def _convolution(self, row):
        sizes = sizes_of(self.row["params"])
        if (
            "transpose" in self.op
        ):  # the data gradient of a convolution from its result to its input
            for one, other in ("CK", "DO", "HP", "WQ"):
                sizes[one], sizes[other] = sizes.get(other, 1), sizes.get(one, 1)
        tile = tiles.parse_tile(row["tile"])
        return tiles.convolution(sizes, row["kernel"], tile, self.cluster_of(row), row["part"])


def _plus(total, value):
    """A sum in which one unknown makes all unknown."""
    return None if total is None or value is None else total + value


def _product(row):
    return int(row["m"]) * int(row["n"]) * int(row["k"]) * int(row["batch"] or 1)


def group(rows, metrics_of):
    """Units of the rows for which metrics_of(row) is not None, in launch order, and how many rows
    have no op.

    Kernels that help (role helper) belong to the unit of their inner op, or of their op instance;
    without one they are a unit that has no modelled cost."""
    units, instances, without_op = {}, {}, 0
    later = []
    for row in rows:
        metrics = metrics_of(row)
        if metrics is None:
            continue
        if not row["op_id"]:
            without_op += 1
            continue
        kind = kind_of(row)
        key = (
            row["op_id"],
            row["op_inner"],
            row["part"],
            row["m"],
            row["n"],
            row["k"],
            row["batch"],
            kind,
        )
        if row["role"] != "main":
            later.append((key, row, metrics))
            continue
        unit = units.setdefault(key, Unit(kind, row))
        unit.add(row, metrics)
        instances.setdefault(row["op_id"], unit)
    for key, row, metrics in later:
        unit = units.get(key) or instances.get(row["op_id"])
        if unit is not None:
            unit.add(row, metrics)
    return list(units.values()), without_op
