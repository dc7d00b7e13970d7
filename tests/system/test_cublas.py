#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of cuBLAS (--trace cublas), on the stand-in libraries: every form, equal call by call to
what the program asked for; and that the program does not notice."""
import json
import os
import subprocess
import sys

import harness
from harness import STANDIN, SystemTest, main

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "cublas_calls")
)
import compare  # noqa: E402

APP = os.path.join(harness.BUILD, "tests", "system", "cublas_app")
OPTIONS = ("--trace", "cublas,no-device")


# What moves elements only, and what has no count of bytes, or no M, N and K.
MOVES = ("copy", "swap", "tpttr", "trttp")
FACTORS = ("getrf", "getrs", "getri", "matinv", "geqrf", "gels")
NO_PRODUCTS = ("geam", "dgmm", "grouped_gemm")


def wrapped_functions():
    done = subprocess.run([APP, "wrapped"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def module(name):
    return os.path.join(harness.BUILD, "tests", "system", name + ".so")


class CublasTest(SystemTest):
    release = 13

    def environment(self, cupti="cupti13", **extra):
        env = super().environment(cupti, **extra)
        env["LD_LIBRARY_PATH"] += ":" + os.path.join(STANDIN, f"cublas{self.release}")
        return env

    def calls(self, *words, options=OPTIONS, door="run", **extra):
        env = self.environment(**extra)
        command = [APP, *words]
        if door == "run":
            command = [harness.PROF_RUN, "--force", "-o", self.trace_path, *options, "--", *command]
        done = subprocess.run(
            command,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=self.folder,
            check=False,
        )
        self.assertEqual(0, done.returncode, done.stderr)
        return done

    def signatures(self):
        import trace_db

        rows = trace_db.Trace(self.trace_path).rows(
            "SELECT s.text FROM range r JOIN string s ON s.id = r.signature_id ORDER BY r.id"
        )
        return [json.loads(text) for text, in rows]

    def by_hand(self, how="hand"):
        folder = os.path.join(STANDIN, f"cublas{self.release}")
        return (
            how,
            module("cublas_by_hand"),
            os.path.join(folder, f"libcublas.so.{self.release}"),
            os.path.join(folder, f"libcublasLt.so.{self.release}"),
        )

    def linked(self):
        return "local", module(f"cublas_linked{self.release}")


class Recorded(CublasTest):
    def check(self, words):
        bare = self.calls(*words, door="none")
        traced = self.calls(*words)
        self.assertEqual(bare.stdout, traced.stdout)
        lines = traced.stdout.splitlines()
        self.assertEqual(wrapped_functions(), {json.loads(line)["function"] for line in lines})
        self.assertEqual([], compare.compare(lines, self.signatures()))
        # What a wrapper passes on, in registers and on the stack.
        without_pointer = [line.split()[:6] + line.split()[7:] for line in bare.stderr.splitlines()]
        self.assertEqual(
            without_pointer,
            [
                line.split()[:6] + line.split()[7:]
                for line in traced.stderr.splitlines()
                if line.startswith("got ")
            ],
        )
        rows = self.kernels_of_report()
        asked = [json.loads(line) for line in lines]
        for one, row in zip(asked, rows, strict=True):
            name = row["op"].removesuffix("_update")
            self.assertEqual({"transform": "geam"}.get(one["op"], one["op"]), name)
            if one["op"] in NO_PRODUCTS or one["m"] == 0:
                self.assertIsNone(row["m"])
            else:
                self.assertEqual((one["m"], one["n"], one["k"]), (row["m"], row["n"], row["k"]))
            if one["op"] not in MOVES and not (name == "geam" and "- " in one.get("operands", "")):
                self.assertGreater(row["flops"], 0)
            if one["op"] not in FACTORS:
                self.assertGreater(row["bytes"], 0)
        # A call that cuBLAS makes of cuBLASLt is part of cuBLAS's own.
        kernels = [row["kernel"] for row in rows]
        self.assertEqual(
            "cublasLtMatmul", kernels[[one["function"] for one in asked].index("cublasGemmEx")]
        )
        return traced

    def test_with_rtld_local(self):
        for self.release in (12, 13):
            with self.subTest(release=self.release):
                self.check(self.linked())

    def test_looked_up_by_hand(self):
        for self.release in (12, 13):
            with self.subTest(release=self.release):
                self.check(self.by_hand())

    def test_looked_up_in_all_libraries(self):
        self.check(self.by_hand("default"))

    def test_with_other_interposers(self):
        self.calls(*self.by_hand(), options=("--trace", "cublas,osrt,no-device"))
        self.assertGreater(len(self.signatures()), 200)

    def test_meta(self):
        import trace_db

        self.calls(*self.linked())
        meta = trace_db.Trace(self.trace_path).meta()
        self.assertEqual(("cublas", ""), (meta["library_calls"], meta["library_calls_unseen"]))
        self.run_app("launch k", door="run", options=("--force", *OPTIONS))
        meta = trace_db.Trace(self.trace_path).meta()
        self.assertEqual(("", "cublas"), (meta["library_calls"], meta["library_calls_unseen"]))
        summary = self.report("-r", "summary").stdout
        self.assertIn("no call of cublas was seen", summary)
        self.assertNotIn("of which no call was seen", summary)

    def test_kernels_of_a_static_library(self):
        self.run_app(
            "launch ampere_sgemm_128x64_tn; launch k", door="run", options=("--force", *OPTIONS)
        )
        self.assertIn(
            "1 kernel has a name of cublas, of which no call was seen",
            self.report("-r", "summary").stdout,
        )


class Single(CublasTest):
    """Products of M x 3 and 3 x 2, which the op says of each kernel."""

    def rows_of(self, mode):
        self.calls(mode, module("cublas_linked13"))
        rows = self.kernels_of_report()
        self.assertTrue(all((row["op"], row["n"], row["k"]) == ("gemm", 2, 3) for row in rows))
        return rows

    def test_on_threads(self):
        by_thread = {}
        for row in self.rows_of("threads"):
            by_thread.setdefault(row["thread"], []).append(row["m"])
        self.assertEqual([[m] * 50 for m in range(1, 9)], sorted(by_thread.values()))

    def test_a_fork(self):
        self.assertEqual([3, 5], [row["m"] for row in self.rows_of("fork")])

    def test_an_exception_passes_through(self):
        self.assertEqual([3, 5], [row["m"] for row in self.rows_of("throw")])


class Harmless(CublasTest):
    def test_what_the_program_sees(self):
        bare = self.calls("visible", door="none").stdout
        self.assertIn("default unseen", bare)
        env = self.environment(LD_PRELOAD=os.path.join(harness.BUILD, "lib", "libprof_cublas.so"))
        done = subprocess.run([APP, "visible"], env=env, capture_output=True, text=True, check=True)
        self.assertEqual(bare, done.stdout)

    def test_without_a_collector(self):
        preload = os.path.join(harness.BUILD, "lib", "libprof_cublas.so")
        for words in (self.linked(), self.by_hand()):
            bare = self.calls(*words, door="none")
            done = self.calls(*words, door="none", LD_PRELOAD=preload)
            self.assertEqual(bare.stdout, done.stdout)

    def test_off(self):
        show = 'run "echo ${LD_PRELOAD-unset}"; launch k; sync'
        for options, expected in (
            ((), False),
            (OPTIONS, True),
            (("--trace", "cublas,no-cublas"), False),
        ):
            run = self.run_app(show, door="run", options=("--force", *options))
            self.assertEqual(expected, "libprof_cublas.so" in run.stdout)


if __name__ == "__main__":
    main()
