#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of compare_truth.py: each difference is found, a reason is no free pass."""
import copy
import io
import unittest

import compare_truth

ROW = {
    "idx": 1,
    "mod": "aten",
    "op": "linear",
    "op_inner": "aten::addmm",
    "dir": "fprop",
    "part": None,
    "layer": "STEP",
    "seq": 3,
    "m": 16,
    "n": 64,
    "k": 32,
    "batch": 1,
    "flops": 65536 + 1024,
    "share": 1,
    "provenance": {"op": "exact", "layer": "exact"},
}
TRUTH = {
    "inner": "aten::addmm",
    "outer": "aten::linear",
    "dims": [[16], [64, 32], [32, 16], [], []],
    "dir": "fprop",
    "flops": 65536,
}
BACKWARD = {
    "inner": "aten::mm",
    "outer": "aten::mm",
    "dims": [[64, 16], [16, 32]],
    "dir": "bprop",
    "node": "AddmmBackward0",
    "forward": "aten::addmm",
    "forward_outer": "aten::linear",
    "flops": 65536,
}


def unexplained(row, truth):
    return compare_truth.compare([row], [truth], io.StringIO())


def changed(values, **changes):
    result = copy.deepcopy(values)
    result.update(changes)
    return result


class Compare(unittest.TestCase):
    def test_agreement(self):
        self.assertEqual(unexplained(ROW, TRUTH), 0)

    def test_every_field_counts(self):
        for change in (
            {"op": "addmm"},
            {"op_inner": "aten::mm"},
            {"dir": "bprop"},
            {"m": 17},
            {"n": 1},
            {"k": None},
            {"batch": 2},
            {"flops": 65536},
            {"flops": None},
        ):
            self.assertGreater(unexplained(changed(ROW, **change), TRUTH), 0, change)

    def test_backward_links(self):
        row = changed(
            ROW,
            op_inner="aten::mm",
            dir="bprop",
            part="data",
            m=32,
            n=64,
            k=16,
            flops=65536,
            provenance={"op": "inherited", "layer": "inherited"},
        )
        self.assertEqual(unexplained(row, BACKWARD), 0)
        self.assertEqual(unexplained(changed(row, part=None), BACKWARD), 1)
        self.assertEqual(
            unexplained(
                changed(row, provenance={"op": "estimated", "layer": "inherited"}), BACKWARD
            ),
            1,
        )

    def test_optimizers(self):
        truth = {
            "inner": "aten::_foreach_add_",
            "outer": "aten::_foreach_add_",
            "dims": [[8]],
            "dir": "update",
        }
        row = changed(ROW, mod="Optimizer", op="sgd", op_inner="aten::_foreach_add_", dir="update")
        self.assertEqual(unexplained(row, truth), 0)
        self.assertEqual(unexplained(changed(row, mod="aten"), truth), 1)

    def test_shares_of_flops(self):
        half = changed(ROW, share=0.5, flops=33280)
        self.assertEqual(unexplained(half, TRUTH), 0)
        self.assertEqual(unexplained(changed(half, flops=33282), TRUTH), 1)


if __name__ == "__main__":
    unittest.main()
