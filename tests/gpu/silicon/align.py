# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the kernel of a trace that a kernel profiled in another run of the same program is."""
import collections

_ANONYMOUS = ("(anonymous namespace)", "<unnamed>", "{anonymous}")


def base_name(name):
    """A demangled name without return type, namespaces, template arguments and parameters, which
    tools print differently: "void a::b<(int)4>(T1 *)" is "b"."""
    for text in (*_ANONYMOUS, "->"):
        name = name.replace(text, "")
    plain, depth = [], 0
    for char in name:
        if char in "<([":
            if char == "(" and depth == 0 and "".join(plain).strip():
                break  # the parameters
            depth += 1
        elif char in ">)]":
            depth = max(0, depth - 1)
        elif depth == 0:
            plain.append(char)
    words = "".join(plain).split()
    return words[-1].rpartition("::")[2] if words else name


def key_of(kernel, grid, block):
    return (base_name(kernel), grid, block)


def align(traced, counted):
    """Pairs (index in traced, index in counted) and what is left: {key: (times in traced, times in
    counted)}.

    Both are lists of keys in launch order. Streams may finish in another order, so the nth kernel
    of a key is the nth of that key; where one side has more of a key, nobody can say which is
    which, and none of them is paired."""
    places = collections.defaultdict(lambda: ([], []))
    for side, keys in enumerate((traced, counted)):
        for index, key in enumerate(keys):
            places[key][side].append(index)
    pairs, left = [], {}
    for key, (ours, theirs) in places.items():
        if len(ours) == len(theirs):
            pairs += zip(ours, theirs)
        else:
            left[key] = (len(ours), len(theirs))
    return sorted(pairs), left
