# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""The class of a called module, and the shapes and element types of its tensors: what is known of
the kernels inside where no ops are reported.

Tensors are looked at, never read: no value, no copy, nothing to wait for. Those of subclasses
(DTensor, FakeTensor, ...) may run code of the program when they are asked, and are left out.
"""
from .json_text import json_text

#: A call with more tensors, or a list of more values, says nothing of them.
MAX_TENSORS = 32

#: Number of cached texts. A program with more distinct calls begins anew.
MAX_TEXTS = 4096


class ModuleCalls:
    MOST = MAX_TENSORS

    def __init__(self, torch):
        self._look = _make_look(torch.Tensor, torch.nn.Parameter)
        self._texts = {}  # by class name and what was seen of the arguments
        # torch.jit.trace would make each look a part of what it traces.
        self._is_tracing = getattr(torch._C, "_is_tracing", _never)
        # A mode of the program, such as a default device, would notice each look.
        self._has_mode = getattr(torch._C, "_len_torch_function_stack", _never)
        can_hide = hasattr(torch._C, "DisableTorchFunctionSubclass")  # since 2.0, from modes, too
        self._unseen = torch._C.DisableTorchFunction if can_hide else None

    def text_of(self, module, args, kwargs):
        """The text of a range around the module's call; None if it has no tensors."""
        if self._is_tracing() or len(args) + len(kwargs) > self.MOST:
            return None
        if self._has_mode():
            if self._unseen is None:
                return None
            with self._unseen():
                return self._text_of(module, args, kwargs)
        return self._text_of(module, args, kwargs)

    def _text_of(self, module, args, kwargs):
        known = (self._name_of(module), *self._see(args))
        if kwargs:
            known += (*kwargs, *self._see(kwargs.values()))
        try:
            text = self._texts.get(known, False)
        except TypeError:  # a size is a symbol
            return None
        if text is False:
            places = (*range(len(args)), *kwargs)
            seen = known[1 : len(args) + 1] + known[len(args) + len(kwargs) + 1 :]
            text = self._write(known[0], zip(places, seen))
            if len(self._texts) >= MAX_TEXTS:
                self._texts.clear()
            self._texts[known] = text
        return text

    def _name_of(self, module):
        return type(module).__name__

    def _see(self, values):
        return map(self._look, values)

    @staticmethod
    def _tensors(arguments):
        return [
            {
                "name": place,
                "role": "in",
                "type": "tensor",
                "shape": list(shape),
                "dtype": str(kind).rpartition(".")[2],
            }
            for place, seen in arguments
            for place, kind, shape in _tensors(place, seen)
        ]

    def _write(self, name, arguments):
        tensors = self._tensors(arguments)
        if not 0 < len(tensors) <= MAX_TENSORS:
            return None
        return json_text({"v": 1, "mod": "prof", "call": name, "args": tensors})


def _never():
    return False


def _make_look(tensor, parameter):
    def look_at_tensor(value):
        """Its (type, shape); None for anything else."""
        kind = type(value)
        if kind is tensor or kind is parameter:
            try:
                return value.dtype, value.shape
            except RuntimeError:  # a nested one has no shape
                pass
        return None

    def look(value):
        """As above; of a list (None, what is seen of each value)."""
        kind = type(value)
        if kind is not tuple and kind is not list:
            return look_at_tensor(value)
        return (None, *map(look_at_tensor, value)) if len(value) <= MAX_TENSORS else None

    return look


def _tensors(place, seen):
    """(place, type, shape) of each tensor, where the place is "0", "mask" or, in a list, "0.1"."""
    if seen is None:
        return
    kind, *rest = seen
    if kind is not None:
        yield str(place), kind, *rest
        return
    for i, part in enumerate(rest):
        yield from _tensors("%s.%d" % (place, i), part)
