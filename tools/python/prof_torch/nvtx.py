# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""The NVTX calls used by the package, as bound by torch. No other module calls NVTX."""


class Nvtx:
    """`push(text)` and `pop()` use the calling thread's stack. Both return the range's level, from
    0, or a negative number where nobody listens. `start(text)` returns a handle for `end(handle)`,
    a process-wide range. `mark(text)` is a moment."""

    def __init__(self, torch):
        # torch's wrappers in torch.cuda.nvtx would add a Python call to each of these.
        raw = torch._C._nvtx
        self.push = raw.rangePushA
        self.pop = raw.rangePop
        self.start = raw.rangeStartA
        self.end = raw.rangeEnd
        self.mark = raw.markA

    def close(self, *levels):
        """Ends the ranges for which push() returned `levels`, outermost first, and what an
        exception has left open inside them. None: of one that was not pushed."""
        outermost = popped = -1
        for level in reversed(levels):
            if level is not None:
                outermost, popped = level, self.pop()
        while popped > outermost >= 0:
            popped = self.pop()


def is_available(torch):
    """False for builds of torch without CUDA, whose NVTX functions only raise."""
    return hasattr(torch._C, "_nvtx")
