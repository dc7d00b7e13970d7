#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of cuDNN, on a stand-in library: each op is what cudnn_app says."""
import json
import os
import re
import subprocess
import sys

import harness
import trace_db
from harness import STANDIN, SystemTest, main

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "cudnn_calls")
)
import compare  # noqa: E402

APP = os.path.join(harness.BUILD, "tests", "system", "cudnn_app")
# No calls of their own, or of what this program has none.
WATCHED = {
    "cudnnBackendCreateDescriptor",
    "cudnnBackendDestroyDescriptor",
    "cudnnBackendSetAttribute",
    "cudnnBackendGetAttribute",
    "cudnnBackendFinalize",
    "cudnnBackendUpdateCudaGraph",
}


def wrapped_functions():
    path = os.path.join(
        os.path.dirname(os.path.abspath(__file__)),
        "..",
        "..",
        "collectors",
        "libcalls",
        "cudnn",
        "functions.inc",
    )
    with open(path, encoding="ascii") as table:
        return set(re.findall(r"^PROF_CUDNN(?:_BACKEND)?\((\w+)", table.read(), re.MULTILINE))


class Cudnn(SystemTest):
    def calls(self, *words):
        env = self.environment()
        env["LD_LIBRARY_PATH"] += ":" + os.path.join(STANDIN, "cudnn")
        done = subprocess.run(
            [
                harness.PROF_RUN,
                "--force",
                "-o",
                self.trace_path,
                "--trace",
                "cudnn,no-device",
                "--",
                APP,
                *words,
            ],
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
        lines = self.calls()
        self.assertEqual(wrapped_functions() - WATCHED, {line.split()[0] for line in lines})
        self.assertEqual([], compare.compare(lines, self.signatures()))
        self.assertEqual("cudnn", trace_db.Trace(self.trace_path).meta()["library_calls"])

    def test_costs_are_those_of_the_operations(self):
        lines = self.calls()
        rows = self.kernels_of_report()
        self.assertEqual(len(lines), len(rows))
        by_op = {}
        for line, row in zip(lines, rows, strict=True):
            by_op.setdefault(compare.parse(line)[2].removeprefix("cudnn::"), row)
        # 2 · elements of y · channels of a group · window.
        work = 2 * (2 * 12 * 5 * 7) * 4 * 9
        forward, data, weight = (by_op[name] for name in ("conv_fprop", "conv_dgrad", "conv_wgrad"))
        self.assertEqual([work] * 3, [row["flops"] for row in (forward, data, weight)])
        self.assertEqual(["convolution"] * 3, [row["op"] for row in (forward, data, weight)])
        self.assertEqual(
            [None, "bprop", "bprop"], [row.get("dir") or None for row in (forward, data, weight)]
        )
        self.assertEqual(["data", "weight"], [row["part"] for row in (data, weight)])
        matmul = by_op["matmul"]
        self.assertEqual(
            (48, 64, 32, 2 * 3 * 64 * 48 * 32),
            tuple(matmul[key] for key in ("m", "n", "k", "flops")),
        )
        # Two products and a softmax of 2·4·64·64 pairs.
        self.assertEqual(2 * 4 * 64 * 64 * (2 * 64 + 6), by_op["sdpa"]["flops"])
        # What a gradient is given, but does not need, is not read.
        self.assertEqual(4 * 3 * 576, by_op["relu_backward"]["bytes"])
        self.assertEqual(4 * (144 + 576), by_op["avg_pool2d_backward"]["bytes"])
        self.assertIsNone(by_op["graph"]["flops"])
        self.assertEqual(2 * 2 * 16 * 64, by_op["pointwise"]["flops"])

    def test_threads_have_their_own(self):
        lines = self.calls("threads")
        found = sorted(signature["op"] for signature in self.signatures())
        self.assertEqual(sorted(compare.parse(line)[2] for line in lines), found)


if __name__ == "__main__":
    main()
