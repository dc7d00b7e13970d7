# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what a program asked cuBLAS for (calls.hpp: a line of JSON for each call) with the ops
that its trace has."""
import json

# Tensors of a signature, in the order of its arguments.
A, B, C, D, BIAS = range(5)


def tensor(signature, index):
    args = signature["args"]
    return args[index] if index < len(args) else None


def batch_of(signature):
    shape = tensor(signature, D)["shape"]
    return shape[0] if len(shape) > 2 else 1


def differences(asked, signature):
    """What of the call's line the op does not say, as texts."""
    facts = signature.get("facts", {})
    said = {"function": facts.get("function"), "op": signature["op"].removeprefix("cublas::")}
    if said["op"] != asked["op"]:
        return [f"{asked['function']}: op {said['op']}, asked {asked['op']}"]
    d, a, b = (tensor(signature, index) for index in (D, A, B))
    said.update(m=d["shape"][-2], n=d["shape"][-1], k=a["shape"][-1], batch=batch_of(signature),
                types=f"{a.get('dtype')} {(b or a).get('dtype')} {d.get('dtype')}",
                reads_c=tensor(signature, C) is not None,
                has_bias=tensor(signature, BIAS) is not None)
    strides = {"stride_a": a, "stride_b": b, "stride_c": d}
    found = []
    for key, value in asked.items():
        if key == "status":
            continue
        if key in strides:
            got = strides[key]["strides"][0]
        else:
            got = said[key] if key in said else facts.get(key)
        if got != value:
            found.append(f"{asked['function']}: {key} {got}, asked {value}")
    return found


def compare(lines, signatures):
    """Of all calls that launched something; both in their order."""
    calls = [json.loads(line) for line in lines]
    found = []
    if len(calls) != len(signatures):
        found.append(f"{len(signatures)} ops of {len(calls)} calls")
    for asked, signature in zip(calls, signatures):
        found += differences(asked, signature)
    return found
