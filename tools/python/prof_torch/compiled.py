# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Modules that a compiler makes of a program's code: GraphModules without a name of their own that
stand for no part of the program's model.

A GraphModule that the program makes (torch.fx.symbolic_trace) is a model like any other. torch does
not mark the difference, so three signs show it: what Dynamo leaves in its modules, who calls the
module, and a name that says nothing.
"""
import sys

#: Packages of the compilers. The module that calls one of theirs is in one of them.
COMPILERS = ("torch._dynamo", "torch._functorch", "torch._inductor", "torch._higher_order_ops")

#: What stands between a module and its caller and says nothing about either. Dynamo's eval_frame
#: also calls what it does not compile. The code of a graph is in no module.
BETWEEN = (
    __package__,
    "torch.fx",
    "torch.nn",
    "torch._dynamo.eval_frame",
    "torch.utils",
    "contextlib",
    "",
)

#: Set by Dynamo in each module that it passes to a backend.
DYNAMO_MARK = "compile_subgraph_reason"

#: The name of a GraphModule's class if its maker states none.
DEFAULT_NAME = "GraphModule"


def is_generated(module):
    """Whether a compiler made the module, which no model contains. To be asked in its call."""
    kind = type(module)
    if not any(
        base.__name__ == DEFAULT_NAME and base.__module__.startswith("torch.fx")
        for base in kind.__mro__
    ):
        return False
    if DYNAMO_MARK in module.__dict__ or _is_nameless(kind.__name__, module):
        return True
    return _is_in(_caller(), COMPILERS)


def _is_nameless(name, module):
    # "<lambda>" is what AOTAutograd traces. Children have names that are worth keeping.
    return not name.isidentifier() or (name == DEFAULT_NAME and not module._modules)


def _caller():
    """The name of the module whose code calls the GraphModule."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        if not _is_in(name, BETWEEN):
            return name
        frame = frame.f_back
    return ""


def _is_in(name, packages):
    return any(
        name == package or (package and name.startswith(package + ".")) for package in packages
    )
