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
        assert (
            stack and stack[-1][0] >= start
        ), f"{where}: no slice is open where an arrow is: {event}"
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
            assert category in (
                "kernel",
                "memcpy",
                "memset",
            ), f"{where}: ends in {category}: {event}"
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
            assert (
                not ends or end <= ends[-1]
            ), f"{where}: lane {lane}: slices overlap at {start} ns"
            ends.append(end)


def times_of(rows):
    return [int(row["time_ns"]) for row in rows]


def check_chrome(path, rows, where):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        events = json.load(file, parse_float=str, parse_int=str, parse_constant=refuse)[
            "traceEvents"
        ]
    check_fields(events, where)
    slices = [event for event in events if event["ph"] == "X"]
    work = [event for event in slices if event["cat"] in ("kernel", "memcpy", "memset")]
    assert len(work) == len(rows), f"{where}: {len(work)} pieces of GPU work, not {len(rows)}"
    total = sum(nanoseconds(event["dur"]) for event in work)
    assert total == sum(
        times_of(rows)
    ), f"{where}: {total} ns of GPU work, not {sum(times_of(rows))}"
    check_lanes(slices, where)
    check_arrows(events, where)
    named = {(event["pid"], event["tid"]) for event in events if event.get("name") == "thread_name"}
    used = {(event["pid"], event["tid"]) for event in events if event["ph"] in "Xstf"}
    assert used <= named, f"{where}: lanes without a name: {used - named}"


def check_speedscope(path, rows, where):
    profile = json.loads(path.read_text(encoding="utf-8"))
    assert profile["$schema"] == "https://www.speedscope.app/file-format-schema.json", where
    assert profile.keys() == {
        "$schema",
        "exporter",
        "name",
        "activeProfileIndex",
        "profiles",
        "shared",
    }, where
    assert 0 <= profile["activeProfileIndex"] < len(profile["profiles"]) or not rows, where
    assert profile["shared"].keys() == {"frames"}, where
    frames = profile["shared"]["frames"]
    assert all(
        frame.keys() == {"name"} and isinstance(frame["name"], str) for frame in frames
    ), where
    for one in profile["profiles"]:
        assert one.keys() == {
            "type",
            "name",
            "unit",
            "startValue",
            "endValue",
            "samples",
            "weights",
        }, where
        assert all(isinstance(weight, int) and weight > 0 for weight in one["weights"]), where
        assert (
            one["type"] == "sampled" and one["unit"] == "nanoseconds" and one["startValue"] == 0
        ), where
        assert isinstance(one["name"], str) and len(one["samples"]) == len(one["weights"]), where
        assert one["endValue"] == sum(one["weights"]), where
        assert all(0 <= frame < len(frames) for stack in one["samples"] for frame in stack), where
    total = sum(sum(one["weights"]) for one in profile["profiles"])
    assert total == sum(times_of(rows)), f"{where}: {total} ns, not {sum(times_of(rows))}"


def check_folded(path, rows, where):
    lines = path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    stacks = [line.rpartition(" ")[0] for line in lines]
    assert len(set(stacks)) == len(stacks), f"{where}: a stack has two lines"
    assert all(all(stack.split(";")) for stack in stacks), f"{where}: an empty frame"
    total = sum(int(line.rpartition(" ")[2]) for line in lines)
    assert total == sum(times_of(rows)), f"{where}: {total} ns, not {sum(times_of(rows))}"


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields_of(data):
    """The fields of a protocol buffer: number -> values; messages, texts and packed numbers are bytes."""
    fields, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = (8, at) if tag & 7 == 1 else varint(data, at)
            value, at = data[at : at + size], at + size
            assert len(value) == size, "a field is cut"
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def check_pprof(path, rows, where):
    """As `go tool pprof` checks a profile, with the numbers of fields of profile.proto."""
    profile = fields_of(gzip.decompress(path.read_bytes()))
    texts = [text.decode() for text in profile[6]]
    assert texts[0] == "" and len(set(texts)) == len(texts), f"{where}: the table of texts"
    types = [[texts[fields_of(one)[field][0]] for field in (1, 2)] for one in profile[1]]
    assert types == [
        ["gpu_time", "nanoseconds"],
        ["flops", "count"],
        ["bytes", "bytes"],
        ["kernels", "count"],
    ], where
    functions = {fields_of(one)[1][0]: texts[fields_of(one)[2][0]] for one in profile.get(5, [])}
    locations = {
        one[1][0]: fields_of(one[4][0])[1][0] for one in map(fields_of, profile.get(4, []))
    }
    assert 0 not in functions and 0 not in locations and all(functions.values()), where
    assert set(locations.values()) == set(functions), f"{where}: locations without a function"
    samples = [fields_of(one) for one in profile.get(2, [])]
    values = [packed(one[2][0]) for one in samples]
    assert all(len(one) == len(types) for one in values), where
    assert all(location in locations for one in samples for location in packed(one[1][0])), where
    for label in (fields_of(label) for one in samples for label in one.get(3, [])):
        assert texts[label[1][0]] and texts[label[2][0]], f"{where}: an empty label"
    sums = [sum(column) for column in zip(*values)] or [0] * len(types)
    kernels = [row for row in rows if row["kind"] == "kernel"]
    assert sums[0] == sum(times_of(rows)), f"{where}: {sums[0]} ns, not {sum(times_of(rows))}"
    for name, total in ("flops", sums[1]), ("bytes", sums[2]):
        expected = sum(float(row[name]) for row in rows if row[name])
        assert abs(total - expected) <= len(values), f"{where}: {total} {name}, not {expected}"
    assert sums[3] == len(kernels), f"{where}: {sums[3]} kernels, not {len(kernels)}"


class PerfettoSlices:
    """Slices of a trace, their order, and what they launched, with the numbers of fields of Perfetto's protos."""

    def __init__(self, where):
        self.where, self.open, self.count, self.launched = where, {}, 0, []

    def take(self, event):
        track = event[11][0]
        if event[9] == [1]:
            self.open[track] = self.open.get(track, 0) + 1
        elif event[9] == [2]:
            assert self.open.get(track), f"{self.where}: an end without a begin"
            self.open[track] -= 1
            self.count += 1
            self.launched += [one for field in event.get(3000, []) for one in fields_of(field)[1]]


def check_perfetto(path, rows, where):
    packets = [fields_of(packet) for packet in fields_of(path.read_bytes())[1]]
    assert packets[0][13] == [1] and all(one[13] == [2] for one in packets[1:]), f"{where}: flags"
    interned, tracks, work, slices, last = set(), set(), {}, PerfettoSlices(where), 0

    def uses(kind, event, field):
        for iid in event.get(field, []):
            assert (kind, iid) in interned, f"{where}: {iid} of {kind} is used before it is stated"

    for packet in packets:
        for data in packet.get(12, []):
            interned |= {
                (kind, fields_of(one)[1][0]) for kind, all in fields_of(data).items() for one in all
            }
        for track in packet.get(60, []):
            tracks.add(fields_of(track)[1][0])
        if 8 not in packet:
            continue
        assert last <= packet[8][0], f"{where}: packets are not in order of time"
        last = packet[8][0]
        for event in map(fields_of, packet.get(11, [])):
            assert event[11][0] in tracks, f"{where}: an event on no track"
            uses(1, event, 3)
            uses(2, event, 10)
            for annotation in map(fields_of, event.get(4, [])):
                uses(3, annotation, 1)
                uses(29, annotation, 17)
            slices.take(event)
        for event in map(fields_of, packet.get(53, [])):
            for kind, field in (2, 20), (23, 5), (24, 13), (24, 14), (1000, 19):
                uses(kind, event, field)
            assert event[1][0] not in work, f"{where}: work has a number twice"
            work[event[1][0]] = event[2][0]
            for argument in (
                fields_of(one) for launch in event[21] for one in fields_of(launch).get(3, [])
            ):
                uses(1001, argument, 1)
                uses(29, argument, 7)
    assert not any(slices.open.values()), f"{where}: slices without an end"
    assert len(work) == len(rows), f"{where}: {len(work)} pieces of GPU work, not {len(rows)}"
    assert sum(work.values()) == sum(times_of(rows)), f"{where}: {sum(work.values())} ns"
    assert len(set(slices.launched)) == len(slices.launched), f"{where}: launched twice"
    assert set(slices.launched) <= set(work), f"{where}: a launch of no work"
    # The same as in the other timeline.
    with open(path.with_name("t.json"), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    host = sum(event["ph"] == "X" and event["cat"] in ("cuda", "nvtx") for event in events)
    arrows = sum(event["ph"] == "f" for event in events)
    assert (slices.count, len(slices.launched)) == (
        host,
        arrows,
    ), f"{where}: {slices.count} slices, not {host}"


def check(report, traces, options, folder):
    text = run(
        report, "-r", "gpu", "-f", "csv", "-c", "time_ns,kind,flops,bytes", *options, *traces
    )
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["time_ns"]]
    checks = {
        "chrome": ("t.json", check_chrome),
        "speedscope": ("t.speedscope.json", check_speedscope),
        "folded": ("t.folded", check_folded),
        "pprof": ("t.pb.gz", check_pprof),
        "perfetto": ("t.pftrace", check_perfetto),
    }
    for name, (file, function) in checks.items():
        path = folder / file
        run(report, "--export", name, "-o", path, *options, *traces)
        function(path, rows, f"{traces} {' '.join(options)} {name}")
    for name, small, large in ("chrome", "t.json.gz", "t.json"), ("pprof", "t.pb.gz", "t.pb"):
        for file in small, large:
            run(report, "--export", name, "-o", folder / file, *options, *traces)
        unpacked = gzip.decompress((folder / small).read_bytes())
        assert unpacked == (folder / large).read_bytes(), f"{traces}: {small} differs"
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
                assert (
                    links == 10
                ), f"{source}: {links} ends of links between the GPUs' 5 collectives"
        # Several processes in one file.
        print(f"the first three: {check(report, traces[:3], [], folder)} pieces of GPU work")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
