#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the parts of tests/gpu/flop_counter.py that need no GPU, on made-up counts and rows."""
import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "gpu"))
import flop_counter  # noqa: E402
import flop_expected  # noqa: E402


def tensor(*shape):
    return {"shape": list(shape)}


def event(op, flops, args, out=None):
    return {"op": op, "flops": flops, "args": args, "out": out}


def counted(*events):
    totals = {}
    for one in events:
        totals[one["op"]] = totals.get(one["op"], 0) + one["flops"]
    return {"step": 0, "totals": totals, "events": list(events)}


def row(inner="aten::mm", basis="exact", **changes):
    values = {
        "step": 0,
        "op": "linear",
        "op_id": 1,
        "op_inner": inner,
        "dir": "fprop",
        "part": None,
        "role": "main",
        "share": 1,
        "m": None,
        "n": None,
        "k": None,
        "batch": None,
        "flops": 65536,
        "provenance": {"flops": basis},
    }
    values.update(changes)
    return values


def product(inner="aten::mm", **changes):
    return row(inner, **{"m": 16, "n": 64, "k": 32, "batch": 1, **changes})


MM = event("mm", 65536, [tensor(64, 32), tensor(32, 16)], tensor(64, 16))
ADDMM = event("addmm", 65536, [tensor(16), tensor(64, 32), tensor(32, 16)], tensor(64, 16))
BMM = event("bmm", 131072, [tensor(2, 64, 32), tensor(2, 32, 16)], tensor(2, 64, 16))
PAIRS = 8 * 16 * 16  # of 8 heads with 16 queries and keys
CAUSAL_PAIRS = 8 * 136


def fused(is_causal=False):
    """Forward and backward of a fused attention of 8 heads, 16 queries and keys, 32 wide."""
    q = tensor(2, 4, 16, 32)
    name = "_scaled_dot_product_efficient_attention"
    forward = event(name, 2 * PAIRS * 64, [q, q, q, None, True, 0.0, is_causal])
    args = [q, q, q, q, None, q, q, q, q, 0.0, [True] * 4, is_causal]
    return forward, event(name + "_backward", 2 * PAIRS * 160, args)


def attention_rows(forward, backward, basis="exact"):
    """What the kernels of fused() are to have; a part of the gradient is in an op of its own."""
    op = {"op": "scaled_dot_product_attention", "basis": basis}
    return [
        row("aten::_efficient_attention_forward", flops=forward, **op),
        row("aten::mul", op_id=2, dir="bprop", flops=4096, **op),
        row("aten::sum", op_id=2, dir="bprop", flops=0, role="helper", share=0, **op),
        row(
            "aten::_efficient_attention_backward", op_id=2, dir="bprop", flops=backward - 4096, **op
        ),
    ]


def convolution(has_bias):
    args = [tensor(2, 3, 8, 8), tensor(4, 3, 3, 3), tensor(4) if has_bias else None]
    return event("convolution", 27648, args, tensor(2, 4, 8, 8))


def backward_of_convolution(groups, transposed=False, mask=(True, True, True), is_right=False):
    """dy, x and filter of a convolution of 8 to 16 channels, as torch counts its gradients."""
    small, large = (4, 6), (4, 6)
    weight = (8, 16 // groups, 3, 3) if transposed else (16, 8 // groups, 3, 3)
    one = 2 * 2 * 24 * weight[0] * weight[1] * 9
    flops = one * (mask[0] + mask[1] * (1 if is_right else groups))
    args = [
        tensor(2, 16, *small),
        tensor(2, 8, *large),
        tensor(*weight),
        [16],
        [1, 1],
        [1, 1],
        [1, 1],
        transposed,
        [0, 0],
        groups,
        list(mask),
    ]
    return event("convolution_backward", flops, args), one


def gradient_rows(data, weight, bias):
    """What the kernels of backward_of_convolution() are to have."""
    op = {"op": "conv2d", "dir": "bprop"}
    inner = "aten::convolution_backward"
    return [
        row(inner, part="data", flops=data, **op),
        row(inner, share=0, flops=0, role="helper", **op),
        row(inner, part="weight", share=0.5, flops=weight // 2, **op),
        row(inner, part="weight", share=0.5, flops=weight // 2, **op),
        row("aten::sum", part="bias", flops=bias, **op),
    ]


def only(calls):
    (call,) = calls
    return call


class Expected(unittest.TestCase):
    def classes(self, *events):
        return flop_expected.classes(counted(*events))

    def test_products(self):
        found = self.classes(MM, MM, ADDMM, BMM)
        self.assertEqual(len(found["mm"].calls), 2)
        self.assertEqual(flop_expected.flops_of(found["mm"].calls[0]), 65536)
        self.assertEqual(flop_expected.flops_of(only(found["addmm"].calls)), 65536 + 1024)
        self.assertEqual(only(found["addmm"].calls).sizes, (16, 64, 32, 1))
        self.assertEqual(only(found["bmm"].calls).sizes, (16, 64, 32, 2))

    def test_a_product_that_torch_counts_otherwise(self):
        with self.assertRaises(flop_expected.UnknownCount):
            self.classes({**MM, "flops": 65535})

    def test_totals_must_be_the_sums(self):
        broken = counted(MM)
        broken["totals"]["mm"] += 1
        with self.assertRaises(flop_expected.UnknownCount):
            flop_expected.classes(broken)

    def test_an_op_without_a_class(self):
        with self.assertRaises(flop_expected.UnknownCount):
            self.classes(event("_scaled_mm", 1, []))

    def test_convolutions(self):
        for has_bias in (False, True):
            call = only(self.classes(convolution(has_bias))["convolution"].calls)
            self.assertEqual(flop_expected.flops_of(call), 27648 + 512 * has_bias)

    def gradients(self, one):
        found = self.classes(one)
        return {
            part: only(found[name].calls)
            for part, name in flop_expected.CONVOLUTION_GRADIENTS.items()
            if name in found
        }

    def test_gradients_of_convolutions(self):
        for transposed in (False, True):
            for groups in (1, 4, 8):
                one, each = backward_of_convolution(groups, transposed)
                found = self.gradients(one)
                self.assertEqual(found["data"], (each, {}, None))
                self.assertEqual(found["weight"].torch, each * groups)
                self.assertEqual(flop_expected.flops_of(found["weight"]), each)
                self.assertEqual(found["bias"].torch, 0)
                self.assertEqual(flop_expected.flops_of(found["bias"]), 2 * 16 * 24)

    def test_gradients_as_mended_by_torch(self):
        one, each = backward_of_convolution(4, is_right=True, mask=(False, True, False))
        found = self.gradients(one)
        self.assertEqual(list(found), ["weight"])
        self.assertEqual(found["weight"], (each, {flop_expected.GROUPED: 0}, None))

    def test_a_gradient_that_torch_counts_otherwise(self):
        one, _ = backward_of_convolution(4)
        one["flops"] += 1
        with self.assertRaises(flop_expected.UnknownCount):
            self.classes(one)

    def test_fused_attention(self):
        for is_causal in (False, True):
            found = self.classes(*fused(is_causal))
            for name, each, each_query in (("attention", 134, 0), ("attention gradient", 326, 64)):
                one = found[name]
                rest = 8 * 16 * each_query
                self.assertEqual(one.has_causal, is_causal)
                self.assertEqual(flop_expected.flops_of(only(one.calls)), PAIRS * each + rest)
                if is_causal:
                    self.assertEqual(
                        flop_expected.flops_of(only(one.causal_calls)), CAUSAL_PAIRS * each + rest
                    )

    def test_pairs(self):
        self.assertEqual(flop_expected.pairs(3, 5, True), 6)
        self.assertEqual(flop_expected.pairs(5, 3, True), 6 + 6)

    def test_an_attention_that_torch_counts_otherwise(self):
        forward, _ = fused()
        with self.assertRaises(flop_expected.UnknownCount):
            self.classes({**forward, "flops": forward["flops"] + 1})


class Compare(unittest.TestCase):
    def verdict(self, counts, *rows):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            good = flop_counter.compare_model("model", counts, rows)
        return good, printed.getvalue()

    def test_equal(self):
        good, printed = self.verdict(
            counted(MM, ADDMM), product(), product("aten::addmm", op_id=2, flops=65536 + 1024)
        )
        self.assertTrue(good, printed)
        self.assertIn("+1024 additions of a bias", printed)

    def test_every_difference_counts(self):
        for rows in (
            [],
            [product(flops=65535)],
            [product(flops=None)],
            [product(), product(op_id=2)],
            [product(m=17)],
            [product(n=32, k=64)],
            [product(flops=65536 + 1024)],
            [product(role="helper", share=0, flops=0)],
            [product(share=0.5)],
            [product("aten::bmm")],
            [product(), row("aten::cudnn_convolution", op="conv2d", flops=7)],
            [product(), row("aten::cudnn_convolution", op="conv2d", flops=None)],
        ):
            self.assertFalse(self.verdict(counted(MM), *rows)[0], rows)

    def test_equal_sums_of_other_calls(self):
        large = event("mm", 131072, [tensor(64, 64), tensor(64, 16)], tensor(64, 16))
        rows = [product(op_id=number) for number in range(3)]
        good, printed = self.verdict(counted(MM, large), *rows)
        self.assertFalse(good)
        self.assertIn("only torch: 1 x 131072, sizes (16, 64, 64, 1)", printed)
        self.assertIn("only libprof: 2 x 65536, sizes (16, 64, 32, 1)", printed)

    def test_products_inside_of_another_op(self):
        inside = {"op": "scaled_dot_product_attention", "batch": 2, "flops": 131072}
        self.assertTrue(
            self.verdict(
                counted(BMM, BMM),
                product("aten::bmm", **inside),
                product("aten::bmm", **inside),
                row("aten::_softmax", op="scaled_dot_product_attention", flops=5),
                row("aten::mul", op="scaled_dot_product_attention", dir="bprop", flops=5),
            )[0]
        )

    def test_kernels_that_share_a_product(self):
        self.assertTrue(
            self.verdict(
                counted(MM),
                product(share=0.75, flops=49152),
                product(share=0.25, flops=16384),
                product(role="helper", share=0, flops=0),
            )[0]
        )

    def test_convolutions(self):
        op = {"op": "conv2d", "share": 0.5, "flops": 13824}
        halves = [row("aten::cudnn_convolution", **op)] * 2
        bias = row("aten::add_", op="conv2d", flops=512)
        self.assertTrue(self.verdict(counted(convolution(True)), *halves, bias)[0])
        self.assertFalse(self.verdict(counted(convolution(True)), *halves)[0])
        self.assertTrue(self.verdict(counted(convolution(False)), *halves)[0])
        self.assertFalse(self.verdict(counted(convolution(False)), *halves, bias)[0])

    def test_gradients_of_convolutions(self):
        one, each = backward_of_convolution(4)
        right = gradient_rows(each, each, 768)
        residual = row("aten::add_", op="conv2d", dir="bprop", flops=99)
        self.assertTrue(self.verdict(counted(one), *right, residual)[0])
        for broken in (
            gradient_rows(each + 2, each - 2, 768),
            gradient_rows(each, each, 767),
            gradient_rows(each, each * 4, 768),
            right[1:],
            right[:-1],
            [{**found, "part": None} for found in right],
        ):
            self.assertFalse(self.verdict(counted(one), *broken)[0], broken)

    def test_attention(self):
        right = attention_rows(PAIRS * 134, PAIRS * 326 + 8192)
        self.assertTrue(self.verdict(counted(*fused()), *right)[0])
        self.assertFalse(self.verdict(counted(*fused()), *right[:1], *right[2:])[0])
        good, _ = self.verdict(counted(*fused()), *attention_rows(PAIRS * 134, PAIRS * 326))
        self.assertFalse(good)

    def test_causal_or_all_pairs(self):
        counts = counted(*fused(is_causal=True))
        for pairs, basis, expected in (
            (PAIRS, "estimated", True),
            (PAIRS, "exact", False),
            (CAUSAL_PAIRS, "exact", True),
            (8 * 200, "estimated", False),
        ):
            rows = attention_rows(pairs * 134, pairs * 326 + 8192, basis)
            self.assertEqual(self.verdict(counts, *rows)[0], expected, (pairs, basis))

    def test_all_models(self):
        def compare(models, rows):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                return (
                    flop_counter.compare({"torch": "2", "models": models}, rows),
                    printed.getvalue(),
                )

        models = {f"m{number}": {**counted(MM), "step": number} for number in range(8)}
        rows = [product(step=number, op_id=number) for number in range(8)]
        self.assertTrue(compare(models, rows)[0])
        self.assertFalse(compare(models, rows[1:])[0])
        models["m0"] = {"step": 0, "error": "refused"}
        good, printed = compare(models, rows)
        self.assertFalse(good)
        self.assertIn("m0: NOT RUN: refused", printed)


if __name__ == "__main__":
    unittest.main()
