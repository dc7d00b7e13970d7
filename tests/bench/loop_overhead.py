#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a C++ loop that is bound by launching empty kernels in NVTX ranges pays for its profile, by
part.

Windows of steps (4,000 launches each) alternate in one process: each one that is profiled has a bare
one before it, to which it is compared. Prints, for each way, the median of these ratios with its
quartiles, and the ratio of the fastest windows.

Needs a GPU and a build of this project (--build).
"""
import contextlib
import ctypes
import os
import sys

import paired_windows
from paired_windows import CUPTI_WAYS


@contextlib.contextmanager
def capture(bench):
    from prof_torch import library

    prof = library.load()
    options = library.Options(
        struct_size=ctypes.sizeof(library.Options), output=bench.path.encode(), force=1
    )
    if prof.prof_start(ctypes.byref(options)) != 0:
        raise RuntimeError(prof.prof_last_error().decode())
    try:
        yield
    finally:
        prof.prof_stop()


WAYS = {**CUPTI_WAYS, "prof": ("a capture", capture)}


def make_bench(options):
    loop = ctypes.CDLL(os.path.join(options.build, "bench", "libloop_step.so"))
    bench = paired_windows.Bench(options, loop.loop_step, loop.loop_wait)
    if options.ways == ["prof"]:
        # Ranges are seen from the program's first NVTX call on, or never.
        with capture(bench):
            pass
    if loop.loop_step() != 0 or loop.loop_wait() != 0:
        sys.exit("loop_overhead.py: skipped: no GPU")
    return bench


if __name__ == "__main__":
    sys.exit(paired_windows.run("loop_overhead.py", __doc__, WAYS, 5, make_bench))
