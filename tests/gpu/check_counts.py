#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares a program's own counts of its GPU work with a trace, exactly.

Usage: check_counts.py COUNTS.json TRACE.db [--extra] [--allow-loss WORD]...

COUNTS.json: {"kernels": {NAME: COUNT}, "copies": {KIND: COUNT}, "sets": {"all": COUNT}}; names may be
mangled or not. Groups that are absent are not compared. With --extra, the trace may hold kernels of
other names too (a library's own). Exit status: 0 equal, 1 not.
"""
import argparse
import ctypes
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import trace_db  # noqa: E402

HARMLESS = {
    "unbalanced_pop",
    "unclosed_range",
    "before_start",
    "nvtx_call_not_kept",
    "zero_timestamp",
}


def demangle(names):
    """{name: demangled name}, by the C++ runtime's own demangler; other names stay as they are."""
    runtime = ctypes.CDLL("libstdc++.so.6")
    runtime.__cxa_demangle.restype = ctypes.c_void_p
    runtime.__cxa_demangle.argtypes = [
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_int),
    ]
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    result = {}
    for name in names:
        status = ctypes.c_int()
        text = (
            runtime.__cxa_demangle(name.encode(), None, None, ctypes.byref(status))
            if name.startswith("_Z")
            else None
        )
        result[name] = ctypes.string_at(text).decode() if text else name
        libc.free(text)
    return result


def normal(name):
    """One spelling for a kernel's name, whoever demangled it."""
    return re.sub(r"\s+", "", name)


def compare(title, counted, kept, extra):
    problems = []
    for name in sorted(set(counted) | set(kept)):
        want, have = counted.get(name, 0), kept.get(name, 0)
        if want != have and not (extra and want == 0):
            problems.append(f"{title} {name}: the program made {want}, the trace has {have}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("counts")
    parser.add_argument("trace")
    parser.add_argument("--extra", action="store_true")
    parser.add_argument("--allow-loss", action="append", default=[])
    options = parser.parse_args()
    with open(options.counts, encoding="utf-8") as file:
        counts = json.loads(file.read().strip().splitlines()[-1])
    trace = trace_db.Trace(options.trace)
    problems = []
    if "kernels" in counts:
        raw = trace.kernels_by_name()
        names = demangle(set(raw) | set(counts["kernels"]))
        fold = lambda table: {
            k: sum(v for n, v in table.items() if normal(names[n]) == k)
            for k in {normal(names[n]) for n in table}
        }
        problems += compare("kernel", fold(counts["kernels"]), fold(raw), options.extra)
    if "copies" in counts:
        problems += compare("copy", counts["copies"], trace.copies_by_kind(), options.extra)
    if "sets" in counts:
        problems += compare("set", counts["sets"], {"all": trace.set_count()}, options.extra)
    for word, count in trace.losses().items():
        if word not in HARMLESS and word not in options.allow_loss:
            problems.append(f"loss {word}: {count}")
    unlaunched = trace.one(
        "SELECT count(*) FROM kernel k WHERE NOT EXISTS"
        " (SELECT 1 FROM api_call a WHERE a.correlation = k.correlation)"
    )
    if unlaunched:
        problems.append(f"{unlaunched} kernels have no launching call")
    for problem in problems[:40]:
        print(problem)
    total = trace.kernel_count()
    print(
        f"{'DIFFERENT' if problems else 'EQUAL'}: {total} kernels, {sum(trace.copies_by_kind().values())} copies, "
        f"{trace.set_count()} sets in {options.trace}"
    )
    return 1 if problems else 0


sys.exit(main())
