#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what a program says of its calls of NCCL (nccl_plain.cpp, nccl_torch.py: a line `WORD BYTES RANKS
[GPUS]` each, in order) with the report of its trace: op and size of the message, rank by rank.

usage: nccl_calls.py PROF_REPORT SAID.txt TRACE.db
"""
import json
import subprocess
import sys

# Of these the trace tells the whole message, and the programs say one rank's part.
PARTS = {"all_gather", "reduce_scatter", "all_to_all", "gather_ranks", "scatter_ranks"}
MAX_GB_PER_S = 1000  # more than links between GPUs move one way, up to NVLink 5; a rank alone copies in its memory


def read_said(path):
    """(op, bytes of the whole message, ranks, GPUs that one group is for)"""
    for line in open(path, encoding="utf-8"):
        fields = line.split()
        if len(fields) < 3:
            continue
        word, size, ranks = fields[0], int(fields[1]), int(fields[2])
        gpus = int(fields[3]) if len(fields) > 3 else 1
        yield word, size * (ranks if word in PARTS else 1), ranks, gpus


def read_report(report, trace):
    """Op instances of NCCL, of each thread in the order of their launches: (op, message, device)"""
    columns = "op,op_id,op_inner,thread,device,time_ns,alg_gb_per_s,bus_gb_per_s,launch_ns"
    text = subprocess.run(
        [report, "-r", "gpu", "-f", "json", "-c", columns, trace],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ).stdout
    calls = {}
    for row in json.loads(text):
        if not (row["op_inner"] or "").startswith("nccl"):
            continue
        call = calls.setdefault(
            row["op_id"],
            {
                "op": row["op"],
                "message": 0.0,
                "devices": set(),
                "thread": row["thread"],
                "at": row["launch_ns"],
                "bus": 0,
            },
        )
        if row["alg_gb_per_s"] is not None and row["time_ns"]:
            call["message"] += row["alg_gb_per_s"] * row["time_ns"]
        call["devices"].add(row["device"])
        call["bus"] = max(call["bus"], row["bus_gb_per_s"] or 0)
    return sorted(calls.values(), key=lambda call: call["at"])


def main():
    report, said_path, trace = sys.argv[1:]
    said = list(read_said(said_path))
    if not said:
        sys.exit("%s says nothing" % said_path)
    calls = read_report(report, trace)
    wrong = 0
    for call in calls:
        if call["bus"] > MAX_GB_PER_S and any(ranks > 1 for _, _, ranks, _ in said):
            print("%s: %.0f GB/s is more than links have" % (call["op"], call["bus"]))
            wrong += 1
    threads = {call["thread"] for call in calls if 0 in call["devices"]}
    mine = [call for call in calls if call["thread"] in threads]
    at = 0
    for word, size, _, gpus in said:
        # Frameworks make calls of their own between those of the program.
        while at < len(mine) and not (
            mine[at]["op"] == word and (size == 0 or round(mine[at]["message"]) == size * gpus)
        ):
            at += 1
        if at == len(mine):
            print("not found, in order: %s of %d bytes" % (word, size))
            wrong += 1
            break
        at += 1
    print("%d calls said, %d op instances of NCCL in the trace" % (len(said), len(calls)))
    sys.exit(wrong > 0)


main()
