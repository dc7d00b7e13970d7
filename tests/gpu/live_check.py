#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares a capture of a model of live_models.py with what torch.profiler says of its kernels, and
its steps with the program's clock.

usage: live_check.py PROF_REPORT TRACE TRUTH CLOCK

Prints the line of a Markdown table, and what differs; status 1 if anything does.
"""
import collections
import csv
import difflib
import gzip
import io
import json
import pathlib
import re
import statistics
import subprocess
import sys

LEAST_ALIKE = 0.98  # of kernels: libraries choose others from run to run
LEAST_KNOWN = 0.98  # of GPU time, with FLOPs and bytes
# What a detector finds, and so what it runs, depends on the order in which sums are made.
ALIKE_OF = {"detection": 0.8}
# Nothing tells how many elements a sparse tensor holds, nor which sizes vmap hides.
KNOWN_OF = {"embedding_bag": 0.95, "per_sample_gradients": 0.9}
FARTHEST = 0.03  # of a step's time from the program's clock
COLUMNS = "kernel,op,op_inner,dir,layer,recompute,flops,bytes,time_ns,roofline_pct,contradicts,step"
# Inner names of torch, and the names that its users know.
NAMES = {
    "cross_entropy_loss": "cross_entropy",
    "local_scalar_dense": "item",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "upsample_nearest2d": "interpolate",
    "linalg_vector_norm": "norm",
    "upsample_bilinear2d": "interpolate",
    "amp_update_scale": "update_scale",
    "amp_foreach_non_finite_check_and_unscale": "unscale",
}


def report(program, trace, *arguments):
    done = subprocess.run([program, *arguments, trace], check=True, capture_output=True, text=True)
    return done.stdout


def base_name(kernel):
    kernel = re.sub(r"\(anonymous namespace\)::", "", kernel.removeprefix("void "))
    return re.split(r"[<(]", kernel)[0].split("::")[-1]


def aligned(ours, truth):
    """Pairs of rows of the same kernel, in order of launches."""
    names = [base_name(row["kernel"]) for row in ours], [base_name(row["kernel"]) for row in truth]
    if names[0] == names[1]:
        return list(zip(ours, truth))
    found = difflib.SequenceMatcher(None, *names, autojunk=False).get_matching_blocks()
    return [(ours[a + i], truth[b + i]) for a, b, size in found for i in range(size)]


def plain(op):
    op = (op or "").split("::")[-1].strip("_")
    return NAMES.get(op, op)


def layer_of(path):
    """A root module has its class for a name; paths of torch have none for it."""
    return ".".join((path or "").split(":"))


def same_layer(ours, truth):
    ours = layer_of(ours)
    if not truth:
        return "." not in ours
    # A program may call a part of a module alone, whose path then begins there.
    return ("." + ours).endswith("." + truth) or truth.endswith("." + ours)


def differences(pairs):
    """How many rows differ, by field and what they say."""
    found = collections.defaultdict(collections.Counter)
    for row, truth in pairs:
        if truth["dir"] and (row["dir"] or "none") != truth["dir"]:
            found["direction"][(truth["op"], truth["dir"], row["op"], row["dir"])] += 1
        if truth["op"] and plain(row["op"]) != plain(truth["op"]):
            found["op"][(truth["op"], truth["dir"], row["op"], row["dir"])] += 1
        if truth["layer"] is not None and not same_layer(row["layer"], truth["layer"]):
            found["layer"][(truth["layer"], truth["op"], row["layer"], row["op"])] += 1
    return found


def step_time(program, trace, clock):
    """Our period of a steady step, and the program's own of the same steps, in milliseconds. Where a
    step of the program is several of ours, such as the tokens of a generation, they add up."""
    text = report(program, trace, "-f", "csv", "--sql", "SELECT * FROM step_times")
    steps = list(csv.DictReader(io.StringIO(text)))
    took = json.loads(pathlib.Path(clock).read_text(encoding="utf-8"))
    first = int(steps[0]["step"]) if steps else 0
    if len(steps) > len(took) and len(steps) % len(took) == 0:
        each = len(steps) // len(took)
        whole = [steps[at : at + each] for at in range(0, len(steps), each)]
        pairs = [
            (sum(int(row["period_ns"]) / 1e6 for row in part), theirs)
            for part, theirs in zip(whole[len(took) // 2 : -1], took[len(took) // 2 : -1])
        ]
    else:
        pairs = [
            (int(row["period_ns"]) / 1e6, took[int(row["step"]) - first])
            for row in steps
            if row["is_steady"] == "1" and int(row["step"]) - first < len(took)
        ]
    if not pairs:
        return None, None
    return tuple(statistics.median(one) for one in zip(*pairs))


def known_share(rows):
    time = sum(row["time_ns"] for row in rows) or 1
    return (
        sum(row["time_ns"] for row in rows if row["flops"] is not None and row["bytes"] is not None)
        / time
    )


def show(what, counts):
    for key, count in counts.most_common(6):
        print(f"  {what}: {count} x {key}")


def main():
    program, trace, truth_path, clock = sys.argv[1:]
    rows = json.loads(report(program, trace, "-r", "kernels", "-f", "json", "-c", COLUMNS))
    with gzip.open(truth_path, "rt", encoding="utf-8") as file:
        truth = [json.loads(line) for line in file]
    pairs = aligned(rows, truth)
    differing = differences(pairs)
    above = [row for row in rows if (row["roofline_pct"] or 0) > 100 and not row["contradicts"]]
    unknown = collections.Counter()
    for row in rows:
        if row["flops"] is None or row["bytes"] is None:
            unknown[(row["op"], row["op_inner"], row["dir"], base_name(row["kernel"]))] += row[
                "time_ns"
            ]
    ours, theirs = step_time(program, trace, clock)
    known = known_share(rows)
    agree = {
        what: 1 - sum(differing[what].values()) / max(len(pairs), 1)
        for what in ("op", "direction", "layer")
    }
    print(
        f"| {pathlib.Path(trace).stem} | {len(rows)} | {len(truth)} | "
        + " | ".join(f"{100 * agree[what]:.1f}" for what in agree)
        + f" | {'-' if ours is None else f'{ours:.3f}'} | "
        f"{'-' if theirs is None else f'{theirs:.3f}'} | {100 * known:.1f} | {len(above)} |"
    )
    for what, counts in differing.items():
        show(what, counts)
    show("no FLOPs or bytes (ns)", unknown)
    show(
        "above 100 %, unsaid",
        collections.Counter(
            (row["op"], row["op_inner"], row["kernel"][:60], round(row["roofline_pct"]))
            for row in above
        ),
    )
    if len(pairs) < len(truth):
        print(f"  {len(truth) - len(pairs)} kernels have no counterpart")
    # What is launched before the first step is in our capture alone.
    # Around a kernel without a counterpart, others of its name may be taken for each other.
    alike = sum(sum(counts.values()) for counts in differing.values()) <= len(truth) - len(pairs)
    name = pathlib.Path(trace).stem
    good = (
        len(pairs) >= ALIKE_OF.get(name, LEAST_ALIKE) * len(truth)
        and alike
        and known >= KNOWN_OF.get(name, LEAST_KNOWN)
        and not above
        and ours is not None
        and theirs is not None
        and abs(ours / theirs - 1) <= FARTHEST
    )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
