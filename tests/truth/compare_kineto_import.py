#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what prof-import makes of files of torch.profiler with an own count of their events: kernels
by name, copies and sets with their times, and the sizes of all matrix products around
kernels. Prints a line a file, with the speed and the memory of the import; fails on any difference, and on
any file with events of the profiler that is refused.

usage: compare_kineto_import.py PROF_IMPORT PROF_REPORT FILE_OR_FOLDER..."""
import bisect
import collections
import csv
import decimal
import gzip
import io
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

WORK = {
    "kernel": "kernel",
    "Kernel": "kernel",
    "gpu_memcpy": "memcpy",
    "Memcpy": "memcpy",
    "gpu_memset": "memset",
    "Memset": "memset",
}
CALLS = ("cuda_runtime", "Runtime", "cuda_driver")
OPS = ("cpu_op", "Operator")
HOST = CALLS + OPS + ("user_annotation", "python_function")
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::_scaled_mm")
COMPARED = ("kernel", "memcpy", "memset")


def read(path):
    """The events; None: the file is none of the profiler."""
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        trace = json.loads(data.decode(errors="replace"), strict=False, parse_float=decimal.Decimal)
    except (ValueError, OSError, EOFError):
        return None
    events = trace.get("traceEvents") if isinstance(trace, dict) else trace
    if not isinstance(events, list):
        return None
    events = [event for event in events if isinstance(event, dict) and event.get("ph") == "X"]
    known = WORK.keys() | set(HOST)
    return events if any(event.get("cat") in known for event in events) else None


def nanoseconds(value):
    return int(decimal.Decimal(str(value)) * 1000)


def arg(event, name):
    wanted = name.lower().replace("_", " ")
    return next(
        (
            value
            for key, value in (event.get("args") or {}).items()
            if key.lower().replace("_", " ") == wanted
        ),
        None,
    )


def is_valid(event):
    return "name" in event and "ts" in event and nanoseconds(event.get("dur", 0)) >= 0


def product_of(op):
    """(M, N, K) of C[m,n] = A[m,k] B[k,n], column-major; None: shapes are missing."""
    dims = arg(op, "Input Dims")
    if not dims:
        return None
    a, b = dims[1:3] if op["name"] == "aten::addmm" else dims[0:2]
    if len(a) < 2 or len(b) != len(a) or a[-1] != b[-2]:
        return None
    return b[-1], a[-2], a[-1]


class Threads:
    """The innermost op at a time, by thread."""

    def __init__(self, events):
        self.ops = collections.defaultdict(list)
        for event in events:
            if event.get("cat") in OPS and is_valid(event):
                begin = nanoseconds(event["ts"])
                self.ops[event["pid"], event["tid"]].append(
                    (begin, -nanoseconds(event.get("dur", 0)), id(event), event)
                )
        for ops in self.ops.values():
            ops.sort(key=lambda item: item[:2])
        self.begins = {thread: [op[0] for op in ops] for thread, ops in self.ops.items()}

    def around(self, call, most=4096):
        thread, at = (call["pid"], call["tid"]), nanoseconds(call["ts"])
        ops = self.ops.get(thread, [])
        last = bisect.bisect_right(self.begins.get(thread, []), at)
        for begin, length, _, op in reversed(ops[max(0, last - most) : last]):
            if begin - length >= at:
                return op
        return None


def facts_of_file(events):
    """{what: {name: (count, nanoseconds)}} and the products around kernels."""
    found = {what: collections.defaultdict(lambda: [0, 0]) for what in COMPARED}
    calls = {}
    for event in events:
        category = event.get("cat")
        if not is_valid(event):
            continue
        if category in CALLS:
            calls.setdefault(arg(event, "correlation"), []).append(event)
        what = WORK.get(category)
        if what is None:
            continue
        entry = found[what][event["name"] if what == "kernel" else ""]
        entry[0] += 1
        entry[1] += nanoseconds(event.get("dur", 0))
    threads = Threads(events)
    products = set()
    for event in events:
        launches = (
            calls.get(arg(event, "correlation"), [])
            if event.get("cat") in ("kernel", "Kernel")
            else []
        )
        if len(launches) != 1 or "GraphLaunch" in launches[0]["name"]:
            continue
        op = threads.around(launches[0])
        if op is not None and op["name"] in PRODUCTS and product_of(op):
            products.add((op["name"], *product_of(op)))
    return {
        what: {name: tuple(entry) for name, entry in names.items()} for what, names in found.items()
    }, products


def facts_of_traces(paths, report):
    found = {what: collections.defaultdict(lambda: [0, 0]) for what in COMPARED}
    products = set()
    for path in paths:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        db.text_factory = lambda data: data.decode(errors="replace")
        for what, name_of in (
            ("kernel", "name FROM kernels"),
            ("memcpy", "'' FROM memcpy"),
            ("memset", "'' FROM memset"),
        ):
            column, table = name_of.split(" FROM ")
            query = (
                f"SELECT {column}, count(*), sum(ifnull(duration_ns, 0)) FROM {table} GROUP BY 1"
            )
            for name, count, length in db.execute(query):
                found[what][name][0] += count
                found[what][name][1] += length
        done = subprocess.run(
            [report, "-r", "kernels", "-f", "csv", "-c", "op_inner,m,n,k,origin", path],
            capture_output=True,
            text=True,
            check=True,
        )
        for op, m, n, k, origin in list(csv.reader(io.StringIO(done.stdout)))[1:]:
            if op in PRODUCTS and m and origin == "api":
                products.add((op, int(m), int(n), int(k)))
    return found, products


def total(names):
    return tuple(map(sum, zip(*names.values()))) if names else (0, 0)


def most_memory_kb(pid):
    """So far; 0: it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def compare(path, prof_import, prof_report):
    """The lines of what differs, and a line of figures."""
    events = read(path)
    if events is None:
        return [], "no trace of torch.profiler"
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "t.db"
        began = time.monotonic()
        memory_kb = 0
        with (
            open(pathlib.Path(folder) / "said", "w+", encoding="utf-8", errors="replace") as errors,
            subprocess.Popen(
                [prof_import, path, "-o", output], stdout=subprocess.DEVNULL, stderr=errors
            ) as child,
        ):
            while child.poll() is None:
                memory_kb = max(memory_kb, most_memory_kb(child.pid))
                time.sleep(0.005)
            errors.seek(0)
            said = errors.read()
        seconds = time.monotonic() - began
        if child.returncode:
            return [f"refused: {said.strip()}"], ""
        made, products = facts_of_traces(sorted(pathlib.Path(folder).glob("*.db")), prof_report)
    expected, expected_products = facts_of_file(events)
    wrong = []
    for what in COMPARED:
        mine, theirs = made[what], expected[what]
        for name in sorted(mine.keys() | theirs.keys()):
            if tuple(mine.get(name, (0, 0))) != tuple(theirs.get(name, (0, 0))):
                wrong.append(
                    f"{what} {name[:60]}: {tuple(mine.get(name, (0, 0)))}, "
                    f"but the file has {tuple(theirs.get(name, (0, 0)))}"
                )
    for product in sorted(expected_products - products):
        wrong.append(f"missing {product}")
    for product in sorted(products - expected_products):
        wrong.append(f"not in the file {product}")
    kernels = total(expected["kernel"])[0]
    return wrong, (
        f"{kernels:,} kernels, {total(expected['memcpy'])[0]:,} copies, {len(expected_products)} products, "
        f"{kernels / seconds:,.0f} kernels/s, {memory_kb / 1024:.0f} MB"
    )


def main():
    prof_import, prof_report, *places = sys.argv[1:]
    failed = 0
    for place in map(pathlib.Path, places):
        for path in sorted(place.rglob("*.json*")) if place.is_dir() else [place]:
            if not path.is_file():
                continue
            wrong, figures = compare(path, prof_import, prof_report)
            failed += bool(wrong)
            print(f"{path.name}: {figures}", flush=True)
            for line in wrong[:10]:
                print(f"  {line}")
            if len(wrong) > 10:
                print(f"  and {len(wrong) - 10} more")
    print(f"{failed} files differ" if failed else "no differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
