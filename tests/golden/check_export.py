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
import subprocess
import sys
import tempfile
from decimal import Decimal


def nanoseconds(microseconds):
    return int(Decimal(microseconds) * 1000)


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
        events = json.load(file, parse_float=str, parse_int=str)["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    work = [event for event in slices if event["cat"] in ("kernel", "memcpy", "memset")]
    assert len(work) == len(rows), f"{where}: {len(work)} pieces of GPU work, not {len(rows)}"
    total = sum(nanoseconds(event["dur"]) for event in work)
    assert total == sum(rows), f"{where}: {total} ns of GPU work, not {sum(rows)}"
    check_lanes(slices, where)
    begins = [event["id"] for event in events if event["ph"] == "s"]
    ends = [event["id"] for event in events if event["ph"] == "f"]
    assert len(set(begins)) == len(begins), f"{where}: an arrow begins twice"
    assert sorted(begins) == sorted(ends), f"{where}: arrows without an end or a beginning"
    named = {(event["pid"], event["tid"]) for event in events if event.get("name") == "thread_name"}
    used = {(event["pid"], event["tid"]) for event in events if event["ph"] in "Xsf"}
    assert used <= named, f"{where}: lanes without a name: {used - named}"


def check_speedscope(path, rows, where):
    profile = json.loads(path.read_text(encoding="utf-8"))
    assert profile["$schema"] == "https://www.speedscope.app/file-format-schema.json", where
    frames = profile["shared"]["frames"]
    assert all(isinstance(frame["name"], str) for frame in frames), where
    for one in profile["profiles"]:
        assert one["type"] == "sampled" and one["unit"] == "nanoseconds" and one["startValue"] == 0, where
        assert isinstance(one["name"], str) and len(one["samples"]) == len(one["weights"]), where
        assert one["endValue"] == sum(one["weights"]), where
        assert all(0 <= frame < len(frames) for stack in one["samples"] for frame in stack), where
    total = sum(sum(one["weights"]) for one in profile["profiles"])
    assert total == sum(rows), f"{where}: {total} ns, not {sum(rows)}"


def check_folded(path, rows, where):
    lines = path.read_text(encoding="utf-8").splitlines()
    stacks = [line.rpartition(" ")[0] for line in lines]
    assert len(set(stacks)) == len(stacks), f"{where}: a stack has two lines"
    assert all(all(stack.split(";")) for stack in stacks), f"{where}: an empty frame"
    total = sum(int(line.rpartition(" ")[2]) for line in lines)
    assert total == sum(rows), f"{where}: {total} ns, not {sum(rows)}"


def check(report, trace, options, folder):
    text = run(report, "-r", "gpu", "-f", "csv", "-c", "time_ns", *options, trace)
    rows = [int(row["time_ns"]) for row in csv.DictReader(io.StringIO(text)) if row["time_ns"]]
    checks = {"chrome": ("t.json", check_chrome), "speedscope": ("t.speedscope.json", check_speedscope),
              "folded": ("t.folded", check_folded)}
    for name, (file, function) in checks.items():
        path = folder / file
        run(report, "--export", name, "-o", path, *options, trace)
        function(path, rows, f"{trace} {' '.join(options)} {name}")
    packed = folder / "t.json.gz"
    run(report, "--export", "chrome", "-o", packed, *options, trace)
    assert gzip.decompress(packed.read_bytes()) == (folder / "t.json").read_bytes(), f"{trace}: .gz differs"
    return len(rows)


def main(bin_dir, traces):
    report, importer = pathlib.Path(bin_dir) / "prof-report", pathlib.Path(bin_dir) / "prof-import"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for trace in traces:
            source = trace
            if not trace.endswith(".db"):
                trace = folder / "trace.db"
                trace.unlink(missing_ok=True)
                run(importer, source, "-o", trace)
            count = check(report, trace, [], folder)
            check(report, trace, ["--dir", "bprop"], folder)
            print(f"{source}: {count} pieces of GPU work")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
