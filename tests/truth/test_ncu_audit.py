#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the parts of tests/gpu/ncu_audit.py that need no GPU, on made-up kernels and
counters."""
import contextlib
import csv
import gzip
import io
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gpu"))
import ncu_audit  # noqa: E402
from silicon import align, audit, ncu_csv, tables, tiles, units  # noqa: E402

TENSOR = "sm__ops_path_tensor_src_fp16.sum"
FFMA = ncu_csv.THREADS["ffma"] + ".sum"
FADD = ncu_csv.THREADS["fadd"] + ".sum"
METRICS = (
    TENSOR,
    FFMA,
    FADD,
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "gpu__time_duration.sum",
)
L2 = 1000


def wide_csv(kernels, units_row=("inst", "inst", "inst", "byte", "byte", "ns")):
    """What `ncu --csv --page raw` prints for (name, grid, block, numbers)."""
    text = io.StringIO()
    text.write("==PROF== Connected to process 7\nloss 1.5\n")
    out = csv.writer(text, quoting=csv.QUOTE_ALL)
    out.writerow(
        [
            "ID",
            "Process ID",
            "Process Name",
            "Host Name",
            "Kernel Name",
            "Context",
            "Stream",
            "Block Size",
            "Grid Size",
            "Device",
            "CC",
            *METRICS,
        ]
    )
    out.writerow([""] * 11 + list(units_row))
    for number, (name, grid, block, values) in enumerate(kernels):
        out.writerow(
            [
                number,
                7,
                "app",
                "host",
                name,
                1,
                7,
                f"({block})",
                f"({grid})",
                0,
                "9.0",
                *(f"{value:,}" for value in values),
            ]
        )
    return text.getvalue() + "==PROF== Disconnected from process 7\n"


def row(**changes):
    """A row of prof-report, all cells text."""
    values = dict.fromkeys(units.COLUMNS, "")
    values.update(
        idx="1",
        step="1",
        kernel="nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_TNN",
        kernel_full="nvjet",
        grid="2,66,1",
        block="384,1,1",
        tile="128x256x64",
        tc="1",
        split_k="0",
        family="cublaslt/nvjet",
        op="linear",
        op_id="5",
        op_inner="linear",
        dir="fprop",
        role="main",
        share="1",
        m="100",
        n="200",
        k="64",
        batch="1",
        params="M=100,N=200,K=64",
        flops="2560000",
        bytes="100",
        bytes_read="60",
        bytes_written="40",
        time_ns="1000",
    )
    values.update(changes)
    return values


def unit(*rows, tensor=0, ffma=0, fadd=0, read=0, written=0):
    metrics = {
        TENSOR.removesuffix(".sum"): tensor,
        FFMA.removesuffix(".sum"): ffma,
        FADD.removesuffix(".sum"): fadd,
        "dram__bytes_read": read,
        "dram__bytes_write": written,
    }
    found, _ = units.group(rows, lambda one: metrics)
    return found[0]


def stream(**changes):
    return row(
        **{
            **dict(
                op="relu",
                op_inner="relu",
                m="",
                n="",
                k="",
                batch="",
                tile="",
                family="torch/elementwise",
                params="T=(1000)",
                kernel="relu",
                flops="1000",
                bytes="8000",
                bytes_read="4000",
                bytes_written="4000",
            ),
            **changes,
        }
    )


class Csv(unittest.TestCase):
    def test_one_line_for_each_kernel(self):
        kernels = ncu_csv.parse(
            wide_csv([("void a::k<int>(int)", "2, 66, 1", "384, 1, 1", (1234567, 8, 2, 10, 20, 5))])
        )
        self.assertEqual(len(kernels), 1)
        self.assertEqual((kernels[0]["grid"], kernels[0]["block"]), ("2,66,1", "384,1,1"))
        metrics = kernels[0]["metrics"]
        self.assertEqual(ncu_csv.tensor_ops(metrics), 1234567)
        self.assertEqual(ncu_csv.fused_ops(metrics), 16)
        self.assertEqual(ncu_csv.thread_ops(metrics), 18)
        self.assertEqual(ncu_csv.dram_bytes(metrics), 30)

    def test_units(self):
        text = wide_csv(
            [("k", "1, 1, 1", "1, 1, 1", (1, 1, 1, 2.5, 3, 4))],
            ("inst", "Kinst", "inst", "Mbyte", "Kbyte", "us"),
        )
        metrics = ncu_csv.parse(text)[0]["metrics"]
        self.assertEqual(ncu_csv.dram_bytes(metrics), 2503000)
        self.assertEqual(ncu_csv.fused_ops(metrics), 2000)
        with self.assertRaises(ncu_csv.Unreadable):
            ncu_csv.parse(text.replace("Mbyte", "furlong"))

    def test_one_line_for_each_metric(self):
        header = (
            '"ID","Process ID","Process Name","Host Name","Kernel Name","Block Size","Grid Size",'
            '"Section Name","Metric Name","Metric Unit","Metric Value"\n'
        )
        start = '"0","7","app","host","k<int>(int)","(1, 1, 1)","(2, 1, 1)","Metrics",'
        text = (
            header
            + start
            + '"dram__bytes_read.sum","Kbyte","1,000.5"\n'
            + start
            + f'"{TENSOR}","","n/a"\n'
        )
        kernels = ncu_csv.parse(text)
        self.assertEqual(len(kernels), 1)
        self.assertEqual(kernels[0]["metrics"], {"dram__bytes_read": 1000500.0})
        self.assertIsNone(ncu_csv.dram_bytes(kernels[0]["metrics"]))

    def test_no_table(self):
        with self.assertRaises(ncu_csv.Unreadable):
            ncu_csv.parse("==ERROR== ERR_NVGPUCTRPERM\n")

    def test_tensor_metrics_that_exist(self):
        listing = "  sm__ops_path_tensor_src_bf16_dst_fp32   Counter\n  dram__bytes_read Counter\n"
        picked = ncu_csv.pick_metrics(listing)
        self.assertIn("sm__ops_path_tensor_src_bf16_dst_fp32.sum", picked)
        self.assertNotIn("sm__ops_path_tensor_src_int8.sum", picked)
        self.assertIn(FFMA, picked)
        self.assertIn("dram__bytes_write.sum", picked)
        self.assertIn(TENSOR, ncu_csv.pick_metrics("==ERROR== no device"))

    def test_cluster(self):
        text = wide_csv([("k", "8, 1, 1", "1, 1, 1", (1, 1, 1, 1, 1, 1))])
        text = text.replace('"gpu__time_duration.sum"', '"launch__cluster_dim_x"')
        self.assertIsNone(ncu_csv.cluster(ncu_csv.parse(text)[0]["metrics"]))  # no y
        self.assertEqual(
            ncu_csv.cluster({"launch__cluster_dim_x": 4.0, "launch__cluster_dim_y": 2.0}), (4, 2)
        )
        self.assertIsNone(
            ncu_csv.cluster({"launch__cluster_dim_x": 0.0, "launch__cluster_dim_y": 0.0})
        )


class Align(unittest.TestCase):
    def test_names_of_two_tools(self):
        for name in (
            "void at::native::vectorized_elementwise_kernel<4, at::FillFunctor<float>>(int, T1)",
            "vectorized_elementwise_kernel<(int)4, std::array<char *, (unsigned long)1>>(int, T2)",
            "at::native::(anonymous namespace)::vectorized_elementwise_kernel(int)",
            "void at::<unnamed>::vectorized_elementwise_kernel<f(int)::[lambda(int)]>(int)",
        ):
            self.assertEqual(align.base_name(name), "vectorized_elementwise_kernel")
        self.assertEqual(align.base_name("nvjet_sm90_hsh_64x8"), "nvjet_sm90_hsh_64x8")
        self.assertEqual(align.base_name("void cutlass::Kernel2<a<(b)1>>(T1::Params)"), "Kernel2")

    def test_order_of_each_key(self):
        pairs, left = align.align(["a", "b", "a", "c"], ["b", "a", "c", "a"])
        self.assertEqual(pairs, [(0, 1), (1, 0), (2, 3), (3, 2)])
        self.assertEqual(left, {})

    def test_a_kernel_too_many_pairs_none_of_its_key(self):
        pairs, left = align.align(["a", "b", "a"], ["a", "b"])
        self.assertEqual(pairs, [(1, 1)])
        self.assertEqual(left, {"a": (2, 1)})


class Tiles(unittest.TestCase):
    def test_texts(self):
        self.assertEqual(tiles.parse_tile("128x256x64"), [128, 256, 64])
        self.assertEqual(tiles.parse_tile("128x256"), [128, 256, 0])
        self.assertIsNone(tiles.parse_tile(""))
        self.assertEqual(
            tiles.parse_cluster("nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_TNN"), (2, 1)
        )
        self.assertEqual(tiles.parse_cluster("cutlass::Kernel2"), (1, 1))

    def test_rounding(self):
        found = list(tiles.gemm(100, 200, 70, 3, [128, 256, 64]))
        self.assertEqual(found[0], (2 * 128 * 256 * 128 * 3, "tiles"))
        self.assertEqual(found[1], (2 * 256 * 256 * 128 * 3, "tiles"))
        self.assertEqual(
            list(tiles.gemm(100, 200, 70, 1, None)), [(2 * 100 * 200 * 70, "exact sizes")]
        )

    def test_known_count(self):
        # 8192 x 8192 x 8192 with tiles of 160: 52 tiles along one side.
        ops, rule, fits = tiles.nearest(
            1.0156 * 2 * 8192**3, tiles.gemm(8192, 8192, 8192, 1, [160, 256, 64])
        )
        self.assertEqual((rule, fits), ("tiles", True))
        self.assertAlmostEqual(ops / (2 * 8192**3), 8320 / 8192)

    def test_splits(self):
        # 10 steps of K in 4 splits: 12 steps.
        counted = 2 * 128 * 256 * 64 * 12
        self.assertTrue(
            tiles.nearest(counted, tiles.gemm(128, 256, 640, 1, [128, 256, 64], may_split=True))[2]
        )
        self.assertFalse(tiles.nearest(counted, tiles.gemm(128, 256, 640, 1, [128, 256, 64]))[2])

    def test_attention(self):
        sizes = {"B": 1, "H": 2, "Q": 256, "K": 256, "D": 64}
        found = {rule: ops for ops, rule in tiles.attention(sizes, "fprop", [64, 64, 64])}
        self.assertEqual(found["tiles, all pairs"], 2 * 2 * 256 * 256 * 128)
        self.assertEqual(found["tiles, causal"], 2 * 2 * 64 * (64 + 128 + 192 + 256) * 128)
        self.assertEqual(
            dict(map(reversed, tiles.attention(sizes, "bprop", None))),
            {"all pairs": 2 * 2 * 256 * 256 * 5 * 64},
        )

    def test_attention_of_warpgroups(self):
        # Two of three warpgroups compute: rows of 128 for tiles of 64.
        kernel = "cudnn_generated_sdpa_sm90_flash_bprop_wgmma_f16_64x64x64"
        self.assertEqual(tiles.warpgroups(kernel, "384,1,1"), 2)
        self.assertEqual(tiles.warpgroups("flash_bwd", "384,1,1"), 1)
        sizes = {"B": 1, "H": 1, "Q": 512, "K": 512, "D": 64}
        found = {rule: ops for ops, rule in tiles.attention(sizes, "bprop", [64, 64, 64], 2)}
        pairs = 128 * (128 + 256 + 384 + 512)
        self.assertEqual(found["tiles of warpgroups, causal"], 2 * pairs * 5 * 64)
        self.assertNotEqual(found["tiles, causal"], found["tiles of warpgroups, causal"])

    def test_scale_by_a_multiply_add(self):
        counted = 2 * 512 * 1024 * 17
        tile = [64, 128, 8]
        plain = tiles.gemm(512, 1024, 13, 1, tile)
        self.assertFalse(tiles.nearest(counted, plain)[2])
        scaled = tiles.gemm(512, 1024, 13, 1, tile, scales_by_fma=True)
        self.assertEqual(tiles.nearest(counted, scaled)[1:], ("tiles and their scale", True))

    def test_convolution(self):
        sizes = units.sizes_of("N=32,C=3,H=224,W=224,K=64,P=112,Q=112,R=7,S=7")
        plain = 2 * 32 * 112 * 112 * 64 * 3 * 49
        found = [
            ops for ops, _ in tiles.convolution(sizes, "xmma_fprop_implicit_gemm", [64, 128, 0])
        ]
        self.assertEqual(found[0], plain)
        self.assertIn(plain * 4 // 3, found)  # three channels padded to four
        found = [ops for ops, _ in tiles.convolution(sizes, "xmma_dgrad_implicit_gemm", None)]
        self.assertEqual(found, [plain])

    def fits_convolution(self, counted, *args):
        return tiles.nearest(counted, tiles.convolution(*args))[2]

    def test_convolution_in_clusters(self):
        # 4704 pixels are 36.75 tiles, 37 in whole tiles and 38 in clusters of two.
        sizes = units.sizes_of("N=96,C=1024,H=14,W=14,K=2048,P=7,Q=7,R=1,S=1")
        kernel, tile = "xmma_fprop_implicit_gemm", [128, 128, 64]
        counted = 2 * 38 * 128 * 1024 * 2048
        self.assertTrue(self.fits_convolution(counted, sizes, kernel, tile, (4, 2)))
        self.assertFalse(self.fits_convolution(counted, sizes, kernel, tile))

    def test_convolution_whose_part_tells_the_gradient(self):
        # Nothing in nvjet's name does. 256 channels are three tiles of 96, 1024 filters eleven.
        sizes = units.sizes_of("N=96,C=256,H=14,W=14,K=1024,P=14,Q=14,R=1,S=1")
        counted = 2 * (3 * 96) * (96 * 196) * 1024
        convolution = (sizes, "nvjet_sm90_hsh_96x64_64x8_1x2_h_bz_NNT", [96, 64, 64], (1, 1))
        self.assertTrue(self.fits_convolution(counted, *convolution, "data"))
        self.assertFalse(self.fits_convolution(counted, *convolution, ""))

    def test_strided_data_gradient(self):
        sizes = units.sizes_of("N=2,C=64,H=16,W=16,K=128,P=8,Q=8,R=1,S=1")
        for pixels in (2 * 8 * 8, 2 * 16 * 16):
            counted = 2 * pixels * 64 * 128
            self.assertTrue(self.fits_convolution(counted, sizes, "xmma_dgrad", [64, 128, 64]))

    def test_only_the_depth_of_a_weight_gradient_is_split(self):
        # 10 steps of pixels in 4 splits: 12 steps.
        sizes = units.sizes_of("N=10,C=64,H=8,W=8,K=64,P=8,Q=8,R=1,S=1")
        counted = 2 * 64 * 64 * 64 * 12
        self.assertTrue(self.fits_convolution(counted, sizes, "xmma_wgrad", [64, 64, 64]))
        self.assertFalse(self.fits_convolution(counted, sizes, "xmma_fprop", [64, 64, 64]))

    def test_first_layer(self):
        # Seven times four channels are padded to 32, a row of 112 pixels to two tiles of 64.
        sizes = units.sizes_of("N=96,C=3,H=224,W=224,K=64,P=112,Q=112,R=7,S=7")
        name = (
            "sm90_xmma_wgrad_image_first_layer_f16f16_f32_f32_nhwckrsc_nhwc_hmma_k64c4r7s7_stride2x2"
            "_tile16x64x64_tensor1688_execute_kernel_kernel__5x_cudnn"
        )
        counted = 2 * 96 * 112 * 128 * 64 * 7 * 32
        self.assertEqual(
            tiles.nearest(counted, tiles.convolution(sizes, name, None)),
            (counted, "tiles of the first layer", True),
        )
        self.assertFalse(self.fits_convolution(counted, sizes, "xmma_wgrad", None))


class Units(unittest.TestCase):
    def test_kinds(self):
        self.assertEqual(units.kind_of(row()), units.PRODUCT)
        self.assertEqual(units.kind_of(row(k="")), units.STREAM)  # a bias
        self.assertEqual(
            units.kind_of(row(m="", op="conv2d", params="N=2,C=3,H=4,W=4,K=8,R=3,S=3")),
            units.PRODUCT,
        )
        self.assertEqual(
            units.kind_of(
                row(m="", op="scaled_dot_product_attention", params="B=1,H=2,Q=3,K=4,D=8")
            ),
            units.PRODUCT,
        )
        self.assertEqual(
            units.kind_of(row(m="", op="embedding", params="I=(4),E=(5,6)")), units.GATHER
        )
        self.assertEqual(units.kind_of(row(family="nccl")), units.COLLECTIVE)

    def test_kernels_of_one_op(self):
        rows = [
            row(idx="1", share="0.75"),
            row(idx="2", share="0.25"),
            row(
                idx="3",
                role="helper",
                share="0",
                flops="0",
                bytes="0",
                bytes_read="0",
                bytes_written="0",
            ),
            row(idx="4", op_id="6"),
            row(idx="5", op_id=""),
        ]
        found, without_op = units.group(
            rows, lambda one: {"dram__bytes_read": 1, "dram__bytes_write": 1}
        )
        self.assertEqual(without_op, 1)
        self.assertEqual([len(u.rows) for u in found], [3, 1])
        self.assertEqual(
            (found[0].calls, found[0].modelled, found[0].dram), (1, 2 * 100 * 200 * 64, 6)
        )

    def test_equal_products_of_one_op(self):
        self.assertEqual(unit(row(), row(idx="2")).modelled, 2 * 2 * 100 * 200 * 64)

    def test_rows_that_were_not_counted(self):
        self.assertEqual(units.group([row()], lambda one: None), ([], 0))

    def test_unknown_makes_a_sum_unknown(self):
        self.assertIsNone(unit(stream(bytes="")).bytes)


class Judgements(unittest.TestCase):
    def test_products(self):
        tiled = 2 * 128 * 256 * 64
        self.assertTrue(audit.judge_product(unit(row(), tensor=tiled)).fits)
        self.assertTrue(audit.judge_product(unit(row(), tensor=tiled * 1.009)).fits)
        wrong = audit.judge_product(unit(row(), tensor=tiled * 1.02))
        self.assertEqual((wrong.fits, wrong.reason), (False, None))
        self.assertTrue(
            audit.judge_product(unit(row(tile="", split_k="0"), ffma=100 * 200 * 64)).fits
        )
        excused = audit.judge_product(unit(row(tile=""), ffma=100 * 200 * 80))
        self.assertEqual((excused.fits, excused.reason), (False, "no tile in the kernel's name"))

    def test_depth_that_the_name_lacks(self):
        def product(k, deep, kernel="a"):
            return unit(
                row(
                    kernel="cutlass", kernel_full=kernel, tile="128x256", m="256", n="256", k=str(k)
                ),
                tensor=2 * 256 * 256 * deep,
            )

        one = audit.judge_product(product(13, 32))
        self.assertEqual((one.fits, one.rule), (True, "tiles, K to 32 (not in the name)"))
        self.assertEqual(audit.judge_product(product(64, 64)).rule, "tiles")
        self.assertFalse(audit.judge_product(product(13, 48)).fits)
        # A kernel has one depth: 40 fits with 1 and 8, or 16, or 32 and 64.
        same = audit.Audit([product(13, 32), product(40, 64), product(64, 64)], L2)
        self.assertTrue(all(p.fits for p in same.products))
        differing = audit.Audit([product(13, 32), product(40, 40)], L2)
        self.assertFalse(all(p.fits for p in differing.products))
        of_two = audit.Audit([product(13, 32), product(40, 40, "b")], L2)
        self.assertTrue(all(p.fits for p in of_two.products))

    def test_tile_of_the_kernel_that_does_most(self):
        metrics = {FFMA.removesuffix(".sum"): 60 * 100 * 200 * 64}
        shares = dict(batch="100", split_k="0")
        most = row(tile="", kernel="gemmSN", share="0.99", **shares)
        rest = row(tile="128x256x64", kernel="cutlass", share="0.01", idx="2", **shares)
        found, _ = units.group([rest, most], lambda one: metrics)
        judged = audit.judge_product(found[0])
        self.assertEqual(judged.expected, 100 * 2 * 100 * 200 * 64)
        self.assertEqual((judged.fits, judged.reason), (False, "no tile in the kernel's name"))

    def test_gradients_of_a_convolution(self):
        sizes = "N=2,C=64,H=16,W=16,K=128,P=16,Q=16,R=3,S=3"
        plain = 2 * 2 * 256 * 64 * 128 * 9
        kernels = ("xmma_dgrad_implicit_gemm", "xmma_wgrad_implicit_gemm")
        rows = [
            row(
                idx=kernel,
                kernel=kernel,
                m="",
                n="",
                k="",
                op="conv2d",
                params=sizes,
                share="0.5",
                tile="64x128x64",
            )
            for kernel in kernels
        ]
        counts = dict(zip(kernels, (plain, plain)))
        found, _ = units.group(rows, lambda one: {TENSOR[:-4]: counts[one["idx"]]})
        self.assertEqual(len(found), 1)
        judged = audit.judge_product(found[0])
        self.assertEqual((judged.fits, judged.expected), (True, 2 * plain))
        # What one does too much does not make up for what the other does too little.
        counts = dict(zip(kernels, (plain * 1.5, plain * 0.5)))
        found, _ = units.group(rows, lambda one: {TENSOR[:-4]: counts[one["idx"]]})
        self.assertFalse(audit.judge_product(found[0]).fits)

    def test_transposed_convolution(self):
        sizes = "N=2,C=8,W=10,K=4,Q=22,S=3"
        one = unit(
            row(m="", op="conv_transpose1d", params=sizes, kernel="dgrad", tile=""),
            tensor=2 * 2 * 10 * 8 * 4 * 3,
        )
        self.assertTrue(audit.judge_product(one).fits)

    def test_verdict_on_products(self):
        right = [audit.judge_product(unit(row(time_ns="96000"), tensor=2 * 128 * 256 * 64))]
        excused = audit.judge_product(unit(row(tile="", time_ns="4000"), ffma=1))
        self.assertTrue(audit.verdict_on_products(right + [excused]).is_good)
        long = audit.judge_product(unit(row(tile="", time_ns="9000"), ffma=1))
        self.assertFalse(audit.verdict_on_products(right + [long]).is_good)
        unexplained = audit.judge_product(unit(row(time_ns="1"), tensor=1))
        self.assertFalse(audit.verdict_on_products(right + [unexplained]).is_good)
        self.assertFalse(audit.verdict_on_products([]).is_good)

    def judge(self, one):
        return audit.judge_traffic(one, L2, 0.85, 1.15)

    def test_traffic(self):
        self.assertTrue(self.judge(unit(stream(), read=4100, written=4000)).fits)
        self.assertFalse(self.judge(unit(stream(), read=6000, written=4000)).fits)
        self.assertFalse(self.judge(unit(stream(), read=2000, written=2000)).fits)
        held = self.judge(unit(stream(), read=4000, written=2100))
        self.assertEqual((held.fits, held.held_back), (True, True))
        self.assertIsNone(self.judge(unit(stream(bytes="3999"), read=1, written=1)))
        self.assertIsNone(self.judge(unit(stream(bytes=""), read=1, written=1)))

    def test_rows_that_a_gradient_skips(self):
        loss = dict(op="cross_entropy", op_inner="cross_entropy", dir="bprop")
        sizes = dict(bytes="8000", bytes_read="4000", bytes_written="4000")
        # All of the result, and of the input any part.
        for read, fits in ((0, True), (600, True), (4000, True), (5300, False)):
            one = unit(stream(**loss, **sizes), read=read, written=4000)
            self.assertEqual(self.judge(one).fits, fits, read)
        self.assertFalse(self.judge(unit(stream(**loss, **sizes), read=0, written=1300)).fits)
        forward = dict(loss, dir="fprop")
        self.assertFalse(self.judge(unit(stream(**forward, **sizes), read=600, written=4000)).fits)

    def test_passes_over_long_rows(self):
        def judge(kernel, read):
            one = unit(stream(kernel_full=kernel), read=read, written=4000)
            return self.judge(one)

        forward = "void at::native::cunn_SoftMaxForward<4, float, LogSoftMaxForwardEpilogue>()"
        found = judge(forward, 12000)
        self.assertEqual((found.fits, found.passes), (True, True))
        self.assertFalse(judge(forward, 15000).fits)
        self.assertFalse(judge(forward, 1000).fits)
        self.assertFalse(judge(forward, 4000).passes)
        self.assertFalse(judge(forward.replace("Forward<", "ForwardSmem<"), 12000).fits)
        gradient = forward.replace("Forward", "Backward")
        self.assertTrue(judge(gradient, 6000).fits)
        self.assertFalse(judge(gradient, 8000).fits)
        self.assertTrue(judge(gradient.replace("LogSoft", "Soft"), 8000).fits)

    def test_batch_norm_passes_twice(self):
        kernel = "void cudnn::batchnorm_fwtr_nhwc_semiPersist<__half, float, __half, 512>()"
        for name, read, fits in (
            (kernel, 8000, True),
            (kernel, 10500, False),
            ("other", 8000, False),
        ):
            one = unit(stream(kernel_full=name), read=read, written=4000)
            self.assertEqual(self.judge(one).fits, fits, (name, read))

    def test_product_of_a_tensor_with_itself(self):
        sizes = dict(bytes="9000", bytes_read="8000", bytes_written="1000")
        products = dict(op="bmm", op_inner="bmm", m="7", n="7", **sizes)

        def judge(read, self_product="bmm", **changes):
            one = unit(row(**{**products, **changes}), read=read, written=1000)
            return audit.judge_traffic(one, L2, 0.85, None, self_product)

        once = judge(4000)
        self.assertEqual((once.fits, once.ratio, once.one_tensor), (True, 1, True))
        self.assertIn("1 with one tensor", str(audit.verdict_on_traffic("x", [once], "")))
        self.assertFalse(judge(2000).fits)
        self.assertFalse(judge(4000, self_product=None).fits)
        self.assertFalse(judge(4000, dir="bprop").fits)
        self.assertFalse(judge(4000, n="8").fits)
        self.assertFalse(judge(4000, op="linear").fits)

    def test_kernels_that_read_again(self):
        both = unit(
            stream(share="0.5"),
            stream(share="0.5", kernel="second", idx="2"),
            read=9000,
            written=4000,
        )
        self.assertTrue(self.judge(both).fits)
        same = unit(stream(share="0.5"), stream(share="0.5", idx="2"), read=9000, written=4000)
        self.assertFalse(self.judge(same).fits)

    def test_nothing_judged_is_no_pass(self):
        self.assertFalse(audit.verdict_on_traffic("x", [], "").is_good)
        self.assertFalse(audit.verdict_on_pairs(0, 0).is_good)
        self.assertTrue(audit.verdict_on_pairs(100, 1).is_good)
        self.assertFalse(audit.verdict_on_pairs(100, 2).is_good)


class Whole(unittest.TestCase):
    """`report` on a folder as ncu_audit.sh leaves it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, relu_bytes=4000, kernels=2):
        rows = [
            stream(idx="1", step="0", kernel_full="relu()"),
            row(idx="2", bytes="6000"),
            stream(idx="3", kernel_full="void relu(int)", grid="8,1,1", op_id="9"),
        ]
        text = io.StringIO()
        out = csv.DictWriter(text, units.COLUMNS)
        out.writeheader()
        out.writerows(rows)
        with gzip.open(os.path.join(self.folder, "m.trace.csv.gz"), "wt", encoding="utf-8") as file:
            file.write(text.getvalue())
        counted = [
            ("nvjet", "2, 66, 1", "384, 1, 1", (2 * 128 * 256 * 64, 0, 0, 5000, 1000, 9)),
            ("relu(int)", "8, 1, 1", "384, 1, 1", (0, 0, 2000, relu_bytes, 4000, 9)),
        ][:kernels]
        for name, content in (
            ("m.ncu.csv", wide_csv(counted)),
            ("m.step", "1 100\n"),
            ("device.csv", f"name,l2_bytes\nGPU,{L2}\n"),
        ):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(content)

    def report(self):
        markdown = os.path.join(self.folder, "audit.md")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = ncu_audit.report(self.folder, markdown)
        with open(markdown, encoding="utf-8") as file:
            return status, printed.getvalue(), file.read()

    def test_agreement(self):
        self.write()
        status, printed, markdown = self.report()
        self.assertEqual(status, 0, printed)
        self.assertEqual(printed.count("PASS "), 5)
        self.assertIn("| relu | fprop", markdown)
        with open(os.path.join(self.folder, "units.csv"), encoding="utf-8") as file:
            found = list(csv.DictReader(file))
        self.assertEqual([one["op"] for one in found], ["linear", "relu"])
        self.assertEqual(list(found[0]), tables.UNIT_COLUMNS)

    def test_too_many_bytes(self):
        self.write(relu_bytes=8000)
        status, printed, _ = self.report()
        self.assertEqual(status, 1)
        self.assertIn("FAIL DRAM bytes of streaming ops", printed)

    def test_missing_kernel(self):
        self.write(kernels=1)
        status, printed, _ = self.report()
        self.assertEqual(status, 1)
        self.assertIn(
            "not aligned: relu <<<8,1,1; 384,1,1>>> 1 times in the trace, 0 in ncu", printed
        )
        self.assertIn("FAIL alignment", printed)

    def test_ncu_that_failed(self):
        self.write()
        with open(os.path.join(self.folder, "m.ncu.csv"), "w", encoding="utf-8") as file:
            file.write("==ERROR== no counters\n")
        status, printed, _ = self.report()
        self.assertEqual(status, 1)
        self.assertIn("FAIL models: 0 judged, not judged: m", printed)

    def test_plan(self):
        rows = [row(step=step) for step in ("", "0", "1", "", "1", "2")]
        self.assertEqual(ncu_audit.plan(rows, "1", 100), (2, 3))
        self.assertEqual(ncu_audit.plan(rows, "1", 2), (2, 2))
        with self.assertRaises(SystemExit):
            ncu_audit.plan(rows, "9", 1)


if __name__ == "__main__":
    unittest.main()
