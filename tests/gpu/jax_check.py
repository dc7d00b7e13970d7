#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What jax.sh asks of a trace:
  step PROF_REPORT TRACE PRODUCTS   its last training step: every kernel has an op, most a layer, and
                                    the matrix products are those that jax_models.py counted
  texts TRACE FOLDER                writes the distinct texts of XLA's ranges, and a payload of each"""
import collections
import json
import os
import sqlite3
import subprocess
import sys

STEP = "TSL:XlaModule:#*hlo_module=jit_train_step[,#]*"
LISTED = 12


def rows_of(report, trace):
    done = subprocess.run(
        [report, "-r", "gpu", "-f", "json", "--step-range", STEP, trace],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def size_of(m, n, k, batch):
    """The same for a product whose rows and columns are swapped, or whose K is split."""
    return min(m, n), max(m, n), k * batch


def step(report, trace, products):
    rows = [row for row in rows_of(report, trace) if row.get("step") is not None]
    if not rows:
        return ["no step: no range of jit_train_step"]
    last = max(row["step"] for row in rows)
    rows = [row for row in rows if row["step"] == last]
    kernels = [row for row in rows if row.get("kind", "kernel") == "kernel"]
    found = []
    nameless = collections.Counter(row["kernel"] for row in kernels if not row["op"])
    if nameless:
        found.append(f"kernels without an op: {dict(nameless)}")
    for what in ("layer", "dir"):
        without = collections.Counter(row["op"] for row in kernels if not row[what])
        print(
            f"step {last}: {sum(without.values())} of {len(kernels)} kernels without {what}: {dict(without)}"
        )
    scoped = [row for row in kernels if ":" in (row["layer"] or "")]
    if 2 * len(scoped) < len(kernels):
        found.append(f"{len(scoped)} of {len(kernels)} kernels have a named scope")
    with open(products, encoding="ascii") as file:
        wanted = json.load(file)
    want = collections.Counter()
    for _, m, n, k, batch, times in wanted:
        want[size_of(m, n, k, batch)] += times
    # One row an op: several kernels may compute it.
    ops = {
        row["op_id"]: row
        for row in kernels
        if row.get("m") is not None and row.get("k") is not None
    }
    got = collections.Counter(
        size_of(row["m"], row["n"], row["k"], row["batch"] or 1) for row in ops.values()
    )
    print(
        f"{sum(got.values())} products of {sum(want.values())}; FLOPs "
        f"{sum(row['flops'] or 0 for row in kernels):.0f} of "
        f"{sum(2 * m * n * k * batch * times for _, m, n, k, batch, times in wanted)}"
    )
    if got != want:
        found.append(f"not in the trace: {dict(want - got)}")
        found.append(f"not in the model: {dict(got - want)}")
        for row in kernels:
            if row.get("m") is None and "gemm" in (row["kernel"] + row["op_inner"]):
                found.append(f"no sizes: {row['kernel']}, {row['op']}, {row['op_inner']}")
    directions = collections.Counter(row["dir"] for row in ops.values())
    expected = collections.Counter()
    for direction, *_, times in wanted:
        expected[direction] += times
    if directions != expected:
        found.append(f"directions of products: {dict(directions)}, not {dict(expected)}")
    return found


def payload_texts(fields, data):
    made = {}
    for field in json.loads(fields):
        if field["type"] != "registered_string" or field.get("stored") != "offset":
            continue
        at = int.from_bytes(data[field["offset"] : field["offset"] + 8], "little")
        made[field["name"]] = (
            data[at : data.index(b"\0", at)].decode(errors="replace") if at else None
        )
    return made


def texts(trace, folder):
    os.makedirs(folder, exist_ok=True)
    name = os.path.splitext(os.path.basename(trace))[0]
    with sqlite3.connect(trace) as base:
        counts = base.execute(
            "SELECT count(*), n.text, s.text, min(r.id) FROM range r JOIN string s ON s.id = r.text_id "
            "LEFT JOIN domain d ON d.id = r.domain_id LEFT JOIN string n ON n.id = d.name_id GROUP BY r.domain_id, r.text_id ORDER BY min(r.id)"
        ).fetchall()
        with open(os.path.join(folder, f"{name}.texts"), "w", encoding="utf-8") as file:
            for count, domain, text, _ in counts:
                file.write(f"{count}\t{domain}\t{text}\n")
        with open(os.path.join(folder, f"{name}.payloads"), "w", encoding="utf-8") as file:
            for _, _, text, first in counts:
                for fields, data in base.execute(
                    "SELECT p.fields_json, b.bytes FROM payload_blob b JOIN payload_schema p ON "
                    "p.domain_id = b.domain_id AND p.schema = b.schema WHERE b.range_id = ?",
                    (first,),
                ):
                    file.write(json.dumps({"text": text, **payload_texts(fields, data)}) + "\n")
        number, size = base.execute(
            "SELECT count(*), ifnull(sum(length(bytes)), 0) FROM payload_blob"
        ).fetchone()
        ranges = base.execute("SELECT count(*) FROM range").fetchone()[0]
    print(
        f"{len(counts)} texts of {ranges} ranges; {number} payloads of {size / 1e6:.2f} MB in a trace of "
        f"{os.path.getsize(trace) / 1e6:.2f} MB"
    )
    return (
        [] if any("Thunk:#" in text for _, _, text, _ in counts) else ["no range of an op of XLA"]
    )


def main():
    kind, *words = sys.argv[1:]
    found = {"step": step, "texts": texts}[kind](*words)
    for line in found[:LISTED]:
        print(f"  {line}")
    if len(found) > LISTED:
        print(f"  and {len(found) - LISTED} more")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
