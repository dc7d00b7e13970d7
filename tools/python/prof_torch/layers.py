# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""A range around every call of a module, and inside it one with the attributes of its op or, where
no ops are reported, with its tensors.

nn.Module.__call__ is replaced, not hooked: a function sees calls that end in exceptions, and takes
the place of torch's own frame. What it costs is in docs/pytorch.md.

A signal's handler may raise an exception after any call. So what is noted of a thread is restored
from a local variable in each module's call, and one that ends in an exception also ends the ranges
that were pushed inside it and not noted yet.
"""
import sys

from .attributes import Attributes
from .calls import ModuleCalls
from .names import UNKNOWN


def find_is_compiling(torch):
    """A test for whether a compiler is tracing the code, which must then not see our ranges."""
    known = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    if known is not None:
        return known
    if not hasattr(torch, "compile"):  # before 2.0
        return lambda: False

    def is_compiling():
        dynamo = sys.modules.get("torch._dynamo")
        return dynamo is not None and dynamo.is_compiling()

    return is_compiling


def calls_call_impl(original):
    """Whether nn.Module.__call__ does nothing but call _call_impl(), or what Module.compile() has
    made of it: torch's own since 2.1. Ours can do the same, so that no frame is added."""
    code = getattr(original, "__code__", None)
    return code is not None and code.co_names == ("_compiled_call_impl", "_call_impl")


class Calls:
    """The module calls that a thread is in. `innermost`: (module, text) of the last one."""

    __slots__ = ("innermost",)

    def __init__(self, innermost):
        self.innermost = innermost


def find_speaker(torch, session):
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
    closures = session.closures
    is_compiling = find_is_compiling(torch)

    def text_of(module, around):
        try:
            return names.resolve(module, *around)
        except Exception as error:  # e.g. an unusual __getattr__: the program continues
            session.warn("no name for a %s: %r" % (type(module).__name__, error))
            return None

    def facts_of(module, args, kwargs):
        try:
            return speaker.text_of(module, args, kwargs)
        except Exception as error:  # likewise
            session.warn("nothing is said of a call of a %s: %r" % (type(module).__name__, error))
            return None

    speaker = find_speaker(torch, session)
    close = session.nvtx.close
    nothing = (None, None)
    unmarked = (None, None, "nobody needs the ranges of this call and of those inside")

    def make(original):
        is_torchs = calls_call_impl(original)

        # Every microsecond here is added to every module call.
        def __call__(self, *args, **kwargs):
            if is_compiling() or not session.active:
                return original(self, *args, **kwargs)
            try:
                calls = threads.calls
            except AttributeError:
                calls = threads.calls = Calls(nothing)
            around = calls.innermost
            if around is nothing and closures.is_unmarked():
                closures.begin(self)
                try:
                    return __call__(self, *args, **kwargs)
                finally:
                    closures.end(self)
            if around is unmarked:
                return original(self, *args, **kwargs)
            if around is nothing and not session.on_root_call(self):
                here, text = unmarked, None
            else:
                text = texts.get(id(self), UNKNOWN)
                if type(text) is not str and text is not None:
                    text = text_of(self, around)
                if text is not None:
                    here = self, text
                    # torch.compile's module calls the original one: one range for both.
                    if text is around[1]:
                        text = None
                else:
                    here = self, around[1]
            level = inner = None
            try:
                calls.innermost = here
                if text is not None:
                    level = push(text)
                    if speaker is not None:
                        facts = facts_of(self, args, kwargs)
                        if facts is not None:
                            inner = push(facts)
                if is_torchs and self._compiled_call_impl is None:
                    result = self._call_impl(*args, **kwargs)
                else:
                    result = original(self, *args, **kwargs)
            except BaseException:
                calls.innermost = around
                close(level, inner)
                raise
            calls.innermost = around
            if inner is not None:
                pop()
            if level is not None:
                pop()
            return result

        return __call__

    session.patches.wrap(torch.nn.Module, "__call__", make)
