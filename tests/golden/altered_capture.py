# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded stream as it would be if the program had run another time, or were another one."""
import csv
import gzip
import json
import random
import subprocess

TIMES = ("start_ns", "end_ns", "time_ns")


class Capture:
    """The records of a stream. Its kernels know their layer, op and step."""

    def __init__(self, stream, folder, environment, stretch=1):
        """`stretch`: everything takes so many times as long."""
        self.folder, self.environment = folder, environment
        self.records = [json.loads(line) for line in gzip.open(stream, "rt")]
        origin = min(r["start_ns"] for r in self.records if r.get("record") == "api")
        for record in self.records:
            for key in TIMES:
                if isinstance(record.get(key), int):
                    record[key] = origin + (record[key] - origin) * stretch
        self.kernels = [r for r in self.records if r.get("record") == "kernel"]
        self.facts = {}
        rows = self.run(self.write("facts"), "-f", "csv", "-c", "correlation,layer,op,step").stdout
        for row in csv.DictReader(rows.splitlines()):
            self.facts[int(row["correlation"])] = row

    def run(self, *words):
        return subprocess.run(["prof-report", *map(str, words)], cwd=self.folder, text=True,
                              env=self.environment, capture_output=True, check=False)

    def write(self, name, change=None, texts=None):
        """NAME.db: `change` makes a kernel's record another one, or none; `texts` replaces texts."""
        lines = []
        for record in self.records:
            if record.get("record") == "kernel" and change:
                record = change(dict(record), self.facts[record["correlation"]])
            if record is None:
                continue
            if texts and record.get("record") == "string":
                record = record | {"text": texts.get(record["text"], record["text"])}
            lines.append(json.dumps(record))
        stream, trace = self.folder / f"{name}.jsonl", self.folder / f"{name}.db"
        stream.write_text("\n".join(lines) + "\n")
        subprocess.run(["prof-import", "--force", "-o", trace, stream], env=self.environment, check=True,
                       capture_output=True)
        return trace


def scaled(kernel, by):
    kernel["end_ns"] = kernel["start_ns"] + round((kernel["end_ns"] - kernel["start_ns"]) * by)
    return kernel


def another_run(seed, shift=1.0, change=None):
    """What differs between two captures of a program: each kernel a little in each step, each op a
    little in the whole capture, and everything by `shift`. `change` comes on top."""
    drawn, of_op = random.Random(seed), {}

    def vary(kernel, facts):
        op = (facts["layer"], facts["op"], kernel["name"])
        if op not in of_op:
            of_op[op] = drawn.gauss(1, 0.003)
        kernel = scaled(kernel, shift * of_op[op] * drawn.gauss(1, 0.005))
        return change(kernel, facts) if change else kernel
    return vary
