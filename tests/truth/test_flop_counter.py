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


def event(op, flops, args, out=None, inside=None):
    return {"op": op, "flops": flops, "args": args, "out": out, "inside": inside}


def counted(*events, calls=(), cells=()):
    totals = {}
    for one in events:
        totals[one["op"]] = totals.get(one["op"], 0) + one["flops"]
    return {
        "step": 0,
        "totals": totals,
        "events": list(events),
        "calls": list(calls),
        "cells": list(cells),
    }


def row(inner="aten::mm", **changes):
    values = {
        "step": 0,
        "op": "linear",
        "op_id": 1,
        "op_inner": inner,
        "dir": "fprop",
        "part": None,
        "role": "main",
        "share": 1,
        "m": 16,
        "n": 64,
        "k": 32,
        "batch": 1,
        "flops": 65536,
    }
    values.update(changes)
    return values


MM = event("mm", 65536, [tensor(64, 32), tensor(32, 16)], tensor(64, 16))
ADDMM = event("addmm", 65536, [tensor(16), tensor(64, 32), tensor(32, 16)], tensor(64, 16))


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


class Expected(unittest.TestCase):
    def test_products(self):
        found = flop_expected.classes(counted(MM, MM, ADDMM))
        self.assertEqual((found["mm"].calls, found["mm"].expected), (2, 131072))
        self.assertEqual((found["addmm"].torch, found["addmm"].expected), (65536, 65536 + 1024))

    def test_totals_must_be_the_sums(self):
        broken = counted(MM)
        broken["totals"]["mm"] += 1
        with self.assertRaises(flop_expected.UnknownCount):
            flop_expected.classes(broken)

    def test_an_op_without_a_class(self):
        with self.assertRaises(flop_expected.UnknownCount):
            flop_expected.classes(counted(event("_scaled_mm", 1, [])))

    def test_convolutions(self):
        args = [
            tensor(2, 3, 8, 8),
            tensor(4, 3, 3, 3),
            tensor(4),
            [1, 1],
            [1, 1],
            [1, 1],
            False,
            [0, 0],
            1,
        ]
        one = event("convolution", 27648, args, tensor(2, 4, 8, 8))
        self.assertEqual(flop_expected.classes(counted(one))["convolution"].expected, 27648 + 512)
        args[2] = None
        self.assertEqual(flop_expected.classes(counted(one))["convolution"].expected, 27648)

    def test_gradients_of_convolutions(self):
        for transposed in (False, True):
            for groups in (1, 4, 8):
                one, each = backward_of_convolution(groups, transposed)
                found = flop_expected.classes(counted(one))["convolution_backward"]
                self.assertEqual(found.torch, each * (1 + groups))
                self.assertEqual(found.corrections[flop_expected.GROUPED], -each * (groups - 1))
                self.assertEqual(found.expected, 2 * each + 2 * 16 * 24)

    def test_gradients_as_mended_by_torch(self):
        one, each = backward_of_convolution(4, is_right=True, mask=(False, True, False))
        found = flop_expected.classes(counted(one))["convolution_backward"]
        self.assertEqual(
            (found.torch, found.expected, found.corrections[flop_expected.GROUPED]), (each, each, 0)
        )

    def test_a_gradient_that_torch_counts_otherwise(self):
        one, _ = backward_of_convolution(4)
        one["flops"] += 1
        with self.assertRaises(flop_expected.UnknownCount):
            flop_expected.classes(counted(one))

    def test_fused_attention(self):
        q = tensor(2, 4, 16, 32)
        flops = 2 * 8 * 16 * 16 * 64
        one = event("_scaled_dot_product_flash_attention", flops, [q, q, q, 0.0, True])
        found = flop_expected.classes(counted(one))["attention"]
        self.assertEqual(found.expected, flops + 6 * 8 * 256)
        self.assertEqual(found.expected_if_causal, 8 * 136 * (2 * 64 + 6))
        back = event(
            "_scaled_dot_product_flash_attention_backward", 2 * 8 * 256 * 5 * 32, [q, q, q, q]
        )
        found = flop_expected.classes(counted(back))["attention_backward"]
        self.assertEqual(found.expected, 8 * 256 * (2 * 160 + 6) + 2 * 8 * 16 * 32)
        self.assertEqual(found.expected_if_causal, found.expected)

    def test_attention_by_products(self):
        call = {
            "q": [2, 4, 16, 32],
            "k": [2, 4, 16, 32],
            "v": [2, 4, 16, 32],
            "is_causal": False,
            "has_mask": False,
        }
        part = event(
            "bmm", 2 * 8 * 16 * 16 * 32, [tensor(8, 16, 32), tensor(8, 32, 16)], inside="attention"
        )
        found = flop_expected.classes(counted(part, part, calls=[call]))
        self.assertEqual(list(found), ["attention"])
        self.assertEqual(found["attention"].expected, 8 * 256 * (2 * 64 + 6))
        with self.assertRaises(flop_expected.UnknownCount):
            flop_expected.classes(counted(part, calls=[call]))

    def test_recurrent_cells(self):
        part = event("mm", 4096, [tensor(4, 16), tensor(16, 32)], inside="cell")
        found = flop_expected.classes(
            counted(part, cells=[{"kind": "LSTMCell", "batch": 4, "hidden": 8}])
        )
        self.assertEqual(list(found), ["recurrent_cell"])
        self.assertEqual(found["recurrent_cell"].expected, 4096 + 30 * 32)


class Compare(unittest.TestCase):
    def verdict(self, counts, *rows):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            good = flop_counter.compare_model("model", counts, rows)
        return good, printed.getvalue()

    def test_equal(self):
        good, printed = self.verdict(
            counted(MM, ADDMM), row(), row("aten::addmm", op_id=2, flops=65536 + 1024)
        )
        self.assertTrue(good, printed)
        self.assertIn("+1024 additions of a bias", printed)

    def test_every_difference_counts(self):
        for rows in (
            [],
            [row(flops=65535)],
            [row(flops=None)],
            [row(), row(op_id=2)],
            [row(m=17)],
            [row(role="helper", share=0, flops=0)],
            [row("aten::bmm")],
            [row(), row("aten::convolution", op="conv2d", m=None, flops=7)],
        ):
            self.assertFalse(self.verdict(counted(MM), *rows)[0], rows)

    def test_kernels_that_share_a_product(self):
        self.assertTrue(
            self.verdict(
                counted(MM),
                row(share=0.75, flops=49152),
                row(share=0.25, flops=16384),
                row(role="helper", share=0, flops=0),
            )[0]
        )

    def test_bias_of_a_product_that_torch_adds_elsewhere(self):
        self.assertTrue(self.verdict(counted(MM), row(flops=65536 + 1024))[0])
        self.assertFalse(self.verdict(counted(MM), row(flops=65536 + 1023))[0])

    def test_convolutions(self):
        one, each = backward_of_convolution(4)
        half = dict(op="conv2d", dir="bprop", m=None, n=None, k=None)
        rows = [
            row("aten::convolution_backward", flops=each, **half),
            row("aten::convolution_backward", flops=each + 768, **half),
        ]
        self.assertTrue(self.verdict(counted(one), *rows)[0])
        self.assertFalse(self.verdict(counted(one), rows[0])[0])

    def test_causal_or_all_pairs(self):
        q = tensor(2, 4, 16, 32)
        counts = counted(
            event("_scaled_dot_product_flash_attention", 2 * 8 * 256 * 64, [q, q, q, 0.0, True])
        )
        for flops, expected in (
            (8 * 256 * 134, True),
            (8 * 136 * 134, True),
            (8 * 200 * 134, False),
        ):
            found = row(
                "aten::_flash_attention_forward",
                op="scaled_dot_product_attention",
                m=None,
                flops=flops,
            )
            self.assertEqual(self.verdict(counts, found)[0], expected)

    def test_all_models(self):
        def compare(models, rows):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                return (
                    flop_counter.compare({"torch": "2", "models": models}, rows),
                    printed.getvalue(),
                )

        models = {f"m{number}": {**counted(MM), "step": number} for number in range(8)}
        rows = [row(step=number, op_id=number) for number in range(8)]
        self.assertTrue(compare(models, rows)[0])
        self.assertFalse(compare(models, rows[1:])[0])
        models["m0"] = {"step": 0, "error": "refused"}
        good, printed = compare(models, rows)
        self.assertFalse(good)
        self.assertIn("m0: NOT RUN: refused", printed)


if __name__ == "__main__":
    unittest.main()
