# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""How many operations a product takes in hardware: whole tiles, also where the matrix ends inside
of one.

Each function yields (operations, rule), the likeliest first; a rule says in words what was rounded.
"""
import re

TOLERANCE = 0.01
MOST_SPLITS = 64
DEPTHS = (1, 8, 16, 32, 64)  # of a tile whose depth is not in the kernel's name


def round_up(size, step):
    return -(-size // step) * step if step else size


def parse_tile(text):
    """ "128x256x64" as (128, 256, 64); (128, 256, 0) if the name does not tell K; None without a
    tile."""
    sizes = [int(size) for size in re.findall(r"\d+", text or "")]
    return (sizes + [0])[:3] if len(sizes) in (2, 3) else None


def parse_cluster(kernel):
    """Blocks of a cluster in the name of an nvjet kernel: "..._64x4_2x1_v_bz" is (2, 1)."""
    found = re.search(r"_(\d+)x(\d+)_[hv]_", kernel or "")
    return (int(found[1]), int(found[2])) if found else (1, 1)


def gemm(m, n, k, batch, tile, cluster=(1, 1), may_split=False, scales_by_fma=False):
    """A product C[m,n] = A[m,k] B[k,n], `batch` times. Which side of a tile lies along M depends on
    whether the library transposes the product, so both are possible. `scales_by_fma`: each element
    of a tile takes one more multiply-add, alpha·AB + beta·C."""
    plain = 2 * m * n * k * batch
    if tile is None:
        yield plain, "exact sizes"
        return
    sides = [(tile[0], tile[1])] + ([(tile[1], tile[0])] if tile[0] != tile[1] else [])
    deep = round_up(k, tile[2])
    for along_m, along_n in sides:
        yield 2 * round_up(m, along_m) * round_up(n, along_n) * deep * batch, "tiles"
    if scales_by_fma:
        for along_m, along_n in sides:
            whole = round_up(m, along_m) * round_up(n, along_n)
            yield 2 * whole * (deep + 1) * batch, "tiles and their scale"
    if cluster != (1, 1):
        for across in (cluster, cluster[::-1]):
            for along_m, along_n in sides:
                yield (
                    2
                    * round_up(m, along_m * across[0])
                    * round_up(n, along_n * across[1])
                    * deep
                    * batch,
                    "tiles of clusters",
                )
    if may_split and tile[2]:
        steps = round_up(k, tile[2]) // tile[2]
        for splits in range(2, min(MOST_SPLITS, steps) + 1):
            in_splits = round_up(steps, splits) * tile[2]
            for along_m, along_n in sides:
                yield (
                    2 * round_up(m, along_m) * round_up(n, along_n) * in_splits * batch,
                    "tiles, K in splits",
                )


def gemm_of_depths(m, n, k, batch, tile, cluster, depths):
    """A product by tiles of one of several depths: K is rounded up to it."""
    for depth in depths:
        guessed = f", K to {depth} (not in the name)" if k % depth else ""
        for ops, rule in gemm(m, n, k, batch, (tile[0], tile[1], depth), cluster):
            yield ops, rule + guessed


def first_layer(size, kernel):
    """Operations by a kernel for a network's first convolution, whose name has its shape and tile:
    "_k64c4r7s7_stride2x2_tile16x64x64_tensor1688", pixels of the result x filters; None for other
    kernels. Channels are padded as named, and those of a row of the window together to the depth of
    the instruction."""
    found = re.search(r"c(\d+)r\d+s\d+_stride\d+x\d+_tile(\d+)x(\d+)x(\d+)_tensor168(\d+)", kernel)
    if not found:
        return None
    channels, along_p, along_q, along_k, depth = (int(number) for number in found.groups())
    pixels = size["N"] * round_up(size["P"], along_p) * round_up(size["Q"], along_q)
    row = round_up(size["S"] * channels, depth)
    return 2 * pixels * round_up(size["K"], along_k) * size["R"] * row


def convolution(sizes, kernel, tile, cluster=(1, 1), part=""):
    """One product of a convolution: `sizes` as in params {N, C, H, W, K, P, Q, R, S, g}; `part` says
    which gradient, if the kernel's name does not. As an implicit product each filter position has
    channels of its own, padded to the vector (4 or 8) or to the tile. The depth of a weight's
    gradient, which is all pixels, may be split."""
    size = {letter: sizes.get(letter, 1) for letter in "NCDHWKOPQTRSg"}
    groups = size["g"]
    channels, filters = size["C"] // groups, size["K"] // groups
    window = size["T"] * size["R"] * size["S"]
    out = size["N"] * size["O"] * size["P"] * size["Q"]
    source = size["N"] * size["D"] * size["H"] * size["W"]
    plain = 2 * out * filters * channels * window * groups
    padded = first_layer(size, kernel)
    if padded:
        yield padded, "tiles of the first layer"
    if padded or tile is None:
        yield plain, "exact sizes"
        return
    of_part = {"data": "dgrad", "weight": "wgrad"}.get(part, "fprop")
    kind = next((word for word in ("dgrad", "wgrad") if word in kernel), of_part)
    for vector in (1, 4, 8, tile[2]):
        deep = round_up(channels, vector) if vector else channels
        wide = round_up(filters, vector) if vector else filters
        if kind == "fprop":
            shapes = [(filters, out, deep * window)]
        elif kind == "dgrad":  # only those elements that a stride reaches, or all
            shapes = [(channels, out, wide * window), (channels, source, wide * window)]
        else:
            shapes = [(filters, deep * window, out), (filters, channels * window, out)]
        for m, n, k in shapes:
            for ops, rule in gemm(m, n, k, groups, tile, cluster, may_split=kind == "wgrad"):
                yield ops, rule + " of the implicit product"


def warpgroups(kernel, block):
    """How many warpgroups of a block each compute a tile: a kernel of warpgroup instructions has
    one more, which loads."""
    threads = int((block or "0").split(",")[0])
    return max(1, threads // 128 - 1) if "wgmma" in kernel else 1


def attention(sizes, direction, tile, groups=1):
    """Two products forward, five backward; `sizes` as in params {B, H, Q, K, D, V}. Blocks above
    the diagonal of a causal attention are left out; a block has the tiles of `groups` warpgroups
    side by side."""
    heads = sizes.get("B", 1) * sizes.get("H", 1)
    queries, keys, width = sizes["Q"], sizes["K"], sizes["D"]
    values = sizes.get("V", width)
    each = 3 * width + 2 * values if direction == "bprop" else width + values
    yield 2 * heads * queries * keys * each, "all pairs"
    if tile is None:
        return
    sides = [(tile[0], tile[1]), (tile[1], tile[0])]
    blocks = [(rows, columns, "") for rows, columns in sides]
    if groups > 1:
        blocks += [(rows * groups, columns, " of warpgroups") for rows, columns in sides]
    for rows, columns, of_groups in blocks:
        wide = round_up(keys, columns)
        yield 2 * heads * round_up(queries, rows) * wide * each, f"tiles{of_groups}, all pairs"
        pairs = sum(
            rows * min(wide, round_up(first + rows, columns))
            for first in range(0, round_up(queries, rows), rows)
        )
        yield 2 * heads * pairs * each, f"tiles{of_groups}, causal"


def nearest(counted, candidates):
    """(operations, rule, fits): the first candidate within the tolerance, else the nearest."""
    best = None
    for ops, rule in candidates:
        error = abs(counted - ops) / ops if ops else float("inf")
        if error <= TOLERANCE:
            return ops, rule, True
        if best is None or error < best[0]:
            best = (error, ops, rule)
    return (best[1], best[2], False) if best else (None, "nothing known", False)
