# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""torch's word that a profiler runs, `torch.autograd.profiler._is_profiler_enabled`, one for all
threads, since torch 2.1. Only while it is true do torch.compile's kernels have their names.

torch's profilers set it when they start and clear it when they stop, whoever else runs. We hold it
besides them, and leave it as they want it.
"""

_FLAG = "_is_profiler_enabled"
_SETTER = "_set_is_profiler_enabled"  # which all of torch's profilers call


class ProfilerFlag:
    """True while one of ours holds it, or as torch's profilers have set it last. Any thread."""

    def __init__(self, profiler):
        self._profiler = profiler
        self._holders = set()
        self._theirs = None  # None: this torch has no such flag, or keeps it in another way

    def install(self, patches):
        profiler = self._profiler
        if hasattr(profiler, _FLAG) and hasattr(profiler, _SETTER):
            self._theirs = getattr(profiler, _FLAG)
            patches.wrap(profiler, _SETTER, self._make_setter)

    def hold(self, holder):
        self._holders.add(holder)
        self._write()

    def release(self, holder):
        """Also of one that does not hold it."""
        self._holders.discard(holder)
        self._write()

    def end(self):
        """Leaves it to theirs for good."""
        self._holders.clear()
        self._write()
        self._theirs = None

    def _write(self):
        if self._theirs is not None:
            setattr(self._profiler, _FLAG, self._theirs or bool(self._holders))

    def _make_setter(self, original):
        def set_flag(enable):
            if self._theirs is not None:
                self._theirs = enable
            return original(enable or bool(self._holders))

        return set_flag
