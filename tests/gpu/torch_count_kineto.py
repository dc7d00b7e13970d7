#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs torch_work.py's steps under torch.profiler (CUDA only) and writes how many kernels of each
name, copies and sets it saw, in the form that check_counts.py reads.

Usage: torch_count_kineto.py OUTPUT.json [STEPS]
"""
import collections
import json
import os
import sys
import tempfile

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch_work  # noqa: E402

COPY_KINDS = {"HtoD": "htod", "DtoH": "dtoh", "DtoD": "dtod", "PtoP": "ptop"}


def main():
    output, sys.argv = sys.argv[1], [sys.argv[0]] + sys.argv[2:]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        torch_work.main()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profiler.export_chrome_trace(file.name)
        with open(file.name, encoding="utf-8") as trace:
            events = json.load(trace)["traceEvents"]
    kernels, copies, sets = collections.Counter(), collections.Counter(), 0
    for event in events:
        category = event.get("cat")
        if category == "kernel":
            kernels[event["name"]] += 1
        elif category == "gpu_memcpy":
            kind = next(
                (short for word, short in COPY_KINDS.items() if word in event["name"]),
                event["name"],
            )
            copies[kind] += 1
        elif category == "gpu_memset":
            sets += 1
    with open(output, "w", encoding="utf-8") as file:
        json.dump({"kernels": kernels, "copies": copies, "sets": {"all": sets}}, file)
        file.write("\n")
    print(f"kineto: {sum(kernels.values())} kernels, {sum(copies.values())} copies, {sets} sets")


main()
