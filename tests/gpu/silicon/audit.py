# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Judges units: products by the operations counted, streaming ops and products by the bytes of
DRAM."""
import collections

from . import tiles, units

MOST_EXCUSED = 0.05  # of the time of products
DRAM_TOLERANCE = 0.15
LEAST_OF_PRODUCT = 0.85
# Products of a tensor with itself (DLRM's interaction, z zᵀ), which the kernel reads once: an op's
# shapes do not tell, so the model counts two operands.
SELF_PRODUCTS = {"ref_dlrm": "bmm", "torch_dlrm": "bmm"}
FOOTPRINT_IN_L2 = 4  # below that, caches hide traffic
MOST_UNPAIRED = 0.01

Product = collections.namedtuple("Product", "unit expected rule fits reason")
Traffic = collections.namedtuple("Traffic", "unit ratio fits held_back one_tensor passes")


def reason_of(unit):
    """Why the operations of a product cannot be told from its sizes and its kernel's name; None if
    they can."""
    kind = units.product_kind(unit.row)
    has_tile = bool(unit.main["tile"])
    if kind == "attention":
        return (
            "attention: its name does not tell which blocks a mask leaves out, "
            "nor what is computed again"
        )
    if kind == "convolution":
        names = " ".join(row["kernel"].lower() for row, _ in unit.mains)
        for word in ("winograd", "fft"):
            if word in names:
                return f"convolution by {word}: fewer multiplications than the definition"
        if not has_tile:
            return "convolution: no tile in the kernel's name"
        sizes = units.sizes_of(unit.row["params"])
        if "dgrad" in names and sizes.get("W", 0) > 1.5 * sizes.get("Q", 1):
            return "data gradient of a convolution: products with the zeros between strides"
        return None
    return None if has_tile else "no tile in the kernel's name"


def depths_of_kernels(products):
    """{kernel: depths} for names without a depth: those with which all of a kernel's products fit
    that fit with any. If there is none, K is not rounded."""
    common = {}
    for unit in products:
        if not unit.lacks_depth:
            continue
        fitting = {depth for depth in tiles.DEPTHS if judge_product(unit, (depth,)).fits}
        if fitting:
            kernel = unit.main["kernel_full"]
            common[kernel] = common.get(kernel, fitting) & fitting
    return {kernel: sorted(depths) or (1,) for kernel, depths in common.items()}


def judge_product(unit, depths=tiles.DEPTHS):
    found = [tiles.nearest(counted, candidates) for counted, candidates in unit.candidates(depths)]
    expected = sum(ops for ops, _, _ in found)
    rules = " + ".join(sorted({rule for _, rule, _ in found}))
    fits = all(fits for _, _, fits in found)
    return Product(unit, expected, rules, fits, None if fits else reason_of(unit))


def is_self_product(unit, op):
    row = unit.row
    return bool(unit.read) and row["op"] == op and row["dir"] == "fprop" and row["m"] == row["n"]


def judge_traffic(unit, l2_bytes, least, most, self_product=None):
    """None if the unit's bytes are not known or are too few to exceed the caches. What was written
    last may stay in the L2 cache beyond the kernel's end, at most as much as it holds: `held_back`
    if that alone makes it fit. Kernels of different names in one op read again what the one before
    has written, so there is no upper limit for them. Of an op that reads its input only where
    values ask for it, the lower limit is that of what it writes. The ratio of a product of a tensor
    with itself is that to the bytes with one operand. A kernel that passes over its rows several
    times reads them again as far as the rows in flight exceed the caches, so its upper limit has
    all passes: `passes` if they alone make it fit."""
    if not unit.bytes or unit.dram is None or unit.bytes < FOOTPRINT_IN_L2 * l2_bytes:
        return None
    if len({row["kernel"] for row, _ in unit.mains}) > 1:
        most = None
    if units.may_skip_input(unit.row):
        least *= (unit.written or 0) / unit.bytes
    one_tensor = self_product is not None and is_self_product(unit, self_product)
    needed = unit.bytes - unit.read // 2 if one_tensor else unit.bytes
    ratio = unit.dram / needed
    fits = least <= ratio and (most is None or ratio <= most)
    if not fits and ratio >= least and unit.read:
        again = (units.times_read(unit.row) - 1) * unit.read
        if again and ratio <= most * (unit.bytes + again) / unit.bytes:
            return Traffic(unit, ratio, True, False, one_tensor, True)
    if not fits and ratio < least and unit.written is not None:
        most_held = min(l2_bytes, unit.written)
        if (unit.dram + most_held) / needed >= least:
            return Traffic(unit, ratio, True, True, one_tensor, False)
    return Traffic(unit, ratio, fits, False, one_tensor, False)


class Verdict:
    def __init__(self, name, is_good, text):
        self.name, self.is_good, self.text = name, is_good, text

    def __str__(self):
        return f"{'PASS' if self.is_good else 'FAIL'} {self.name}: {self.text}"


class Audit:
    """One model's step: every judgement, and the verdicts."""

    def __init__(self, found, l2_bytes, self_product=None):
        self.units = found
        products = [u for u in found if u.kind == units.PRODUCT and u.mains and u.modelled]
        depths = depths_of_kernels(products)
        self.products = [
            judge_product(u, depths.get(u.main["kernel_full"], tiles.DEPTHS)) for u in products
        ]
        self.streams = self._traffic(units.STREAM, l2_bytes, 1 - DRAM_TOLERANCE, 1 + DRAM_TOLERANCE)
        self.product_traffic = self._traffic(
            units.PRODUCT, l2_bytes, LEAST_OF_PRODUCT, None, self_product
        )

    def _traffic(self, kind, *limits):
        judged = (judge_traffic(u, *limits) for u in self.units if u.kind == kind)
        return [traffic for traffic in judged if traffic is not None]


def verdict_on_products(products):
    time = sum(p.unit.time_ns for p in products)
    excused = sum(p.unit.time_ns for p in products if not p.fits and p.reason)
    unexplained = [p for p in products if not p.fits and not p.reason]
    share = excused / time if time else 0
    good = bool(products) and not unexplained and share <= MOST_EXCUSED
    return Verdict(
        "operations of products",
        good,
        f"{sum(p.fits for p in products)} of {len(products)} within 1 % of their tiles, "
        f"{sum(not p.fits and bool(p.reason) for p in products)} excused with "
        f"{100 * share:.2f} % of their time (at most {100 * MOST_EXCUSED:.0f} %), "
        f"{len(unexplained)} unexplained",
    )


def verdict_on_traffic(name, traffic, limits):
    good = bool(traffic) and all(t.fits for t in traffic)
    one_tensor = sum(t.one_tensor for t in traffic)
    passes = sum(t.passes for t in traffic)
    return Verdict(
        name,
        good,
        f"{sum(t.fits for t in traffic)} of {len(traffic)} {limits}, of these "
        f"{sum(t.held_back for t in traffic)} with what the L2 cache may hold back"
        + (f", {one_tensor} with one tensor as both operands" if one_tensor else "")
        + (f", {passes} with several passes over what they read" if passes else ""),
    )


def verdict_on_pairs(kernels, unpaired):
    good = kernels > 0 and unpaired <= MOST_UNPAIRED * kernels
    return Verdict(
        "alignment",
        good,
        f"{unpaired} of {kernels} kernels of the steps have no counterpart "
        f"(at most {100 * MOST_UNPAIRED:.0f} %)",
    )
