# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Replaces attributes of other modules temporarily and reversibly."""
import functools


def find_skip(torch):
    """A function that has Dynamo pass over the frames of a code object and compile what these call,
    as it does with torch's own; None: this torch has none."""
    frames = getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
    skip = getattr(frames, "skip_code", None)  # before 2.7
    if skip is not None:
        return skip
    try:
        actions = frames._FrameAction
        strategy = frames._FrameExecStrategy(actions.SKIP, actions.DEFAULT)
        apply = frames.set_code_exec_strategy
    except AttributeError:
        return None
    return lambda code: apply(code, strategy)


class Patches:
    """Replaced attributes; `undo` restores the originals."""

    def __init__(self, skip=None):
        self._skip = skip
        self._done = []

    def wrap(self, owner, name, make):
        """Replaces `owner.name` with `make(original)`. False if the owner itself has no such
        attribute (an inherited one is wrapped in the base class)."""
        original = vars(owner).get(name)
        if original is None:
            return False
        replacement = functools.wraps(original)(make(original))
        # Compiled in place of the program's function, it would be another graph, under another key.
        if self._skip is not None:
            self._skip(replacement.__code__)
        setattr(owner, name, replacement)
        self._done.append((owner, name, original, replacement))
        return True

    def undo(self):
        """Restores the originals. Attributes that someone else has wrapped since are left alone:
        our part checks the session first and does nothing after its end."""
        for owner, name, original, replacement in reversed(self._done):
            if vars(owner).get(name) is replacement:
                setattr(owner, name, original)
        self._done = []
