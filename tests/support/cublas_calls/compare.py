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


# What a line with operands does not say.
OF_SIZES = ("m", "n", "k", "batch", "types", "reads_c")
# What of these ops has another place than D in a gemm's arguments.
WITHOUT_C = ("trmm", "trsm", "geam", "dgmm")


def operands_of(signature):
    """As vector_calls.cpp writes them: "21x1:float32", and "-" for one that is missing."""
    return " ".join(
        "-" if one is None else "x".join(map(str, one["shape"])) + ":" + one["dtype"]
        for one in signature["args"]
    )


def sizes_of(signature):
    op = signature["op"].removeprefix("cublas::")
    a, b = tensor(signature, A), tensor(signature, B)
    d = tensor(signature, C if op in WITHOUT_C else D)
    is_right = signature.get("facts", {}).get("side") == "right" and op in ("symm", "hemm")
    return {
        "m": d["shape"][-2],
        "n": d["shape"][-1],
        "k": d["shape"][-1] if is_right else a["shape"][-1],
        "batch": d["shape"][0] if len(d["shape"]) > 2 else 1,
        "types": f"{a.get('dtype')} {(b or a).get('dtype')} {d.get('dtype')}",
        "reads_c": op not in WITHOUT_C and tensor(signature, C) is not None,
        "has_bias": tensor(signature, BIAS) is not None,
    }


def groups_of(signature):
    a, b, c, d = ([one for one in tensor(signature, index)["list"]] for index in (A, B, C, D))
    return {
        "m": 0,
        "n": 0,
        "k": 0,
        "batch": 0,
        "types": f"{a[0]['dtype']} {b[0]['dtype']} {d[0]['dtype']}",
        "reads_c": c[0] is not None,
        "groups": [
            [right["shape"][0], *right["shape"][1:], left["shape"][-1]] for left, right in zip(a, d)
        ],
    }


def differences(asked, signature):
    """What of the call's line the op does not say, as texts."""
    facts = signature.get("facts", {})
    said = {"function": facts.get("function"), "op": signature["op"].removeprefix("cublas::")}
    if said["op"] != asked["op"]:
        return [f"{asked['function']}: op {said['op']}, asked {asked['op']}"]
    if "operands" in asked:
        said["operands"] = operands_of(signature)
        asked = {key: value for key, value in asked.items() if key not in OF_SIZES}
    elif asked["op"] == "grouped_gemm":
        said.update(groups_of(signature))
    else:
        said.update(sizes_of(signature))
    strides = {"stride_a": A, "stride_b": B, "stride_c": D}
    found = []
    for key, value in asked.items():
        if key == "status":
            continue
        if key in strides:
            got = tensor(signature, strides[key])["strides"][0]
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
