#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What all reference programs have in common, without a GPU. Usage: test_command_line.py PROGRAM"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1))


def run(*words, stdout=subprocess.PIPE):
    # A machine with a GPU hides it.
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run(
        [PROGRAM, *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=environment,
    )


class CommandLine(unittest.TestCase):
    def assert_says(self, done, status, text):
        """Ends with that status and one line on stderr."""
        self.assertEqual((done.returncode, done.stderr.count("\n")), (status, 1), done.stderr)
        self.assertTrue(done.stderr.startswith(f"{PROGRAM.name}: "), done.stderr)
        self.assertIn(text, done.stderr)

    def test_help(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in (
            "--warmup",
            "--steps",
            "--check",
            "--drop-gradient",
            "--overfit",
            "--deterministic",
            "--ledger",
        ):
            self.assertIn(option, done.stdout)

    def test_no_gpu(self):
        for words in ([], ["--check"], ["--overfit"], ["--deterministic"]):
            with self.subTest(words=words):
                self.assert_says(run(*words), 1, "no usable GPU")

    def test_mistakes(self):
        for words, text in (
            (["--no-such-option"], "--no-such-option"),
            (["--steps", "many"], "--steps"),
            (["--steps", "-1"], "--steps"),
            (["--warmup", "-1"], "--warmup must be 0 or more"),
            (["--steps", "0", "--warmup", "0"], "nothing to do"),
            (["--check", "--steps", "2"], "--steps has no effect with --check"),
            (["--batch", "0"], "--batch"),
            (["--check", "--overfit"], "are mutually exclusive"),
            (["--deterministic", "--ledger", "-"], "are mutually exclusive"),
            (["--drop-gradient", "x"], "--drop-gradient needs --check"),
            (
                ["--check", "--drop-gradient", "no.such.term"],
                "unknown gradient term 'no.such.term'",
            ),
            (["--ledger"], "--ledger"),
        ):
            with self.subTest(words=words):
                self.assert_says(run(*words), 2, text)

    def test_gradient_terms(self):
        done = run("--list-gradient-terms")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        terms = done.stdout.split("\n")[:-1]
        self.assertGreater(len(terms), 10)
        self.assertEqual(len(terms), len(set(terms)))

    def test_ledger(self):
        done = run("--ledger", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        ledger = json.loads(done.stdout)
        self.assertGreater(len(ledger["ops"]), 100)
        for total in ("flops", "bytes"):
            self.assertEqual(ledger[total], sum(op[total] for op in ledger["ops"]))
        self.assertEqual({op["dir"] for op in ledger["ops"]}, {"fprop", "bprop", "update"})
        # An estimate that is not near the truth is a mistake in one of them.
        self.assertLess(abs(ledger["flops"] / ledger["estimate"]["flops"] - 1), 0.5)
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "ledger.json"
            self.assertEqual(run("--ledger", path).returncode, 0)
            self.assertEqual(path.read_text(), done.stdout)

    def test_what_cannot_be_written(self):
        self.assert_says(run("--ledger", "/dev/full"), 1, "No space left on device")
        self.assert_says(run("--ledger", "/no/such/folder/x"), 1, "No such file or directory")
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.assert_says(run("--ledger", "-", stdout=full), 1, "No space left on device")
            self.assert_says(run("--list-gradient-terms", stdout=full), 1, "stdout")


if __name__ == "__main__":
    unittest.main()
