# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Replaces attributes of other modules temporarily and reversibly."""
import functools


class Patches:
    """Replaced attributes; `undo` restores the originals."""

    def __init__(self):
        self._done = []

    def wrap(self, owner, name, make):
        """Replaces `owner.name` with `make(original)`. False if the owner itself has no such
        attribute (an inherited one is wrapped in the base class)."""
        original = vars(owner).get(name)
        if original is None:
            return False
        replacement = functools.wraps(original)(make(original))
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
