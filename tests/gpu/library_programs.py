#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What library_programs.sh compares:
  ledger PROF_REPORT LEDGER TRACE   products of a reference model's step with its ledger
  llmc PROF_REPORT OUTPUT TRACE     a step of llm.c's GPT-2 with what its source and output say
  known PROF_REPORT TRACE           how much of the GPU's time has an op, M and FLOPs
  tokens FILE...                    writes random tokens as llm.c reads them
  digits FOLDER                     writes random digits as MNIST's files"""
import json
import os
import random
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ledger"))
import compare_calls  # noqa: E402

LISTED = 10
MAX_FLOPS_OFF = 0.01
MAX_MFU_OFF = 0.02
# FLOP/s of dense products in bfloat16, H100 SXM and H200 (NVIDIA's data sheets).
BF16_PEAK = 989.4e12


def report(program, trace, *words):
    done = subprocess.run(
        [program, *words, "-f", "json", trace], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def products_of(rows):
    """(m, n, k, batch) of each op that is a product, in the order of launches. Several kernels may
    share one op (split-K)."""
    found = {}
    for row in rows:
        if row["m"] is not None:
            found.setdefault(row["op_id"], (row["m"], row["n"], row["k"], row["batch"] or 1))
    return list(found.values())


def unequal(asked, got, what):
    lines = [
        f"product {number}: {what} {one}, recorded {other}"
        for number, (one, other) in enumerate(zip(asked, got))
        if one != other
    ]
    if len(asked) != len(got):
        lines.append(f"{what} {len(asked)} products, recorded {len(got)}")
    return lines


def ledger(program, path, trace):
    with open(path, encoding="utf-8") as file:
        asked = [compare_calls.product(op) for op in json.load(file)["ops"] if op["library"]]
    rows = report(program, trace, "-r", "kernels")
    print(
        f"{len(asked)} products, {len(rows)} kernels, {sum(bool(row['op']) for row in rows)} with "
        "an op"
    )
    return unequal(asked, products_of(rows), "ledger")


def gpt2_step(batch, length, layers, channels, heads, vocabulary):
    """Products of a training step in the order of llm.c's source (train_gpt2.cu, llmc/matmul.cuh,
    llmc/attention.cuh)."""
    tokens, size = batch * length, channels // heads
    scores = (length, length, size, batch * heads)
    values = (size, length, length, batch * heads)

    def linear(inputs, outputs):
        return (outputs, tokens, inputs, 1)

    def gradients(inputs, outputs):
        return [(inputs, tokens, outputs, 1), (inputs, outputs, tokens, 1)]

    forward = [
        linear(channels, 3 * channels),
        scores,
        values,
        linear(channels, channels),
        linear(channels, 4 * channels),
        linear(4 * channels, channels),
    ]
    backward = [
        *gradients(4 * channels, channels),
        *gradients(channels, 4 * channels),
        *gradients(channels, channels),
        scores,
        values,
        values,
        values,
        *gradients(channels, 3 * channels),
    ]
    return [
        *forward * layers,
        linear(channels, vocabulary),
        *gradients(channels, vocabulary),
        *backward * layers,
    ]


def setting(output, name):
    return int(re.search(rf"^\| {name}\s*\|\s*(\d+)", output, re.MULTILINE)[1])


def llmc(program, path, trace):
    with open(path, encoding="utf-8") as file:
        output = file.read()
    batch, length = setting(output, "micro batch size B"), setting(output, "sequence length T")
    layers, heads, channels = (
        setting(output, name) for name in ("num_layers L", "num_heads NH", "channels C")
    )
    vocabulary, weights = setting(output, "padded_vocab_size Vp"), setting(output, "num_parameters")
    printed = {
        int(step): float(ms)
        for step, ms in re.findall(r"^step\s+(\d+)/\d+ .*?([\d.]+) ms", output, re.MULTILINE)
    }
    # Its output counts from 1, its ranges from 0. The first steps find algorithms.
    steps = sorted(printed)[3:-1]
    found = []
    asked = gpt2_step(batch, length, layers, channels, heads, vocabulary)
    tokens = batch * length
    # Positions are looked up, not multiplied. Attention is computed over all pairs of tokens: two
    # products forward, four backward.
    weights -= setting(output, "max_sequence_length T") * channels
    model = (6 * weights + 12 * layers * channels * length) * tokens
    for step in steps[:2]:
        rows = report(program, trace, "-r", "kernels", "--step", str(step - 1))
        found += unequal(asked, products_of(rows), f"step {step}: source")
        found += [f"no op: {row['kernel']} in {row['layer']}" for row in rows if not row["op"]]
        of_products = sum(row["flops"] or 0 for row in rows if row["m"] is not None)
        off = of_products / model - 1
        print(
            f"step {step}: {len(rows)} kernels, products {of_products / 1e12:.4f} TFLOP, 6 N D and "
            f"attention {model / 1e12:.4f} TFLOP, off by {100 * off:+.2f} %"
        )
        if abs(off) > MAX_FLOPS_OFF:
            found.append(f"FLOPs off by {100 * off:.2f} %")
    lines = {int(line["step"]): line for line in report(program, trace, "-r", "steps")}
    pairs = []
    for step in steps:
        line = lines[step - 1]
        # What the program measures is the step between two events; ours the period.
        pairs.append((line["mfu_pct"], line["period_ns"] / 1e6, printed[step]))
    ours = statistics.median(mfu for mfu, _, _ in pairs)
    periods = statistics.median(period for _, period, _ in pairs)
    times = statistics.median(ms for _, _, ms in pairs)
    print(
        f"MFU {ours:.2f} %, period {periods:.3f} ms, printed {times:.3f} ms a step; model FLOPs "
        f"over printed time: {model / times / 1e9:.1f} TFLOP/s"
    )
    # The program knows no peak of newer GPUs, and counts attention as causal.
    expected = 100 * model / (times / 1e3) / BF16_PEAK
    print(f"MFU by the printed times and all of attention: {expected:.2f} %")
    if abs(ours / expected - 1) > MAX_MFU_OFF:
        found.append(f"MFU {ours:.2f} %, by the program's times {expected:.2f} %")
    return found


def tokens(*paths):
    generator = random.Random(1)
    for path in paths:
        count = 200000
        header = [20240520, 1, count] + [0] * 253
        with open(path, "wb") as file:
            file.write(b"".join(number.to_bytes(4, "little") for number in header))
            file.write(
                b"".join(generator.randrange(50257).to_bytes(2, "little") for _ in range(count))
            )
    return []


def digits(folder):
    os.makedirs(folder, exist_ok=True)
    generator = random.Random(1)
    for name, count in (("train", 60000), ("t10k", 10000)):
        images = b"".join(number.to_bytes(4, "big") for number in (0x803, count, 28, 28))
        labels = b"".join(number.to_bytes(4, "big") for number in (0x801, count))
        with open(f"{folder}/{name}-images-idx3-ubyte", "wb") as file:
            file.write(images + generator.randbytes(count * 28 * 28))
        with open(f"{folder}/{name}-labels-idx1-ubyte", "wb") as file:
            file.write(labels + bytes(generator.randrange(10) for _ in range(count)))
    return []


def known(program, trace):
    rows = report(program, trace, "-r", "kernels")
    total = sum(row["time_ns"] for row in rows)
    for what in ("op", "m", "flops", "dir", "layer"):
        share = sum(row["time_ns"] for row in rows if row[what] not in (None, "")) / total
        print(f"{what}: {100 * share:.1f} % of {total / 1e6:.1f} ms, {len(rows)} kernels")
    return [] if rows else ["no kernels"]


def main():
    kind, *words = sys.argv[1:]
    found = {"ledger": ledger, "llmc": llmc, "tokens": tokens, "known": known, "digits": digits}[
        kind
    ](*words)
    for line in found[:LISTED]:
        print(f"  {line}")
    if len(found) > LISTED:
        print(f"  and {len(found) - LISTED} more")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
