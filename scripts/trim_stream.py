#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trims a recorded stream (docs/formats/stream.md) for tests/data: keeps kernels, the calls that
launched them, ranges with their payloads, and what these refer to. Removes copies, sets, waits,
other calls, and the machine's paths and ids; a `meta` record states this.

usage: trim_stream.py RECORDING.jsonl.gz OUT.jsonl.gz [--commit COMMIT]
"""
import argparse
import gzip
import json
import os

KEPT = {"thread", "device", "domain", "range", "payload_schema", "payload_blob", "loss"}
# Fields that hold a string id, by record.
TEXTS = {
    "thread": ["name"],
    "domain": ["name"],
    "range": ["text"],
    "payload_schema": ["name"],
    "kernel": ["name"],
    "api": ["function"],
}
META = {
    "start_realtime_ns",
    "command_line",
    "collector_version",
    "api_mode",
    "cupti_version",
    "driver_version",
    "cuda_driver_version",
    "ended",
}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("recording")
    parser.add_argument("out")
    parser.add_argument("--commit", help="of the workload")
    arguments = parser.parse_args()
    with gzip.open(arguments.recording, "rt", encoding="utf-8") as file:
        lines = [(json.loads(line), line) for line in file]
    launches = {record["correlation"] for record, _ in lines if record.get("record") == "kernel"}
    ranges = {
        record["id"]: line for record, line in lines if record.get("record") == "range"
    }  # the last one counts

    def is_kept(record, line):
        kind = record.get("record")
        if kind == "range":
            return ranges[record["id"]] is line
        if kind == "meta":
            return record["key"] in META
        if kind == "api":
            return record.get("correlation") in launches
        return kind in KEPT or kind == "kernel"

    kept = [(record, line) for record, line in lines[1:] if is_kept(record, line)]
    used = {record.get(field) for record, _ in kept for field in TEXTS.get(record["record"], [])}
    texts = [
        line for record, line in lines if record.get("record") == "string" and record["id"] in used
    ]
    added = [{"record": "meta", "key": "trimmed", "value": os.path.basename(__file__)}]
    if arguments.commit:
        added.append({"record": "meta", "key": "workload_commit", "value": arguments.commit})
    with open(arguments.out, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as file:
        first = [
            line
            for record, line in kept
            if record["record"] == "meta" and record["key"] == "start_realtime_ns"
        ]
        rest = [line for _, line in kept if line not in first]
        made = [json.dumps(record, separators=(",", ":")) + "\n" for record in added]
        file.write("".join([lines[0][1]] + first + texts + made + rest).encode())


main()
