# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Replacing attributes of other modules for a while, so that all of it can be taken back."""
import functools


class Patches:
    """Attributes that were replaced; `undo` puts the old ones back."""

    def __init__(self):
        self._done = []

    def wrap(self, owner, name, make):
        """Replaces `owner.name` by `make(original)`. False where the owner itself has no such
        attribute (an inherited one is the base class's to wrap)."""
        original = vars(owner).get(name)
        if original is None:
            return False
        replacement = functools.wraps(original)(make(original))
        setattr(owner, name, replacement)
        self._done.append((owner, name, original, replacement))
        return True

    def undo(self):
        """Puts the originals back. What someone else has wrapped since is left alone: our part of it
        looks at the session first and does nothing after its end."""
        for owner, name, original, replacement in reversed(self._done):
            if vars(owner).get(name) is replacement:
                setattr(owner, name, original)
        self._done = []
