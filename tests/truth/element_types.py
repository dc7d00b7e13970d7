# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the data types that a capture under emit_nvtx claims, from kernels' names, with the types of
inputs that torch.profiler recorded for the same ops."""
import collections
import gzip
import json

TYPES = {
    "float": "float32",
    "double": "float64",
    "c10::Half": "float16",
    "c10::BFloat16": "bfloat16",
    "long int": "int64",
    "long": "int64",
    "int": "int32",
    "short int": "int16",
    "short": "int16",
    "signed char": "int8",
    "unsigned char": "uint8",
    "bool": "bool",
    "c10::complex<float>": "complex64",
    "c10::complex<double>": "complex128",
    "c10::Float8_e4m3fn": "float8_e4m3",
    "c10::Float8_e5m2": "float8_e5m2",
}

# claimed: kernels with a claim that was compared; wrong: [(op, inner op, claim, truth)]; unknown:
# kernels without a claim; unstated: with a claim, but torch.profiler has no type of a tensor.
Result = collections.namedtuple("Result", "claimed wrong unknown unstated")


def is_floating(name):
    return "float" in name


def types_of(op):
    """The element types of an op's inputs. A number, which has no dimensions, follows the tensors."""
    args = op["args"]
    sizes = args.get("Input Dims", [])
    stated = [
        (TYPES.get(name), i < len(sizes) and bool(sizes[i]))
        for i, name in enumerate(args.get("Input type", []))
    ]
    found = [(name, has_dimensions) for name, has_dimensions in stated if name]
    of_tensors = {name for name, has_dimensions in found if has_dimensions}
    return of_tensors or {name for name, _ in found}


def stated_types(path):
    """{correlation of a kernel's launch: types of inputs of the op that launched it}"""
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    ops = {
        event["args"]["External id"]: types_of(event)
        for event in events
        if event.get("cat") == "cpu_op"
    }
    return {
        str(event["args"]["correlation"]): ops.get(event["args"].get("External id"), set())
        for event in events
        if event.get("cat") == "kernel"
    }


def truth_of(imported, types):
    """What the claim may be. An op on several floating types has the one that its model states, which
    an import knows exactly; without types of its own inputs (lists) likewise."""
    exact = "dtype=exact" in imported["provenance"].split(",") and imported["dtype"]
    has_several = len([name for name in types if is_floating(name)]) > 1
    if exact and (not types or has_several):
        return {exact} if not types or exact in types else types
    return types


def judge(captured, imported, stated):
    """Of rows that are the same kernels, and stated_types()."""
    claimed, wrong, unknown, unstated = 0, [], 0, 0
    for one, other in zip(captured, imported):
        claim = {"tfloat32": "float32"}.get(one["dtype"], one["dtype"])
        truth = truth_of(other, stated.get(other["correlation"], set()))
        if not claim:
            unknown += 1
        elif not truth:
            unstated += 1
        else:
            claimed += 1
            if claim not in truth:
                wrong.append((one["op"], one["op_inner"], claim, " or ".join(sorted(truth))))
    return Result(claimed, wrong, unknown, unstated)


def text(result):
    lines = [
        f"{result.claimed} dtypes claimed, {len(result.wrong)} wrong, {result.unknown} unknown, "
        f"{result.unstated} of which torch.profiler states none"
    ]
    lines += [
        f"  {times} kernels of {op}, {inner}: {claim}, but its inputs are {truth}"
        for (op, inner, claim, truth), times in collections.Counter(result.wrong).most_common()
    ]
    return "\n".join(lines)
