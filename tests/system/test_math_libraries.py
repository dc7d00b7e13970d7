#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of cuFFT, cuSOLVER and cuSPARSE, on stand-in libraries: each op is what math_app says."""
import json
import os
import subprocess

import harness
import trace_db
from harness import STANDIN, SystemTest, main

APP = os.path.join(harness.BUILD, "tests", "system", "math_app")


def said(signature):
    """An op's name, operands and facts, as math_app writes them."""
    operands = [
        "x".join(map(str, tensor["shape"])) + ":" + str(tensor.get("dtype"))
        for tensor in signature.get("args", [])
    ]
    return signature["op"], operands, signature["facts"]


class MathLibraries(SystemTest):
    def calls(self, *options):
        env = self.environment()
        env["LD_LIBRARY_PATH"] += "".join(
            ":" + os.path.join(STANDIN, name)
            for name in ("cublas13", "cufft", "cusolver", "cusparse")
        )
        done = subprocess.run(
            [harness.PROF_RUN, "--force", "-o", self.trace_path, *options, "--", APP],
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=self.folder,
            check=False,
        )
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout.splitlines()

    def signatures(self):
        return [
            json.loads(text)
            for text, in trace_db.Trace(self.trace_path).rows(
                "SELECT s.text FROM range r JOIN string s ON s.id = r.signature_id ORDER BY r.id"
            )
        ]

    def test_each_call_is_what_was_asked(self):
        asked = self.calls("--trace", "all,no-osrt,no-device,no-nccl")
        ops = self.signatures()
        for line, signature in zip(asked, ops, strict=True):
            op, *words = line.split()
            operands = [word for word in words if "=" not in word]
            name, got, facts = said(signature)
            self.assertEqual((op, operands), (name, got), line)
            for word in words:
                if "=" in word:
                    key, value = word.split("=")
                    self.assertEqual(value, str(facts[key]), line)

    def test_each_kernel_is_its_call(self):
        asked = self.calls("--trace", "all,no-osrt,no-device,no-nccl")
        rows = self.kernels_of_report()
        for line, row in zip(asked, rows, strict=True):
            library = line.split("::")[0]
            # cuSOLVER's own call of cuBLAS is part of its.
            self.assertTrue(row["kernel"].startswith((library, "cublas")), (line, row))
            self.assertTrue(row["op"], line)
        flops = {line.split()[0]: row["flops"] for line, row in zip(asked, rows)}
        self.assertEqual(2 * 300 * 8, flops["cusparse::spmm"])
        self.assertIsNone(flops["cusolver::syev"])

    def test_each_word_alone(self):
        for word, count in (("cufft", 9), ("cusolver", 38), ("cusparse", 18)):
            with self.subTest(word):
                self.calls("--trace", f"{word},no-device")
                ops = [signature["op"] for signature in self.signatures()]
                self.assertEqual(count, len(ops))
                self.assertTrue(all(op.startswith(word + "::") for op in ops))
                self.assertEqual(word, trace_db.Trace(self.trace_path).meta()["library_calls"])


if __name__ == "__main__":
    main()
