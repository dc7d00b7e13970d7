#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""compare_ledger.py accepts what agrees and detects every kind of difference."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "compare_ledger.py"


def linear():
    return {
        "layer": "Net",
        "op": "linear",
        "dir": "fprop",
        "part": None,
        "inputs": [[8, 16], [10, 16]],
        "outputs": [[8, 10]],
        "m": 10,
        "n": 8,
        "k": 16,
        "batch": 1,
        "flops": 2560,
        "bytes": 736,
        "library": True,
    }


def relu():
    return {
        "layer": "Net",
        "op": "relu",
        "dir": "fprop",
        "part": None,
        "inputs": [[8, 10]],
        "outputs": [[8, 10]],
        "flops": 80,
        "bytes": 320,
        "library": False,
    }


def copy_op():
    return {
        "layer": "Net",
        "op": "copy",
        "dir": "update",
        "part": None,
        "inputs": [[4]],
        "outputs": [[4]],
        "flops": 0,
        "bytes": 32,
        "library": False,
    }


def row(idx, op_id, op, **changes):
    """A row of the report for one kernel that carries all of its op."""
    values = {
        "idx": idx,
        "op_id": op_id,
        "kernel": f"{op['op']}_kernel",
        "kind": "kernel",
        "role": "main",
        "m": None,
        "n": None,
        "k": None,
        "batch": None,
    }
    values |= {
        key: value for key, value in op.items() if key not in ("inputs", "outputs", "library")
    }
    return values | {"inputs": op["inputs"] + op["outputs"]} | changes


class CompareLedger(unittest.TestCase):
    def setUp(self):
        self.ops = [linear(), relu(), copy_op()]
        self.rows = [
            row(1, 5, linear(), kernel="[memset]", kind="memset", role="helper", flops=0, bytes=4),
            row(2, 5, linear(), flops=2000, bytes=700),
            row(3, 5, linear(), flops=560, bytes=36),
            row(4, 6, relu()),
            row(5, 7, copy_op(), kernel="[memcpy]", kind="memcpy", bytes=16),
        ]

    def compare(self):
        with tempfile.TemporaryDirectory() as name:
            ledger = pathlib.Path(name) / "ledger.json"
            ledger.write_text(json.dumps({"model": "test", "ops": self.ops}))
            return subprocess.run(
                [sys.executable, SCRIPT, ledger],
                input=json.dumps(self.rows),
                capture_output=True,
                text=True,
                check=False,
            )

    def assert_noticed(self, *words):
        done = self.compare()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stdout)
        self.assertTrue(done.stdout.rstrip().endswith("DIFFERENT"))

    def test_equal(self):
        done = self.compare()
        self.assertEqual(
            (done.returncode, done.stdout), (0, "ops 3/3 flops 2640/2640 bytes 1088/1088  EQUAL\n")
        )

    def test_rows_in_another_order_are_equal(self):
        self.rows.reverse()
        self.assertEqual(self.compare().returncode, 0)

    def test_every_field(self):
        changes = {
            "layer": "Other",
            "op": "matmul",
            "dir": "bprop",
            "part": "data",
            "inputs": [[8, 16]],
            "m": 11,
            "n": 9,
            "k": 17,
            "batch": 2,
            "flops": 2559,
            "bytes": 735,
        }
        for field, value in changes.items():
            with self.subTest(field=field):
                rows = copy.deepcopy(self.rows)
                self.rows[2][field] = value
                if field not in ("flops", "bytes"):
                    for one in self.rows[:2]:
                        one[field] = value
                self.assert_noticed("Net linear fprop")
                self.rows = rows

    def test_unknown_numbers(self):
        for field in ("flops", "bytes"):
            with self.subTest(field=field):
                rows = copy.deepcopy(self.rows)
                self.rows[1][field] = None
                self.assert_noticed(f"{field}: ledger")
                self.rows = rows

    def test_op_missing_in_the_report(self):
        del self.rows[3]
        self.assert_noticed("relu fprop: in the ledger only", "ops 3/2")

    def test_op_missing_in_the_ledger(self):
        del self.ops[0]
        self.assert_noticed("linear fprop: in the report only (", "ops 2/3")

    def test_one_op_too_many_is_one_difference(self):
        self.rows.insert(4, row(4.5, 9, relu()))
        done = self.compare()
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)

    def test_order(self):
        self.rows[3]["idx"] = 0
        self.assert_noticed("relu")

    def test_unattributed_kernel(self):
        self.rows.append(row(6, None, relu(), kernel="stray_kernel"))
        self.assert_noticed("kernel stray_kernel belongs to no op")

    def test_empty_report(self):
        self.rows = []
        self.assert_noticed("ops 3/0")

    def test_many_differences_are_cut(self):
        self.ops = [relu() for _ in range(100)]
        self.rows = [row(i, i, relu(), flops=81) for i in range(100)]
        self.assert_noticed("... and 80 more")

    def test_unusable_input(self):
        self.rows = {"not": "a list of rows"}
        done = self.compare()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
