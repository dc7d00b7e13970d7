#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What library_samples.sh found: python3 library_samples.py PROF_REPORT FOLDER

A sample must say and return the same with its calls traced. Kernels without an op are listed: they
are the programs' own, or a function's that is not wrapped."""
import collections
import json
import pathlib
import re
import subprocess
import sys

NUMBER = re.compile(r"[-+]?\d+\.?\d*(e[-+]?\d+)?|nan|inf|0x[0-9a-f]+")


def words(path):
    """The text without its numbers: times, and sums whose order varies."""
    return NUMBER.sub("#", path.read_text(errors="replace"))


def main():
    report, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    broken, nameless, ops = [], collections.Counter(), collections.Counter()
    kernels = silent = 0
    names = sorted(path.stem for path in folder.glob("*.status"))
    for name in names:
        _, _, bare, _, traced = (folder / f"{name}.status").read_text().split()
        if bare != traced:
            broken.append(f"{name}: status {bare}, traced {traced}")
        if words(folder / f"{name}.bare") != words(folder / f"{name}.txt"):
            broken.append(f"{name}: other output")
        if not (folder / f"{name}.db").exists():
            silent += 1
            print(f"  {name}: no trace (status {bare})")
            continue
        done = subprocess.run(
            [report, "-r", "kernels", "-f", "json", folder / f"{name}.db"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(f"  {name}: {done.stderr.strip()}")
            continue
        rows = json.loads(done.stdout)
        kernels += len(rows)
        for row in rows:
            ops[row["op"]] += 1
            if not row["op"]:
                nameless[f"{name}: {row['kernel']}"] += 1
    print(
        f"{len(names)} samples, {kernels} kernels, {sum(nameless.values())} without an op, "
        f"{silent} without a trace"
    )
    print("ops:", ", ".join(f"{op} {count}" for op, count in ops.most_common()))
    for what, count in nameless.most_common(60):
        print(f"  no op: {count} x {what}")
    for line in broken:
        print(f"  BROKEN: {line}")
    return 1 if broken or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
