#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Exports traces in every format and checks that the files are what their readers expect and agree with -r gpu.

usage: check_export.py BIN_DIR TRACE...    (trace.db, or a recorded stream, which is imported first)
"""
import csv
import gzip
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from decimal import Decimal


# What importers need of an event of each phase. Numbers are read as text, to keep all digits.
NUMBER, NATURAL = re.compile(r"-?\d+(\.\d+)?"), re.compile(r"\d+")
PLACE = {"ph": str, "pid": NATURAL, "tid": NATURAL, "name": str}
EVENT = PLACE | {"ts": NUMBER, "cat": str}
FIELDS = {
    "M": PLACE | {"args": dict},
    "X": EVENT | {"dur": NUMBER, "args": dict},
    "C": EVENT | {"args": dict},
    "s": EVENT | {"id": NATURAL},
    "t": EVENT | {"id": NATURAL},
    "f": EVENT | {"id": NATURAL, "bp": str},
}
LARGEST_ID = 2**32 - 1  # of processes and threads, in Perfetto


def is_of(kind, value):
    return bool(kind.fullmatch(value)) if isinstance(kind, re.Pattern) else isinstance(value, kind)


def check_fields(events, where):
    for event in events:
        fields = FIELDS[event["ph"]]
        assert event.keys() == fields.keys(), f"{where}: {sorted(event)}, not {sorted(fields)}"
        for name, kind in fields.items():
            assert is_of(kind, event[name]), f"{where}: {name} of {event}"
        assert max(int(event["pid"]), int(event["tid"])) <= LARGEST_ID, f"{where}: {event}"
        assert Decimal(event.get("ts", 0)) >= 0, f"{where}: before 0, which Perfetto drops: {event}"
    processes = {}
    for event in events:
        if event["ph"] in "Xstf":
            process = processes.setdefault(event["tid"], event["pid"])
            assert process == event["pid"], f"{where}: two processes have thread {event['tid']}"


def check_arrows(events, where):
    """As importers bind them: to the innermost slice that is open when the arrow comes, in order of time."""
    open_slices, begun, ended, linked = {}, {}, set(), {"s": set(), "t": set()}
    for event in sorted((e for e in events if e["ph"] in "Xstf"), key=lambda e: Decimal(e["ts"])):
        start = nanoseconds(event["ts"])
        stack = open_slices.setdefault((event["pid"], event["tid"]), [])
        if event["ph"] == "X":
            while stack and stack[-1][0] <= start:
                stack.pop()
            stack.append((start + nanoseconds(event["dur"]), event["cat"]))
            continue
        assert stack and stack[-1][0] >= start, f"{where}: no slice is open where an arrow is: {event}"
        category = stack[-1][1]
        if event["cat"] == "ranks":
            assert category == "kernel", f"{where}: a link of ranks in {category}: {event}"
            linked[event["ph"]].add(event["id"])
        elif event["ph"] == "s":
            assert event["id"] not in begun, f"{where}: an arrow begins twice: {event}"
            assert category in ("cuda", "nvtx"), f"{where}: an arrow begins in {category}: {event}"
            begun[event["id"]] = start
        else:
            assert event["id"] not in ended, f"{where}: an arrow ends twice: {event}"
            assert category in ("kernel", "memcpy", "memset"), f"{where}: ends in {category}: {event}"
            ended.add(event["id"])
    assert set(begun) == ended, f"{where}: arrows without an end or a beginning"
    assert linked["s"] == linked["t"], f"{where}: links to one rank alone"


def nanoseconds(microseconds):
    return int(Decimal(microseconds) * 1000)


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_lanes(slices, where):
    by_lane = {}
    for event in slices:
        start = nanoseconds(event["ts"])
        duration = nanoseconds(event["dur"])
        assert duration >= 0, f"{where}: negative duration: {event}"
        by_lane.setdefault((event["pid"], event["tid"]), []).append((start, -duration))
    for lane, spans in by_lane.items():
        ends = []
        for start, negative in sorted(spans):
            end = start - negative
            while ends and ends[-1] <= start:
                ends.pop()
            assert not ends or end <= ends[-1], f"{where}: lane {lane}: slices overlap at {start} ns"
            ends.append(end)


def check_chrome(path, rows, where):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        events = json.load(file, parse_float=str, parse_int=str, parse_constant=refuse)["traceEvents"]
    check_fields(events, where)
    slices = [event for event in events if event["ph"] == "X"]
    work = [event for event in slices if event["cat"] in ("kernel", "memcpy", "memset")]
    assert len(work) == len(rows), f"{where}: {len(work)} pieces of GPU work, not {len(rows)}"
    total = sum(nanoseconds(event["dur"]) for event in work)
    assert total == sum(rows), f"{where}: {total} ns of GPU work, not {sum(rows)}"
    check_lanes(slices, where)
    check_arrows(events, where)
    named = {(event["pid"], event["tid"]) for event in events if event.get("name") == "thread_name"}
    used = {(event["pid"], event["tid"]) for event in events if event["ph"] in "Xstf"}
    assert used <= named, f"{where}: lanes without a name: {used - named}"


def check_speedscope(path, rows, where):
    profile = json.loads(path.read_text(encoding="utf-8"))
    assert profile["$schema"] == "https://www.speedscope.app/file-format-schema.json", where
    assert profile.keys() == {"$schema", "exporter", "name", "activeProfileIndex", "profiles", "shared"}, where
    assert 0 <= profile["activeProfileIndex"] < len(profile["profiles"]) or not rows, where
    assert profile["shared"].keys() == {"frames"}, where
    frames = profile["shared"]["frames"]
    assert all(frame.keys() == {"name"} and isinstance(frame["name"], str) for frame in frames), where
    for one in profile["profiles"]:
        assert one.keys() == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}, where
        assert all(isinstance(weight, int) and weight > 0 for weight in one["weights"]), where
        assert one["type"] == "sampled" and one["unit"] == "nanoseconds" and one["startValue"] == 0, where
        assert isinstance(one["name"], str) and len(one["samples"]) == len(one["weights"]), where
        assert one["endValue"] == sum(one["weights"]), where
        assert all(0 <= frame < len(frames) for stack in one["samples"] for frame in stack), where
    total = sum(sum(one["weights"]) for one in profile["profiles"])
    assert total == sum(rows), f"{where}: {total} ns, not {sum(rows)}"


def check_folded(path, rows, where):
    lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    stacks = [line.rpartition(" ")[0] for line in lines]
    assert len(set(stacks)) == len(stacks), f"{where}: a stack has two lines"
    assert all(all(stack.split(";")) for stack in stacks), f"{where}: an empty frame"
    total = sum(int(line.rpartition(" ")[2]) for line in lines)
    assert total == sum(rows), f"{where}: {total} ns, not {sum(rows)}"


def check(report, traces, options, folder):
    text = run(report, "-r", "gpu", "-f", "csv", "-c", "time_ns", *options, *traces)
    rows = [int(row["time_ns"]) for row in csv.DictReader(io.StringIO(text)) if row["time_ns"]]
    checks = {"chrome": ("t.json", check_chrome), "speedscope": ("t.speedscope.json", check_speedscope),
              "folded": ("t.folded", check_folded)}
    for name, (file, function) in checks.items():
        path = folder / file
        run(report, "--export", name, "-o", path, *options, *traces)
        function(path, rows, f"{traces} {' '.join(options)} {name}")
    packed = folder / "t.json.gz"
    run(report, "--export", "chrome", "-o", packed, *options, *traces)
    assert gzip.decompress(packed.read_bytes()) == (folder / "t.json").read_bytes(), f"{traces}: .gz differs"
    return len(rows)


def main(bin_dir, sources):
    report, importer = pathlib.Path(bin_dir) / "prof-report", pathlib.Path(bin_dir) / "prof-import"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        traces = []
        for number, source in enumerate(sources):
            trace = source
            if not source.endswith(".db"):
                trace = folder / f"trace{number}.db"
                run(importer, source, "-o", trace)
            traces.append(trace)
            count = check(report, [trace], [], folder)
            check(report, [trace], ["--dir", "bprop"], folder)
            print(f"{source}: {count} pieces of GPU work")
            if "two_gpus" in source:
                links = run(report, "--export", "chrome", "-o", "-", trace).count('"cat":"ranks"')
                assert links == 10, f"{source}: {links} ends of links between the GPUs' 5 collectives"
        # Several processes in one file.
        print(f"the first three: {check(report, traces[:3], [], folder)} pieces of GPU work")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
