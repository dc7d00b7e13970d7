#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Every report takes every option that chooses rows or lines, or refuses it in one line.

usage: choice_matrix.py BIN_DIR DATA_DIR

What an option leaves is compared with what Python leaves of all rows.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The first has nearly every kind of row in few kernels; filters are tried on the second where the
# first has no rows.
RECORDINGS = ("nccl_torch", "gpt_steps")
# A value that no row has.
FILTERS = {
    "--step": "999999",
    "--layer": "none",
    "--op": "none",
    "--dir": "none",
    "--kernel": "none",
    "--stream": "none",
    "--device": "none",
    "--thread": "none",
    "--rank": "none",
    "--kind": "memset",
    "--range": "none",
}
COLUMNS = ("layer", "op", "dir", "kernel", "stream", "device", "thread", "rank")
# Reports of several kinds of rows, some of which lack the column: these stay
# (docs/other_tools.md, docs/reports.md).
MIXED = {
    (report, flag)
    for report in ("nvprof", "cuda_api_gpu_sum")
    for flag in ("--layer", "--op", "--dir", "--kernel", "--stream", "--device", "--kind")
}
# Samples of a GPU are in no step: these choose the steps that their shares are told of.
OF_STEPS = {("clocks", "--step"), ("clocks", "--range")}
LISTS = ("kernels", "gpu", "calls", "ranges", "marks", "os_calls")
KINDS = ("--kind", "kernel,memcpy,memset")


class Trace:
    def __init__(self, bin_dir, recording, path):
        self.report, self.path = bin_dir / "prof-report", path
        subprocess.run(
            [bin_dir / "prof-import", "-o", path, recording], check=True, capture_output=True
        )
        self.copy = shutil.copyfile(path, path.with_name("copy.db"))  # `diff` compares two
        listed = subprocess.run(
            [self.report, "--list", "-f", "json"], check=True, capture_output=True
        )
        self.reports = [one["report"] for one in json.loads(listed.stdout) if one.get("rows")]

    def run(self, report, *options):
        traces = [self.path, self.copy] if report == "diff" else [self.path]
        return subprocess.run(
            [self.report, "-r", report, "-f", "json", *options, *traces],
            capture_output=True,
            text=True,
            check=False,
        )

    def rows(self, report, *options):
        done = self.run(report, *options)
        if done.returncode != 0:
            raise RuntimeError(f"{report} {options}: {done.stderr}")
        return rows_in(done)


def rows_in(done):
    """Without the object that says why there are none."""
    return [row for row in json.loads(done.stdout) if list(row) != ["absent"]]


def refusal(done, report, flag):
    """What is wrong with it."""
    found = re.fullmatch(
        rf"prof-report: {flag}: report '{report}' has no .*; " r"reports that have: (.+)\n",
        done.stderr,
    )
    if done.returncode != 2 or done.stdout or not found:
        return f"exit code {done.returncode}, {done.stderr!r}"
    return "it names itself" if report in found[1].split(", ") else ""


def check_filters(trace, tried):
    for report in trace.reports:
        if report in tried:
            continue
        everything = trace.rows(report)
        if everything:
            tried.add(report)
        for flag, value in FILTERS.items():
            done = trace.run(report, flag, value)
            if done.returncode != 0:
                wrong = refusal(done, report, flag)
                if wrong:
                    yield f"{report} {flag}: {wrong}"
                continue
            rows = rows_in(done)
            if (report, flag) in OF_STEPS:
                continue
            if flag == "--kind":
                continue  # Adds copies and sets to kernels: check_values() has it.
            if (report, flag) in MIXED:
                if len(rows) >= len(everything) > 0:
                    yield f"{report} {flag}: all {len(rows)} lines are there"
            elif rows:
                yield f"{report} {flag}: {len(rows)} lines of what is not there"
            if everything and flag != "--step" and "matches nothing" not in done.stderr:
                yield f"{report} {flag}: nothing is said: {done.stderr!r}"


def check_values(trace):
    """Lists: the rows of each value. Roll-ups: as many of them as the group of that value has."""
    for report in LISTS:
        everything = trace.rows(report)
        for column in COLUMNS:
            values = {row[column] for row in everything if row.get(column) is not None}
            for value in sorted(values, key=str)[:3]:
                chosen = trace.rows(report, f"--{column}", str(value))
                if column == "layer":
                    chosen = [row for row in chosen if row["layer"] == value]
                if chosen != [row for row in everything if row.get(column) == value]:
                    yield f"{report} --{column} {value}: other rows than those of Python"
    for kind in ("kernel", "memcpy", "memset"):
        expected = [row for row in trace.rows("gpu") if row["kind"] == kind]
        if trace.rows("gpu", "--kind", kind) != expected:
            yield f"gpu --kind {kind}: other rows than those of Python"
    for report in ("ops", "layers"):
        for column in COLUMNS:
            for group in trace.rows(report, "-c", f"{column},kernels")[:3]:
                value = group[column]
                if value is None or column == "layer":
                    continue
                chosen = trace.rows(report, f"--{column}", str(value))
                if sum(row["kernels"] for row in chosen) != group["kernels"]:
                    yield f"{report} --{column} {value}: not {group['kernels']} kernels"


def check_key_averages(trace):
    """GPU time is that of the same work in the list of it."""
    work = trace.rows("gpu")
    choices = [
        (f"--{column}", str(value))
        for column in ("layer", "op", "dir", "thread", "rank")
        for value in sorted({row[column] for row in work if row[column] is not None}, key=str)[:4]
    ]
    steps = sorted({row["step"] for row in work if row["step"] is not None})
    choices += [("--step", str(step)) for step in steps[:2]]
    for choice in choices:
        done = trace.run("key_averages", *choice)
        total = re.search(r"Self CUDA time total: ([\d.]+) ms", done.stderr)
        expected = sum(row["time_ns"] for row in trace.rows("gpu", *choice, *KINDS)) / 1e6
        if not total or abs(float(total[1]) - expected) > 6e-4:
            yield f"key_averages {choice}: {total and total[1]} ms, not {expected}"


def check_lines(trace):
    for report in trace.reports:
        everything = trace.rows(report)
        if trace.rows(report, "--where", "0"):
            yield f"{report} --where 0: lines are there"
        if len(trace.rows(report, "--top", "1")) != min(1, len(everything)):
            yield f"{report} --top 1: not one line"
        numbers = [
            word
            for word, value in (everything[:1] or [{}])[0].items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        ]
        for word in numbers[-1:]:
            values = [row[word] for row in trace.rows(report, "--sort", word)]
            known = [value for value in values if value is not None]
            if known != sorted(known, reverse=True) or None in values[: len(known)]:
                yield f"{report} --sort {word}: not in order"
        done = trace.run(report, "--by", "rank")
        if done.returncode != 0 and not re.fullmatch(
            rf"prof-report: --by: report '{report}' is not a roll-up; roll-ups are .+\n",
            done.stderr,
        ):
            yield f"{report} --by: {done.stderr!r}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bin_dir, data = map(pathlib.Path, sys.argv[1:])
    found, tried = [], set()
    for name in RECORDINGS:
        with tempfile.TemporaryDirectory() as folder:
            trace = Trace(bin_dir, data / f"{name}.jsonl.gz", pathlib.Path(folder) / "trace.db")
            if len(trace.reports) < 30:
                found.append(f"{len(trace.reports)} reports are listed")
            for differences in (
                check_filters(trace, tried),
                check_values(trace),
                check_key_averages(trace),
                check_lines(trace),
            ):
                found += [f"{name}: {difference}" for difference in differences]
    print("\n".join(found) or "every option is taken or refused by every report")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
