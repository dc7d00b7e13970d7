#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What report `stragglers` says of two ranks, one of them late on purpose (ranks_torch.py).

Usage: ranks_check.py CASE PROF_REPORT TRACE...
CASE: see ranks.sh. The late rank must come first, with its true cause, layer, direction and, of GPU
work, op; no other rank has a cause, and in clean runs none has. A machine may make the other rank's
host slower throughout than the fault makes this one: nobody waits for it then. With --trace nccl NCCL's own numbers
match collectives, and sends with receives. Prints a row of a table, how they were matched, and the
reports.
"""
import json
import subprocess
import sys

LAYER = "blocks.2"
#: Of each fault the cause, the ops that may be named, and the least excess in ms: what is planted
#: once in a step, less what the host is ahead.
CAUSES = {
    "sleep": ("host", None, 1.5),
    "work": ("work", {"linear"}, 1),
    "copy": ("copy", {"to", "copy_", "_to_copy", "memcpy"}, 1),
    "experts": ("sizes", {"linear"}, 0.5),
}
MASKED = "masked: the other rank's host is slower"
NUMBERED = {
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "broadcast",
    "reduce",
    "send",
    "recv",
    "send_recv",
}
COLUMNS = "who,rank,waited_for_ns,share_pct,cause,why,excess_ns,own_ns,others_ns,layer,op,dir"


def stragglers(report, traces):
    done = subprocess.run(
        [report, "-r", "stragglers", "-f", "json", "-c", COLUMNS, *traces],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    notes = done.stderr.decode()
    if done.returncode != 0:
        # Without any wait there is no line, and nobody is named.
        if "no rank waits" in notes:
            return [], notes
        sys.exit("prof-report gives %d: %s" % (done.returncode, notes))
    return json.loads(done.stdout), notes


def without_numbers(report, traces):
    """Ops that NCCL numbers, whose calls were matched by an estimate."""
    lines = subprocess.run(
        [report, "-r", "collectives", "-c", "op,transfer_ns", *traces],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ).stdout.decode()
    return sorted(
        {
            line.split()[0]
            for line in lines.splitlines()
            if "~" in line and line.split()[0] in NUMBERED
        }
    )


def is_inside(layer):
    return layer is not None and (layer == LAYER or layer.startswith(LAYER + "."))


def is_masked(rows, late):
    return bool(rows) and rows[0]["rank"] != late and "waits for the host" in rows[0]["why"]


def faults_of(rows, fault, late):
    """What is wrong with the rows of a run in which `late` has the fault."""
    named = [row for row in rows if row["cause"] is not None]
    if fault == "clean":
        return ["names rank %s: %s" % (row["rank"], row["why"]) for row in named]
    if not named:
        return [MASKED] if is_masked(rows, late) else ["names no cause"]
    cause, ops, least_ms = CAUSES[fault]
    first, wrong = named[0], []
    if rows[0] is not first:
        wrong.append("another rank comes first")
    for key, is_right in (
        ("rank", first["rank"] == late),
        ("cause", first["cause"] == cause),
        ("layer", is_inside(first["layer"])),
        ("dir", first["dir"] == "fprop"),
        ("op", ops is None or first["op"] in ops),
    ):
        if not is_right:
            wrong.append("%s is %s" % (key, first[key]))
    if (first["excess_ns"] or 0) < least_ms * 1e6:
        wrong.append("the excess is %s ns" % first["excess_ns"])
    for row in named[1:]:
        if row["rank"] != late or not is_inside(row["layer"]):
            wrong.append("names rank %s too: %s" % (row["rank"], row["why"]))
    return wrong


def main():
    case, report, *traces = sys.argv[1:]
    _, fault, number, *words = case.split("-")
    rows, notes = stragglers(report, traces)
    wrong = faults_of(rows, fault, int(number))
    if "nccl" in words:
        estimated = without_numbers(report, traces)
        wrong += ["no numbers of " + ", ".join(estimated)] if estimated else []
    matched = [
        line.split(": ", 1)[1].partition(" as ")[0]
        for line in notes.splitlines()
        if "are matched" in line
    ]
    top = rows[0] if rows else None
    shown = next((row for row in rows if row["cause"] is not None), top)
    print(
        "| %s | %s | %s | %s | %s |"
        % (
            case,
            shown["who"] if shown else "-",
            (shown["cause"] or "-") if shown else "-",
            "%s; %.2f ms a step" % (shown["why"], shown["waited_for_ns"] / 1e6) if shown else "-",
            "right" if not wrong else MASKED if wrong == [MASKED] else "WRONG: " + "; ".join(wrong),
        )
    )
    print("\n".join(matched))
    for name in ("stragglers", "ranks", "collectives"):
        subprocess.run([report, "-r", name, *traces], stderr=subprocess.STDOUT)
    sys.exit(1 if wrong and wrong != [MASKED] else 0)


main()
