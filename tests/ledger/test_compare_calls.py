#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""compare_calls.py accepts what agrees and detects every kind of difference."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "compare_calls.py"


def op(m, n, k, library=True):
    return {
        "layer": "Net",
        "op": "linear",
        "dir": "fprop",
        "part": None,
        "m": m,
        "n": n,
        "k": k,
        "batch": 1,
        "library": library,
    }


def call(m, n, k, epilogue="none"):
    return {"call": "cublasGemmEx", "m": m, "n": n, "k": k, "batch": 1, "epilogue": epilogue}


class CompareCalls(unittest.TestCase):
    def setUp(self):
        self.ops = [op(1, 2, 3), op(1, 2, None, library=False), op(4, 5, 6)]
        self.calls = [call(1, 2, 3), call(4, 5, 6, "gelu_bias")]

    def compare(self, *flags):
        with tempfile.TemporaryDirectory() as name:
            ledger, calls = pathlib.Path(name) / "ledger.json", pathlib.Path(name) / "calls.jsonl"
            ledger.write_text(json.dumps({"ops": self.ops}))
            calls.write_text("".join(json.dumps(one) + "\n" for one in self.calls))
            return subprocess.run(
                [sys.executable, SCRIPT, *flags, ledger, calls],
                capture_output=True,
                text=True,
                check=False,
            )

    def assert_noticed(self, text, *flags):
        done = self.compare(*flags)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(text, done.stdout)

    def test_equal(self):
        done = self.compare()
        self.assertEqual(
            (done.returncode, done.stdout),
            (0, "products 2/2; epilogues: gelu_bias 1, none 1  EQUAL\n"),
        )

    def test_every_size(self):
        for field in ("m", "n", "k", "batch"):
            with self.subTest(field=field):
                before = self.calls[1][field]
                self.calls[1][field] = 7
                self.assert_noticed(f"{field} 7")
                self.calls[1][field] = before

    def test_missing_call(self):
        self.calls.pop()
        self.assert_noticed("called nothing")

    def test_additional_call(self):
        self.calls.append(call(7, 8, 9))
        self.assert_noticed("no op: ledger nothing; called m 7")

    def test_no_calls(self):
        self.calls = []
        self.assert_noticed("products 2/0")

    def test_order(self):
        self.calls.reverse()
        self.assert_noticed("product 0")

    def test_calls_before_the_step(self):
        self.calls.insert(0, call(7, 8, 9))
        self.assert_noticed("product 0")
        done = self.compare("--last")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("left out: 1 calls before", done.stdout)

    def test_unusable_input(self):
        self.calls = [{"m": 1}]
        self.assertEqual(self.compare().returncode, 2)


if __name__ == "__main__":
    unittest.main()
