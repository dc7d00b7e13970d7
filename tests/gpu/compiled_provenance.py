#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The nodes that a compiled program's kernels compute, against those that torch says itself.

Usage: compiled_provenance.py PROF_REPORT TRACE FOLDER
FOLDER: TORCH_TRACE of the captured program, which ran with INDUCTOR_PROVENANCE=1. Torch names the
nodes of each call of a Triton kernel before its passes and after them: every node that the column
`ops` names must be one of these.
"""
import json
import pathlib
import re
import subprocess
import sys

ARTIFACT = '"name": "inductor_provenance_tracking_node_mappings"'


def payloads(folder):
    for path in pathlib.Path(folder).iterdir():
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if ARTIFACT in line:
                yield json.loads(lines[number + 1])


def graphs(folder):
    """Of each graph, its calls of Triton kernels in the order of the code: (kernel, nodes)."""
    known = {}
    for mapping in payloads(folder):
        calls = []
        for call, after in mapping.get("cppCodeToPost", {}).items():
            kernel, _, handle = call.rpartition(":")
            if kernel.startswith("triton_"):
                before = {
                    node for name in after for node in mapping.get("postToPre", {}).get(name, ())
                }
                calls.append((int(handle), kernel, set(after) | before))
        calls = [(kernel, nodes) for _, kernel, nodes in sorted(calls)]
        if calls:
            known[tuple(kernel for kernel, _ in calls)] = calls
    return known


def rows_of(report, trace):
    text = subprocess.run(
        [report, "-r", "kernels", "-f", "json", "-c", "step,kernel,ops,op", trace],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    ).stdout
    return [
        row
        for row in json.loads(text)
        if row["kernel"].startswith("triton_") and row["op"] != "autotune"
    ]


def main():
    report, trace, folder = sys.argv[1:]
    rows = rows_of(report, trace)
    names = [row["kernel"] for row in rows]
    same = differ = 0
    at = 0
    known = graphs(folder)
    while at < len(rows):
        graph = next(
            (
                calls
                for kernels, calls in known.items()
                if tuple(names[at : at + len(kernels)]) == kernels
            ),
            None,
        )
        if graph is None:
            at += 1
            continue
        for row, (kernel, nodes) in zip(rows[at:], graph):
            ours = set(re.findall(r"\(([\w.]+)\)", row["ops"] or ""))
            # A copy of an input computes no node.
            is_copy = all(node.startswith("primals_") for node in nodes)
            if ours <= nodes and (ours or is_copy):
                same += 1
            else:
                differ += 1
                if differ <= 10:
                    print(f"  {kernel}: {sorted(ours - nodes)} not among {sorted(nodes)[:12]}")
        at += len(graph)
    print(
        f"{same} of {same + differ} kernels compute the nodes that torch names;"
        f" {len(rows) - same - differ} others in no graph that torch describes"
    )
    sys.exit(0 if same and not differ else 1)


if __name__ == "__main__":
    main()
