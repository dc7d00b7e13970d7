# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""A range around every call of a module, and inside it one with the attributes of its op or, where
no ops are told, with its tensors.

nn.Module.__call__ is wrapped, not hooked: a wrapper sees calls that end in exceptions, and costs
one dictionary look-up and two NVTX calls.
"""
import sys

from .attributes import Attributes
from .calls import ModuleCalls
from .names import UNKNOWN


def find_is_compiling(torch):
    """A test for whether a compiler is tracing the code, which must then not see our ranges."""
    told = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    if told is not None:
        return told
    if not hasattr(torch, "compile"):  # before 2.0
        return lambda: False

    def is_compiling():
        dynamo = sys.modules.get("torch._dynamo")
        return dynamo is not None and dynamo.is_compiling()

    return is_compiling


def find_teller(torch, session):
    """What is said inside the range of a call: by Attributes, by ModuleCalls, or nothing (None)."""
    if not session.options.record_shapes:
        return None
    if session.ops is None:
        return ModuleCalls(torch)
    return Attributes(torch.nn) if session.ops.have_texts else None


def install(torch, session):
    """Wraps nn.Module.__call__ for the session, until its patches are undone."""
    names = session.names
    texts = names.texts
    push, pop = session.nvtx.push, session.nvtx.pop
    threads = session.threads
    is_compiling = find_is_compiling(torch)

    def text_of(module, around):
        try:
            return names.resolve(module, *around)
        except Exception as error:  # e.g. an unusual __getattr__: the program continues
            session.warn("no name for a %s: %r" % (type(module).__name__, error))
            return None

    def told_of(module, args, kwargs):
        try:
            return teller.text_of(module, args, kwargs)
        except Exception as error:  # likewise
            session.warn("nothing is said of a call of a %s: %r" % (type(module).__name__, error))
            return None

    teller = find_teller(torch, session)
    wanted = teller is not None
    nothing = (None, None)
    unmarked = (None, None, "nobody needs the ranges of this call and of those inside")

    def make(original):
        # Every microsecond here is added to every module call.
        def __call__(self, *args, **kwargs):
            if is_compiling() or not session.active:
                return original(self, *args, **kwargs)
            try:
                stack = threads.modules
            except AttributeError:
                stack = threads.modules = []
            if stack:
                around = stack[-1]
                if around is unmarked:
                    return original(self, *args, **kwargs)
            else:
                around = nothing
                if not session.on_root_call(self):
                    stack.append(unmarked)
                    try:
                        return original(self, *args, **kwargs)
                    finally:
                        stack.pop()
            text = texts.get(id(self), UNKNOWN)
            if text.__class__ is not str and text is not None:
                text = text_of(self, around)
            # torch.compile's module calls the original one: one range for both.
            if text is None or text is around[1]:
                stack.append((self, around[1]))
                try:
                    return original(self, *args, **kwargs)
                finally:
                    stack.pop()
            stack.append((self, text))
            push(text)
            told = None
            try:
                if wanted:
                    told = told_of(self, args, kwargs)
                    if told is not None:
                        push(told)
                return original(self, *args, **kwargs)
            finally:
                if told is not None:
                    pop()
                pop()
                stack.pop()

        return __call__

    session.patches.wrap(torch.nn.Module, "__call__", make)
