#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A step's period, and what a GPU does in it, are the same numbers in each report that has them.

Of every recording, of traces of several ranks and of what is chosen by --step: `steps` has each
step; `summary`, `ranks`, `gaps`, `diff`, `pipeline` and the Prometheus metrics say of the steady ones
what follows from it.

usage: times_agree.py BIN_DIR DATA_DIR MAKE_RANKS
"""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

STATES = ("computing", "collective", "copying", "idle")
SUMMARY = {
    "computing": "computing",
    "exposed collectives": "collective",
    "exposed copies": "copying",
    "idle": "idle",
}
RANKS = {
    "computing_pct": "computing",
    "exposed_pct": "collective",
    "copying_pct": "copying",
    "idle_pct": "idle",
}
METRICS = {"prof_step_idle_ratio": "idle", "prof_step_exposed_communication_ratio": "collective"}
ALL_STEPS = "step,period_ns,computing_ns,collective_ns,copying_ns,idle_ns,waits_ns,is_steady"


class Prints:
    """What prof-report says of some traces."""

    def __init__(self, bin_dir, traces, options=()):
        self.report, self.traces, self.options = bin_dir / "prof-report", traces, options

    def run(self, *arguments):
        done = subprocess.run(
            [self.report, *arguments, *self.options, *self.traces],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def rows(self, report, *arguments):
        rows = json.loads(self.run("-r", report, "-f", "json", *arguments))
        return [row for row in rows if "rows" not in row.get("absent", {})]

    def select(self, columns, table):
        return json.loads(self.run("--sql", f"SELECT {columns} FROM {table}", "-f", "json"))


def truth_of(prints, rows):
    """By trace and GPU, from each steady step; without steps, all captured time is one."""
    steady = {}
    with_steps = {(row["trace"], row["device"]) for row in rows}
    for slices in prints.select(
        "trace, device, state, sum(time_ns) AS time_ns", "device_times GROUP BY 1, 2, 3"
    ):
        gpu = (slices["trace"], slices["device"])
        if gpu in with_steps or prints.options:
            continue
        one = steady.setdefault(gpu, [{f"{state}_ns": 0 for state in ("period", *STATES)}])[0]
        one[f"{slices['state']}_ns"] += slices["time_ns"]
        one["period_ns"] += slices["time_ns"]
    for row in rows:
        if row["is_steady"]:
            steady.setdefault((row["trace"], row["device"]), []).append(row)
    truth = {}
    for gpu, steps in steady.items():
        one = {state: statistics.fmean(step[f"{state}_ns"] for step in steps) for state in STATES}
        one["mean"] = statistics.fmean(step["period_ns"] for step in steps)
        one["period"] = statistics.median(step["period_ns"] for step in steps)
        one["steps"] = len(steps)
        truth[gpu] = one
    return truth


class Checker:
    def __init__(self, name):
        self.name, self.found, self.count = name, [], 0

    def same(self, where, said, expected):
        self.count += 1
        if said is None or not math.isclose(said, expected, rel_tol=1e-6, abs_tol=1e-3):
            self.found.append(f"{self.name}: {where}: {said}, and {expected} by report steps")


def check_summary(prints, truth, checker):
    for row in prints.rows("summary"):
        of = truth.get((row["trace"], row["device"]))
        if row["section"] != "step" or of is None:
            continue
        where = f"summary: {row['trace']}, {row['what']}"
        if row["what"] == "period":
            checker.same(where, row["time_ns"], of["period"])
        elif row["what"] in SUMMARY:
            time_ns = of[SUMMARY[row["what"]]]
            checker.same(where, row["time_ns"], time_ns)
            checker.same(where, row["share_pct"], 100 * time_ns / of["mean"])


def check_ranks(prints, truth, checker):
    """One GPU a trace; reports about ranks take no --step."""
    gpus = {trace: of for (trace, _), of in truth.items()}
    if len(gpus) < len(truth) or prints.options:
        return
    for row in prints.rows("ranks"):
        of = gpus.get(row["trace"])
        if of is None:
            continue
        where = f"ranks: {row['trace']}"
        checker.same(f"{where}, period", row["period_ns"], of["period"])
        checker.same(f"{where}, steps", row["steps"], of["steps"])
        for column, state in RANKS.items():
            checker.same(f"{where}, {state}", row[column], 100 * of[state] / of["mean"])
        checker.same(f"{where}, sum", sum(row[column] for column in RANKS), 100)
        if row["waits_pct"] > row["exposed_pct"] * (1 + 1e-6):
            checker.found.append(f"{checker.name}: {where}: waits beyond exposed collectives")
    for row in prints.rows("pipeline"):
        of = gpus[row["trace"]]
        checker.same(
            f"pipeline: {row['trace']}, idle", row["idle_pct"], 100 * of["idle"] / of["mean"]
        )


def check_gaps(prints, truth, checker):
    idle = {}
    for row in prints.rows("gaps"):
        gpu = (row["trace"], row["device"])
        idle[gpu] = idle.get(gpu, 0) + row["step_ns"]
    for gpu, time_ns in idle.items():
        if gpu in truth:
            checker.same(f"gaps: {gpu[0]}", time_ns, truth[gpu]["idle"])


def check_diff(prints, truth, checker):
    """Of a trace with itself, copied so that they are two traces."""
    if len(prints.traces) > 1 or len(truth) != 1 or prints.options:
        return
    (of,) = truth.values()
    copy = prints.traces[0].with_name("copy.db")
    copy.write_bytes(prints.traces[0].read_bytes())
    both = Prints(prints.report.parent, [prints.traces[0], copy])
    for row in both.rows("diff"):
        if (
            row["change"] == "period"
            or row.get("layer") is None
            and row["change"] in ("slower", "faster", "same")
            and row["op"] == "step"
        ):
            checker.same("diff: base", row["base_ns"], of["period"])
            checker.same("diff: new", row["new_ns"], of["period"])
            break


def check_metrics(prints, truth, checker):
    """One GPU of one trace: labels of GPUs are not those of traces. Metrics are of steps alone."""
    if len(truth) != 1 or prints.options:
        return
    (of,) = truth.values()
    for line in prints.run("--export", "prometheus", "-o", "-").splitlines():
        metric = line.split("{")[0]
        if metric in METRICS:
            checker.same(metric, float(line.split()[-1]), of[METRICS[metric]] / of["mean"])
        elif metric == "prof_step_seconds":
            checker.same(metric, 1e9 * float(line.split()[-1]), of["period"])
        elif metric == "prof_steps":
            checker.same(metric, float(line.split()[-1]), of["steps"])


def check(name, prints):
    checker = Checker(name)
    rows = prints.select(f"trace, device, {ALL_STEPS}", "step_times")
    for row in rows:
        checker.same(
            f"steps: {row['trace']}, step {row['step']}, sum of its parts",
            sum(row[f"{state}_ns"] for state in STATES),
            row["period_ns"],
        )
    truth = truth_of(prints, rows)
    for of in (check_summary, check_ranks, check_gaps, check_diff, check_metrics):
        of(prints, truth, checker)
    return checker


def sets(bin_dir, data, make_ranks, folder):
    """A name and the traces of each."""
    for recording in sorted(f for f in data.glob("*.jsonl.gz") if ".truth." not in f.name):
        trace = folder / f"{recording.name.split('.')[0]}.db"
        subprocess.run(
            [bin_dir / "prof-import", "-o", trace, recording], check=True, capture_output=True
        )
        yield recording.name, [trace]
    for name, options in {
        "data-parallel": ["--ranks", "4"],
        "pipeline": ["--layout", "data=1,tensor=1,pipe=4,expert=1"],
    }.items():
        made = folder / name
        subprocess.run(
            [sys.executable, make_ranks, made, "--bin", bin_dir, "--steps", "6", *options],
            check=True,
            capture_output=True,
        )
        yield name, sorted(made.glob("*.db"))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    bin_dir, data, make_ranks = map(pathlib.Path, sys.argv[1:])
    found, numbers = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, traces in sets(bin_dir, data, make_ranks, pathlib.Path(folder)):
            for options in ([], ["--step", "2-4"]):
                if options and "steps" not in name and len(traces) == 1:
                    continue
                done = check(" ".join([name, *options]), Prints(bin_dir, traces, options))
                found += done.found
                numbers += done.count
    print("\n".join(found) or f"{numbers} numbers agree")
    return 1 if found or numbers < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
