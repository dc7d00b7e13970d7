#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A stream whose texts hold their numbers says the same as one with texts split into templates.

usage: plain_texts_agree.py BIN_DIR DATA_DIR
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

RECORDINGS = ("torch_bert", "nccl_torch")
PLACE = "\x01"


def with_plain_texts(lines):
    texts = {}
    last = 1 << 20
    for line in lines:
        record = json.loads(line)
        if record.get("record") == "string":
            texts[record["id"]] = record["text"]
        numbers = record.pop("numbers", None) if record.get("record") == "range" else None
        if numbers:
            template = texts[record["text"]]
            assert template.count(PLACE) == len(numbers), template
            parts = template.split(PLACE)
            text = parts[0] + "".join(f"{n}{part}" for n, part in zip(numbers, parts[1:]))
            last += 1
            record["text"] = last
            yield json.dumps({"record": "string", "id": last, "text": text})
        if record.get("record") != "string" or PLACE not in record["text"]:
            yield json.dumps(record)


def kernels(bin_dir, trace):
    done = subprocess.run(
        [bin_dir / "prof-report", "-r", "kernels", "-f", "csv", trace],
        capture_output=True,
        text=True,
        check=True,
    )
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    return done.stdout.splitlines(), warnings


def check(bin_dir, recording, folder):
    with gzip.open(recording, "rt", encoding="utf-8") as stream:
        plain = list(with_plain_texts(stream))
    if not any(", seq = " in line for line in plain):
        yield "no text has a sequence number"
    path = folder / "plain.jsonl"
    path.write_text("\n".join(plain) + "\n", encoding="utf-8")
    found = []
    for name, source in (("split", recording), ("plain", path)):
        trace = folder / f"{name}.db"
        subprocess.run(
            [bin_dir / "prof-import", "-o", trace, source], check=True, capture_output=True
        )
        # The trace's own name is a column.
        found.append(kernels(bin_dir, trace.rename(folder / "trace.db")))
    (split, split_warnings), (joined, joined_warnings) = found
    if len(split) != len(joined):
        yield f"{len(joined)} lines, not {len(split)}"
    different = [pair for pair in zip(split, joined) if pair[0] != pair[1]]
    if different:
        yield f"{len(different)} kernels differ, first: {different[0][1]}\nnot {different[0][0]}"
    if split_warnings != joined_warnings:
        yield f"warnings {joined_warnings}, not {split_warnings}"


def main():
    bin_dir, data = map(pathlib.Path, sys.argv[1:])
    failed = False
    for name in RECORDINGS:
        with tempfile.TemporaryDirectory() as folder:
            for problem in check(bin_dir, data / f"{name}.jsonl.gz", pathlib.Path(folder)):
                failed = True
                print(f"{name}: {problem}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
