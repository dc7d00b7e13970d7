# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Op attributes that torch's ranges omit but the module knows: stride, padding and the like, which
determine the size of a convolution's result, and which gradients its backward op will compute.

A module's settings are those of the op only if the module's class does not override torch's own
forward(); nothing is stated about other modules.
"""
import operator
import weakref

from .json_text import json_text

_CONVOLUTION = ("stride", "padding", "dilation", "output_padding", "groups", "transposed")
_GRADIENTS = ("data_grad", "weight_grad", "bias_grad")
_MAX_POOL = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
_AVG_POOL = ("kernel_size", "stride", "padding", "ceil_mode")
_ADAPTIVE_POOL = ("output_size",)
_UPSAMPLE = ("size", "scale_factor")

#: By torch.nn class, with # for its dimensions: the ops as the analyzer shows them, and their
#: settings. `convolution` is the op whose backward op is called.
_SETTINGS = {
    "Conv#d": ("conv#d convolution", _CONVOLUTION),
    "ConvTranspose#d": ("conv_transpose#d convolution", _CONVOLUTION),
    "MaxPool#d": ("max_pool#d", _MAX_POOL),
    "AvgPool#d": ("avg_pool#d", _AVG_POOL),
    "AdaptiveMaxPool#d": ("adaptive_max_pool#d", _ADAPTIVE_POOL),
    "AdaptiveAvgPool#d": ("adaptive_avg_pool#d", _ADAPTIVE_POOL),
    "Upsample": ("interpolate", _UPSAMPLE),
}

#: Methods that a class must not override.
_METHODS = ("forward", "_conv_forward", "_output_padding")

#: Number of cached texts; a program with more distinct settings rebuilds them.
MAX_TEXTS = 4096


class Attributes:
    """`kinds` maps the id of a module's class to the reader of its settings; None for classes that
    have none. Entries are removed with their class: some programs make one for each module."""

    def __init__(self, nn):
        self.kinds = {}
        self._references = {}  # by id: a weak reference whose callback removes the entry
        self._known = {}  # by id of a class of torch.nn: (ops, names of settings, what gets them)
        self._texts = {}  # by ops and settings
        for name, (ops, settings) in _SETTINGS.items():
            for dimensions in "123":
                known = getattr(nn, name.replace("#", dimensions), None)
                if known is not None:
                    self._known[id(known)] = (
                        ops.replace("#", dimensions),
                        settings,
                        operator.itemgetter(*settings),
                    )

    def text_of(self, module, args, kwargs):
        """The text of a range around the module's call with these arguments; None if there is
        nothing to state or the settings have an unusual form."""
        kind = self.kinds.get(id(module.__class__), False)
        if kind is False:
            kind = self._remember(module.__class__)
        # A second argument is a transposed convolution's output_size, which replaces a setting.
        if kind is None or len(args) != 1 or kwargs:
            return None
        own = module.__dict__
        if "forward" in own:
            return None
        ops, names, settings_of = kind
        try:
            settings = settings_of(own)
            known = (ops, settings)
            if names is _CONVOLUTION:
                known = (
                    ops,
                    settings,
                    own["padding_mode"],
                    *_gradients(args[0], own["_parameters"]),
                )
            text = self._texts.get(known, False)
        except (KeyError, TypeError):  # a missing attribute, or a list among the settings
            return self._made(ops, names, own, args[0])
        if text is False:
            text = self._made(ops, names, own, args[0])
            if len(self._texts) < MAX_TEXTS:
                self._texts[known] = text
        return text

    @staticmethod
    def _made(ops, names, own, x):
        try:
            attributes = {name: own[name] for name in names}
            if names is _CONVOLUTION:
                if own["padding_mode"] != "zeros":
                    attributes["padding"] = 0  # padded before the op
                attributes.update(zip(_GRADIENTS, _gradients(x, own["_parameters"])))
            return _write(ops, attributes)
        except (KeyError, TypeError, ValueError):
            return None

    def _remember(self, module_class):
        key, kind = id(module_class), self._kind_of(module_class)

        def forget(reference):
            if self._references.get(key) is reference:  # the id may belong to a new class by now
                del self._references[key]
                self.kinds.pop(key, None)

        self._references[key] = weakref.ref(module_class, forget)
        self.kinds[key] = kind
        return kind

    def _kind_of(self, module_class):
        for base in module_class.__mro__:
            known = self._known.get(id(base))
            if known is not None:
                same = all(
                    getattr(module_class, name, None) is getattr(base, name, None)
                    for name in _METHODS
                )
                return known if same else None
        return None


def _gradients(x, parameters):
    """Which of input, weight and bias need a gradient: True, False, or None if unknown."""
    flags = [getattr(x, "requires_grad", None)]
    for name in ("weight", "bias"):
        if name in parameters:
            parameter = parameters[name]
            flags.append(parameter is not None and parameter.requires_grad)
        else:  # computed from other tensors in its own way
            flags.append(None)
    return flags


def _write(ops, attributes):
    known = {name: _plain(value) for name, value in attributes.items() if value is not None}
    if not known:
        return None
    return json_text({"v": 1, "mod": "prof", "attrs_of": ops, "attrs": known})


def _plain(value):
    """A bool, number or word as is; one integer per dimension as "2,1"."""
    if isinstance(value, (bool, str, float)):
        return value
    if isinstance(value, (tuple, list)):
        return ",".join(str(operator.index(part)) for part in value)
    return operator.index(value)
