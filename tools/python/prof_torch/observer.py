# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""libprof_torch.so, which reports torch's ops to the collector in this process, without texts: with
shapes, strides, element types and scalars.

It reads torch's objects by their layout, which torch promises nothing about. So it first runs ops
whose arguments are known, and is used only if it has read exactly these.
"""
import ctypes
import enum

from . import library
from .json_text import parsed

_NAME = "libprof_torch.so"

#: By whether std::string is that of C++11 (torch_abi.hpp: kLayouts).
_LAYOUTS = {True: 0, False: 1}

_observer = None  # The callback is registered once in a process.


class Mode(enum.IntEnum):
    """What is done with each op: ObserverMode in collectors/torch/observer_mode.hpp."""

    OFF = 0
    ON = 1  # reported with its arguments
    NAMES = 2  # without
    EMPTY = 3  # to measure: callbacks that do nothing
    READING = 4  # to measure: read, and not reported


class Observer:
    """The ops of all threads."""

    def __init__(self, functions):
        self._functions = functions

    def switch(self, mode):
        """One thread at a time."""
        self._functions.prof_torch_switch(int(mode))


def start(torch):
    """The Observer of this process, switched off, and None; or None and why there is none: a line
    for the user, "" where nobody would miss it, since no collector of ours is here. What has failed
    is tried again with each call."""
    global _observer
    if _observer is None:
        sink, folder = library.find_op_sink()
        if sink is None:
            return None, ""
        try:
            functions = _load(folder)
            _prove(torch, functions, sink)
        except Exception as error:  # A later torch must not end the program.
            return None, str(error) or repr(error)
        _observer = Observer(functions)
    return _observer, None


def _load(folder):
    functions = ctypes.CDLL("%s/%s" % (folder, _NAME))
    functions.prof_torch_begin_probe.restype = ctypes.c_char_p
    functions.prof_torch_begin_probe.argtypes = [ctypes.c_void_p, ctypes.c_int]
    functions.prof_torch_end_probe.restype = ctypes.c_char_p
    return functions


def _prove(torch, functions, sink):
    """Raises an exception unless the ops are read as they are."""
    layout = _LAYOUTS[bool(getattr(torch._C, "_GLIBCXX_USE_CXX11_ABI", True))]
    with torch.enable_grad():
        inputs = _known_inputs(torch)
        why = functions.prof_torch_begin_probe(sink, layout)
        if why is not None:
            raise RuntimeError(why.decode())
        try:
            _run_known_ops(torch, *inputs)
        finally:
            seen = functions.prof_torch_end_probe()
    ops = [parsed(line) for line in seen.splitlines()]
    found = [
        (op["signature"]["op"], op["scope"], op["inputs"], op["signature"].get("args"))
        for op in ops
    ]
    left = iter(found)
    missing = [op for op in _known_ops() if op not in left]
    if missing:
        raise RuntimeError(
            "torch's %s is read as %r"
            % (missing[0][0], [op for op in found if op[0] == missing[0][0]])
        )
    numbers = [op["sequence"] for op in ops if op["signature"]["op"] == "aten::add"]
    if len(numbers) != 2 or numbers[0] < 0 or numbers[1] != numbers[0] + 1:
        raise RuntimeError("torch's sequence numbers are read as %r" % (numbers,))


def _known_inputs(torch):
    return (
        torch.ones(3, 5, device="cpu", dtype=torch.float32, requires_grad=True),
        torch.ones(5, device="cpu", dtype=torch.float32),
        torch.ones(2, 2, 2, device="cpu", dtype=torch.float64),
        torch.ones(5, 3, device="cpu", dtype=torch.int64).t(),
    )


def _run_known_ops(torch, leaf, vector, cube, transposed):
    torch.sum(transposed, [0, 1], True)
    torch.add(leaf, vector, alpha=7)
    torch.add(leaf, vector, alpha=7)
    torch.clamp(cube, 0.5)
    torch.cat([vector, vector], 0)


def _known_ops():
    """(name, scope, number of inputs, arguments) of each."""
    leaf = {"shape": [3, 5], "dtype": "float32", "strides": [5, 1]}
    vector = {"shape": [5], "dtype": "float32", "strides": [1]}
    cube = {"shape": [2, 2, 2], "dtype": "float64", "strides": [4, 2, 1]}
    transposed = {"shape": [3, 5], "dtype": "int64", "strides": [1, 3]}
    ops = [
        ("aten::sum", [transposed, {"value": [0, 1]}, {"value": True}, None]),
        ("aten::add", [leaf, vector, {"value": 7}]),
        ("aten::add", [leaf, vector, {"value": 7}]),
        ("aten::clamp", [cube, {"value": 0.5}, None]),
        ("aten::cat", [{"list": [vector, vector]}, {"value": 0}]),
    ]
    return [(name, 0, len(arguments), arguments) for name, arguments in ops]
