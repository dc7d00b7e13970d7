# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""One step of a recorded stream: its GPU work in launch order, each with its stack of ranges, layer, op, direction."""
import dataclasses
import gzip
import json
import re
import subprocess
import tempfile
import pathlib

STEP_TEXT = re.compile(r"(?:step:|Train step |ProfilerStep#)(\d+)$")


@dataclasses.dataclass
class Work:
    """A kernel, copy or set. `stack` names ranges by their recorded ids, outermost first, without the step's."""

    record: dict
    function: str
    stack: tuple
    host_ns: int  # from the launch before to this one
    gpu_ns: int
    layer: str = ""
    op: str = ""
    direction: str = ""


@dataclasses.dataclass
class Step:
    works: list
    strings: dict  # id -> text
    ranges: dict  # recorded id -> record
    device: dict


def filled(template, numbers):
    parts = template.split("\x01")
    return "".join(
        a + (str(n) if n is not None else "")
        for a, n in zip(parts, list(numbers) + [None] * len(parts))
    )


def listing(path, bin_dir):
    """What prof-report says of each kernel, by its correlation."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "recording.db"
        subprocess.run(
            [bin_dir / "prof-import", path, "-o", trace], check=True, capture_output=True
        )
        columns = "correlation,layer,op,dir"
        printed = subprocess.run(
            [bin_dir / "prof-report", trace, "-r", "kernels", "-f", "json", "-c", columns],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    rows = json.loads(printed)
    return {row["correlation"]: row for row in (rows["rows"] if isinstance(rows, dict) else rows)}


def read_step(path, bin_dir):
    """The middle one of the steps of a recording. Its threads become one."""
    strings, ranges, calls, works, device = {}, {}, {}, [], {"record": "device"}
    with gzip.open(path, "rt") if str(path).endswith(".gz") else open(path) as lines:
        for line in lines:
            record = json.loads(line)
            kind = record.get("record")
            if kind == "string":
                strings[record["id"]] = record["text"]
            elif kind == "range":
                ranges[record["id"]] = record
            elif kind == "api":
                calls.setdefault(record["correlation"], record)
            elif kind in ("kernel", "memcpy", "memset"):
                works.append(record)
            elif kind == "device":
                device = record

    def stack_of(range_id):
        stack = []
        while range_id and range_id in ranges:
            stack.append(range_id)
            range_id = ranges[range_id].get("parent", 0)
        return tuple(reversed(stack))

    steps = [
        r
        for r, record in sorted(ranges.items())
        if STEP_TEXT.search(
            filled(strings.get(record.get("text", 0), ""), record.get("numbers", []))
        )
    ]
    if not steps:
        raise SystemExit(f"{path}: has no steps")
    chosen = steps[len(steps) // 2]
    about = listing(path, bin_dir)
    found, before_ns = [], None
    for record in sorted(works, key=lambda r: r["correlation"]):
        call = calls.get(record["correlation"])
        stack = stack_of(call.get("stack", 0)) if call else ()
        name = strings.get(record.get("name", 0), "")
        if chosen not in stack or "nccl" in name.lower():
            continue
        start_ns = call["start_ns"]
        # A pause of the recorded program is no part of its pattern.
        host_ns = min(start_ns - before_ns, 40_000) if before_ns is not None else 5_000
        before_ns = start_ns
        row = about.get(record["correlation"], {})
        found.append(
            Work(
                record,
                strings.get(call.get("function", 0), "cudaLaunchKernel"),
                stack[stack.index(chosen) + 1 :],
                host_ns,
                record["end_ns"] - record["start_ns"],
                row.get("layer") or "",
                row.get("op") or "",
                row.get("dir") or "",
            )
        )
    return Step(found, strings, ranges, device)
