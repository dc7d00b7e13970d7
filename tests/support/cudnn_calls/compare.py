# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what a program asked cuDNN for (calls.hpp: a line for each call) with the ops that its
trace has."""


def word_of(argument):
    """An operand as calls.hpp writes it."""
    if argument is None:
        return "-"
    if "list" in argument:
        return "[" + " ".join(word_of(one) for one in argument["list"]) + "]"
    return "x".join(map(str, argument["shape"])) + ":" + argument.get("dtype", "?")


def fact_of(value):
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).replace(" ", "_")


def parse(line):
    """Function, status, op, operands, facts."""
    function, status, op, *words = line.split()
    operands, facts, listed = [], {}, None
    for word in words:
        if listed is not None or word.startswith("["):
            listed = [*(listed or []), word]
            if word.endswith("]"):
                operands.append(" ".join(listed))
                listed = None
        elif "=" in word:
            key, value = word.split("=", 1)
            facts[key] = value
        else:
            operands.append(word)
    return function, int(status), op, operands, facts


def differences(line, signature):
    """What of the call's line the op does not say, as texts."""
    function, _, op, operands, facts = parse(line)
    said = signature.get("facts", {})
    found = []
    if said.get("function") != function:
        return [f"{function}: the op is of {said.get('function')}"]
    if signature["op"] != op:
        found.append(f"{function}: op {signature['op']}, asked {op}")
    got = [word_of(one) for one in signature.get("args", [])]
    if got != operands:
        found.append(f"{function}: operands {' '.join(got)}, asked {' '.join(operands)}")
    for key, value in facts.items():
        if fact_of(said.get(key)) != value:
            found.append(f"{function}: {key} {said.get(key)}, asked {value}")
    return found


def compare(lines, signatures):
    """Of all calls that were not refused; both in their order."""
    calls = [line for line in lines if parse(line)[1] == 0]
    found = []
    if len(calls) != len(signatures):
        found.append(f"{len(signatures)} ops of {len(calls)} calls")
    for line, signature in zip(calls, signatures):
        found += differences(line, signature)
    return found
